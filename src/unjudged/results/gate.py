"""What ``gate`` returns: whether a candidate is worse than a baseline, and which judgments would tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from unjudged.errors import Notice
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = ["Answer", "Gate", "GateRow", "JudgmentToMake", "SegmentGuardRow"]

Answer = Literal["worse", "not worse", "undecided"]
"""``not worse``: the interval of the difference lies above minus the margin. ``worse``: it lies below 0."""


class GateRow(NamedTuple):
    """One measure; differences are candidate less baseline.

    ``difference`` is the mean over the drawn grades of unjudged documents, with an interval that counts them and the
    topics. ``p`` is that of a true difference of 0 or more, corrected for everything that could be called worse.
    ``plain`` and its interval count unjudged documents as not relevant; ``plain_answer`` is what that would have said.
    ``judged_baseline`` and ``judged_candidate`` are shares of the documents that the measure looks at, ``holes`` is the
    part of the variance that comes from those that nobody judged.
    """

    measure: str
    answer: Answer
    difference: float
    low: float | None
    high: float | None
    p: float
    plain: float
    plain_low: float | None
    plain_high: float | None
    plain_answer: Answer
    baseline: float
    candidate: float
    judged_baseline: float | None
    judged_candidate: float | None
    holes: float
    topics: int


class SegmentGuardRow(NamedTuple):
    """One measure on one segment of the topics, which fails if it is worse by more than ``limit``."""

    segment: str
    measure: str
    failed: bool
    difference: float
    low: float | None
    high: float | None
    p: float
    limit: float
    topics: int


class JudgmentToMake(NamedTuple):
    """A document to judge. ``effect`` is the standard deviation of the difference of means that its grade brings.

    Ranks are None where a run does not have the document within the measure's cut-off.
    """

    place: int
    topic: str
    doc: str
    rank_in_baseline: int | None
    rank_in_candidate: int | None
    effect: float


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Tabular):
    """Whether a candidate is worse than a baseline. Tables are ``measures``, ``segments`` and ``judgments``."""

    row_types: ClassVar[Mapping[str, type[tuple[Any, ...]]]] = {
        "measures": GateRow,
        "segments": SegmentGuardRow,
        "judgments": JudgmentToMake,
    }
    main_table: ClassVar = "measures"

    answer: Answer
    baseline: str
    candidate: str
    margin: float
    segment_margin: float
    confidence: float
    draws: int
    holes: str
    """The model that grades of unjudged documents were drawn with."""
    unjudged: int
    """Documents that nobody judged, and that count differently for the two runs."""
    needed: int | None
    """How many of these to judge until an answer is as likely as not; None where they need not be, or would not do."""
    chance: float | None
    """How likely there is an answer once all of them are judged; None where there is one already."""
    tables: dict[str, tuple[Any, ...]]
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def tables_by_name(self) -> dict[str, tuple[Any, ...]]:
        """The rows of all tables."""
        return self.tables

    def measures(self) -> tuple[GateRow, ...]:
        """One row per measure."""
        return self.tables["measures"]

    def segments(self) -> tuple[SegmentGuardRow, ...]:
        """One row per segment and measure."""
        return self.tables["segments"]

    def judgments(self) -> tuple[JudgmentToMake, ...]:
        """What to judge for an answer, the documents first that matter most; none where there is an answer."""
        return self.tables["judgments"]

    def shares_judged(self) -> list[tuple[str, str, float | None]]:
        """The share of the documents of each run that was judged, of those that each measure looks at."""
        return [
            (run, row.measure, share)
            for row in self.measures()
            for run, share in ((self.baseline, row.judged_baseline), (self.candidate, row.judged_candidate))
        ]

    @property
    def ok(self) -> bool:
        """Whether the candidate may pass: it is *not worse*."""
        return self.answer == "not worse"

    @property
    def reason(self) -> str:
        """Why, for the measure or segment that decides."""
        failed = [row for row in self.segments() if row.failed]
        if self.answer == "worse" and failed and all(row.answer != "worse" for row in self.measures()):
            guard = failed[0]
            return (
                f"{guard.measure} {guard.difference:+.4f}{self._between(guard.low, guard.high)} in segment"
                f" {guard.segment}, which may lose {guard.limit:g}"
            )
        row = next(row for row in self.measures() if row.answer == self.answer)
        return f"{row.measure} {row.difference:+.4f}{self._between(row.low, row.high)}, margin {self.margin:g}"

    @staticmethod
    def _between(low: float | None, high: float | None) -> str:
        return "" if low is None or high is None else f" ({low:+.4f} to {high:+.4f})"

    def summary(self) -> str:
        """The answer in one line."""
        text = f"{self.answer}: {self.candidate} against {self.baseline}: {self.reason}"
        return text if self.chance is None else f"{text}; {self.what_next()}"

    def what_next(self) -> str:
        """What would decide, where it is undecided."""
        if self.needed is not None:
            of = "" if self.needed == self.unjudged else f" of {self.unjudged:,}"
            return f"judge {self.needed:,}{of} unjudged {'document' if self.needed == 1 else 'documents'}"
        if not self.unjudged:
            return "no judgment can decide it: it takes more topics, or a larger margin"
        return (
            f"judging all {counted(self.unjudged, 'unjudged document')} decides it with a chance of"
            f" {self.chance or 0.0:.0%}: it takes more topics, or a larger margin"
        )

    def to_json(self) -> str:
        """The JSON document described in the docs, with all tables."""
        names = ("answer", "baseline", "candidate", "margin", "segment_margin", "confidence", "draws", "holes")
        settings = {name: getattr(self, name) for name in (*names, "unjudged", "needed", "chance")}
        return self.provenance.document({"gate": settings, **self.tables_as_dicts()}, self.warnings)

    def __repr__(self) -> str:
        return visible(f"Gate: {self.summary()}")
