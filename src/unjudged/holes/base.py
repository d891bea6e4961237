"""What a hole model is: a belief about the documents nobody judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels
from unjudged.data.view import View
from unjudged.errors import InputError, Notice
from unjudged.holes.index import MODULES
from unjudged.limits import JointPrior, RangeOfMeans
from unjudged.measures.base import Measure
from unjudged.registry import Registry
from unjudged.spec import Spec

if TYPE_CHECKING:
    from unjudged.data.run_occurrences import OccurrencesInRuns
    from unjudged.holes.imputation.grade_source import LearnedFromRuns
    from unjudged.results.distributions import Distribution
    from unjudged.results.scores import HoleRow

__all__ = [
    "DRAWS",
    "Estimate",
    "ExplainingModel",
    "HoleModel",
    "JointDraws",
    "PreparedHoleModel",
    "Settings",
    "files_of",
    "hole_models",
    "usual_model",
]


hole_models: Registry[HoleModel] = Registry(
    "hole model",
    "`unjudged score --help` lists them",
    example="bounds or bootstrap(prior=pool,draws=500)",
    package="unjudged.holes",
    index=MODULES,
)


DRAWS = 1000
"""Draws of grades unless the user says how many."""


class JointDraws(NamedTuple):
    """How one grade is drawn for each hole of several runs, the same for all that return the document."""

    prior: JointPrior
    draws: int
    learn: Callable[[Qrels, OccurrencesInRuns], LearnedFromRuns] | None = None
    """What runs say about holes, for models that learn from them."""


@dataclass(frozen=True)
class Settings:
    """What the user sets for a whole study, not for one model."""

    seed: int = 42
    quantiles: tuple[float, float] = (0.05, 0.95)
    """Quantiles that ``low`` and ``high`` are, or that have as much between them (:meth:`HoleModel.interval`)."""

    @property
    def level(self) -> float:
        """The share between the quantiles, which intervals promise."""
        return round(self.quantiles[1] - self.quantiles[0], 12)

    def holding(self, share: float) -> Settings:
        """The same with intervals that hold another share; what they leave out is split between both sides as here."""
        low, high = self.quantiles
        less = (1.0 - share) / (1.0 - self.level) if self.level < 1.0 else 0.0
        return replace(self, quantiles=(low * less, 1.0 - (1.0 - high) * less))


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a model says about one measure: a value per ranking and, where it has them, bounds and distributions.

    ``draws`` (rankings, draws) are aligned over rankings: the mean of a column is one possible mean score. Models that
    use another judge's labels say for which share of the documents that the measure looks at (``labelled``), and what
    the score would be if those documents had grade 0, all else being the same (``without_labels``).
    """

    value: Floats
    low: Floats | None = None
    high: Floats | None = None
    draws: Floats | None = None
    distributions: tuple[Distribution, ...] | None = None
    labelled: Floats | None = None
    without_labels: Floats | None = None


class PreparedHoleModel(Protocol):
    """A hole model that is ready for certain judgments: what the engine works with."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user should know about what was read."""

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking as this model sees it."""


class ExplainingModel(PreparedHoleModel, Protocol):
    """One that can also say what its scores rest on."""

    def explain(self, run: str, measure: Measure, view: View, settings: Settings) -> list[HoleRow]:
        """What it knows about each hole of a run's rankings."""


class HoleModel(Spec):
    """A belief about unjudged documents, from which any measure gets an estimate.

    A subclass with a ``name`` is registered by being defined. It either fills the view once (:meth:`fill`), or gives
    its own :meth:`estimate`.
    """

    registry = hole_models
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    topic_by_topic: ClassVar[bool] = False
    """Whether what it says of a topic follows from its ranking alone, without draws: topics may come in any order."""
    looks_below: ClassVar[bool] = False
    """Whether documents below a measure's cut-off matter to it."""
    takes_as_nonrelevant: ClassVar[bool] = False
    """Whether unjudged documents are simply not relevant to it, so that estimates are the measures' own scores."""
    only_fills: ClassVar[bool] = False
    """Whether its estimates are the measures' scores of the views that it fills, and nothing else."""
    only_bounds: ClassVar[bool] = False
    """Whether all that it adds is bounds: unless asked for a bound, its values are those with unjudged documents as not
    relevant."""
    notices: ClassVar[tuple[Notice, ...]] = ()

    @property
    def learns_from_runs(self) -> bool:
        """Whether it wants to know where all runs of the study have documents; then it is asked to :meth:`learn`."""
        return False

    @property
    def learns_from_features(self) -> bool:
        """Whether it also learns what the user's own numbers of documents are worth."""
        return False

    @property
    def draws(self) -> int:
        """How many scores it draws for each ranking; 0 where it says what it knows without drawing."""
        return 0

    @property
    def range_of_means(self) -> RangeOfMeans:
        """What it says a mean over topics lies between, where it says so; docs/holes.md says how often that holds."""
        return "bounds"

    def described(self) -> str:
        """What it does with these parameters, in a few words; the title, unless parameters change what that says."""
        return self.title

    def files(self) -> tuple[str, ...]:
        """The files it reads."""
        return ()

    def check(self, measure: Measure) -> None:
        """Raise an error where the model has nothing to say about a measure; a study asks before any work starts."""

    def suits(self, measure: Measure) -> bool:
        """Whether it has something to say about a measure."""
        try:
            self.check(measure)
        except InputError:
            return False
        return True

    def prepare(self, qrels: Qrels) -> PreparedHoleModel:
        """What to use with these judgments: itself, unless it has something to read or to compute first.

        A study asks once, before it scores any run.
        """
        return self

    def learn(self, qrels: Qrels, occurrences: OccurrencesInRuns | None) -> PreparedHoleModel:
        """The same, with where the study's runs have documents, for those that learn from runs."""
        return self.prepare(qrels)

    def joint_draws(self) -> JointDraws | None:
        """How it draws grades for several runs at once; None where it has no draws that all runs share."""
        return None

    def fill(self, view: View) -> View:
        """The view as this model sees it."""
        raise TypeError(f"{type(self).__name__} does not say how it fills a view")

    @property
    def explains(self) -> bool:
        """Whether it can explain what its scores rest on; what it prepares is an :class:`ExplainingModel`."""
        return False

    def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
        """Score of each ranking as this model sees it."""
        return Estimate(measure.score(self.fill(view)))

    def interval(self, values: Floats, weights: Floats | None, settings: Settings) -> Floats:
        """Between what the scores of each row lie, shape (rows, 2), for models that have a distribution."""
        from unjudged.results.distributions import quantiles  # which most models have no use for

        return quantiles(values, weights, settings.quantiles)


def files_of(holes: Iterable[HoleModel]) -> list[str]:
    """The files that hole models read."""
    return [path for model in holes for path in model.files()]


def usual_model(measures: Sequence[Measure], *, evidence: bool, sampled: bool = False) -> HoleModel:
    """The first model of those below that has something to say about all of the measures.

    What other runs say, where there is *evidence*; else what a run's own judged documents say, unless those are a
    *sample*, in which holes are no less relevant than judged documents; else the bootstrap.
    """
    names = ["evidence"] * evidence + ["discounted"] * (not sampled) + ["bootstrap"]
    return next(model for model in map(hole_models.parse, names) if all(map(model.suits, measures)))
