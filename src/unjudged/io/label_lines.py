"""Labels as JSON lines: ``{"topic", "doc", "grade", "source", "model", "prompt", "time", "text_sha256"}``.

Only the first three are needed; the rest says who labelled, and labels of several judges may be in one file. A file is
read line by line, and what is kept of a label is its document's id and four numbers, so that files may be larger than
memory would hold as text. Where it is known which pairs are of use, others are counted and forgotten.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from unjudged.arrays import Flags, Hashes, Ints
from unjudged.data.ids import Ids, PairIndex, concatenate_ids, is_writable
from unjudged.data.judge_labels import JudgeLabels, LabelOrigin
from unjudged.errors import FileError, InputError, Notice
from unjudged.io.json_lines import json_objects
from unjudged.io.sources import line_blocks, run_name_from_path
from unjudged.kernels.splitmix import mixed
from unjudged.wording import counted, shortened, visible

__all__ = ["Useful", "read_label_lines"]

_CHUNK = 1 << 16
"""Ids that are Python strings at the same time."""
_HASH = re.compile(r"[0-9a-fA-F]{64}")
_LARGEST = 1e6
"""Labels beyond this are something else."""

_MISSING = object()
_TOPIC, _DOC, _GRADE = ("topic", "query_id"), ("doc", "doc_id"), ("grade", "relevance")


Useful = Callable[[Ints, Ids], Flags]
"""Which labels are kept: says so of topics' positions and documents."""


@dataclass
class _Collected:
    """The labels of one judge, as far as the file has been read."""

    model: str
    prompt: str
    useful: Useful | None = None
    topics: array[int] = field(default_factory=lambda: array("i"))
    values: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("I"))
    hashes: array[int] = field(default_factory=lambda: array("I"))
    """The beginning of the hash of each text, 0 without one."""
    chunks: list[Ids] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    first: str = ""
    last: str = ""
    forgotten: int = 0
    """Labels of no use, of which so many ..."""
    forgotten_hashes: int = 0
    """... came with the hash of a text."""

    def add(self, line: int, topic: int, doc: str, value: float, time: str, text: int) -> None:
        self.topics.append(topic)
        self.values.append(value)
        self.lines.append(line)
        self.hashes.append(text)
        self.docs.append(doc)
        if len(self.docs) == _CHUNK:
            self.pack()
        if time:
            self.first = min(self.first or time, time)
            self.last = max(self.last, time)

    def pack(self) -> None:
        ids, start = Ids.of(self.docs), len(self.topics) - len(self.docs)
        self.docs.clear()
        if self.useful is not None:
            useful = self.useful(np.array(self.topics[start:], dtype=np.int64), ids)
            self.forgotten += int((~useful).sum())
            self.forgotten_hashes += sum(compress(map(bool, self.hashes[start:]), ~useful))
            columns: tuple[array[Any], ...] = self.topics, self.values, self.lines, self.hashes
            for column in columns:
                column[start:] = array(column.typecode, compress(column[start:], useful))
            ids = ids.take(np.flatnonzero(useful))
        self.chunks.append(ids)


def read_label_lines(
    path: str, topic_rows: dict[str, int], *, add: bool = False, useful: Useful | None = None
) -> list[JudgeLabels]:
    """The labels of each judge of a file, for the topics whose positions are given.

    A judge is a source with a model and a prompt. With *add*, other topics are added to these positions. Labels that
    are not *useful* are counted only.
    """
    judges: dict[tuple[str, str, str], _Collected] = {}
    elsewhere, silent, other = 0, 0, ""
    usual = run_name_from_path(path).removesuffix(".jsonl").removesuffix(".json")
    for line, fields in json_objects(path, _text(path), "label"):
        topic, doc = _id(fields, _TOPIC, path, line), _id(fields, _DOC, path, line)
        value = _value(fields, path, line)
        model, prompt, source, time = (
            _words(fields, name, path, line) for name in ("model", "prompt", "source", "time")
        )
        text = _hash(fields, path, line)
        if add:
            topic_rows.setdefault(topic, len(topic_rows))
        if topic not in topic_rows:
            elsewhere, other = elsewhere + 1, other or topic
        elif value is None or value < 0:
            silent += 1
        else:
            key = (visible(source or model or usual), visible(model), prompt)
            collected = judges.setdefault(key, _Collected(model, prompt, useful))
            collected.add(line, topic_rows[topic], doc, value, time, text)
    _refuse_nothing(path, judges, elsewhere, silent, other, topic_rows)
    names = _names(list(judges))
    notices = [
        *_notice(
            "unknown-label-topics", elsewhere, f"{path}: {counted(elsewhere, 'label')} of topics that are not judged"
        ),
        *_notice("no-label", silent, f"{path}: {counted(silent, 'line')} without a grade, or with one below 0"),
    ]
    labels = [_finished(path, name, one) for name, one in zip(names, judges.values(), strict=True)]
    return [replace(labels[0], notices=(*notices, *labels[0].notices)), *labels[1:]]


def _text(path: str) -> Iterator[str]:
    return (block.decode() for block in line_blocks(path))


def _notice(code: str, count: int, words: str) -> list[Notice]:
    return [Notice(code, count, f"{words}; left out")] if count else []


