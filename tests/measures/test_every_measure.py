"""What holds for every measure. A measure without an entry in ``EXAMPLES`` fails the first test."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from measure_views import QrelsDict, RunDict, make_view, random_collection, view_of

import unjudged.measures
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.measures import TREC_GROUPS, Measure, measures, parse_measures, parse_trec_name
from unjudged.testing import MEASURE_CHECKS

EXAMPLES = {
    "ABSNB": ["ABSNB@20", "ABSNB(mu=10.0,rel=2)@5"],
    "ABSRB": ["ABSRB@20", "ABSRB(mu=0.5,theta=0.5)@3"],
    "AP": ["AP", "AP(rel=2)@10", "AP(judged_only=True)"],
    "AP_IA": ["AP_IA", "AP_IA(rel=2)", "AP_IA(judged_only=True)"],
    "Accuracy": ["Accuracy", "Accuracy(rel=2)@10"],
    "AvgIPrec": ["AvgIPrec", "AvgIPrec(rel=2,judged_only=True)"],
    "BPM": ["BPM@10", "BPM(T=0.5)@3", "BPM(T=2.5,rel=2)@20", "BPM(T=1.5,max_grade=2)@5"],
    "BinG": ["BinG", "BinG(rel=2)"],
    "Bpref": ["Bpref", "Bpref(rel=2)", "Bpref(form='paper')", "Bpref(plus=10)", "Bpref(rel=2,form='paper',plus=10)"],
    "Compat": ["Compat", "Compat(p=0.5,normalize=False)"],
    "DCG": ["DCG", "DCG@10", "DCG(dcg='exp-log2',gains={0: 0.5, 2: 9.0})@5", "DCG(gains={2: -1.0},judged_only=True)@5"],
    "DELTANB": ["DELTANB@20", "DELTANB(mu=57.0)@1"],
    "DELTARB": ["DELTARB@20", "DELTARB(rel=3,theta=0.95)@10"],
    "ERR": ["ERR", "ERR@10", "ERR(max_grade=4)@5", "ERR(max_grade=1)", "ERR(judged_only=True)@5"],
    "ERR_IA": ["ERR_IA@20", "ERR_IA(alpha=0.3,rel=2)@5", "ERR_IA(form='graded',judged_only=True)@10"],
    "G": ["G", "G(judged_only=True)"],
    "GMAP": ["GMAP", "GMAP(rel=2)"],
    "GMBpref": ["GMBpref", "GMBpref(rel=2)", "GMBpref(form='paper')"],
    "INSQ": ["INSQ", "INSQ(T=3.0,rel=2)", "INSQ(T=0.3,max_grade=2,horizon=20)", "INSQ(T=5.0,first_rank=0)"],
    "INST": ["INST", "INST(T=0.5)", "INST(T=3.0,rel=2)", "INST(T=2.0,max_grade=2,horizon=20)", "INST(rel=1,horizon=2)"],
    "IPrec": ["IPrec@0.0", "IPrec@0.1", "IPrec(rel=2)@0.5", "IPrec(judged_only=True)@1.0"],
    "Judged": [
        "Judged",
        "Judged@10",
        "Judged(as_in='ir_measures')@10",
        "Judged(as_in='trec_eval')@10",
        "Judged(as_in='beir')@10",
    ],
    "NERR8": ["NERR8@10", "NERR8(rel=2)@5", "NERR8(max_grade=2)@1"],
    "NERR9": ["NERR9@10", "NERR9(rel=2)@5", "NERR9(max_grade=4)@20"],
    "NERR10": ["NERR10", "NERR10(rel=2,p=0.5)", "NERR10(max_grade=2,horizon=3)"],
    "NERR11": ["NERR11", "NERR11(rel=2,T=0.2)", "NERR11(max_grade=4,T=3.0,horizon=20)"],
    "NRG": [
        "NRG('nDCG@10')",
        "NRG('nDCG',gain='binary',rel=2,priors='all')",
        "NRG(\"nDCG(dcg='exp-log2')@5\")",
        "NRG('RBP(p=0.95)@10',gain='exponential')",
        "NRG('P(rel=2)@10')",
        "NRG('P(relative=True)@5')",
        "NRG('DCG@5',gain='linear')",
        "NRG('R@10')",
        "NRG('RR@10')",
        "NRG('ERR')",
        "NRG('INSQ(T=3.0)')",
        "NRG('SDCG@10')",
    ],
    "NRBP": ["NRBP", "NRBP(alpha=0.0,beta=0.8)", "NRBP(alpha=1.0,rel=2)"],
    "NumNonrelJudgedRet": ["NumNonrelJudgedRet", "NumNonrelJudgedRet(rel=2)"],
    "NumQ": ["NumQ"],
    "NumRel": ["NumRel", "NumRel(rel=3)"],
    "NumRelRet": ["NumRelRet", "NumRelRet(rel=2)"],
    "NumRet": ["NumRet", "NumRet(rel=2)"],
    "P": ["P@5", "P(rel=2,relative=True)@10", "P(judged_only=True)@10"],
    "P_IA": ["P_IA@5", "P_IA(rel=2,judged_only=True)@10"],
    "Q": ["Q", "Q(beta=0.0)", "Q(beta=10.0,rel=2)", "Q(judged_only=True)"],
    "R": ["R", "R@10", "R(rel=2,judged_only=True)@5"],
    "RBP": ["RBP", "RBP(p=0.95)@10", "RBP(rel=2)", "RBP(max_grade=2)", "RBP(p=0.5,scale='topic')"],
    "RBPresid": ["RBPresid", "RBPresid(p=0.5,tail=False)", "RBPresid(as_in='trec_eval')@10"],
    "RR": ["RR", "RR(rel=2)@10", "RR(judged_only=True)"],
    "RnDCG": ["RnDCG", "RnDCG(rel=2)", "RnDCG(judged_only=True)"],
    "Rprec": ["Rprec", "Rprec(rel=2,judged_only=True)"],
    "RprecMult": ["RprecMult@0.2", "RprecMult(rel=2)@2.0"],
    "SDCG": ["SDCG@10", "SDCG(max_grade=2)@5"],
    "SetAP": ["SetAP", "SetAP(rel=2,judged_only=True)"],
    "SetF": ["SetF", "SetF(rel=2,beta=0.0)", "SetF(beta=3.0,judged_only=True)"],
    "SetP": ["SetP", "SetP(rel=2,relative=True)", "SetP(judged_only=True)"],
    "SetR": ["SetR", "SetR(rel=2)"],
    "StRecall": ["StRecall@5", "StRecall(rel=2,judged_only=True)@10"],
    "Success": ["Success@1", "Success(rel=2,judged_only=True)@5"],
    "Unjudged": ["Unjudged@10"],
    "Utility": ["Utility", "Utility(rel=2,found=2.0,noise=-0.5,missed=-1.0)"],
    "alpha_DCG": ["alpha_DCG@20", "alpha_DCG(alpha=0.0,rel=2)@1", "alpha_DCG(judged_only=True)@10"],
    "alpha_nDCG": ["alpha_nDCG@20", "alpha_nDCG(alpha=0.9,rel=2)@3", "alpha_nDCG(ideal='exact',judged_only=True)@5"],
    "indAP": ["indAP", "indAP(rel=2)", "indAP(pool=False)"],
    "infAP": ["infAP", "infAP(rel=2,epsilon=0.1)", "infAP(pool=False)", "infAP(c=1.5)"],
    "infNDCG": ["infNDCG", "infNDCG@10", "infNDCG(dcg='exp-log2',gains={1: 0.5},ideal='cutoff')@5"],
    "infNDCG_se": ["infNDCG_se", "infNDCG_se@10", "infNDCG_se(dcg='exp-log2',gains={1: 0.5},ideal='cutoff')@5"],
    "nDCG": ["nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@5", "nDCG(gains={0: 1.0, 1: 4.0},judged_only=True)@20"],
    "nDCGrel": ["nDCGrel", "nDCGrel(judged_only=True)"],
    "nERR": ["nERR", "nERR(max_grade=2)@10", "nERR(judged_only=True)@5"],
    "nERR_IA": ["nERR_IA@20", "nERR_IA(alpha=1.0)@3", "nERR_IA(ideal='exact',judged_only=True)@3"],
    "nNRBP": ["nNRBP", "nNRBP(alpha=0.3,rel=2,beta=0.9)"],
    "subAP": ["subAP", "subAP(rel=2)", "subAP(p=0.3)"],
    "xinfAP": ["xinfAP", "xinfAP@10", "xinfAP(rel=2,epsilon=0.1,guess=0.5)"],
    "xinfAP_se": ["xinfAP_se", "xinfAP_se@10", "xinfAP_se(rel=2,epsilon=0.1,guess=0.5)"],
}
EVERY = [text for texts in EXAMPLES.values() for text in texts]
every_measure = pytest.mark.parametrize("measure", [measures.parse(text) for text in EVERY], ids=str)
every_class = pytest.mark.parametrize("cls", list(measures), ids=str)


@pytest.fixture(params=range(3))
def collection(request: pytest.FixtureRequest) -> tuple[RunDict, QrelsDict]:
    return random_collection(request.param)


def strata_for(measure: Measure) -> int:
    """How many strata the judgments must have for a measure."""
    return 2 if "strata" in measure.needs else 0


SUBTOPICS = ("1", "2", "3")


def subtopics_for(measure: Measure) -> tuple[str, ...]:
    """Which subtopics the judgments must have for a measure."""
    return SUBTOPICS if "subtopics" in measure.needs else ()


def view_for(measure: Measure, run: RunDict, qrels: QrelsDict, *, subtopics: tuple[str, ...] | None = None) -> View:
    """A view that has what the measure needs; *subtopics* are other names for them."""
    names = subtopics_for(measure)
    chosen = (subtopics or names) if names else ()
    return make_view(run, qrels, strata=strata_for(measure), subtopics=chosen, texts="texts" in measure.needs)


def test_every_registered_measure_has_examples() -> None:
    ours = {cls.name for cls in measures if cls.__module__.startswith("unjudged.")}
    assert ours == set(EXAMPLES)


# ---- names and words


@every_measure
def test_the_name_of_a_measure_reads_back_as_the_measure(measure: Measure) -> None:
    assert parse_measures(str(measure)) == [measure]


@pytest.mark.parametrize("text", EVERY)
def test_examples_are_written_as_measures_print_themselves(text: str) -> None:
    assert str(measures.parse(text)) == text


@every_class
def test_every_measure_explains_itself(cls: type[Measure]) -> None:
    for words in (cls.title, cls.formula, cls.unjudged, cls.reference, inspect.getdoc(cls)):
        assert words
        assert words.strip() == words
    assert cls.__doc__ is not Measure.__doc__
    assert "\n" not in cls.title + cls.formula + cls.unjudged + cls.reference
    assert cls.unjudged.endswith(".")
    assert cls.reference.endswith((".", "trec_eval"))


@every_class
def test_every_parameter_has_limits_and_words(cls: type[Measure]) -> None:
    for field in cls.parameters():
        assert str(field.metadata["limit"])
        assert field.metadata["words"]


@every_class
def test_every_measure_is_found_by_its_name(cls: type[Measure]) -> None:
    assert getattr(unjudged, cls.name) is cls


def test_exported_names_are_measures() -> None:
    exported = {name for name in unjudged.measures.__all__ if name in measures}
    assert len(exported) > 60
    assert all(getattr(unjudged.measures, name) is measures[name] for name in exported)


@every_class
def test_trec_eval_names_lead_back_to_the_measure(cls: type[Measure]) -> None:
    for trec in cls.trec_names:
        for measure in parse_trec_name(trec.name):
            name = measure.trec_name()
            assert name is not None
            assert parse_trec_name(name) == [measure]
            assert type(measure) is cls


def test_importing_measures_does_not_import_scipy() -> None:
    code = "import sys, unjudged.measures; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- values


@every_measure
@pytest.mark.parametrize("check", MEASURE_CHECKS, ids=lambda check: check.__name__)
def test_what_measures_of_plugins_are_checked_for(check: Callable[[Measure], None], measure: Measure) -> None:
    check(measure)


@pytest.mark.parametrize("measure", [one for one in map(measures.parse, EVERY) if subtopics_for(one)], ids=str)
def test_names_of_subtopics_play_no_part(measure: Measure, collection: tuple[RunDict, QrelsDict]) -> None:
    """The new names keep the order of the old ones, because sums follow it."""
    renamed = measure.score(view_for(measure, *collection, subtopics=("7", "20", "\u00e4 -")))
    np.testing.assert_array_equal(renamed, measure.score(view_for(measure, *collection)))


@pytest.mark.parametrize("name", [cls.name for cls in measures if "judged_only" in {p.name for p in cls.parameters()}])
def test_judged_only_is_condensing_first(name: str, collection: tuple[RunDict, QrelsDict]) -> None:
    for text in EXAMPLES[name]:
        measure = measures.parse(text)
        view = view_for(measure, *collection)
        condensed = measure.replace(judged_only=False).score(view.condensed())
        np.testing.assert_array_equal(measure.replace(judged_only=True).score(view), condensed)


@every_measure
def test_summary(measure: Measure) -> None:
    values = np.array([0.25, np.nan, 1.0, 0.0])
    expected = {
        "mean": 1.25 / 3,
        "sum": 1.25,
        "geometric": (0.25 * 1.0 * 1e-5) ** (1 / 3),
        "standard_error": (0.25**2 + 1.0) ** 0.5 / 3,
    }
    assert measure.summarise(values) == pytest.approx(expected[measure.summary])
    nothing = measure.summarise(np.array([np.nan]))
    assert nothing == 0 if measure.summary == "sum" else math.isnan(nothing)


# ---- the rules for what is empty: 0, unless the measure says otherwise

NAN = math.nan
EMPTY_RANKING = {
    "Accuracy": NAN,
    "Accuracy(rel=2)@10": NAN,
    "Judged": NAN,
    "Judged@10": NAN,
    "Judged(as_in='ir_measures')@10": NAN,
    "Judged(as_in='trec_eval')@10": 1.0,
    "Judged(as_in='beir')@10": 1.0,
    "NumQ": 1.0,
    "NumRel": 2.0,
    "RBPresid": 1.0,
    "Utility(rel=2,found=2.0,noise=-0.5,missed=-1.0)": -1.0,
}
NO_RELEVANT_DOCUMENT = {
    "Accuracy": NAN,
    "Accuracy(rel=2)@10": NAN,
    "DCG(dcg='exp-log2',gains={0: 0.5, 2: 9.0})@5": 0.5,
    "Judged": 0.5,
    "Judged@10": 0.5,
    "Judged(as_in='ir_measures')@10": 0.5,
    "Judged(as_in='trec_eval')@10": 0.9,
    "Judged(as_in='beir')@10": 1.0,  # its second document was judged for the other topic
    "NumNonrelJudgedRet": 1.0,
    "NumNonrelJudgedRet(rel=2)": 1.0,
    "NumQ": 1.0,
    "NumRet": 2.0,
    "RBPresid": 0.64 + 0.16,
    "RBPresid(p=0.5,tail=False)": 0.25,
    "RBPresid(as_in='trec_eval')@10": 0.64 + 0.16,
    "Unjudged@10": 0.1,
    "Utility": -2.0,
    "Utility(rel=2,found=2.0,noise=-0.5,missed=-1.0)": -1.0,
    "nDCG(gains={0: 1.0, 1: 4.0},judged_only=True)@20": 1.0,
}


def view_in_words(measure: Measure, *topics: str) -> View:
    texts = "texts" in measure.needs
    return view_of(*topics, strata=strata_for(measure), subtopics=subtopics_for(measure), texts=texts)


@every_measure
def test_empty_ranking(measure: Measure) -> None:
    expected = EMPTY_RANKING.get(str(measure), 0.0)
    assert measure.score(view_in_words(measure, "|021"))[0] == pytest.approx(expected, nan_ok=True)


@every_measure
def test_no_relevant_document(measure: Measure) -> None:
    expected = NO_RELEVANT_DOCUMENT.get(str(measure), 0.0)
    assert measure.score(view_in_words(measure, "0u", "1|3"))[0] == pytest.approx(expected, nan_ok=True)


@every_measure
def test_no_topics_and_no_rankings(measure: Measure) -> None:
    assert measure.score(view_for(measure, {}, {})).tolist() == []
    assert len(measure.score(view_for(measure, {}, {"1": {"a": 1}}))) == 1


PERFECT = [
    "AP", "AvgIPrec", "BinG", "Bpref", "Compat", "G", "IPrec@1.0", "Q", "R", "Rprec", "RR", "RnDCG", "SetAP", "SetF",
    "SetP", "Success@1", "indAP", "infAP", "infNDCG", "infNDCG(ideal='cutoff')@2", "nDCG", "nDCG(dcg='exp-log2')@2",
    "nDCGrel", "nERR@3", "P@5", "subAP", "xinfAP", "alpha_nDCG@1", "StRecall@2",
]  # fmt: skip


@pytest.mark.parametrize("text", PERFECT)
def test_the_ideal_ranking_scores_1(text: str) -> None:
    measure = measures.parse(text)
    smoothed = hasattr(measure, "epsilon")
    view = view_of("33221", strata=strata_for(measure), subtopics=subtopics_for(measure)[:1])
    assert measure.score(view)[0] == pytest.approx(1.0, abs=4e-5 if smoothed else 1e-12)


NEARLY_ERR = ["NERR8@5", "NERR9@5", "NERR10", "NERR11"]


def view_of_swaps() -> list[tuple[View, View]]:
    return [(view_of(better), view_of(worse)) for better, worse in [("31000", "13000"), ("10u00", "01u00")]]


@pytest.mark.parametrize(
    "text", ["nDCG", "DCG", "ERR", "nERR", "Q", "RBP", "INSQ", "INST", "SDCG@5", "Compat", "G", *NEARLY_ERR]
)
def test_moving_a_better_document_up_raises_the_score(text: str) -> None:
    measure = measures.parse(text)
    for better, worse in view_of_swaps():
        assert measure.score(better)[0] > measure.score(worse)[0]


# ---- reading what users type


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nDCG@10", ["nDCG@10"]),
        (" NDCG @ 10 ", ["nDCG@10"]),
        ("P", [f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        ("P_3", ["P@3"]),
        ("ndcg_cut.5,10", ["nDCG@5", "nDCG@10"]),
        ("ndcg.1=3.5,2=9", ["nDCG(gains={1: 3.5, 2: 9.0})"]),
        ("iprec_at_recall_0.10", ["IPrec@0.1"]),
        ("relative_P_5", ["P(relative=True)@5"]),
        ("map", ["AP"]),
        ("11pt_avg", ["AvgIPrec"]),
        ("set_F.4", ["SetF(beta=2.0)"]),
        ("utility.1,-2,0,0", ["Utility(noise=-2.0)"]),
        ("rbp.p=0.5", ["RBP(p=0.5,scale='topic')"]),
        ("rbp_resid", ["RBPresid(p=0.9,as_in='trec_eval')"]),
        ("unj", ["Unjudged@5", "Unjudged@10", "Unjudged@20"]),
    ],
)
def test_measures_are_found_by_our_names_and_by_trec_evals(text: str, names: list[str]) -> None:
    assert [str(measure) for measure in parse_measures(text)] == names


@pytest.mark.parametrize("group", list(TREC_GROUPS))
def test_groups_hold_measures_in_trec_evals_order(group: str) -> None:
    parsed = parse_measures(group)
    names = [name for name in TREC_GROUPS[group] for _ in parse_trec_name(name)]
    printed = [str(measure.trec_name()) for measure in parsed]
    assert len(parsed) == len(names) == len(set(printed))
    assert all(full.startswith(name) for full, name in zip(printed, names, strict=True))
    assert {str(m) for m in parse_measures("official")} <= {str(m) for m in parse_measures("all_trec")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDCGG@10", "unknown measure 'nDCGG'; did you mean 'nDCG'?"),
        ("ndcg_cutt_10", "unknown measure 'ndcg_cutt_10'; did you mean 'ndcg_cut_10'?"),
        ("11pt_avgg", "unknown measure '11pt_avgg'; did you mean '11pt_avg'?"),
        ("offical", "unknown measure 'offical'; did you mean 'official'?"),
        ("zzzzz", "unknown measure 'zzzzz' (`unjudged measures` lists them all)"),
        ("ndcg_cut.x", "trec_eval measure 'ndcg_cut': 'x' is not a number"),
        ("ndcg.3", "trec_eval measure 'ndcg': '3' should look like 1=3.5 (grade=gain)"),
        ("dcg.nan=3", "DCG: gains must be a gain for each grade such as {1: 3, 2: 9}, not {nan: 3}"),
        ("dcg.inf=3", "inf is too large; numbers end at 1e+100"),
        ("SetF(beta=1e200)", "1e+200 is too large; numbers end at 1e+100"),
        ("rbp.q=3", "trec_eval measure 'rbp': 'q=3' should look like p=0.8"),
        ("set_F.-1", "trec_eval measure 'set_F': -1 is beta squared and cannot be below 0"),
        ("utility.1,2", "trec_eval measure 'utility': give four numbers, the last of them 0, not '1,2'"),
        (f"ndcg_cut.{'9' * 4301}", "nDCG: cutoff must be a whole number of at least 1, not inf"),
        (
            "alpha_DCG@1000000000000000",
            "alpha_DCG: cutoff must be a whole number from 1 to 1,000,000, not 1000000000000000",
        ),
        ("BPM(max_grade=2147483648)@10", "BPM: max_grade must be a grade above 0 and at most 100,000, not 2147483648"),
        (f"ndcg.1={'9' * 4301}", "inf is too large; numbers end at 1e+100"),
        (f"set_F.{'9' * 309}", "inf is too large; numbers end at 1e+100"),
        ("nDCG(gains={[]:1})@10", "nDCG: gains must be a gain for each grade such as {1: 3, 2: 9}, not '{[]:1}'"),
        ("Success", "Success needs cutoff (number of ranks read), as in Success@10"),
        ("P(rell=2)@5", "P has no parameter 'rell' (it has rel, relative, judged_only, cutoff); did you mean 'rel'?"),
        ("nDCG@@10", "cannot read 'nDCG@@10'; it should look like nDCG@10 or RBP(p=0.9)@20"),
        ("INST(T=0.3)", "INST: T must be a number at least 0.5 and at most 1e+06, not 0.3"),
    ],
)
def test_errors_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(SpecError) as error:
        parse_measures(text)
    assert message in str(error.value)


@every_measure
def test_anybody_may_ask_for_the_parameters_that_most_measures_share(measure: Measure) -> None:
    own = {field.name for field in measure.parameters()}
    shared: dict[str, object] = {"rel": None, "max_grade": None, "judged_only": False, "cutoff": None}
    without = {name: getattr(measure, name) for name in shared if name not in own}
    assert without == {name: shared[name] for name in without}


@pytest.mark.parametrize(
    ("text", "on_scale"),
    [
        ("ERR@10", "ERR(max_grade=4)@10"),  # takes it from the judgments unless given
        ("ERR(max_grade=2)@10", "ERR(max_grade=2)@10"),
        ("RBP(rel=2)", "RBP(rel=2)"),  # binary gains have no scale
        ("nDCG@10", "nDCG@10"),
        ("NRG(base='SDCG@5')", "NRG(base='SDCG(max_grade=4)@5')"),
    ],
)
def test_a_known_scale_goes_to_measures_that_have_one(text: str, on_scale: str) -> None:
    assert measures.parse(text).on_scale(4) == measures.parse(on_scale)
