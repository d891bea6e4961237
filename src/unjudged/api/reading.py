"""What people call measures, hole models and the like, made into what studies take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from unjudged.errors import InputError
from unjudged.holes import HoleModel, hole_models
from unjudged.io.reading import RunSource, expand_runs, is_run_path
from unjudged.measures import Measure
from unjudged.measures import measures as registered
from unjudged.measures.requested import parse_measures
from unjudged.spec import Spec

if TYPE_CHECKING:
    from unjudged.engine.numerics.fusion import Fusion
    from unjudged.simulate import Degradation
    from unjudged.strategies import Strategy
    from unjudged.uncertainty import CorpusBootstrap

__all__ = [
    "DegradationLike",
    "FusionLike",
    "HoleLike",
    "MeasureLike",
    "StrategyLike",
    "read_corpus",
    "read_degradations",
    "read_holes",
    "read_holes_or_auto",
    "read_interval",
    "read_measure",
    "read_measures",
    "read_numbers",
    "read_prior_runs",
    "read_strategies",
]

MeasureLike = str | Measure | type[Measure]
HoleLike = str | HoleModel | type[HoleModel]
DegradationLike: TypeAlias = "str | Degradation | type[Degradation]"
StrategyLike: TypeAlias = "str | Strategy | type[Strategy]"
FusionLike: TypeAlias = "str | Fusion | type[Fusion]"


S = TypeVar("S", bound=Spec)

AUTO = "auto"
"""What stands for the hole models that a study chooses itself."""


def _distinct(given: Any, kind: type[S], read: Callable[[Any], Iterable[S]]) -> list[S]:
    """What one thing of a *kind*, or several, stand for; each once."""
    out: list[S] = []
    # What is neither is refused by those who read it.
    for one in given if isinstance(given, Iterable) and not isinstance(given, str | type | kind) else [given]:
        out += [spec for spec in read(one) if spec not in out]
    return out


def read_measures(measures: MeasureLike | Iterable[MeasureLike]) -> list[Measure]:
    """Measures from names (``"nDCG@10"``, ``"ndcg_cut_10"``, ``"official"``), classes or values (``nDCG @ 10``)."""
    return _distinct(
        measures,
        Measure,
        lambda one: parse_measures(one) if isinstance(one, str) else [registered.choose(one).complete()],
    )


def read_measure(measure: MeasureLike) -> Measure:
    """A single measure, for what looks at one at a time."""
    chosen = read_measures(measure)
    if len(chosen) != 1:
        raise InputError(f"{measure!r} stands for {len(chosen)} measures; name one, such as nDCG@10")
    return chosen[0]


def read_holes(holes: HoleLike | Iterable[HoleLike]) -> list[HoleModel]:
    """Hole models from names (``"condensed"``), classes or values."""
    return _distinct(holes, HoleModel, lambda one: [hole_models.choose(one)])


def read_holes_or_auto(holes: HoleLike | Iterable[HoleLike]) -> list[HoleModel] | None:
    """The same; None for ``"auto"``, which leaves it to the study, and stands alone."""
    named = [holes] if isinstance(holes, str) or not isinstance(holes, Iterable) else list(holes)
    if AUTO not in named:
        return read_holes(named)
    if len(named) > 1:
        others = ", ".join(str(one) for one in named if one != AUTO)
        raise InputError(f"{AUTO} chooses hole models itself; leave it out to ask for {others or 'it once'}")
    return None


def read_degradations(degrade: DegradationLike | Iterable[DegradationLike]) -> list[Degradation]:
    """Degradations from names (``"DepthCut(4,8)"`` stands for two), classes or values."""
    from unjudged.simulate import Degradation, degradations, parse_degradations

    return _distinct(
        degrade,
        Degradation,
        lambda one: parse_degradations(one) if isinstance(one, str) else [degradations.choose(one)],
    )


def read_strategies(strategy: StrategyLike | Iterable[StrategyLike]) -> list[Strategy]:
    """Strategies from names (``"mtf"``, ``"sample(rate=10%)"``), classes or values."""
    from unjudged.strategies import Strategy, strategies

    return _distinct(strategy, Strategy, lambda one: [strategies.choose(one)])


def read_numbers(given: Any) -> tuple[Any, ...]:
    """One number or several; what each may be, the study says."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


def read_corpus(corpus: CorpusBootstrap | None) -> CorpusBootstrap | None:
    """How other corpora are drawn, if somebody says."""
    from unjudged.uncertainty import CorpusBootstrap

    if corpus is not None and not isinstance(corpus, CorpusBootstrap):
        raise InputError(f"a corpus is given as CorpusBootstrap(images=1000, corpus_size=50000), not as {corpus!r}")
    return corpus


def read_prior_runs(prior_runs: Any) -> list[RunSource | str]:
    """The prior runs of :meth:`Collection.relative`; text that is no file, folder or pattern is the name of a run."""
    given = [prior_runs] if isinstance(prior_runs, str) else prior_runs
    if not isinstance(given, list | tuple):
        return [] if given is None else [*expand_runs(given)]
    runs: list[RunSource | str] = []
    for one in given:
        runs += [one] if isinstance(one, str) and not is_run_path(one) else expand_runs(one)
    return runs


def read_interval(interval: tuple[float, float]) -> tuple[float, float]:
    """Two quantiles, as numbers between 0 and 1."""
    try:
        low, high = map(float, interval)
    except (TypeError, ValueError):
        raise InputError(f"an interval is two quantiles such as (0.05, 0.95), not {interval!r}") from None
    if not 0 <= low < high <= 1:
        raise InputError(f"an interval is two quantiles such as 0.05 and 0.95, not {low:g} and {high:g}")
    return low, high
