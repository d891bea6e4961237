"""Hole models for measures on subtopics, against all labellings of small topics."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product
from math import prod

import numpy as np
import pytest
from hole_oracles import algorithm_1

import unjudged as uj
from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels, build_qrels
from unjudged.data.view import View, join
from unjudged.errors import InputError
from unjudged.holes import Bootstrap, Bounds, Condensed, Guaranteed, HoleModel, Joint, Settings, hole_models
from unjudged.io.table_columns import coded
from unjudged.io.tables import run_from_table
from unjudged.measures import Measure, measures

Label = dict[str, int]
"""Grade for each subtopic; relevant to none where it is empty."""

PLAIN = ["alpha_DCG@3", "alpha_DCG(alpha=0.2)@2", "ERR_IA@3", "NRBP", "AP_IA", "P_IA@2", "StRecall@3"]
GRADED = "ERR_IA(form='graded')@3"
OVER_IDEAL = {"alpha_nDCG@3": "alpha_DCG@3", "nERR_IA@3": "ERR_IA@3", "nNRBP": "NRBP"}


@dataclass(frozen=True, eq=False)  # found in caches by being the same one, since dicts have no hash
class Topic:
    """A ranking of labels, None for a hole; and the labels of judged documents that were not retrieved."""

    retrieved: tuple[Label | None, ...]
    outside: tuple[Label, ...]
    subtopics: tuple[str, ...]

    def ranking(self) -> dict[str, float]:
        return {f"d{i}": -float(i) for i in range(len(self.retrieved))}

    def holes(self, depth: int | None) -> list[int]:
        return [i for i, label in enumerate(self.retrieved[:depth]) if label is None]

    def known(self) -> dict[str, Label]:
        inside = {f"d{i}": label for i, label in enumerate(self.retrieved) if label is not None}
        return inside | {f"out{i}": label for i, label in enumerate(self.outside)}

    def counted(self) -> list[str]:
        """Subtopics that some judged document is relevant to."""
        return [one for one in self.subtopics if any(label.get(one) for label in self.known().values())]


def qrels_of(topics: Sequence[dict[str, Label]], subtopics: Sequence[str]) -> Qrels:
    lines = [
        (f"t{i}", subtopic, doc, label.get(subtopic, 0))
        for i, judged in enumerate(topics)
        for doc, label in judged.items()
        for subtopic in subtopics
    ]
    names, second, docs, grades = (list(column) for column in zip(*lines, strict=True))
    values = np.array(grades, dtype=np.int64)
    return build_qrels(coded(names), Ids.of(docs), values, subtopics=coded(second))[0]


def view_with(topic: Topic, judgments: Sequence[dict[str, Label]]) -> View:
    """The topic's ranking as often as there are judgments for it."""
    run = run_from_table({f"t{i}": topic.ranking() for i in range(len(judgments))})
    return join(run, qrels_of(judgments, topic.subtopics))


@cache
def random_sample(seed: int, number: int, *, top: int = 1) -> tuple[Topic, ...]:
    return tuple(_random_sample(seed, number, top))


def _random_sample(seed: int, number: int, top: int) -> Iterator[Topic]:
    rng = random.Random(seed)

    def label(subtopics: tuple[str, ...]) -> Label:
        grades = {subtopic: rng.randint(1, top) for subtopic in subtopics if rng.random() < 0.5}
        return grades if rng.random() < 0.8 else {}

    for _ in range(number):
        subtopics = ("1", "2", "3")[: rng.randint(1, 3)]
        retrieved = [label(subtopics) if rng.random() < 0.5 else None for _ in range(rng.randint(1, 4))]
        outside = tuple(label(subtopics) for _ in range(rng.randint(1, 3)))
        yield Topic(tuple(retrieved), outside, subtopics)


def labels_over(subtopics: Sequence[str], top: int) -> list[Label]:
    """Every label that is possible with these subtopics."""
    chosen = chain.from_iterable(combinations(subtopics, size) for size in range(len(subtopics) + 1))
    grades = range(1, top + 1)
    return [dict(zip(some, given, strict=True)) for some in chosen for given in product(grades, repeat=len(some))]


def labelled(topic: Topic, depth: int | None, top: int) -> list[dict[str, Label]]:
    """The judgments with every label of every hole in the first *depth* ranks."""
    holes = topic.holes(depth)
    every = product(labels_over(topic.counted(), top), repeat=len(holes))
    return [topic.known() | {f"d{i}": label for i, label in zip(holes, labels, strict=True)} for labels in every]


