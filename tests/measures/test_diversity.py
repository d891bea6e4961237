"""Measures on subtopics against ndeval, against their definitions, and at the edges."""

from __future__ import annotations

import itertools
import math
from typing import Any

import ir_measures
import numpy as np
import pyndeval
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, build_qrels
from unjudged.data.view import View, join
from unjudged.errors import InputError, SpecError
from unjudged.io.tables import coded, qrels_from_table, run_from_table
from unjudged.measures import measures

Judgments = dict[tuple[str, str], int]
"""Grade of each (subtopic, document) of one topic."""
DOCS = [f"d{i:02d}" for i in range(12)]
CUTOFFS = (1, 2, 3, 5, 10, 20)


@st.composite
def collections(draw: st.DrawFn, *, top: int = 2, docs: int = 12, subtopics: int = 4) -> tuple[Judgments, list[str]]:
    """Judgments of one topic with several subtopics, and a ranking with unjudged documents."""
    names = [str(i + 1) for i in range(draw(st.integers(1, subtopics)))]
    judged = draw(st.lists(st.sampled_from(DOCS[:docs]), min_size=1, max_size=docs, unique=True))
    grades = st.integers(0, top)
    judgments = {(subtopic, doc): draw(grades) for doc in judged for subtopic in names}
    ranking = draw(st.permutations([*DOCS[:docs], "u1", "u2"]))
    return judgments, ranking[: draw(st.integers(1, len(ranking)))]


def diversity_qrels(judgments: Judgments) -> Qrels:
    subtopics, docs = zip(*judgments, strict=True)
    grades = np.array(list(judgments.values()), dtype=np.int64)
    return build_qrels(coded(["t"] * len(docs)), Ids.of(docs), grades, subtopics=coded(list(subtopics)))[0]


def view_of(judgments: Judgments, ranking: list[str]) -> View:
    run = run_from_table({"t": {doc: float(len(ranking) - i) for i, doc in enumerate(ranking)}})
    return join(run, diversity_qrels(judgments))


def value(judgments: Judgments, ranking: list[str], measure: str) -> float:
    return float(measures.parse(measure).score(view_of(judgments, ranking))[0])


def ndeval(judgments: Judgments, ranking: list[str], names: list[str], **how: Any) -> dict[str, float]:
    # pyndeval numbers subtopics as they come, ndeval and we by their names: which of two documents brings more can be
    # a matter of the order in which gains are added.
    qrels = [("t", subtopic, doc, grade) for (subtopic, doc), grade in sorted(judgments.items())]
    run = [("t", doc, float(len(ranking) - i)) for i, doc in enumerate(ranking)]
    result = pyndeval.RelevanceEvaluator(qrels, names, **how).evaluate(run)
    return {name: result["t"][name] for name in names}


AT = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")


def subtopics_that_count(judgments: Judgments, rel: int) -> list[str]:
    return sorted({subtopic for (subtopic, _), grade in judgments.items() if grade >= rel})


@settings(max_examples=200)
@given(collections(), st.sampled_from([0.5, 0.0, 1.0, 0.3]), st.sampled_from([0.5, 0.0, 0.9, 1.0]), st.integers(1, 2))
def test_as_ndeval(given_collection: tuple[Judgments, list[str]], alpha: float, beta: float, rel: int) -> None:
    judgments, ranking = given_collection
    names = [f"{name}@{cutoff}" for name in AT for cutoff in CUTOFFS] + ["NRBP", "nNRBP", "MAP-IA"]
    expected = ndeval(judgments, ranking, names, alpha=alpha, beta=beta, relevance_level=rel)
    counted = len(subtopics_that_count(judgments, rel))
    view = view_of(judgments, ranking)
    for name in names:
        bare, at, cutoff = name.partition("@")
        how = [f"rel={rel}"]
        how += [] if bare in {"MAP-IA", "P-IA", "strec"} else [f"alpha={alpha}"]
        how += [f"beta={beta}"] if bare in {"NRBP", "nNRBP"} else []
        ours = float(measures.parse(f"{bare}({','.join(how)}){at}{cutoff}").score(view)[0])
        theirs = expected[name]
        if bare in {"ERR-IA", "alpha-DCG"} and cutoff == "1" and counted:
            theirs /= counted  # ndeval starts to normalise at cut-off 2
        if math.isnan(theirs):
            # 0 / 0: no subtopic counts, or alpha 0 and beta 1 make everything weigh nothing.
            assert bare == "nNRBP" and (counted == 0 or (alpha, beta) == (0.0, 1.0))
            continue
        assert ours == pytest.approx(theirs, abs=1e-9), name


