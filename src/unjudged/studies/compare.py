"""Which of my runs are better, and could judging the holes change the answer?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unjudged.data.comparison import BudgetRow, Comparison, PairRow, RankRow, RunRow, Verdict
from unjudged.data.provenance import DEFAULT_SEED, Provenance
from unjudged.data.qrels import Qrels
from unjudged.data.run import ScoreType
from unjudged.data.scores import mean_known
from unjudged.data.texts import ModelSize, Texts
from unjudged.engine.differences import PairBounds, pair_bounds
from unjudged.engine.pooling import add_pool
from unjudged.engine.worlds import CELLS, Drawn, Sighting, draw_worlds, look, shared_prior
from unjudged.errors import InputError, Notice
from unjudged.io.reading import RunSource
from unjudged.io.trec import unique_names
from unjudged.measures.base import Measure
from unjudged.measures.needs import check_needs, ignored_subtopics
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest, chosen, corrections
from unjudged.uncertainty.base import interval_methods as methods
from unjudged.uncertainty.base import significance_tests as tests
from unjudged.uncertainty.intervals import mean_interval
from unjudged.uncertainty.significance import Significance, significance
from unjudged.uncertainty.topics import resampled_means

if TYPE_CHECKING:
    from unjudged.io.texts import TextSource

__all__ = ["LIKELY", "Progress", "compare"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Progress = Callable[[Iterable[Sighting], int], Iterable[Sighting]]
"""Shows how far the work is: gets the runs as they are read and how many there will be, hands them on."""

LIKELY = 0.95
"""Share of the worlds in which one of two runs must be better for the verdict *likely*."""
LEVEL = 0.95
"""Level of all intervals."""
_TIE = 1e-12
"""Means that differ by less are the same: the order of sums makes no difference between runs."""
_PAIRS_AT_ONCE = 256
_RARE = 0.05
"""Share of drawn scores above the measure's limit from which the user is told."""


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
    seed: int = DEFAULT_SEED,
    score_type: ScoreType = "float64",
    texts: TextSource | Texts | None = None,
    jobs: int | None = None,
    cells: int = CELLS,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Comparison:
    """Compare runs: all pairs, or all with the *baseline*; only the *top* so many runs, where given.

    *cells* bounds memory; it changes no number, and neither does the number of threads.
    """
    _check(measure, top, draws)
    test, interval = chosen(tests, test), chosen(methods, interval)
    correction = None if correction is None else chosen(corrections, correction)
    if len(runs) < 2:
        raise InputError(f"a comparison needs at least two runs, not {len(runs)}")
    check_needs(qrels, [measure], texts=texts is not None)
    qrels, runs, notices = add_pool(qrels, runs, [measure], score_type=score_type, jobs=jobs)
    models: Sequence[ModelSize] = ()
    if texts is not None:
        from unjudged.engine.reading_texts import add_texts  # readers of texts, which few studies need

        qrels, runs, models, text_notices = add_texts(
            qrels, runs, [measure], texts, depth=measure.depth(), score_type=score_type, jobs=jobs
        )
        notices = [*notices, *text_notices]
    notices = [*notices, *_no_grades(measure)]
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own
    measure.prepare(qrels)
    workers = worker_count(jobs, len(runs))

    def read(source: RunSource) -> Sighting:
        run = source.read(score_type=score_type)
        if not set(run.topics) & qrels.topic_rows.keys():
            raise InputError(
                f"{run.source or run.name}: no topic of this run is judged"
                f" (the run has {run.topics[0]!r}, the judgments have {qrels.topics[0]!r})"
            )
        return look(run, qrels, measure, seed)

    stream: Iterable[Sighting] = in_order(read, runs, workers)
    found = list(stream if progress is None else progress(stream, len(runs)))
    names = unique_names([(one.name, one.source) for one in found])
    if baseline is not None and baseline not in names:
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise InputError(f"no run is named {baseline!r}, which --baseline asks for; there is {shown}")
    kept, undefined = _defined_topics(measure, found)
    prior = shared_prior(found)  # from all runs, so that leaving some out with `top` changes no draw
    order = _order(found, kept, names, baseline, top)
    found, names = [found[i] for i in order], [names[i] for i in order]
    notices = [*ignored_subtopics(qrels, [measure]), *notices, *_notices(found, names, len(qrels.topics)), *undefined]

    observed = np.stack([one.scores[kept] for one in found])
    notices += measure.remarks(observed)
    draw = partial(draw_worlds, measure, prior=prior, kept=kept, draws=draws, seed=seed, cells=cells)
    worlds = list(in_order(draw, found, workers))
    against = None if baseline is None else names.index(baseline)
    signs = significance(observed, test=test, correction=correction, baseline=against, seed=seed)
    bounds = pair_bounds(measure, found, signs.pairs, kept)
    ranks = _ranks(np.stack([one.resampled for one in worlds]))
    notices += _too_deep(measure, worlds)
    return Comparison(
        measure=str(measure),
        test=str(signs.test),
        correction=str(signs.correction),
        draws=draws,
        topics=len(kept),
        baseline=baseline,
        depth=measure.depth(),
        runs_rows=_run_rows(names, found, observed, worlds, ranks, kept, interval, seed),
        pair_rows=_pair_rows(names, observed, worlds if measure.has_holes else None, signs, bounds, interval, seed),
        rank_rows=_rank_rows(names, ranks),
        budget_rows=_budget_rows(names, worlds, draws, seed),
        models=tuple(models),
        warnings=(*notices, *signs.warnings),
        provenance=provenance or Provenance(seed=seed),
    )