def spent(topic: Topic, depth: int | None, labels: dict[str, Label]) -> dict[str, Label] | None:
    """The judgments, each grade for a subtopic that a hole gets taken from a document outside; None if none is left."""
    out = {doc: dict(label) for doc, label in topic.known().items()}
    inside = {f"d{i}" for i in range(len(topic.retrieved[:depth]))}
    for hole, label in labels.items():
        for subtopic, grade in label.items():
            source = next((doc for doc in out if doc not in inside and out[doc].get(subtopic) == grade), None)
            if source is None:
                return None
            del out[source][subtopic]
        out[hole] = label
    return out


@cache
def all_labellings(topic: Topic, depth: int | None, top: int) -> View:
    """The topic with every labelling of its holes, as real judgments."""
    return view_with(topic, labelled(topic, depth, top))


@cache
def all_allowed_labellings(topic: Topic, depth: int | None, top: int) -> View:
    """The same with labels that documents outside the ranking are left for."""
    holes = topic.holes(depth)
    every = product(labels_over(topic.counted(), top), repeat=len(holes))
    given = [{f"d{i}": label for i, label in zip(holes, labels, strict=True)} for labels in every]
    return view_with(topic, [one for labels in given if (one := spent(topic, depth, labels)) is not None])


@cache
def all_labellings_and_one_more(topic: Topic, depth: int | None) -> View:
    """Every labelling, alone and with each label for a further document that was not retrieved."""
    further = [{}, *({"new": label} for label in labels_over(topic.counted(), 1))]
    return view_with(topic, [one | more for one in labelled(topic, depth, 1) for more in further])


def ends(model: HoleModel, measure: Measure, view: View) -> tuple[float, float]:
    estimate = model.estimate(measure, view, Settings())
    assert estimate.low is not None and estimate.high is not None
    return float(estimate.low[0]), float(estimate.high[0])


def factor(topic: Topic, name: str) -> float:
    """What a measure without an ideal ranking is multiplied by to get the one with it."""
    relevant = next(doc for doc, label in topic.known().items() if any(label.values()))
    view = join(run_from_table({"t0": {relevant: 1.0}}), qrels_of([topic.known()], topic.subtopics))
    return float((measures.parse(name).score(view) / measures.parse(OVER_IDEAL[name]).score(view))[0])


@pytest.mark.parametrize("name", [*PLAIN, *OVER_IDEAL, GRADED])
def test_bounds_are_the_extremes_over_all_labels_that_the_judgments_allow(name: str) -> None:
    """A subtopic is given to a hole only as often as documents outside the ranking are relevant to it."""
    top = 2 if name == GRADED else 1
    measure = measures.parse(name)
    plain = measures.parse(OVER_IDEAL.get(name, name))
    if name == GRADED:
        plain = plain.replace(max_grade=2)
    tried = 0
    for topic in random_sample(1, 60, top=top):
        if not topic.counted():
            continue
        possible = all_allowed_labellings(topic, measure.depth(), top)
        scores = plain.score(possible) * (factor(topic, name) if name in OVER_IDEAL else 1.0)
        scale = measure.replace(max_grade=2) if name == GRADED else measure
        low, high = ends(Bounds(), scale, view_with(topic, [topic.known()]))
        assert (low, high) == pytest.approx((scores.min(), scores.max()), abs=1e-12)
        tried += len(possible) > 1
    assert tried > 10


@pytest.mark.parametrize("name", [*PLAIN, GRADED])
def test_joint_bounds_are_the_extremes_over_all_labels(name: str) -> None:
    top = 2 if name == GRADED else 1
    measure = measures.parse(name).on_scale(2)
    for topic in random_sample(2, 40, top=top):
        view = view_with(topic, [topic.known()])
        scores = measure.score(all_labellings(topic, measure.depth(), top))
        model = Joint(max_grade=2) if name == GRADED else Joint()
        assert ends(model, measure, view) == pytest.approx((scores.min(), scores.max()), abs=1e-12)


@pytest.mark.parametrize("name", PLAIN)
def test_guaranteed_bounds_hold_whatever_else_is_judged(name: str) -> None:
    measure = measures.parse(name)
    for topic in random_sample(3, 25):
        low, high = ends(Guaranteed(), measure, view_with(topic, [topic.known()]))
        scores = measure.score(all_labellings_and_one_more(topic, measure.depth()))
        assert low - 1e-12 <= scores.min() and scores.max() <= high + 1e-12


