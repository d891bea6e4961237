"""Each strategy on tiny collections against a plain reading of what it says, written apart from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings_by_hand import Judged, Rankings, collections, joined, pool

from unjudged.errors import InputError
from unjudged.strategies import Candidates, candidates_of, replay, strategies
from unjudged.strategies.relevance_model import HALF, RIDGE, RelevanceModel

Order = list[tuple[str, str]]


def replayed(text: str, judged: Judged, rankings: Rankings, seed: int = 42, batch: int = 1) -> Order:
    together = joined(judged, rankings)
    rows = replay(strategies.choose(text), candidates_of(together), together.qrels, seed=seed, batch=batch).rows
    topics = together.qrels.topic_of_row[rows].tolist()
    return [(together.qrels.topics[t], doc) for t, doc in zip(topics, together.qrels.docs.take(rows), strict=True)]


def of_topic(order: Order, topic: str) -> list[str]:
    return [doc for one, doc in order if one == topic]


@settings(max_examples=30, deadline=None)
@given(collections())
def test_depth(given: tuple[Judged, Rankings]) -> None:
    judged, rankings = given
    order = replayed("depth", judged, rankings)
    for topic in judged:
        best = {
            doc: min(run[topic].index(doc) for run in rankings.values() if doc in run[topic])
            for doc in pool(rankings, topic, None)
        }
        assert of_topic(order, topic) == sorted(best, key=lambda doc: (best[doc], doc))


@settings(max_examples=30, deadline=None)
@given(collections())
def test_topics_take_turns(given: tuple[Judged, Rankings]) -> None:
    judged, rankings = given
    order = replayed("depth", judged, rankings)
    left = {topic: len(pool(rankings, topic, None)) for topic in judged}
    done = dict.fromkeys(judged, 0)
    for topic, _ in order:
        assert done[topic] == min(done[one] for one in judged if done[one] < left[one])
        done[topic] += 1


@settings(max_examples=30, deadline=None)
@given(collections())
def test_move_to_front(given: tuple[Judged, Rankings]) -> None:
    judged, rankings = given
    order = replayed("mtf", judged, rankings)
    for topic in judged:
        queue = sorted(rankings)  # runs in turn; a list for each number of failures
        waiting = [queue]
        left = {run: list(rankings[run][topic]) for run in queue}
        found: list[str] = []
        while any(waiting):
            failures = next(i for i, runs in enumerate(waiting) if runs)
            run = waiting[failures][0]
            docs = [doc for doc in left[run] if doc not in found]
            if not docs:
                waiting[failures].pop(0)
                continue
            found.append(docs[0])
            if judged[topic][docs[0]] < 1:
                waiting[failures].pop(0)
                waiting += [[] for _ in range(failures + 2 - len(waiting))]
                waiting[failures + 1].append(run)
        assert of_topic(order, topic) == found


@settings(max_examples=30, deadline=None)
@given(collections(), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 5))
def test_max_mean_takes_the_next_document_of_a_run_with_the_best_latest_judgments(
    given: tuple[Judged, Rankings], rate: float, seed: int
) -> None:
    judged, rankings = given
    order = replayed(f"mm_ns(rate={rate})", judged, rankings, seed)
    for topic in judged:
        history: dict[str, list[int]] = {run: [] for run in rankings}
        found: list[str] = []
        for doc in of_topic(order, topic):
            best, first = -1.0, set()
            for run, seen in history.items():
                left = [one for one in rankings[run][topic] if one not in found]
                weights = [rate**age for age in reversed(range(len(seen)))]
                mean = (1 + sum(w * s for w, s in zip(weights, seen, strict=True))) / (2 + sum(weights))
                if left and mean > best + 1e-9:
                    best, first = mean, {left[0]}
                elif left and mean > best - 1e-9:
                    first.add(left[0])
            assert doc in first
            found.append(doc)
            for run in rankings:
                if doc in rankings[run][topic]:
                    history[run].append(int(judged[topic][doc] >= 1))


@settings(max_examples=30, deadline=None)
@given(collections())
def test_shared_credit(given: tuple[Judged, Rankings]) -> None:
    judged, rankings = given
    order = replayed("shared_credit", judged, rankings)
    for topic in judged:
        found: list[str] = []
        for doc in of_topic(order, topic):
            choices = []
            for run in sorted(rankings):
                docs = rankings[run][topic]
                seen = [judged[topic][one] >= 1 for one in docs if one in found]
                left = [one for one in docs if one not in found]
                if left:
                    choices.append((-(1 + sum(seen)) / (2 + len(seen)), docs.index(left[0]), run, left[0]))
            assert doc == min(choices)[3]
            found.append(doc)


def by_one_regression(candidates: Candidates, told: list[int], relevant: list[float]) -> np.ndarray:
    """What is expected of all pairs, from all weights at once: those that topics share, and those of each topic."""
    runs, topics, pairs = len(candidates.runs), len(candidates.topics), len(candidates)
    features = np.zeros((pairs, runs + 1))
    features[:, -1] = 1
    for pair in range(pairs):
        for run, rank in candidates.found_by(pair):
            features[pair, candidates.runs.index(run)] = HALF / (HALF + rank)
    shared = np.stack([np.ones(pairs), features[:, :-1].mean(axis=1)], axis=1)
    start = np.array([0.0, 1.0])
    rows, y = shared[told], np.array(relevant)
    b = start + np.linalg.solve(rows.T @ rows + np.eye(2), rows.T @ (y - rows @ start))
    out = shared @ b
    for topic in range(topics):
        mine = [i for i, pair in enumerate(told) if candidates.topic_of[pair] == topic]
        x = features[[told[i] for i in mine]]
        u = np.linalg.solve(x.T @ x + RIDGE * np.eye(runs + 1), x.T @ (y[mine] - rows[mine] @ b))
        here = candidates.topic_of == topic
        out[here] += features[here] @ u
    return out


@settings(max_examples=15, deadline=None)
@given(collections(), st.integers(1, 12))
def test_evidence_expects_what_a_regression_from_scratch_does(given: tuple[Judged, Rankings], batch: int) -> None:
    judged, rankings = given
    candidates = candidates_of(joined(judged, rankings))
    pairs, grades = candidates.judgments(joined(judged, rankings).qrels)
    model, told, relevant = RelevanceModel(candidates), [], []
    for first in range(0, len(pairs), batch):
        some = slice(first, first + batch)
        model.learn(pairs[some], (grades[some] >= 1).astype(float))
        told += pairs[some].tolist()
        relevant += (grades[some] >= 1).astype(float).tolist()
        expected = np.concatenate([model.expected(topic) for topic in range(len(candidates.topics))])
        np.testing.assert_allclose(expected, by_one_regression(candidates, told, relevant), atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(collections())
def test_evidence_asks_for_what_is_expected_to_be_most_relevant(given: tuple[Judged, Rankings]) -> None:
    judged, rankings = given
    candidates = candidates_of(joined(judged, rankings))
    order = strategies.choose("evidence(topics=best)").start(candidates, seed=1)
    told: list[int] = []
    while len(batch := order.ask(1)):
        grade = [judged[candidates.topics[candidates.topic_of[pair]]][candidates.docs[pair]] for pair in told]
        expected = np.round(by_one_regression(candidates, told, [float(one >= 1) for one in grade]), 9)
        left = [pair for pair in np.flatnonzero(candidates.askable).tolist() if pair not in told]
        assert batch.pairs[0] == min(left, key=lambda pair: (-expected[pair], candidates.best_rank[pair], pair))
        pair = int(batch.pairs[0])
        topic = candidates.topics[candidates.topic_of[pair]]
        order.tell(batch.pairs, np.array([judged[topic][candidates.docs[pair]]], dtype=np.int32))
        told.append(pair)


def test_what_is_left_out_of_a_regression_is_what_it_says_without() -> None:
    judged = {"1": {f"d{i}": int(i % 3 == 0) for i in range(9)}}
    rankings = {"a": {"1": [f"d{i}" for i in range(9)]}, "b": {"1": [f"d{i}" for i in (3, 0, 6, 8, 1)]}}
    candidates = candidates_of(joined(judged, rankings))
    pairs, grades = candidates.judgments(joined(judged, rankings).qrels)
    model = RelevanceModel(candidates)
    model.learn(pairs, grades.astype(float))
    b = model.coefficients()
    for out in range(len(pairs)):
        x = model.features(0)[np.delete(pairs, out)]
        z = model.shared(0)
        y = np.delete(grades, out) - z[np.delete(pairs, out)] @ b
        u = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y)
        expected = z[pairs[out]] @ b + model.features(0)[pairs[out]] @ u
        assert model.without_own(pairs[out : out + 1])[0] == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(collections(), st.integers(1, 4), st.sampled_from([0.25, 0.5]), st.integers(0, 3))
def test_a_sample_has_the_size_and_the_probabilities_it_says(
    given: tuple[Judged, Rankings], depth: int, rate: float, seed: int
) -> None:
    judged, rankings = given
    candidates = candidates_of(joined(judged, rankings))
    order = strategies.choose(f"sample({rate},depth={depth})").start(candidates, seed=seed)
    batch = order.ask(1000)
    drawn = [(candidates.topics[candidates.topic_of[pair]], candidates.docs[pair]) for pair in batch.pairs.tolist()]
    assert batch.strata is not None
    assert batch.inclusion is not None
    for topic in judged:
        first = pool(rankings, topic, depth)
        rest = [doc for doc in pool(rankings, topic, None) if doc not in first]
        size = min(len(rest), max(2, int(len(rest) * rate + 0.5)))
        mine = [i for i, (one, _) in enumerate(drawn) if one == topic]
        strata = {drawn[i][1]: int(batch.strata[i]) for i in mine}
        chances = {drawn[i][1]: float(batch.inclusion[i]) for i in mine}
        assert {doc for doc, stratum in strata.items() if stratum == 1} == set(first)
        assert sum(doc in rest for doc in strata) == size
        assert all(chances[doc] == (1 if doc in first else size / len(rest)) for doc in strata)


def test_documents_of_a_stratum_are_drawn_equally_often() -> None:
    judged = {"1": {f"d{i}": 0 for i in range(10)}}
    candidates = candidates_of(joined(judged, {"a": {"1": list(judged["1"])}}))
    drawn = np.zeros(10)
    for seed in range(400):
        drawn[strategies.choose("sample(0.3,strata=none)").start(candidates, seed=seed).ask(99).pairs] += 1
    assert drawn.sum() == 3 * 400
    assert np.abs(drawn - 120).max() < 4 * np.sqrt(400 * 0.3 * 0.7)


def test_strata_by_labels_need_labels() -> None:
    candidates = candidates_of(joined({"1": {"a": 1}}, {"one": {"1": ["a"]}}))
    with pytest.raises(InputError) as error:
        strategies.choose("sample(strata=labels)").start(candidates, seed=1)
    assert str(error.value) == "sample(strata='labels') needs labels; give some with --labels, or take strata='depth'"
