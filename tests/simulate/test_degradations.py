"""Taking judgments away: exact sizes, masks and not copies, the same draw whatever else is asked for."""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.data.qrels import Qrels, State
from unjudged.data.view import join
from unjudged.errors import InputError, SpecError
from unjudged.simulate import Degradation, KeepFraction, KeepHalf, degradations
from unjudged.simulate.samples import in_first_half

TOPICS = st.dictionaries(
    st.sampled_from("123"),
    st.dictionaries(st.integers(0, 60).map("d{}".format), st.integers(-1, 3), min_size=1, max_size=40),
    min_size=1,
)


def keep(how: Degradation, qrels: Qrels, **which: int) -> np.ndarray:
    return how.leave(join_runs(qrels), **which).judged


def alike(percent: object, rel: int = 1) -> KeepFraction:
    return KeepFraction(p=f"{percent}%", draw="alike", rel=rel)


def sizes(qrels: Qrels, kept: np.ndarray, rel: int) -> Counter:
    """How many judgments are left, by topic and by whether they are relevant."""
    rows = zip(qrels.topic_of_row.tolist(), (qrels.grades >= rel).tolist(), kept.tolist(), strict=True)
    return Counter((topic, relevant) for topic, relevant, is_kept in rows if is_kept)


@given(TOPICS, st.fractions(0, 100).filter(bool), st.integers(1, 3), st.integers(0, 5))
def test_sizes_are_exact(topics: dict[str, dict[str, int]], percent: Fraction, rel: int, repetition: int) -> None:
    qrels = uj.read_qrels(topics, negative="pooled")
    kept = keep(alike(percent, rel), qrels, seed=1, repetition=repetition)
    assert not kept[qrels.states != State.JUDGED].any()
    expected = Counter()
    for i, docs in enumerate(topics.values()):
        relevant = sum(grade >= rel for grade in docs.values())
        others = sum(0 <= grade < rel for grade in docs.values())
        expected[i, True] = max(1, math.ceil(percent * relevant / 100)) if relevant else 0
        expected[i, False] = math.ceil(percent * others / 100)
    assert sizes(qrels, kept, rel) == +expected


@pytest.mark.parametrize("p", [0.07, "0.07", "7%", "7.0%", "7/100", Fraction(7, 100), np.float64(0.07)])
def test_seven_percent_of_a_hundred_is_seven(p: object) -> None:
    """In floating point, 0.07 * 100 is 7.000000000000001 and its ceiling is 8."""
    qrels = uj.read_qrels({"1": {f"d{i}": i % 2 for i in range(200)}})
    assert keep(KeepFraction(p=p, draw="alike"), qrels, seed=1).sum() == 14


@given(TOPICS, st.integers(0, 3))
def test_fewer_judgments_are_among_more(topics: dict[str, dict[str, int]], repetition: int) -> None:
    qrels = uj.read_qrels(topics, negative="pooled")
    masks = [keep(alike(p), qrels, seed=3, repetition=repetition) for p in (1, 10, 33, 50, 100)]
    assert all((less <= more).all() for less, more in pairwise(masks))
    assert (masks[-1] == (qrels.states == State.JUDGED)).all()


def test_a_draw_depends_on_names_and_not_on_places() -> None:
    docs = {f"d{i}": i % 3 for i in range(50)}
    one = uj.read_qrels({"1": docs, "2": docs})
    other = uj.read_qrels({"2": dict(reversed(docs.items()))})
    how = alike(20)
    chosen = {doc for doc, k in zip(one.docs, keep(how, one, seed=5).tolist(), strict=True) if k}
    in_2 = [doc for doc, k, t in zip(one.docs, keep(how, one, seed=5), one.topic_of_row, strict=True) if k and t == 1]
    assert {doc for doc, k in zip(other.docs, keep(how, other, seed=5), strict=True) if k} == set(in_2)
    assert len(chosen) > len(in_2)  # topic 1 has a draw of its own
    assert (keep(how, one, seed=5, repetition=1) != keep(how, one, seed=5)).any()
    assert (keep(how, one, seed=6) != keep(how, one, seed=5)).any()


def test_every_judgment_is_as_likely() -> None:
    qrels = uj.read_qrels({"1": {f"d{i}": i % 2 for i in range(20)}})
    times = sum(keep(alike(30), qrels, seed=1, repetition=r).astype(int) for r in range(2000))
    assert abs(times - 600).max() < 5 * math.sqrt(2000 * 0.3 * 0.7)


def test_every_seed_has_repetitions_of_its_own() -> None:
    qrels = uj.read_qrels({"1": {f"d{i}": i % 2 for i in range(60)}})
    samples = {keep(alike(50), qrels, seed=s, repetition=r).tobytes() for s in (1, 2, 3) for r in range(3)}
    assert len(samples) == 9


def test_a_document_keeps_all_its_subtopics() -> None:
    rng = np.random.default_rng(3)
    lines = [("1", str(s), f"d{d}", int(rng.integers(0, 4))) for d in range(40) for s in range(3)]
    qrels = uj.read_qrels(pandas.DataFrame(lines, columns=["query_id", "subtopic", "doc_id", "relevance"]))
    few = alike(30, rel=3).leave(join_runs(qrels), seed=1).of(qrels)
    docs = {doc for doc, state in zip(few.docs, few.states, strict=True) if state == State.JUDGED}
    subtopics = few.subtopics
    judged = {
        (subtopics.names[number], few.docs[doc], grade)
        for doc, number, grade, known in zip(
            subtopics.docs, subtopics.numbers, subtopics.grades, subtopics.judged, strict=True
        )
        if known
    }
    assert judged == {line[1:] for line in lines if line[2] in docs}
    best = {doc: max(line[3] for line in lines if line[2] == doc) for doc in {line[2] for line in lines}}
    relevant = sum(grade >= 3 for grade in best.values())
    assert sum(best[doc] >= 3 for doc in docs) == math.ceil(Fraction(3 * relevant, 10))


