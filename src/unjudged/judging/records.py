"""What a project gives and takes: plain frozen records, which the page, the command line and notebooks share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

__all__ = [
    "Agreement",
    "Assessor",
    "AssessorProgress",
    "Conflict",
    "FinalGrade",
    "Guidelines",
    "JudgmentRow",
    "Kind",
    "Merged",
    "PairAgreement",
    "Progress",
    "Recorded",
    "Task",
    "TopicProgress",
]

Kind = Literal["grade", "skip", "cannot", "withdraw", "adjudicate"]
"""What somebody said of a document: its grade; not now; that nobody could judge it; that what they said before does not
count; or, as the lead, the grade that counts from now on."""


class Assessor(NamedTuple):
    """Who judges. ``lead`` sees what the judgments say, and decides where others differ.

    ``person`` is False for where imported judgments came from: nobody is given documents in its name.
    """

    id: int
    name: str
    lead: bool
    person: bool = True


class Guidelines(NamedTuple):
    """What assessors are asked to do, as Markdown; each change is a new version."""

    version: int
    markdown: str
    at: str


class JudgmentRow(NamedTuple):
    """One entry of the history, which is never changed: later entries count instead."""

    id: int
    topic: str
    doc: str
    assessor: str
    kind: Kind
    grade: int | None
    note: str
    flagged: bool
    seconds: float | None
    at: str
    """When, by the clock of the machine, in UTC. The order is that of ``id``: clocks may be wrong."""
    text_sha256: str | None
    """Of the text that was judged."""
    guidelines: int | None
    """The version of the guidelines that were shown."""
    key: str
    counts: bool = True
    """Whether it is the last that its assessor said of the document, and not taken back."""


class Recorded(NamedTuple):
    """A judgment that is in the file."""

    id: int
    pair: int
    kind: Kind
    grade: int | None
    at: str


@dataclass(frozen=True)
class Task:
    """A document to judge for a topic, with all that an assessor is shown; nothing about runs and ranks."""

    pair: int
    topic: str
    doc: str
    title: str
    description: str
    narrative: str
    doc_title: str
    text: str | None
    link: str | None
    """Where the document can be looked at."""
    text_sha256: str | None
    guidelines: int
    adjudicate: bool = False
    earlier: tuple[JudgmentRow, ...] = ()
    """What others said, for the lead only; or what the same assessor has just taken back."""


class TopicProgress(NamedTuple):
    """How far a topic is."""

    topic: str
    title: str
    judged: int
    pairs: int


class AssessorProgress(NamedTuple):
    """How far an assessor is; ``seconds`` is the median of their last judgments."""

    assessor: str
    judged: int
    seconds: float | None


@dataclass(frozen=True)
class Progress:
    """How far the work is, in documents: ``judged`` of ``pairs``."""

    judged: int
    pairs: int
    seconds: float | None
    """Median time of the last judgments."""
    disputed: int
    """Documents that wait for the lead: judges differ, or could not judge."""
    topics: tuple[TopicProgress, ...] = ()
    assessors: tuple[AssessorProgress, ...] = ()

    @property
    def to_do(self) -> int:
        """Documents that nobody has judged yet."""
        return self.pairs - self.judged


class PairAgreement(NamedTuple):
    """How far two assessors agree on what both graded."""

    first: str
    second: str
    pairs: int
    kappa: float | None
    same: float | None


@dataclass(frozen=True)
class Agreement:
    """How far assessors agree on documents that several graded; numbers are None where they are not defined."""

    pairs: int
    alpha: float | None
    """Krippendorff's, for ordinal grades."""
    kappa: float | None
    """Cohen's, the mean over pairs of assessors, each weighted by what both graded."""
    same: float | None
    """Share of documents to which all gave the same grade."""
    assessors: tuple[PairAgreement, ...] = ()


class FinalGrade(NamedTuple):
    """What counts for a document: what the lead decided, or the lower median of what assessors said last."""

    topic: str
    doc: str
    grade: int
    judges: int
    adjudicated: bool


class Conflict(NamedTuple):
    """What two project files say differently; ``counts`` is what counts now."""

    topic: str
    doc: str
    what: str
    here: str
    there: str
    counts: str


@dataclass(frozen=True)
class Merged:
    """What a merge did."""

    added: int
    """Judgments that were not here before."""
    known: int
    conflicts: tuple[Conflict, ...] = field(default=())
