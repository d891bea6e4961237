"""Shares of common top documents, against sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.data.copies import fingerprint, overlaps
from unjudged.io.tables import run_from_table

rankings = st.dictionaries(
    st.sampled_from("123"),
    st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=12, unique=True),
    min_size=1,
)


def run(topics: dict[str, list[str]]):  # type: ignore[no-untyped-def]
    return run_from_table({topic: {doc: -float(i) for i, doc in enumerate(docs)} for topic, docs in topics.items()})


@settings(deadline=None)
@given(st.lists(rankings, min_size=2, max_size=4))
def test_overlap_is_that_of_sets(runs: list[dict[str, list[str]]]) -> None:
    shares, topics = overlaps([fingerprint(run(one)) for one in runs])
    for i, one in enumerate(runs):
        for j, other in enumerate(runs):
            common = one.keys() & other.keys()
            shared = sum(len({*one[topic][:10]} & {*other[topic][:10]}) for topic in common)
            possible = sum(max(len(one[topic][:10]), len(other[topic][:10])) for topic in common)
            assert np.isclose(shares[i, j], shared / possible if possible else 0.0)
            assert topics[i, j] == len(common)


@given(rankings)
def test_copies_have_one_digest_whatever_the_order_of_topics_and_the_scores(topics: dict[str, list[str]]) -> None:
    turned = dict(reversed(topics.items()))
    scaled = {topic: {doc: 10.0 - 2 * i for i, doc in enumerate(docs)} for topic, docs in turned.items()}
    assert fingerprint(run(topics)).digest == fingerprint(run_from_table(scaled)).digest


def test_ids_are_not_glued_together() -> None:
    first = run_from_table({"1": {"ab": 2.0, "c": 1.0}})
    second = run_from_table({"1": {"a": 2.0, "bc": 1.0}})
    assert fingerprint(first).digest != fingerprint(second).digest
