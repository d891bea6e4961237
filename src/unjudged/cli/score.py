"""unjudged score"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unjudged.cli import command_io, options
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["score"]

PLACE = 20


class Missing(StrEnum):
    """What a judged topic counts that a run lacks."""

    zero = "zero"
    skip = "skip"


@study_command(methods=True)
def score(
    collection: Collection,
    measure: Annotated[
        list[str] | None,
        options.measure_option("What to measure, such as nDCG@10; repeat for more.", show_default="nDCG@10, AP, P@10"),
    ] = None,
    holes: Annotated[
        list[str] | None,
        options.holes_option(
            "What to believe about unjudged documents, such as condensed, bounds, joint, guaranteed, labels(FILE),"
            " bootstrap, or evidence to ask other runs; repeat for more.",
            show_default="nonrelevant",
        ),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option("--missing", help="A judged topic that a run lacks: counts 0, or is left out of the run's mean."),
    ] = Missing.zero,
    explain: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--explain",
            metavar="RUN TOPIC",
            help="Show each hole of this run on this topic, and what other runs say about it.",
        ),
    ] = None,
    interval: options.Interval = (5, 95),
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="Also one row per topic.")] = False,
    format: options.Formats = options.Format.table,  # noqa: A002
) -> Answer:
    """Score runs, and say how much of each score rests on judged documents.

    Means are over all judged topics; a topic that a run lacks counts 0. Tables list the best run first.

    Example: unjudged score qrels.txt runs/ -m nDCG@10 -m AP --holes bounds --holes bootstrap
    """
    from unjudged.reports.scores import render_scores

    result = collection.score(
        measure or ["nDCG@10", "AP", "P@10"],
        holes=holes or ["nonrelevant"],
        missing=missing.value,
        explain=[] if explain is None else [explain],
        interval=options.quantiles(interval),
    )

    def render(file: Path | None) -> str:
        return render_scores(result, format.value, per_topic=per_topic, colour=command_io.in_colour(file))

    return Answer(result, render, result.warnings)
