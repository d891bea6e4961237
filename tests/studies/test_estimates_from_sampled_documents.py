"""Estimates from a random sample of judged pairs and labels of all: unbiased, with intervals that hold."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import unjudged as uj
from unjudged.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

Table = dict[str, dict[str, int]]
TOPICS = [f"t{i}" for i in range(20)]


def world() -> tuple[Table, Table, dict[str, Any]]:
    """All judgments of 20 topics, a generous judge's labels of the same pairs, and three runs."""
    rng = random.Random(1)
    truth = {topic: {f"d{i}": rng.choice([0, 0, 0, 1, 2, 3]) for i in range(60)} for topic in TOPICS}
    labels = {
        topic: {doc: min(3, grade + (rng.random() < 0.4)) for doc, grade in docs.items()}
        for topic, docs in truth.items()
    }
    runs = {
        f"r{i}": {
            topic: {doc: grade + rng.gauss(0, 1 + i) for doc, grade in docs.items()} for topic, docs in truth.items()
        }
        for i in range(3)
    }
    return truth, labels, runs


def sample(truth: Table, rate: float, seed: int) -> Table:
    rng = random.Random(seed)
    drawn = {topic: {doc: g for doc, g in docs.items() if rng.random() < rate} for topic, docs in truth.items()}
    return {topic: docs or dict([next(iter(truth[topic].items()))]) for topic, docs in drawn.items()}


@pytest.mark.parametrize(
    "measure",
    ["P(rel=2)@10", "RBP(p=0.8)", "DCG@10", "nDCG@10", "R(rel=2)@20", "AP(rel=2)", "ERR@10", "Rprec(rel=2)"],
)
def test_estimates_are_unbiased_and_intervals_hold(measure: str) -> None:
    truth, labels, runs = world()
    known = uj.score(truth, runs, measure).mean()
    want = np.array([known[run, measure] for run in runs])
    estimates, held, width, labels_alone = [], [], [], []
    for seed in range(24):
        rows = uj.score(
            *(sample(truth, 0.15, seed), runs, measure), labels={"gpt": labels}, sample_rate=0.15, jobs=1
        ).assisted.rows  # type: ignore[union-attr]
        table = np.array(
            [[row.estimate, row.low, row.high, row.human_high - row.human_low, row.labels] for row in rows]
        )
        estimates.append(table[:, 0])
        held.append((table[:, 1] <= want) & (want <= table[:, 2]))
        width.append((table[:, 2] - table[:, 1]).mean() / table[:, 3].mean())
        labels_alone.append(table[:, 4])
    spread = np.std(estimates, axis=0) / np.sqrt(len(estimates))
    # Ratios are linearised, and products are of second order, so that a little bias remains.
    allowed = 0.02 if measure.startswith(("nDCG", "R(", "AP", "ERR", "Rprec")) else 0.0
    assert (np.abs(np.mean(estimates, axis=0) - want) < 4 * spread + allowed).all()
    assert np.mean(held) > 0.9
    assert np.mean(width) < (1.1 if measure.startswith("AP") else 0.9)  # labels gain little for AP
    assert np.mean(labels_alone, axis=0) == pytest.approx(
        [uj.score(labels, runs, measure).mean()[run, measure] for run in runs], abs=1e-9
    )


@pytest.mark.parametrize(
    "measure",
    [
        "P@10",
        "nDCG@10",
        "nDCG",
        "P(relative=True)@10",
        "R(rel=2)@20",
        "nDCG(dcg=exp-log2)@5",
        "AP(rel=2)@30",
        "ERR",
        "RR",
        "Rprec(rel=2)",
    ],
)
def test_with_all_pairs_judged_it_is_the_score(measure: str) -> None:
    truth, labels, runs = world()
    rows = uj.score(truth, runs, measure, labels={"gpt": labels}, sample_rate=1.0).assisted.rows  # type: ignore[union-attr]
    scores = uj.score(truth, runs, measure).mean()
    by_labels = uj.score(labels, runs, measure).mean()
    for row in rows:
        score = scores[row.run, row.measure]
        assert (row.estimate, row.low, row.high, row.calibrated)[:3] == pytest.approx((score,) * 3, abs=1e-12)
        assert row.labels == pytest.approx(by_labels[row.run, row.measure], abs=1e-12)