def _refuse_nothing(
    path: str, judges: Mapping[Any, Any], elsewhere: int, silent: int, other: str, topic_rows: Mapping[str, int]
) -> None:
    if judges:
        return
    if elsewhere:
        raise InputError(
            f"{path}: no topic of these labels is judged"
            f" (the labels have {other!r}, the judgments have {next(iter(topic_rows))!r})"
        )
    raise FileError(path, "no line has a grade of 0 or more" if silent else "the file is empty")


# ---- the fields of a line


def _id(fields: Mapping[str, Any], names: tuple[str, ...], path: str, line: int) -> str:
    value = next((fields[name] for name in names if name in fields), None)
    if type(value) is int:
        return str(value)
    if not isinstance(value, str) or not value or not is_writable(value):
        raise FileError(path, f"the label has no {names[0]}: {shortened(value)}", line=line)
    return value


def _value(fields: Mapping[str, Any], path: str, line: int) -> float | None:
    value = next((fields[name] for name in _GRADE if name in fields), _MISSING)
    if value is None:
        return None
    if value is _MISSING:
        raise FileError(path, "the label has no grade; null is for one that was not given", line=line)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FileError(path, f"the grade is no number: {shortened(value)}", line=line)
    if not abs(value) <= _LARGEST:  # also catches NaN, and whole numbers that no float can hold
        raise FileError(path, f"the grade is not between 0 and {_LARGEST:,.0f}: {shortened(value)}", line=line)
    return float(value)


def _words(fields: Mapping[str, Any], name: str, path: str, line: int) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if type(value) in (int, float):
        return str(value)
    if not isinstance(value, str) or not is_writable(value):
        raise FileError(path, f"the {name} is no text: {shortened(value)}", line=line)
    return value


def _hash(fields: Mapping[str, Any], path: str, line: int) -> int:
    value = fields.get("text_sha256")
    if value is None:
        return 0
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise FileError(path, f"text_sha256 is not 64 hexadecimal digits: {shortened(value)}", line=line)
    return max(1, int(value[:8], 16))


# ---- judges


def _names(keys: list[tuple[str, str, str]]) -> list[str]:
    """A name for each judge: the source, with model or number of the prompt where that does not tell them apart."""
    out = []
    for source, model, prompt in keys:
        alike = [key for key in keys if key[0] == source]
        models = list(dict.fromkeys(key[1] for key in alike))
        prompts = list(dict.fromkeys(key[2] for key in alike if key[1] == model))
        details = [model or "no model"] if len(models) > 1 and model != source else []
        details += [f"prompt {prompts.index(prompt) + 1}"] if len(prompts) > 1 else []
        out.append(f"{source} ({', '.join(details)})" if details else source)
    return out


def _finished(path: str, name: str, judge: _Collected) -> JudgeLabels:
    """Columns, with each pair once."""
    judge.pack()
    docs = concatenate_ids(judge.chunks)
    judge.chunks.clear()
    topics, values = np.array(judge.topics, dtype=np.int64), np.frombuffer(judge.values, dtype=np.float64)
    del judge.topics[:]
    hashes = np.frombuffer(judge.hashes, dtype=np.uint32)
    first = PairIndex(topics, docs).find(topics, docs)
    first -= np.arange(len(topics))
    again = np.flatnonzero(first)
    _refuse_two_grades(path, name, judge, docs, again, first[again] + again)
    del first
    notices = [
        *_notice("repeated-labels", len(again), f"{path}: {counted(len(again), 'label')} that {name} gave before"),
        *_other_texts(path, name, docs, hashes),
    ]
    hashed = int(np.count_nonzero(hashes)) - int(np.count_nonzero(hashes[again])) + judge.forgotten_hashes
    origin = LabelOrigin(path, judge.model, judge.prompt, judge.first, judge.last, hashed)
    if len(again):
        kept = np.delete(np.arange(len(topics)), again)
        topics, docs, values = topics[kept], docs.take(kept), values[kept]
    return JudgeLabels(name, origin, topics, docs, values, tuple(notices), judge.forgotten)


def _refuse_two_grades(path: str, name: str, judge: _Collected, docs: Ids, again: Ints, first: Ints) -> None:
    for row, before in zip(again.tolist(), first.tolist(), strict=True):
        if judge.values[row] != judge.values[before]:
            grades = f"{judge.values[before]:g} (line {judge.lines[before]}) and {judge.values[row]:g}"
            problem = f"{name} gives document {shortened(docs[row])} two grades for a topic, {grades}; leave one"
            raise FileError(path, problem, line=judge.lines[row])


def _other_texts(path: str, name: str, docs: Ids, hashes: np.ndarray[Any, np.dtype[np.uint32]]) -> list[Notice]:
    """A notice where a document was judged by two different texts."""
    if not hashes.any():
        return []
    by_doc = docs.hashes()
    both = mixed(by_doc + hashes)
    both.sort()  # in place: there may be many
    if hashes.all() and _number_of_values(both) == _number_of_values(np.sort(by_doc)):
        return []
    known = np.flatnonzero(hashes)
    by_doc = by_doc[known]
    order = np.argsort(by_doc, kind="stable")
    by_doc, by_text = by_doc[order], hashes[known][order]
    same_doc = by_doc[1:] == by_doc[:-1]
    other_text = same_doc & (by_text[1:] != by_text[:-1])
    several = len(np.unique(by_doc[1:][other_text]))
    text = f"{path}: {name} judged {counted(several, 'document')} by more than one text (text_sha256 differs)"
    return [Notice("other-texts", several, text)] if several else []


def _number_of_values(ordered: Hashes) -> int:
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1
