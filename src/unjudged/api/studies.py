"""The studies as functions, with arguments as people have them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from unjudged.api.reading import (
    DegradationLike,
    HoleLike,
    MeasureLike,
    read_degradations,
    read_holes,
    read_interval,
    read_measure,
    read_measures,
    read_pool,
    read_qrels,
    read_runs,
    read_whom,
    read_witness_groups,
    text_source,
    texts_to_read,
)
from unjudged.data.comparison import Comparison
from unjudged.data.provenance import DEFAULT_SEED, Input, Provenance, Role
from unjudged.data.qrels import NegativeGrades
from unjudged.data.relative import Relative
from unjudged.data.reuse import Reuse
from unjudged.data.run import ScoreType
from unjudged.data.scores import Scores
from unjudged.engine.pooling import check_pool
from unjudged.errors import InputError, Notice, UnjudgedWarning
from unjudged.holes import Settings
from unjudged.io.groups import read_groups
from unjudged.io.reading import as_path, expand_runs
from unjudged.io.trec import QrelsFormat
from unjudged.progress import Progress, watching
from unjudged.studies import score as score_study

if TYPE_CHECKING:
    from unjudged.engine.novelty import Rareness, TascPriors
    from unjudged.engine.run import Engine
    from unjudged.reports.page import Page
    from unjudged.studies import compare as compare_study
    from unjudged.studies import doctor as doctor_study
    from unjudged.uncertainty import CorpusBootstrap, ImageScores
    from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest


__all__ = ["REPORTED", "compare", "doctor", "relative", "report", "resample", "reuse", "score"]

REPORTED = ("nDCG@10", "P@10", "AP@100")
"""Measures of a report; all have a cut-off, because draws for whole rankings take a minute and more."""


def score(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    holes: HoleLike | Iterable[HoleLike] = ("nonrelevant",),
    scores: ScoreType = "float64",
    missing: score_study.MissingTopics = "zero",
    pool: Any = None,
    pool_depth: int | None = None,
    texts: Any = None,
    groups: Any = None,
    explain: Iterable[tuple[str, str]] = (),
    seed: int = DEFAULT_SEED,
    interval: tuple[float, float] = (0.05, 0.95),
    jobs: int | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Scores:
    """Score runs. Files are read one at a time, so that memory does not grow with their number.

    *runs*: one source or several (see :func:`read_runs`). *missing*: a judged topic that a run lacks counts ``zero``
    (as ``trec_eval -c``) or is left out of that run's mean (``skip``). *pool*: which documents were chosen to be judged
    (see :func:`read_pool`), or *pool_depth*: the first so many of every run were; runs are then read twice.
    *texts*: what documents say (see :func:`text_source`), for measures and ``bootstrap(prior=evidence)``; runs are then
    read twice.
    *groups*: who made which run, a file of lines ``run group`` or a dict, for ``bootstrap(prior=evidence)``; without it
    near copies of a run are its group. Runs are then read three times. *explain*: pairs of a run and a topic, whose
    unjudged documents ``explained`` then lists, with what is known about each and what it is worth.
    *seed* and *interval* (two quantiles) are for hole models with draws; the same seed gives the same numbers with any
    number of threads.

    >>> scores = score({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 2.0, "a": 1.0}}}, ["RR", "P@1"])
    >>> scores.mean()["mine", "RR"]
    0.5
    """
    if missing not in ("zero", "skip"):
        raise InputError(f"missing must be 'zero' or 'skip', not {missing!r}")
    check_pool(pool, pool_depth)
    result = score_study.score(
        read_qrels(qrels),
        expand_runs(runs),
        read_measures(measures),
        read_holes(holes),
        score_type=scores,
        missing=missing,
        pool=None if pool is None else read_pool(pool),
        pool_depth=pool_depth,
        texts=texts_to_read(texts),
        groups=read_witness_groups(groups),
        explain=[(str(run), str(topic)) for run, topic in explain],
        settings=Settings(seed, read_interval(interval)),
        jobs=jobs,
        progress=progress,
        provenance=provenance or Provenance(seed=seed),
    )
    _warn(result.warnings)
    return result


def resample(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike],
    how: CorpusBootstrap,
    *,
    scores: ScoreType = "float64",
    seed: int = DEFAULT_SEED,
    keep: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> ImageScores:
    """Score runs on other corpora from the same source: images of the corpus, drawn with replacement.

    All runs are scored on the same images, and are in memory together. With *keep* the score of every run and topic on
    every image is kept. The same seed gives the same numbers with any number of threads (*jobs*) and any order of runs;
    other runs beside them give other images.

    >>> from unjudged import CorpusBootstrap
    >>> how = CorpusBootstrap(images=5000, corpus_size=500)
    >>> found = resample({"1": {"a": 1, "b": 1}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}}, "R", how)
    >>> round(found.summary()["mine", "R"].mean, 1)  # the topic has no relevant document in 1 of 7 images
    0.9
    """
    from unjudged.uncertainty.corpus import bootstrap_corpus  # needs SciPy, which scoring must not wait for

    result = bootstrap_corpus(
        read_runs(runs, scores=scores, jobs=jobs),
        read_qrels(qrels),
        read_measures(measures),
        how,
        seed=seed,
        keep=keep,
        jobs=jobs,
        progress=progress,
    )
    _warn(result.warnings)
    return result


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
    from unjudged.studies import compare as compare_study  # loads SciPy, which nothing else here needs

    check_pool(pool, pool_depth)
    result = compare_study.compare(
        read_qrels(qrels),
        expand_runs(runs),
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
        seed=seed,
        score_type=scores,
        texts=texts_to_read(texts),
        jobs=jobs,
        progress=progress,
        provenance=provenance or Provenance(seed=seed),
    )
    _warn(result.warnings)
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

    result = relative_study.relative(
        read_qrels(qrels),
        expand_runs(runs),
        read_measure(measure),
        whom=read_whom(prior, groups, order),
        absolute=None if absolute is None else read_measure(absolute),
        holes=read_holes(holes),
        pool_depth=pool_depth,
        rel=rel,
        alpha=alpha,
        rareness=rareness,
        tasc_priors=tasc,
        explain=[explain] if isinstance(explain, str) else list(explain),
        choose=choose,
        texts=texts_to_read(texts),
        settings=Settings(seed, read_interval(interval)),
        score_type=scores,
        jobs=jobs,
        progress=progress,
        provenance=provenance or Provenance(seed=seed),
    )
    _warn(result.warnings)
    return result


def reuse(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike] = "nDCG@10",
    *,
    degrade: DegradationLike | Iterable[DegradationLike] = (),
    holes: HoleLike | Iterable[HoleLike] = ("nonrelevant", "condensed", "bootstrap"),
    groups: Any = None,
    truth: MeasureLike | None = None,
    only_judged: bool = False,
    repeat: int = 10,
    target: str | Iterable[str] = (),
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    pool: Any = None,
    pool_depth: int | None = None,
    texts: Any = None,
    seed: int = DEFAULT_SEED,
    interval: tuple[float, float] = (0.05, 0.95),
    scores: ScoreType = "float64",
    engine: str | Engine = "local",
    address: str | None = None,
    jobs: int | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Reuse:
    """Can this collection judge new systems, and which method should I trust on it?

    Judgments are taken away in the ways that *degrade* says (``"LeaveOutGroup"``, ``"DepthCut(4,8,30)"``,
    ``"KeepFraction(10%) then OneRelevant"``); leaving out each group, or each run where there are no *groups*, unless
    given. Scores estimated from what is left, with every measure and hole model, are compared with the scores under
    all judgments: with the same measure, or with *truth*. With *only_judged*, documents that nobody ever judged are
    taken out of the runs first, so that the truth is known at any depth. Random degradations are done *repeat* times.
    *target*, such as ``"tau=0.9"``, asks for the fewest judgments that reach it. *texts*: what documents say, for
    ``bootstrap(prior=evidence)``.

    *engine*: ``"local"``, ``"dask"`` or ``"ray"``, the latter two at an *address* or on this machine. With a *store*, a
    folder, a study that was interrupted goes on where it was. The same seed gives the same numbers whatever the
    engine, *jobs* (processes) or store.

    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1, "c": 1}}
    >>> runs = {name: {"1": {name: 2.0, "c": 1.0}, "2": {"c": 2.0, name: 1.0}} for name in "ab"}
    >>> found = reuse(qrels, runs, "P@2", degrade="LeaveOutRun(1)", holes="nonrelevant", jobs=1)
    >>> [(row.run, row.truth, row.estimate) for row in found.leaveout()]
    [('a', 0.75, 0.5), ('b', 0.75, 0.75)]
    """
    check_pool(pool, pool_depth)
    from unjudged.engine.run import Engine
    from unjudged.engine.store import Store
    from unjudged.studies import reuse as reuse_study  # loads SciPy, which nothing else here needs

    result = reuse_study.reuse(
        read_qrels(qrels),
        expand_runs(runs),
        read_measures(measures),
        read_degradations(degrade),
        read_holes(holes),
        groups=None if groups is None else read_groups(groups),
        groups_source=str(groups) if isinstance(groups, str | os.PathLike) else "groups",
        truth=None if truth is None else read_measure(truth),
        only_judged=only_judged,
        repeat=repeat,
        targets=[reuse_study.parse_target(one) for one in ([target] if isinstance(target, str) else target)],
        test=test,
        correction=correction,
        pool=None if pool is None else read_pool(pool),
        pool_depth=pool_depth,
        texts=texts_to_read(texts),
        settings=Settings(seed, read_interval(interval)),
        score_type=scores,
        engine=engine if isinstance(engine, Engine) else Engine(engine, address, jobs),  # type: ignore[arg-type]
        store=None if store is None else Store(store),
        progress=progress,
        provenance=provenance or Provenance(seed=seed),
    )
    _warn(result.warnings)
    return result


def doctor(
    qrels: Any,
    runs: Any,
    *,
    cutoffs: Iterable[int] = (),
    format: QrelsFormat = "auto",  # noqa: A002
    negative: NegativeGrades = "pooled",
    jobs: int | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> doctor_study.Diagnosis:
    """Examine judgments and runs, and say everything that is wrong with them instead of stopping at the first problem.

    Takes what :func:`score` takes. *cutoffs*: where to look for ties in score, beside 10 and 100.

    >>> diagnosis = doctor({"07": {"a": 1}}, {"mine": {"7": {"a": 1.0}}})
    >>> [finding.code for finding in diagnosis.findings if finding.severity == "error"]
    ['no-common-topics', 'ids-of-another-type']
    """
    from unjudged.studies import doctor as doctor_study  # many modules, which scoring need not wait for

    wanted = tuple(cutoffs)
    if any(cutoff < 1 for cutoff in wanted):
        raise InputError(f"cut-offs are whole numbers of at least 1, not {min(wanted)}")
    return doctor_study.doctor(
        qrels,
        expand_runs(runs),
        cutoffs=wanted,
        kind=format,
        negative=negative,
        jobs=jobs,
        progress=progress,
        provenance=provenance,
    )


def report(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike] = REPORTED,
    *,
    holes: HoleLike | Iterable[HoleLike] = (),
    groups: Any = None,
    texts: Any = None,
    topics: Any = None,
    title: str | None = None,
    depth: int = 20,
    reuse: bool = True,
    test: str | SignificanceTest | type[SignificanceTest] | None = None,
    format: QrelsFormat = "auto",  # noqa: A002
    negative: NegativeGrades = "pooled",
    intents: Any = None,
    seed: int = DEFAULT_SEED,
    scores: ScoreType = "float64",
    jobs: int | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Page:
    """Everything that the other functions find out, on one page that needs nothing but itself.

    Takes what :func:`score` takes, but nothing that can be read only once. The first measure is the main one: whether
    the collection can be reused is asked for it alone, and not at all without *reuse*. *holes*: hole models;
    nonrelevant, condensed, joint (bounds, for measures that have no joint ones) and bootstrap (from evidence, where
    there are groups) unless given. *groups* as in :func:`relative`. *texts*: what documents say, to show the beginning
    of it; *topics*: what topics ask for, a file or a dict. *depth*: how many documents of each ranking can be looked
    at. *test*: of differences, as in :func:`compare`; randomisation unless given, and Tukey's HSD for more than 32
    runs. Warnings are on the page, and in ``page.overview.warnings``. The page says which *command* makes it again, and
    has the hashes of all files.

    >>> page = report({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 2.0}}}, "P@1")
    >>> page.sentences["scores"]
    'x has the highest P@1, 1.0000. Everything that it looks at is judged, so no score can change.'
    """
    from unjudged.io.sources import digest
    from unjudged.io.topics import read_titles
    from unjudged.reports.page import make_page
    from unjudged.studies import doctor as doctor_study
    from unjudged.studies import overview as overview_study

    sources = expand_runs(runs)
    overview_study.refuse_pipes(qrels, sources)
    chosen = read_measures(measures)
    models = read_holes(holes) or overview_study.usual_holes(chosen, groups=groups is not None)
    spoken = None if texts is None else text_source(texts)
    titles = {} if topics is None else read_titles(topics)
    members = None if groups is None else read_groups(groups)
    judgments = read_qrels(qrels, format=format, negative=negative, intents=intents)
    named: list[tuple[Any, Role]] = [(qrels, "qrels"), *((one.source, "run") for one in sources)]
    named += [(path, "texts") for path in (spoken.paths() if spoken else ())]
    named += [(path, "labels") for model in models for path in model.files()]
    named += [(groups, "groups"), (topics, "topics"), (intents, "intents")]
    inputs = tuple(Input(path, digest(path), role) for one, role in named if (path := as_path(one)) is not None)
    found = overview_study.overview(
        doctor_study.doctor(
            qrels, sources, kind=format, negative=negative, jobs=jobs, progress=watching(progress, "examining runs")
        ),
        judgments,
        sources,
        chosen,
        models,
        groups=members,
        groups_source=str(groups) if isinstance(groups, str | os.PathLike) else "groups",
        texts=spoken,
        titles=titles,
        depth=depth,
        with_reuse=reuse,
        test=test,
        settings=Settings(seed),
        score_type=scores,
        jobs=jobs,
        progress=progress,
        provenance=Provenance(tuple(command), seed, inputs),
    )
    return make_page(found, title)


def _warn(notices: Sequence[Notice]) -> None:
    """Say notices as Python warnings, at the line of the user's call."""
    for notice in notices:
        warnings.warn(notice.message, UnjudgedWarning, stacklevel=3)
