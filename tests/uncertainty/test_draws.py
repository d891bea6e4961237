"""Draws that belong to a number: any range gives the same ones, and they are as random as they should be."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged.errors import InputError
from unjudged.uncertainty.draws import Stream, batches, hashes, run_orders, signs, topic_counts

MAKERS = {
    "signs": lambda seed, start, stop: signs(seed, start, stop, 70),
    "topic_counts": lambda seed, start, stop: topic_counts(seed, start, stop, 70),
    "run_orders": lambda seed, start, stop: run_orders(seed, start, stop, 6, 5),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_any_range_gives_the_same_draws(make) -> None:
    whole = make(42, 0, 100)
    pieces = [make(42, start, min(100, start + 7)) for start in range(0, 100, 7)]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_seed_is_all_that_matters(make) -> None:
    np.testing.assert_array_equal(make(7, 0, 20), make(np.int64(7), 0, 20))
    assert (make(7, 0, 20) != make(8, 0, 20)).any()
    assert (make(-1, 0, 20) != make(1, 0, 20)).any()
    make(2**100, 0, 2)


def test_the_words_are_pinned() -> None:
    """A result of today must be found again by the next version."""
    assert hashes(42, Stream.SIGNS, 0, 2, 2).tolist() == [
        [6384892105184896228, 16475958619194685474],
        [14012484023129875632, 3161891588130583918],
    ]


def test_signs_are_fair_and_independent() -> None:
    drawn = signs(1, 0, 20_000, 130)
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    # Means of 20,000 signs have a standard deviation of 0.0071; 130 of them and their 8,385 products stay within 5.
    assert np.abs(drawn.mean(axis=0)).max() < 0.036
    products = drawn.T @ drawn / len(drawn)
    assert np.abs(products[np.triu_indices(130, 1)]).max() < 0.036
    assert np.abs((drawn[1:] * drawn[:-1]).mean(axis=0)).max() < 0.036


def test_topic_counts_are_multinomial() -> None:
    topics = 20
    counts = topic_counts(1, 0, 20_000, topics)
    assert (counts.sum(axis=1) == topics).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=0.04)
    np.testing.assert_allclose(counts.var(axis=0), 1 - 1 / topics, atol=0.06)
    np.testing.assert_array_equal(topic_counts(1, 0, 3, 1), np.ones((3, 1)))


@pytest.mark.parametrize("runs", [1, 2, 3, 8, 9])
def test_run_orders_are_orders_and_each_is_as_likely(runs: int) -> None:
    orders = run_orders(3, 0, 6000, 2, runs)
    assert (np.sort(orders, axis=-1) == np.arange(runs)).all()
    for place in range(runs):
        share = np.bincount(orders[:, 0, place], minlength=runs) / 6000
        np.testing.assert_allclose(share, 1 / runs, atol=0.03)


def test_batches_cover_all_draws() -> None:
    assert list(batches(10, 1, 4)) == [(0, 4), (4, 8), (8, 10)]
    assert list(batches(3, 10**9, None)) == [(0, 1), (1, 2), (2, 3)]
    assert list(batches(3, 1, None)) == [(0, 3)]
    with pytest.raises(InputError, match=r"^batch must be a whole number of at least 1, not 0$"):
        list(batches(3, 1, 0))
    with pytest.raises(InputError, match=r"^draws must be a whole number of at least 1, not 0$"):
        list(batches(0, 1, None))
