"""Our measures and a test that knows of unjudged documents, for ``pt.Experiment`` of PyTerrier::

    import pyterrier as pt
    from unjudged.compat.pyterrier import hole_aware_test, indAP, nDCG_lower

    results = {"bm25": bm25(topics), "neural": neural(topics)}
    pt.Experiment(results, topics, qrels, [nDCG_lower @ 10, indAP])

    measures = [pt.measures.nDCG @ 10, pt.measures.P @ 10]
    test = hole_aware_test(qrels, results, measures, topics=topics)
    pt.Experiment(results, topics, qrels, measures, baseline="bm25", test=test)

Importing this module also does what importing :mod:`unjudged.compat.ir_measures` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from unjudged import api
from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.engine.numerics.joint_imputations import ScoredRun
from unjudged.errors import InputError, MissingExtraError, some_of
from unjudged.io.table_columns import is_frame
from unjudged.measures import Measure
from unjudged.results.provenance import DEFAULT_SEED
from unjudged.studies.hole_aware_significance import Grades, check_grades, hole_aware_p, score_runs

try:
    from unjudged.compat.ir_measures import OURS, counterpart, nrg_against
except MissingExtraError:
    raise MissingExtraError("PyTerrier", "pyterrier", "unjudged.compat.pyterrier") from None

__all__ = ["MEASURES", "HoleAwareTest", "Tested", "hole_aware_test", "nrg_against"]


MEASURES = {name: measure for name, measure in OURS.items() if measure.spec.summary == "mean"}
"""Our measures by name; each is also a name of this module. pt.Experiment takes the mean of every measure over topics,
so those with another summary (a sum, a geometric mean) are left out."""
__all__ += list(MEASURES)

_ROUNDING = 1e-5
"""Scores that differ by less can be the same: some providers of ir_measures round to five decimals."""


class Tested(NamedTuple):
    """What a test of pt.Experiment returns, which shows the second value."""

    difference: float
    """Of the means, as they are in the table."""
    pvalue: float


@dataclass(frozen=True, eq=False)
class HoleAwareTest:
    """A function of two arrays of per-topic scores, for ``test=`` of pt.Experiment; see :func:`hole_aware_test`."""

    seen: tuple[tuple[Measure, list[ScoredRun]], ...]
    """What each measure sees of each run."""
    answered: tuple[Flags, ...]
    """Which judged topics each run has."""
    topics: Ints
    """Positions of the experiment's topics among the judged ones."""
    grades: Grades = "any"
    draws: int = 1000
    seed: int = DEFAULT_SEED

    def __call__(self, scores: Any, baseline: Any) -> Tested:
        """Test the run that has these *scores* against the run that has those of the *baseline*."""
        first, second = np.asarray(scores, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
        p = [
            hole_aware_p(measure, runs, *pair, topics=self.topics, grades=self.grades, draws=self.draws, seed=self.seed)
            for measure, runs in self.seen
            for pair in self._pairs_with(runs, first, second)
        ]
        if not p:
            raise InputError(
                f"hole_aware_test knows no two runs with these scores for {len(first)} topics: give it the judgments,"
                " results, measures and topics of the experiment"
            )
        return Tested(float(np.nanmean(first - second)), max(p))

    def _pairs_with(self, runs: list[ScoredRun], first: Floats, second: Floats) -> Iterator[tuple[int, int]]:
        """Pairs of runs that have these scores, in whichever order the topics come."""
        # ir_measures gives 0 to a topic that a run lacks, also where a measure says that it is undefined.
        scores = [np.where(has, run.scores, 0.0)[self.topics] for has, run in zip(self.answered, runs, strict=True)]
        for a, b in product(*([i for i, one in enumerate(scores) if _same(one, given)] for given in (first, second))):
            if _same(scores[a] - scores[b], first - second):
                yield a, b


def hole_aware_test(
    qrels: Any,
    results: Any,
    measures: str | Iterable[Any],
    *,
    topics: Any = None,
    grades: Grades = "any",
    draws: int = 1000,
    seed: int = DEFAULT_SEED,
) -> HoleAwareTest:
    """A paired t test for ``test=`` of pt.Experiment that takes no score for exact where documents are unjudged.

    pt.Experiment gives a test the two runs' scores and nothing else, neither their names nor the measure. So the test
    gets *qrels*, *results* (frames or whatever :func:`unjudged.read_runs` takes) and *measures* beforehand, as the
    experiment gets them, and recognises runs and measure by their scores; where several fit, the highest p-value
    counts. Give it the *topics* as well, since pt.Experiment leaves out judgments of others.

    *grades*: ``any`` gives the highest p-value over all grades that the unjudged documents of the two runs could get,
    so what is significant stays so whatever they are judged. ``drawn`` draws grades as :func:`unjudged.compare` does,
    *draws* times, and adds the variance that they bring (multiple imputation); where they turn the difference of the
    means around, p is 1. It rests on a belief, and says more where there are many unjudged documents. Without any, both
    are the plain t test.
    """
    check_grades(grades, draws)
    judged = api.read_qrels(qrels, negative="pooled")  # as pt.Experiment reads them
    runs = api.read_runs(results, scores="float32")  # ranked as by pytrec_eval, which pt.Experiment asks
    if len(runs) < 2:
        raise InputError(f"a test needs at least two runs, not {len(runs)}")
    listed = [measures] if isinstance(measures, str) else measures
    chosen = dict.fromkeys(spec for measure in listed for spec in _specs(measure))
    seen = tuple((spec, score_runs(judged, runs, spec, seed=seed)) for spec in chosen)
    answered = tuple(run.answered(judged.topics) for run in runs)
    return HoleAwareTest(seen, answered, _positions(judged, topics), grades, draws, seed)


def _positions(judged: Qrels, topics: Any) -> Ints:
    """Where an experiment's topics are among the judged ones."""
    if topics is None:
        return np.arange(len(judged.topics))
    wanted = set(map(str, topics["qid"] if is_frame(topics) else topics))
    rows = [row for topic, row in judged.topic_rows.items() if topic in wanted]
    if not rows:
        raise InputError(f"none of the topics is judged; the judged ones are {some_of(judged.topics)}")
    return np.array(rows, dtype=np.int64)


def _same(scores: Floats, given: Floats) -> bool:
    """Whether two arrays have the same numbers, in any order and but for rounding; undefined ones do not count."""
    scores, given = np.sort(scores[~np.isnan(scores)]), np.sort(given[~np.isnan(given)])
    return len(scores) == len(given) and bool(np.allclose(scores, given, rtol=0, atol=_ROUNDING))


def _specs(measure: Any) -> list[Measure]:
    """Our measures for one of an experiment's: a name as trec_eval's, or a measure of ir_measures."""
    if measure == "mrt":  # PyTerrier's mean response time, which it does not test
        return []
    return api.read_measures(measure) if isinstance(measure, str | Measure) else [counterpart(measure)]


def __getattr__(name: str) -> Any:
    if name in MEASURES:
        return MEASURES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
