"""A run in a study: what it is called, where it comes from, and which judged topics it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unjudged.arrays import Flags
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.errors import InputError, Notice
from unjudged.wording import counted

__all__ = ["RunInfo", "check_topics", "run_notices"]


@dataclass(frozen=True, eq=False)
class RunInfo:
    """What every study knows about a run, whatever else it keeps of it."""

    name: str
    source: str
    answered: Flags
    """For each judged topic, whether the run has it."""
    extra_topics: int
    """Topics of the run that have no judgments."""
    repeats: int
    """Lines of the run that were left out, because their documents are there more than once."""

    @classmethod
    def of(cls, run: Run, qrels: Qrels) -> RunInfo:
        """A run beside these judgments."""
        answered = run.answered(qrels.topics)
        return cls(run.name, run.source, answered, len(run.topics) - int(answered.sum()), run.repeats)


def check_topics(run: Run, qrels: Qrels) -> None:
    """Refuse a run none of whose topics is judged: its files do not belong together."""
    if run.topic_rows.keys().isdisjoint(qrels.topic_rows):
        raise InputError(
            f"{run.source or run.name}: no topic of this run is judged"
            f" (the run has {run.topics[0]!r}, the judgments have {qrels.topics[0]!r})"
        )


def run_notices(runs: Sequence[RunInfo], *, lacking: str = "they count as 0") -> list[Notice]:
    """Topics that runs lack (*lacking*: what becomes of these) or have too many of, and documents that they repeat."""
    notices = []
    for run in runs:
        absent = int((~run.answered).sum())
        if absent:
            text = f"{run.name} lacks {absent} of {len(run.answered)} judged topics; {lacking}"
            notices.append(Notice("missing-topics", absent, text))
        if run.extra_topics:
            text = f"{run.name} has {counted(run.extra_topics, 'topic')} without judgments; left out"
            notices.append(Notice("unjudged-topics", run.extra_topics, text))
        if run.repeats:
            text = f"{run.name} has {counted(run.repeats, 'line')} with a document that its topic has already; left out"
            notices.append(Notice("duplicate-documents", run.repeats, text))
    return notices