def test_calibrated_products_are_halfway_to_labels_beside_what_is_known_if_these_agree_with_people() -> None:
    truth, labels, runs = world()
    drawn = sample(truth, 0.3, 1)
    known = {t: labels[t] | drawn[t] for t in labels}
    beside = uj.score(known, runs, "AP(rel=2)@30").mean()
    upside_down = {t: {d: 3 - grade for d, grade in docs.items()} for t, docs in labels.items()}

    def calibrated(given: Any) -> dict[str, float]:
        scores = uj.score(drawn, runs, "AP(rel=2)@30", labels={"gpt": given}, sample_rate=0.3)
        return {row.run: row.calibrated for row in scores.assisted.rows}  # type: ignore[union-attr]

    # What inverted labels make one expect is the same, and they do not count as they are.
    expected, halfway = calibrated(upside_down), calibrated(labels)
    for run, score in halfway.items():
        assert score == pytest.approx((expected[run] + beside[run, "AP(rel=2)@30"]) / 2, abs=1e-9)


def test_with_all_pairs_judged_there_is_no_sample_to_look_at() -> None:
    truth, labels, runs = world()
    assisted = uj.score(truth, runs, "P@10", labels={"gpt": labels}).assisted
    assert assisted is not None
    assert assisted.assumptions[0] == "People judged all 1,200 pairs that have a label, so that labels add nothing."


def test_differences_of_ratios_are_those_of_their_estimates() -> None:
    truth, labels, runs = world()
    drawn = sample(truth, 0.3, 1)
    given = {"labels": {"gpt": labels}, "sample_rate": 0.3}
    means = {row.run: row for row in uj.score(drawn, runs, "nDCG@10", **given).assisted.rows}  # type: ignore[union-attr]
    for row in uj.compare(drawn, runs, "nDCG@10", draws=2, **given).assisted.pairs:  # type: ignore[union-attr]
        for what in ("estimate", "calibrated", "labels", "human"):
            expected = getattr(means[row.run], what) - getattr(means[row.other], what)
            assert getattr(row, what) == pytest.approx(expected, abs=1e-12)
        assert row.low < row.estimate < row.high


def test_the_order_of_topics_and_documents_does_not_matter() -> None:
    truth, labels, runs = world()
    drawn = sample(truth, 0.3, 1)
    first, again = (
        uj.score(
            {t: dict(sorted(drawn[t].items(), reverse=turned)) for t in sorted(drawn, reverse=turned)},
            runs,
            "nDCG@10",
            labels={
                "gpt": {t: dict(sorted(labels[t].items(), reverse=turned)) for t in sorted(labels, reverse=turned)}
            },
            sample_rate=0.3,
        ).assisted.rows  # type: ignore[union-attr]
        for turned in (False, True)
    )
    for one, other in zip(first, again, strict=True):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-9)
        assert one.low == pytest.approx(other.low, abs=1e-9)


@pytest.mark.parametrize("measure", ["P(rel=2)@10", "nDCG@10", "AP(rel=2)"])
def test_inverted_labels_say_the_same(measure: str) -> None:
    truth, labels, runs = world()
    drawn = sample(truth, 0.3, 1)
    inverted = {topic: {doc: 3 - grade for doc, grade in docs.items()} for topic, docs in labels.items()}
    first, again = (
        uj.score(drawn, runs, measure, labels={"gpt": one}, sample_rate=0.3).assisted.rows  # type: ignore[union-attr]
        for one in (labels, inverted)
    )
    for one, other in zip(first, again, strict=True):
        assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high), abs=1e-9)


def test_differences_have_p_values() -> None:
    truth, labels, runs = world()
    given = {"labels": {"gpt": labels}, "sample_rate": 0.3, "draws": 2}
    result = uj.compare(sample(truth, 0.3, 1), runs, "P(rel=2)@10", correction="bonferroni", **given)
    means = {
        row.run: row.estimate
        for row in uj.score(
            *(sample(truth, 0.3, 1), runs, "P(rel=2)@10"), labels={"gpt": labels}, sample_rate=0.3
        ).assisted.rows  # type: ignore[union-attr]
    }
    for row in result.assisted.pairs:  # type: ignore[union-attr]
        assert row.estimate == pytest.approx(means[row.run] - means[row.other], abs=1e-12)
        assert row.corrected_p == pytest.approx(min(1, 3 * row.p))
        assert (row.p < 0.05) == (row.low > 0 or row.high < 0)


