"""A small made-up test collection whose whole truth is known, as files. The same seed gives the same bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from unjudged.arrays import Floats
from unjudged.demo.making import (
    CORPUS_SIZE,
    POOL_DEPTH,
    RUN_DEPTH,
    SAMPLED_SHARE,
    SCORE_DECIMALS,
    SYSTEMS,
    TOPICS,
    Doc,
    DocsByTopic,
    System,
    grade_for,
    known_docs,
    make_docs,
    pool_of,
    rank,
    sample,
    score_docs,
)
from unjudged.errors import InputError
from unjudged.io.writing import write_file

__all__ = ["CORPUS_SIZE", "Collection", "write_collection"]

_FIRST_TOPIC_ID = 101


@dataclass(frozen=True)
class Collection:
    """Where each file of a written collection is."""

    directory: Path
    readme: Path
    docs: Path
    topics: Path
    subtopics: Path
    truth: Path
    qrels: Path
    sampled: Path
    diversity: Path
    teams: Path
    runs: tuple[Path, ...]


def write_collection(directory: str | PathLike[str], seed: int = 42) -> Collection:
    """Write the demo collection into a new or empty directory and say where its files are."""
    directory = Path(directory)
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: this is a file; give a new directory")
    if directory.exists() and any(directory.iterdir()):
        raise InputError(f"{directory}: the directory is not empty; give a new one")

    documents_rng, runs_rng, sample_rng = np.random.default_rng(seed).spawn(3)
    docs = make_docs(documents_rng)
    scores = score_docs(docs, runs_rng)
    rankings = {system.name: [rank(topic_scores) for topic_scores in scores[system.name]] for system in SYSTEMS}
    pool = pool_of(rankings)
    sampled = sample(pool, docs, sample_rng)

    try:
        (directory / "runs").mkdir(parents=True)
    except OSError as problem:
        raise InputError(f"{directory}: cannot be written: {problem.strerror}") from None
    return Collection(
        directory=directory,
        readme=_write(directory / "README.md", _readme_lines(seed)),
        docs=_write(directory / "docs.jsonl", _docs_lines(docs)),
        topics=_write(directory / "topics.tsv", _topics_lines()),
        subtopics=_write(directory / "subtopics.tsv", _subtopics_lines()),
        truth=_write(directory / "truth.qrels", _qrels_lines(known_docs(rankings, docs), docs)),
        qrels=_write(directory / "qrels.txt", _qrels_lines(pool, docs)),
        sampled=_write(directory / "sampled.qrels", _qrels_lines(pool, docs, judged=sampled)),
        diversity=_write(directory / "diversity.qrels", _diversity_lines(pool, docs)),
        teams=_write(directory / "teams.tsv", ["run\tteam", *(f"{s.name}\t{s.team}" for s in SYSTEMS)]),
        runs=tuple(
            _write(directory / "runs" / f"{s.name}.run", _run_lines(s, rankings[s.name], scores[s.name]))
            for s in SYSTEMS
        ),
    )


def _write(path: Path, lines: list[str]) -> Path:
    write_file(path, "\n".join(lines) + "\n")
    return path


def _readme_lines(seed: int) -> list[str]:
    text = _README.format(
        seed=seed,
        docs=CORPUS_SIZE,
        topics=len(TOPICS),
        runs=len(SYSTEMS),
        run_depth=RUN_DEPTH,
        pool_depth=POOL_DEPTH,
        sampled_percent=round(100 * SAMPLED_SHARE),
    )
    return text.splitlines()


def _doc_id(doc: int) -> str:
    return f"D{doc + 1:04d}"


def _topic_id(topic: int) -> str:
    return str(_FIRST_TOPIC_ID + topic)


def _docs_lines(docs: list[Doc]) -> list[str]:
    return [json.dumps({"doc_id": _doc_id(i), "text": doc.text}) for i, doc in enumerate(docs)]


def _topics_lines() -> list[str]:
    return ["topic\ttitle", *(f"{_topic_id(i)}\t{topic.title}" for i, (_, topic) in enumerate(TOPICS))]


def _subtopics_lines() -> list[str]:
    lines = ["topic\tsubtopic\ttitle"]
    for i, (_, topic) in enumerate(TOPICS):
        lines += [f"{_topic_id(i)}\t{side}\t{sub.title}" for side, sub in enumerate(topic.subtopics, start=1)]
    return lines


def _qrels_lines(listed: DocsByTopic, docs: list[Doc], judged: DocsByTopic | None = None) -> list[str]:
    """Write the true grade of every listed document, or -1 where ``judged`` is given and leaves it out."""
    lines = []
    for topic, listed_docs in enumerate(listed):
        for doc in listed_docs:
            grade = grade_for(docs[doc], topic) if judged is None or doc in judged[topic] else -1
            lines.append(f"{_topic_id(topic)} 0 {_doc_id(doc)} {grade}")
    return lines


def _diversity_lines(pool: DocsByTopic, docs: list[Doc]) -> list[str]:
    lines = []
    for topic, pooled in enumerate(pool):
        for side in range(1, len(TOPICS[topic][1].subtopics) + 1):
            for doc in pooled:
                covers = grade_for(docs[doc], topic) > 0 and side in docs[doc].subtopics
                lines.append(f"{_topic_id(topic)} {side} {_doc_id(doc)} {int(covers)}")
    return lines


def _run_lines(system: System, rankings: DocsByTopic, scores: Floats) -> list[str]:
    return [
        f"{_topic_id(topic)} Q0 {_doc_id(doc)} {place} {scores[topic, doc]:.{SCORE_DECIMALS}f} {system.name}"
        for topic, ranking in enumerate(rankings)
        for place, doc in enumerate(ranking, start=1)
    ]


_README = """\
# A small test collection whose whole truth is known