def test_what_is_left_is_as_if_the_rest_had_never_been_judged() -> None:
    rows = [("1", s, d, g) for s, d, g in [("1", "a", 1), ("2", "a", 0), ("1", "b", 0), ("2", "c", 2), ("2", "b", 1)]]
    columns = ["query_id", "subtopic_id", "doc_id", "relevance"]
    qrels = uj.read_qrels(pandas.DataFrame(rows, columns=columns))
    kept = np.array([doc != "b" for doc in qrels.docs])
    left = qrels.left(kept)
    direct = uj.read_qrels(pandas.DataFrame([row for row in rows if row[2] != "b"], columns=columns))
    run = uj.read_run({"1": {"b": 4.0, "c": 3.0, "a": 2.0, "x": 1.0}})
    for name in ("nDCG@10", "AP", "P@2", "Judged@3", "Bpref", "RBP"):
        measure = uj.measures.measures.parse(name)
        assert measure.score(join(run, left)).tolist() == measure.score(join(run, direct)).tolist(), name
    assert left.subtopics.relevant(1).sum() == direct.subtopics.relevant(1).sum() == 2
    assert left.subtopics.covered(1).tolist() == direct.subtopics.covered(1).tolist() == [True, True]


def test_halves_are_disjoint_and_the_same_for_runs() -> None:
    qrels = uj.read_qrels({"1": {f"d{i}": 1 for i in range(400)}, "2": {"d1": 0, "d2": 1}})
    first, second = (keep(KeepHalf(which=which), qrels, seed=2, repetition=7) for which in ("first", "second"))
    assert (first ^ second).all()
    assert 140 < first[:400].sum() < 260
    assert (first[400:] == first[1:3]).all()
    run = uj.read_run({"9": {f"d{i}": float(-i) for i in range(400)}})
    assert (in_first_half(run.docs, seed=2, repetition=7) == first[:400]).all()


def test_names() -> None:
    assert str(degradations.parse("KeepFraction(7.5%)")) == "KeepFraction(0.075)"
    assert degradations.parse("KeepFraction(3/40)") == KeepFraction(p=0.075)
    assert str(KeepFraction(p=Fraction(1, 3), draw="alike")) == "KeepFraction(1/3,draw='alike')"
    assert degradations.parse("KeepFraction(1/3,draw='alike')") == KeepFraction(p=Fraction(1, 3), draw="alike")
    assert str(degradations.parse("KeepHalf(second)")) == "KeepHalf('second')"
    wrong = "KeepFraction: p must be a share above 0 and at most 1, such as 0.1 or 10%, not"
    far = [(text, repr(text)) for text in ("1e999999999%", "1e-999999999%", "1/0", "101%", "4/3")]
    for text, shown in [("0", "0"), ("many", "'many'"), ("1.5", "1.5"), ("0%", "'0%'"), ("-0.1", "-0.1"), *far]:
        with pytest.raises(SpecError, match=f"^{re.escape(wrong)} {re.escape(shown)}$"):
            degradations.parse(f"KeepFraction({text})")
    with pytest.raises(SpecError, match=r"^DepthCut: depth must be a whole number of at least 1, not '\{\[\]:1\}'$"):
        degradations.parse("DepthCut({[]:1})")
    strata = pandas.DataFrame([("1", "a", 1, 1)], columns=["query_id", "doc_id", "stratum", "relevance"])
    with pytest.raises(InputError, match=r"^judgments with strata are a sample already; "):
        keep(alike(5), uj.read_qrels(strata), seed=1)


# ---- paper 2: a share of all judgments, with a relevant document in it


@given(TOPICS, st.fractions(0, 1).filter(bool), st.integers(1, 3), st.integers(0, 3))
def test_samples_of_all_judgments(topics: dict[str, dict[str, int]], p: Fraction, rel: int, repetition: int) -> None:
    qrels = uj.read_qrels(topics, negative="pooled")
    left = KeepFraction(p=p, rel=rel).leave(join_runs(qrels), seed=1, repetition=repetition)
    judged = qrels.states == State.JUDGED
    assert not left.judged[~judged].any()
    for i, docs in enumerate(topics.values()):
        mine = qrels.topic_of_row == i
        among = sum(grade >= 0 for grade in docs.values())
        assert (left.judged & mine).sum() == min(among, max(1, math.floor(p * among + Fraction(1, 2))))
        if (judged & mine & (qrels.grades >= rel)).any():
            assert (left.judged & mine & (qrels.grades >= rel)).any()
    after = left.of(qrels)  # what is no longer judged is still known to have been pooled
    assert ((after.states == State.JUDGED) == left.judged).all()
    assert (after.states[~left.judged] == State.POOLED).all()
    assert not after.grades[~left.judged].any()


def test_samples_are_uniform_over_those_with_a_relevant_document() -> None:
    """Of 4 documents 2 are drawn, 1 is relevant: each of the 3 pairs with it is as likely."""
    qrels = uj.read_qrels({"1": {"a": 1, "b": 0, "c": 0, "d": 0}})
    how = KeepFraction(p=0.5)
    samples = Counter(tuple(keep(how, qrels, seed=1, repetition=r).tolist()) for r in range(3000))
    assert len(samples) == 3
    assert all(mask[0] for mask in samples)
    assert max(abs(count - 1000) for count in samples.values()) < 5 * math.sqrt(3000 * 2 / 9)
