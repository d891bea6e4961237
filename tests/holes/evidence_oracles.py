"""What runs say about holes, and a slow description of the same."""

from __future__ import annotations

import math

import numpy as np
from grouped_runs import DEPTH, Judgments, Ranked, as_runs, collection, log_odds, pooled

import unjudged as uj
from unjudged.api import read_holes
from unjudged.data.groups import fingerprint
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import View, join
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.evidence_model.pool_contributions import Contributions, Described
from unjudged.holes.imputation.grade_sampler import GradeProbabilities

EVIDENCE = "evidence"
USUAL = "discounted"
"""What it is without evidence."""


def with_occurrences(
    qrels: Judgments | Qrels, rankings: dict[str, Ranked], groups: dict[str, str] | None = None, depth: int = DEPTH
) -> tuple[Qrels, OccurrencesInRuns]:
    """The judgments, and where runs have documents, for scoring down to a *depth*, that of the pool unless given."""
    given = uj.Collection(qrels, as_runs(rankings), groups=groups)
    informed = collect_occurrences(given, read_holes(EVIDENCE), depth=depth)[0]
    assert informed.occurrences is not None
    return informed.qrels, informed.occurrences


def others(
    qrels: Judgments | Qrels, rankings: dict[str, Ranked], groups: dict[str, str] | None = None
) -> EvidenceModel:
    return EvidenceModel(*with_occurrences(qrels, rankings, groups), DEPTH)


def holes_of(model: EvidenceModel, ranked: Ranked) -> tuple[GradeProbabilities, View, np.ndarray]:
    view = join(uj.read_run(as_runs({"one": ranked})["one"]), model.qrels, depth=DEPTH)
    rows = np.flatnonzero(~view.judged)
    return model.grade_probabilities(view, rows), view, rows


def left_out(seed: int = 1, group: str = "g4") -> tuple[Judgments, dict[str, Ranked], dict[str, str], Judgments]:
    """A collection, and its judgments as they were if a group had not taken part."""
    truth, rankings, group_of = collection(seed, groups=7)
    judged = pooled(truth, rankings, list(rankings))
    without = pooled(truth, rankings, [run for run in rankings if group_of[run] != group])
    return judged, rankings, group_of, without


def described(contributions: Contributions, documents: Described) -> dict[tuple[str, str], list[float]]:
    """Features by topic and document."""
    names = [*contributions.qrels.docs, *contributions.occurrences.unlisted.docs]
    return {
        (contributions.qrels.topics[topic], names[pair]): features.tolist()
        for topic, pair, features in zip(
            documents.topics.tolist(), documents.pairs.tolist(), documents.features, strict=True
        )
    }


class Slowly:
    """What the documentation says, document by document."""

    def __init__(self, judged: Judgments, rankings: dict[str, Ranked], group_of: dict[str, str]) -> None:
        self.judged, self.rankings, self.group_of = judged, rankings, group_of
        self.groups = sorted(set(group_of.values()))
        self.top = max(1, *(grade for grades in judged.values() for grade in grades.values()))
        self.order = {name: fingerprint(uj.read_run(run)).digest for name, run in as_runs(rankings).items()}

    def rank(self, run: str, topic: str, doc: str) -> float:
        docs = self.rankings[run].get(topic, [])
        return docs.index(doc) + 1 if doc in docs else math.inf

    def group_rank(self, group: str, topic: str, doc: str) -> float:
        return min(self.rank(run, topic, doc) for run in self.rankings if self.group_of[run] == group)

    def within(self, topic: str, doc: str, without: set[str]) -> list[str]:
        return [g for g in self.groups if g not in without and self.group_rank(g, topic, doc) <= DEPTH]

    def features(self, topic: str, doc: str, owner: str, asking: str) -> set[tuple[float, ...]]:
        """Seen from any of the owner's runs that have the document at its best rank."""
        apart = {owner, asking}
        best = self.group_rank(owner, topic, doc)

        def still(topic: str, doc: str, without: set[str]) -> bool:
            """Judged, and not only because those without took part."""
            reached = self.within(topic, doc, set())
            return doc in self.judged[topic] and (not reached or bool(self.within(topic, doc, without)))

        def mean(pairs: list[tuple[str, str]], more: float, weight: float) -> float:
            return (sum(self.judged[t][d] for t, d in pairs) + weight * more) / (len(pairs) + weight)

        everything = [(t, d) for t in self.judged for d in self.judged[t] if still(t, d, {asking})]
        average = sum(self.judged[t][d] for t, d in everything) / len(everything)
        in_pool = [(t, d) for t, d in everything if t == topic and still(t, d, apart)]
        quality = {run: self.quality(run, topic, asking, average) for run in self.rankings}
        support = 0.0
        for group in self.groups:
            rank = self.group_rank(group, topic, doc)
            if group not in apart and rank < math.inf:
                at_best = [r for r in self.rankings if self.group_of[r] == group and self.rank(r, topic, doc) == rank]
                support += quality[self.first(at_best)][0] / average / (60 + rank)
        elsewhere = sum(any(self.rank(run, t, doc) <= 5 for run in self.rankings) for t in self.judged)
        out = set()
        for run in self.rankings:
            if self.group_of[run] != owner or self.rank(run, topic, doc) != best:
                continue
            on_topic, of_run, share = quality[run]
            pool = log_odds(mean(in_pool, average, 5.0), self.top)
            odds = [log_odds(x, self.top) for x in (on_topic, of_run)]
            out.add((math.log(support + 1e-3), -math.log(best), *odds, share, pool, -math.log(max(1, elsewhere))))
        return out

    def quality(self, run: str, topic: str, asking: str, average: float) -> tuple[float, float, float]:
        """Mean grade of what others brought, too, on the topic and over all; and the share of that."""
        returned = [(t, d) for t in self.judged for d in self.rankings[run].get(t, [])[:DEPTH]]
        apart = {asking, self.group_of[run]}
        seen = [(t, d) for t, d in returned if d in self.judged[t] and self.within(t, d, apart)]
        of_run = (sum(self.judged[t][d] for t, d in seen) + average) / (len(seen) + 1)
        here = [self.judged[t][d] for t, d in seen if t == topic]
        return (sum(here) + 2 * of_run) / (len(here) + 2), of_run, len(seen) / len(returned)

    def first(self, runs: list[str]) -> str:
        """Of runs that have a document at the same rank, the one that comes first in the order of occurrences."""
        return min(runs, key=self.order.__getitem__)
