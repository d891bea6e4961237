"""Collections with subtopics and text: DL19's exam questions, and AMBIENT with systems made for it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas
from collections_at_hand import SHARED, need
from numpy.typing import NDArray

import unjudged as uj
from unjudged.data.run import Run
from unjudged.data.texts import QrelsWithTexts, with_texts

SEED = 42


@dataclass(frozen=True)
class Diverse:
    """Judgments of subtopics with texts, runs, and what to know about them."""

    name: str
    qrels: QrelsWithTexts
    runs: tuple[Run, ...]
    rel: int
    """Lowest grade at which a document is relevant to a subtopic."""
    words: str

    @property
    def mean_length(self) -> float:
        """Words of a document, on average."""
        return float(self.qrels.texts.lengths.mean())


def dl19() -> Diverse:
    """Ten exam questions for each of 43 topics, graded by a language model; 4 and 5 mean that the passage answers."""
    folder = need(SHARED / "dl19")
    qrels = uj.read_qrels(folder / "exam-questions-as-subtopics.diversity-qrels.gz")
    texts = uj.read_texts(folder / "qrels_text.dl19.gz")
    words = (
        "TREC 2019 Deep Learning, passages: 37 submitted runs, 43 topics, ten exam questions per topic as subtopics"
        " (370 of 430 are answered by some passage), relevant from grade 4 on. Text exists for the 9,139 judged"
        " passages only, which is about 80% of the top 20; the collection model is made of the same passages."
    )
    return Diverse("DL19", with_texts(qrels, texts), tuple(uj.read_runs(folder / "runs")), 4, words)


def ambient() -> Diverse:
    """44 ambiguous topics, 100 results each with title and snippet. All results were judged, so the rest is grade 0."""
    folder = need(SHARED / "ambient")
    lines = [line.split() for line in (folder / "ambient.diversity-qrels").read_text().splitlines()]
    rows = [(topic, subtopic, doc, int(grade)) for topic, subtopic, doc, grade in lines]
    engine = uj.read_run(folder / "engine-order.run")
    judged = {(topic, doc) for topic, _, doc, _ in rows}
    first = {topic: subtopic for topic, subtopic, _, _ in reversed(rows)}
    for topic in engine.topics:
        rows += [(topic, first[topic], doc, 0) for doc, _ in engine.ranking(topic) if (topic, doc) not in judged]
    frame = pandas.DataFrame(rows, columns=["query_id", "subtopic_id", "doc_id", "relevance"])
    texts = uj.read_texts(folder / "results.txt")
    runs = tuple(_systems(engine, texts))
    words = (
        "AMBIENT: 44 ambiguous topics with 100 search results each, title and snippet as text, 2,257 of 4,400 results"
        " relevant to a subtopic, the others judged 0. There is only the search engine's own run, so"
        f" {len(runs)} systems were made from it: its order with normal noise added to the ranks (16 systems, which no"
        " text enters) and"
        " rerankings for diversity by maximal marginal relevance over TF-IDF vectors (8 systems, which prefer results"
        " whose words differ from those above, and so are not independent of measures of text)."
    )
    return Diverse("AMBIENT", with_texts(uj.read_qrels(frame), texts), runs, 1, words)


def _systems(engine: Run, texts: uj.Texts) -> list[Run]:
    rng = np.random.default_rng(SEED)
    lists = {topic: [doc for doc, _ in engine.ranking(topic)] for topic in engine.topics}
    near = {topic: _similarities(docs, texts) for topic, docs in lists.items()}
    systems = [engine]
    for noise in (2, 5, 10, 20, 40):
        for copy in range(3):
            orders = {
                topic: np.argsort(np.arange(len(docs)) + noise * rng.normal(size=len(docs)))
                for topic, docs in lists.items()
            }
            systems.append(_ranked(f"noise{noise}-{copy}", lists, orders))
    for trade in (0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1):
        systems.append(_ranked(f"mmr{trade}", lists, {topic: _marginal(near[topic], trade) for topic in lists}))
    return systems


def _ranked(name: str, lists: Mapping[str, Sequence[str]], orders: Mapping[str, Iterable[int]]) -> Run:
    ranking = {topic: [docs[i] for i in orders[topic]] for topic, docs in lists.items()}
    scores = {topic: {doc: float(-i) for i, doc in enumerate(docs)} for topic, docs in ranking.items()}
    return uj.read_run(scores, name=name)


def _similarities(docs: Sequence[str], texts: uj.Texts) -> NDArray[np.float64]:
    """Cosines of TF-IDF vectors."""
    counts = [texts.counts_of(doc) for doc in docs]
    spread = Counter(word for one in counts for word in one)
    words = sorted(spread)
    matrix = np.array([[one.get(word, 0) * math.log(len(docs) / spread[word]) for word in words] for one in counts])
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix /= np.where(lengths > 0, lengths, 1)
    return matrix @ matrix.T


def _marginal(near: NDArray[np.float64], trade: float) -> list[int]:
    """Maximal marginal relevance (Carbonell and Goldstein, 1998): relevance is 1 / log2(1 + rank)."""
    relevance = 1 / np.log2(np.arange(len(near)) + 2)
    order: list[int] = []
    closest = np.zeros(len(near))
    for _ in near:
        value = trade * relevance - (1 - trade) * closest
        value[order] = -np.inf
        order.append(int(np.argmax(value)))
        closest = np.maximum(closest, near[order[-1]])
    return order
