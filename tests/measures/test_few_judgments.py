"""Average precision and bpref with few judgments, against their definitions written as plain loops, and by hand."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_views import QrelsDict, RunDict, make_view, random_collection, view_of

from unjudged.data.qrels import State
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.measures import AP, Bpref, Measure, indAP, infAP, subAP
from unjudged.measures.incomplete import expected_precision

# ---- plain Python: one topic at a time, from dictionaries


def ranking_of(docs: dict[str, float]) -> list[str]:
    return sorted(docs, key=lambda doc: (docs[doc], doc.encode()), reverse=True)


class Topic:
    """A ranking as a word of r, n (judged), p (pooled) and u (not pooled), and the topic's counts."""

    def __init__(self, ranked: list[str], grades: dict[str, int], rel: int) -> None:
        def letter(grade: int | None) -> str:
            return "u" if grade is None else "p" if grade < 0 else "r" if grade >= rel else "n"

        self.word = "".join(letter(grades.get(doc)) for doc in ranked)
        every = [letter(grade) for grade in grades.values()]
        self.relevant, self.nonrelevant = every.count("r"), every.count("n")
        self.judged_share = (self.relevant + self.nonrelevant) / len(every)

    def mean(self, precisions: list[float]) -> float:
        return sum(precisions) / self.relevant if self.relevant else 0.0

    def ap(self, drop: str = "") -> float:
        left = [letter for letter in self.word if letter not in drop]
        return self.mean([left[:k].count("r") / k for k, one in enumerate(left, start=1) if one == "r"])

    def bpref(self, form: str, plus: int) -> float:
        terms = []
        for k, letter in enumerate(self.word):
            if letter == "r":
                limit = self.relevant + plus
                above = min(self.word[:k].count("n"), limit)
                most = min(limit, self.nonrelevant) if form == "trec_eval" else limit
                terms.append(1 - above / most if above else 1.0)
        return self.mean(terms)

    def infap(self, pool: bool, epsilon: float, c: float) -> float:
        terms = []
        for k, letter in enumerate(self.word, start=1):
            above = self.word[: k - 1]
            r, n, d = above.count("r"), above.count("n"), sum(one != "u" or not pool for one in above)
            if letter == "r" and k == 1:
                terms.append(1.0)
            elif letter == "r":
                inferred = (r + epsilon) / (r + n + c * epsilon)
                terms.append(1 / k + (k - 1) / k * (d / (k - 1)) * inferred)
        return self.mean(terms)

    def subap(self, p: float | None) -> float:
        """The binomial sum as it is printed, in exact numbers."""
        share = Fraction(self.judged_share if p is None else p)
        terms = []
        for k, letter in enumerate(self.word, start=1):
            if letter == "r":
                r, n, u = (self.word[:k].count(one) for one in "rnu")
                probability = [math.comb(u, i) * share**i * (1 - share) ** (u - i) for i in range(u + 1)]
                terms.append(float(sum(one * Fraction(r, r + n + i) for i, one in enumerate(probability))))
        return self.mean(terms)


def topics_of(run: RunDict, qrels: QrelsDict, rel: int) -> list[Topic]:
    return [Topic(ranking_of(run.get(topic, {})), grades, rel) for topic, grades in qrels.items()]


PLAIN = [
    (Bpref(), lambda t: t.bpref("trec_eval", 0)),
    (Bpref(form="paper"), lambda t: t.bpref("paper", 0)),
    (Bpref(plus=10), lambda t: t.bpref("trec_eval", 10)),
    (Bpref(form="paper", plus=10), lambda t: t.bpref("paper", 10)),
    (Bpref(form="paper", plus=3), lambda t: t.bpref("paper", 3)),
    (indAP(), lambda t: t.ap(drop="p")),
    (indAP(pool=False), lambda t: t.ap(drop="pu")),
    (infAP(), lambda t: t.infap(True, 1e-5, 2)),
    (infAP(pool=False), lambda t: t.infap(False, 1e-5, 2)),
    (infAP(epsilon=0.1), lambda t: t.infap(True, 0.1, 2)),
    (infAP(epsilon=0.3, c=1), lambda t: t.infap(True, 0.3, 1)),
    (infAP(pool=False, c=2.5), lambda t: t.infap(False, 1e-5, 2.5)),
    (subAP(), lambda t: t.subap(None)),
    (subAP(p=0.25), lambda t: t.subap(0.25)),
    (subAP(p=1), lambda t: t.subap(1.0)),
]
against_plain = pytest.mark.parametrize(("measure", "plain"), PLAIN, ids=[str(measure) for measure, _ in PLAIN])


