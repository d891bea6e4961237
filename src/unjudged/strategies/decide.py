"""Which of these runs is better? The documents first that say most about differences that are still open.

This is the minimal test collection of Carterette, Allan and Sitaraman (2006), with a model of grades instead of equal
chances: a document is worth as much as its judgment is expected to narrow the undecided differences, through its own
grade and through what that says about other documents.
"""

from __future__ import annotations

from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.errors import InputError, some_of
from unjudged.limits import RunPair
from unjudged.measures.base import Measure
from unjudged.measures.gain import nDCG
from unjudged.measures.relative import Base
from unjudged.spec import Real, param
from unjudged.strategies.base import Batch, Order, Strategy, first_by
from unjudged.strategies.candidates import Candidates
from unjudged.strategies.grade_fit import fit_grades
from unjudged.strategies.grade_posterior import GradeDescriptions, GradePosterior, Predicted
from unjudged.strategies.score_posterior import Outlook, look_ahead
from unjudged.strategies.score_weights import ScoreWeights, check_measure, score_weights

__all__ = ["SETTLED", "Decide", "DecideOrder", "open_directions"]

_ROUND = 100
"""So many documents are chosen from one look at all of them, ..."""
_SHORTLIST = 400
"""... among so many that are best at that look."""
SETTLED = 1e-18
"""A variance of a difference of means below which it is known."""
_LEAST = 1e-300
_TOO_SMALL_TO_MATTER = 1e-7
"""A variance of a difference of means below which the difference counts in proportion: it is some 0.0003, and a
variance near 0 is mostly the last bits of larger ones, which differ between machines."""


class Decide(Strategy):
    """Documents that say most about which of the runs, or which of two, is better; the rest after them.

    The measure must be a weighted sum of gains. A difference is decided where it has one sign with probability
    1 - risk; it then no longer counts, until all are decided. One batch is chosen as if its documents were judged one
    by one: what two documents both say is counted once.
    """

    name = "decide"
    nameless = "runs"
    several_nameless = True
    title = "By what it says about undecided differences"
    reference = "B. Carterette, J. Allan, R. Sitaraman. Minimal test collections for retrieval evaluation. SIGIR 2006."
    priority = "share of the undecided differences' variance that the judgment removes"
    uses_labels = True

    runs: tuple[str, str] | None = param(None, RunPair(), "the two runs to decide between; all unless given")
    measure: Measure = param(nDCG @ 10, Base(), "what runs are compared by, a weighted sum of gains")
    risk: float = param(0.025, Real(0, 0.5, "neither"), "chance of the wrong sign at which a difference is decided")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_measure(self.measure)

    def check(self, candidates: Candidates) -> None:
        """Both runs must be there."""
        for name in self.runs or ():
            if name not in candidates.runs:
                raise InputError(
                    f"no run is named {name!r}, which {self} asks for; there is {some_of(candidates.runs)}"
                )

    def start(self, candidates: Candidates, *, seed: int) -> DecideOrder:
        """Its order on a collection."""
        self.check(candidates)
        return DecideOrder(self, candidates)


class _State(NamedTuple):
    posterior: GradePosterior
    outlook: Outlook


