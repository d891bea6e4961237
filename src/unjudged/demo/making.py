"""How the demo collection comes about, with the named constants below as its parameters.

1. **Documents.** Each document is written around one topic of one theme. Some are relevant and use the topic's own
   words (*plain*). Some are relevant and say it in other words (*reworded*). Some use the topic's words and say nothing
   (*near miss*). The rest only share the theme (*background*). The grade decides how much of the text is about the
   topic's subtopics; a document of grade g covers up to g of them.
2. **Systems.** A system scores a document by ``quality * pull + family noise + own noise``. The pull is the grade, but
   a family that matches words reaches only part of a reworded document's grade and is lured by near misses. Family
   noise is shared by all systems of a family, so the pooled runs resemble each other. A system of two families
   averages them, and so has less noise. The three later runs are of a family of their own.
3. **Judgments.** Only the top ``POOL_DEPTH`` of the pooled runs are judged. The later runs find reworded documents that
   nobody pooled: they look worse than they are.

Nothing here is real: no person, team or document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from unjudged.arrays import Floats
from unjudged.demo.words import EVERYDAY_WORDS, THEMES, Theme, Topic

__all__ = [
    "CORPUS_SIZE",
    "POOL_DEPTH",
    "RUN_DEPTH",
    "SAMPLED_SHARE",
    "SCORE_DECIMALS",
    "SYSTEMS",
    "TOPICS",
    "Doc",
    "DocsByTopic",
    "System",
    "grade_for",
    "known_docs",
    "make_docs",
    "pool_of",
    "rank",
    "sample",
    "score_docs",
]

DOCS_PER_TOPIC = 60
RELEVANT_PER_TOPIC = (14, 34)  # fewest and most
REWORDED_SHARE = 0.4  # of the relevant documents
NEAR_MISSES_PER_TOPIC = 12
GRADE_SHARES = {1: 0.45, 2: 0.35, 3: 0.2}  # among the relevant documents
WORDS_PER_DOC = (35, 75)  # fewest and most
WORDS_PER_SENTENCE = 11

EVERYDAY_WORD_SHARE = 0.4
TOPIC_WORD_SHARE = 0.15  # in plain documents and near misses
SUBTOPIC_WORD_SHARE = {0: 0.0, 1: 0.15, 2: 0.25, 3: 0.35}  # by grade

OFF_THEME_PULL = -1.5  # a background document of the same theme has 0
FAMILY_NOISE = 0.55
OWN_NOISE = 0.4
COPY_NOISE = 0.05  # what tells a near copy from its original

RUN_DEPTH = 100
POOL_DEPTH = 10
SAMPLED_SHARE = 0.3  # of the pool, judged in sampled.qrels
SCORE_DECIMALS = 4
LATER_TEAM = "later"  # its runs came after the pool was judged

DocsByTopic = list[list[int]]
"""For each topic, in the order of ``TOPICS``, some documents as positions in the list of all documents."""


class Kind(Enum):
    """How a document relates to the topic it is written around."""

    PLAIN = "relevant, in the topic's own words"
    REWORDED = "relevant, in other words"
    NEAR_MISS = "the topic's words, but not relevant"
    BACKGROUND = "only the same theme"


@dataclass(frozen=True)
class Doc:
    """A document: its topic (a position in ``TOPICS``), grade, covered subtopics (from 1) and text."""

    topic: int
    kind: Kind
    grade: int
    subtopics: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Family:
    """A way to build a system: how much of a reworded document it sees, and how strongly a near miss lures it."""

    reworded_reach: float
    near_miss_lure: float


@dataclass(frozen=True)
class System:
    """What makes a run: who built it, of which families, and how well."""

    name: str
    team: str
    families: tuple[str, ...]
    quality: float
    copy_of: str = ""
    decimals: int = SCORE_DECIMALS


FAMILIES = {
    "keyword": Family(reworded_reach=0.1, near_miss_lure=1.3),
    "expanded": Family(reworded_reach=0.3, near_miss_lure=1.0),
    "vector": Family(reworded_reach=0.4, near_miss_lure=0.6),
    "neural": Family(reworded_reach=1.0, near_miss_lure=0.2),
}

SYSTEMS = (
    System("acorn-keyword", "acorn", ("keyword",), quality=0.8),
    System("acorn-keyword-again", "acorn", ("keyword",), quality=0.8, copy_of="acorn-keyword"),
    System("birch-keyword", "birch", ("keyword",), quality=0.65, decimals=2),  # coarse scores: ties
    System("birch-expanded", "birch", ("expanded",), quality=0.85),
    System("cedar-vector", "cedar", ("vector",), quality=0.75),
    System("cedar-fused", "cedar", ("keyword", "vector"), quality=0.8),
    System("dogwood-expanded", "dogwood", ("expanded",), quality=0.7),
    System("dogwood-fused", "dogwood", ("expanded", "vector"), quality=0.85),
    System("elm-weak", "elm", ("keyword",), quality=0.3),
    System("later-neural-small", LATER_TEAM, ("neural",), quality=0.5),
    System("later-neural-base", LATER_TEAM, ("neural",), quality=0.7),
    System("later-neural-large", LATER_TEAM, ("neural",), quality=0.85),
)

TOPICS: tuple[tuple[Theme, Topic], ...] = tuple((theme, topic) for theme in THEMES for topic in theme.topics)
CORPUS_SIZE = DOCS_PER_TOPIC * len(TOPICS)


# Documents


def make_docs(rng: np.random.Generator) -> list[Doc]:
    """Write the documents of all topics and shuffle them, so that an id tells nothing about relevance."""
    docs = []
    for topic in range(len(TOPICS)):
        relevant = int(rng.integers(*RELEVANT_PER_TOPIC, endpoint=True))
        for position in range(DOCS_PER_TOPIC):
            if position < relevant:
                kind = Kind.REWORDED if rng.random() < REWORDED_SHARE else Kind.PLAIN
            elif position < relevant + NEAR_MISSES_PER_TOPIC:
                kind = Kind.NEAR_MISS
            else:
                kind = Kind.BACKGROUND
            docs.append(_make_doc(topic, kind, rng))
    return [docs[i] for i in rng.permutation(len(docs))]


def _make_doc(topic: int, kind: Kind, rng: np.random.Generator) -> Doc:
    relevant = kind in (Kind.PLAIN, Kind.REWORDED)
    grade = int(rng.choice(list(GRADE_SHARES), p=list(GRADE_SHARES.values()))) if relevant else 0
    sides = len(TOPICS[topic][1].subtopics)
    covered = int(rng.integers(1, min(grade, sides), endpoint=True)) if relevant else 0
    subtopics = tuple(sorted(int(side) + 1 for side in rng.permutation(sides)[:covered]))
    return Doc(topic, kind, grade, subtopics, _make_text(topic, kind, grade, subtopics, rng))


def _make_text(topic: int, kind: Kind, grade: int, subtopics: tuple[int, ...], rng: np.random.Generator) -> str:
    """Mix everyday, topic, subtopic and theme words; the theme fills what the others leave."""
    theme, wanted = TOPICS[topic]
    topic_share = TOPIC_WORD_SHARE if kind in (Kind.PLAIN, Kind.NEAR_MISS) else 0.0
    subtopic_share = SUBTOPIC_WORD_SHARE[grade]
    shares = [EVERYDAY_WORD_SHARE, topic_share, subtopic_share]
    subtopic_words = [word for side in subtopics for word in wanted.subtopics[side - 1].words]
    sources: list[Sequence[str]] = [EVERYDAY_WORDS, wanted.words, subtopic_words, theme.words]

    length = int(rng.integers(*WORDS_PER_DOC, endpoint=True))
    chosen_sources = rng.choice(len(sources), size=length, p=[*shares, 1 - sum(shares)])
    positions = rng.random(length)  # where in its source each word stands, from 0 to 1
    words = [
        sources[source][int(position * len(sources[source]))]
        for source, position in zip(chosen_sources, positions, strict=True)
    ]
    sentences = [words[start : start + WORDS_PER_SENTENCE] for start in range(0, length, WORDS_PER_SENTENCE)]
    return " ".join(" ".join(sentence).capitalize() + "." for sentence in sentences)


# Runs


def score_docs(docs: list[Doc], rng: np.random.Generator) -> dict[str, Floats]:
    """Score every document for every topic: for each system an array of shape (topics, docs)."""
    shape = (len(TOPICS), len(docs))
    pulls = {name: _pull(docs, family) for name, family in FAMILIES.items()}
    family_noise = {name: FAMILY_NOISE * rng.standard_normal(shape) for name in FAMILIES}
    scores: dict[str, Floats] = {}
    for system in SYSTEMS:
        if system.copy_of:
            score = scores[system.copy_of] + COPY_NOISE * rng.standard_normal(shape)
        else:
            pull = np.mean([pulls[family] for family in system.families], axis=0)
            shared_noise = np.mean([family_noise[family] for family in system.families], axis=0)
            score = system.quality * pull + shared_noise + OWN_NOISE * rng.standard_normal(shape)
        scores[system.name] = np.round(score, system.decimals)
    return scores


def _pull(docs: list[Doc], family: Family) -> Floats:
    """How strongly each document draws a noise-free system of the family, shape (topics, docs)."""
    themes = [theme.name for theme, _ in TOPICS]
    same_theme = np.array([[theme == themes[doc.topic] for doc in docs] for theme in themes])
    pull = np.where(same_theme, 0.0, OFF_THEME_PULL)
    for column, doc in enumerate(docs):
        if doc.kind is Kind.NEAR_MISS:
            pull[doc.topic, column] = family.near_miss_lure
        elif doc.kind is Kind.REWORDED:
            pull[doc.topic, column] = family.reworded_reach * doc.grade
        else:
            pull[doc.topic, column] = doc.grade
    return pull


def rank(scores: Floats) -> list[int]:
    """Return the best documents, best first; ties in descending document id, as trec_eval reads them."""
    order = np.lexsort((-np.arange(len(scores)), -scores))
    return [int(doc) for doc in order[:RUN_DEPTH]]


# Judgments


def pool_of(rankings: dict[str, DocsByTopic]) -> DocsByTopic:
    """For each topic, the documents that are chosen to be judged."""
    pooled = [rankings[system.name] for system in SYSTEMS if system.team != LATER_TEAM]
    return [sorted({doc for ranking in pooled for doc in ranking[topic][:POOL_DEPTH]}) for topic in range(len(TOPICS))]


def known_docs(rankings: dict[str, DocsByTopic], docs: list[Doc]) -> DocsByTopic:
    """For each topic, the documents that are relevant or that any run returns."""
    by_topic = []
    for topic in range(len(TOPICS)):
        returned = {doc for ranking in rankings.values() for doc in ranking[topic]}
        relevant = {doc for doc in range(len(docs)) if grade_for(docs[doc], topic) > 0}
        by_topic.append(sorted(returned | relevant))
    return by_topic


def sample(pool: DocsByTopic, docs: list[Doc], rng: np.random.Generator) -> DocsByTopic:
    """Choose which pooled documents are judged; where chance leaves out all relevant ones, one takes a place."""
    sampled = []
    for topic, pooled in enumerate(pool):
        chosen = [pooled[i] for i in rng.permutation(len(pooled))[: round(SAMPLED_SHARE * len(pooled))]]
        relevant = [doc for doc in pooled if grade_for(docs[doc], topic) > 0]
        if relevant and not any(doc in relevant for doc in chosen):
            chosen[0] = relevant[int(rng.integers(len(relevant)))]
        sampled.append(sorted(chosen))
    return sampled


def grade_for(doc: Doc, topic: int) -> int:
    """The true grade of a document for a topic; it is relevant to one topic at most."""
    return doc.grade if doc.topic == topic else 0
