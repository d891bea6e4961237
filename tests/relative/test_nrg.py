"""Normalized residual gain: the paper's table, the formulas in plain Python, and what must hold for any model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_relative import MODELS, Case, left_of, nrg, random_cases, scored

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.data.view import View, join
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.errors import InputError, SpecError
from unjudged.measures import NRG, measures, nDCG
from unjudged.measures.base import Measure, Static

every_base = pytest.mark.parametrize("base", MODELS)

TABLE_1 = {
    ("R1", ""): 0.7933, ("R1", "R2"): 0.7361, ("R1", "R3"): 0.8277, ("R1", "R2 R3"): 0.8417,
    ("R2", ""): 0.7933, ("R2", "R1"): 0.7361, ("R2", "R3"): 0.7988, ("R2", "R1 R3"): 0.8316,
    ("R3", ""): 0.7933, ("R3", "R1"): 0.8277, ("R3", "R2"): 0.7988, ("R3", "R1 R2"): 0.8681,
}  # fmt: skip
RANKINGS = {"R1": "ABCDEFGHIJ", "R2": "EDCBAFGHIJ", "R3": "JIHGFEDCBA"}


@pytest.mark.parametrize(("cell", "printed"), TABLE_1.items(), ids=str)
def test_table_1_of_the_paper(cell: tuple[str, str], printed: float) -> None:
    run, priors = cell
    judged = {doc: 4 if doc in "AEFJ" else 0 for doc in "ABCDEFGHIJ"}
    case = Case(list(RANKINGS[run]), tuple(list(RANKINGS[prior]) for prior in priors.split()), judged)
    measure = NRG(base="nDCG@10")
    assert round(measure.score(case.view(measure))[0], 4) == printed


@every_base
def test_plain_python_gives_the_same(base: str) -> None:
    measure = NRG(base=base)
    for case in random_cases(1, 60):
        expected = nrg(case.ranking, case.priors, case.judged, MODELS[base])
        assert measure.score(case.view(measure))[0] == pytest.approx(expected, abs=1e-12), case


@pytest.mark.parametrize(
    ("gain", "model"),
    [("linear", "nDCG@3"), ("exponential", "nDCG(dcg='exp-log2')@3")],
)
def test_gain_replaces_the_gains_of_the_base(gain: str, model: str) -> None:
    other = "nDCG(dcg='exp-log2')@3" if gain == "linear" else "nDCG@3"
    measure = NRG(base=other, gain=gain)
    for case in random_cases(2, 20):
        expected = nrg(case.ranking, case.priors, case.judged, MODELS[model])
        assert measure.score(case.view(measure))[0] == pytest.approx(expected, abs=1e-12)


def test_binary_gain_counts_documents_from_grade_rel_on() -> None:
    measure = NRG(base="nDCG@3", gain="binary", rel=2)
    for case in random_cases(3, 20):
        judged = {doc: int(grade >= 2) for doc, grade in case.judged.items()}
        expected = nrg(case.ranking, case.priors, judged, MODELS["nDCG@3"])
        assert measure.score(case.view(measure))[0] == pytest.approx(expected, abs=1e-12)


def test_priors_may_be_read_to_their_end_whatever_the_cut_off() -> None:
    measure = NRG(base="nDCG@3", priors="all")
    whole, cut = MODELS["nDCG"], MODELS["nDCG@3"]
    for case in random_cases(4, 30):
        left = {doc: left_of(doc, case.priors, whole) for doc in [*case.ranking, *case.judged]}
        gained = sum(
            cut.seen(rank) * case.judged.get(doc, 0) * left[doc] for rank, doc in enumerate(case.ranking[:3], 1)
        )
        gains = sorted((grade * left[doc] for doc, grade in case.judged.items()), reverse=True)
        best = sum(cut.seen(rank) * gain for rank, gain in enumerate(gains[:3], 1))
        expected = gained / best if best > 0 else 0.0
        assert measure.score(case.view(measure))[0] == pytest.approx(expected, abs=1e-12)


@every_base
def test_without_prior_runs_it_is_the_base(base: str) -> None:
    measure = NRG(base=base)
    for case in random_cases(5, 20):
        alone = Case(case.ranking, (), case.judged)
        view = alone.view(measure)
        plain = View(view.qrels, view.topics, view.offsets, view.grades, view.states)
        expected = measures.parse(base).score(plain)
        assert measure.score(view) == pytest.approx(expected, abs=1e-12)
        np.testing.assert_array_equal(measure.score(plain), expected)


rankings = st.permutations("abcdefgh").map(lambda docs: docs[:5])
judgments = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1)
normalised = st.sampled_from([base for base in MODELS if not base.startswith("DCG")])


@given(normalised, rankings, st.lists(rankings, max_size=3), judgments)
def test_it_lies_between_0_and_1_where_the_base_does(base: str, run: str, priors: list[str], judged: dict) -> None:
    measure = NRG(base=base)
    value = measure.score(Case(list(run), tuple(map(list, priors)), judged).view(measure))[0]
    assert 0 <= value <= 1 + 1e-12


@given(st.sampled_from(list(MODELS)), st.lists(rankings, min_size=1, max_size=4), judgments)
def test_one_more_prior_never_raises_what_is_left(base: str, runs: list[str], judged: dict) -> None:
    measure, qrels = NRG(base=base), uj.read_qrels({"1": judged})
    views = [join(uj.read_run({"1": scored(list(run))}), qrels) for run in runs]
    readings = Readings(measure, qrels, views, holes=True)
    before = readings.left(range(len(runs) - 1))
    after = readings.left(range(len(runs)))
    assert (after <= before).all()
    assert (after >= 0).all()


@every_base
def test_what_a_prior_has_on_top_brings_nothing(base: str) -> None:
    measure = NRG(base=base)
    case = Case(list("abc"), (list("axy"),), {"a": 3})
    assert measure.score(case.view(measure))[0] == 0


@every_base
def test_all_runs_at_once_score_as_one_by_one(base: str) -> None:
    """The product over columns that pairs and greedy choices use, against scoring views."""
    measure = NRG(base=base)
    cases = list(random_cases(6, 12))
    qrels = uj.read_qrels({str(i): case.judged for i, case in enumerate(cases)})
    rankings = [[case.ranking for case in cases], [case.ranking[::-1] for case in cases]]
    rankings.append([case.priors[0] if case.priors else [] for case in cases])
    runs = [uj.read_run({str(i): scored(docs) for i, docs in enumerate(run) if docs}) for run in rankings]
    views = [join(run, qrels) for run in runs]
    for holes in (True, False):
        some = views if holes else [view.only_grades(np.arange(4) > 0) for view in views]
        readings = Readings(measure, qrels, some, holes=holes)
        for priors in ([], [0], [1, 2], [0, 1, 2]):
            left = readings.left(priors)
            expected = [measure.score(readings.after(run, left)) for run in range(3)]
            np.testing.assert_allclose(readings.scores(left), expected, atol=1e-12)


def test_a_new_measure_gets_it_for_free() -> None:
    class HalfLife(Measure):
        """Half as likely at every rank."""

        title = "half"

        def compute(self, view: View) -> Floats:
            rows = np.flatnonzero(view.grades > 0)
            return view.total(rows, 0.5 ** view.rank[rows])

        def static(self, qrels: uj.Qrels, ranks: int) -> Static:
            return Static(0.5 ** np.arange(1, ranks + 1), (np.arange(qrels.max_grade + 1) > 0).astype(np.float64))

        normalised_by = "none"

    measure = NRG(base=HalfLife())
    case = Case(list("ab"), (list("xa"),), {"a": 1, "b": 1})
    assert measure.score(case.view(measure))[0] == pytest.approx(0.5 * 0.5 + 0.25)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NRG", "NRG needs base (the measure whose browsing model is used), as in NRG(base=...)"),
        ("NRG(3)", "NRG: base must be a measure such as 'nDCG@10', not 3"),
        ("NRG(nDGC)", "unknown measure 'nDGC'; did you mean 'nDCG'? (`unjudged measures` lists them all)"),
        (
            "NRG(AP)",
            "NRG: AP does not say how likely somebody is to look at a rank; use a measure that does, such as nDCG@10,"
            " RBP, P@10, R@100, RR, ERR or INSQ",
        ),
        (
            "NRG('alpha_nDCG@20')",
            "NRG: what a document is worth to alpha_nDCG@20 depends on the subtopics found above it, so no gain of its"
            " own is left after others; use a measure without subtopics, such as nDCG@10",
        ),
        ("NRG(RR, gain=binary)", "NRG: RR has gains of its own, which say when a reader stops"),
        ("NRG(P@5, gain=linear)", "NRG: P@5 says itself which grades count; leave gain='linear' out"),
        ("NRG(nDCG, rel=2)", "NRG: rel=2 goes with gain='binary'"),
        ("NRG(nDCG, gain=cubic)", "NRG: gain must be one of 'linear', 'exponential', 'binary', not 'cubic'"),
    ],
)
def test_mistakes_are_explained(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        measures.parse(text)
    assert str(caught.value) == message


def test_score_says_where_prior_sets_are() -> None:
    with pytest.raises(InputError, match=r"^NRG\('nDCG@10'\) needs runs that were read before.* `unjudged relative`$"):
        uj.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, NRG(base=nDCG @ 10))
