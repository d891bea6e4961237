"""How precisely do measures measure on this collection?

The experiments of J. Zobel and L. Rashidi (CIKM 2020) on other runs, topics and judgments than theirs: images of the
corpus say how far differences, means and ranks move, whether intervals of images and a test over topics agree, and what
a shallow pool of two runs alone would have led to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.arrays import Floats
from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import RunInfo, run_notices
from unjudged.data.view import join
from unjudged.engine.preparation.pooling import MissingPool
from unjudged.errors import InputError, Notice, SpecError
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs, ignored_subtopics
from unjudged.progress import Progress, watched
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.results.properties import Properties, PropertyTable
from unjudged.studies.prepare_collection import prepare
from unjudged.studies.properties import tables
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.base import Correction, SignificanceTest, significance_tests
from unjudged.uncertainty.corpus import CorpusBootstrap, bootstrap_corpus, check_images
from unjudged.uncertainty.image_intervals import means_on_images
from unjudged.uncertainty.properties import LEAST_IMAGES, differences_on_images
from unjudged.uncertainty.shallow_pools import ShallowPools, shallow_pools
from unjudged.uncertainty.significance import Significance, correction_for, significance
from unjudged.wording import counted

__all__ = ["Shallow", "check_measure", "properties"]

MOST_CELLS = 125_000_000
"""Scores that are kept, one for each run, topic, image and measure: a gigabyte."""
MOST_PAIRS = 500_000
"""Pairs of runs, with each measure, as many as ``compare`` takes."""


@dataclass(frozen=True)
class Shallow:
    """Which shallow pools are tried: of these *depths*, for every two of the best so many *runs*."""

    depths: tuple[int, ...] = ()
    runs: int | None = None
    """Two unless given."""

    @property
    def best(self) -> int:
        """How many runs."""
        return 2 if self.runs is None else self.runs


def properties(
    collection: BaseCollection,
    measures: Sequence[Measure],
    corpus: CorpusBootstrap,
    *,
    top: int | None = None,
    by: Measure | None = None,
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    shallow: Shallow = Shallow(),
) -> Properties:
    """Score runs, or only the *top* so many *by* a measure (the first unless given), on images of the corpus.

    All runs that are looked at are in memory together, with their scores on all images. The same seed gives the same
    numbers for any number of threads.
    """
    provenance = collection.provenance()
    _check(collection, measures, corpus, top, shallow)
    by = by or measures[0]
    test = significance_tests.choose(test)
    correction = correction_for(test, correction)
    check_needs(collection.qrels, [*measures, by])
    prepared = prepare(collection if top is None else collection.rereadable(), [*measures, by], [])
    qrels, seed, jobs, progress = prepared.collection.qrels, collection.seed, collection.jobs, collection.progress
    missing_pool = MissingPool(qrels, measures, given=collection.has_pool)
    infos, runs = _read(prepared.collection, by, top, missing_pool)
    _check_room(len(runs), len(qrels.topics), corpus.images, len(measures), shallow)

    images = bootstrap_corpus(runs, qrels, measures, corpus, seed=seed, keep=True, jobs=jobs, progress=progress)
    kept = [_defined(measure, root) for measure, root in zip(measures, images.root, strict=True)]
    signs = [
        significance(root[:, topics], test=test, correction=correction, seed=seed, progress=progress)
        for root, topics in zip(images.root, kept, strict=True)
    ]
    same_size = corpus.replace(corpus_size=images.corpus_size)
    pools = _shallow_pools(prepared.collection, runs[: shallow.best], measures, same_size, shallow, test)
    notices = [*ignored_subtopics(qrels, measures), *prepared.notices, *missing_pool.notices, *run_notices(infos)]
    notices += [*images.warnings, *_undefined(images), *(notice for one in signs for notice in one.warnings)]
    relevant = [_relevant(qrels, measure) for measure in measures]
    return Properties(
        measures=images.measures,
        corpus_size=images.corpus_size,
        images=images.images,
        by=str(by),
        top=top,
        test=str(test),
        correction=str(correction),
        on_topics=tables.image_quantiles(images),
        shallow_pools=tables.shallow_on_images(pools),
        tables={
            **_about_images(images, signs, relevant, jobs, progress),
            "shallow": tables.shallow_rows(pools),
            "shallow_pairs": tables.shallow_pair_rows(pools),
        },
        warnings=tuple(dict.fromkeys(notices)),
        provenance=provenance,
    )


def _shallow_pools(
    collection: BaseCollection,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    corpus: CorpusBootstrap,
    shallow: Shallow,
    test: SignificanceTest,
) -> ShallowPools | None:
    """What pools of each depth, and all judgments, say of every two of the runs; None where nobody asked."""
    if not shallow.depths:
        return None
    depths = (*sorted(set(shallow.depths)), None)
    seed, jobs, progress = collection.seed, collection.jobs, collection.progress
    return shallow_pools(
        runs, collection.qrels, measures, corpus, depths=depths, test=test, seed=seed, jobs=jobs, progress=progress
    )


def _about_images(
    images: ImageScores,
    signs: Sequence[Significance],
    relevant: Sequence[Sequence[int]],
    jobs: int | None,
    progress: Progress | None,
) -> dict[PropertyTable, tuple[Any, ...]]:
    """The tables that are made of scores on images, and of tests over the topics of the corpus itself."""
    differences = differences_on_images(images, jobs=jobs, progress=progress)
    means = [means_on_images(of_runs) for of_runs in images.means]
    return {
        "precision": tables.precision_rows(images, differences, means),
        "prediction": tables.prediction_rows(differences),
        "tests": tables.interval_rows(images, means, signs),
        "runs": tables.run_rows(images, means),
        "topics": tables.topic_rows(images, differences, relevant),
        "pairs": tables.pair_rows(images, means, signs),
    }


# ---- what is refused


def _check(
    collection: BaseCollection,
    measures: Sequence[Measure],
    corpus: CorpusBootstrap,
    top: int | None,
    shallow: Shallow,
) -> None:
    """Refuse what cannot be asked before any work starts."""
    if not measures:
        raise InputError("no measure was given; for example nDCG@10")
    for measure in measures:
        check_measure(measure)
    if len(collection.runs) < 2:
        raise InputError(f"properties compares runs, so it needs at least two, not {len(collection.runs)}")
    if top is not None and Whole().checked("top", top) < 2:
        raise InputError(f"properties compares runs, so it needs at least two, not the top {top}")
    if corpus.images < LEAST_IMAGES:
        raise SpecError(f"properties needs at least {LEAST_IMAGES} images of the corpus, not {corpus.images}")
    for depth in shallow.depths:
        Whole(1).checked("the depth of a shallow pool", depth)
    if Whole().checked("the number of runs for shallow pools", shallow.best) < 2:
        raise InputError(f"a shallow pool is made of two runs, so the best {shallow.best} are not enough")
    if shallow.runs is not None and not shallow.depths:
        raise InputError("shallow pools of several runs have no depth yet: give --shallow N, too")


def check_measure(measure: Measure) -> None:
    """Refuse a measure whose properties cannot be asked for."""
    check_images([measure])
    if measure.summary != "mean":
        raise InputError(f"{measure} is not a mean over topics; use a measure that is, such as nDCG@10")


def _check_room(runs: int, topics: int, images: int, measures: int, shallow: Shallow) -> None:
    """Refuse what would not fit in memory, or take an hour."""
    pairs = math.comb(runs, 2) * measures
    if pairs > MOST_PAIRS:
        most = _most(runs, lambda number: math.comb(number, 2) * measures <= MOST_PAIRS)
        raise InputError(
            f"all pairs of {runs:,} runs with {measures} measures are {pairs:,}, and properties takes up to"
            f" {MOST_PAIRS:,}: use --top {most}"
        )
    cells = runs * topics * images * measures
    if cells > MOST_CELLS:
        fewer = max(LEAST_IMAGES, MOST_CELLS // (runs * topics * measures))
        raise InputError(
            f"{runs:,} runs on {topics:,} topics and {images:,} images have {cells:,} scores with"
            f" {counted(measures, 'measure')}, and properties keeps up to {MOST_CELLS:,}: use --images {fewer}, --top N"
            " or fewer measures"
        )
    tried = min(runs, shallow.best)
    if not shallow.depths:
        return
    each = (len(set(shallow.depths)) + 1) * topics * images * measures
    if math.comb(tried, 2) * each > MOST_CELLS:
        most = max(2, _most(tried, lambda number: math.comb(number, 2) * each <= MOST_CELLS))
        raise InputError(
            f"shallow pools of every two of {tried:,} runs have {math.comb(tried, 2) * each:,} differences, and"
            f" properties keeps up to {MOST_CELLS:,}: use --shallow-runs {most} or fewer --images"
        )


def _most(highest: int, fits: Callable[[int], bool]) -> int:
    """The highest number of runs that still fits, at least 1."""
    return next((number for number in range(highest, 1, -1) if fits(number)), 1)


# ---- runs


def _read(
    collection: BaseCollection, by: Measure, top: int | None, missing_pool: MissingPool
) -> tuple[list[RunInfo], list[Run]]:
    """The runs, best first; where only some are wanted, the others are not kept, and those are read again."""
    qrels = collection.qrels
    some = top is not None and top < len(collection.runs)

    def read(run: Run) -> tuple[float, Run | None]:
        view = join(run, qrels)
        missing_pool.see(view)
        return by.summarise(by.score(view)), None if some else run

    infos, read_runs = collection.each_run(read, "reading runs")
    means = np.nan_to_num([mean for mean, _ in read_runs], nan=-np.inf)
    order = np.argsort(-means, kind="stable")[:top].tolist()
    infos = [infos[i] for i in order]
    kept = [read_runs[i][1] for i in order]
    if some:
        workers = worker_count(collection.jobs, len(order))
        again = in_order(lambda i: collection.runs[i].read(), order, workers)
        kept = list(watched(collection.progress, again, len(order), "reading the best runs again"))
    runs = [run for run in kept if run is not None]
    return infos, [run.renamed(info.name) for info, run in zip(infos, runs, strict=True)]


def _relevant(qrels: Qrels, measure: Measure) -> list[int]:
    """Documents of each topic that are relevant to a measure."""
    relevant: list[int] = qrels.count(qrels.judged & (qrels.grades >= (measure.rel or 1))).tolist()
    return relevant


def _defined(measure: Measure, scores: Floats) -> list[int]:
    """Positions of the topics for which every run has a score; a test needs the same ones for all."""
    kept: list[int] = np.flatnonzero(~np.isnan(scores).any(axis=0)).tolist()
    if not kept:
        raise InputError(f"on every topic {measure} is undefined for some run: there is nothing to compare")
    return kept


def _undefined(images: ImageScores) -> list[Notice]:
    """Where measures are undefined."""
    notices = []
    for measure, root, scores in zip(images.measures, images.root, images.every_score(), strict=True):
        topics = int((np.isnan(scores).any(axis=(0, 2)) | np.isnan(root).any(axis=0)).sum())
        if topics:
            text = (
                f"{measure} is undefined for some run or image on {topics} of {len(images.topics)} topics; what is"
                " undefined is left out"
            )
            notices.append(Notice("undefined", topics, text))
    return notices
