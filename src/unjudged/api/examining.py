"""The collection as a whole: whether files are sound, what it is good for, and everything on one page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, get_args

from unjudged.api.notices import warn_of
from unjudged.api.reading import (
    DegradationLike,
    HoleLike,
    MeasureLike,
    files_read,
    read_degradations,
    read_holes,
    read_interval,
    read_measure,
    read_measures,
    read_pool,
    read_qrels,
    read_seed,
    text_source,
    texts_to_read,
)
from unjudged.data.provenance import DEFAULT_SEED, Input, Provenance, Role
from unjudged.data.qrels import NegativeGrades
from unjudged.data.reuse import Reuse
from unjudged.data.run import ScoreType
from unjudged.engine.pooling import check_pool
from unjudged.holes import Settings
from unjudged.io.groups import read_groups
from unjudged.io.reading import as_path, expand_runs
from unjudged.io.trec import QrelsFormat
from unjudged.limits import Choice, Whole
from unjudged.progress import Progress, watching

if TYPE_CHECKING:
    from unjudged.engine.run import Engine
    from unjudged.reports.page import Page
    from unjudged.studies import doctor as doctor_study
    from unjudged.uncertainty.base import Correction, SignificanceTest

__all__ = ["REPORTED", "doctor", "report", "reuse"]

REPORTED = ("nDCG@10", "P@10", "AP@100")
"""Measures of a report; all have a cut-off, because draws for whole rankings take a minute and more."""


def reuse(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike] = "nDCG@10",
    *,
    degrade: DegradationLike | Iterable[DegradationLike] = (),
    holes: HoleLike | Iterable[HoleLike] | None = None,
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
    all judgments: with the same measure, or with *truth*. Unless given, *holes* are nonrelevant, condensed and
    bootstrap, and ``bootstrap(prior=evidence)`` where there are *groups* and each run's first documents stay judged.
    With *only_judged*, documents that nobody ever judged are taken out of the runs first, so that the truth is known at
    any depth. Random degradations are done *repeat* times. *target*, such as ``"tau=0.9"``, asks for the fewest
    judgments that reach it. *texts*: what documents say, for ``bootstrap(prior=evidence)``.

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
    from unjudged.studies import reuse as reuse_study  # needs SciPy, which scoring must not wait for

    sources, spoken = expand_runs(runs), texts_to_read(texts)
    models = None if holes is None else read_holes(holes)
    files = files_read(qrels, *sources, pool, groups, spoken, *(models or ()), store)
    result = reuse_study.reuse(
        read_qrels(qrels),
        sources,
        read_measures(measures),
        read_degradations(degrade),
        models,
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
        texts=spoken,
        settings=Settings(read_seed(seed), read_interval(interval)),
        score_type=scores,
        engine=engine if isinstance(engine, Engine) else Engine(engine, address, jobs),  # type: ignore[arg-type]
        store=None if store is None else Store(store),
        progress=progress,
        provenance=provenance or Provenance(seed=seed, files=files),
    )
    warn_of(result.warnings)
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

    Choice(get_args(QrelsFormat)).checked("format", format)
    Choice(get_args(NegativeGrades)).checked("negative", negative)
    wanted = tuple(Whole(1).checked("a cut-off", cutoff) for cutoff in cutoffs)
    sources = expand_runs(runs)
    return doctor_study.doctor(
        qrels,
        sources,
        cutoffs=wanted,
        kind=format,
        negative=negative,
        jobs=jobs,
        progress=progress,
        provenance=provenance or Provenance(files=files_read(qrels, *sources)),
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
    files = files_read(qrels, *sources, spoken, *models, groups, topics, intents)
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
        settings=Settings(read_seed(seed)),
        score_type=scores,
        jobs=jobs,
        progress=progress,
        provenance=Provenance(tuple(command), seed, inputs, files=files),
    )
    return make_page(found, title)
