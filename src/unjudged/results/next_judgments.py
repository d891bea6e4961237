"""What ``next`` returns: which documents to judge, and what is decided already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from unjudged.errors import Notice
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = ["Decided", "GoalRow", "JudgmentRow", "NextJudgments", "OutlookRow", "PairOutlookRow", "RecallRow"]

Decided = Literal["certain", "likely", "undecided"]
"""``certain``: no grades of unjudged documents change the sign, or they cannot make a difference. ``likely``: the
difference has one sign with a probability of at least 1 - risk."""


class JudgmentRow(NamedTuple):
    """A document to judge, in order. ``part`` is the assessor's whom it is for, from 1.

    ``expected`` is the expected grade and ``probabilities`` the probability of each grade. ``effect`` is the standard
    deviation of the change that its judgment is expected to make to the undecided differences of mean scores.
    ``priority`` is what the strategy has chosen it by. ``runs`` are those that return it, with the rank, best first.
    """

    place: int
    part: int
    topic: str
    doc: str
    expected: float | None
    probabilities: tuple[float, ...]
    effect: float | None
    priority: float
    inclusion: float | None
    stratum: int | None
    runs: tuple[tuple[str, int], ...]


class PairOutlookRow(NamedTuple):
    """Two runs; ``difference`` is the expected one once all is judged, run less other, with a 95% interval."""

    run: str
    other: str
    difference: float
    low: float
    high: float
    p_greater: float
    verdict: Decided


class OutlookRow(NamedTuple):
    """A run: its mean score with unjudged documents as not relevant, and what is expected with a 95% interval.

    The first is biased after an adaptive order; the second is the model's. Its interval counts that what is left may be
    unlike what was judged, and so is wider than a model would have it (`experiments/results/five-hundred.md`).
    """

    run: str
    observed: float
    expected: float
    low: float
    high: float


class GoalRow(NamedTuple):
    """A question. ``judgments`` is the expected number of further ones until it is answered, with a 90% interval.

    They are None once it is answered, or where even all judgments might not do.
    """

    goal: str
    answered: bool
    answer: str
    judgments: int | None
    low: int | None
    high: int | None


class RecallRow(NamedTuple):
    """Relevant documents (grade ``rel`` or more) among those that runs have: found, and estimated in all, with 95%.

    Where the strategy looks for relevant documents, the estimate is too high, and ``recall`` too low: only ``low`` of
    recall and ``relevant_high`` say something then, which ``at_most`` notes. The other ends are 1 and ``found``.
    """

    rel: float
    found: int
    relevant: float
    relevant_low: float
    relevant_high: float
    recall: float | None
    low: float | None
    high: float | None
    at_most: bool


Row = JudgmentRow | PairOutlookRow | OutlookRow | GoalRow | RecallRow


@dataclass(frozen=True, eq=False, repr=False)
class NextJudgments(Tabular):
    """Which documents to judge next, why, and when to stop.

    As tables: ``judgments``, ``pairs`` (of runs), ``runs``, ``goals`` and ``recall``.
    """

    row_types: ClassVar[Mapping[str, type[tuple[Any, ...]]]] = {
        "judgments": JudgmentRow,
        "pairs": PairOutlookRow,
        "runs": OutlookRow,
        "goals": GoalRow,
        "recall": RecallRow,
    }
    main_table: ClassVar = "judgments"

    strategy: str
    priority: str
    """What the numbers in ``priority`` are."""
    measure: str
    risk: float
    depth: int | None
    judged: int
    """Of the documents that may be asked for."""
    left: int
    """How many of them are not judged, with those of this batch."""
    assessors: int
    scale: tuple[int, ...]
    tables: dict[str, tuple[Row, ...]]
    queries: Mapping[str, str] = field(default_factory=dict)
    """What topics ask for, by topic, where that is known."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Texts of the documents to judge, where they are known."""
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def tables_by_name(self) -> dict[str, tuple[Row, ...]]:
        """The rows of all tables."""
        return self.tables

    def judgments(self) -> tuple[JudgmentRow, ...]:
        """One row per document to judge, in order."""
        return self.tables["judgments"]  # type: ignore[return-value]

    def pairs(self) -> tuple[PairOutlookRow, ...]:
        """One row per pair of runs that is asked about, the better run first."""
        return self.tables["pairs"]  # type: ignore[return-value]

    def runs(self) -> tuple[OutlookRow, ...]:
        """One row per run, best first."""
        return self.tables["runs"]  # type: ignore[return-value]

    def goals(self) -> tuple[GoalRow, ...]:
        """One row per question."""
        return self.tables["goals"]  # type: ignore[return-value]

    def recall(self) -> tuple[RecallRow, ...]:
        """One row."""
        return self.tables["recall"]  # type: ignore[return-value]

    @property
    def answered(self) -> bool:
        """Whether all questions are answered, so that judging can stop."""
        return all(row.answered for row in self.goals())

    def count(self, verdict: Decided) -> int:
        """Pairs of runs with this verdict."""
        return sum(row.verdict == verdict for row in self.pairs())

    def summary(self) -> str:
        """What can be said in a sentence or two."""
        if self.answered:
            return "; ".join(f"{row.goal}: {row.answer}" for row in self.goals()) + "."
        return f"{counted(len(self.judgments()), 'document')} to judge, {self.count('undecided'):,} pairs undecided."

    def to_json(self) -> str:
        """The JSON document described in the docs, with all tables."""
        names = ("strategy", "priority", "measure", "risk", "depth", "judged", "left", "assessors", "scale", "answered")
        settings = {name: getattr(self, name) for name in names}
        return self.provenance.document({"next": settings, **self.tables_as_dicts()}, self.warnings)

    def __repr__(self) -> str:
        return visible(f"NextJudgments: {self.summary()}")
