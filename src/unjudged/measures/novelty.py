"""Ideal rankings for measures of novelty: ndeval's greedy one, and the best one."""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, SmallInts
from unjudged.data.qrels import Qrels, State
from unjudged.data.relevance_profiles import profiles_of
from unjudged.data.spans import offsets_of, turns
from unjudged.data.view import View
from unjudged.errors import InputError

__all__ = ["best_ranking", "greedy_ranking"]


SCALE = 1e4
"""The solver stops within 1e-6 of the best value; on this scale, that is 1e-10 of a gain."""


def greedy_ranking(qrels: Qrels, alpha: float, depth: int) -> View:
    """For each topic the judged documents, at each rank the one that brings most there; of several, the greatest id.

    The arithmetic is ndeval's, step by step: which of two documents brings more can be a matter of rounding.
    """
    return _as_view(qrels, [_greedy(qrels, topic, alpha, depth) for topic in range(len(qrels.topics))])


def _as_view(qrels: Qrels, rankings: list[list[int]]) -> View:
    """Rankings of profiles, one for each topic, as a view."""
    offsets = offsets_of(np.array([len(ranking) for ranking in rankings], dtype=np.int64))
    grades = np.array([profile for ranking in rankings for profile in ranking], dtype=np.int32)
    states = np.full(len(grades), State.JUDGED, dtype=np.uint8)
    return View(qrels, np.arange(len(rankings), dtype=np.int64), offsets, grades, states)


def _greedy(qrels: Qrels, topic: int, alpha: float, depth: int) -> list[int]:
    """The profiles of the documents, best first. Documents with one profile are alike but for their ids."""
    rows = np.arange(qrels.offsets[topic], qrels.offsets[topic + 1])
    rows = rows[qrels.grades[rows] > 0]
    if not len(rows):
        return []
    ids = list(qrels.docs.take(rows))
    by_id = sorted(range(len(rows)), key=lambda i: ids[i].encode(), reverse=True)
    profiles, column = np.unique(qrels.grades[rows][by_id], return_inverse=True)
    places = [np.flatnonzero(column == profile).tolist() for profile in range(len(profiles))]
    weights = _weights(qrels, topic, profiles)
    gains, ranking = np.ones(weights.shape[1]), []
    taken = [0] * len(profiles)
    following = np.array([where[0] for where in places])
    for _ in range(min(depth, len(rows))):
        score = np.zeros(len(profiles))
        for subtopic, gain in enumerate(gains.tolist()):
            score += weights[:, subtopic] * gain
        score[following == len(rows)] = -1.0
        best = np.flatnonzero(score == score.max())
        chosen = int(best[np.argmin(following[best])])
        ranking.append(int(profiles[chosen]))
        taken[chosen] += 1
        following[chosen] = places[chosen][taken[chosen]] if taken[chosen] < len(places[chosen]) else len(rows)
        gains[weights[chosen] > 0] *= 1.0 - alpha
    return ranking


def _weights(qrels: Qrels, topic: int, profiles: SmallInts) -> Floats:
    """What a document with each of these profiles brings for each subtopic that counts, before anything was said.

    These are the weights as given, not shares: whole numbers add up without rounding, as they do in ndeval.
    """
    table = profiles_of(qrels)
    at, numbers, _ = table.entries(np.full(len(profiles), topic), profiles)
    subtopics, column = np.unique(numbers, return_inverse=True)
    weights = np.zeros((len(profiles), len(subtopics)))
    weights[at, column.reshape(-1)] = table.subtopics.weights[numbers]
    return weights


def best_ranking(qrels: Qrels, alpha: float, discounts: Floats) -> View:
    """For each topic the ranking of judged documents that gains most, as a whole-number program.

    x[p, r] says whether a document with profile p is at rank r. y[i, j, r] says whether rank r is the j-th to cover
    subtopic i, which brings (1 - alpha)^(j-1) times the discount of r. Nothing forces the y of a subtopic into order,
    but the best solution has them so: the highest gain goes with the highest discount.
    """
    return _as_view(qrels, [_best(qrels, topic, alpha, discounts) for topic in range(len(qrels.topics))])


def _best(qrels: Qrels, topic: int, alpha: float, discounts: Floats) -> list[int]:
    from scipy.optimize import LinearConstraint, milp  # loaded on use: scoring must not wait for SciPy
    from scipy.sparse import block_array, eye_array, kron

    rows = np.arange(qrels.offsets[topic], qrels.offsets[topic + 1])
    profiles, counts = np.unique(qrels.grades[rows][qrels.grades[rows] > 0], return_counts=True)
    ranks = min(len(discounts), int(counts.sum()))
    if not ranks:
        return []
    weights = _weights(qrels, topic, profiles)
    covers = (weights > 0).T.astype(np.float64)
    most = np.minimum(covers @ counts, ranks).astype(np.int64)
    subtopic = np.repeat(np.arange(len(covers)), most)  # of each (i, j)
    turn = turns(subtopic)
    value = np.outer(weights.max(axis=0)[subtopic] * (1.0 - alpha) ** turn, discounts[:ranks])

    every_rank, all_ranks = eye_array(ranks), np.ones((1, ranks))
    belongs = (subtopic == np.arange(len(covers))[:, None]).astype(np.float64)
    limits = [
        # Each rank has one document, and each profile as many as were judged.
        ([kron(np.ones((1, len(profiles))), every_rank), None], np.ones(ranks)),
        ([kron(eye_array(len(profiles)), all_ranks), None], counts),
        # A rank covers a subtopic only with a document on it, and no turn is taken twice.
        ([kron(-covers, every_rank), kron(belongs, every_rank)], np.zeros(len(covers) * ranks)),
        ([None, kron(eye_array(len(subtopic)), all_ranks)], np.ones(len(subtopic))),
    ]
    solution = milp(
        np.concatenate([np.zeros(len(profiles) * ranks), -SCALE * value.ravel()]),
        integrality=np.repeat([1, 0], [len(profiles) * ranks, value.size]),
        bounds=(0, 1),
        constraints=LinearConstraint(
            block_array([blocks for blocks, _ in limits], format="csr"),
            -np.inf,
            np.concatenate([limit for _, limit in limits]),
        ),
        options={"mip_rel_gap": 0.0},
    )
    if solution.x is None or solution.status != 0:
        name = qrels.topics[topic]
        raise InputError(f"the best ranking of topic {name!r} was not found ({solution.message}); use ideal='greedy'")
    # The program is solved to a tolerance; its ranking is exact. A rank that could bring nothing may be left empty.
    placed = np.rint(solution.x[: len(profiles) * ranks]).reshape(-1, ranks)
    return np.where(placed.any(axis=0), profiles[placed.argmax(axis=0)], 0).tolist()  # type: ignore[no-any-return]