def test_the_methods_paragraph_says_how_and_cites_it() -> None:
    truth, labels, runs = world()
    given = {"labels": {"gpt": labels}, "sample_rate": 0.3}
    result = uj.score(sample(truth, 0.3, 1), runs, ["P@10", "nDCG@10"], **given)
    text = uj.methods(result).to_text()
    assert (
        " With the labels of gpt, scores on these topics are estimated from a random sample of judged documents by the"
        " difference estimator"
    ) in text
    assert ", linearised for nDCG@10; what labels make one expect is learned by cross-fitted" in text
    assert "Model assisted survey sampling. Springer, 1992." in text
    assert result.assisted.assumptions[-1] == (  # type: ignore[union-attr]
        "nDCG@10: divided by what a sample does not show; linearised at what labels make one expect."
    )
    squared = uj.score(sample(truth, 0.3, 1), runs, ["AP", "ERR@10"], **given)
    assert ", with terms of second order for AP and ERR@10; what labels make" in uj.methods(squared).to_text()
    assert squared.assisted.assumptions[-1] == (  # type: ignore[union-attr]
        "AP, ERR@10: multiplies what documents are; by a series of second order at what labels make one expect."
    )
    plain = uj.score(sample(truth, 0.3, 1), runs, "P@10", **given)
    assert "linearised" not in uj.methods(plain).to_text() + " ".join(plain.assisted.assumptions)  # type: ignore[union-attr]


def test_labels_off_the_scale_are_counted() -> None:
    truth, labels, runs = world()
    labels["t0"]["d0"] = 9
    for given, message in (
        (labels, "gpt: 1 of 1,200 labels are no grades; all were brought to their scale, in their order"),
        (
            {t: {doc: int(grade > 1) for doc, grade in docs.items()} for t, docs in labels.items()},
            "gpt: labels use another scale than grades; all were brought to their scale, in their order",
        ),
    ):
        result = uj.score(sample(truth, 0.3, 1), runs, "P@10", labels={"gpt": given}, sample_rate=0.3)
        assert [one.message for one in result.warnings if one.code == "label-scale"] == [message]


def test_strata_give_the_chances() -> None:
    truth, labels, runs = world()
    rng = random.Random(3)
    lines = []
    for topic, docs in truth.items():
        for i, (doc, grade) in enumerate(docs.items()):
            rate = 0.8 if i < 20 else 0.2
            lines.append((topic, doc, grade if rng.random() < rate else -1, 1 if i < 20 else 2))
    import pandas

    frame = pandas.DataFrame(lines, columns=["query_id", "doc_id", "relevance", "stratum"])
    rows = uj.score(frame, runs, "P(rel=2)@10", labels={"gpt": labels}, random_sample=True).assisted.rows  # type: ignore[union-attr]
    known = uj.score(truth, runs, "P(rel=2)@10").mean()
    assert all(row.low <= known[row.run, "P(rel=2)@10"] <= row.high for row in rows)


def test_what_was_pooled_is_no_random_sample() -> None:
    truth, labels, runs = world()
    pooled = {
        topic: {doc: grade for doc, grade in docs.items() if labels[topic][doc] >= 2} for topic, docs in truth.items()
    }
    with pytest.raises(InputError) as caught:
        uj.score(pooled, runs, "P@10", labels={"gpt": labels})
    assert str(caught.value).startswith("gpt: intervals assume that the ")
    assert "pooled or hand-picked documents are none. If they were drawn at random all the same, say" in str(
        caught.value
    )
    lines = uj.score(pooled, runs, "P@10", labels={"gpt": labels}, random_sample=True).assisted.assumptions  # type: ignore[union-attr]
    assert "You say that they are: within topics, labels of judged pairs differ by z = +" in lines[0]


@pytest.mark.parametrize(
    ("said", "option"), [({"sample_rate": 0.1}, "--sample-rate"), ({"random_sample": True}, "--random-sample")]
)
def test_a_sample_without_labels_is_a_mistake(said: dict[str, Any], option: str) -> None:
    truth, _, runs = world()
    message = rf"^{option} is about estimates with labels: give --labels FILE \(labels= in Python\), too$"
    with pytest.raises(InputError, match=message):
        uj.score(truth, runs, "P@10", **said)
    with pytest.raises(InputError, match=message):
        uj.compare(truth, runs, "P@10", **said)


def test_what_is_refused() -> None:
    truth, labels, runs = world()
    drawn = sample(truth, 0.2, 1)
    for measure in ("GMAP", "nERR@10", "Rprec(judged_only=True)", "AP(judged_only=True)"):
        with pytest.raises(InputError) as caught:
            uj.score(drawn, runs, measure, labels={"gpt": labels})
        assert str(caught.value) == (
            f"{measure} is no sum over documents or pairs of them, and none over its ideal, so a sample of them gives"
            " no interval here; take P@10, RBP, nDCG@10, AP, ERR or the like, or labels of further topics"
        )
    with pytest.raises(InputError, match=r"^the sample rate must be a number above 0 and at most 1, not 5"):
        uj.score(drawn, runs, "P@10", labels={"gpt": labels}, sample_rate=5)
    with pytest.raises(InputError, match=r"^gpt: estimates with labels need at least 30 judged pairs, not 2$"):
        uj.score({"t0": {"d0": 1, "d1": 0}}, runs, "P@10", labels={"gpt": {"t0": labels["t0"]}})
