"""Copies of documents in images of a corpus, drawn, counted and weighed."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_arrays import MASK, ints, offsets_of

from unjudged.kernels import reference

SPLITMIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def draw_in_python(key: int, draws: int, documents: int) -> list[int]:
    copies = [0] * documents
    for draw in range(1, draws + 1):
        x = (key + draw * SPLITMIX[0]) & MASK
        x = (x ^ x >> 30) * SPLITMIX[1] & MASK
        x = (x ^ x >> 27) * SPLITMIX[2] & MASK
        copies[min(int(((x ^ x >> 31) >> 11) * 2.0**-53 * documents), documents - 1)] += 1
    return copies


class TestImages:
    @given(st.lists(st.tuples(st.integers(0, MASK), st.integers(0, 40)), max_size=20), st.integers(1, 30))
    def test_draw_copies(self, core: ModuleType, images: list[tuple[int, int]], documents: int) -> None:
        keys = np.array([key for key, _ in images], dtype=np.uint64)
        copies = core.draw_copies(keys, ints([draws for _, draws in images]), documents)
        assert copies.dtype == np.uint8
        assert copies.shape == (documents, len(images))
        assert copies.T.tolist() == [draw_in_python(key, draws, documents) for key, draws in images]

    @settings(max_examples=200)
    @given(st.data())
    def test_copies_above_and_weigh_copies(self, core: ModuleType, data: st.DataObject) -> None:
        rankings = data.draw(st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=4))
        images = data.draw(st.sampled_from([0, 1, 5, 64, 70]))
        copies = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 256, (7, images)).astype(np.uint8)
        docs, row_offsets = ints([doc for ranking in rankings for doc in ranking]), offsets_of(rankings)
        rows = ints([row for row in range(len(docs)) if data.draw(st.booleans())])

        above = core.copies_above(row_offsets, docs, rows, copies)
        assert above.dtype == np.int32
        ranking = np.repeat(np.arange(len(rankings)), np.diff(row_offsets))
        wanted = [copies[docs[row_offsets[ranking[row]] : row]].sum(axis=0, dtype=np.int64) for row in rows]
        np.testing.assert_array_equal(above, np.array(wanted, dtype=np.int64).reshape(len(rows), images))

        own, starts = copies[docs[rows]], np.searchsorted(rows, row_offsets).astype(np.int64)
        gains = np.array([data.draw(st.sampled_from([0.0, 1.0, 2.5])) for _ in rows])
        table = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, data.draw(st.integers(1, 900))))])
        for times in (np.zeros((0, images), dtype=np.int32), above // 2):
            sums = core.weigh_copies(starts, above, own, gains, table, times)
            assert sums.shape == (len(rankings), images)
            expected = np.zeros((len(rankings), images))
            for at, row in enumerate(rows.tolist()):
                for image in range(images):
                    ranks = range(above[at, image] + 1, above[at, image] + own[at, image] + 1)
                    weight = sum(1.0 / rank for rank in ranks if rank < len(table))
                    times_here = times[at, image] if len(times) else 1
                    expected[ranking[row], image] += weight * times_here * gains[at]
            np.testing.assert_allclose(sums, expected, atol=1e-9, rtol=1e-9)

    def test_long_rankings_do_not_overflow(self, core: ModuleType) -> None:
        copies = np.full((1, 3), 255, dtype=np.uint8)
        docs = np.zeros(2000, dtype=np.int64)
        above = core.copies_above(ints([0, 2000]), docs, ints([256, 257, 258, 1999]), copies)
        assert above[:, 0].tolist() == [256 * 255, 257 * 255, 258 * 255, 1999 * 255]

    def test_both_cores_sum_in_the_same_order(self, fast: ModuleType) -> None:
        rng = np.random.default_rng(3)
        above = np.sort(rng.integers(0, 900, (500, 64)), axis=0).astype(np.int32)
        own, gains = rng.integers(0, 5, (500, 64)).astype(np.uint8), rng.random(500)
        table = np.cumsum(rng.random(1000))
        for times in (np.zeros((0, 64), dtype=np.int32), above):
            arguments = (ints([0, 100, 100, 500]), above, own, gains, table, times)
            np.testing.assert_array_equal(fast.weigh_copies(*arguments), reference.weigh_copies(*arguments))

    def test_the_compiled_core_refuses_what_would_read_beyond_arrays(self, fast: ModuleType) -> None:
        copies = np.ones((2, 3), dtype=np.uint8)
        for docs, rows in [([0, 2], [1]), ([0, -1], [1]), ([0, 1], [2]), ([0, 1], [1, 0])]:
            with pytest.raises(ValueError, match="must"):
                fast.copies_above(ints([0, 2]), ints(docs), ints(rows), copies)
        none = np.zeros((0, 3), dtype=np.int32)
        with pytest.raises(ValueError, match="do not fit"):
            fast.weigh_copies(ints([0, 2]), np.zeros((2, 3), dtype=np.int32), copies, np.ones(1), np.zeros(2), none)
        with pytest.raises(ValueError, match="numbers of draws"):
            fast.draw_copies(np.zeros(2, dtype=np.uint64), ints([1]), 3)
