"""evidence: features that the user gives, such as the scores of a reranker."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grouped_runs import DEPTH, as_runs, collection, pooled
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.document_features import ranked_in_topics

Feature = dict[str, dict[str, float]]
NEW = "g5"


@cache
def parts() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, str]]:
    """Truth, what is judged of it without the newcomers, runs, groups."""
    truth, rankings, group_of = collection(4, groups=7, topics=12, docs=60)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] != NEW])
    return truth, judged, as_runs(rankings), group_of


def scores(feature: Any, **more: Any) -> uj.Scores:
    _, judged, runs, group_of = parts()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        return uj.score(
            judged, runs, "P@6", holes="evidence(draws=60)", groups=group_of, pool_depth=DEPTH, feature=feature, **more
        )


def telling(noise: float, seed: int = 0) -> Feature:
    """Grades, with noise."""
    rng = random.Random(seed)
    return {
        topic: {doc: grade + rng.gauss(0, noise) for doc, grade in docs.items()} for topic, docs in parts()[0].items()
    }


def changed(feature: Feature, how: Callable[[str, float], float]) -> Feature:
    return {topic: {doc: how(topic, value) for doc, value in docs.items()} for topic, docs in feature.items()}


@cache
def plain() -> uj.Scores:
    return scores(None)


def errors(found: uj.Scores) -> np.ndarray[Any, Any]:
    truth, _, runs, group_of = parts()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        full = uj.score(truth, runs, "P@6")
    new = [i for i, run in enumerate(found.runs) if group_of[run] == NEW]
    return np.asarray((found.values[0, 0] - full.values[0, 0])[new])


@pytest.mark.parametrize("value", [0.0, -3.5])
def test_a_constant_feature_changes_nothing(value: float) -> None:
    constant = scores(changed(telling(1), lambda topic, _: value + int(topic[1:])))  # another constant for each topic
    for name in ("values", "low", "high", "mean_low", "mean_high"):
        np.testing.assert_array_equal(getattr(constant, name), getattr(plain(), name))


@settings(max_examples=4)
@given(st.integers(0, 50), st.floats(0.1, 5), st.floats(-9, 9))
def test_what_keeps_the_order_within_topics_changes_nothing(seed: int, scale: float, move: float) -> None:
    feature = telling(0.5, seed)
    before = scores(feature)
    after = scores(changed(feature, lambda topic, value: move * int(topic[1:]) + float(np.exp(scale * value))))
    np.testing.assert_array_equal(before.values, after.values)
    np.testing.assert_array_equal(before.low, after.low)


def test_the_direction_is_learned() -> None:
    feature = telling(0.3)
    np.testing.assert_allclose(
        scores(feature).values, scores(changed(feature, lambda _, value: -value)).values, atol=1e-9
    )


def test_a_telling_feature_helps_and_noise_hardly_hurts() -> None:
    without, with_it = (float(np.sqrt(np.mean(errors(one) ** 2))) for one in (plain(), scores(telling(0.3))))
    rng = random.Random(7)
    noise = scores(changed(telling(0.3), lambda *_: rng.random()))
    assert with_it < 0.75 * without
    assert float(np.sqrt(np.mean(errors(noise) ** 2))) < 1.1 * without


def test_documents_without_a_value_are_counted_and_others_still_help(tmp_path: Path) -> None:
    judged = parts()[1]
    some = {
        topic: {doc: value for doc, value in docs.items() if int(doc[1:]) % 4} for topic, docs in telling(0.3).items()
    }
    _, _, runs, group_of = parts()
    with pytest.warns(uj.UnjudgedWarning, match="have no value") as caught:
        found = uj.score(
            judged, runs, "P@6", holes="evidence(draws=60)", groups=group_of, pool_depth=DEPTH, feature={"mine": some}
        )
    lacking = sum(doc not in some[topic] for topic, docs in judged.items() for doc in docs)
    total = sum(map(len, judged.values()))
    (message,) = [str(one.message) for one in caught if "have no value" in str(one.message)]
    assert message.startswith(f"mine: {lacking} of {total:,} judged documents have no value, and ")
    assert np.sqrt(np.mean(errors(found) ** 2)) < np.sqrt(np.mean(errors(plain()) ** 2))


def test_a_feature_of_other_topics_is_refused() -> None:
    with pytest.raises(uj.InputError) as caught:
        scores({"mine": {"other": {"d1": 1.0}}})
    assert str(caught.value) == (
        "mine: no topic of this feature is judged (the feature has 'other', the judgments have 't0')"
    )


@pytest.mark.parametrize("question", ["doctor", "score", "compare", "relative", "properties"])
def test_a_feature_that_nobody_looks_at_is_said(question: str) -> None:
    _, judged, runs, _ = parts()
    some = {name: runs[name] for name in ("g0r0", "g1r0", "g5r0")}
    more: dict[str, Any] = {} if question == "doctor" else {"measures": "P@6"} if question == "score" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        if question == "properties":
            more = {"corpus": uj.CorpusBootstrap(images=5)}
        result = getattr(uj, question)(judged, some, **more, feature=telling(1))
    told = [one.message for one in result.warnings if one.code == "unused-feature"]
    assert told == ["nothing that was asked for looks at the feature, as evidence does; it was not read"]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.one_of(st.none(), st.integers(-3, 3)), st.booleans()), min_size=1))
def test_ranks_are_counted_among_judged_documents_of_the_topic(rows: list[tuple[int, int | None, bool]]) -> None:
    topics = np.array([one[0] for one in rows])
    values = np.array([np.nan if one[1] is None else float(one[1]) for one in rows])
    judged = np.array([one[2] for one in rows])
    ranked = ranked_in_topics(values, topics, judged)
    for topic, value, found in zip(topics, values, ranked, strict=True):
        among = [one for one in values[(topics == topic) & judged] if one == one]
        if np.isnan(value) or not among:
            assert np.isnan(found)
        else:
            below = sum(one < value for one in among) + sum(one == value for one in among) / 2
            assert found == pytest.approx(np.log((below + 0.5) / (len(among) - below + 0.5)))
