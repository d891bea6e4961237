"""unjudged gate"""

from __future__ import annotations

from typing import Literal

from unjudged.cli import options, streams
from unjudged.cli.options import option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.errors import InputError

__all__ = ["gate"]

PLACE = 32

GateFormat = Literal["table", "line", "markdown", "latex", "junit", "json", "tsv", "csv"]
Table = Literal["measures", "segments", "judgments"]


@study_command(methods=True)
def gate(
    collection: Collection,
    measure: list[str] | None = options.measure(
        "What must not get worse, such as nDCG@10; repeat for more.", show_default="nDCG@10"
    ),
    # The limits of these numbers are checked by the study, whose messages are one line.
    margin: float = option("--margin X", "A loss of so much is none.", 0.01),
    confidence: float = option("--confidence P", "How often intervals hold.", 0.95),
    segments: str | None = options.SEGMENTS,
    segment_margin: float | None = option(
        "--segment-margin X", "With --segments: no segment may lose more.", show_default="that of --margin"
    ),
    min_judged: float | None = options.MIN_JUDGED,
    holes: list[str] | None = options.holes(
        "What grades of unjudged documents are drawn with: discounted or evidence; one model.",
        show_default="evidence with --groups, discounted without",
    ),
    draws: int | None = option(
        "--draws N", "Draws of grades for all unjudged documents.", show_default="1000, or those of --holes"
    ),
    format: GateFormat = options.FORMAT,  # noqa: A002
    table: Table = options.separated_table("measures"),
) -> Answer:
    """May a release go out: is the second run worse than the first?

    The first run is the baseline, the second the candidate, and others only say something about unjudged documents.
    Exit codes: 0 not worse, 1 worse (or less judged than --min-judged), 2 wrong input, 3 undecided.

    Examples:
        unjudged gate qrels.txt old.run new.run
        unjudged gate qrels.txt old.run new.run -m nDCG@10 -m P@10 --margin 0.02
        unjudged gate qrels.txt old.run new.run -f tsv --table judgments -o judge.tsv
    """
    from unjudged.reports.gate import render_gate
    from unjudged.results.coverage import is_too_little_judged

    if table != "measures" and format not in {"tsv", "csv"}:
        raise InputError(f"--table {table} goes with --format tsv or csv")
    result = collection.gate(
        measure or ["nDCG@10"],
        margin=margin,
        confidence=confidence,
        segments=segments,
        segment_margin=segment_margin,
        min_judged=min_judged,
        holes=options.one_hole_model(holes),
        draws=draws,
    )
    return Answer(
        result,
        lambda file: render_gate(result, format, table=table, colour=streams.in_colour(file)),
        failed=result.answer == "worse" or is_too_little_judged(result.warnings),
        undecided=result.answer == "undecided",
    )
