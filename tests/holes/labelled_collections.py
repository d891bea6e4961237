"""Judgments, the labels of another judge, and scores with them."""

from __future__ import annotations

import random
import warnings

import unjudged as uj
from unjudged.errors import UnjudgedWarning
from unjudged.results.scores import ScoreRow, Scores

Judgments = dict[str, dict[str, int]]


Runs = dict[str, dict[str, dict[str, float]]]

MEASURES = ["nDCG@5", "AP", "P@3", "R@10", "RR", "RBP", "ERR@5", "Q", "Bpref", "infAP", "Rprec", "SetF", "NumRelRet"]
MEASURES += ["AP(judged_only=True)", "nDCG(judged_only=True)@3", "Judged@5", "GMAP", "Accuracy"]


def collection(seed: int, *, topics: int = 6, docs: int = 25) -> tuple[Judgments, Judgments, Runs]:
    """Judgments, another judge's labels (some for judged documents, some for documents nobody returned), two runs."""
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(docs)]
    qrels = {f"t{t}": {doc: rng.randrange(4) for doc in rng.sample(names, 10)} for t in range(topics)}
    qrels["t0"][rng.choice(names)] = 3  # the whole scale, in both
    labels = {topic: {doc: rng.randrange(4) for doc in rng.sample(names, 12)} for topic in qrels}
    labels["t1"].update({f"x{i}": 3 for i in range(2)})
    runs = {
        name: {topic: {doc: rng.random() for doc in rng.sample(names, 15)} for topic in qrels} for name in ("a", "b")
    }
    del runs["b"]["t2"]
    return qrels, labels, runs


def merged(qrels: Judgments, labels: Judgments) -> Judgments:
    """The definition in one line: the judgment where there is one, else the label."""
    return {topic: {**labels.get(topic, {}), **judged} for topic, judged in qrels.items()}


def score(qrels: object, runs: object, wanted: object, holes: object, **options: object) -> Scores:
    """Scores with warnings kept in the result only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        return uj.score(qrels, runs, wanted, holes=holes, **options)  # type: ignore[arg-type]


def rows(scores: Scores) -> dict[tuple[str, str, str], ScoreRow]:
    return {(row.run, row.topic, row.measure): row for row in [*scores.mean(), *scores.per_topic()]}


def codes(scores: Scores) -> list[str]:
    return [notice.code for notice in scores.warnings]
