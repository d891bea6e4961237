"""Small topics written as words, and plain-Python answers to compare hole models with."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.data.view import View, join
from unjudged.holes import HoleModel, Settings
from unjudged.measures import Measure, measures
from unjudged.results.distributions import Distribution

WITH_HOLES = {
    "AP": ["AP", "AP(rel=2)", "AP@3"],
    "AvgIPrec": ["AvgIPrec", "AvgIPrec(rel=2)"],
    "BPM": [
        "BPM@3",
        "BPM(T=0.5)@2",
        "BPM(T=1.5,max_grade=2)@5",
        "BPM(T=2.0,rel=2)@4",
        "BPM(T=1.2,max_grade=4)@6",
        "BPM(T=0.33333333333333337)@4",
        "BPM(T=1e+100)@5",
    ],
    "BinG": ["BinG", "BinG(rel=2)"],
    "Bpref": ["Bpref", "Bpref(rel=2)"],
    "Compat": ["Compat", "Compat(p=0.5,normalize=False)"],
    "DCG": ["DCG", "DCG@3", "DCG(dcg='exp-log2')@3", "DCG(gains={0: 0.5, 2: 9.0})@3", "DCG(gains={0: -1.0, 1: 2.0})"],
    "ERR": ["ERR", "ERR@3", "ERR(max_grade=4)@3", "ERR(max_grade=1)"],
    "G": ["G"],
    "GMAP": ["GMAP"],
    "GMBpref": ["GMBpref"],
    "INSQ": ["INSQ", "INSQ(T=3.0,rel=2)", "INSQ(T=0.3,max_grade=2,horizon=3)"],
    "INST": ["INST", "INST(T=0.5)", "INST(T=3.0,rel=2)", "INST(T=2.0,max_grade=2,horizon=3)"],
    "IPrec": ["IPrec@0.0", "IPrec@0.5", "IPrec(rel=2)@1.0"],
    "NERR8": ["NERR8@3", "NERR8(rel=2)@5", "NERR8(max_grade=2)@8"],
    "NERR9": ["NERR9@3", "NERR9(rel=2)@5", "NERR9(max_grade=4)@8"],
    "NERR10": ["NERR10", "NERR10(rel=2,p=0.5)", "NERR10(max_grade=2,horizon=3)"],
    "NERR11": ["NERR11", "NERR11(rel=2,T=0.2)", "NERR11(max_grade=4,T=3.0,horizon=3)"],
    "P": ["P@3", "P(rel=2,relative=True)@3"],
    "Q": ["Q", "Q(beta=0.0)", "Q(beta=10.0,rel=2)"],
    "R": ["R", "R@3", "R(rel=2)@3"],
    "RBP": ["RBP", "RBP(p=0.95)@3", "RBP(rel=2)", "RBP(max_grade=2)", "RBP(p=0.5,scale='topic')@3"],
    "RR": ["RR", "RR(rel=2)@3"],
    "RnDCG": ["RnDCG", "RnDCG(rel=2)"],
    "Rprec": ["Rprec", "Rprec(rel=2)"],
    "RprecMult": ["RprecMult@0.2", "RprecMult(rel=2)@2.0"],
    "SDCG": ["SDCG@3", "SDCG(max_grade=2)@3"],
    "SetAP": ["SetAP", "SetAP(rel=2)"],
    "SetF": ["SetF", "SetF(rel=2,beta=0.0)", "SetF(beta=3.0)"],
    "SetP": ["SetP", "SetP(rel=2,relative=True)"],
    "SetR": ["SetR", "SetR(rel=2)"],
    "Success": ["Success@1", "Success(rel=2)@3"],
    "Utility": ["Utility", "Utility(rel=2,found=2.0,noise=-0.5,missed=-1.0)", "Utility(found=0.5,noise=1.0)"],
    "nDCG": ["nDCG", "nDCG@3", "nDCG(dcg='exp-log2')@3", "nDCG(gains={0: 1.0, 1: 4.0})@3", "nDCG(gains={0: -1.0})@3"],
    "nDCGrel": ["nDCGrel"],
    "nERR": ["nERR", "nERR@3", "nERR(max_grade=2)@3"],
}
WITHOUT_HOLES = {
    "Accuracy": ["Accuracy@5"],
    "Judged": ["Judged@5"],
    "NumNonrelJudgedRet": ["NumNonrelJudgedRet"],
    "NumQ": ["NumQ"],
    "NumRel": ["NumRel"],
    "NumRelRet": ["NumRelRet"],
    "NumRet": ["NumRet(rel=1)"],
    "RBPresid": ["RBPresid"],
    "Unjudged": ["Unjudged@5"],
    "indAP": ["indAP"],
    "infAP": ["infAP"],
    "subAP": ["subAP"],
    "AP": ["AP(judged_only=True)"],
    "nDCG": ["nDCG(judged_only=True)@5"],
}
EVERY = [measures.parse(text) for texts in WITH_HOLES.values() for text in texts]


def view_of(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]) -> View:
    return join(uj.read_run(run, name="run"), uj.read_qrels(qrels, negative="pooled"))


@dataclass(frozen=True)
class Topic:
    """A topic in a word: digits are grades by rank, ``u`` unjudged, ``p`` pooled; after ``|`` judged, not retrieved.

    ``u`` and ``p`` both are holes.
    """

    word: str

    @property
    def retrieved(self) -> str:
        return self.word.partition("|")[0]

    @property
    def outside(self) -> str:
        return self.word.partition("|")[2]

    def doc(self, rank: int) -> str:
        """Ids that do not rise with rank, so that serving holes by id is another order than serving them by rank."""
        return f"d{(rank * 7 + 3) % 10}-{rank}"

    def ranking(self) -> dict[str, float]:
        return {self.doc(i): float(len(self.retrieved) - i) for i in range(len(self.retrieved))}

    def judgments(self) -> dict[str, int]:
        inside = {self.doc(i): -1 if char == "p" else int(char) for i, char in enumerate(self.retrieved) if char != "u"}
        return inside | {f"out{i}": int(char) for i, char in enumerate(self.outside)}

    def holes(self, depth: int | None = None) -> list[str]:
        """Unjudged documents in the first *depth* ranks, by rank."""
        return [self.doc(i) for i, char in enumerate(self.retrieved[:depth]) if char in "up"]

    def labelled(self, depth: int | None, top: int) -> Iterator[dict[str, int]]:
        """The judgments, with every label from 0 to *top* for every hole in the first *depth* ranks."""
        holes = self.holes(depth)
        for labels in product(range(top + 1), repeat=len(holes)):
            yield self.judgments() | dict(zip(holes, labels, strict=True))


@dataclass(frozen=True)
class Case:
    """One topic, and another that has no ranking and only sets the highest grade of the collection."""

    topic: Topic
    top: int

    def view(self) -> View:
        return self.view_with([self.topic.judgments()])

    def view_with(self, judgments: Sequence[dict[str, int]]) -> View:
        """The topic's ranking as often as there are judgments for it."""
        qrels = {f"t{i}": judged for i, judged in enumerate(judgments)}
        return view_of({topic: self.topic.ranking() for topic in qrels}, qrels | {"scale": {"x": self.top}})


