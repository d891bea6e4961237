"""A new project: what may be judged, in the first order, with the texts of all that assessors may see."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from unjudged.data.ids import Ids, pair_keys
from unjudged.data.qrels import Qrels
from unjudged.errors import InputError
from unjudged.io.datasets import PREFIX
from unjudged.io.documents import documents
from unjudged.io.label_files import LabelFile, expand_labels
from unjudged.io.reading import RunSource, expand_runs
from unjudged.io.sources import as_path
from unjudged.io.texts import TextSource, text_source
from unjudged.io.topics import TopicText, read_topics
from unjudged.io.writing import check_writable
from unjudged.judging.assessors import add_assessor
from unjudged.judging.recording import now, written_text
from unjudged.judging.schema import connect, create_file, said_by_sqlite
from unjudged.limits import Real, Whole
from unjudged.wording import shortened

__all__ = ["LONGEST_TEXT", "Plan", "add_pairs", "add_topics", "make", "overlap_slots"]

LONGEST_TEXT = 1_000_000
"""Characters of a document that are kept."""
_LEAD = "lead"
_MOST_GRADE = 9
"""Grades are given by the keys 0 to 9."""


@dataclass(frozen=True)
class Plan:
    """What a project is made of, checked as far as can be said without reading runs."""

    qrels: Any
    runs: list[RunSource]
    topics: Mapping[str, TopicText]
    texts: TextSource | None
    settings: Mapping[str, Any]
    labels: list[LabelFile] | None
    grades: Mapping[int, str] | None
    """With their meaning; those that were given so far unless said."""
    guidelines: str
    assessors: tuple[tuple[str, bool], ...]
    """Names, and who is the lead."""

    @classmethod
    def of(cls, **given: Any) -> Self:
        """What was given to ``Project.create``, checked."""
        grades = None if given["grades"] is None else _grades(given["grades"])
        if given["runs"] is None or (isinstance(given["runs"], list | tuple | dict) and not given["runs"]):
            raise InputError("there is nothing to judge: give the runs whose documents are to be judged")
        runs = [source.rereadable() for source in expand_runs(given["runs"])]
        labels = None if given["labels"] is None else expand_labels(given["labels"])
        goals = [given["goal"]] if isinstance(given["goal"], str) else list(given["goal"])
        settings = {
            "strategy": str(given["strategy"]),
            "measure": None if given["measure"] is None else str(given["measure"]),
            "goal": goals,
            "runs": _paths(one.source for one in runs),
            "labels": None if labels is None else _paths(one.source for one in labels),
            "link": _link(given["link"]),
            "overlap": Real(0, 1).checked("the overlap", float(given["overlap"])),
            "seed": Whole(0).checked("the seed", given["seed"]),
            "depth": None if given["depth"] is None else Whole(1).checked("the depth", given["depth"]),
            "made": now(),
        }
        return cls(
            qrels=given["qrels"],
            runs=runs,
            labels=labels,
            topics={} if given["topics"] is None else read_topics(given["topics"]),
            texts=None if given["texts"] is None else text_source(given["texts"]),
            settings=settings,
            grades=grades,
            guidelines=written_text("the guidelines", given["guidelines"], LONGEST_TEXT),
            assessors=_people(given["assessors"], given["lead"]),
        )

    def grades_beside(self, qrels: Qrels) -> Mapping[int, str]:
        """The grades that can be given, where these judgments are there already."""
        top = max(int(qrels.grades[qrels.judged].max(initial=0)), 0)
        if top > _MOST_GRADE:
            raise InputError(f"{qrels.source or 'qrels'}: grades of a project go up to {_MOST_GRADE}, not {top}")
        if self.grades is None:
            of_top = f" (of {top})" if top > 1 else ""
            return {0: "not relevant", **dict.fromkeys(range(1, max(top, 1) + 1), f"relevant{of_top}")}
        if top > max(self.grades):
            raise InputError(
                f"{qrels.source or 'qrels'}: some document has grade {top}, but grades end with {max(self.grades)};"
                f" say what grades mean up to {top}"
            )
        return self.grades


def _grades(given: Mapping[int, str]) -> dict[int, str]:
    grades = {Whole(0, _MOST_GRADE).checked("a grade", grade): str(words) for grade, words in given.items()}
    if len(grades) < 2:
        raise InputError(f"a scale has two grades or more, not {shortened(dict(given))}")
    for words in grades.values():
        written_text("the meaning of a grade", words, 200)
    return dict(sorted(grades.items()))


def _link(pattern: str | None) -> str | None:
    if pattern is None:
        return None
    written_text("the link", pattern, 2000)
    if not pattern.startswith(("https://", "http://")) or "{doc}" not in pattern:
        raise InputError(f"a link begins with https:// or http:// and has {{doc}} in it, not {shortened(pattern)}")
    return pattern


def _paths(given: Iterable[Any]) -> list[str] | None:
    """Absolute paths of what is read again when the project is opened; None for what is in memory."""
    paths = [as_path(one) for one in given]
    return [_absolute(path) for path in paths if path is not None] if None not in paths else None


def _absolute(path: str) -> str:
    return path if path.startswith(PREFIX) else str(Path(path).absolute())


def _people(names: Iterable[str], lead: str | None) -> tuple[tuple[str, bool], ...]:
    people = [names] if isinstance(names, str) else list(names)
    if not people:
        raise InputError("a project needs an assessor")
    if len(set(people)) < len(people):
        raise InputError(f"names of assessors are unique, not {', '.join(map(str, people))}")
    leader = lead if lead is not None else people[0] if len(people) == 1 else _LEAD
    if leader not in people:
        people.append(leader)
    return tuple((name, name == leader) for name in people)


def make(path: str, plan: Plan) -> None:
    """Write a project. Where that fails, nothing is left."""
    from unjudged.judging.outlook import Pool

    check_writable(path)
    pool = Pool.of(plan)
    create_file(path)
    try:
        with said_by_sqlite(path), closing(connect(path)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            _fill(connection, plan, pool)
            connection.execute("COMMIT")
    except BaseException:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{path}{ending}").unlink(missing_ok=True)
        raise


def _fill(connection: sqlite3.Connection, plan: Plan, pool: Any) -> None:
    connection.executemany(
        "INSERT INTO meta (key, value) VALUES (?, ?)",
        [(key, json.dumps(value)) for key, value in (plan.settings | pool.settings).items()],
    )
    connection.executemany("INSERT INTO grades (grade, meaning) VALUES (?, ?)", pool.grades.items())
    connection.execute("INSERT INTO guidelines (markdown, at) VALUES (?, ?)", (plan.guidelines, now()))
    for name, lead in plan.assessors:
        add_assessor(connection, name, lead=lead)
    overlap = float(plan.settings["overlap"])
    add_topics(connection, pool.topics, plan.topics)
    add_pairs(connection, pool.pairs, pool.slots(overlap))
    if pool.inclusion is not None:
        numbers = {pair: number for number, pair in enumerate(pool.pairs, start=1)}
        rows = zip(pool.inclusion, pool.strata, (numbers[pair] for pair in pool.pairs), strict=True)
        connection.executemany("UPDATE pairs SET inclusion = ?, stratum = ? WHERE id = ?", rows)
        connection.executemany("INSERT INTO undrawn (topic, doc, stratum) VALUES (?, ?, ?)", pool.undrawn)
    if isinstance(pool.judged, Qrels):
        from unjudged.judging.importing import add_qrels

        add_qrels(connection, pool.judged, pool.judged.source or "qrels")
    if plan.texts is not None:
        _add_texts(connection, plan.texts)


def add_topics(connection: sqlite3.Connection, topics: Iterable[str], texts: Mapping[str, TopicText]) -> None:
    """Topics that are not there yet, in this order, with what they ask for."""
    for topic in topics:
        parts = (topic, *texts.get(topic, TopicText("")))
        words = [written_text(f"topic {shortened(topic)}", part, LONGEST_TEXT) for part in parts]
        connection.execute(
            "INSERT INTO topics (topic, title, description, narrative) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            words,
        )


def add_pairs(connection: sqlite3.Connection, pairs: Sequence[tuple[str, str]], slots: Sequence[int]) -> None:
    """Pairs that are not there yet, behind those that are, in this order; each for so many assessors."""
    add_topics(connection, dict.fromkeys(topic for topic, _ in pairs), {})
    connection.executemany(
        "INSERT INTO documents (doc, title) VALUES (?, '') ON CONFLICT DO NOTHING",
        ((doc,) for doc in dict.fromkeys(doc for _, doc in pairs)),
    )
    (last,) = connection.execute("SELECT coalesce(max(place), 0) FROM pairs").fetchone()
    connection.executemany(
        "INSERT INTO pairs (topic, doc, place, slots) SELECT t.id, d.id, ?, ? FROM topics AS t, documents AS d"
        " WHERE t.topic = ? AND d.doc = ? ON CONFLICT DO NOTHING",
        (
            (last + place, number, topic, doc)
            for place, ((topic, doc), number) in enumerate(zip(pairs, slots, strict=True), start=1)
        ),
    )
    connection.execute("UPDATE topics SET pairs = (SELECT count(*) FROM pairs WHERE topic = topics.id)")


def overlap_slots(pairs: Sequence[tuple[str, str]], overlap: float, seed: int) -> list[int]:
    """For how many assessors each pair is: a hash of seed and names says for which share it is two."""
    topics = list(dict.fromkeys(topic for topic, _ in pairs))
    place = {topic: i for i, topic in enumerate(topics)}
    of_row = np.array([place[topic] for topic, _ in pairs], dtype=np.int64)
    keys = pair_keys(topics, of_row, Ids.of(doc for _, doc in pairs), seed)
    two = keys.astype(np.float64) / 2.0**64 < overlap
    return [2 if one else 1 for one in two.tolist()]


def _add_texts(connection: sqlite3.Connection, texts: TextSource) -> None:
    """The texts of all documents of the project; what is beyond the limit is cut off. Hashes are of title and text."""
    wanted = {doc for (doc,) in connection.execute("SELECT doc FROM documents")}
    for source in texts.sources:
        for doc, text, _, title in documents(source, texts.kind):
            if doc in wanted:
                kept = text[:LONGEST_TEXT].encode("utf-8", "replace")
                sha256 = hashlib.sha256(kept).hexdigest()
                heading = title.encode("utf-8", "replace").decode() if len(title) < LONGEST_TEXT else ""
                body = kept.decode()[len(heading) :].removeprefix("\n") if heading else kept.decode()
                asked = "UPDATE documents SET title = ?, text = ?, sha256 = ? WHERE doc = ?"
                connection.execute(asked, (heading, body, sha256, doc))
