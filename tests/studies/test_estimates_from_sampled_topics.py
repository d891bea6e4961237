"""Estimates from a few human and many machine judgments: the arithmetic, what is assumed, and what is refused."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import numpy as np
import pytest

import unjudged as uj
from unjudged.data.ids import Ids, pair_keys
from unjudged.errors import InputError
from unjudged.kernels.splitmix import mixed, seeded
from unjudged.labels.calibration import chances_of_reaching, drawn_grades
from unjudged.labels.folds import dealt_folds
from unjudged.uncertainty.prediction_powered import classical, powered_randomisation, prediction_powered

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

Table = dict[str, dict[str, int]]
HUMAN, EVERY = [f"t{i}" for i in range(12)], [f"t{i}" for i in range(60)]


def world(seed: int = 1) -> tuple[Table, Table, dict[str, Any]]:
    """What people would say about 60 topics, what a generous judge says, and four runs."""
    rng = random.Random(seed)
    truth = {topic: {f"d{i}": rng.choice([0, 0, 1, 2, 3]) for i in range(15)} for topic in EVERY}
    labels = {
        topic: {doc: min(3, grade + (rng.random() < 0.4)) for doc, grade in docs.items()}
        for topic, docs in truth.items()
    }
    runs = {
        f"r{i}": {
            topic: {doc: grade + rng.gauss(0, 1 + i) for doc, grade in docs.items()} for topic, docs in truth.items()
        }
        for i in range(4)
    }
    return truth, labels, runs


def some(table: Table, topics: list[str]) -> Table:
    return {topic: table[topic] for topic in topics}


def matrices(measure: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores by people on their topics; and, in three ways, by labels on these, and on the others."""
    truth, labels, runs = world()
    human = uj.score(some(truth, HUMAN), runs, measure).values[0, 0]
    alone = scores_of_topics(labels, measure)
    calibrated = np.mean([scores_of_topics(one, measure) for one in drawn_labels()], axis=0)
    ways = np.stack([alone, (alone + calibrated) / 2, calibrated])
    return human, ways[:, :, : len(HUMAN)], ways[:, :, len(HUMAN) :]


def scores_of_topics(table: Table, measure: str) -> np.ndarray:
    result = uj.score(table, world()[2], measure)
    return result.values[0, 0][:, [result.topics.index(topic) for topic in EVERY]]


@cache
def drawn_labels() -> list[Table]:
    """What labels turned out to mean, 32 times: by label, where runs have the document, and the judge's mean."""
    truth, labels, runs = world()
    pairs = [(i, topic, doc) for i, topic in enumerate(EVERY) for doc in labels[topic]]
    topics = np.array([i for i, _, _ in pairs])
    found = np.zeros(len(pairs))
    for run in runs.values():
        for place, (_, topic, doc) in enumerate(pairs):
            found[place] += 1 / (61 + sorted(run[topic].values(), reverse=True).index(run[topic][doc]))
    values = np.array([float(labels[topic][doc]) for _, topic, doc in pairs])
    means = np.array([np.mean(list(labels[topic].values())) for _, topic, _ in pairs])
    grades = np.array([truth[topic][doc] for _, topic, doc in pairs])
    folds = dealt_folds(mixed(Ids.of(EVERY).hashes() ^ seeded(42)), len(HUMAN))[topics]
    known, features = topics < len(HUMAN), np.stack([np.log(found + 1 / 2000), means], axis=1)
    reached = chances_of_reaching(values, features, folds, known, grades, np.array([1.0, 2.0, 3.0]))
    chances = -np.diff(np.concatenate([np.ones((len(pairs), 1)), reached, np.zeros((len(pairs), 1))], axis=1))
    keys = pair_keys(EVERY, topics, Ids.of([doc for _, _, doc in pairs]), 42)
    out = []
    for draw in range(32):
        grade = drawn_grades(chances, keys, draw).tolist()
        out.append({topic: {doc: grade[p] for p, (_, t, doc) in enumerate(pairs) if t == topic} for topic in EVERY})
    return out


