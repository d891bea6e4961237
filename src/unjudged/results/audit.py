"""What ``unjudged audit`` found: judgments that are probably wrong, the worst first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from unjudged.errors import Notice
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = ["AssessorRow", "Audit", "DuplicateRow", "PlantedRow", "SuspectRow", "UnfoundRow"]


class SuspectRow(NamedTuple):
    """A judgment, and what all that is known beside it says.

    ``likely`` is the other grade that is likeliest, ``probability`` that of the ``grade`` given, and ``factor`` how
    much likelier this grade is from somebody who did not look at the document. ``wrong`` is the chance that it is so
    and wrong. ``groups`` have the document, at best at ``best_rank``; None without runs, or where no run has it.
    ``labels`` are those of other judges. With runs: ``change`` is the largest difference of a mean score (of
    ``changed_run``) if the grade becomes the likely one, and ``swaps`` how many pairs of runs change places.
    """

    topic: str
    doc: str
    grade: int
    likely: int
    probability: float
    factor: float
    wrong: float
    groups: int | None
    best_rank: int | None
    labels: str | None
    change: float | None
    changed_run: str | None
    swaps: int | None


class PlantedRow(NamedTuple):
    """Who looks at the worst ``checked`` judgments (``share`` of all) finds this share of grades given blindly.

    ``found`` of all wrong ones, ``too_high`` and ``too_low`` of those whose grade is above or below the right one; and
    how many of those looked at are ``wrong`` (expected, if ``error_rate`` of all judgments are blind).
    """

    checked: int
    share: float
    found: float
    too_high: float | None
    too_low: float | None
    wrong: float


class UnfoundRow(NamedTuple):
    """A document judged relevant that no run has; ``factor`` as in :class:`SuspectRow`."""

    topic: str
    doc: str
    grade: int
    probability: float
    factor: float


class DuplicateRow(NamedTuple):
    """Two documents of a topic that have this ``share`` of their words in common, and different grades.

    ``doc`` is the one whose grade the evidence supports less (``factor``); ``change`` and ``swaps`` as in
    :class:`SuspectRow`, if it gets the grade of the other.
    """

    topic: str
    doc: str
    grade: int
    other: str
    other_grade: int
    share: float
    factor: float
    change: float | None
    changed_run: str | None
    swaps: int | None


class AssessorRow(NamedTuple):
    """The grades of an assessor beside those that one expects of the same documents by judgments of other topics.

    ``bias`` is how much further the grades are above what is expected than the median of others' on the same topics,
    from ``low`` to ``high`` (95%, t-test over topics); where nobody else judged these topics, than on the topics of
    others (Mann and Whitney's test, no interval). None with a single topic. Whoever is significantly different is not
    among the others that the rest is compared with. ``suspects`` are judgments among the worst that are listed.
    """

    assessor: str
    topics: int
    judgments: int
    grade: float
    expected: float
    bias: float
    low: float | None
    high: float | None
    p: float | None
    corrected_p: float | None
    suspects: int


Row = SuspectRow | PlantedRow | UnfoundRow | DuplicateRow | AssessorRow


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Tabular):
    """Judgments that are probably wrong, the worst first; see the rows for the columns."""

    row_types: ClassVar = {
        "suspects": SuspectRow,
        "planted": PlantedRow,
        "unfound": UnfoundRow,
        "duplicates": DuplicateRow,
        "assessors": AssessorRow,
    }
    main_table: ClassVar = "suspects"

    measure: str
    judgments: int
    evidence: tuple[str, ...]
    """What judgments were compared with: ``runs``, ``texts``, and names of judges."""
    most_blind: float
    """The largest share of blind judgments that is compatible with what is there (95%)."""
    error_rate: float
    """The share that chances are for."""
    tables: dict[str, tuple[Row, ...]]
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def tables_by_name(self) -> dict[str, tuple[Row, ...]]:
        """The rows of all tables."""
        return self.tables

    def suspects(self) -> tuple[SuspectRow, ...]:
        """The judgments that are most probably wrong, the worst first."""
        return self.tables["suspects"]  # type: ignore[return-value]

    def planted(self) -> tuple[PlantedRow, ...]:
        """How many blind judgments one finds who looks at so many of the worst."""
        return self.tables["planted"]  # type: ignore[return-value]

    def unfound(self) -> tuple[UnfoundRow, ...]:
        """All documents judged relevant that no run has, the least probable first; empty without runs."""
        return self.tables["unfound"]  # type: ignore[return-value]

    def duplicates(self) -> tuple[DuplicateRow, ...]:
        """All near-duplicates of a topic with different grades, the least probable first; empty without texts."""
        return self.tables["duplicates"]  # type: ignore[return-value]

    def assessors(self) -> tuple[AssessorRow, ...]:
        """One row per assessor, where assessors are given, the smallest p-value first."""
        return self.tables["assessors"]  # type: ignore[return-value]

    def summary(self) -> str:
        """What can be said in a sentence or two."""
        found = min(self.planted(), key=lambda row: abs(row.share - 0.05))
        return (
            f"At most {self.most_blind:.1%} of {counted(self.judgments, 'judgment')} can have been made without looking"
            f" (95%). The worst {found.checked:,} have {found.found:.0%} of such that are wrong."
        )

    def to_json(self) -> str:
        """The JSON document described in the docs, with all tables."""
        names = ("measure", "judgments", "evidence", "most_blind", "error_rate")
        settings = {name: getattr(self, name) for name in names}
        return self.provenance.document({"audit": settings, **self.tables_as_dicts()}, self.warnings)

    def __repr__(self) -> str:
        return visible(f"Audit: {counted(self.judgments, 'judgment')}. {self.summary()}")
