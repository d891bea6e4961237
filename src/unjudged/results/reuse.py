"""What ``reuse`` returns: how close methods come to the truth when judgments are taken away."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from unjudged.errors import InputError, Notice
from unjudged.registry import name_among
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = ["AgreementRow", "CoverageRow", "CurveRow", "LeftOutRow", "MethodRow", "Reuse", "TargetRow"]


class AgreementRow(NamedTuple):
    """A degradation, a measure and a hole model: means over repetitions. ``truth`` is the measure compared with.

    Up to ``bias`` it is about the runs' means over topics. What starts with ``topic_`` is about single topics of runs
    that lost a judgment, and so are ``precision``, ``recall`` and ``f1`` of the order of runs. The last two are shares
    of pairs of runs. Where runs are left out, each run's estimate is that without it, and the rest is about such runs.
    """

    degradation: str
    measure: str
    holes: str
    truth: str
    judgments: float
    share: float
    repetitions: int
    tau_b: float | None
    tau_ap: float | None
    pearson: float | None
    rmse: float | None
    rmse_lower: float | None
    rmse_upper: float | None
    bias: float | None
    topic_rmse: float | None
    topic_rmse_lower: float | None
    topic_rmse_upper: float | None
    topic_bias: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    false_positives: float
    false_negatives: float


class CoverageRow(NamedTuple):
    """How often the truth is inside a hole model's range: of single ``topics``, or of ``means`` over topics.

    ``nominal`` is what the range promises, 1 for bounds. ``pairs`` is how many ranges there were.
    """

    degradation: str
    measure: str
    holes: str
    of: str
    nominal: float
    pairs: int
    inside: float
    below: float
    above: float
    width: float


class LeftOutRow(NamedTuple):
    """A run that is new to the pool, as a method sees it. ``change`` is the rank less the true one: above 0 is a loss.

    Ranks are among all runs, all scored with the judgments that are left; means over repetitions. ``known`` is the
    share of topics for which the truth is known; on the others the run keeps its score.
    """

    degradation: str
    left_out: str
    run: str
    measure: str
    holes: str
    truth: float
    estimate: float
    low: float | None
    high: float | None
    true_rank: float
    rank: float
    change: float
    known: float


class CurveRow(NamedTuple):
    """A statistic at one number of judgments, with a 95% interval: ``over`` repetitions, of their mean, or topics.

    The latter where nothing is drawn at random: the range of the statistic when topics are drawn anew.
    """

    family: str
    measure: str
    holes: str
    statistic: str
    degradation: str
    judgments: float
    share: float
    value: float
    low: float | None
    high: float | None
    over: str | None


class TargetRow(NamedTuple):
    """The fewest judgments from which on a statistic reaches a target; None where none that was tried does."""

    family: str
    measure: str
    holes: str
    statistic: str
    target: float
    degradation: str | None
    judgments: float | None
    share: float | None
    value: float | None


class MethodRow(NamedTuple):
    """How a method, a measure with a hole model, did on the whole, best first for each truth.

    ``rank_error`` is by how many ranks left-out runs are wrong, on average, and ``loss`` the number of ranks that 95%
    of them lose at most; None where none was left out. Runs whose truth is known for less than half of the topics do
    not count in these two.
    """

    truth: str
    measure: str
    holes: str
    recommended: bool
    tau_b: float | None
    rmse: float | None
    rank_error: float | None
    loss: float | None


Row = AgreementRow | CoverageRow | LeftOutRow | CurveRow | TargetRow | MethodRow


@dataclass(frozen=True, eq=False, repr=False)
class Reuse(Tabular):
    """Whether a collection can judge new systems, and which method to trust on it; see the rows for the columns."""

    row_types: ClassVar = {
        "methods": MethodRow,
        "correlations": AgreementRow,
        "coverage": CoverageRow,
        "leaveout": LeftOutRow,
        "curves": CurveRow,
        "targets": TargetRow,
    }
    main_table: ClassVar = "correlations"

    verdict: str
    rule: str
    """What the verdict and the recommendation follow from, in words."""
    runs: int
    topics: int
    judgments: int
    groups: int | None
    test: str
    correction: str
    tables: dict[str, tuple[Row, ...]]
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def tables_by_name(self) -> dict[str, tuple[Row, ...]]:
        """The rows of all tables."""
        return self.tables

    def methods(self) -> tuple[MethodRow, ...]:
        """One row per method, best first."""
        return self.tables["methods"]  # type: ignore[return-value]

    def correlations(self) -> tuple[AgreementRow, ...]:
        """One row per degradation and method."""
        return self.tables["correlations"]  # type: ignore[return-value]

    def coverage(self) -> tuple[CoverageRow, ...]:
        """One row per degradation and method that gives ranges."""
        return self.tables["coverage"]  # type: ignore[return-value]

    def leaveout(self) -> tuple[LeftOutRow, ...]:
        """One row per run that was left out, and method."""
        return self.tables["leaveout"]  # type: ignore[return-value]

    def curves(self) -> tuple[CurveRow, ...]:
        """One row per statistic, method and number of judgments."""
        return self.tables["curves"]  # type: ignore[return-value]

    def targets(self) -> tuple[TargetRow, ...]:
        """One row per target and method."""
        return self.tables["targets"]  # type: ignore[return-value]

    def correlation(self, degradation: str, measure: str, holes: str = "nonrelevant") -> AgreementRow:
        """The row of one degradation and method."""
        rows = self.correlations()
        for column, given in (("degradation", degradation), ("measure", measure), ("holes", holes)):
            name = name_among({getattr(row, column) for row in rows}, given)
            rows = tuple(row for row in rows if getattr(row, column) == name)
        if rows:
            return rows[0]
        raise InputError(f"no row for {degradation}, {measure} and {holes}")

    def to_json(self) -> str:
        """The JSON document described in the docs, with all tables."""
        settings = {
            "verdict": self.verdict,
            "rule": self.rule,
            "runs": self.runs,
            "topics": self.topics,
            "judgments": self.judgments,
            "groups": self.groups,
            "test": self.test,
            "correction": self.correction,
        }
        return self.provenance.document({"reuse": settings, **self.tables_as_dicts()}, self.warnings)

    def __repr__(self) -> str:
        what = f"{counted(self.judgments, 'judgment')} with {counted(self.runs, 'run')}"
        return visible(f"Reuse of {what}: {self.verdict}")