Made by `unjudged demo` with seed {seed}. The same seed gives the same files. Everything here is made up: the texts are
mixed from word lists, the runs are simulated, the teams do not exist.

## Look at this first

    unjudged doctor qrels.txt runs/*.run
    unjudged score qrels.txt runs/*.run -m nDCG@10
    unjudged score truth.qrels runs/*.run -m nDCG@10

The runs of the team "later" return documents that nobody judged. With `qrels.txt` these count as not relevant, and
`later-neural-large` falls behind `dogwood-fused`. With `truth.qrels`, which in real life nobody has, it is the other
way round. Then ask what can be said without the truth:

    unjudged score qrels.txt runs/*.run -m nDCG@10 --holes discounted
    unjudged relative qrels.txt runs/*.run --groups teams.tsv

## The files

| file | what it is |
|---|---|
| `docs.jsonl` | {docs} short documents, one JSON object per line: `doc_id`, `text` |
| `topics.tsv` | {topics} topics: `topic`, `title`; the first line is a header |
| `subtopics.tsv` | the two to five sides of each topic: `topic`, `subtopic`, `title`; the first line is a header |
| `runs/NAME.run` | {runs} runs in TREC format, {run_depth} documents per topic |
| `teams.tsv` | which team made which run: `run`, `team`; the first line is a header |
| `qrels.txt` | grades 0 to 3 for the pool: the top {pool_depth} of every run except those of the team "later" |
| `sampled.qrels` | the same pool, but only {sampled_percent}% of it judged; -1 means pooled and not judged |
| `diversity.qrels` | for the pool: `topic subtopic doc grade`, 1 where the document covers the subtopic, else 0 |
| `truth.qrels` | the grade of every document that is relevant or returned by any run |

## How it was made

Each document is written around one topic. A relevant one uses words of the subtopics it covers, the more the higher
its grade. Most relevant documents also use the words of the topic itself; the others say the same in other words.
Some documents use the words of the topic and say nothing about it. A document is relevant to one topic at most.

A run's score for a document is its quality times the grade, plus noise, part of which it shares with similar systems.
The pooled runs match words: they hardly see relevant texts in other words, and texts that only mention the topic
mislead them. The later runs see both for what they are.

The runs differ in quality; `elm-weak` is poor, `acorn-keyword-again` is nearly a copy of `acorn-keyword`, and
`birch-keyword` has many equal scores. Equal scores are ordered by document id, highest first, as trec_eval does.
"""
