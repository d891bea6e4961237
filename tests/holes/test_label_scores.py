"""labels(FILE): what scores are with another judge's grades for what nobody judged."""

from __future__ import annotations

import pandas as pd
import pytest
from labelled_collections import MEASURES, collection, merged, rows, score

import unjudged as uj
from unjudged.holes import Labels
from unjudged.measures import measures


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_against_judgments_completed_by_the_labels(seed: int) -> None:
    qrels, labels, runs = collection(seed)
    ours = rows(score(qrels, runs, MEASURES, Labels.of(labels)))
    plain = rows(score(merged(qrels, labels), runs, MEASURES, "nonrelevant"))
    assert ours.keys() == plain.keys()
    for key, row in plain.items():
        assert ours[key].value == pytest.approx(row.value, abs=1e-12), key


@pytest.mark.filterwarnings("ignore:.*no document that was pooled")
def test_every_measure_agrees_with_merged_judgments() -> None:
    qrels, labels, runs = collection(99)
    plain = [cls for cls in measures if not cls.needs]
    every = [cls(**({cls.at: 5} if cls.at == "cutoff" else {cls.at: 0.5} if cls.at else {})) for cls in plain]
    ours = rows(score(qrels, runs, every, Labels.of(labels)))
    for key, row in rows(score(merged(qrels, labels), runs, every, "nonrelevant")).items():
        assert ours[key].value == pytest.approx(row.value, abs=1e-12), key


@pytest.mark.parametrize("seed", range(5))
def test_the_share_that_rests_on_labels_is_what_is_lost_when_labelled_documents_have_grade_0(seed: int) -> None:
    qrels, labels, runs = collection(seed)
    wanted = ["P@5", "RBP(max_grade=3)", "RR", "SDCG(max_grade=3)@5"]  # not divided by R or an ideal ranking
    ours = rows(score(qrels, runs, wanted, Labels.of(labels)))
    zeros = {topic: dict.fromkeys(docs, 0) for topic, docs in labels.items()}
    without = rows(score(merged(qrels, zeros), runs, wanted, "nonrelevant"))
    for key, row in ours.items():
        lost = without[key].value
        if row.value == 0:
            assert row.rests_on_labels is None
        else:
            assert row.rests_on_labels == pytest.approx((row.value - lost) / row.value, abs=1e-12), key
            assert 0 <= row.rests_on_labels <= 1


def test_the_ideal_ranking_is_the_same_with_and_without_the_labelled_documents() -> None:
    qrels, labels = {"1": {"a": 1}}, {"1": {"x": 1}}
    row = score(qrels, {"1": {"a": 2.0, "x": 1.0}}, "AP", Labels.of(labels)).mean()[0]
    assert row.value == 1.0
    assert row.rests_on_labels == 0.5  # of the two relevant documents one is left: AP 1/2


@pytest.mark.parametrize("seed", range(3))
def test_labelled_is_the_share_of_documents_graded_by_the_labels(seed: int) -> None:
    qrels, labels, runs = collection(seed)
    ours = rows(score(qrels, runs, ["nDCG@5", "AP"], Labels.of(labels)))
    for name, run in runs.items():
        for topic in qrels:
            ranking = sorted(run.get(topic, {}), key=lambda doc, of=run, at=topic: of[at][doc], reverse=True)
            for measure, depth in (("nDCG@5", 5), ("AP", None)):
                top, row = ranking[:depth], ours[name, topic, measure]
                if not top:
                    assert row.labelled is None
                    continue
                holes = [doc for doc in top if doc not in qrels[topic]]
                assert row.judged == pytest.approx(1 - len(holes) / len(top))
                assert row.labelled == pytest.approx(sum(doc in labels[topic] for doc in holes) / len(top))


def test_labels_for_other_documents_and_labels_of_0_change_no_precision() -> None:
    qrels, labels, runs = collection(3)
    plain = rows(score(qrels, runs, MEASURES[:8], "nonrelevant"))
    other_labels = {topic: {f"y{i}": 0 for i in range(3)} for topic in qrels}
    zeros = {topic: dict.fromkeys(docs, 0) for topic, docs in labels.items()}
    for other in (other_labels, zeros):
        for key, row in rows(score(qrels, runs, MEASURES[:8], Labels.of(other))).items():
            assert row.value == plain[key].value
            assert row.rests_on_labels in (0.0, None)


def test_a_label_never_overrides_a_judgment() -> None:
    qrels, _, runs = collection(4)
    same = {topic: {doc: 3 - grade for doc, grade in docs.items()} for topic, docs in qrels.items()}
    plain, ours = score(qrels, runs, MEASURES, "nonrelevant"), score(qrels, runs, MEASURES, Labels.of(same))
    assert [row.value for row in ours.per_topic()] == [row.value for row in plain.per_topic()]
    assert [notice.message for notice in ours.warnings if notice.code == "unused-labels"] == [
        f"labels: all {sum(map(len, same.values()))} labels are for judged documents; none is used"
    ]


def test_a_pooled_document_takes_its_label_and_a_label_below_0_is_none() -> None:
    qrels = uj.read_qrels([("1", "a", 1), ("1", "p", -1), ("1", "q", -1)], negative="pooled")
    run = {"1": {"p": 3.0, "q": 2.0, "z": 1.0}}
    row = score(qrels, run, "P@3", Labels.of([("1", "p", 1), ("1", "q", -1), ("1", "z", -2)])).mean()[0]
    assert (row.value, row.judged, row.labelled) == (pytest.approx(1 / 3), 0.0, pytest.approx(1 / 3))


def test_diversity_judgments_and_labels_are_flattened() -> None:
    qrels = uj.read_qrels(pd.DataFrame({"query_id": ["1"] * 3, "subtopic": ["1", "2", "1"], "doc_id": ["a", "a", "b"],
                                        "relevance": [0, 1, 0]}))  # fmt: skip
    row = score(qrels, {"1": {"x": 2.0, "a": 1.0}}, "P@2", Labels.of({"1": {"x": 1}})).mean()[0]
    assert (row.value, row.labelled) == (1.0, 0.5)


def test_what_a_label_is_worth_can_be_said() -> None:
    qrels, run = {"1": {"a": 3, "b": 0}}, {"1": {"x": 2.0, "y": 1.0}}
    model = Labels.of({"1": {"x": 1, "y": 5}}, grades={1: 2, 5: 3})
    assert score(qrels, run, ["P(rel=2)@2", "P(rel=3)@2"], model).means.ravel().tolist() == [1.0, 0.5]
