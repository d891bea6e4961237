"""unjudged properties"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unjudged.cli import command_io, completing, options
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["properties"]

PLACE = 55


class Table(StrEnum):
    """Which table tsv and csv have."""

    precision = "precision"
    prediction = "prediction"
    tests = "tests"
    runs = "runs"
    topics = "topics"
    pairs = "pairs"
    scores = "scores"
    shallow = "shallow"
    shallow_pairs = "shallow_pairs"
    shallow_images = "shallow_images"


@study_command(methods=True)
def properties(
    collection: Collection,
    measure: Annotated[
        list[str] | None,
        options.measure_option(
            "What to measure; repeat for more.", show_default="AP, INSQ(T=5), nDCG@1000, P@10, RBP(p=0.95)@1000, RR"
        ),
    ] = None,
    corpus_size: Annotated[
        int | None,
        options.corpus_size_option(
            "Documents in the corpus.", show_default="the number of documents in the runs and judgments"
        ),
    ] = None,
    images: Annotated[int | None, options.images_option("Other corpora to try.", "1000")] = None,
    # The limits of these numbers are checked by the study, whose messages are one line.
    top: Annotated[int | None, typer.Option("--top", metavar="N", help="Only the N best runs.")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="NAME",
            autocompletion=completing.measures,
            help="What runs are ordered by, best first, and the best of --top.",
            show_default="the first measure",
        ),
    ] = None,
    test: Annotated[
        str, options.test_option("Paired test over topics that intervals of images are compared with.")
    ] = "t",
    correction: Annotated[str | None, options.correction_option("For the number of pairs.")] = None,
    shallow: Annotated[
        list[int] | None,
        typer.Option(
            "--shallow",
            metavar="N",
            help="Also play through that only the first N documents of two runs are judged; repeat for more depths.",
        ),
    ] = None,
    shallow_runs: Annotated[
        int | None,
        typer.Option(
            "--shallow-runs", metavar="N", help="Best runs of which every two get shallow pools.", show_default="2"
        ),
    ] = None,
    per_topic: Annotated[
        bool,
        typer.Option("--per-topic", "-q", help="Also a table of topics; in JSON every run on every topic, too."),
    ] = False,
    format: options.PageFormats = options.PageFormat.table,  # noqa: A002
    table: Annotated[Table, typer.Option("--table", help="Which table tsv and csv have.")] = Table.precision,
) -> Answer:
    """How precisely do measures measure here? What would other corpora from the same source have said?

    Other corpora (images) are drawn from the documents of this one. Differences of two runs, scores, means and ranks
    move with them; a difference that is smaller than that says little.

    Example: unjudged properties qrels.txt runs/ -m nDCG@10 -m AP --corpus-size 528155
    """
    from unjudged import api
    from unjudged.reports.properties import render_properties

    result = collection.properties(
        measure or api.STUDIED,
        corpus=options.corpus_of(corpus_size, images),
        top=top,
        by=by,
        test=test,
        correction=correction,
        shallow=shallow or (),
        shallow_runs=shallow_runs,
    )

    def render(file: Path | None) -> str:
        return render_properties(
            result, format.value, per_topic=per_topic, table=table.value, colour=command_io.in_colour(file)
        )

    return Answer(result, render, result.warnings)
