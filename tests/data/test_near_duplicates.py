"""Near-duplicates, against comparing every document with every other."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.near_duplicates import near_duplicates

TEXTS = st.lists(st.lists(st.sampled_from("abcdefghijkl"), max_size=25), min_size=1, max_size=12)


def found(texts: list[list[str]]) -> dict[tuple[int, int], float]:
    read = uj.read_texts({f"d{i:02}": " ".join(f"word{w}" for w in ["same", *words]) for i, words in enumerate(texts)})
    pairs = near_duplicates(read, np.arange(len(texts)))
    return dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.share.tolist(), strict=True))


@given(TEXTS, st.data())
def test_against_all_pairs(texts: list[list[str]], data: st.DataObject) -> None:
    for i in data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=4)):  # copies, whole or a word shorter
        texts = [*texts, texts[i][data.draw(st.integers(0, 1)) :]]
    bags = [Counter(["same", *words]) for words in texts]
    expected = {}
    for j in range(len(bags)):
        for i in range(j):
            share = 2 * (bags[i] & bags[j]).total() / (bags[i].total() + bags[j].total())
            if share >= 0.9:
                expected[i, j] = share
    assert found(texts) == expected


def test_the_order_of_words_does_not_count_but_how_often_they_stand_there_does() -> None:
    words = list("abcdefghi")
    assert found([words, words[::-1], words * 2]) == {(0, 1): 1.0}


def test_a_share_of_nine_tenths_is_enough() -> None:
    """9 of 10 words, one of which all have."""
    assert found([list("abcdefghi"), list("abcdefghx"), list("abcdefgyz")]) == {(0, 1): 0.9}


def test_documents_without_words_are_like_no_other() -> None:
    texts = uj.read_texts({"a": "", "b": "", "c": "word", "d": "word"})
    pairs = near_duplicates(texts, np.arange(4))
    assert (pairs.first.tolist(), pairs.second.tolist()) == ([2], [3])
    nothing = near_duplicates(texts, np.arange(0))
    assert [len(column) for column in nothing] == [0, 0, 0]


def test_long_documents_against_all_pairs() -> None:
    """More words than there are bits to tell them apart by."""
    rng = np.random.default_rng(3)
    texts = [rng.integers(0, 2000, size=200).tolist() for _ in range(20)]
    for copy, change in enumerate([0, 5, 15, 20, 25, 40]):
        texts.append([*rng.integers(0, 2000, size=change).tolist(), *texts[copy][change:]])
    bags = [Counter(["same", *map(str, words)]) for words in texts]
    shares = {(i, j): 2 * (bags[i] & bags[j]).total() / 402 for j in range(len(bags)) for i in range(j)}
    expected = {pair: share for pair, share in shares.items() if share >= 0.9}
    assert len(expected) == 4  # up to 20 of 201 words
    assert found([[str(word) for word in words] for words in texts]) == expected
