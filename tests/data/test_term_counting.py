"""Term counts against collections.Counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data import term_counting
from unjudged.data.term_counting import TermCounter
from unjudged.data.texts import Texts
from unjudged.data.words import Tokeniser
from unjudged.errors import FileError

DOCS = st.dictionaries(
    st.integers(0, 20).map("d{}".format),
    st.lists(st.sampled_from(["one", "two", "Two", "three", "été", "stop", ""]), max_size=12).map(" ".join),
    max_size=12,
)


def counted(docs: dict[str, str], tokeniser: Tokeniser, wanted: frozenset[str] | None, *, whole: bool = True) -> Texts:
    counter = TermCounter(tokeniser, wanted, whole=whole)
    for doc, text in docs.items():
        counter.add(doc, text, "file", 1)
    return counter.texts()


@given(DOCS, st.none() | st.sets(st.integers(0, 20).map("d{}".format)), st.integers(1, 40), st.booleans())
def test_counts_are_those_of_a_counter(docs: dict[str, str], wanted: set[str] | None, batch: int, whole: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_counting, "BATCH_LENGTH", batch)
        patch.setattr(term_counting, "WORDS_AT_ONCE", 2)
        tokeniser = Tokeniser(stop_words=frozenset({"stop"}))
        texts = counted(docs, tokeniser, None if wanted is None else frozenset(wanted), whole=whole)
    kept = [doc for doc in docs if wanted is None or doc in wanted]
    read = docs if whole else kept
    everything = Counter(word for doc in read for word in tokeniser.words(docs[doc]))
    assert list(texts.docs) == kept
    assert (texts.tokens, texts.documents) == (everything.total(), len(read))
    for doc in kept:
        assert texts.counts_of(doc) == Counter(tokeniser.words(docs[doc]))
    vocabulary = sorted({word for doc in kept for word in tokeniser.words(docs[doc])})
    assert list(texts.words) == vocabulary
    assert texts.collection.tolist() == [everything[word] for word in vocabulary]
    assert texts.lengths.tolist() == [len(tokeniser.words(docs[doc])) for doc in kept]


@given(DOCS, st.sets(st.integers(0, 20).map("d{}".format)))
def test_reading_all_and_choosing_is_the_same_as_keeping_only_those(docs: dict[str, str], wanted: set[str]) -> None:
    everything = counted(docs, Tokeniser(), None)
    chosen = everything.only(np.array([doc in wanted for doc in everything.docs], dtype=bool))
    directly = counted(docs, Tokeniser(), frozenset(wanted))
    for name in ("offsets", "terms", "counts", "collection"):
        assert np.array_equal(getattr(chosen, name), getattr(directly, name)), name
    assert (chosen.docs, chosen.words) == (directly.docs, directly.words)
    assert (chosen.tokens, chosen.documents) == (directly.tokens, directly.documents)


def test_words_with_the_same_stem_are_one_term() -> None:
    pytest.importorskip("Stemmer")
    texts = counted({"a": "wing wings", "b": "winged birds"}, Tokeniser("english"), frozenset({"a"}))
    assert texts.counts_of("a") == {"wing": 2}
    assert (list(texts.words), texts.collection.tolist(), texts.tokens) == (["wing"], [3], 4)


def test_a_document_twice() -> None:
    counter = TermCounter(Tokeniser(), frozenset({"a"}))
    counter.add("a", "one two", "one.tsv", 3)
    counter.add("a", "one two", "two.tsv", 1)  # the same passage, judged for two topics
    counter.add("b", "other", "two.tsv", 2)
    counter.add("b", "unwanted documents are not remembered", "two.tsv", 3)
    with pytest.raises(FileError) as caught:
        counter.add("a", "one", "two.tsv", 4)
    assert str(caught.value) == "two.tsv:4: document 'a' is there twice, with different texts (first in one.tsv:3)"
    assert (counter.texts().counts_of("a"), counter.texts().tokens) == ({"one": 1, "two": 1}, 8)