@settings(max_examples=50)
@given(collections(top=3))
def test_as_ir_measures(given_collection: tuple[Judgments, list[str]]) -> None:
    """Its names and parameters are ours, as far as it has them."""
    judgments, ranking = given_collection
    theirs = [
        *(ir_measures.alpha_nDCG(alpha=0.3) @ 5, ir_measures.alpha_DCG(rel=2) @ 10, ir_measures.ERR_IA @ 20),
        *(ir_measures.nERR_IA(rel=2) @ 3, ir_measures.NRBP(alpha=0.2, beta=0.8), ir_measures.P_IA @ 5),
        *(ir_measures.AP_IA(rel=2), ir_measures.StRecall @ 2),
    ]
    qrels = [ir_measures.Qrel("t", doc, grade, subtopic) for (subtopic, doc), grade in sorted(judgments.items())]
    run = [ir_measures.ScoredDoc("t", doc, float(len(ranking) - i)) for i, doc in enumerate(ranking)]
    view = view_of(judgments, ranking)
    for measure in theirs:
        # One at a time: asked for several with different alpha, beta or rel, ir_measures 0.4.3 reads the run only once
        # and gives 0 for all but the first.
        expected = ir_measures.calc_aggregate([measure], qrels, run)[measure]
        ours = measures.parse(str(measure)).score(view)[0]
        assert ours == pytest.approx(expected, abs=1e-9), str(measure)


def test_ndeval_by_hand() -> None:
    """Three documents on two subtopics: the second on both, the third repeats the first."""
    judgments = {("1", "a"): 1, ("1", "b"): 1, ("2", "b"): 1, ("1", "c"): 1, ("2", "d"): 1}
    ranking = ["a", "b", "c"]
    novelty = [1, 0.5 + 1, 0.25]
    logs = [1 / math.log2(rank + 1) for rank in (1, 2, 3)]
    # Ideal: b on both; then d (greatest id) or a or c bring a half each; c on 1 then brings a half.
    ideal = 2 * logs[0] + 0.5 * logs[1] + 0.5 * logs[2]
    dcg = sum(gain * log for gain, log in zip(novelty, logs, strict=True))
    assert value(judgments, ranking, "alpha_nDCG@3") == pytest.approx(dcg / ideal)
    assert value(judgments, ranking, "alpha_DCG@3") == pytest.approx(dcg / 2 / (logs[0] + logs[1] / 2 + logs[2] / 4))
    assert value(judgments, ranking, "ERR_IA@3") == pytest.approx((1 + 1.5 / 2 + 0.25 / 3) / 2 / (1 + 1 / 4 + 1 / 12))
    assert value(judgments, ranking, "NRBP") == pytest.approx((1 - 0.25) / 2 * (1 + 1.5 / 2 + 0.25 / 4))
    assert value(judgments, ranking, "P_IA@3") == pytest.approx((3 / 3 + 1 / 3) / 2)
    assert value(judgments, ranking, "AP_IA") == pytest.approx((1 + (1 / 2) / 2) / 2)
    assert value(judgments, ranking, "StRecall@1") == 0.5
    assert value(judgments, ranking, "StRecall@2") == 1.0


# ---- against measures on plain judgments


def on_one(judgments: Judgments, subtopic: str, ranking: list[str], measure: str, top: int) -> float:
    """A plain measure with the judgments of one subtopic; *top* is the top of the grade scale."""
    grades = {doc: grade for (one, doc), grade in judgments.items() if one == subtopic}
    run = {"t": {doc: float(len(ranking) - i) for i, doc in enumerate(ranking)}}
    view = join(run_from_table(run), qrels_from_table({"t": grades}))
    spec = measures.parse(measure)
    return float(spec.on_scale(top).score(view)[0])


