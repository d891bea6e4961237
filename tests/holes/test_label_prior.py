"""bootstrap(prior=labels): what labels say about holes, by Bayes' rule."""

from __future__ import annotations

import random

import numpy as np
import pytest
from evidence_oracles import holes_of, left_out, with_occurrences
from grouped_runs import DEPTH, Judgments, Ranked, collection
from labelled_collections import codes, score

from unjudged.errors import InputError, SpecError
from unjudged.holes import Bootstrap, Labels, hole_models
from unjudged.holes.discount_model import Discount, DiscountModel
from unjudged.holes.labelled_discount import LabelledDiscountModel, labelled_discount_model

FINE = np.linspace(-4, 4, 2001)


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


def model_of(without: Judgments, labels: Judgments, rankings: dict[str, Ranked]) -> LabelledDiscountModel:
    return labelled_discount_model(*with_occurrences(without, rankings), Labels.of(labels).file)


def world() -> tuple[Judgments, dict[str, Ranked], Judgments]:
    """Labels that are often wrong, one run of each group, and judgments without one of the groups."""
    grades, rng = collection(1, groups=7)[0], random.Random(1)
    labels = {
        topic: {doc: rng.randrange(3) if rng.random() < 0.5 else grade for doc, grade in docs.items()}
        for topic, docs in grades.items()
    }
    _, rankings, _, without = left_out(1, "g4")
    return labels, {name: ranked for name, ranked in rankings.items() if name.endswith("r0")}, without


def run_with_holes(model: LabelledDiscountModel) -> int:
    """The number of the only run that has documents which nobody judged down to the depth that is scored."""
    (number,) = {
        i
        for i, one in enumerate(model.occurrences.run_occurrences)
        if ((one.pairs >= len(model.qrels)) & (one.ranks <= DEPTH)).any()
    }
    return number


def test_probabilities_are_by_bayes_rule() -> None:
    """Those without the label, times how often documents of each grade got it, those most that runs put first."""
    labels, rankings, without = world()
    labels = {topic: {d: one for d, one in docs.items() if int(d[1:]) % 3} for topic, docs in labels.items()}
    model = model_of(without, labels, rankings)
    qrels = model.qrels
    without_labels = DiscountModel(qrels, model.occurrences, Discount(model.shift(run_with_holes(model))))
    found, view, rows = holes_of(model, rankings["g4r0"])
    usual = without_labels.grade_probabilities(view, rows).probabilities
    best = {
        (topic, doc): min(docs[topic].index(doc) + 1 for docs in rankings.values() if doc in docs.get(topic, []))
        for topic in without
        for doc in {doc for docs in rankings.values() for doc in docs.get(topic, [])}
    }
    both = [(t, d, g) for t, docs in without.items() for d, g in docs.items() if d in labels[t]]

    def likelihood(label: int, grade: int) -> float:
        of_grade = [(t, d) for t, d, g in both if g == grade]
        weights = {pair: min(1.0, 10 / best[pair]) if pair in best else 0.0 for pair in of_grade}
        said = [pair for pair in of_grade if labels[pair[0]][pair[1]] == label]
        share = (len(said) + 1) / (len(of_grade) + 3)
        return (sum(weights[pair] for pair in said) + 30 * share) / (sum(weights.values()) + 30)

    with_label = 0
    for i, row in enumerate(rows.tolist()):
        topic, doc = qrels.topics[view.topics[view.ranking[row]]], next(iter(view.doc_ids().take(np.array([row]))))
        label = labels[topic].get(doc)
        with_label += label is not None
        weights = [1.0 if label is None else likelihood(label, grade) for grade in range(3)]
        wanted = usual[i] * weights / (usual[i] @ weights)
        np.testing.assert_allclose(found.probabilities[i], wanted, atol=1e-9)
    assert 10 < with_label < len(rows) - 5


def test_the_shift_is_where_its_mean_and_the_labels_of_holes_meet() -> None:
    """Against a sum over many shifts."""
    labels, rankings, without = world()
    shifts = []
    for worst, best in ((0, 2), (2, 2), (0, 0)):
        changed = {
            topic: {doc: one if doc in without[topic] else min(max(one, worst), best) for doc, one in docs.items()}
            for topic, docs in labels.items()
        }
        model = model_of(without, changed, rankings)
        number = run_with_holes(model)
        occurrences = model.occurrences.run_occurrences[number]
        mine = (occurrences.pairs >= len(model.qrels)) & (occurrences.ranks <= DEPTH)
        pairs, ranks = occurrences.pairs[mine], occurrences.ranks[mine]
        likelihoods = model.likelihoods[pairs]
        usual = DiscountModel(model.qrels, model.occurrences).shift(number)

        logs = []
        for shift in usual + 0.65 * FINE:
            reached = 1 / (1 + np.exp(-model.discounted(model.own_grades(number), pairs, ranks, shift)))
            chances = np.stack([1 - reached[:, 0], reached[:, 0] - reached[:, 1], reached[:, 1]], axis=1)
            logs.append(np.log((chances * likelihoods).sum(axis=1)).sum())
        density = np.exp(logs - np.max(logs) - FINE**2 / 2)
        wanted = ((usual + 0.65 * FINE) * density).sum() / density.sum()
        assert model.shift(number) == pytest.approx(wanted, abs=0.06)  # its grid is coarse
        shifts.append(model.shift(number))
    assert shifts[2] < usual < shifts[1]
    assert shifts[2] < shifts[0] < shifts[1]


@pytest.mark.parametrize("measure", ["nDCG@3", "AP"])
def test_without_labels_of_holes_it_is_discounted(measure: str) -> None:
    qrels, labels = double_judged()
    runs = {"a": {t: {"d1": 4.0, "d2": 3.0, "d3": 2.0, "x": 1.0} for t in qrels}}
    plain, ours = (score(qrels, runs, measure, model) for model in ("discounted", informed(labels)))
    for name in ("values", "low", "high", "mean_low", "mean_high"):
        np.testing.assert_allclose(getattr(ours, name), getattr(plain, name), atol=1e-9)
    assert (ours.labelled == 0).all()


def test_a_label_that_few_judged_documents_have_says_nothing() -> None:
    qrels, labels = double_judged()
    labels["t0"] |= {"x": 99, "y": 77}
    run = {"t0": {"x": 2.0, "y": 1.0}}
    ours, plain = score(qrels, run, "nDCG@2", informed(labels)), score(qrels, run, "nDCG@2", "discounted")
    np.testing.assert_allclose(ours.values, plain.values)
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
    assert codes(again) == ["little-judged", "mixed-labels"]
    assert "of the documents that nDCG@10 looks at have a label" in again.warnings[1].message


def test_a_prior_from_labels_is_written_like_any_other_parameter() -> None:
    text = "bootstrap(prior='labels',labels='x.txt')"
    assert str(hole_models.parse("bootstrap(prior=labels, labels=x.txt)")) == text
    assert hole_models.parse(text) == Bootstrap(prior="labels", labels="x.txt")
    assert hole_models.parse(text).files() == ("x.txt",)
    with pytest.raises(SpecError) as raised:
        hole_models.parse("bootstrap(prior=labels)")
    assert str(raised.value) == "bootstrap: prior='labels' and labels=FILE go together"