@against_plain
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_plain_python(measure: Measure, plain: object, rel: int, seed: int) -> None:
    run, qrels = random_collection(seed)
    expected = [plain(topic) for topic in topics_of(run, qrels, rel)]  # type: ignore[operator]
    assert measure.replace(rel=rel).score(make_view(run, qrels)).tolist() == pytest.approx(expected, abs=1e-12)


WORDS = st.lists(st.text("01pu", max_size=12), min_size=1, max_size=5)


@against_plain
@settings(max_examples=40, deadline=None)
@given(words=WORDS)
def test_agrees_with_plain_python_on_any_ranking(measure: Measure, plain: object, words: list[str]) -> None:
    view = view_of(*(f"{word}|1" for word in words))
    topics = [Topic([str(i) for i in range(len(word))], grades_of(f"{word}|1"), 1) for word in words]
    assert measure.score(view).tolist() == pytest.approx([plain(t) for t in topics], abs=1e-12)  # type: ignore[operator]


def grades_of(word: str) -> dict[str, int]:
    pairs = enumerate(word.replace("|", ""))
    return {str(i): -1 if letter == "p" else int(letter) for i, letter in pairs if letter != "u"}


# ---- subAP is the mean over all ways to keep documents outside the pool


@pytest.mark.parametrize("word", ["u1u0u1", "uuu1", "1uu1u0up1", "uuuuuuu1u1", "p1u", "0u0u1|11"])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.99, 1.0])
def test_subcollection_ap_is_the_mean_over_all_subsets(word: str, p: float) -> None:
    letters = word.partition("|")[0]
    outside = [i for i, letter in enumerate(letters) if letter == "u"]
    expected = 0.0
    for kept in itertools.product([False, True], repeat=len(outside)):
        gone = {i for i, keep in zip(outside, kept, strict=True) if not keep}
        left = "".join(letter for i, letter in enumerate(letters) if i not in gone and letter != "p")
        probability = math.prod(p if keep else 1 - p for keep in kept)
        expected += probability * AP().score(view_of(f"{left}|{word.partition('|')[2]}"))[0]
    assert subAP(p=p).score(view_of(word))[0] == pytest.approx(expected, abs=1e-13)


def test_the_share_that_was_judged_is_that_of_each_topic() -> None:
    view = view_of("u1p0|pp", "u1", "u1p|ppp")
    expected = [subAP(p=p).score(view)[i] for i, p in enumerate([0.4, 1.0, 0.2])]
    assert subAP().score(view).tolist() == expected
    assert subAP().score(view)[1] == 0.5


@pytest.mark.parametrize("p", [1e-9, 1e-3, 0.05, 0.5, 0.999, 1.0])
@pytest.mark.parametrize(("relevant", "judged", "outside"), [(1, 1, 500), (1, 1, 5000), (7, 40, 900), (300, 301, 3000)])
def test_expected_precision_is_stable_with_thousands_of_documents_outside_the_pool(
    relevant: int, judged: int, outside: int, p: float
) -> None:
    """Against the same binomial sum in logarithms, which loses about 1e-11."""
    i = np.arange(outside + 1)
    logs = np.array([math.lgamma(outside + 1) - math.lgamma(x + 1) - math.lgamma(outside - x + 1) for x in i.tolist()])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = logs + i * np.log(p) + np.where(i == outside, 0.0, (outside - i) * np.log1p(-p))
    expected = float((np.exp(logs) * relevant / (judged + i)).sum())
    args = (np.array([relevant, 1]), np.array([judged, 1]), np.array([outside, 0]))
    values = expected_precision(*args, np.array([p, p]))
    assert values.tolist() == pytest.approx([expected, 1.0], rel=1e-9)


