"""Measures of judgments sampled from strata: definitions, NIST's numbers, standard errors, bad input."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import plain_sampled as plain
import pytest
from measure_views import make_view, view_of

import unjudged as uj
from unjudged.compat.trec_eval import trec_eval_lines
from unjudged.data.view import View
from unjudged.errors import InputError
from unjudged.measures import AP, infAP, infNDCG, infNDCG_se, nDCG, xinfAP, xinfAP_se

Topic = tuple[plain.Ranking, plain.Judgments]


def random_topic(rng: random.Random, *, strata: int, size: int = 40, unsampled: bool = False) -> Topic:
    """A ranking over documents of which some are pooled, some of these judged, at another rate in each stratum."""
    docs = [f"d{i:02d}" for i in range(size)]
    shares = [rng.choice([0.2, 0.5, 0.8, 1.0]) for _ in range(strata)]
    if unsampled:
        shares[-1] = 0.0
    judgments: plain.Judgments = {}
    for doc in rng.sample(docs, rng.randint(size // 2, size)):
        stratum = rng.randrange(strata)
        judged = rng.random() < shares[stratum]
        judgments[doc] = (stratum, rng.choice([0, 0, 0, 1, 1, 2, 3]) if judged else -1)
    return rng.sample(docs, rng.randint(size // 2, size)), judgments


def random_sample(seed: int, *, strata: int, unsampled: bool = False) -> dict[str, Topic]:
    rng = random.Random(seed)
    return {f"{t}": random_topic(rng, strata=strata, unsampled=unsampled) for t in range(8)}


def view_from(topics: dict[str, Topic]) -> View:
    run = {t: {doc: float(-i) for i, doc in enumerate(ranking)} for t, (ranking, _) in topics.items()}
    qrels = {t: {doc: grade for doc, (_, grade) in judgments.items()} for t, (_, judgments) in topics.items()}
    strata = {t: {doc: stratum for doc, (stratum, _) in judgments.items()} for t, (_, judgments) in topics.items()}
    return make_view(run, qrels, strata=strata)


def fully_judged(seed: int, *, strata: int) -> dict[str, Topic]:
    topics = random_sample(seed, strata=strata)
    return {t: (r, {doc: (s, abs(grade)) for doc, (s, grade) in j.items()}) for t, (r, j) in topics.items()}


SIZES = pytest.mark.parametrize(
    ("strata", "unsampled"), [(1, False), (2, False), (2, True), (3, False), (5, True)], ids=str
)
CUTOFFS = pytest.mark.parametrize("cutoff", [None, 1, 10, 25, 1000])


# ---- the definitions, in plain Python


@SIZES
@CUTOFFS
@pytest.mark.parametrize("seed", range(3))
def test_xinfap_is_what_the_definition_says(strata: int, unsampled: bool, cutoff: int | None, seed: int) -> None:
    topics = random_sample(seed, strata=strata, unsampled=unsampled)
    expected = [plain.xinfap(*topic, cutoff=cutoff) for topic in topics.values()]
    np.testing.assert_allclose(xinfAP(cutoff=cutoff).score(view_from(topics)), expected, rtol=1e-12)
    others = {"rel": 2, "epsilon": 0.25, "guess": 0.75}
    expected = [plain.xinfap(*topic, cutoff=cutoff, **others) for topic in topics.values()]  # type: ignore[arg-type]
    np.testing.assert_allclose(xinfAP(cutoff=cutoff, **others).score(view_from(topics)), expected, rtol=1e-12)


@SIZES
@CUTOFFS
@pytest.mark.parametrize("seed", range(3))
def test_infndcg_is_what_the_definition_says(strata: int, unsampled: bool, cutoff: int | None, seed: int) -> None:
    topics = random_sample(seed, strata=strata, unsampled=unsampled)
    view = view_from(topics)
    expected = [plain.infndcg(*topic, cutoff=cutoff) for topic in topics.values()]
    np.testing.assert_allclose(infNDCG(cutoff=cutoff).score(view), expected, rtol=1e-12)
    expected = [plain.infndcg(*topic, cutoff=cutoff, overflows=False) for topic in topics.values()]
    np.testing.assert_allclose(infNDCG(cutoff=cutoff, ideal="cutoff").score(view), expected, rtol=1e-12)
    gains = {0: -0.5, 1: 4.0, 3: 4.0}
    expected = [
        plain.infndcg(*topic, cutoff=cutoff, gain=lambda g: gains.get(g, 2.0**g - 1)) for topic in topics.values()
    ]
    np.testing.assert_allclose(
        infNDCG(cutoff=cutoff, dcg="exp-log2", gains=gains).score(view), expected, rtol=1e-12, atol=1e-15
    )


@SIZES
@CUTOFFS
@pytest.mark.parametrize("seed", range(3))
def test_standard_errors_come_from_leaving_every_judged_document_out(
    strata: int, unsampled: bool, cutoff: int | None, seed: int
) -> None:
    topics = random_sample(seed, strata=strata, unsampled=unsampled)
    view = view_from(topics)
    expected = [
        plain.standard_error(lambda r, j: plain.xinfap(r, j, cutoff=cutoff), ranking[:cutoff], judgments)
        for ranking, judgments in topics.values()
    ]
    assert not np.isnan(expected).all()
    np.testing.assert_allclose(xinfAP_se(cutoff=cutoff).score(view), expected, rtol=1e-9, atol=1e-15)
    expected = [
        plain.standard_error(lambda r, j: plain.infndcg(r, j, cutoff=cutoff), ranking[:cutoff], judgments)
        for ranking, judgments in topics.values()
    ]
    np.testing.assert_allclose(infNDCG_se(cutoff=cutoff).score(view), expected, rtol=1e-9, atol=1e-14)


def test_the_companion_measure_is_the_method() -> None:
    view = view_from(random_sample(4, strata=2))
    for measure, companion in [(xinfAP(rel=2) @ 20, xinfAP_se(rel=2) @ 20), (infNDCG @ 20, infNDCG_se @ 20)]:
        np.testing.assert_array_equal(measure.standard_error(view), companion.score(view))


def test_a_small_example_by_hand() -> None:
    """Stratum 0: a and b, both judged. Stratum 1: c, d, e, f, of which c and f were judged, so each stands for two."""
    judgments = {"a": (0, 1), "b": (0, 0), "c": (1, 1), "d": (1, -1), "e": (1, -1), "f": (1, 0)}
    view = view_from({"1": (["a", "d", "c", "x"], judgments)})
    # R = 1 + 2. At a: 1. At c: a above is relevant, and d is the guess, as nothing of its stratum was judged above.
    expected = (1 + 2 * (1 + 1 * (1 + 1e-5) / (1 + 3e-5) + 1 / 3) / 3) / 3
    assert xinfAP().score(view)[0] == pytest.approx(expected, rel=1e-14)
    # d and c bring twice what c brings; the ideal ranking has one document of stratum 0 and two of stratum 1.
    expected = (1 + 2 * 0.5) / (1 + 1 / math.log2(3) + 0.5)
    assert infNDCG().score(view)[0] == pytest.approx(expected, rel=1e-14)


def test_estimated_numbers_of_documents_are_rounded_half_up_after_adding_up_all_strata() -> None:
    judged = {f"r{i}": (0, 1) for i in range(3)} | {f"n{i}": (0, 0) for i in range(3)} | {"p": (0, -1)}  # 3 * 7/6 = 3.5
    view = view_from({"1": (["r0"], judged)})
    dcg = sum(1 / math.log2(k + 1) for k in range(1, 5))
    assert infNDCG().score(view)[0] == pytest.approx(1 / dcg, rel=1e-14)


def test_the_ideal_ranking_of_sample_eval_overflows_the_cutoff() -> None:
    judged = {f"a{i}": (0, 3) for i in range(3)} | {f"b{i}": (0, 2) for i in range(2)} | {"c": (0, 1)}
    view = view_from({"1": (["a0"], judged)})
    two = 3 + 3 / math.log2(3)
    below = 2 / math.log2(5) + 1 / math.log2(7)  # the first document of grade 2, at rank 4, and of grade 1, at rank 6
    assert (infNDCG @ 2).score(view)[0] == pytest.approx(3 / (two + below), rel=1e-14)
    assert infNDCG(ideal="cutoff", cutoff=2).score(view)[0] == pytest.approx(3 / two, rel=1e-14)


# ---- what must not matter, and what they become when all is known


@pytest.mark.parametrize("strata", [1, 2, 5])
@CUTOFFS
def test_with_everything_judged_they_are_ap_and_ndcg(strata: int, cutoff: int | None) -> None:
    view = view_from(fully_judged(strata, strata=strata))
    # (r + e) / (n + 3e) is r / n up to 3e for each document above.
    np.testing.assert_allclose(xinfAP(cutoff=cutoff).score(view), AP(cutoff=cutoff).score(view), atol=3e-5 * strata)
    expected = nDCG(cutoff=cutoff).score(view)
    np.testing.assert_allclose(infNDCG(cutoff=cutoff, ideal="cutoff").score(view), expected, rtol=1e-12)
    for companion in (xinfAP_se(cutoff=cutoff), infNDCG_se(cutoff=cutoff)):
        assert companion.score(view).tolist() == [0.0] * len(view)


@pytest.mark.parametrize("seed", range(3))
def test_with_one_stratum_xinfap_is_infap(seed: int) -> None:
    view = view_from(random_sample(seed, strata=1))
    np.testing.assert_allclose(xinfAP(guess=0.5).score(view), infAP().score(view), rtol=1e-12)


MEASURES = pytest.mark.parametrize(
    "measure", [xinfAP(), xinfAP() @ 10, xinfAP_se(), infNDCG(), infNDCG() @ 10, infNDCG_se()], ids=str
)


@MEASURES
def test_the_numbers_of_strata_are_only_names(measure: xinfAP | infNDCG) -> None:
    topics = random_sample(5, strata=3)
    renamed = {
        t: (r, {doc: ({0: 7, 1: 99_999, 2: 0}[s], grade) for doc, (s, grade) in j.items()})
        for t, (r, j) in topics.items()
    }
    expected = measure.score(view_from(topics))
    np.testing.assert_allclose(measure.score(view_from(renamed)), expected, rtol=1e-9, atol=1e-15)


@MEASURES
def test_documents_outside_the_pool_below_everything_change_nothing(measure: xinfAP | infNDCG) -> None:
    topics = random_sample(6, strata=2)
    longer = {t: ([*r, "x", "y"], j) for t, (r, j) in topics.items()}
    np.testing.assert_allclose(measure.score(view_from(longer)), measure.score(view_from(topics)), rtol=1e-12)


@MEASURES
def test_a_stratum_that_was_never_sampled_and_not_retrieved_changes_nothing(measure: xinfAP | infNDCG) -> None:
    topics = random_sample(7, strata=2)
    more = {t: (r, j | {f"u{i}": (9, -1) for i in range(5)}) for t, (r, j) in topics.items()}
    np.testing.assert_allclose(measure.score(view_from(more)), measure.score(view_from(topics)), rtol=1e-9)


def test_retrieved_documents_of_a_stratum_that_was_never_sampled() -> None:
    judgments = {"a": (0, 1), "u": (1, -1), "v": (1, -1)}
    view = view_from({"1": (["u", "v", "a"], judgments)})
    assert xinfAP().score(view)[0] == pytest.approx((1 + 2 / 3) / 3)
    assert xinfAP(guess=0.1).score(view)[0] == pytest.approx((1 + 0.2) / 3)
    assert infNDCG().score(view)[0] == pytest.approx(0.5)
    assert xinfAP_se().score(view)[0] == infNDCG_se().score(view)[0] == 0.0


def test_infndcg_can_be_above_1() -> None:
    judgments = {"a": (0, 1), "b": (0, -1), **{f"n{i}": (0, 0) for i in range(8)}}
    assert infNDCG().score(view_from({"1": (["a", "b"], judgments)}))[0] == pytest.approx(2.0)


# ---- when a standard error can be given


@pytest.mark.parametrize("measure", [xinfAP_se(), infNDCG_se()], ids=str)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("1p0|10", "a number"),
        ("100|10", 0.0),  # all judged
        ("uuu|1p0", 0.0),  # nothing of the pool retrieved: 0 whatever was sampled
        ("|1p0", 0.0),
        ("00p|00", math.nan),  # no relevant document was sampled
        ("000|00", 0.0),  # and there is none
        ("1p|p", math.nan),  # one document of three
        ("ppp", math.nan),  # none at all
    ],
)
def test_where_the_standard_error_is_defined(measure: xinfAP, words: str, expected: float | str) -> None:
    value = measure.score(view_of(words, strata=1))[0]
    if isinstance(expected, str):
        assert 0 < value < 1
    else:
        assert value == pytest.approx(expected, abs=0, nan_ok=True)


def sampled(rng: np.random.Generator, grades: dict[str, tuple[int, int]], shares: dict[int, float]) -> plain.Judgments:
    """A simple random sample of each stratum."""
    kept: set[str] = set()
    for stratum, share in shares.items():
        docs = [doc for doc, (s, _) in grades.items() if s == stratum]
        kept |= set(rng.choice(docs, size=round(share * len(docs)), replace=False).tolist())
    return {doc: (s, grade if doc in kept else -1) for doc, (s, grade) in grades.items()}


def test_standard_errors_are_as_large_as_the_errors() -> None:
    """Two strata, 20 topics, 150 samples; experiments/sampled_standard_error.py does it on real collections."""
    rng = np.random.default_rng(20080720)
    complete: dict[str, Topic] = {}
    for t in range(20):
        ranking = [f"d{i:03d}" for i in range(100)]
        probability = 0.7 * np.exp(-np.arange(100) / 30)
        grades = np.where(rng.random(100) < probability, rng.integers(1, 4, 100), 0).tolist()
        complete[f"{t}"] = (ranking, {doc: (int(i >= 30), grades[i]) for i, doc in enumerate(ranking)})
    pairs = [(xinfAP(), AP()), (infNDCG(), nDCG())]
    truth = np.array([true.score(view_from(complete)) for _, true in pairs])
    values, errors = np.empty((2, 150, 2, 20))
    for draw in range(150):
        sample = {t: (ranking, sampled(rng, grades, {0: 0.6, 1: 0.3})) for t, (ranking, grades) in complete.items()}
        view = view_from(sample)
        values[draw] = [measure.score(view) for measure, _ in pairs]
        errors[draw] = [measure.standard_error(view) for measure, _ in pairs]
    assert np.isfinite(errors).all()
    ratio = np.sqrt((errors**2).mean(axis=(0, 2)) / values.var(axis=0, ddof=1).mean(axis=1))
    assert (ratio > 0.95).all() and (ratio < 1.25).all()
    bias = (values.mean(axis=0) - truth).mean(axis=1)
    assert (np.abs(bias) < 0.02).all()


# ---- NIST's numbers


PM2018 = ["UNTIIA_DGES", "UNTIIA_DGS", "UNTIIA_WTU"]
QRELS = "qrels-sample-abstracts.2018.txt.gz"


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore:.* with a document that its topic has already:unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("name", PM2018)
def test_every_value_of_nists_output_is_reproduced(shared_data: Path, name: str) -> None:
    folder = shared_data / "pm2018-sampled"
    run = uj.read_run(folder / f"{name}.gz", duplicates="last")  # as NIST's script reads it
    assert run.repeats == (1 if name == "UNTIIA_DGES" else 0)
    scores = uj.score(folder / QRELS, [run], ["xinfAP@100", "infNDCG@100"], negative="pooled")
    printed = [line.split() for line in (folder / f"{name}.sampleval").read_text().splitlines()]
    compared = 0
    for m, theirs in enumerate(["infAP", "infNDCG"]):
        official = {topic: value for measure, topic, value in printed if measure == theirs}
        ours = dict(zip(scores.topics, scores.values[0, m, 0].tolist(), strict=True))
        ours["all"] = float(scores.means[0, m, 0])
        assert {topic: f"{value:.4f}" for topic, value in ours.items()} == official
        compared += len(official)
    assert compared == 2 * 51


@pytest.mark.shared
def test_the_run_with_a_duplicate_is_refused(shared_data: Path) -> None:
    folder = shared_data / "pm2018-sampled"
    with pytest.raises(InputError) as error:
        uj.score(folder / QRELS, folder / "UNTIIA_DGES.gz", ["xinfAP@100"])
    assert ":11438: document '12041507' is ranked twice for topic '24' (first in line 11437)" in str(error.value)


# ---- bad input


@pytest.mark.parametrize("measure", ["xinfAP", "infNDCG@10", "xinfAP_se", "infNDCG_se@10"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 0 a 1\n1 0 b 0\n",
            "{measure} needs strata, which {path} does not have: give 5 columns, 'topic 0 doc stratum grade'"
            " (in a frame, a column named 'stratum')",
        ),
        ("1 0 a 1 -1\n", "{path}: all grades are below 0, so {measure} has no judged document to estimate from"),
        ("1 0 a top 1\n", "{path}:1: the stratum is not a whole number: 'top'"),
        ("1 0 a 1.5 1\n", "{path}:1: the stratum is not a whole number: '1.5'"),
        ("1 0 a 1 1\n1 0 b -2 1\n", "{path}:2: the stratum is not between 0 and 100,000: -2"),
        (
            "1 0 a 1 1\n1 0 b 1\n",
            "{path}:2: expected 5 columns, got 4 (lines above are 'topic 0 doc stratum grade'): '1 0 b 1'",
        ),
        (
            "1 0 a 1 1\n1 0 a 2 1\n",
            "{path}:2: document 'a' is judged twice for topic '1' (first in line 1); 1 duplicate",
        ),
    ],
)
def test_bad_judgments(tmp_path: Path, measure: str, text: str, message: str) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        uj.score(path, {"run": {"1": {"a": 1.0}}}, [measure])
    assert str(error.value).startswith(message.format(path=path, measure=measure))
    assert "\n" not in str(error.value)


def test_the_command_that_speaks_trec_eval_needs_strata_too() -> None:
    qrels, run = uj.read_qrels({"1": {"a": 1}}), uj.read_run({"1": {"a": 1.0}})
    with pytest.raises(InputError, match="xinfAP needs strata, which qrels does not have: give 5 columns"):
        list(trec_eval_lines(qrels, run, ["map", "xinfAP"]))


def test_grades_that_are_too_high_for_a_gain() -> None:
    view = view_from({"1": (["a"], {"a": (0, 2000)})})
    with pytest.raises(InputError, match=r"grade 2000 is too high for gains of 2\^grade \(exp-log2\)"):
        infNDCG(dcg="exp-log2").score(view)
