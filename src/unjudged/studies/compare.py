"""Which of my runs are better, and could judging the holes change the answer?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from unjudged.data.comparison import Comparison
from unjudged.data.pool import Pool
from unjudged.data.provenance import DEFAULT_SEED, Provenance
from unjudged.data.qrels import Qrels
from unjudged.data.run import ScoreType
from unjudged.data.scores import mean_known
from unjudged.data.texts import ModelSize, Texts
from unjudged.data.view import check_topics
from unjudged.engine.corpora import OnImages, draw_images
from unjudged.engine.coverage import topic_notices
from unjudged.engine.differences import pair_bounds
from unjudged.engine.hearing import Groups, add_testimony
from unjudged.engine.pooling import MissingPool, add_pool
from unjudged.engine.scoring import deepest_rank
from unjudged.engine.worlds import CELLS, Drawn, Sighting, draw_worlds, look, shared_prior, with_one_ideal
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes import hole_models
from unjudged.holes.evidence import other_runs
from unjudged.io.names import unique_names
from unjudged.io.reading import RunSource
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.needs import check_needs, ignored_subtopics
from unjudged.progress import Progress, watched
from unjudged.studies.comparison_tables import Evidence, budget_rows, pair_rows, rank_rows, run_rows
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest
from unjudged.uncertainty.base import interval_methods as methods
from unjudged.uncertainty.base import significance_tests as tests
from unjudged.uncertainty.corpus import CorpusBootstrap, check_images
from unjudged.uncertainty.significance import correction_for, significance

if TYPE_CHECKING:
    from unjudged.io.texts import TextSource

__all__ = ["Prior", "compare"]

Prior = Literal["pool+run", "evidence"]
"""Where the grades of holes are drawn from."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_RARE = 0.05
"""Share of drawn scores above the measure's limit from which the user is told."""
_FEW = 0.5
"""Share of judged documents, on average over runs, below which the user is told what verdicts rest on."""