def random_topic(rng: random.Random, top: int, *, length: int = 6, holes: int = 4, outside: int = 4) -> Topic:
    grades = "".join(map(str, range(top + 1)))
    chars = rng.choices("uuup" + grades, k=rng.randint(1, length))
    while sum(char in "up" for char in chars) > holes:
        chars = [rng.choice(grades) if char in "up" and rng.random() < 0.5 else char for char in chars]
    rest = "".join(rng.choices(grades, k=rng.randint(0 if set(chars) - {"u"} else 1, outside)))
    return Topic("".join(chars) + "|" + rest)


@cache
def random_cases(seed: int, number: int, holes: int = 4) -> tuple[Case, ...]:
    rng = random.Random(seed)
    tops = [rng.randint(1, 3) for _ in range(number)]
    return tuple(Case(random_topic(rng, top, holes=holes), top) for top in tops)


@cache
def all_labellings(case: Case, depth: int | None) -> View:
    """The topic with every labelling of its holes within the cut-off, as real judgments."""
    return case.view_with(list(case.topic.labelled(depth, case.top)))


@cache
def all_labellings_and_more(case: Case, depth: int | None, more: int = 2) -> View:
    """The same, with up to *more* further judged documents that were not retrieved, of any grades."""
    further = [grades for n in range(more + 1) for grades in combinations_with_replacement(range(case.top + 1), n)]
    return case.view_with(
        [
            judged | {f"new{i}": grade for i, grade in enumerate(grades)}
            for judged in case.topic.labelled(depth, case.top)
            for grades in further
        ]
    )


def scores(measure: Measure, view: View) -> Floats:
    """Scores of all rankings but that of the topic that sets the scale."""
    return measure.score(view)[:-1]


# ---- Algorithm 1 of paper 1, line by line


def algorithm_1(targets: Sequence[int], left: Sequence[int]) -> list[int]:
    """Labels of the unjudged documents, given their target grades; *left* counts what J' has outside the ranking."""
    remaining = list(left)
    labels = []
    for target in targets:
        if target < len(remaining) and remaining[target] > 0:  # lines 6 to 8
            label = target
        else:
            lower = [grade for grade in range(min(target, len(remaining))) if remaining[grade] > 0]
            label = max(lower, default=-1)  # lines 9 to 12
        if label >= 0:
            remaining[label] -= 1
        labels.append(max(label, 0))  # line 14
    return labels


def spend_documents(labelled: dict[str, int], holes: Sequence[str], inside: set[str]) -> dict[str, int]:
    """J' with S': the labels, and the judgments without those that the labels were taken from."""
    out = {doc: grade for doc, grade in labelled.items() if grade >= 0}
    for hole in holes:
        spendable = [doc for doc in out if doc not in inside and out[doc] == labelled[hole]]
        if spendable:
            del out[spendable[0]]
    return out


def fits(labels: Sequence[int], left: Sequence[int]) -> bool:
    """Whether no grade, 0 included, is given more often than it is left."""
    return all(labels.count(grade) <= number for grade, number in enumerate(left))


# ---- distributions


def distributions(model: HoleModel, measure: Measure, view: View) -> tuple[Distribution, ...]:
    out = model.estimate(measure, view, Settings()).distributions
    assert out is not None
    return out


def merged(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """A distribution with each value once."""
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    new = np.append(True, np.diff(values) > 1e-9)
    return values[new], np.bincount(np.cumsum(new) - 1, weights=weights)
