"""What ``judges`` returns: how far label sources can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from unjudged.errors import InputError, Notice
from unjudged.registry import name_among
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = [
    "ConfusionRow",
    "FavourRow",
    "GradeRow",
    "JudgePairRow",
    "JudgeRow",
    "JudgeRunRow",
    "JudgeTopicRow",
    "Judges",
    "OrderRow",
    "TargetRow",
]

HUMAN = "people"
"""What tables of pairs of judges call the judgments."""


class JudgeRow(NamedTuple):
    """A judge beside people, over the ``pairs`` of topic and document that both graded.

    ``reason`` says what of the rule the verdict follows from. ``coverage`` is the share of the judgments that has a
    label, ``beyond`` the number of labels for what nobody judged.
    ``bias`` is label less grade, on average. ``association`` is a standard normal number if labels were shuffled within
    topics. ``odd`` says what the labels are instead of grades, and ``copy_of`` whose labels they follow from.
    """

    judge: str
    verdict: str
    labels: int
    beyond: int
    pairs: int
    coverage: float
    exact: float | None
    within_one: float | None
    kappa: float | None
    weighted_kappa: float | None
    alpha_nominal: float | None
    alpha_ordinal: float | None
    bias: float | None
    association: float | None
    reason: str | None
    odd: str | None
    copy_of: str | None
    model: str | None
    prompt: str | None
    first: str | None
    last: str | None
    hashed: int
    source: str


class ConfusionRow(NamedTuple):
    """How many ``pairs`` have a label and a grade; ``share`` is that of the pairs with this label."""

    judge: str
    label: float
    grade: float
    pairs: int
    share: float


class JudgeTopicRow(NamedTuple):
    """A judge on one topic."""

    judge: str
    topic: str
    pairs: int
    exact: float | None
    within_one: float | None
    kappa: float | None
    weighted_kappa: float | None
    bias: float | None


class GradeRow(NamedTuple):
    """What a judge says where people gave one grade."""

    judge: str
    grade: float
    pairs: int
    label: float
    exact: float
    within_one: float
    bias: float


class JudgePairRow(NamedTuple):
    """Two judges, or a judge and ``people``, over the pairs that both graded."""

    judge: str
    other: str
    pairs: int
    exact: float | None
    kappa: float | None
    weighted_kappa: float | None
    alpha_ordinal: float | None
    bias: float | None


class OrderRow(NamedTuple):
    """The order of runs by labels alone beside that by judgments, over ``topics`` that have labels.

    ``bias`` is the mean score by labels less that by judgments. ``top`` is the share of the best ``depth`` runs that
    are the same. Of all ``run_pairs``, ``significant`` are so under judgments, ``missed`` of these are not so under
    labels (or the other way round), and ``false`` are under labels only (or the other way round).
    """

    judge: str
    topics: int
    runs: int
    tau_b: float | None
    tau_ap: float | None
    top: float
    depth: int
    rmse: float
    bias: float
    run_pairs: int
    significant: int
    missed: int
    false: int
    favoured: int
    """Groups, or runs where there are none, that the judge favours (significantly, after the correction)."""


class JudgeRunRow(NamedTuple):
    """A run by judgments (``human``) and by labels alone (``machine``).

    ``favour`` is how much more the labels give it than they give others of its human score, with p-values over topics.
    """

    judge: str
    run: str
    group: str | None
    human: float
    machine: float
    rank: int
    machine_rank: int
    favour: float
    p: float
    corrected_p: float


class FavourRow(NamedTuple):
    """The runs of one group, as ``favour`` of a run. Above 0, and significant: perhaps the judge is of their kind."""

    judge: str
    group: str
    runs: int
    favour: float
    p: float
    corrected_p: float


class TargetRow(NamedTuple):
    """The fewest ``topics`` that people must judge for a 95% interval of this width: of ``means``, or ``differences``.

    Labels of as many topics as one likes are beside them; ``without`` is the number of topics without labels. All are
    None beyond a million. ``judgments`` is for topics with as many judgments as now, and ``weight`` is lambda.

    ``pairs`` is the number of pairs of topic and document that people must judge instead, drawn at random from all that
    are labelled on these topics, and ``pairs_without`` that without labels; None for measures that a sample of
    documents gives no interval of.
    """

    judge: str
    of: str
    width: float
    topics: int | None
    judgments: int | None
    without: int | None
    pairs: int | None
    pairs_without: int | None
    weight: float


Row = TargetRow | JudgeRow | ConfusionRow | JudgeTopicRow | GradeRow | JudgePairRow | OrderRow | JudgeRunRow | FavourRow


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Tabular):
    """How far label sources agree with people, and with each other; see the rows for the columns."""

    row_types: ClassVar = {
        "judges": JudgeRow,
        "confusion": ConfusionRow,
        "topics": JudgeTopicRow,
        "grades": GradeRow,
        "pairs": JudgePairRow,
        "orders": OrderRow,
        "runs": JudgeRunRow,
        "groups": FavourRow,
        "targets": TargetRow,
    }
    main_table: ClassVar = "judges"

    measure: str
    test: str
    correction: str
    judgments: int
    topics_count: int
    alpha_nominal: float | None
    """Krippendorff's alpha of all judges together, people included."""
    alpha_ordinal: float | None
    alpha_of_judges: float | None
    """The ordinal one without people; None with one judge."""
    rule: str
    """What verdicts follow from, in words."""
    tables: dict[str, tuple[Row, ...]]
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def tables_by_name(self) -> dict[str, tuple[Row, ...]]:
        """The rows of all tables."""
        return self.tables

    def judges(self) -> tuple[JudgeRow, ...]:
        """One row per judge, in the order in which they were given."""
        return self.tables["judges"]  # type: ignore[return-value]

    def confusion(self) -> tuple[ConfusionRow, ...]:
        """One row per judge, label and grade that occur together."""
        return self.tables["confusion"]  # type: ignore[return-value]

    def topics(self) -> tuple[JudgeTopicRow, ...]:
        """One row per judge and topic."""
        return self.tables["topics"]  # type: ignore[return-value]

    def grades(self) -> tuple[GradeRow, ...]:
        """One row per judge and human grade."""
        return self.tables["grades"]  # type: ignore[return-value]

    def pairs(self) -> tuple[JudgePairRow, ...]:
        """One row per pair of judges, people among them."""
        return self.tables["pairs"]  # type: ignore[return-value]

    def orders(self) -> tuple[OrderRow, ...]:
        """One row per judge, where there are runs."""
        return self.tables["orders"]  # type: ignore[return-value]

    def runs(self) -> tuple[JudgeRunRow, ...]:
        """One row per judge and run."""
        return self.tables["runs"]  # type: ignore[return-value]

    def groups(self) -> tuple[FavourRow, ...]:
        """One row per judge and group of runs, where groups are given."""
        return self.tables["groups"]  # type: ignore[return-value]

    def targets(self) -> tuple[TargetRow, ...]:
        """One row per judge, target and kind of interval."""
        return self.tables["targets"]  # type: ignore[return-value]

    def judge(self, name: str) -> JudgeRow:
        """The row of one judge."""
        names = {row.judge for row in self.judges()}
        if name not in names:
            raise InputError(f"no judge is named {name_among(names, name)!r}")
        return next(row for row in self.judges() if row.judge == name)

    def summary(self) -> str:
        """What can be said in a sentence or two."""
        verdicts = [f"{row.judge}: {row.verdict}" for row in self.judges()]
        return "; ".join(verdicts[:5]) + (f"; and {len(verdicts) - 5:,} more" if len(verdicts) > 5 else "") + "."

    def to_json(self) -> str:
        """The JSON document described in the docs, with all tables."""
        alphas = ("alpha_nominal", "alpha_ordinal", "alpha_of_judges")
        names = ("measure", "test", "correction", "judgments", *alphas, "rule")
        settings = {name: getattr(self, name) for name in names}
        settings["topics"] = self.topics_count
        return self.provenance.document({"agreement": settings, **self.tables_as_dicts()}, self.warnings)

    def __repr__(self) -> str:
        what = f"{counted(len(self.judges()), 'judge')} beside {counted(self.judgments, 'judgment')}"
        return visible(f"Judges: {what}. {self.summary()}")
