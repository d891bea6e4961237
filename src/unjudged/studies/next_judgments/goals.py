"""Questions that judging shall answer: whether they are answered, and how many more judgments that should take."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.errors import InputError, some_of
from unjudged.results.next_judgments import GoalRow, PairOutlookRow, RecallRow
from unjudged.strategies.decide import SETTLED
from unjudged.studies.next_judgments.forecast import Forecast
from unjudged.wording import shortened

__all__ = ["INTERVAL", "Goal", "goal_row", "read_goal"]

INTERVAL = NormalDist().inv_cdf(0.975)
"""Half of the width of a 95% interval, in standard deviations."""
_PATHS = 200
"""Ways in which the judgments to come could turn out, that are tried."""
_WORDS = "a goal is order, 'A>B' with the names of two runs, recall=0.9 or width=0.02"


class Goal(NamedTuple):
    """A question: of two ``runs``, of all runs' order, or a ``target`` for recall or for the width of intervals."""

    text: str
    kind: str
    runs: tuple[int, int] | None = None
    target: float = 0.0


def read_goal(text: str, names: Sequence[str]) -> Goal:
    """What the user calls a goal. Names of runs may have the sign ``>`` themselves."""
    if text == "order":
        return Goal(text, "order")
    kind, equals, value = text.partition("=")
    if equals and kind in {"recall", "width"}:
        return Goal(text, kind, target=_target(kind, value))
    splits = [(text[:at].strip(), text[at + 1 :].strip()) for at, char in enumerate(text) if char == ">"]
    for better, worse in splits:
        if better in names and worse in names and better != worse:
            return Goal(text, "pair", (names.index(better), names.index(worse)))
    if not splits:
        raise InputError(f"{_WORDS}, not {shortened(text)}")
    unknown = next((one for one in splits[0] if one not in names), None)
    if unknown is None:
        raise InputError(f"{_WORDS}; {shortened(text)} has the same run twice")
    raise InputError(f"no run is named {unknown!r}, which --goal {shortened(text)} asks for; there is {some_of(names)}")


def _target(kind: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 < number <= 1:
        raise InputError(f"{kind} of a goal is a number above 0 and at most 1, not {shortened(value)}")
    return number


def goal_row(
    goal: Goal,
    forecast: Forecast,
    pairs: Sequence[PairOutlookRow],
    names: Sequence[str],
    recall: RecallRow,
    *,
    risk: float,
    seed: int,
) -> GoalRow:
    """What is known about a goal now, and the judgments until it is reached."""
    if goal.kind == "recall":
        return _recall_row(goal, forecast, recall)
    if goal.kind == "width":
        return _width_row(goal, forecast)
    asked = pairs if goal.runs is None else [_row_of(pairs, names[goal.runs[0]], names[goal.runs[1]])]
    open_rows = [row for row in asked if row.verdict == "undecided"]
    if not open_rows:
        return GoalRow(goal.text, True, _decided(asked, goal), None, None, None)
    position = {name: place for place, name in enumerate(names)}
    open_pairs = np.array([[position[row.run], position[row.other]] for row in open_rows], dtype=np.int64)
    needed = _until_decided(forecast, open_pairs, risk, seed)
    answer = _undecided(open_rows, len(asked), goal)
    low, middle, high = np.quantile(needed, [0.05, 0.5, 0.95], method="higher").tolist()
    return GoalRow(goal.text, False, answer, int(middle), int(low), int(high))


def _row_of(pairs: Sequence[PairOutlookRow], one: str, other: str) -> PairOutlookRow:
    return next(row for row in pairs if {row.run, row.other} == {one, other})


def _decided(asked: Sequence[PairOutlookRow], goal: Goal) -> str:
    if goal.runs is None and not asked:
        return "there is only one run, so there is no pair to decide"
    if goal.runs is None:
        return f"all {len(asked):,} pairs of runs are decided" if len(asked) > 1 else "the only pair of runs is decided"
    (row,) = asked
    if row.difference == 0 and row.low == row.high:
        return f"{row.run} and {row.other} are equal"
    return f"{row.run} is better than {row.other} ({row.verdict})"


def _undecided(open_rows: Sequence[PairOutlookRow], number: int, goal: Goal) -> str:
    if goal.runs is None:
        return f"{len(open_rows):,} of {number:,} pairs of runs are undecided"
    row = open_rows[0]
    return f"undecided: {row.run} is better than {row.other} with probability {row.p_greater:.2f}"


def _until_decided(forecast: Forecast, pairs: Ints, risk: float, seed: int) -> Ints:
    """Judgments until all *pairs* are decided at once, in each of many ways in which these could turn out.

    What is expected of a difference wanders as judgments come in, by as much as they narrow it.
    """
    rng = np.random.default_rng(seed)
    least = NormalDist().inv_cdf(1 - risk)
    values = np.repeat(forecast.expected[:, None], _PATHS, axis=1)
    needed = np.full(_PATHS, forecast.judgments[-1], dtype=np.int64)
    open_paths: Flags = np.ones(_PATHS, dtype=bool)
    before = forecast.covariances[0]
    for number, covariance in zip(forecast.judgments, forecast.covariances, strict=True):
        values = values + _root(before - covariance) @ rng.standard_normal((len(values), _PATHS))
        before = covariance
        spread = np.sqrt(np.maximum(_variances(covariance, pairs), SETTLED))
        apart = np.abs(values[pairs[:, 0]] - values[pairs[:, 1]])
        decided = open_paths & (apart >= least * spread[:, None]).all(axis=0)
        needed[decided] = number
        open_paths &= ~decided
    return np.maximum(needed, 1)


def _variances(covariance: Floats, pairs: Ints) -> Floats:
    first, second = pairs.T
    own = np.diag(covariance)
    out: Floats = own[first] + own[second] - 2 * covariance[first, second]
    return out


def _root(covariance: Floats) -> Floats:
    """A matrix whose product with standard normal numbers has this covariance: the symmetric one.

    There is only one, while eigenvectors are turned by the last bits of the numbers, which differ between machines.
    """
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    out: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return out


def _width_row(goal: Goal, forecast: Forecast) -> GoalRow:
    widths = [2 * INTERVAL * float(one.max()) for one in forecast.deviations]
    answer = f"the widest 95% interval of a run's mean score is {widths[0]:.4f}, by the model of grades"
    if widths[0] <= goal.target:
        return GoalRow(goal.text, True, answer, None, None, None)
    place = int(np.argmax(np.array(widths) <= goal.target))
    return GoalRow(goal.text, False, answer, int(forecast.judgments[place]), None, None)


def _recall_row(goal: Goal, forecast: Forecast, recall: RecallRow) -> GoalRow:
    if recall.recall is None or recall.low is None or recall.high is None:
        return GoalRow(goal.text, False, "no relevant document is expected", None, None, None)
    between = f"estimated as {recall.recall:.2f} ({recall.low:.2f} to {recall.high:.2f})"
    answer = f"recall is {f'{recall.low:.2f} or more' if recall.at_most else between}"
    if recall.low >= goal.target:
        return GoalRow(goal.text, True, answer, None, None, None)
    found = recall.found + forecast.found
    reached = found >= goal.target * (found + forecast.missing + INTERVAL * forecast.missing_sd)
    return GoalRow(goal.text, False, answer, int(forecast.judgments[int(np.argmax(reached))]), None, None)
