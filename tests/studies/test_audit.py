"""An audit: planted errors come first, score changes are as scored again, and one line for each mistake."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unjudged as uj
from unjudged.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

Table = dict[str, dict[str, int]]
TOPICS = [f"t{i}" for i in range(8)]


def world(seed: int = 1) -> tuple[Table, dict[str, Any]]:
    """Judgments with grades from 0 to 2, of which relevant documents are at the top of most runs."""
    rng = random.Random(seed)
    qrels = {topic: {f"d{i}": rng.choice([0, 0, 0, 0, 1, 2]) for i in range(40)} for topic in TOPICS}
    runs = {
        f"run{i}": {
            topic: {doc: grade + rng.gauss(0, 0.4 + 0.1 * i) for doc, grade in docs.items()}
            for topic, docs in qrels.items()
        }
        for i in range(6)
    }
    return qrels, runs


def spoiled(qrels: Table) -> tuple[Table, set[tuple[str, str]]]:
    """The same with two errors: a relevant document judged not to be, and the other way round."""
    changed = {topic: dict(docs) for topic, docs in qrels.items()}
    missed = next(doc for doc, grade in qrels["t2"].items() if grade == 2)
    false = next(doc for doc, grade in qrels["t5"].items() if grade == 0)
    changed["t2"][missed], changed["t5"][false] = 0, 2
    return changed, {("t2", missed), ("t5", false)}


def test_planted_errors_come_first() -> None:
    qrels, runs = world()
    changed, errors = spoiled(qrels)
    worst = uj.audit(changed, runs).suspects()[:4]
    assert errors <= {(row.topic, row.doc) for row in worst}
    by_pair = {(row.topic, row.doc): row for row in worst}
    for topic, doc in errors:
        row = by_pair[topic, doc]
        assert (row.grade, row.likely) == (changed[topic][doc], qrels[topic][doc])
        assert row.factor > 1 and row.probability < 0.3


def test_suspects_are_in_order_and_planted_errors_are_counted_up() -> None:
    qrels, runs = world()
    result = uj.audit(qrels, runs, top=1000)
    assert result.judgments == len(result.suspects()) == 320
    factors = [row.factor for row in result.suspects()]
    assert factors == sorted(factors, reverse=True)
    found = [row.found for row in result.planted()]
    assert found == sorted(found) and [row.checked for row in result.planted()][-1] == 160
    assert result.planted()[-1].wrong == pytest.approx(sum(row.wrong for row in result.suspects()[:160]))


@pytest.mark.parametrize("measure", ["nDCG@10", "AP(rel=2)", "ERR@5", "P@3"])
def test_changes_of_scores_are_those_of_scoring_again(measure: str) -> None:
    qrels, runs = world()
    result = uj.audit(qrels, runs, measure, top=6)
    names = sorted(runs)
    before = uj.score(qrels, runs, measure).mean()
    for row in result.suspects():
        changed = {topic: dict(docs) for topic, docs in qrels.items()}
        changed[row.topic][row.doc] = row.likely
        after = uj.score(changed, runs, measure).mean()
        differences = {name: after[name, measure] - before[name, measure] for name in names}
        assert row.change == pytest.approx(max(differences.values(), key=abs), abs=1e-12)
        assert abs(differences[str(row.changed_run)]) == pytest.approx(abs(row.change or 0), abs=1e-12)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        turned = [
            (before[a, measure] - before[b, measure]) * (after[a, measure] - after[b, measure]) < 0 for a, b in pairs
        ]
        assert row.swaps == sum(turned)


def test_no_judgment_is_part_of_what_it_is_compared_with() -> None:
    """Other grades of one document change what is expected of others, but nothing of itself."""
    qrels, runs = world()
    rows = []
    for grade in (0, 2):
        changed = {topic: dict(docs) for topic, docs in qrels.items()}
        changed["t3"]["d7"] = grade
        result = uj.audit(changed, runs, top=1000)
        rows.append(next(row for row in result.suspects() if (row.topic, row.doc) == ("t3", "d7")))
    assert (rows[0].groups, rows[0].best_rank) == (rows[1].groups, rows[1].best_rank)
    assert {rows[0].grade, rows[1].grade} == {0, 2}


def test_the_order_of_judgments_runs_and_topics_does_not_matter() -> None:
    qrels, runs = world()
    turned = {topic: dict(reversed(docs.items())) for topic, docs in reversed(qrels.items())}
    one, other = uj.audit(qrels, runs), uj.audit(turned, dict(reversed(runs.items())))
    assert [row[:4] for row in one.suspects()] == [row[:4] for row in other.suspects()]


def test_labels_alone_are_enough() -> None:
    qrels, _ = world()
    changed, errors = spoiled(qrels)
    result = uj.audit(changed, None, labels={"model": qrels}, top=2)
    assert {(row.topic, row.doc) for row in result.suspects()} == errors
    row = result.suspects()[0]
    assert row.labels == f"model={qrels[row.topic][row.doc]}"
    assert (row.groups, row.best_rank, row.change, row.swaps) == (None, None, None, None)
    assert (result.evidence, result.unfound(), result.duplicates()) == (("model",), (), ())


def test_relevant_documents_that_no_run_has() -> None:
    qrels, runs = world()
    qrels["t1"]["lost"], qrels["t1"]["neither"] = 2, 0
    assert [(row.topic, row.doc, row.grade) for row in uj.audit(qrels, runs).unfound()] == [("t1", "lost", 2)]


def test_near_duplicates_with_different_grades() -> None:
    qrels, runs = world()
    changed, errors = spoiled(qrels)
    ((topic, doc),) = [pair for pair in errors if pair[0] == "t2"]
    other = next(one for one, grade in qrels["t2"].items() if grade == 2 and one != doc)
    texts = {f"d{i}": " ".join(f"w{i}x{j}" for j in range(20)) for i in range(40)}
    texts[other] = texts[doc] + " more"
    result = uj.audit(changed, runs, texts=texts)
    pairs = {(row.topic, *sorted([row.doc, row.other])) for row in result.duplicates()}
    differ = {t for t in TOPICS if changed[t][doc] != changed[t][other]}
    assert pairs == {(t, *sorted([doc, other])) for t in differ}
    row = next(one for one in result.duplicates() if one.topic == topic)
    assert (row.doc, row.grade, row.other, row.other_grade) == (doc, 0, other, 2)
    assert row.share == pytest.approx(40 / 41)
    assert result.evidence == ("runs", "texts")


def test_a_lenient_assessor_and_nobody_else() -> None:
    qrels, runs = world(3)
    rng = random.Random(3)
    who = {topic: {doc: rng.choice(["ann", "bob", "carl", "dora"]) for doc in docs} for topic, docs in qrels.items()}
    for topic, docs in qrels.items():
        for doc in docs:
            if who[topic][doc] == "bob" and rng.random() < 0.7:
                docs[doc] = min(2, docs[doc] + 1)
    first, *others = uj.audit(qrels, runs, assessors=who).assessors()
    assert (first.assessor, first.topics) == ("bob", 8)
    assert first.bias > 0.3 and first.low is not None and first.low > 0
    assert first.corrected_p is not None and first.corrected_p < 0.01
    assert all(row.corrected_p is not None and row.corrected_p > 0.05 for row in others)
    judged = [grade for topic, docs in qrels.items() for doc, grade in docs.items() if who[topic][doc] == "bob"]
    assert (first.judgments, first.grade) == (len(judged), pytest.approx(np.mean(judged)))


def test_assessors_of_whole_topics_are_compared_over_topics() -> None:
    qrels, runs = world()
    rows = uj.audit(qrels, runs, assessors={topic: f"a{i % 2}" for i, topic in enumerate(TOPICS)}).assessors()
    assert sorted((row.assessor, row.topics, row.judgments) for row in rows) == [("a0", 4, 160), ("a1", 4, 160)]
    assert [row.low for row in rows] == [None, None] and all(row.p is not None for row in rows)


def test_the_document_has_all_tables() -> None:
    qrels, runs = world()
    result = uj.audit(qrels, runs, error_rate=0.05)
    document = json.loads(result.to_json())
    assert list(uj.Audit.row_types) == ["suspects", "planted", "unfound", "duplicates", "assessors"]
    assert document["audit"]["error_rate"] == result.error_rate == 0.05
    assert document["suspects"][0] == result.suspects()[0]._asdict()
    assert repr(result) == f"Audit: 320 judgments. {result.summary()}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"top": 0}, "top must be a whole number of at least 1, not 0"),
        ({"error_rate": 1.5}, "error_rate must be a number above 0 and below 1, not 1.5"),
        ({"measure": "gm_map"}, "GMAP is not a mean over topics; take one that is, such as nDCG@10"),
        (
            {"assessors": {"other": "ann"}},
            "assessors: no judgment has an assessor; topics and documents must be those of the judgments",
        ),
        (
            {"runs": None},
            "there is nothing to compare the judgments with: give runs, labels of other judges (--labels FILE), or what"
            " documents say (--texts FILE)",
        ),
        (
            {"texts": uj.read_texts({"other": "words"})},
            "texts: there is no text of any judged document",
        ),
        (
            {"qrels": {"t0": {"d0": 1, "d1": 1}}},
            "qrels: audit needs judgments of at least two different grades; there is 1",
        ),
    ],
)
def test_mistakes_are_one_line(change: dict[str, Any], message: str) -> None:
    qrels, runs = world()
    given = {"qrels": qrels, "runs": runs, "measure": "nDCG@10", **change}
    with pytest.raises(InputError) as caught:
        uj.audit(given.pop("qrels"), given.pop("runs"), given.pop("measure"), **given)
    assert str(caught.value) == message


def test_judgments_of_subtopics_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "diversity.qrels"
    file.write_text("t0 1 d0 1\nt0 2 d0 1\nt0 2 d1 0\n")
    with pytest.raises(InputError) as caught:
        uj.audit(file, world()[1])
    assert str(caught.value) == (
        f"{file}: audit looks at one grade for each topic and document, and these judgments are for subtopics; if they"
        " are not, say --qrels-format trec"
    )
