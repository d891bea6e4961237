"""Short cuts that measures offer to hole models: weighted sums, and views without the documents that bring nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hole_oracles import EVERY, WITH_HOLES, WITHOUT_HOLES, Topic, random_topic, view_of
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.data.view import View
from unjudged.holes.imputation.filling import Holes, labelled, spend
from unjudged.measures import Measure, measures

LINEAR = [measure for measure in EVERY if measure.linear(measure.seen(view_of({"1": {"a": 1}}, {"1": {"a": 1}})))]


def test_every_measure_is_in_one_of_the_lists() -> None:
    ours = {cls.name for cls in measures if cls.__module__.startswith("unjudged.") and not cls.needs}
    assert ours == WITH_HOLES.keys() | WITHOUT_HOLES.keys()
    assert all(measure.has_holes for measure in EVERY)
    assert not any(measures.parse(text).has_holes for texts in WITHOUT_HOLES.values() for text in texts)


def test_these_measures_are_linear() -> None:
    assert {measure.name for measure in LINEAR} == {"DCG", "INSQ", "P", "R", "RBP", "Rprec", "SDCG", "nDCG"}


@st.composite
def views(draw: st.DrawFn, chars: str = "0123u") -> View:
    words = [draw(st.text(alphabet=chars, min_size=1, max_size=9))]
    words += draw(st.lists(st.text(alphabet=chars, max_size=9), max_size=3))
    outside = draw(st.lists(st.text(alphabet="0123", min_size=1, max_size=4), min_size=4, max_size=4))
    topics = {f"t{i}": Topic(f"{word}|{outside[i]}") for i, word in enumerate(words)}
    runs = {name: topic.ranking() for name, topic in topics.items() if topic.retrieved}
    return view_of(runs, {name: topic.judgments() for name, topic in topics.items()})


@pytest.mark.parametrize("measure", LINEAR, ids=str)
@settings(deadline=None, max_examples=30)
@given(view=views())
def test_a_linear_measure_is_the_weighted_sum_of_the_gains_of_judged_documents(measure: Measure, view: View) -> None:
    seen = measure.seen(view)
    form = measure.linear(seen)
    assert form is not None
    terms = np.where(seen.judged, form.weights * form.gains[seen.grades], 0.0)
    sums = [terms[seen.offsets[i] : seen.offsets[i + 1]].sum() for i in range(len(seen))]
    np.testing.assert_allclose(sums, measure.compute(seen), rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_a_labelled_view_scores_as_if_the_documents_had_been_judged_so(measure: Measure) -> None:
    """Where ``gains_only`` is set, rows without gain are left out of it."""
    rng = random.Random(str(measure))
    for _ in range(20):
        topic = random_topic(rng, 3, length=9, outside=6)
        view = view_of({"1": topic.ranking()}, {"1": topic.judgments()})
        seen = measure.seen(view)
        rows = np.flatnonzero(~seen.judged)
        labels = np.array([[rng.randint(0, 3) for _ in rows] for _ in range(8)], dtype=np.int32).reshape(8, -1)
        labels = spend(np.minimum(labels, view.qrels.max_grade)[None], Holes(seen).left)[0]
        filled = labelled(seen, 0, rows, labels, gains_only=measure.gains_only)
        dense = labelled(seen, 0, rows, labels)
        if measure.gains_only:
            assert (filled.grades > 0).all()
        np.testing.assert_array_equal(measure.compute(filled), measure.compute(dense))
        for i in range(8):
            grades = seen.grades.copy()
            grades[rows] = labels[i]
            judged = View(view.qrels, seen.topics, seen.offsets, grades, np.full(len(grades), 2, dtype=np.uint8))
            np.testing.assert_allclose(measure.compute(dense)[i], measure.compute(judged)[0], rtol=0, atol=1e-12)


def test_holes_may_be_given_in_any_order() -> None:
    view = view_of({"1": Topic("u1u0u").ranking()}, {"1": Topic("u1u0u|22").judgments()})
    rows = np.flatnonzero(~view.judged)
    labels = np.array([[2, 1, 0], [0, 0, 2]], dtype=np.int32)
    turned = labelled(view, 0, rows[::-1].copy(), labels[:, ::-1])
    np.testing.assert_array_equal(turned.grades, labelled(view, 0, rows, labels).grades)
    assert turned.grades.tolist() == [2, 1, 1, 0, 0, 0, 1, 0, 0, 2]
