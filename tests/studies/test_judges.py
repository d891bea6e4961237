"""How far label sources can be trusted: numbers as counted by hand, oddities, orders of runs, and who is favoured."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import unjudged as uj
from unjudged.errors import InputError
from unjudged.reports.judges import render_judges
from unjudged.uncertainty.prediction_powered import classical, prediction_powered

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

Table = dict[str, dict[str, int]]
TOPICS = [f"t{i}" for i in range(12)]


def world(seed: int = 1) -> tuple[Table, dict[str, Table]]:
    """Judgments with grades from 0 to 3, and runs from good to bad, made by two teams."""
    rng = random.Random(seed)
    qrels = {topic: {f"d{i}": rng.choice([0, 0, 0, 1, 1, 2, 3]) for i in range(40)} for topic in TOPICS}
    runs = {
        f"{team}{i}": {
            topic: {doc: grade + rng.gauss(0, 0.5 + i) for doc, grade in docs.items()} for topic, docs in qrels.items()
        }
        for team in ("red", "blue")
        for i in range(5)
    }
    return qrels, runs  # type: ignore[return-value]


def noisy(qrels: Table, seed: int, chance: float = 0.3) -> Table:
    rng = random.Random(seed)
    return {
        topic: {
            doc: max(0, min(3, grade + (rng.choice([-1, 1]) if rng.random() < chance else 0)))
            for doc, grade in docs.items()
        }
        for topic, docs in qrels.items()
    }


def changed(labels: Table, how: Any) -> Table:
    return {topic: {doc: how(grade) for doc, grade in docs.items()} for topic, docs in labels.items()}


def test_agreement_is_as_counted_by_hand() -> None:
    qrels, _ = world()
    labels = noisy(qrels, 2)
    del labels["t3"]["d7"]
    labels["t4"]["new"] = 2
    row = uj.judges(qrels, None, {"model": labels}).judge("model")
    pairs = [
        (labels[topic][doc], grade)
        for topic, docs in qrels.items()
        for doc, grade in docs.items()
        if doc in labels[topic]
    ]
    a, b = np.array(pairs).T
    assert (row.labels, row.beyond, row.pairs, row.coverage) == (480, 1, 479, 479 / 480)
    assert row.exact == pytest.approx((a == b).mean())
    assert row.within_one == pytest.approx((abs(a - b) <= 1).mean())
    assert row.kappa == pytest.approx(cohen_kappa_score(a, b), abs=1e-9)
    assert row.weighted_kappa == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"), abs=1e-9)
    assert row.bias == pytest.approx((a - b).mean())
    assert (row.verdict, row.odd, row.copy_of) == ("good with correction", None, None)


def test_the_confusion_matrix_topics_and_grades_are_counted() -> None:
    qrels, _ = world()
    labels = noisy(qrels, 2)
    result = uj.judges(qrels, None, {"model": labels})
    counts = Counter((labels[topic][doc], grade) for topic, docs in qrels.items() for doc, grade in docs.items())
    assert {(row.label, row.grade): row.pairs for row in result.confusion()} == counts
    for label in range(4):
        assert sum(row.share for row in result.confusion() if row.label == label) == pytest.approx(1)
    assert sum(row.pairs for row in result.topics()) == result.judgments == 480
    first = result.topics()[0]
    wanted = cohen_kappa_score(list(labels["t0"].values()), list(qrels["t0"].values()), labels=range(4))
    assert (first.topic, first.pairs) == ("t0", 40)
    assert first.kappa == pytest.approx(wanted, abs=1e-9)
    for row in result.grades():
        mine = [labels[topic][doc] for topic, docs in qrels.items() for doc, g in docs.items() if g == row.grade]
        assert (row.pairs, row.label, row.bias) == (
            *(len(mine), pytest.approx(np.mean(mine))),
            pytest.approx(np.mean(mine) - row.grade),
        )


def test_pairs_of_judges_have_people_among_them() -> None:
    qrels, _ = world()
    one, two = noisy(qrels, 2), noisy(qrels, 3)
    rows = uj.judges(qrels, None, {"one": one, "two": two}).pairs()
    assert [(row.judge, row.other) for row in rows] == [("one", "two"), ("one", "people"), ("two", "people")]
    a, b = ([docs[doc] for docs in side.values() for doc in docs] for side in (one, two))
    assert rows[0].kappa == pytest.approx(cohen_kappa_score(a, b), abs=1e-9)


def test_odd_sources_are_named_in_one_line_each() -> None:
    qrels, _ = world()
    good = noisy(qrels, 2)
    rng = random.Random(5)
    sources = {
        "good": good,
        "again": good,
        "inverted": changed(good, lambda grade: 3 - grade),
        "constant": changed(good, lambda grade: 1),
        "shifted": changed(noisy(qrels, 4), lambda grade: grade + 1),
        "rescaled": changed(noisy(qrels, 6), lambda grade: 10 * grade),
        "random": changed(good, lambda grade: rng.randrange(4)),
    }
    result = uj.judges(qrels, None, sources)
    odd = {row.judge: (row.odd or "").partition(":")[0] for row in result.judges()}
    assert odd == {
        "good": "",
        "again": "",
        "inverted": "inverted",
        "constant": "constant",
        "shifted": "shifted",
        "rescaled": "rescaled",
        "random": "",
    }
    assert {row.judge: row.copy_of for row in result.judges() if row.copy_of} == {
        "again": "good",
        "inverted": "good, with other numbers",
    }
    verdicts = {row.judge: row.verdict for row in result.judges()}
    bad = {name for name, one in verdicts.items() if one == "not to be used"}
    assert bad == {"inverted", "constant", "random"}


def test_orders_are_those_of_scores_by_labels_alone() -> None:
    qrels, runs = world()
    labels = noisy(qrels, 2, chance=0.8)
    result = uj.judges(qrels, runs, {"model": labels}, "nDCG@5")
    human, machine = (uj.score(one, runs, "nDCG@5").mean() for one in (qrels, labels))
    names = list(runs)
    left, right = ([means[name, "nDCG@5"] for name in names] for means in (human, machine))
    (order,) = result.orders()
    assert order.tau_b == pytest.approx(stats.kendalltau(left, right).statistic)
    assert order.bias == pytest.approx(np.mean(right) - np.mean(left))
    assert {row.run: (row.human, row.machine) for row in result.runs()} == {
        name: (pytest.approx(a), pytest.approx(b)) for name, a, b in zip(names, left, right, strict=True)
    }
    best = [{names[i] for i in np.argsort(side)[::-1][:10]} for side in (left, right)]
    assert order.top == len(best[0] & best[1]) / 10


def test_false_and_missed_pairs_are_those_of_the_test() -> None:
    qrels, runs = world()
    labels = noisy(qrels, 2, chance=0.9)
    (order,) = uj.judges(qrels, runs, {"model": labels}, "P@5", test="t", correction="bonferroni").orders()
    verdicts = []
    for one in (qrels, labels):
        rows = uj.compare(one, runs, "P@5", test="t", correction="bonferroni", draws=2).pairs()
        signs = {
            frozenset((row.run, row.other)): np.sign(row.difference) * (1 if row.run < row.other else -1)
            for row in rows
        }
        significant = {frozenset((row.run, row.other)): row.corrected_p < 0.05 for row in rows}
        verdicts.append({pair: sign * significant[pair] for pair, sign in signs.items()})
    human, machine = verdicts
    assert order.significant == sum(value != 0 for value in human.values())
    assert order.missed == sum(value != 0 and machine[pair] != value for pair, value in human.items())
    assert order.false == sum(value != 0 and human[pair] != value for pair, value in machine.items())


def test_labels_as_good_as_people_are_good_for_order() -> None:
    qrels, runs = world()
    (row,) = uj.judges(qrels, runs, {"people": qrels}).judges()
    assert (row.verdict, row.kappa, row.exact) == ("good for order", 1.0, 1.0)


def test_a_judge_that_favours_a_team_is_found_and_a_generous_one_is_not() -> None:
    qrels, runs = world()
    teams = {name: name.rstrip("01234") for name in runs}
    # What the red team has on top, the judge likes.
    liked = {
        topic: {
            doc
            for run in runs
            if run.startswith("red")
            for doc in sorted(runs[run][topic], key=runs[run][topic].__getitem__, reverse=True)[:3]
        }
        for topic in TOPICS
    }
    partial = {
        topic: {doc: 3 if doc in liked[topic] else grade for doc, grade in docs.items()}
        for topic, docs in qrels.items()
    }
    generous = changed(qrels, lambda grade: min(3, grade + 1))
    result = uj.judges(qrels, runs, {"partial": partial, "generous": generous}, "P(rel=2)@3", groups=teams)
    favoured = {(row.judge, row.group): row for row in result.groups()}
    assert favoured["partial", "red"].favour > 0
    assert favoured["partial", "red"].corrected_p < 0.05
    assert favoured["generous", "red"].corrected_p > 0.05
    assert [(row.judge, row.favoured) for row in result.orders()] == [("partial", 1), ("generous", 0)]
    assert result.judge("partial").verdict == "good with correction"
    assert (result.judge("partial").reason or "").endswith("1 favoured")


def test_verdicts_say_what_of_the_rule_they_follow_from() -> None:
    qrels, runs = world()
    rng = random.Random(1)
    labels = {
        "same": qrels,
        "constant": changed(qrels, lambda _: 1),
        "inverted": changed(qrels, lambda grade: 3 - grade),
        "shuffled": {
            topic: dict(zip(docs, random.Random(topic).sample(list(docs.values()), len(docs)), strict=True))
            for topic, docs in qrels.items()
        },
        "rarely right": {
            topic: {doc: grade if rng.random() < 0.3 else rng.randrange(4) for doc, grade in docs.items()}
            for topic, docs in qrels.items()
        },
    }
    result = uj.judges(qrels, runs, labels, "P(rel=2)@5")
    rows, tau = {row.judge: (row.verdict, row.reason) for row in result.judges()}, result.orders()[-1].tau_b
    assert rows["same"] == ("good for order", "tau-b 1.000")
    assert rows["constant"] == ("not to be used", "constant")
    assert rows["inverted"] == ("not to be used", "inverted")
    assert rows["shuffled"] == ("not to be used", f"z = {result.judge('shuffled').association:.1f}")
    assert rows["rarely right"] == ("good with correction", f"tau-b {tau:.3f}")
    assert "Not to be used: constant (constant), inverted (inverted), shuffled (z" in render_judges(
        result, "table"
    ).replace("\n", " ")
    assert uj.judges(qrels, None, {"same": qrels}).judge("same").reason is None


def test_p_values_of_groups_allow_for_their_number() -> None:
    qrels, runs = world()
    teams = {name: name for name in runs}
    rows = uj.judges(qrels, runs, {"model": noisy(qrels, 2)}, groups=teams, correction="bonferroni").groups()
    assert [row.corrected_p for row in rows] == pytest.approx([min(1, 10 * row.p) for row in rows])


def test_labels_on_another_scale_still_order_runs() -> None:
    qrels, runs = world()
    labels = noisy(qrels, 2)
    plain = uj.judges(qrels, runs, {"model": qrels}, "P(rel=2)@5").orders()[0]
    scaled = uj.judges(qrels, runs, {"model": changed(qrels, lambda grade: 25 * grade)}, "P(rel=2)@5").orders()[0]
    assert scaled == plain
    binary = uj.judges(qrels, runs, {"model": changed(labels, lambda grade: int(grade >= 2))}, "P(rel=2)@5")
    assert [one.code for one in binary.warnings] == ["labels-only-judged", "label-scale"]
    assert (binary.orders()[0].tau_b or 0) > 0.7


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("measure", ["P(rel=2)@5", "nDCG@5"])
def test_so_many_pairs_do_make_intervals_that_narrow(measure: str) -> None:
    qrels, runs = world()
    labels = noisy(qrels, 2)
    result = uj.judges(qrels, runs, {"model": labels}, measure, target="width=0.1")
    rows = {one.of: one for one in result.targets()}
    every = sum(map(len, qrels.values()))
    for row in rows.values():
        assert row.pairs is not None
        assert row.pairs_without is not None
        assert 30 < row.pairs < row.pairs_without < every
    rng = random.Random(3)
    rate = rows["means"].pairs / every  # type: ignore[operator]
    widths = []
    for _ in range(12):
        drawn = {t: {d: g for d, g in docs.items() if rng.random() < rate} for t, docs in qrels.items()}
        found = uj.score(
            {t: docs for t, docs in drawn.items() if docs},
            runs,
            measure,
            labels={"m": labels},
            sample_rate=rate,
            random_sample=True,
            jobs=1,
        )
        widths.append(np.mean([one.high - one.low for one in found.assisted.rows]))  # type: ignore[union-attr]
    assert np.mean(widths) == pytest.approx(0.1, rel=0.2)
    other = uj.judges(qrels, runs, {"model": labels}, "AP", target="width=0.1").targets()
    assert {(one.pairs, one.pairs_without) for one in other} == {(None, None)}


@pytest.mark.parametrize("of", ["means", "differences"])
def test_so_many_topics_do_make_intervals_that_narrow(of: str) -> None:
    qrels, runs = world()
    labels = noisy(qrels, 2)
    result = uj.judges(qrels, runs, {"model": labels}, "P(rel=2)@5", target=["width=0.1", "width=1e-7"])
    row, never = (one for one in result.targets() if one.of == of)
    assert (never.topics, never.judgments, never.without) == (None, None, None)
    assert row.topics is not None
    assert row.without is not None
    assert row.topics < row.without
    assert row.judgments == 40 * row.topics
    # Topics like these, as many as it says, and labels of many more.
    y, f = (uj.score(one, runs, "P(rel=2)@5").values[0, 0] for one in (qrels, labels))
    if of == "differences":
        first, second = np.triu_indices(len(y), 1)
        y, f = y[first] - y[second], f[first] - f[second]
    rng = np.random.default_rng(1)
    widths = {"with": [], "without": []}  # type: ignore[var-annotated]
    for _ in range(30):
        drawn, more, alone = (rng.integers(0, y.shape[1], n) for n in (row.topics, 5000, row.without))
        powered = prediction_powered(y[:, drawn], f[:, drawn], f[:, more], differences=of == "differences")
        plain = classical(y[:, alone])
        widths["with"].append((powered.high - powered.low).mean())
        widths["without"].append((plain.high - plain.low).mean())
    assert np.mean(widths["with"]) == pytest.approx(0.1, rel=0.12)
    assert np.mean(widths["without"]) == pytest.approx(0.1, rel=0.12)


def test_what_cannot_be_compared_is_one_line() -> None:
    qrels, runs = world()
    labels = noisy(qrels, 2)
    with pytest.raises(
        InputError,
        match=r"^model: nothing that people judged has one of its labels, so nothing can be said about it; let",
    ):
        uj.judges(qrels, None, {"model": {"t0": {"other": 1}}})
    with pytest.raises(InputError, match=r"^an order of runs needs at least two runs, not 1; leave it out"):
        uj.judges(qrels, {"one": runs["red0"]}, {"model": labels})
    with pytest.raises(
        InputError, match=r"labels let nDCG@10 be compared on 1 topics, and an order of runs needs at least 2"
    ):
        uj.judges(qrels, runs, {"model": {"t0": labels["t0"]}})
    with pytest.raises(InputError, match=r"^gm_map is not a mean over topics|^GMAP is not a mean over topics"):
        uj.judges(qrels, runs, {"model": labels}, "GMAP")
    with pytest.raises(InputError, match=r"^no judge is named 'nobody'$"):
        uj.judges(qrels, None, {"model": labels}).judge("nobody")


def test_labels_that_can_only_be_checked_are_a_warning() -> None:
    qrels, _ = world()
    (notice,) = uj.judges(qrels, None, {"one": qrels, "two": {**qrels, "t0": {**qrels["t0"], "new": 1}}}).warnings
    assert notice.message == "one: all labels are for what people judged, so they can be checked, but add nothing"


def test_json_has_everything() -> None:
    qrels, runs = world()
    result = uj.judges(qrels, runs, {"model": noisy(qrels, 2)}, groups={name: name[:3] for name in runs})
    document = json.loads(result.to_json())
    assert set(document) == {"unjudged", "inputs", "agreement", *result.row_types, "warnings"}
    assert document["judges"][0]["judge"] == "model"
    assert len(document["runs"]) == 10
    assert repr(result) == "Judges: 1 judge beside 480 judgments. model: good for order."
