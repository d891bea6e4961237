"""unjudged audit"""

from __future__ import annotations

from typing import Literal

from unjudged.cli import options, streams
from unjudged.cli.options import PageFormat, option
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["audit"]

PLACE = 47

Table = Literal["suspects", "planted", "unfound", "duplicates", "assessors"]


@study_command(needs_runs=False)
def audit(
    collection: Collection,
    measure: list[str] | None = options.measure("Whose change is told if a judgment changes.", show_default="nDCG@10"),
    labels: list[str] | None = options.labels("other judges, such as language models, as in judges"),
    assessors: str | None = option(
        "--assessors FILE",
        "Lines 'topic assessor' or 'topic doc assessor': does somebody give other grades than others?",
    ),
    # Its limit is checked by the study, whose message is one line.
    error_rate: float | None = option(
        "--error-rate P",
        "Share of judgments that are taken to be made without looking, which chances follow from.",
        show_default="the largest that the judgments allow",
    ),
    top: int = options.top("Judgments that are listed.", 100),
    format: PageFormat = options.FORMAT,  # noqa: A002
    table: Table = options.separated_table("suspects"),
) -> Answer:
    """Which judgments are probably wrong? The worst first, with what scores change if they do.

    Each judgment is compared with all that is known beside it: the ranks of the document in runs, texts, and labels of
    other judges. Also lists relevant documents that no run has, and near-duplicates with different grades.

    Examples:
        unjudged audit qrels.txt runs/ --groups teams.tsv
        unjudged audit qrels.txt runs/ --labels gpt-4.qrels
        unjudged audit qrels.txt runs/ -f tsv --top 500 -o look-again.tsv
    """
    from unjudged.reports.audit import render_audit

    result = collection.audit(
        options.one_measure(measure), labels=labels, assessors=assessors, error_rate=error_rate, top=top
    )
    return Answer(result, lambda file: render_audit(result, format, table=table, colour=streams.in_colour(file)))
