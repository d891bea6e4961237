"""Products from a sample of documents: exact where all are known, unbiased, and with the slopes of the score."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from unjudged.arrays import Floats
from unjudged.uncertainty.sampled_products import Product, Rankings, product_scores, sampled_products

TOPICS = np.repeat(np.arange(3), 8)
WEIGHTS = 1 / np.arange(1, 7)
FORMS: list[Product] = ["pairs", "stops"]


def found(rng: np.random.Generator, runs: int = 3) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each run has six of the eight documents of each topic, in some order, with ranks missing between them."""
    out = []
    for _ in range(runs):
        docs = np.concatenate([8 * topic + rng.permutation(8)[:6] for topic in range(3)])
        ranks = np.concatenate([np.sort(rng.permutation(8)[:6]) + 1 for _ in range(3)])
        mixed = rng.permutation(len(docs))
        out.append((docs[mixed], ranks[mixed]))
    return out


def slowly(form: Product, runs: list[tuple[np.ndarray, np.ndarray]], gains: Floats) -> list[float]:
    """By the definitions, document by document."""
    scores = []
    for docs, ranks in runs:
        total = 0.0
        for topic in range(3):
            ranking = sorted((rank, doc) for doc, rank in zip(docs, ranks, strict=True) if TOPICS[doc] == topic)
            ranking = [(rank, doc) for rank, doc in ranking if rank <= len(WEIGHTS)]
            if form == "pairs":
                hits = [rank for rank, doc in ranking if gains[doc]]
                relevant = gains[topic == TOPICS].sum()
                total += sum((i + 1) / rank for i, rank in enumerate(hits)) / relevant if relevant else 0.0
            else:
                stays = 1.0
                for rank, doc in ranking:
                    total += stays * gains[doc] / rank
                    stays *= 1 - gains[doc]
        scores.append(total / 3)
    return scores


@pytest.mark.parametrize("form", FORMS)
def test_known_gains_give_the_score(form: Product) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        runs = found(rng)
        gains = (rng.random(24) < 0.4).astype(float) if form == "pairs" else rng.integers(0, 4, 24) / 4
        gains[TOPICS == 1] *= rng.integers(0, 2)
        rankings = Rankings.of(runs, WEIGHTS, TOPICS, 3)
        assert product_scores(form, rankings, gains, TOPICS) == pytest.approx(slowly(form, runs, gains), abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_terms_are_those_of_taylors_series(form: Product) -> None:
    """With half of the documents sampled, d is what is off, and the score moves by it as its derivatives say."""
    rng = np.random.default_rng(2)
    runs = found(rng)
    rankings = Rankings.of(runs, WEIGHTS, TOPICS, 3)
    inside = rng.uniform(0.2, 0.8, 24)
    pair = np.flatnonzero(TOPICS == 1)[[2, 4]]
    sampled = np.isin(np.arange(24), pair)

    def terms(off: float) -> tuple[Floats, Floats]:
        expected = inside - off * sampled
        one = sampled_products(
            form, rankings, inside, expected, sampled=sampled, inclusion=np.full(24, 0.5), topics=TOPICS
        )
        return one._first, one._second

    def at(*moved: float) -> Floats:
        gains = inside.copy()
        gains[pair] += moved
        return plain(gains)

    def plain(gains: Floats) -> Floats:
        if form == "stops":
            return np.array(slowly(form, runs, gains))
        out = []
        for docs, ranks in runs:
            score = 0.0
            for topic in range(3):
                ranking = sorted((rank, doc) for doc, rank in zip(docs, ranks, strict=True) if TOPICS[doc] == topic)
                above, pairs = 0.0, 0.0
                for rank, doc in ranking:
                    if rank <= len(WEIGHTS):
                        pairs += gains[doc] * (1 + above) / rank
                        above += gains[doc]
                score += pairs / gains[topic == TOPICS].sum()
            out.append(score / 3)
        return np.array(out)

    step = 1e-2
    first, second = terms(step)
    slopes = [(at(step, 0) - at(-step, 0)) / 2, (at(0, step) - at(0, -step)) / 2]
    assert np.allclose(first, np.stack(slopes, axis=1), atol=1e-6)
    cross = (at(step, step) - at(step, -step) - at(-step, step) + at(-step, -step)) / 4
    assert np.allclose(second, np.stack([cross, cross], axis=1), atol=1e-8)
    assert np.abs(cross).max() > 1e-7


def test_two_documents_are_unbiased_over_all_samples() -> None:
    """Of readers who stop, the score of two documents is a product, which the second order is exact for."""
    runs = [(np.array([0, 1]), np.array([1, 2]))]
    topics, inclusion = np.zeros(2, dtype=np.int64), np.array([0.3, 0.6])
    rankings = Rankings.of(runs, WEIGHTS, topics, 1)
    gains, expected = np.array([0.5, 0.75]), np.array([0.2, 0.1])
    mean = 0.0
    for kept in itertools.product([False, True], repeat=2):
        chance = float(np.prod(np.where(kept, inclusion, 1 - inclusion)))
        given = {"sampled": np.array(kept), "inclusion": inclusion, "topics": topics}
        mean += (
            chance * sampled_products("stops", rankings, gains, expected, **given).estimate(np.array([0])).estimate[0]
        )
    assert mean == pytest.approx(0.5 + 0.5 * 0.75 / 2, abs=1e-12)


def test_runs_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rankings = Rankings.of(found(rng, 5), WEIGHTS, TOPICS, 3)
    given = {"sampled": rng.random(24) < 0.5, "inclusion": np.full(24, 0.5), "topics": TOPICS}
    gains, expected, every = (rng.random(24) < 0.4).astype(float), rng.uniform(0.1, 0.9, 24), np.arange(5)
    whole = sampled_products("pairs", rankings, gains, expected, **given).estimate(every)
    monkeypatch.setattr("unjudged.uncertainty.sampled_products._CELLS", 1)
    parts = sampled_products("pairs", rankings, gains, expected, **given).estimate(every)
    assert np.array_equal(whole.estimate, parts.estimate)
    assert np.array_equal(whole.low, parts.low)