@pytest.mark.parametrize("measure", ["nDCG@5", "P(rel=2)@5", "AP", "RBP", "ERR@5", "Rprec"])
def test_means_are_the_prediction_powered_ones(measure: str) -> None:
    truth, labels, runs = world()
    result = uj.score(some(truth, HUMAN), runs, measure, labels={"gpt": labels})
    y, f, rest = matrices(measure)
    powered, plain = prediction_powered(y, f, rest, differences=False), classical(y)
    assert result.assisted is not None
    assert [row.run for row in result.assisted.rows] == list(result.runs)
    for i, row in enumerate(result.assisted.rows):
        assert (row.human_topics, row.label_topics) == (12, 60)
        assert (row.human, row.human_low, row.human_high) == pytest.approx(
            (plain.estimate[i], plain.low[i], plain.high[i]), abs=1e-12
        )
        assert (row.estimate, row.low, row.high, row.weight) == pytest.approx(
            (powered.estimate[i], powered.low[i], powered.high[i], powered.weight), abs=1e-12
        )
        assert row.labels == pytest.approx(np.r_[f[0, i], rest[0, i]].mean(), abs=1e-12)
        assert row.calibrated == pytest.approx(np.r_[f[2, i], rest[2, i]].mean(), abs=1e-12)


def test_good_labels_make_intervals_narrower_and_estimates_better() -> None:
    truth, labels, runs = world()
    result = uj.score(some(truth, HUMAN), runs, "P(rel=2)@5", labels={"gpt": labels})
    every = uj.score(truth, runs, "P(rel=2)@5").mean()
    rows = result.assisted.rows  # type: ignore[union-attr]
    known = np.array([every[row.run, "P(rel=2)@5"] for row in rows])
    errors = {
        name: np.abs(np.array([getattr(row, name) for row in rows]) - known).mean()
        for name in ("human", "labels", "estimate")
    }
    assert errors["estimate"] < min(errors["human"], errors["labels"])
    assert np.mean([(row.high - row.low) / (row.human_high - row.human_low) for row in rows]) < 0.9


def test_calibrated_scores_are_those_of_labels_that_mean_what_they_say() -> None:
    truth, _, runs = world()
    result = uj.score(some(truth, HUMAN), runs, "P(rel=2)@5", labels={"people": truth})
    every = uj.score(truth, runs, "P(rel=2)@5").mean()
    for row in result.assisted.rows:  # type: ignore[union-attr]
        assert row.labels == pytest.approx(every[row.run, "P(rel=2)@5"], abs=1e-12)
        assert row.calibrated == pytest.approx(row.labels, abs=0.02)


def test_the_order_of_topics_in_the_file_of_labels_changes_nothing() -> None:
    truth, labels, runs = world()
    turned = {topic: labels[topic] for topic in reversed(EVERY)}
    one, other = (
        uj.score(some(truth, HUMAN), runs, "nDCG@5", labels={"gpt": table}).assisted.rows  # type: ignore[union-attr]
        for table in (labels, turned)
    )
    for a, b in zip(one, other, strict=True):
        assert a[4:] == pytest.approx(b[4:], abs=1e-9)
    calibrated = np.array([row.calibrated for row in one])
    every = uj.score(truth, runs, "nDCG@5").mean()
    assert np.corrcoef(calibrated, [every[row.run, "nDCG@5"] for row in one])[0, 1] > 0.95


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_differences_are_the_prediction_powered_ones(test: str) -> None:
    truth, labels, runs = world()
    result = uj.compare(
        some(truth, HUMAN), runs, "nDCG@5", test=test, correction="bonferroni", draws=2, labels={"gpt": labels}
    )
    names = list(runs)
    matrix = matrices("nDCG@5")
    for row in result.assisted.pairs:  # type: ignore[union-attr]
        every = [(names.index(one.run), names.index(one.other)) for one in result.pairs()]
        first, second = np.array(every).T
        y, f, rest = (one[..., first, :] - one[..., second, :] for one in matrix)
        powered = prediction_powered(y, f, rest)
        i = [(one.run, one.other) for one in result.pairs()].index((row.run, row.other))
        p = powered.p_values if test == "t" else powered_randomisation(y, f, rest, seed=42)
        assert (row.estimate, row.low, row.high) == pytest.approx(
            (powered.estimate[i], powered.low[i], powered.high[i]), abs=1e-12
        )
        assert row.p == pytest.approx(p[i], abs=1e-12)
        assert row.corrected_p == pytest.approx(min(1, 6 * p[i]), abs=1e-12)


def test_with_a_baseline_only_its_pairs() -> None:
    truth, labels, runs = world()
    result = uj.compare(some(truth, HUMAN), runs, "P@5", baseline="r3", draws=2, labels={"gpt": labels})
    assert result.assisted is not None
    assert {row.other for row in result.assisted.pairs} == {"r3"}


def test_what_is_assumed_is_said_and_looked_at() -> None:
    truth, labels, runs = world()
    lines = uj.score(some(truth, HUMAN), runs, "P@5", labels={"gpt": labels}).assisted.assumptions  # type: ignore[union-attr]
    assert lines[0].startswith(
        "Assumed: the 12 judged topics are a random sample of all 60 with labels. Looked at: by labels, runs score 0."
    )
    assert lines[1] == "Labels alone and calibrated are biased; they order runs, no more."


