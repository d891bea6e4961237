"""unjudged properties"""

from __future__ import annotations

from typing import Literal

from unjudged.cli import completing, options, streams
from unjudged.cli.options import PageFormat, option
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["properties"]

PLACE = 55

Table = Literal[
    "precision",
    "prediction",
    "tests",
    "runs",
    "topics",
    "pairs",
    "scores",
    "shallow",
    "shallow_pairs",
    "shallow_images",
]


@study_command(methods=True)
def properties(
    collection: Collection,
    measure: list[str] | None = options.measure(
        "What to measure; repeat for more.", show_default="AP, INSQ(T=5), nDCG@1000, P@10, RBP(p=0.95)@1000, RR"
    ),
    corpus_size: int | None = options.corpus_size(
        "Documents in the corpus.", show_default="the number of documents in the runs and judgments"
    ),
    images: int | None = options.images("Other corpora to try.", "1000"),
    top: int | None = options.top("Only the N best runs."),
    by: str | None = option(
        "--by NAME",
        "What runs are ordered by, best first, and the best of --top.",
        autocompletion=completing.measures,
        show_default="the first measure",
    ),
    test: str = options.test("Paired test over topics that intervals of images are compared with.", "t"),
    correction: str | None = options.correction("For the number of pairs."),
    # The limits of these numbers are checked by the study, whose messages are one line.
    shallow: list[int] | None = option(
        "--shallow N",
        "Also play through that only the first N documents of two runs are judged; repeat for more depths.",
    ),
    shallow_runs: int | None = option(
        "--shallow-runs N", "Best runs of which every two get shallow pools.", show_default="2"
    ),
    per_topic: bool = options.per_topic("Also a table of topics; in JSON every run on every topic, too."),
    format: PageFormat = options.FORMAT,  # noqa: A002
    table: Table | None = options.table("precision"),
) -> Answer:
    """How precisely do measures measure here? What would other corpora from the same source have said?

    Other corpora (images) are drawn from the documents of this one. Differences of two runs, scores, means and ranks
    move with them; a difference that is smaller than that says little.

    Examples:
        unjudged properties qrels.txt runs/ --corpus-size 1500
        unjudged properties qrels.txt runs/ --top 50 --by RBP
        unjudged properties qrels.txt runs/ -m AP -m RBP --shallow 10 --shallow 25
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
    return Answer(
        result,
        lambda file: render_properties(
            result, format, per_topic=per_topic, table=table, colour=streams.in_colour(file)
        ),
    )