def test_expected_precision_in_exact_numbers() -> None:
    """300 documents outside the pool: a sum that doubles cannot do term by term (300! is beyond them)."""
    p, relevant, judged, outside = Fraction(1, 8), 3, 5, 300
    probability = [math.comb(outside, i) * p**i * (1 - p) ** (outside - i) for i in range(outside + 1)]
    expected = float(sum(one * Fraction(relevant, judged + i) for i, one in enumerate(probability)))
    value = expected_precision(np.array([relevant]), np.array([judged]), np.array([outside]), np.array([float(p)]))
    assert value[0] == pytest.approx(expected, rel=1e-14)
    assert len(expected_precision(*(np.zeros(0, dtype=np.int64),) * 3, np.zeros(0))) == 0


# ---- by hand


@pytest.mark.parametrize(("c", "value"), [(1, 1.0), (1.5, 0.8333), (2, 0.75), (2.5, 0.70)])
def test_inferred_ap_with_nothing_judged_above(c: float, value: float) -> None:
    assert infAP(c=c).score(view_of("p1"))[0] == pytest.approx(value, abs=5e-5)
    assert infAP(c=c, pool=False).score(view_of("u1"))[0] == pytest.approx(value, abs=5e-5)
    assert infAP(c=c).score(view_of("u1"))[0] == pytest.approx(0.5)


def test_bpref_as_trec_eval_and_as_the_paper_print_it() -> None:
    """R = 3, N = 2, as in trec_eval's note on its old form: half, or 5/9 as printed."""
    assert Bpref().score(view_of("101|10"))[0] == pytest.approx(0.5)
    assert Bpref(form="paper").score(view_of("101|10"))[0] == pytest.approx(5 / 9)


def test_bpref_10_by_hand() -> None:
    """R = 1, three of twenty judged non-relevant documents above; then with N = 4 only."""
    assert Bpref(form="paper", plus=10).score(view_of("0001|" + "0" * 17))[0] == pytest.approx(1 - 3 / 11)
    assert Bpref(plus=10).score(view_of("0001|" + "0" * 17))[0] == pytest.approx(1 - 3 / 11)
    assert Bpref(plus=10).score(view_of("0001|0"))[0] == pytest.approx(1 - 3 / 4)
    assert Bpref(form="paper", plus=10).score(view_of("0001|0"))[0] == pytest.approx(1 - 3 / 11)
    assert Bpref().score(view_of("0001|0"))[0] == 0.0


def test_the_two_versions_of_induced_ap_by_hand() -> None:
    assert indAP().score(view_of("pu1p1|1"))[0] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert indAP(pool=False).score(view_of("pu1p1|1"))[0] == pytest.approx((1 + 1) / 3)


@pytest.mark.parametrize("measure", [measure for measure, _ in PLAIN], ids=str)
def test_nothing_found_is_0(measure: Measure) -> None:
    """No relevant document; an empty run; nothing judged retrieved; only pooled documents."""
    assert measure.score(view_of("00u", "|01", "upp|1", "pp|p")).tolist() == [0.0] * 4


# ---- complete judgments


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.text("012u", max_size=20), min_size=1, max_size=4))
def test_with_the_whole_pool_judged_they_are_average_precision(words: list[str]) -> None:
    view = view_of(*(f"{word}|10" for word in words))
    expected = AP().score(view)
    np.testing.assert_array_equal(indAP().score(view), expected)
    np.testing.assert_array_equal(subAP().score(view), expected)
    np.testing.assert_array_equal(subAP(p=1).score(view), expected)
    np.testing.assert_allclose(infAP().score(view), expected, atol=1e-4)


@settings(max_examples=60, deadline=None)
@given(words=WORDS)
def test_what_must_hold_between_them(words: list[str]) -> None:
    view = view_of(*(f"{word}|1" for word in words))
    few = 1e-12
    assert (AP().score(view) <= indAP().score(view) + few).all()
    assert (indAP().score(view) <= subAP().score(view) + few).all()
    assert (subAP(p=0.9).score(view) <= subAP(p=0.1).score(view) + few).all()
    np.testing.assert_allclose(subAP(p=1e-12).score(view), indAP(pool=False).score(view), atol=1e-9)
    assert (infAP().score(view) <= infAP(pool=False).score(view) + few).all()
    assert (Bpref().score(view) <= Bpref(form="paper").score(view) + few).all()
    assert (Bpref(form="paper").score(view) <= Bpref(form="paper", plus=10).score(view) + few).all()


