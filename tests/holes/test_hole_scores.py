"""Hole models through ``score``: distributions, intervals of means, rows, notices and mistakes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hole_oracles import WITHOUT_HOLES, Floats, Topic

import unjudged as uj
from unjudged.data.view import View
from unjudged.errors import InputError, SpecError
from unjudged.measures import Measure

Collection = tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]


def collection(*words: str) -> Collection:
    topics = {f"{i + 1}": Topic(word) for i, word in enumerate(words)}
    return (
        {name: topic.judgments() for name, topic in topics.items()},
        {"mine": {name: topic.ranking() for name, topic in topics.items() if topic.retrieved}},
    )


MANY = "u1u0uu2uuuuu" + "uuuuuuuuuuuu|" + "0" * 30 + "1" * 20 + "2" * 10
"""A topic with more than 4,096 outcomes."""


# ---- distributions


def test_the_distribution_of_a_run_and_topic() -> None:
    scores = uj.score(*collection("1u|0011", "01|0"), "nDCG@2", holes="bootstrap")
    one = scores.distribution("mine", "1")
    assert one.exact
    assert one.mean() == pytest.approx(scores.per_topic()["mine", "1"])
    row = scores.per_topic()[0]
    assert (row.low, row.high) == (one.quantile(0.05), one.quantile(0.95))
    assert one.mode() in one.values
    known = scores.distribution("mine", "2")
    assert (known.std(), known.mean()) == (0.0, scores.per_topic()["mine", "2"])


def test_a_distribution_with_too_many_outcomes_is_drawn() -> None:
    scores = uj.score(*collection(MANY), ["nDCG@20", "AP"], holes=["bounds", "bootstrap(draws=300)"])
    one = scores.distribution("mine", "1", measure="AP")
    assert (one.exact, len(one)) == (False, 300)
    assert one.quantile(0.95) == pytest.approx(np.quantile(one.values, 0.95))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"run": "mine", "topic": "1"}, "name one measure of: AP, P@2, Judged"),
        ({"run": "mine", "topic": "9", "measure": "AP"}, "no topic '9'; there is 1"),
        ({"run": "yours", "topic": "1", "measure": "AP"}, "no run 'yours'; there is mine"),
        (
            {"run": "mine", "topic": "1", "measure": "Judged"},
            "Judged has no distribution: holes make no difference to it",
        ),
        (
            {"run": "mine", "topic": "1", "measure": "AP", "holes": "bounds"},
            "no hole model 'bounds'; there is bootstrap",
        ),
    ],
)
def test_what_has_no_distribution(arguments: dict[str, str], message: str) -> None:
    scores = uj.score(*collection("1u|0011"), ["AP", "P@2", "Judged"], holes=["bounds", "bootstrap"])
    with pytest.raises(InputError) as error:
        scores.distribution(**arguments)
    assert str(error.value) == message


def test_models_without_distributions() -> None:
    scores = uj.score(*collection("1u|0011"), "AP", holes="bounds")
    with pytest.raises(InputError, match="none of the hole models has a distribution; use holes='bootstrap'"):
        scores.distribution("mine", "1")


# ---- means


def test_the_interval_of_a_mean_is_that_of_the_drawn_means() -> None:
    """Not the mean of the intervals: errors of topics cancel out in part."""
    qrels, runs = collection(MANY, MANY, MANY[1:], MANY[:-3])
    for text in ("nDCG@10", "AP", "GMAP"):
        scores = uj.score(qrels, runs, text, holes="bootstrap(draws=500,method='draws')", seed=3, interval=(0.1, 0.9))
        draws = np.stack([scores.distribution("mine", topic).values for topic in scores.topics])
        means = np.exp(np.log(np.maximum(draws, 1e-5)).mean(axis=0)) if text == "GMAP" else draws.mean(axis=0)
        row = scores.mean()[0]
        assert [row.low, row.high] == pytest.approx(np.quantile(means, [0.1, 0.9]).tolist())
        per_topic = [one.high - one.low for one in scores.per_topic()]  # type: ignore[operator]
        assert row.high - row.low < np.mean(per_topic)  # type: ignore[operator]


@pytest.mark.parametrize("text", ["nDCG@10", "GMAP"])
def test_missing_topics_are_left_out_of_drawn_means_where_they_are_left_out_of_means(text: str) -> None:
    qrels, runs = collection(MANY, MANY[1:])
    alone = uj.score(qrels, runs, text, holes="bootstrap").mean()[0]
    more = qrels | {"3": {"x": 1}}
    with pytest.warns(uj.UnjudgedWarning, match="lacks 1 of 3"):
        skipped = uj.score(more, runs, text, holes="bootstrap", missing="skip").mean()[0]
        zero = uj.score(more, runs, text, holes="bootstrap").mean()[0]
    assert skipped[4:7] == alone[4:7]
    if text == "GMAP":
        assert zero.high < alone.low  # type: ignore[operator]
    else:
        assert zero[4:7] == pytest.approx([number * 2 / 3 for number in alone[4:7]])  # type: ignore[operator]


class Undefined(Measure):
    """Recall that is undefined where nothing is relevant."""

    unjudged = "Counted as not relevant."

    def compute(self, view: View) -> Floats:
        total = view.total_relevant(1)
        relevant_retrieved = view.count(view.relevant(1)).astype(np.float64)
        return np.divide(relevant_retrieved, total, out=np.full(len(view), np.nan), where=total > 0)


def test_undefined_topics_are_left_out_of_drawn_means() -> None:
    """Topic 2 has nothing relevant, under any labels, as nothing relevant can be spent."""
    qrels, runs = collection("1u0u|0011", "u0|0")
    alone = uj.score({"1": qrels["1"]}, {"mine": {"1": runs["mine"]["1"]}}, Undefined(), holes="bootstrap")
    with pytest.warns(uj.UnjudgedWarning, match="undefined for 1"):
        both = uj.score(qrels, runs, Undefined(), holes="bootstrap")
    assert both.mean()[0][4:7] == alone.mean()[0][4:7]
    assert not math.isnan(both.mean()[0].low or math.nan)


def test_what_is_undefined_under_any_hole_model_is_counted() -> None:
    """Without its unjudged documents a ranking can be empty, which the first hole model does not show."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    run = {"1": {"x": 2.0, "y": 1.0}, "2": {"a": 2.0}}
    with pytest.warns(uj.UnjudgedWarning, match=r"^Judged@5 is undefined for 1 \(run, topic\) pair; left out of its"):
        scores = uj.score(qrels, {"mine": run}, "Judged@5", holes=["nonrelevant", "condensed"])
    assert scores.means[:, 0, 0].tolist() == [0.5, 1.0]


