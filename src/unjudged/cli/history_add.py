"""unjudged history add"""

from __future__ import annotations

from unjudged.cli import options
from unjudged.cli.options import option
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["NAME", "history_add"]

PLACE = 33
NAME = "history add"


@study_command(output=False)
def history_add(
    collection: Collection,
    history: str = option("--history HISTORY", "The file to add to; made if it is not there.", "history.jsonl"),
    measure: list[str] | None = options.measure(
        "What to measure, such as nDCG@10; repeat for more.", show_default="nDCG@10, P@10"
    ),
    release: str | None = option("--release NAME", "What the release is called.", show_default="as the run's file"),
    date: str | None = option("--date DAY", "When it was, such as 2024-12-09, or 'today'.", show_default="no date"),
    previous_run: str | None = option(
        "--previous-run RUN", "Where the last release's run is, if not where the history says."
    ),
    previous_qrels: str | None = option(
        "--previous-qrels QRELS", "Where its judgments are, such as a copy of what QRELS was."
    ),
    holes: list[str] | None = options.holes(
        "What to believe about unjudged documents, as in score; repeat for more.", show_default="auto"
    ),
) -> Answer:
    """Keep the scores of a release, and what changed them since the last one: the ranker, or the judgments.

    RUN is the run of the release, one. It is scored as by score, and the result becomes a line of a file that you keep
    under version control. The run and the judgments of the last release are read again, where they still are what they
    were, so that both runs are scored under both judgments.

    Examples:
        unjudged history add qrels.txt new.run --release v12
        unjudged history add qrels.txt new.run --release v13 --date 2024-12-09 -m AP@100
        unjudged history add qrels.txt new.run --release v14 --previous-run new.run
    """
    from unjudged.reports.history import added_release

    result = collection.add_release(
        history,
        measure or ("nDCG@10", "P@10"),
        release=release,
        date=date,
        holes=holes or "auto",
        previous_run=previous_run,
        previous_qrels=previous_qrels,
    )
    return Answer(result, lambda _: added_release(result))