@given(collections(top=3), st.sampled_from([("AP_IA", "AP"), ("P_IA@5", "P@5"), ("StRecall@5", "Success@5")]))
def test_intent_aware_measures_are_means_over_subtopics(
    given_collection: tuple[Judgments, list[str]], names: tuple[str, str]
) -> None:
    judgments, ranking = given_collection
    counted = subtopics_that_count(judgments, 1)
    each = [on_one(judgments, subtopic, ranking, names[1], 1) for subtopic in counted]
    assert value(judgments, ranking, names[0]) == pytest.approx(sum(each) / max(1, len(each)))


@given(collections(top=3), st.sampled_from([None, 2, 4]))
def test_graded_err_ia_is_the_mean_of_err(given_collection: tuple[Judgments, list[str]], max_grade: int | None) -> None:
    """Equation 2 of the paper: each subtopic's ERR, weighted by its probability."""
    judgments, ranking = given_collection
    top = max_grade or max(1, *judgments.values())
    each = [on_one(judgments, one, ranking, "ERR@5", top) for one in subtopics_that_count(judgments, 1)]
    name = f"ERR_IA(form='graded'{'' if max_grade is None else f',max_grade={max_grade}'})@5"
    assert value(judgments, ranking, name) == pytest.approx(sum(each) / max(1, len(each)))


@given(collections(top=1))
def test_graded_err_ia_on_binary_judgments_is_ndevals_unnormalised(
    given_collection: tuple[Judgments, list[str]],
) -> None:
    whole = sum(0.5**rank / rank for rank in range(1, 21))
    assert whole == pytest.approx(0.693147, abs=1e-6)
    graded, plain = (value(*given_collection, name) for name in ("ERR_IA(form='graded')@20", "ERR_IA@20"))
    assert graded == pytest.approx(plain * whole)


@given(collections(subtopics=1))
def test_with_one_subtopic_and_no_penalty_alpha_dcg_is_dcg(given_collection: tuple[Judgments, list[str]]) -> None:
    judgments, ranking = given_collection
    best = sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    binary = {key: min(grade, 1) for key, grade in judgments.items()}
    plain = on_one(binary, "1", ranking, "DCG@5", 1)
    assert value(judgments, ranking, "alpha_DCG(alpha=0.0)@5") == pytest.approx(plain / best)
    assert value(judgments, ranking, "alpha_nDCG(alpha=0.0)@5") == pytest.approx(
        on_one(binary, "1", ranking, "nDCG@5", 1)
    )


# ---- the ideal ranking


def best_by_trying(judgments: Judgments, cutoff: int, measure: str) -> float:
    relevant = sorted({doc for (_, doc), grade in judgments.items() if grade})
    orders = itertools.permutations(relevant, min(cutoff, len(relevant)))
    return max(value(judgments, list(order), measure) for order in orders) if relevant else 0.0


@settings(max_examples=25)
@given(collections(top=1, docs=5, subtopics=4), st.sampled_from([0.5, 0.2, 1.0]))
def test_the_exact_ideal_is_the_best_of_all_rankings(
    given_collection: tuple[Judgments, list[str]], alpha: float
) -> None:
    judgments, ranking = given_collection
    for normalised, plain in (("alpha_nDCG", "alpha_DCG"), ("nERR_IA", "ERR_IA")):
        best = best_by_trying(judgments, 3, f"{plain}(alpha={alpha})@3")
        expected = value(judgments, ranking, f"{plain}(alpha={alpha})@3") / best if best else 0.0
        score = value(judgments, ranking, f"{normalised}(alpha={alpha},ideal='exact')@3")
        assert score == pytest.approx(expected, abs=1e-9)
        assert score <= 1 + 1e-9


GREEDY_LOSES: Judgments = {
    ("1", "a"): 1,
    ("2", "a"): 1,
    ("3", "b"): 1,
    ("1", "b"): 1,
    ("2", "c"): 1,
    ("4", "c"): 1,
    ("1", "z"): 1,
    ("2", "z"): 1,
}
"""z is greedily first; but b and c together cover all four subtopics, and z adds little to them."""


def test_a_greedy_ideal_can_be_beaten_and_an_exact_one_cannot() -> None:
    best = ["b", "c", "z"]
    assert value(GREEDY_LOSES, best, "alpha_nDCG@2") > 1.01
    assert value(GREEDY_LOSES, best, "alpha_nDCG(ideal='exact')@2") == pytest.approx(1.0)
    qrels = diversity_qrels(GREEDY_LOSES)
    run = {"t": {doc: -float(i) for i, doc in enumerate(best)}}
    with pytest.warns(uj.UnjudgedWarning, match=r"alpha_nDCG@2 is above 1 for 1 \(run, topic\) pairs"):
        uj.score(qrels, run, "alpha_nDCG@2")


