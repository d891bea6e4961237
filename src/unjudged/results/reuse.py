"""What ``reuse`` returns: how close methods come to the truth when judgments are taken away."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from unjudged.errors import InputError, Notice
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = ["AgreementRow", "CoverageRow", "CurveRow", "LeftOutRow", "MethodRow", "Reuse", "Row", "TargetRow"]


class AgreementRow(NamedTuple):
    """A degradation, a measure and a hole model: means over repetitions. ``truth`` is the measure compared with.

    Up to ``bias`` it is about the runs' means over topics: correlations are over all runs, errors over the ``runs``
    that have something to estimate, because they lost a judgment (over all, where none has). What starts with
    ``topic_`` is about single topics of runs that lost a judgment, and so are ``precision``, ``recall`` and ``f1`` of
    the order of runs. The last two are shares of pairs of runs. Where runs are left out, each run's estimate is that
    without it, and the rest is about such runs.
    """

    degradation: str
    measure: str
    holes: str
    truth: str
    judgments: float
    share: float
    repetitions: int
    runs: int
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

    ``nominal`` is what the range promises, 1 for bounds. ``pairs`` is how many ranges there were: of topics that lost a
    judgment, and of runs that did.
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

    Ranks are among all runs, all scored with the judgments that are left; means over repetitions. ``lost`` is the share
    of the run's first documents, as deep as the measure looks and the pool reached, whose judgment was taken away: the
    holes that methods were tried on. ``never_judged`` is the share of them that nobody ever judged.
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
    lost: float
    never_judged: float


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
    of them lose at most. Both are over the runs that methods were ``tried`` on: that lost a judgment, and at least half
    of whose documents were ever judged. All three are None where no run was left out.
    """

    truth: str
    measure: str
    holes: str
    recommended: bool
    tau_b: float | None
    rmse: float | None
    rank_error: float | None
    loss: float | None
    tried: int | None


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
    pool_depth: int | None
    """How deep the pool is as far as anybody looks, as was said or as it seems to be; None where nothing is known."""
    pool: str | None
    """The same in words, as in ``seems to be 7 deep (59 of 143 runs are judged so far down)``."""
    never_judged: str
    """What became of documents that nobody ever judged: ``removed`` from the runs, or ``nonrelevant`` in truth."""
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
        for row in self.correlations():
            if (row.degradation, row.measure, row.holes) == (degradation, measure, holes):
                return row
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
            "pool_depth": self.pool_depth,
            "never_judged": self.never_judged,
            "test": self.test,
            "correction": self.correction,
        }
        return self.provenance.document({"reuse": settings, **self.tables_as_dicts()}, self.warnings)

    def __repr__(self) -> str:
        what = f"{counted(self.judgments, 'judgment')} with {counted(self.runs, 'run')}"
        return visible(f"Reuse of {what}: {self.verdict}")