def compare(
    qrels: Qrels,
    runs: Sequence[RunSource],
    measure: Measure,
    *,
    baseline: str | None = None,
    top: int | None = None,
    test: str | SignificanceTest | type[SignificanceTest] = "randomisation",
    correction: str | Correction | type[Correction] | None = None,
    interval: str | IntervalMethod | type[IntervalMethod] = "t",
    draws: int = 1000,
    prior: Prior | None = None,
    groups: Groups | None = None,
    corpus: CorpusBootstrap | None = None,
    pool: Pool | None = None,
    pool_depth: int | None = None,
    seed: int = DEFAULT_SEED,
    score_type: ScoreType = "float64",
    texts: TextSource | Texts | None = None,
    jobs: int | None = None,
    cells: int = CELLS,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Comparison:
    """Compare runs: all pairs, or all with the *baseline*; only the *top* so many runs, where given.

    Grades of holes are drawn from the *prior*; with ``evidence``, the default where *groups* are given, from what runs
    of other groups say about them. With *corpus*, runs are read again, to be scored on images of the corpus. *cells*
    bounds memory; it changes no number, and neither does the number of threads.
    """
    _check(measure, top, draws)
    if prior is None:
        prior = _usual_prior(measure, groups)
    elif prior not in get_args(Prior):
        raise InputError(f"prior must be one of {', '.join(map(repr, get_args(Prior)))}, not {prior!r}")
    model = hole_models.parse(f"bootstrap(prior={prior})")
    model.check(measure)
    test, interval = tests.choose(test), methods.choose(interval)
    correction = correction_for(test, correction)
    if len(runs) < 2:
        raise InputError(f"a comparison needs at least two runs, not {len(runs)}")
    check_needs(qrels, [measure], texts=texts is not None)
    if corpus is not None:
        check_images([measure])
        runs = [source.rereadable(score_type=score_type) for source in runs]
    qrels, runs, notices = add_pool(qrels, runs, pool=pool, pool_depth=pool_depth, score_type=score_type, jobs=jobs)
    missing_pool = MissingPool(qrels, [measure], given=pool is not None or pool_depth is not None)
    models: Sequence[ModelSize] = ()
    if texts is not None:
        from unjudged.engine.reading_texts import add_texts  # readers of texts, which few studies need

        qrels, runs, models, text_notices = add_texts(
            qrels, runs, [measure], [model], texts, score_type=score_type, jobs=jobs
        )
        notices = [*notices, *text_notices]
    qrels, runs, heard = add_testimony(
        qrels,
        runs,
        [model],
        groups or Groups(),
        depth=deepest_rank([measure]),
        pool_depth=pool_depth,
        score_type=score_type,
        jobs=jobs,
    )
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own
    measure.prepare(qrels)
    others = other_runs(qrels) if model.asks_runs else None
    workers = worker_count(jobs, len(runs))

    def read(source: RunSource) -> Sighting:
        run = source.read(score_type=score_type)
        check_topics(run, qrels)
        return look(run, qrels, measure, seed, missing_pool, others)

    found = list(watched(progress, in_order(read, runs, workers), len(runs), "reading runs"))
    names = unique_names([(one.name, one.source) for one in found])
    _check_baseline(baseline, names)
    kept, undefined = _defined_topics(measure, found)
    # From all runs, so that leaving some out with `top` changes no draw.
    shared = shared_prior(found)
    if others is not None:
        reach = others.reach(measure.depth())
        found = with_one_ideal(measure, found, shared, reach=reach, draws=draws, seed=seed)
    order = _order(found, kept, names, baseline, top)
    found, names = [found[i] for i in order], [names[i] for i in order]
    notices = [
        *ignored_subtopics(qrels, [measure]),
        *notices,
        *heard,
        *(() if others is None else others.notices),
        *missing_pool.notices,
        *topic_notices(zip(names, found, strict=True), len(qrels.topics)),
        *undefined,
    ]

    observed = np.stack([one.scores[kept] for one in found])
    notices += measure.remarks(observed)
    draw = partial(draw_worlds, measure, prior=shared, kept=kept, draws=draws, seed=seed, cells=cells)
    worlds = list(watched(progress, in_order(draw, found, workers), len(found), "drawing grades"))
    against = None if baseline is None else names.index(baseline)
    signs = significance(observed, test=test, correction=correction, baseline=against, seed=seed, progress=progress)
    bounds = pair_bounds(measure, found, signs.pairs, kept, progress=progress) if measure.has_holes else None
    images: OnImages | None = None
    if corpus is not None:
        again = list(in_order(lambda i: runs[i].read(score_type=score_type), order.tolist(), workers))
        images = draw_images(
            again, qrels, measure, corpus, observed=observed, kept=kept, seed=seed, jobs=jobs, progress=progress
        )
        notices += images.notices
    judged = np.stack([one.judged[kept] for one in found])
    evidence = Evidence(names, observed, judged, worlds, signs, bounds, images, interval, draws, seed)
    ranks = evidence.ranks()
    if measure.has_holes:
        notices += [*_mostly_holes(measure, judged), *_too_deep(measure, worlds)]
    return Comparison(
        measure=str(measure),
        test=str(signs.test),
        correction=str(signs.correction),
        interval=str(interval),
        draws=draws,
        prior=prior,
        images=None if corpus is None else corpus.images,
        corpus_size=None if images is None else images.size,
        topics=len(kept),
        baseline=baseline,
        depth=measure.depth(),
        runs_rows=run_rows(evidence, ranks),
        pair_rows=pair_rows(evidence),
        rank_rows=rank_rows(names, ranks),
        budget_rows=budget_rows(evidence),
        models=tuple(models),
        warnings=(*notices, *signs.warnings),
        provenance=provenance or Provenance(seed=seed),
    )


def _check(measure: Measure, top: int | None, draws: int) -> None:
    if measure.summary != "mean":
        raise InputError(f"{measure} is not a mean over topics; compare with a measure that is, such as nDCG@10")
    if top is not None and top < 2:
        raise InputError(f"a comparison needs at least two runs, not the top {top}")
    Whole(1).checked("draws", draws)


def _usual_prior(measure: Measure, groups: Groups | None) -> Prior:
    """Evidence where it is known who made which run, unless the measure has no use for it."""
    known = groups is not None and groups.of_run is not None
    return "evidence" if known and hole_models.parse("bootstrap(prior=evidence)").suits(measure) else "pool+run"


def _check_baseline(baseline: str | None, names: Sequence[str]) -> None:
    if baseline is not None and baseline not in names:
        shown = some_of(names)
        raise InputError(f"no run is named {baseline!r}, which --baseline asks for; there is {shown}")


def _defined_topics(measure: Measure, found: Sequence[Sighting]) -> tuple[Ints, list[Notice]]:
    """Positions of the topics for which every run has a score; a paired comparison needs the same ones for all."""
    missing = np.zeros(len(found[0].scores), dtype=bool)
    for one in found:
        missing |= np.isnan(one.scores)
    count = int(missing.sum())
    if count == len(missing):
        raise InputError(f"{measure} is undefined for every topic in at least one run: there is nothing to compare")
    text = f"{measure} is undefined for some run on {count} of {len(missing)} topics; they are left out for all runs"
    return np.flatnonzero(~missing), [Notice("undefined", count, text)] if count else []


def _order(found: Sequence[Sighting], kept: Ints, names: Sequence[str], baseline: str | None, top: int | None) -> Ints:
    """Positions of the runs to compare, best first; the baseline is always among them."""
    means = np.array([one.scores[kept].mean() for one in found])
    order = np.argsort(-means, kind="stable")
    if top is None:
        return order
    best = order[:top].tolist()
    return np.array([i for i in order.tolist() if i in best or names[i] == baseline], dtype=np.int64)


def _mostly_holes(measure: Measure, judged: Floats) -> list[Notice]:
    """Whether most of what the measure looks at is unjudged, so that a belief decides more than judgments do."""
    share = float(mean_known(mean_known(judged)))
    if not share < _FEW:
        return []
    text = (
        f"only {share:.1%} of the documents that {measure} looks at are judged: P(A>B) and the verdict 'likely' rest"
        " mostly on a belief about the others; use a lower cut-off"
    )
    return [Notice("mostly-holes", int((mean_known(judged) < _FEW).sum()), text)]


def _too_deep(measure: Measure, worlds: Sequence[Drawn]) -> list[Notice]:
    """Whether holes are so many that draws exceed what the measure can be, R and ideal ranking being fixed."""
    share = float(np.mean([one.above for one in worlds]))
    if share < _RARE:
        return []
    text = (
        f"{share:.1%} of the drawn scores of {measure} are above its limit: there are more holes than these judgments"
        " can say much about; use a lower cut-off"
    )
    return [Notice("drawn-above-limit", sum(one.above > 0 for one in worlds), text)]