@settings(max_examples=25)
@given(collections(top=1, docs=6, subtopics=4))
def test_the_limit_of_scores_over_a_greedy_ideal(given_collection: tuple[Judgments, list[str]]) -> None:
    """Proved in the documentation; here the best ranking of each collection is tried."""
    judgments, _ = given_collection
    if not subtopics_that_count(judgments, 1):
        return
    docs = sorted({doc for _, doc in judgments})
    for ranking in itertools.islice(itertools.permutations(docs, min(4, len(docs))), 60):
        assert value(judgments, list(ranking), "alpha_nDCG@4") <= math.e / (math.e - 1)


# ---- rules of our own


def test_negative_grades_and_subtopics_without_relevant_documents_do_not_count() -> None:
    judgments = {("1", "a"): 1, ("2", "a"): -2, ("3", "b"): 0}
    for name in ("alpha_nDCG@5", "StRecall@5", "AP_IA", "nNRBP"):
        assert value(judgments, ["a", "b"], name) == pytest.approx(1.0)


def test_a_document_is_judged_if_it_was_judged_for_any_subtopic() -> None:
    judgments = {("1", "a"): 1, ("2", "b"): 0, ("1", "c"): 1}
    assert value(judgments, ["u", "b", "c"], "P_IA(judged_only=True)@2") == 0.5


def test_one_ranking_in_a_sum_of_many_topics() -> None:
    """Scores of a topic do not depend on the other topics of the judgments."""
    import pandas as pd

    rng = np.random.default_rng(5)
    pairs = [(t, s) for t in range(6) for s in range(t + 1)]
    lines = [(f"t{t}", f"{s}", f"d{d}", int(rng.random() < 0.3)) for t, s in pairs for d in range(15)]
    columns = ["query_id", "subtopic", "doc_id", "relevance"]
    run = {f"t{t}": {f"d{d}": float(rng.random()) for d in range(20)} for t in range(6)}
    names = ["alpha_nDCG@5", "ERR_IA(form='graded')@5", "nNRBP", "AP_IA"]
    together = uj.score(pd.DataFrame(lines, columns=columns), run, names)
    for t in range(6):
        mine = pd.DataFrame([line for line in lines if line[0] == f"t{t}"], columns=columns)
        alone = uj.score(mine, {f"t{t}": run[f"t{t}"]}, names)
        np.testing.assert_allclose(together.values[0, :, 0, t], alone.values[0, :, 0, 0], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("alpha-DCG@5", "alpha_DCG@5"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("nERR-IA(alpha=0.3)@20", "nERR_IA(alpha=0.3)@20"),
        ("MAP-IA", "AP_IA"),
        ("MAP_IA", "AP_IA"),
        ("P-IA@5", "P_IA@5"),
        ("strec@20", "StRecall@20"),
    ],
)
def test_ndevals_names(text: str, name: str) -> None:
    assert str(measures.parse(text)) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ERR_IA(form='graded',rel=2)@5",
            "ERR_IA: form='graded' takes neither alpha nor rel: grades decide",
        ),
        ("ERR_IA(max_grade=3)@5", "ERR_IA: max_grade is for form='graded'"),
        ("alpha_nDCG(alpha=1.5)@5", "alpha_nDCG: alpha must be a number at least 0 and at most 1, not 1.5"),
        ("alpha_nDCG", "alpha_nDCG needs cutoff (number of ranks read), as in alpha_nDCG@10"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(SpecError) as error:
        measures.parse(text)
    assert str(error.value) == message


def test_plain_judgments_are_refused_with_the_option_that_helps() -> None:
    with pytest.raises(InputError) as error:
        uj.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, "alpha_nDCG@5")
    assert str(error.value) == (
        "alpha_nDCG@5 needs subtopics, which qrels does not have: if its second column holds them, say --qrels-format"
        " diversity (in Python read_qrels(..., format='diversity'); in a frame, a column named 'subtopic')"
    )
