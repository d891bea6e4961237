"""Runs beside each other: which is better, and what each adds to the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from unjudged.api.notices import warn_of
from unjudged.api.reading import (
    HoleLike,
    MeasureLike,
    files_read,
    read_holes,
    read_interval,
    read_measure,
    read_pool,
    read_qrels,
    read_seed,
    read_whom,
    read_witness_groups,
    texts_to_read,
)
from unjudged.data.comparison import Comparison
from unjudged.data.provenance import DEFAULT_SEED, Provenance
from unjudged.data.relative import Relative
from unjudged.data.run import ScoreType
from unjudged.engine.pooling import check_pool
from unjudged.holes import Settings
from unjudged.io.reading import RunSource, expand_runs
from unjudged.progress import Progress

if TYPE_CHECKING:
    from unjudged.engine.novelty import Rareness, TascPriors
    from unjudged.studies import compare as compare_study
    from unjudged.uncertainty import CorpusBootstrap
    from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest

__all__ = ["compare", "relative"]


def compare(
    qrels: Any,
    runs: Any,
    measure: MeasureLike = "nDCG@10",
    *,
    baseline: str | None = None,
    top: int | None = None,
    test: str | SignificanceTest | type[SignificanceTest] = "randomisation",
    correction: str | Correction | type[Correction] | None = None,
    interval: str | IntervalMethod | type[IntervalMethod] = "t",
    draws: int = 1000,
    prior: compare_study.Prior | None = None,
    groups: Any = None,
    corpus: CorpusBootstrap | None = None,
    pool: Any = None,
    pool_depth: int | None = None,
    seed: int = DEFAULT_SEED,
    scores: ScoreType = "float64",
    texts: Any = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Comparison:
    """Compare runs: which is better, is that more than the luck of the topics, and could judging the holes change it?

    All pairs, or all runs with the one named *baseline*; *top* keeps only so many of the best runs. *test*,
    *correction* (Holm's unless you say otherwise) and *interval* are those of :mod:`unjudged.uncertainty`. *draws*:
    worlds, each with one grade for every unjudged document, drawn from the *prior*: ``evidence``, what runs of other
    *groups* say about it (as in :func:`score`), if these are given, ``pool+run`` if not. *corpus*: also see how far
    images of the corpus move the means. *pool* and *pool_depth* as in :func:`score`. The same seed gives the same
    numbers with any number of threads.

    >>> qrels = {topic: {"a": 1, "b": 0} for topic in "123456789"}
    >>> new, old = {"x": 2.0, "a": 1.0}, {"b": 2.0, "a": 1.0}
    >>> found = compare(qrels, {"new": dict.fromkeys(qrels, new), "old": dict.fromkeys(qrels, old)}, "P@2")
    >>> pair = found.pair("new", "old")
    >>> pair.difference, pair.worst, pair.best, pair.verdict
    (0.0, 0.0, 0.5, 'likely')
    """
    from unjudged.studies import compare as compare_study  # needs SciPy, which scoring must not wait for

    check_pool(pool, pool_depth)
    sources, spoken = expand_runs(runs), texts_to_read(texts)
    files = files_read(qrels, *sources, pool, groups, spoken)
    result = compare_study.compare(
        read_qrels(qrels),
        sources,
        read_measure(measure),
        baseline=baseline,
        top=top,
        test=test,
        correction=correction,
        interval=interval,
        draws=draws,
        prior=prior,
        groups=read_witness_groups(groups),
        corpus=corpus,
        pool=None if pool is None else read_pool(pool),
        pool_depth=pool_depth,
        seed=read_seed(seed),
        score_type=scores,
        texts=spoken,
        jobs=jobs,
        progress=progress,
        provenance=provenance or Provenance(seed=seed, files=files),
    )
    warn_of(result.warnings)
    return result


def relative(
    qrels: Any,
    runs: Any,
    measure: MeasureLike = "nDCG@10",
    *,
    prior: Any = None,
    groups: Any = None,
    order: Any = None,
    absolute: MeasureLike | None = None,
    holes: HoleLike | Iterable[HoleLike] = (),
    pool_depth: int | None = None,
    rel: int | None = None,
    alpha: float = 1.0,
    rareness: Rareness = "topic",
    tasc: TascPriors = "priors",
    explain: str | Iterable[str] = (),
    choose: int | None = None,
    texts: Any = None,
    seed: int = DEFAULT_SEED,
    interval: tuple[float, float] = (0.05, 0.95),
    scores: ScoreType = "float64",
    jobs: int | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Relative:
    """What does each run add to others? Normalized residual gain (NRG) beside the absolute score.

    *measure*: the base of NRG, or NRG itself as in ``"NRG(nDCG, gain=binary, rel=2)"``. The others are every other run,
    *prior* runs (sources, or names of runs, which are then not scored), the best run of each other group (*groups*: a
    file or a dict by run), or all earlier runs (*order*: a file, a list, or a dict of dates). *absolute*: the score
    beside it, by which a run is the best of its group; the base unless given. *holes*: hole models; bounds over all
    labels unless given, where the base has a cut-off. *pool_depth*, *rel*, *alpha* and *rareness* are for unique
    documents and rareness-based precision, *tasc* for TaSC. *explain*: runs whose documents are listed; *choose*: how
    many runs to choose greedily. *texts*: what documents say, for ``bootstrap(prior=evidence)``.

    >>> qrels = {"1": {"a": 1, "b": 1, "c": 1}}
    >>> runs = {"old": {"1": {"a": 2.0, "b": 1.0}}, "new": {"1": {"a": 2.0, "c": 1.0}}}
    >>> found = relative(qrels, runs, "P@2", prior="old")
    >>> found.run("new").absolute, found.run("new").nrg, found.run("new").unique
    (1.0, 0.5, 1.0)
    """
    from unjudged.studies import relative as relative_study  # scoring need not wait for it

    sources, models, spoken = expand_runs(runs), read_holes(holes), texts_to_read(texts)
    whom = read_whom(prior, groups, order)
    read_before = [one for one in whom.prior if isinstance(one, RunSource)]
    files = files_read(qrels, *sources, *read_before, groups, order, spoken, *models)
    result = relative_study.relative(
        read_qrels(qrels),
        sources,
        read_measure(measure),
        whom=whom,
        absolute=None if absolute is None else read_measure(absolute),
        holes=models,
        pool_depth=pool_depth,
        rel=rel,
        alpha=alpha,
        rareness=rareness,
        tasc_priors=tasc,
        explain=[explain] if isinstance(explain, str) else list(explain),
        choose=choose,
        texts=spoken,
        settings=Settings(read_seed(seed), read_interval(interval)),
        score_type=scores,
        jobs=jobs,
        progress=progress,
        provenance=provenance or Provenance(seed=seed, files=files),
    )
    warn_of(result.warnings)
    return result
