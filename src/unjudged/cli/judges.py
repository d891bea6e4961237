"""unjudged judges"""

from __future__ import annotations

from typing import Literal

from unjudged.cli import options, streams
from unjudged.cli.options import PageFormat, option
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["judges"]

PLACE = 45

Table = Literal["judges", "confusion", "topics", "grades", "pairs", "orders", "runs", "groups", "targets"]


@study_command(methods=True, labels=True)
def judges(
    collection: Collection,
    labels: list[str],
    measure: list[str] | None = options.measure("What runs are ordered by.", show_default="nDCG@10"),
    test: str = options.test("Significance test whose decisions are compared.", "t"),
    correction: str | None = options.correction("For the number of pairs, and of groups that may be favoured."),
    target: list[str] | None = option(
        "--target width=W",
        "How many topics must people judge, beside labels of many more, before a 95% interval is that narrow? Such as"
        " width=0.02; repeat for more.",
    ),
    format: PageFormat = options.FORMAT,  # noqa: A002
    table: Table | None = options.table("judges"),
) -> Answer:
    """How far can labels of machines or crowds be trusted instead of people's judgments?

    Labels of each source are compared with the judgments and with each other: kappa, alpha, bias, and whether they are
    inverted, constant, shifted, rescaled or a copy. With runs, the orders by labels alone and by judgments are, too.

    Examples:
        unjudged judges qrels.txt gpt-4.qrels
        unjudged judges qrels.txt gpt-4.qrels runs/ --groups teams.tsv
        unjudged judges qrels.txt labels.jsonl --table topics
    """
    from unjudged.reports.judges import render_judges

    result = collection.judges(
        labels, options.one_measure(measure), test=test, correction=correction, target=target or []
    )
    return Answer(result, lambda file: render_judges(result, format, table=table, colour=streams.in_colour(file)))