# ---- draws


def profile_of(label: Label) -> tuple[str, ...]:
    return tuple(sorted(one for one, grade in label.items() if grade))


def outcomes(topic: Topic, depth: int | None) -> dict[tuple[tuple[str, ...], ...], Fraction]:
    """Algorithm 1 with the profiles of judged documents in the place of grades: labels of the holes by probability."""
    known = [profile_of(label) for label in topic.known().values()]
    shown = [profile_of(label) for label in topic.retrieved[:depth] if label is not None]
    order = [(), *sorted({one for one in known if one}, key=lambda profile: (len(profile), profile))]
    pool, run = Counter(known), Counter(shown)
    prior = [Fraction(pool[one], len(known)) for one in order]
    if shown:
        prior = [
            (probability + Fraction(run[one], len(shown))) / 2 for one, probability in zip(order, prior, strict=True)
        ]
    left = [pool[one] - run[one] for one in order]
    probabilities: Counter[tuple[tuple[str, ...], ...]] = Counter()
    possible = [code for code, probability in enumerate(prior) if probability > 0]
    for targets in product(possible, repeat=len(topic.holes(depth))):
        labels = tuple(order[code] for code in algorithm_1(targets, left))
        probabilities[labels] += prod((prior[code] for code in targets), start=Fraction(1))  # type: ignore[assignment]
    return dict(probabilities)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["alpha_DCG@3", "ERR_IA@2", "StRecall@3", "P_IA@2", "NRBP", "alpha_nDCG@3"])
def test_exact_distributions_are_those_of_algorithm_1_on_profiles(name: str) -> None:
    measure, plain = measures.parse(name), measures.parse(OVER_IDEAL.get(name, name))
    for topic in random_sample(4, 40):
        if not topic.counted():
            continue
        estimate = Bootstrap().estimate(measure, view_with(topic, [topic.known()]), Settings()).distributions
        assert estimate is not None and estimate[0].exact
        holes = topic.holes(measure.depth())
        probabilities = outcomes(topic, measure.depth())
        made = [
            topic.known() | {f"d{i}": dict.fromkeys(label, 1) for i, label in zip(holes, labels, strict=True)}
            for labels in probabilities
        ]
        scores = plain.score(view_with(topic, made)) * (factor(topic, name) if name in OVER_IDEAL else 1.0)
        mean = sum(
            float(probability) * score for probability, score in zip(probabilities.values(), scores, strict=True)
        )
        weights = np.ones(1) if estimate[0].weights is None else estimate[0].weights
        assert float((weights * estimate[0].values).sum()) == pytest.approx(mean, abs=1e-12)
        assert sorted(set(np.round(estimate[0].values[weights > 0], 9))) == sorted(set(np.round(scores, 9)))


def test_with_one_subtopic_draws_are_those_of_plain_judgments() -> None:
    """Profiles of a single subtopic are binary grades, and the draws of a hole follow from its topic and document."""
    rng = random.Random(5)
    for _ in range(10):
        grades = {f"d{i}": rng.randint(0, 1) for i in range(12)}
        ranking = {doc: rng.random() for doc in [*rng.sample(sorted(grades), 6), "u1", "u2", "u3"]}
        model = Bootstrap(method="draws", draws=50)
        run = run_from_table({"t0": ranking})
        on_subtopic = join(run, qrels_of([{doc: {"1": grade} for doc, grade in grades.items()}], ["1"]))
        plain = join(run, uj.read_qrels({"t0": grades}))
        ours = model.estimate(measures.parse("alpha_nDCG(alpha=0.0)@8"), on_subtopic, Settings()).draws
        theirs = model.estimate(measures.parse("nDCG@8"), plain, Settings()).draws
        assert ours is not None and theirs is not None
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("name", [*PLAIN, *OVER_IDEAL, GRADED])
def test_draws_and_exact_distributions_agree(name: str) -> None:
    measure = measures.parse(name)
    topics = [topic for topic in random_sample(6, 40) if topic.counted()]
    for topic in topics[:15]:
        view = view_with(topic, [topic.known()])
        exact = Bootstrap().estimate(measure, view, Settings()).value[0]
        drawn = Bootstrap(method="draws", draws=4000).estimate(measure, view, Settings())
        assert drawn.draws is not None
        error = drawn.draws.std() / 4000**0.5
        assert abs(drawn.value[0] - exact) <= 5 * error + 1e-12