@given(words=WORDS)
def test_documents_dropped_from_the_run_change_nothing(words: list[str]) -> None:
    """indAP never looks at a pooled document, bpref at no unjudged one."""
    view = view_of(*(f"{word}|1" for word in words))
    np.testing.assert_array_equal(indAP().score(view.kept(view.states != State.POOLED)), indAP().score(view))
    for measure in (indAP(pool=False), Bpref(plus=10), Bpref(form="paper")):
        np.testing.assert_array_equal(measure.score(view.condensed()), measure.score(view))


# ---- trec_eval, on samples of a pool


def sampled_pool(seed: int, kept: float) -> tuple[RunDict, QrelsDict]:
    """A pool of 200 of 300 documents for each of five topics, some of them judged, the others -1."""
    rng = random.Random(seed)
    docs = [f"d{i:03d}" for i in range(300)]
    run: RunDict = {}
    qrels: QrelsDict = {}
    for topic in "12345":
        grades = {doc: rng.choice([0, 0, 0, 1, 2]) for doc in rng.sample(docs, 200)}
        qrels[topic] = {doc: grade if rng.random() < kept else -1 for doc, grade in grades.items()}
        qrels[topic][next(iter(grades))] = 1
        run[topic] = {doc: float(score) for score, doc in enumerate(rng.sample(docs, 150))}
    return run, qrels


@pytest.mark.parametrize("kept", [0.01, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_trec_eval_on_sampled_pools(seed: int, kept: float) -> None:
    run, qrels = sampled_pool(seed, kept)
    view = make_view(run, qrels)
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"map", "bpref", "infAP"}).evaluate(run)
    for name, measure in {"map": AP(), "bpref": Bpref(), "infAP": infAP()}.items():
        theirs = [expected[topic][name] for topic in qrels]
        assert measure.score(view).tolist() == pytest.approx(theirs, abs=1e-12)
    judged_only = pytrec_eval.RelevanceEvaluator(qrels, {"map"}, judged_docs_only_flag=True).evaluate(run)
    theirs = [judged_only[topic]["map"] for topic in qrels]
    assert indAP(pool=False).score(view).tolist() == pytest.approx(theirs, abs=1e-12)


# ---- words


def test_which_measures_want_to_know_the_pool() -> None:
    wanting: list[Measure] = [indAP(), subAP(), subAP(p=0.5), infAP()]
    others: list[Measure] = [indAP(pool=False), infAP(pool=False), AP(), Bpref()]
    assert all(measure.uses_pool() for measure in wanting)
    assert not any(measure.uses_pool() for measure in others)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: subAP(p=0), "subAP: p must be a number above 0 and at most 1, not 0"),
        (lambda: infAP(c=0.5), "infAP: c must be a number at least 1, not 0.5"),
        (lambda: infAP(epsilon=0), "infAP: epsilon must be a number above 0 and below 1, not 0"),
        (lambda: Bpref(form="2004"), "Bpref: form must be one of 'trec_eval', 'paper', not '2004'"),
        (lambda: Bpref(plus=-1), "Bpref: plus must be a whole number of at least 0, not -1"),
        (lambda: indAP(pool="no"), "indAP: pool must be True or False, not 'no'"),
    ],
)
def test_parameters_have_limits(wrong: object, message: str) -> None:
    with pytest.raises(SpecError) as error:
        wrong()  # type: ignore[operator]
    assert str(error.value) == message


def test_trec_names_are_those_of_the_default_forms() -> None:
    assert Bpref().trec_name() == "bpref"
    assert infAP().trec_name() == "infAP"
    others: list[Measure] = [Bpref(plus=10), Bpref(form="paper"), infAP(c=1.5), infAP(pool=False), indAP(), subAP()]
    assert [measure.trec_name() for measure in others] == [None] * 6


def test_a_view_of_many_lengths_at_once() -> None:
    """subAP goes through all rankings together, longest first; their order must not matter."""
    words = ["u" * n + "1" for n in (3, 0, 50, 7, 50, 1)]
    alone = [subAP(p=0.3).score(view_of(word))[0] for word in words]
    together: View = view_of(*words)
    assert subAP(p=0.3).score(together).tolist() == alone