def _check(measure: Measure, top: int | None, draws: int) -> None:
    if not measure.has_holes and "texts" not in measure.needs:
        raise InputError(
            f"{measure} drops unjudged documents or estimates without them, so grades for holes say nothing about it;"
            " compare with another measure, such as nDCG@10"
        )
    if measure.summary != "mean":
        raise InputError(f"{measure} is not a mean over topics; compare with a measure that is, such as nDCG@10")
    if top is not None and top < 2:
        raise InputError(f"a comparison needs at least two runs, not the top {top}")
    if draws < 1:
        raise InputError(f"draws must be a whole number of at least 1, not {draws}")


def _no_grades(measure: Measure) -> list[Notice]:
    """Grades of retrieved documents are nothing to a measure of texts, so drawing them says nothing."""
    if measure.has_holes:
        return []
    text = (
        f"{measure} compares texts, whatever their documents are judged: worst, best, P(A>B) and the"
        " uncertainty from holes are unknown, and every verdict is undetermined"
    )
    return [Notice("no-grades-to-draw", 1, text)]


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


def _notices(found: Sequence[Sighting], names: Sequence[str], topics: int) -> list[Notice]:
    notices = []
    for one, name in zip(found, names, strict=True):
        absent = int((~one.answered).sum())
        if absent:
            text = f"{name} lacks {absent} of {topics} judged topics; they count as 0"
            notices.append(Notice("missing-topics", absent, text))
        if one.extra_topics:
            text = f"{name} has {one.extra_topics} topics without judgments; they are left out"
            notices.append(Notice("unjudged-topics", one.extra_topics, text))
    return notices


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


# ---- tables


def _ranks(means: Floats) -> Ints:
    """Rank of each run in each draw, from 1; runs with the same mean share the better rank. Shape (runs, draws)."""
    ranks = np.ones(means.shape, dtype=np.int64)
    for one in means:
        ranks += one > means + _TIE
    return ranks


def _interval(values: Floats, method: IntervalMethod, seed: int) -> tuple[Floats, Floats]:
    """Ends of the interval of each row's mean; NaN with a single topic, which says nothing about others."""
    if values.shape[1] < 2:
        return np.full(len(values), np.nan), np.full(len(values), np.nan)
    found = mean_interval(values, method, level=LEVEL, seed=seed)
    return found.low, found.high


