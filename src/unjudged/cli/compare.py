"""unjudged compare"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unjudged.cli import command_io, completing, options
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["Prior", "compare"]

PLACE = 30


class Prior(StrEnum):
    """Where the grades of unjudged documents are drawn from."""

    pool_and_run = "pool+run"
    evidence = "evidence"


@study_command(methods=True)
def compare(
    collection: Collection,
    measure: Annotated[
        list[str] | None, options.measure_option("What to measure; one measure.", show_default="nDCG@10")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="RUN", help="Compare all runs with this one only.")
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", help="Only the N best runs (and the baseline).")
    ] = None,
    test: Annotated[
        str, options.test_option("Paired test over topics: randomisation, t, wilcoxon, sign, bootstrap, tukey_hsd.")
    ] = "randomisation",
    correction: Annotated[
        str | None, options.correction_option("For the number of pairs: holm, bonferroni, bh, none.")
    ] = None,
    interval_method: Annotated[
        str,
        typer.Option(
            "--interval-method",
            metavar="NAME",
            autocompletion=completing.intervals,
            help="95% intervals over topics: t, percentile, basic, bca.",
        ),
    ] = "t",
    holes: Annotated[
        list[str] | None,
        options.holes_option(
            "What grades of unjudged documents are drawn with: bootstrap, or evidence to ask other runs; one model.",
            show_default="evidence with --groups, bootstrap without",
        ),
    ] = None,
    # The limits of these numbers are checked by the study, whose messages are one line.
    draws: Annotated[
        int | None,
        typer.Option(
            "--draws",
            metavar="N",
            help="Draws of grades for all unjudged documents.",
            show_default="1000, or those of --holes",
        ),
    ] = None,
    prior: Annotated[
        Prior | None,
        typer.Option(
            "--prior",
            help="Where these grades are drawn from: --holes in other words; pool+run is that of bootstrap.",
        ),
    ] = None,
    corpus_size: Annotated[
        int | None,
        options.corpus_size_option(
            "Documents in the corpus; also say how much another corpus would change means, and the order of two runs."
        ),
    ] = None,
    images: Annotated[
        int | None,
        options.images_option(
            "Other corpora to try; also without --corpus-size.", "1000 with --corpus-size, otherwise none"
        ),
    ] = None,
    format: options.Formats = options.Format.table,  # noqa: A002
) -> Answer:
    """Compare runs: which is better, and could judging the holes change that?

    Beside the p-value of each pair stands a verdict: certain (no grades of the unjudged documents change the sign of
    the difference), likely, or undetermined.

    Example: unjudged compare qrels.txt runs/ -m nDCG@10 --baseline bm25
    """
    from unjudged.reports.comparison import render_comparison

    result = collection.compare(
        options.one_measure(measure),
        baseline=baseline,
        top=top,
        test=test,
        correction=correction,
        interval_method=interval_method,
        draws=draws,
        prior=None if prior is None else prior.value,
        holes=options.one_hole_model(holes),
        corpus=options.corpus_of(corpus_size, images),
    )

    def render(file: Path | None) -> str:
        return render_comparison(result, format.value, colour=command_io.in_colour(file))

    return Answer(result, render, result.warnings)
