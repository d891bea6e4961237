"""Is A better than B, when unjudged documents could have any grade, or drawn ones? One p-value for two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.engine.numerics.difference_bounds import topic_bounds
from unjudged.engine.numerics.joint_imputations import Drawn, ScoredRun, as_scored, drawn_scores, shared_prior
from unjudged.errors import InputError
from unjudged.limits import Choice, Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.uncertainty.tests_with_open_grades import highest_p, imputed_ps, plain_p

__all__ = ["Grades", "check_grades", "hole_aware_p", "p_with_worlds", "score_runs"]

LEAST_WORLDS = 2
"""Fewer have no variance."""
_PAIRS_AT_ONCE = 64
"""Pairs whose drawn differences are in memory together."""

Grades = Literal["any", "drawn"]
"""``any``: the highest p-value over all grades of the holes. ``drawn``: grades are drawn, and their variance counts."""


def check_grades(grades: Grades, draws: int) -> None:
    """Refuse what cannot be asked for."""
    Choice(get_args(Grades)).checked("grades", grades)
    Whole(2).checked("draws", draws)


def score_runs(qrels: Qrels, runs: Sequence[Run], measure: Measure, *, seed: int = DEFAULT_SEED) -> list[ScoredRun]:
    """What a measure sees of each run."""
    check_needs(qrels, [measure])
    measure.prepare(qrels)
    return [as_scored(run, qrels, measure, seed) for run in runs]


def p_with_worlds(observed: Floats, worlds: Sequence[Drawn], pairs: Ints) -> Floats:
    """The same for drawn grades, of *pairs* of runs that were drawn in the same worlds; *observed* are all scores."""
    out = np.empty(len(pairs))
    whole = [np.ascontiguousarray(one.whole.T) for one in worlds]
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = pairs[start : start + _PAIRS_AT_ONCE]
        differences = np.stack([observed[a] - observed[b] for a, b in some.tolist()])
        if len(whole[0]) < LEAST_WORLDS:
            out[start : start + len(some)] = [plain_p(one) for one in differences]
        else:
            drawn = np.stack([whole[a] - whole[b] for a, b in some.tolist()])
            out[start : start + len(some)] = _agreed(drawn, differences)
    return out


def _agreed(drawn: Floats, observed: Floats) -> Floats:
    """A p-value is read beside the observed difference, and must not confirm it where drawn grades turn it around."""
    agreed = drawn.mean(axis=(1, 2)) * observed.mean(axis=1) > 0
    return np.where(agreed, imputed_ps(drawn), 1.0)


def hole_aware_p(
    measure: Measure,
    scored_runs: Sequence[ScoredRun],
    first: int,
    second: int,
    *,
    topics: Ints | None = None,
    grades: Grades = "any",
    draws: int = 1000,
    seed: int = DEFAULT_SEED,
) -> float:
    """The p-value of a paired t test of two of the runs, over all judged topics or these (their positions).

    Topics for which one of the runs has no score are left out. Grades are drawn as the worlds of ``compare``, from a
    prior that all *scored_runs* share; where they turn the difference of the means around, p is 1. For a measure that
    takes no grades for holes it is the plain test.
    """
    observed = scored_runs[first].scores - scored_runs[second].scores
    among = np.arange(len(observed)) if topics is None else topics
    kept = among[np.isfinite(observed[among])]
    if not len(kept):
        raise InputError(f"on every topic {measure} is undefined for one of the two runs: there is nothing to test")
    if not measure.has_holes:
        return plain_p(observed[kept])
    if grades == "any":
        low, high = topic_bounds(measure, [scored_runs[first], scored_runs[second]], 0, 1, kept).widest()
        return highest_p(low[kept], high[kept])
    prior = shared_prior(scored_runs)
    drawn = [drawn_scores(measure, scored_runs[run], prior, draws, seed)[kept] for run in (first, second)]
    return float(_agreed((drawn[0] - drawn[1]).T[None], observed[kept][None])[0])