class DecideOrder(Order):
    """What was told, and the posterior that follows."""

    def __init__(self, strategy: Decide, candidates: Candidates) -> None:
        super().__init__(candidates)
        self.strategy = strategy
        self.weights: ScoreWeights = score_weights(strategy.measure, candidates)
        self._descriptions = GradeDescriptions(candidates, self.weights.depth)
        self._mode: Floats | None = None
        self._posterior: GradePosterior | None = None
        self._outlooks: dict[tuple[int, ...], Outlook] = {}

    def learn(self, pairs: Ints) -> None:
        """Judgments change the posterior."""
        self._posterior = None
        self._outlooks.clear()

    @property
    def posterior(self) -> GradePosterior:
        """What grades are expected to be after what was told."""
        if self._posterior is None:
            judged = np.flatnonzero(self.judged)
            self._posterior = fit_grades(self._descriptions, judged, self.grades[judged].astype(np.int64), self._mode)
            self._mode = self._posterior.mode
        return self._posterior

    @property
    def state(self) -> _State:
        """The posterior, and where the scores of all runs will end up."""
        return _State(self.posterior, self._outlook_of(()))

    @property
    def focus(self) -> Outlook:
        """Where the scores of the two runs to decide between will end up, in that order; of all if it is about all."""
        return self._outlook_of(self.wanted or ())

    def _outlook_of(self, runs: tuple[int, ...]) -> Outlook:
        if runs not in self._outlooks:
            weights = self.weights.of(runs) if runs else self.weights
            self._outlooks[runs] = look_ahead(weights, self.posterior, self.judged, self.grades.astype(np.int64))
        return self._outlooks[runs]

    @cached_property
    def wanted(self) -> tuple[int, int] | None:
        """The positions of the two runs to decide between, if there are."""
        names = self.candidates.runs
        return None if self.strategy.runs is None else tuple(map(names.index, self.strategy.runs))  # type: ignore[return-value]

    def ask(self, number: int) -> Batch:
        """Documents are chosen one by one, as if each were judged before the next is chosen.

        Those that count for no run come after all that do, though they may say something about these.
        """
        number = min(number, int(self.open.sum()))
        outlook = self.focus
        asked = None if self.wanted is None else (0, 1)
        directions = open_directions(outlook, asked, self.strategy.risk, relative=True)
        chosen: list[int] = []
        shares: list[float] = []
        counted = np.zeros(len(self.candidates), dtype=bool)
        counted[outlook.pairs] = True
        for some in (counted, ~counted):
            if len(chosen) == number:
                break
            among = np.flatnonzero(self.open & some)
            predicted = self._predicted(among)
            while len(chosen) < number and len(among):
                few = min(_ROUND, number - len(chosen))
                pairs, priorities = self._round(outlook, directions, among, predicted, few)
                chosen += pairs.tolist()
                shares += priorities.tolist()
                left = ~np.isin(among, pairs)
                if len(chosen) < number:
                    outlook = outlook.after(pairs, predicted.take(np.searchsorted(among, pairs)))
                among, predicted = among[left], predicted.take(left)
        pairs = np.array(chosen[:number], dtype=np.int64)
        return Batch(pairs, np.array(shares[:number]))

    def grade_probabilities(self, pairs: Ints) -> Floats:
        """Of each grade of the scale, as the posterior has them."""
        return self.posterior.of_grades(self.posterior.probabilities(pairs))

    def _predicted(self, pairs: Ints) -> Predicted:
        gains = self._descriptions.of_levels(self.weights.gains)
        return self.posterior.predict(self.posterior.chances(pairs), gains)

    def _round(
        self, outlook: Outlook, directions: Floats, among: Ints, predicted: Predicted, number: int
    ) -> tuple[Ints, Floats]:
        """The next *number* documents at most, and the share of the open variance that each removes."""
        narrowing = outlook.narrowing(directions, among, predicted)
        if number == 1:
            return first_by(self.candidates, among, narrowing, 1)
        short, _ = first_by(self.candidates, among, narrowing, _SHORTLIST)
        short = np.sort(short)
        places = np.searchsorted(among, short)
        some = predicted.take(places)
        with_gains, between = outlook.covariances(directions, short, some)
        left = np.arange(len(short))
        chosen, shares = [], []
        for _ in range(min(number, len(short))):
            variance = np.maximum(np.diag(between)[left], _LEAST)
            worth = (with_gains[:, left] ** 2).sum(axis=0) / variance
            (best,), (share,) = first_by(self.candidates, short[left], worth, 1)
            chosen.append(int(best))
            shares.append(float(share))
            at = int(np.searchsorted(short, best))
            row = between[at] / max(between[at, at], _LEAST)
            with_gains = with_gains - np.outer(with_gains[:, at], row)
            between = between - np.outer(between[at], row)
            left = left[left != at]
        return np.array(chosen, dtype=np.int64), np.array(shares)


def open_directions(outlook: Outlook, wanted: tuple[int, int] | None, risk: float, *, relative: bool) -> Floats:
    """Combinations of runs whose variances add up to the mean of those of the undecided differences.

    There are as many combinations as runs at most, however many differences. *relative*: each variance relative to what
    it is now, and differences count by how likely one more judgment is to change their sign: by the normal density at
    their distance from 0, in standard deviations. Where all are decided, all count; of a single run, its score.
    """
    runs = len(outlook.expected)
    covariance = outlook.covariance()
    if runs == 1:
        return np.ones((1, 1)) / (np.sqrt(max(float(covariance[0, 0]), _LEAST)) if relative else 1.0)
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    difference = np.abs(outlook.expected[:, None] - outlook.expected)
    unsettled = variance > SETTLED
    distance = np.divide(
        difference, np.sqrt(np.maximum(variance, _LEAST)), out=np.zeros_like(difference), where=unsettled
    )
    counted = unsettled & (distance < NormalDist().inv_cdf(1 - risk))
    if not counted.any():
        counted = unsettled
    if wanted is not None:
        counted = np.zeros_like(unsettled)
        counted[wanted, wanted[::-1]] = True
    strength = np.zeros_like(difference)
    nearest = distance[counted].min(initial=np.inf)
    strength[counted] = np.exp(0.5 * (nearest**2 - distance[counted] ** 2)) if relative else 1.0
    worth = strength / max(float(strength.sum()) / 2, _LEAST)
    if relative:
        worth = np.where(unsettled, worth / np.maximum(variance, _TOO_SMALL_TO_MATTER), 0.0)
    values, vectors = np.linalg.eigh(np.diag(worth.sum(axis=1)) - worth)
    kept = values > 1e-12 * max(float(values[-1]), _LEAST)
    out: Floats = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    return out
