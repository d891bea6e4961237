"""Reading how likely users are to mean each subtopic of a topic."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels
from unjudged.errors import FileError, InputError
from unjudged.io.columns import Layout, open_columns, read_columns
from unjudged.io.sources import as_path, enough_memory
from unjudged.io.table_columns import read_table
from unjudged.wording import shortened

__all__ = ["with_intents"]

_LAYOUT = Layout(3, coded=(0, 1), numbers=(2,), names={2: "probability"})

Wrong = Callable[[int, str], InputError]
"""Makes the error about a row."""


def with_intents(qrels: Qrels, source: Any) -> Qrels:
    """Diversity judgments with probabilities of the subtopics, from a file or ``{topic: {subtopic: probability}}``.

    They need not add up to 1. A subtopic that a topic does not list has probability 0, and a topic that is not there at
    all keeps equal ones. What the judgments do not know is left out.
    """
    where = qrels.source or "qrels"
    subtopics = qrels.subtopics
    if subtopics is None:
        raise InputError(f"{where}: probabilities are for subtopics, which these judgments do not have")
    topics, names, values, wrong = _read(source)
    position = {
        (int(topic), name): number
        for number, (topic, name) in enumerate(zip(subtopics.topics.tolist(), subtopics.names, strict=True))
    }
    weights, seen = subtopics.weights.copy(), set()
    listed = np.array(
        sorted({qrels.topic_rows[topic] for topic in topics if topic in qrels.topic_rows}), dtype=np.int64
    )
    if not len(listed):
        raise InputError(
            f"no topic of the probabilities is judged (they have {shortened(topics[0])},"
            f" the judgments have {shortened(qrels.topics[0])})"
        )
    weights[np.isin(subtopics.topics, listed)] = 0.0
    for row, (topic, name, value) in enumerate(zip(topics, names, values.tolist(), strict=True)):
        if not (np.isfinite(value) and value >= 0):
            raise wrong(row, f"the probability is not a number of at least 0: {value:g}")
        if (topic, name) in seen:
            raise wrong(row, f"subtopic {shortened(name)} of topic {shortened(topic)} is listed twice")
        seen.add((topic, name))
        number = position.get((qrels.topic_rows.get(topic, -1), name))
        if number is not None:
            weights[number] = value
    for topic_row in listed.tolist():
        if not weights[subtopics.offsets[topic_row] : subtopics.offsets[topic_row + 1]].any():
            raise InputError(f"the probabilities of all judged subtopics of topic {qrels.topics[topic_row]!r} are 0")
    return dataclasses.replace(qrels, subtopics=subtopics.weighted(weights))


def _read(source: Any) -> tuple[list[str], list[str], Floats, Wrong]:
    path = as_path(source)
    if path is None:
        if not isinstance(source, Mapping):
            raise InputError(f"cannot read probabilities from {type(source).__name__}; give a path or a dict of dicts")
        table = read_table(source, "score", "intents")
        try:
            values = np.array([float(value) for value in table.values])
        except (TypeError, ValueError, OverflowError):
            raise InputError("intents: a probability is not a number") from None
        topics = [table.topics.names[code] for code in table.topics.codes.tolist()]
        return topics, table.docs, values, lambda _, problem: InputError(f"intents: {problem}")
    with enough_memory(path):
        return _read_file(path)


def _read_file(path: str) -> tuple[list[str], list[str], Floats, Wrong]:
    opened = open_columns(path)
    opened.width({_LAYOUT.columns}, "3 columns (topic subtopic probability)", {})
    columns = read_columns(opened, _LAYOUT)
    coded, names = columns.coded[0], columns.coded[1]
    return (
        [coded.names[code] for code in coded.codes.tolist()],
        [names.names[code] for code in names.codes.tolist()],
        columns.numbers[2],
        lambda row, problem: FileError(path, problem, line=columns.line(row)),
    )