# ---- rows and notices


def test_json_rows_carry_the_bounds() -> None:
    scores = uj.score(*collection("u1|1"), ["P@2", "Judged@2"], holes=["nonrelevant", "joint"])
    rows = json.loads(scores.to_json(per_topic=True))["rows"]
    cells = {(row["topic"], row["measure"], row["holes"]): (row["value"], row["low"], row["high"]) for row in rows}
    for topic in ("all", "1"):
        assert cells[topic, "P@2", "nonrelevant"] == (0.5, None, None)
        assert cells[topic, "P@2", "joint"] == (0.5, 0.5, 1.0)
        assert cells[topic, "Judged@2", "joint"] == (0.5, None, None)


@pytest.mark.parametrize(
    ("text", "holes", "words"),
    [("nDCG", "joint", ("u" * 60 + "|3", "u|3")), ("Q", "bounds", ("u" * 60 + "|32", "u|3"))],
)
def test_unknown_bounds_are_counted_and_the_mean_has_none(text: str, holes: str, words: tuple[str, ...]) -> None:
    with pytest.warns(uj.UnjudgedWarning, match="unknown"):
        scores = uj.score(*collection(*words), text, holes=holes)
    notice = scores.warnings[-1]
    assert (notice.code, notice.count) == ("unknown-bounds", 1)
    expected = f"{holes} of {text} is unknown for 1 (run, topic) pair: too many ways to grade holes"
    assert notice.message == expected
    first, second = scores.per_topic()
    assert (first.low, first.high) == (None, None)
    assert second.high is not None
    assert (scores.mean()[0].low, scores.mean()[0].high) == (None, None)


def test_guaranteed_is_unknown_where_further_judgments_can_do_anything() -> None:
    """Any number of relevant documents can be missed, and each costs 1."""
    text = "Utility(missed=-1.0)"
    with pytest.warns(uj.UnjudgedWarning):
        scores = uj.score(*collection("1u|1"), text, holes="guaranteed")
    why = "too many ways to grade holes, or no limit to its value"
    messages = [notice.message for notice in scores.warnings]
    assert messages == [f"guaranteed of {text} is unknown for 1 (run, topic) pair: {why}"]


@pytest.mark.filterwarnings("ignore:.*no document that was pooled")
@pytest.mark.parametrize("text", [text for texts in WITHOUT_HOLES.values() for text in texts])
@pytest.mark.parametrize("holes", ["bounds", "joint", "guaranteed", "bootstrap"])
def test_measures_without_holes_get_the_plain_score_and_no_bounds(text: str, holes: str) -> None:
    """Counts, measures of unjudged documents, and measures that drop unjudged documents."""
    scores = uj.score(*collection("u1u0|1", "0u1|0"), text, holes=["nonrelevant", holes])
    np.testing.assert_array_equal(scores.values[0], scores.values[1])
    np.testing.assert_array_equal(scores.means[0], scores.means[1])
    for ends in (scores.low, scores.high, scores.mean_low, scores.mean_high):
        assert np.isnan(ends).all()
    assert not [notice for notice in scores.warnings if notice.code != "no-pool"]


# ---- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"interval": (95, 5)}, "an interval is two quantiles such as 0.05 and 0.95, not 95 and 5"),
        ({"interval": (0.9, 0.9)}, "an interval is two quantiles such as 0.05 and 0.95, not 0.9 and 0.9"),
        ({"holes": "joint(max_grade=1)"}, "max_grade=1 contradicts the judgments, whose highest grade is 2"),
        ({"holes": "guaranteed(max_grade=1)"}, "max_grade=1 contradicts the judgments, whose highest grade is 2"),
    ],
)
def test_mistakes(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        uj.score(*collection("2u|1"), "AP", **arguments)  # type: ignore[arg-type]
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bootstrap(draws=0)", "bootstrap: draws must be a whole number of at least 1, not 0"),
        ("bootstrap(order='id')", "bootstrap: order must be one of 'rank', 'doc', not 'id'"),
        ("joint(max_grade=0)", "joint: max_grade must be a grade above 0 and at most 100,000, not 0"),
    ],
)
def test_parameters_have_limits(text: str, message: str) -> None:
    with pytest.raises(SpecError) as error:
        uj.score(*collection("2u|1"), "AP", holes=text)
    assert str(error.value) == message


def test_a_prior_without_any_mass_is_refused() -> None:
    with pytest.raises(uj.InputError) as raised:
        uj.score({"1": {"a": -1}}, {"1": {"a": 1.0}}, "P@1", holes="bootstrap")
    assert str(raised.value) == "qrels: no document is judged, so bootstrap has no grades to draw from"
