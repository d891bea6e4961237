"""unjudged score"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, Literal

from unjudged.cli import options, streams
from unjudged.cli.options import Format, option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.errors import InputError
from unjudged.limits import MissingTopics

__all__ = ["score"]

PLACE = 20

Table = Literal["scores", "segments", "unjudged"]


def _without_algebra(given: Mapping[str, Any]) -> None:
    """Have NumPy make no threads for linear algebra, of which such scores have none: that takes long.

    Hole models that learn have some, so that for them everything stays as it is.
    """
    if given["holes"] and set(given["holes"]) <= {"nonrelevant", "condensed"} and "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@study_command(methods=True, first=_without_algebra)
def score(
    collection: Collection,
    measure: list[str] | None = options.measure(
        "What to measure, such as nDCG@10; repeat for more.", show_default="nDCG@10, AP, P@10"
    ),
    holes: list[str] | None = options.holes(
        "What to believe about unjudged documents, such as nonrelevant, condensed, bounds, joint, guaranteed,"
        " labels(FILE), discounted, bootstrap, or evidence to ask other runs; repeat for more. auto: nonrelevant and,"
        " where runs have holes within the cut-off, joint and the best estimate there is.",
        show_default="auto; nonrelevant for tsv, csv and json",
    ),
    missing: MissingTopics = options.statistics(
        "--missing", "A judged topic that a run lacks: counts 0, or is left out of the run's mean.", "zero"
    ),
    explain: tuple[str, str] | None = option(
        "--explain RUN TOPIC", "Show each hole of this run on this topic, and what other runs say about it."
    ),
    interval: tuple[float, float] = options.INTERVAL,
    labels: str | None = options.LABELS,
    sample_rate: float | None = options.SAMPLE_RATE,
    random_sample: bool = options.RANDOM_SAMPLE,
    min_judged: float | None = options.MIN_JUDGED,
    segments: str | None = options.SEGMENTS,
    unjudged: int | None = option(
        "--unjudged N", "Also list the N unjudged documents that weigh most in each measure."
    ),
    per_topic: bool = options.per_topic("Also one row per topic."),
    long: bool = option("--long", "Hole models and measures in rows, not in columns.", False),
    format: Format = options.FORMAT,  # noqa: A002
    table: Table = options.separated_table("scores"),
) -> Answer:
    """Score runs, and say how much of each score rests on judged documents.

    Where runs have unjudged documents within the cut-off, also what their scores could be and probably are.
    Means are over all judged topics; a topic that a run lacks counts 0. Tables list the best run first.

    Examples:
        unjudged score qrels.txt runs/ -m nDCG@10 -m AP
        unjudged score qrels.txt runs/ -m nDCG@10 --holes bounds --holes discounted
        unjudged score qrels.txt runs/ --groups teams.tsv --holes evidence
    """
    from unjudged.reports.scores import render_scores
    from unjudged.results.coverage import is_too_little_judged

    if table != "scores" and format not in {"tsv", "csv"}:
        raise InputError(f"--table {table} goes with --format tsv or csv")
    if (table == "unjudged" and unjudged is None) or (table == "segments" and segments is None):
        raise InputError(f"--table {table} needs --{table}")
    result = collection.score(
        measure or ["nDCG@10", "AP", "P@10"],
        holes=holes or _usual(format),
        missing=missing,
        explain=[] if explain is None else [explain],
        interval=options.quantiles(interval),
        labels=labels,
        sample_rate=sample_rate,
        random_sample=random_sample,
        min_judged=min_judged,
        segments=segments,
        unjudged=unjudged,
    )
    return Answer(
        result,
        lambda file: render_scores(
            result, format, per_topic=per_topic, long=long, table=table, colour=streams.in_colour(file)
        ),
        failed=is_too_little_judged(result.warnings),
    )


def _usual(form: Format) -> str:
    """Who reads numbers into a program gets those of trec_eval, and none twice, unless they ask for more."""
    return "nonrelevant" if form in {"tsv", "csv", "json"} else "auto"
