"""What ``reuse`` returns: how close methods come to the truth when judgments are taken away."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from unjudged.errors import InputError, Notice
from unjudged.registry import name_among
from unjudged.results.provenance import Provenance
from unjudged.results.reuse_rows import (
    AgreementRow,
    BandRow,
    CoverageRow,
    CurveRow,
    DifferenceRow,
    GradeRow,
    MethodRow,
    OrderRow,
    RepetitionRow,
    RunRow,
    StrategyRow,
    TargetRow,
)
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = ["Reuse", "ReuseTables"]


class ReuseTables(NamedTuple):
    """The rows of each table; what the columns mean is said at their classes."""

    methods: tuple[MethodRow, ...]
    """All methods, best first."""
    correlations: tuple[AgreementRow, ...]
    """One row per degradation and method."""
    coverage: tuple[CoverageRow, ...]
    """One row per degradation and method that gives ranges."""
    runs: tuple[RunRow, ...]
    """One row per degradation, method and run."""
    orders: tuple[OrderRow, ...]
    """One row per degradation, method and what stands for a run."""
    differences: tuple[DifferenceRow, ...]
    """One row per degradation and pair of methods."""
    repetitions: tuple[RepetitionRow, ...]
    """One row per method and draw, where something is drawn at random."""
    grades: tuple[GradeRow, ...]
    """One row per degradation and grade."""
    bands: tuple[BandRow, ...]
    """One row per run, band of topics and method."""
    curves: tuple[CurveRow, ...]
    """One row per statistic, method and number of judgments."""
    strategies: tuple[StrategyRow, ...]
    """One row per strategy, method and budget."""
    targets: tuple[TargetRow, ...]
    """One row per target and method."""


@dataclass(frozen=True, eq=False, repr=False)
class Reuse(Tabular):
    """Whether a collection can judge new systems, and which method to trust on it; see the rows for the columns."""

    row_types: ClassVar = {
        "methods": MethodRow,
        "correlations": AgreementRow,
        "coverage": CoverageRow,
        "runs": RunRow,
        "orders": OrderRow,
        "differences": DifferenceRow,
        "repetitions": RepetitionRow,
        "grades": GradeRow,
        "bands": BandRow,
        "curves": CurveRow,
        "strategies": StrategyRow,
        "targets": TargetRow,
    }
    main_table: ClassVar = "correlations"

    verdict: str
    rule: str
    """What the verdict and the recommendation follow from, in words."""
    runs: int
    """Runs that are scored."""
    topics: int
    judgments: int
    groups: int | None
    pool_depth: int | None
    """How deep the pool is as far as anybody looks, as was said or as it seems to be; None where nothing is known."""
    pool: str | None
    """The same in words, as in ``seems to be 7 deep (59 of 143 runs are judged so far down)``."""
    never_judged: str
    """What became of documents that nobody ever judged: ``removed`` from the runs, or ``nonrelevant`` in truth."""
    truth_qrels: str | None
    """The later judgments that are the truth; None where the truth is all judgments of the collection."""
    test: str
    correction: str
    tables: ReuseTables
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def tables_by_name(self) -> dict[str, tuple[NamedTuple, ...]]:
        """The rows of all tables."""
        return self.tables._asdict()

    def methods(self) -> tuple[MethodRow, ...]:
        """One row per method, best first."""
        return self.tables.methods

    def correlations(self) -> tuple[AgreementRow, ...]:
        """One row per degradation and method."""
        return self.tables.correlations

    def coverage(self) -> tuple[CoverageRow, ...]:
        """One row per degradation and method that gives ranges."""
        return self.tables.coverage

    def leaveout(self) -> tuple[RunRow, ...]:
        """One row per run that was left out, and method."""
        return tuple(row for row in self.tables.runs if row.left_out)

    def curves(self) -> tuple[CurveRow, ...]:
        """One row per statistic, method and number of judgments."""
        return self.tables.curves

    def families_with_curves(self) -> tuple[str, ...]:
        """Ways to take judgments away of which several amounts were tried, so that there is a curve to draw."""
        amounts: dict[str, set[float]] = {}
        for row in self.tables.curves:
            amounts.setdefault(row.family, set()).add(row.share)
        return tuple(family for family, shares in amounts.items() if len(shares) > 1)

    def strategies(self) -> tuple[StrategyRow, ...]:
        """One row per strategy, method and budget."""
        return self.tables.strategies

    def targets(self) -> tuple[TargetRow, ...]:
        """One row per target and method."""
        return self.tables.targets

    def correlation(
        self, degradation: str, measure: str, holes: str = "nonrelevant", truth: str | None = None
    ) -> AgreementRow:
        """The row of one degradation and method, compared with a *truth*; the first unless given.

        ``LeaveOutGroup`` stands for it at whatever depth it was done.
        """
        rows = self.correlations()
        done = list(dict.fromkeys(row.degradation for row in rows))
        at_a_depth = next((one for one in done if one.startswith(f"{degradation}(")), degradation)
        asked = {"degradation": degradation if degradation in done else at_a_depth, "measure": measure, "holes": holes}
        for column, given in (asked if truth is None else asked | {"truth": truth}).items():
            name = name_among({getattr(row, column) for row in rows}, given)
            rows = tuple(row for row in rows if getattr(row, column) == name)
        if rows:
            return rows[0]
        raise InputError(f"no row for {degradation}, {measure} and {holes}")

    def to_json(self) -> str:
        """The JSON document described in the docs, with all tables."""
        names = ("verdict", "rule", "runs", "topics", "judgments", "groups", "pool_depth", "never_judged")
        settings = {name: getattr(self, name) for name in (*names, "truth_qrels", "test", "correction")}
        return self.provenance.document({"reuse": settings, **self.tables_as_dicts()}, self.warnings)

    def __repr__(self) -> str:
        what = f"{counted(self.judgments, 'judgment')} with {counted(self.runs, 'run')}"
        return visible(f"Reuse of {what}: {self.verdict}")
