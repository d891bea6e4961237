"""unjudged doctor"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from unjudged.cli import streams
from unjudged.cli.options import option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.limits import FEW_JUDGED

__all__ = ["doctor"]

PLACE = 10

Format = Literal["table", "tsv", "csv", "json", "markdown"]


@study_command()
def doctor(
    collection: Collection,
    strict: bool = option("--strict", "Exit with 1 when there is an error or a warning.", False),
    cutoff: list[int] | None = option(
        "--cutoff K", "Also look for ties at rank K, beside 10 and 100; repeat for more.", min=1
    ),
    # Its limits are checked by the library, whose message is one line.
    min_judged: float = option(
        "--min-judged P", "Warn of runs with a smaller share of their top 10 judged.", FEW_JUDGED
    ),
    all_runs: bool = option("--all-runs", "Show the share judged of all runs, not only of the 10 lowest.", False),
    format: Format = option(  # noqa: A002
        "--format -f", "How to write the result; tsv and csv have the findings only.", "table"
    ),
) -> Answer:
    """Check judgments and runs before you score them, and say what is wrong, where, and what to do.

    Goes on after problems, so one call shows all of them. Exits with 0 unless --strict is given.

    Examples:
        unjudged doctor qrels.txt runs/
        unjudged doctor qrels.txt runs/ --cutoff 20 --all-runs
        unjudged doctor qrels.txt runs/ -f json -o found.json
    """
    from unjudged.reports.doctor import render_diagnosis
    from unjudged.reports.layout import screen_width

    result = collection.doctor(cutoffs=cutoff or (), min_judged=min_judged)

    def render(file: Path | None) -> str:
        width = min(max(screen_width(), 60), 100) if file is None else 80
        return render_diagnosis(result, format, all_runs=all_runs, colour=streams.in_colour(file), width=width)

    return Answer(result, render, failed=strict and result.count("error") + result.count("warning") > 0)
