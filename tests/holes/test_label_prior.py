"""bootstrap(prior=labels): grades that judged documents with the same label got."""

from __future__ import annotations

import random

import numpy as np
import pytest
from labelled_collections import Judgments, codes, score

from unjudged.errors import InputError, SpecError
from unjudged.holes import Bootstrap, Labels, hole_models


def double_judged(seed: int = 1) -> tuple[Judgments, Judgments]:
    """Judgments with grades 0 to 2, and labels on a scale of their own that go with them."""
    rng = random.Random(seed)
    qrels = {f"t{t}": {f"d{i}": min(2, rng.randrange(4)) for i in range(90)} for t in range(4)}
    labels = {
        topic: {doc: 10 * grade + 10 * rng.randrange(2) for doc, grade in docs.items()} for topic, docs in qrels.items()
    }
    return qrels, labels


def informed(labels: Judgments, **options: object) -> Bootstrap:
    return Bootstrap(prior="labels", labels=Labels.of(labels).file, **options)  # type: ignore[arg-type]


def test_a_label_says_what_judged_documents_with_the_same_label_turned_out_to_be() -> None:
    qrels, labels = double_judged()
    labels["t0"]["x"], labels["t0"]["y"] = 10, 20
    scores = score(qrels, {"t0": {"x": 2.0, "y": 1.0}}, "DCG@2", informed(labels))
    distribution = scores.distribution("run", "t0")
    pairs = [(labels[t][d], grade) for t, docs in qrels.items() for d, grade in docs.items()]

    def probability(label: int, grade: int) -> float:
        given = [one for other, one in pairs if other == label]
        assert len(given) >= 30
        return (given.count(grade) + 1) / (len(given) + 3)

    wanted = [(a + b / np.log2(3), probability(10, a) * probability(20, b)) for a in range(3) for b in range(3)]
    assert distribution.exact
    assert distribution.weights is not None
    assert distribution.values.tolist() == pytest.approx([value for value, _ in wanted])
    assert distribution.weights.tolist() == pytest.approx([weight for _, weight in wanted])
    assert scores.mean()[0].labelled == 1.0
    assert scores.mean()[0].rests_on_labels is None


def test_documents_without_a_label_take_the_grades_of_the_pool() -> None:
    qrels, labels = double_judged()
    runs = {"a": {t: {"d1": 3.0, "x": 2.0, "y": 1.0} for t in qrels}}
    wanted = ["nDCG@3", "AP"]
    for method in ("auto", "draws"):
        plain = score(qrels, runs, wanted, Bootstrap(prior="pool", method=method))
        ours = score(qrels, runs, wanted, informed(labels, method=method))
        for name in ("values", "low", "high", "mean_low", "mean_high"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(plain, name))
        assert (ours.labelled == 0).all()


def test_draws_follow_the_exact_distribution_of_labelled_and_unlabelled_holes() -> None:
    qrels, labels = double_judged()
    qrels["t0"] = {doc: grade for doc, grade in qrels["t0"].items() if grade != 1}  # the pool of t0 lacks a grade
    labels["t0"] |= {"x": 0, "z": 20}
    run = {"t0": {"x": 3.0, "y": 2.0, "z": 1.0}}
    for order in ("rank", "doc"):
        exact = score(qrels, run, "nDCG@3", informed(labels, order=order)).distribution("run", "t0")
        drawn = score(qrels, run, "nDCG@3", informed(labels, order=order, method="draws", draws=20_000))
        assert exact.exact
        sample = drawn.distribution("run", "t0")
        assert sample.mean() == pytest.approx(exact.mean(), abs=4 * exact.std() / 20_000**0.5)
        assert sample.std() == pytest.approx(exact.std(), rel=0.03)


def test_a_label_that_few_judged_documents_have_says_nothing() -> None:
    qrels, labels = double_judged()
    labels["t0"] |= {"x": 99, "y": 77}
    run = {"t0": {"x": 2.0, "y": 1.0}}
    ours, plain = score(qrels, run, "nDCG@2", informed(labels)), score(qrels, run, "nDCG@2", Bootstrap(prior="pool"))
    assert ours.values.tolist() == plain.values.tolist()
    assert [(one.code, one.count, one.message) for one in ours.warnings if one.code == "few-labels"] == [
        (
            "few-labels",
            2,
            "labels: fewer than 30 judged documents have label 77, 99;"
            " documents with it are treated as if they had none",
        )
    ]
    with pytest.raises(InputError) as raised:
        score(qrels, run, "nDCG@2", informed({"t0": {"x": 1, "d1": 1}}))
    assert str(raised.value) == (
        "labels: no label is given to at least 30 judged documents,"
        " so nothing can be learned about what the labels mean"
    )


def test_a_prior_from_labels_does_not_depend_on_threads_or_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, labels = double_judged()
    rng = random.Random(2)
    names = [*(f"d{i}" for i in range(40)), *(f"x{i}" for i in range(20))]
    for topic in qrels:
        labels[topic] |= {f"x{i}": rng.choice([0, 10, 20]) for i in range(10)}
    runs = {name: {t: {doc: rng.random() for doc in rng.sample(names, 30)} for t in qrels} for name in "abc"}
    model = informed(labels, draws=50)
    first = score(qrels, runs, ["nDCG@10", "AP"], model, jobs=1).to_json(per_topic=True)
    monkeypatch.setattr("unjudged.engine.numerics.scoring.BLOCK_ROWS", 16)
    again = score(qrels, runs, ["nDCG@10", "AP"], model, jobs=4)
    assert again.to_json(per_topic=True) == first
    assert codes(again) == ["mixed-labels"]
    assert "of the documents that nDCG@10 looks at have a label" in again.warnings[0].message


def test_a_prior_from_labels_is_written_like_any_other_parameter() -> None:
    text = "bootstrap(prior='labels',labels='x.txt')"
    assert str(hole_models.parse("bootstrap(prior=labels, labels=x.txt)")) == text
    assert hole_models.parse(text) == Bootstrap(prior="labels", labels="x.txt")
    assert hole_models.parse(text).files() == ("x.txt",)
    with pytest.raises(SpecError) as raised:
        hole_models.parse("bootstrap(prior=labels)")
    assert str(raised.value) == "bootstrap: prior='labels' and labels=FILE go together"
