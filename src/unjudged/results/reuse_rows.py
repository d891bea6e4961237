"""The rows of the tables of ``reuse``. In all of them, ``truth`` is the measure that a method is compared with."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "AgreementRow",
    "BandRow",
    "CoverageRow",
    "CurveRow",
    "DifferenceRow",
    "GradeRow",
    "MethodRow",
    "OrderRow",
    "RepetitionRow",
    "RunRow",
    "StrategyRow",
    "TargetRow",
]


class AgreementRow(NamedTuple):
    """A degradation, a measure and a hole model: means over repetitions.

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
    tau_a: float | None
    tau_ap: float | None
    spearman: float | None
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
    judgment, and of runs that did. The ends' RMSE is that of ends taken for estimates, and what is ``outside`` of it is
    due to ends that the truth is beyond.
    """

    degradation: str
    measure: str
    holes: str
    truth: str
    of: str
    nominal: float
    pairs: int
    inside: float
    below: float
    above: float
    width: float
    low_rmse: float
    high_rmse: float
    low_outside: float
    high_outside: float


class RunRow(NamedTuple):
    """A run as a method sees it: means over repetitions. ``left_out`` is the group, or run, without which it was.

    ``low`` and ``high`` are ends of what the mean may be, ``topics_low`` and ``topics_high`` the means of the ends of
    single topics, which errors of topics that cancel do not narrow. Ranks are among all runs, all scored with the
    judgments that are left; ``change`` is the rank less the true one: above 0 is a loss. ``lost`` is the share of the
    run's first documents, as deep as the measure looks and the pool reached, whose judgment was taken away: the holes
    that methods were tried on. ``never_judged`` is the share of them that nobody ever judged.
    """

    degradation: str
    left_out: str | None
    run: str
    measure: str
    holes: str
    truth: str
    true_score: float
    estimate: float
    low: float | None
    high: float | None
    topics_low: float | None
    topics_high: float | None
    true_rank: float
    rank: float
    change: float
    lost: float
    never_judged: float


class OrderRow(NamedTuple):
    """How much of the order of runs is found, topic by topic: each run that lost a judgment among the true scores.

    What stands for it is its ``estimate``, the ``range`` of the hole model, or the range ``from lowest``: from the
    score with unjudged documents as not relevant to the upper end of the model's range, or to the estimate where there
    is none. ``ties`` say that ``neither`` of two is better, or the ``first`` (see ``uncertainty.preferences``).
    """

    degradation: str
    measure: str
    holes: str
    truth: str
    of: str
    ties: str
    precision: float | None
    recall: float | None
    f1: float | None


class DifferenceRow(NamedTuple):
    """Two methods topic by topic: the first one's statistic less the other's, on average, and whether that is luck.

    The ``statistic`` is the squared ``error`` over runs that lost a judgment, or ``f1`` of the order by estimates.
    """

    degradation: str
    measure: str
    holes: str
    other_measure: str
    other_holes: str
    truth: str
    statistic: str
    topics: int
    difference: float
    p: float
    corrected_p: float


class RepetitionRow(NamedTuple):
    """How one draw of what is drawn at random came out, so that methods can be compared draw by draw.

    Numbers are as in :class:`AgreementRow`.
    """

    degradation: str
    measure: str
    holes: str
    truth: str
    repetition: int
    tau_b: float | None
    tau_a: float
    tau_ap: float
    spearman: float | None
    pearson: float | None
    rmse: float
    bias: float


class GradeRow(NamedTuple):
    """What share of the judgments that are ``left``, and of those that are ``lost``, have a grade; means over cases."""

    degradation: str
    grade: int
    left: float | None
    lost: float | None


class BandRow(NamedTuple):
    """A run over the topics of which a certain share of what the measure reads was unjudged, such as ``25% to 50%``.

    Means over the topics that the run has; ``low`` and ``high`` are means of the ends of single topics.
    """

    band: str
    run: str
    measure: str
    holes: str
    truth: str
    topics: int
    unjudged: float | None
    true_score: float | None
    estimate: float | None
    low: float | None
    high: float | None


class CurveRow(NamedTuple):
    """A statistic at one number of judgments, with a 95% interval: ``over`` repetitions, of their mean, or topics.

    The latter where nothing is drawn at random: the range of the statistic when topics are drawn anew.
    """

    family: str
    measure: str
    holes: str
    truth: str
    statistic: str
    degradation: str
    judgments: float
    share: float
    value: float
    low: float | None
    high: float | None
    over: str | None


class StrategyRow(NamedTuple):
    """What a strategy has found when so many judgments were made in its order, and how a method scores with them.

    Means over repetitions, where it draws at random. ``recall`` is the share of the relevant documents that are judged.
    Correlations and errors are as in :class:`AgreementRow`. ``significant_kept`` is the share of the significant
    differences that are found, ``significant_false`` the share of what is found that is none. ``recommended`` is the
    best strategy for a method, and ``sample`` one that is not compared.
    """

    strategy: str
    measure: str
    holes: str
    truth: str
    judgments: float
    per_topic: float
    share: float
    recall: float | None
    tau_b: float | None
    tau_ap: float | None
    rmse: float | None
    bias: float | None
    significant_kept: float | None
    significant_false: float | None
    sample: bool
    recommended: bool


class TargetRow(NamedTuple):
    """The fewest judgments from which on a statistic reaches a target; None where none that was tried does."""

    family: str
    measure: str
    holes: str
    truth: str
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