@pytest.mark.parametrize("name", [*PLAIN, *OVER_IDEAL, GRADED])
def test_condensed_lists_are_those_of_the_judged_documents(name: str) -> None:
    for topic in random_sample(7, 30):
        kept = Topic(tuple(label for label in topic.retrieved if label is not None), topic.outside, topic.subtopics)
        if not kept.retrieved:
            continue
        condensed = Condensed().estimate(measures.parse(name), view_with(topic, [topic.known()]), Settings()).value
        names = {f"d{i}": f"d{j}" for j, i in enumerate(i for i, one in enumerate(topic.retrieved) if one is not None)}
        judged = {names.get(doc, doc): label for doc, label in topic.known().items()}
        expected = measures.parse(name).score(view_with(kept, [judged]))
        np.testing.assert_allclose(condensed, expected, atol=1e-12)


# ---- comparisons


@pytest.mark.filterwarnings("ignore:no p-value can be below", "ignore:.* of the drawn scores", "ignore:.* above 1 for")
@pytest.mark.parametrize("name", ["alpha_nDCG@3", "alpha_DCG@3", "AP_IA", "StRecall@3"])
def test_no_label_contradicts_a_certain_verdict(name: str) -> None:
    """With all labels as real judgments, so that R and the ideal ranking follow them."""
    rng = random.Random(name)
    verdicts: Counter[str] = Counter()
    for _ in range(100):
        docs = {f"d{i}": {one: 1 for one in "123" if rng.random() < 0.4} for i in range(5)}
        qrels = qrels_of([docs], "123")
        if not any(docs.values()):
            continue
        chosen = [[*rng.sample(sorted(docs), 3), rng.choice("uv")] for _ in "ab"]
        # Holes rank low here: high up they leave hardly a comparison certain.
        pair = [{"t0": {doc: rng.random() - (doc in "uv") * 0.8 for doc in retrieved}} for retrieved in chosen]
        comparison = uj.compare(qrels, dict(zip("ab", pair, strict=True)), name, draws=50)
        row = comparison.pair_rows[0]
        verdicts[row.verdict] += 1
        counted = [one for one in "123" if any(one in label for label in docs.values())]
        labels = labels_over(counted, 1)
        made = [docs | {"u": u, "v": v} for u, v in product(labels, repeat=2)]
        every = qrels_of(made, "123")
        scores = [
            measures.parse(name).score(
                join(run_from_table({f"t{i}": pair["ab".index(run)]["t0"] for i in range(len(made))}), every)
            )
            for run in (row.run, row.other)
        ]
        differences = scores[0] - scores[1]
        if row.verdict == "certain":
            assert not ((differences > 1e-9).any() and (differences < -1e-9).any())
    assert verdicts["certain"] > 3


# ---- what is refused


@pytest.mark.parametrize(
    ("holes", "message"),
    [
        (
            "joint",
            "joint is not for alpha_nDCG@5: its ideal ranking would change with every subtopic of every hole;"
            " use bounds, which keep it, or a measure without one (alpha_DCG, ERR_IA, NRBP)",
        ),
        (
            "guaranteed",
            "guaranteed is not for alpha_nDCG@5: its ideal ranking would change with every subtopic of every hole;"
            " use bounds, which keep it, or a measure without one (alpha_DCG, ERR_IA, NRBP)",
        ),
        (
            "bootstrap(prior=labels,labels=other.qrels)",
            "bootstrap(prior='labels',labels='other.qrels') is not for alpha_nDCG@5: labels give one grade for the"
            " whole topic, not one for each subtopic",
        ),
        (
            "bootstrap(scope=collection)",
            "bootstrap(scope='collection') is not for alpha_nDCG@5: the subtopics of one topic mean nothing for"
            " another",
        ),
    ],
)
def test_models_that_have_nothing_to_say_are_refused_before_any_work(holes: str, message: str) -> None:
    qrels = qrels_of([{"a": {"1": 1}, "b": {"2": 1}}], "12")
    with pytest.raises(InputError) as error:
        uj.score(qrels, {"t0": {"a": 1.0}}, "alpha_nDCG@5", holes=hole_models.parse(holes))
    assert str(error.value) == message
