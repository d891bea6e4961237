"""Seeded collections to measure on: judgments and runs in TREC format, written fast.

Two kinds. *newswire* looks like TREC Robust: long ids, a deep pool of binary judgments, runs that share documents.
*passages* looks like MS MARCO dev: numeric ids, one or two relevant passages per topic and nothing else judged.

Scores have few enough digits that single precision (pytrec_eval) and double precision rank alike.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

FORMAT = 2  # raise it when the same parameters give other files, so that old ones are not reused
DEPTH = 1000
TIED = 0.01  # share of ranks with the same score as the rank above
BLOCK = 100  # topics written at a time


@dataclass(frozen=True)
class Collection:
    """What to generate; two equal ones give the same bytes."""

    kind: str
    topics: int
    runs: int = 1
    judged: int = 1
    decimals: int = 6
    seed: int = 42

    @property
    def rows(self) -> int:
        return self.topics * self.runs * DEPTH


COLLECTIONS = {
    "tiny": Collection("newswire", topics=5, judged=200, decimals=4),
    "a": Collection("newswire", topics=250, judged=1250, decimals=5),
    "b": Collection("newswire", topics=50, runs=129, judged=1700, decimals=4),
    "c": Collection("passages", topics=6980),
    "linear-1": Collection("passages", topics=1000),
    "linear-2": Collection("passages", topics=2000),
    "linear-4": Collection("passages", topics=4000),
    "linear-8": Collection("passages", topics=8000),
}


def ensure(work: Path, name: str) -> tuple[Path, list[Path]]:
    """The qrels file and the run files of a collection, written when they are not there yet."""
    folder = work / "collections" / name
    qrels, stamp = folder / "qrels.txt", folder / "collection.json"
    wanted = json.dumps({"format": FORMAT, **asdict(COLLECTIONS[name])})
    if not stamp.exists() or stamp.read_text() != wanted:
        stamp.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.run"):
            old.unlink()
        write = write_newswire if COLLECTIONS[name].kind == "newswire" else write_passages
        write(folder, qrels, COLLECTIONS[name])
        stamp.write_text(wanted)
    return qrels, sorted(folder.glob("*.run"))


def write_newswire(folder: Path, qrels: Path, collection: Collection) -> None:
    """Runs draw from 4,000 candidates per topic; judged and relevant candidates are easier to find."""
    rng = np.random.default_rng(collection.seed)
    names = newswire_ids()
    topics, candidates = collection.topics, 4000
    topic_ids = np.arange(301, 301 + topics).astype("S")
    docs = np.stack([rng.choice(len(names), candidates, replace=False) for _ in range(topics)])
    counts = rng.integers(int(0.8 * collection.judged), int(1.2 * collection.judged), size=topics)
    judged = np.arange(candidates) < counts[:, None]
    relevant = judged & (rng.random((topics, candidates)) < rng.uniform(0.01, 0.09, size=(topics, 1)))
    ease = rng.normal(size=(topics, candidates)) + 0.8 * judged
    with qrels.open("wb") as out:
        for i in range(topics):
            grades = relevant[i, judged[i]].astype(np.int64).astype("S")
            write_rows(out, np.repeat(topic_ids[i : i + 1], counts[i]), b"0", names[docs[i, judged[i]]], grades)
    for number in range(collection.runs):
        name = f"run{number:03d}"
        strength = ease + rng.uniform(0.5, 2.0) * relevant + rng.normal(size=(topics, candidates))
        order = np.argsort(-strength, axis=1)[:, :DEPTH]
        scores = 2 * (np.take_along_axis(strength, order, axis=1) + 8)
        with (folder / f"{name}.run").open("wb") as out:
            retrieved = names[np.take_along_axis(docs, order, axis=1)]
            write_run(out, topic_ids, retrieved, with_ties(rng, scores), collection.decimals, name)


def write_passages(folder: Path, qrels: Path, collection: Collection) -> None:
    """One run. Its ids come from 1,000 equal slices of the corpus, so that no topic has an id twice."""
    rng = np.random.default_rng(collection.seed)
    corpus, topics = 8_841_823, collection.topics
    width = corpus // DEPTH
    numbers = np.sort(rng.choice(1_100_000, topics, replace=False)) + 1
    slices = rng.permuted(np.tile(np.arange(DEPTH), (topics, 1)), axis=1)
    docs = slices * width + rng.integers(width, size=slices.shape)
    scores = -np.sort(-(0.95 - 0.5 * rng.random(docs.shape) ** 0.25), axis=1)
    with (folder / "dense.run").open("wb") as out:
        write_run(out, numbers.astype("S"), docs, with_ties(rng, scores), collection.decimals, "dense")
    # The relevant passage is whatever stands at a drawn rank or, for 15 topics in 100, an id past the slices: missed.
    ranks = np.minimum(rng.geometric(0.05, size=(topics, 2)) - 1, DEPTH - 1)
    ranks[:, 1] = (ranks[:, 0] + 1 + ranks[:, 1]) % DEPTH
    passages = np.take_along_axis(docs, ranks, axis=1)
    missed = rng.random(topics) < 0.15
    passages[missed, 0] = DEPTH * width + rng.integers(corpus - DEPTH * width, size=missed.sum())
    keep = np.stack([np.ones(topics, bool), (rng.random(topics) < 0.07) & (ranks[:, 0] != ranks[:, 1])], axis=1)
    with qrels.open("wb") as out:
        write_rows(out, np.repeat(numbers, keep.sum(axis=1)).astype("S"), b"0", passages[keep].astype("S"), b"1")


def newswire_ids() -> np.ndarray:
    """528,000 ids in the manner of TREC disks 4 and 5."""
    days = [f"{m:02d}{d:02d}{y}" for y in (89, 90) for m in range(1, 13) for d in range(1, 29)]
    ids = [f"FBIS3-{n}" for n in range(1, 130_001)]
    ids += [f"FT{n // 10_000 + 911}-{n % 10_000 + 1}" for n in range(262_000)]
    ids += [f"LA{days[n // 210]}-{n % 210 + 1:04d}" for n in range(136_000)]
    return np.array(ids, dtype="S13")


def with_ties(rng: np.random.Generator, scores: np.ndarray) -> np.ndarray:
    """Give a small share of the ranks the score of the rank above."""
    own = np.where(rng.random(scores.shape) < TIED, 0, np.arange(scores.shape[1]))
    return np.take_along_axis(scores, np.maximum.accumulate(own, axis=1), axis=1)


def write_run(
    out: BinaryIO, topics: np.ndarray, docs: np.ndarray, scores: np.ndarray, decimals: int, name: str
) -> None:
    ranks = np.arange(1, DEPTH + 1).astype("S4")
    units = np.rint(scores * 10**decimals).astype(np.int64)
    for first in range(0, len(topics), BLOCK):
        block = slice(first, first + BLOCK)
        count = len(topics[block])
        write_rows(
            out,
            np.repeat(topics[block], DEPTH),
            b"Q0",
            docs[block].ravel().astype("S"),
            np.tile(ranks, count),
            decimal(units[block].ravel(), decimals),
            name.encode(),
        )


def decimal(units: np.ndarray, decimals: int) -> np.ndarray:
    """Integers as decimal text: 123456 with 4 decimals is 12.3456. One row of bytes per number."""
    scale = 10**decimals
    # Adding the scale keeps the leading zeros of the fraction; its own leading 1 is cut off again.
    fraction = as_bytes((units % scale + scale).astype(f"S{decimals + 1}"))[:, 1:]
    dot = np.full((len(units), 1), ord("."), dtype=np.uint8)
    return np.hstack([as_bytes((units // scale).astype("S4")), dot, fraction])


def as_bytes(texts: np.ndarray) -> np.ndarray:
    """An array of byte strings as a matrix of bytes; short ones end in zeros."""
    return np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), -1)


def write_rows(out: BinaryIO, *columns: np.ndarray | bytes) -> None:
    """Columns side by side, blanks between, one line per row. Padding zeros are dropped in one go."""
    rows = next(len(c) for c in columns if not isinstance(c, bytes))
    pieces = list(_pieces(columns, rows))
    matrix = np.hstack(pieces)
    matrix[:, -1] = ord("\n")
    out.write(matrix[matrix != 0].tobytes())


def _pieces(columns: tuple[np.ndarray | bytes, ...], rows: int) -> Iterator[np.ndarray]:
    blank = np.full((rows, 1), ord(" "), dtype=np.uint8)
    for column in columns:
        if isinstance(column, bytes):
            yield np.tile(np.frombuffer(column, dtype=np.uint8), (rows, 1))
        else:
            yield column if column.dtype == np.uint8 else as_bytes(column)
        yield blank


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("names", nargs="+", choices=sorted(COLLECTIONS))
    arguments = parser.parse_args()
    for name in arguments.names:
        print(*ensure(arguments.work, name)[1][:1])