def _run_rows(
    names: Sequence[str],
    found: Sequence[Sighting],
    observed: Floats,
    worlds: Sequence[Drawn],
    ranks: Ints,
    kept: Ints,
    interval: IntervalMethod,
    seed: int,
) -> tuple[RunRow, ...]:
    low, high = _interval(observed, interval, seed)
    means = observed.mean(axis=1)
    place = _ranks(means[:, None])[:, 0]
    tails = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    rank_low, rank_high = np.quantile(ranks, tails, axis=1, method="inverted_cdf")
    judged = mean_known(np.stack([one.judged[kept] for one in found]))
    return tuple(
        RunRow(
            run=name,
            rank=int(place[i]),
            mean=float(means[i]),
            low=_known(low[i]),
            high=_known(high[i]),
            judged=_known(judged[i]),
            expected=float(worlds[i].means.mean()),
            rank_low=int(rank_low[i]),
            rank_high=int(rank_high[i]),
        )
        for i, name in enumerate(names)
    )


def _pair_rows(
    names: Sequence[str],
    observed: Floats,
    worlds: Sequence[Drawn] | None,
    signs: Significance,
    bounds: PairBounds,
    interval: IntervalMethod,
    seed: int,
) -> tuple[PairRow, ...]:
    out = []
    effects = signs.effects
    for start in range(0, len(signs.pairs), _PAIRS_AT_ONCE):
        first, second = signs.pairs[start : start + _PAIRS_AT_ONCE].T
        low, high = _interval(observed[first] - observed[second], interval, seed)
        for row, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            i = start + row
            difference = float(effects.mean_difference[i])
            drawn = np.zeros(1) if worlds is None else worlds[a].means - worlds[b].means  # nothing known: P = 0.5
            greater = float(((drawn > _TIE) + 0.5 * (np.abs(drawn) <= _TIE)).mean())
            out.append(
                PairRow(
                    run=names[a],
                    other=names[b],
                    difference=difference,
                    low=_known(low[row]),
                    high=_known(high[row]),
                    p=float(signs.p[i]),
                    corrected_p=float(signs.corrected[i]),
                    worst=_known(bounds.worst[i]),
                    best=_known(bounds.best[i]),
                    bounds="exact" if bounds.exact else "conservative",
                    p_greater=greater,
                    verdict=_verdict(difference, bounds, i, greater),
                    cohens_d=_known(effects.cohens_d[i]),
                    common_language=float(effects.common_language[i]),
                )
            )
    return tuple(out)


def _verdict(difference: float, bounds: PairBounds, pair: int, greater: float) -> Verdict:
    """Whether the sign of the difference can change with the labels of the holes."""
    low = min(difference, bounds.worst[pair], bounds.sure_low[pair])
    high = max(difference, bounds.best[pair], bounds.sure_high[pair])
    if low > _TIE or high < -_TIE or (low >= -_TIE and high <= _TIE):
        return "certain"
    return "likely" if greater >= LIKELY or greater <= 1 - LIKELY else "undetermined"


def _rank_rows(names: Sequence[str], ranks: Ints) -> tuple[RankRow, ...]:
    rows = []
    for name, drawn in zip(names, ranks, strict=True):
        values, counts = np.unique(drawn, return_counts=True)
        rows += [RankRow(name, rank, count / len(drawn)) for rank, count in zip(values.tolist(), counts, strict=True)]
    return tuple(RankRow(row.run, row.rank, float(row.share)) for row in rows)


def _budget_rows(names: Sequence[str], worlds: Sequence[Drawn], draws: int, seed: int) -> tuple[BudgetRow, ...]:
    topics = resampled_means(np.stack([one.expected for one in worlds]), draws=draws, seed=seed).std(axis=1)
    return tuple(
        BudgetRow(name, _spread(one.means), float(topics[i]), None, _spread(one.resampled))
        for i, (name, one) in enumerate(zip(names, worlds, strict=True))
    )


def _spread(values: Floats) -> float:
    """Standard deviation; exactly 0 for values that are all the same."""
    return float((values - values[0]).std())


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