def test_topics_that_are_clearly_no_random_sample_are_an_error_until_the_user_says_they_are() -> None:
    truth, labels, runs = world()
    easy = sorted(EVERY, key=lambda topic: -sum(grade >= 2 for grade in truth[topic].values()))[:12]
    with pytest.raises(InputError) as caught:
        uj.score(some(truth, easy), runs, "P(rel=2)@5", labels={"gpt": labels})
    assert str(caught.value).startswith(
        "gpt: intervals assume that the 12 judged topics are a random sample of all 60 with labels, and by labels, runs"
    )
    assert str(caught.value).endswith(
        "if they were drawn at random all the same, say --random-sample, else compare on the judged topics alone"
    )
    given = uj.score(some(truth, easy), runs, "P(rel=2)@5", labels={"gpt": labels}, random_sample=True)
    assert "You say that they are: by labels" in given.assisted.assumptions[0]  # type: ignore[union-attr]


def test_labels_on_another_scale_are_brought_to_that_of_grades() -> None:
    truth, _, runs = world()
    scaled = {topic: {doc: 10 * grade for doc, grade in docs.items()} for topic, docs in truth.items()}
    one, other = (
        uj.score(some(truth, HUMAN), runs, "nDCG@5", labels={"gpt": labels}, random_sample=True)
        for labels in (truth, scaled)
    )
    near = np.array(
        [
            [a.labels - b.labels, a.estimate - b.estimate]
            for a, b in zip(one.assisted.rows, other.assisted.rows, strict=True)
        ]
    )  # type: ignore[union-attr]
    assert np.abs(near).max() < 0.02
    assert "label-scale" in [notice.code for notice in other.warnings]


def test_what_is_refused() -> None:
    truth, labels, runs = world()
    qrels = some(truth, HUMAN)
    for given, problem in (
        (
            {"gpt": some(labels, [*HUMAN, "t12"])},
            "gpt: estimates with labels need labels of at least 2 topics that people did not",
        ),
        (
            {"gpt": some(labels, EVERY[9:])},
            "gpt: estimates with labels need at least 4 judged topics that have labels, too",
        ),
        ({"a": labels, "b": labels}, "2 judges have labels here: a, b; estimates take the labels of one judge"),
        (
            {"gpt": {topic: {"other": 1} for topic in EVERY}},
            "gpt: no label is for a document that people judged; let it label these",
        ),
    ):
        with pytest.raises(InputError) as caught:
            uj.score(qrels, runs, "P@5", labels=given)
        assert str(caught.value).startswith(problem)
    with pytest.raises(
        InputError, match=r"^GMAP is not for estimates with labels; take a mean over topics such as nDCG@10$"
    ):
        uj.score(qrels, runs, "GMAP", labels={"gpt": labels})


def test_json_has_a_table_and_what_is_assumed() -> None:
    truth, labels, runs = world()
    result = uj.score(some(truth, HUMAN), runs, "P@5", labels={"gpt": labels})
    document = json.loads(result.to_json())
    assert document["labels"]["judge"] == "gpt"
    assert [row["run"] for row in document["with_labels"]] == list(result.runs)
    assert "with_labels" not in json.loads(uj.score(truth, runs, "P@5").to_json())


def test_the_methods_paragraph_cites_it() -> None:
    truth, labels, runs = world()
    result = uj.score(some(truth, HUMAN), runs, "P@5", labels={"gpt": labels})
    text = uj.methods(result).to_text()
    assert (
        " With the labels of gpt, means over all topics with labels are estimated by prediction-powered inference"
        " (Angelopoulos et al., 2023) from labels as they are or calibrated, which of them and lambda fitted out of"
        " fold, with t quantiles that the skewness of residuals widens (Hall, 1992); the judged topics are taken for"
        " a random sample of them. Computed with"
    ) in text
    compared = uj.compare(some(truth, HUMAN), runs, "P@5", labels={"gpt": labels})
    assert (
        " (Hall, 1992), and variances of pairs of runs moved towards each other (Smyth, 2004); the judged topics"
    ) in uj.methods(compared).to_text()
    assert "PPI++: efficient prediction-powered inference. arXiv, 2023." in text


def test_the_same_numbers_in_any_number_of_threads() -> None:
    truth, labels, runs = world()
    one, other = (
        uj.score(some(truth, HUMAN), runs, "nDCG@5", labels={"gpt": labels}, jobs=jobs).assisted for jobs in (1, 4)
    )
    assert one == other
