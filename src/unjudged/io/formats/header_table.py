"""CSV and TSV with a first line that names the columns: BEIR's qrels, Quepid's ratings, what spreadsheets write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from unjudged.errors import FileError
from unjudged.io.column_names import (
    DOCS,
    GRADES,
    ITERATION,
    RANKS,
    SCORES,
    STRATUM,
    SUBTOPICS,
    TOPICS,
    grades_or_scores,
    missing,
    named,
    plain_name,
)
from unjudged.io.columns import Layout, Opened, open_columns, read_columns
from unjudged.io.formats.base import Asked, Format, Head, RunColumns, Value, Written
from unjudged.io.rows import Places, Rows
from unjudged.io.separated import Separated, fields_of
from unjudged.io.sources import run_name_from_path, show

__all__ = ["HeaderTable"]

_SEPARATORS = ("\t", ",", ";")
_VALUES = (*GRADES, *SCORES, *RANKS)
_FEWEST_COLUMNS = 3
_QUOTED = re.compile(r"""[",;\t\r\n]|\A[#\ufeff']""")
_WIDTHS_OF_TREC = (4, 5, 6)
_BLANK_LINES = re.compile(rb"\n\n+")


class HeaderTable(Format):
    """Columns separated by a comma, a semicolon or a tab, below a line with their names."""

    name = "csv"
    what = "CSV or TSV with a header"
    refused = re.compile(r"[\x00-\x08\x0a-\x1f]")  # what separated.py takes for itself, and line ends of others

    def __init__(self, names: Sequence[str] = ("query_id", "doc_id", "relevance"), separator: str = ",") -> None:
        """*names* of the columns topic, document and number, and what is between them, where such a file is written."""
        self._names, self._separator = names, separator

    def recognises(self, head: Head) -> bool:
        separator, names = _header(head.line)
        roles = [bool(named(names, role)) for role in (TOPICS, DOCS, _VALUES)]
        is_pool = len(names) == 2 and roles[0] and roles[1]
        return separator != "" and (all(roles) or is_pool or _lacks_a_header(head.line, separator, names))

    def rows(self, asked: Asked, head: Head, blocks: Iterator[bytes]) -> Rows:
        chosen, layout, below = _below_header(asked, blocks)
        columns = read_columns(below, layout, threads=asked.threads)
        values = np.zeros(0) if chosen.value is None else columns.numbers[chosen.value]
        strata = None if chosen.stratum is None else columns.whole(chosen.stratum)
        return Rows(
            source=asked.path,
            name=run_name_from_path(asked.path),
            topics=columns.coded[chosen.topic],
            docs=columns.text[chosen.doc],
            values=-values if chosen.is_rank else values,
            second=None if chosen.second is None else columns.coded[chosen.second],
            are_subtopics=chosen.are_subtopics,
            strata=strata,
            places=Places(line=columns.line),
        )

    def run_columns(self, asked: Asked, head: Head, blocks: Iterator[bytes]) -> RunColumns | None:
        chosen, layout, below = _below_header(asked, blocks)
        # Blank lines keep line numbers what they are, which are not asked for here.
        blocks = (_BLANK_LINES.sub(b"\n", block) if b"\n\n" in block else block for block in below.blocks)
        return RunColumns(run_name_from_path(asked.path), blocks, layout, chosen.is_rank)

    def values(self, head: Head) -> frozenset[Value]:
        return grades_or_scores(_header(head.line)[1])

    def write(self, written: Written) -> Iterator[str]:
        between = self._separator
        yield f"{between.join(self._names)}\n"
        for topic, docs, values in written:
            start = _field(topic) + between
            yield "".join(f"{start}{_field(doc)}{between}{value}\n" for doc, value in zip(docs, values, strict=True))


@dataclass(frozen=True)
class _Chosen:
    """Which column is what."""

    topic: int
    doc: int
    value: int | None
    is_rank: bool = False
    value_name: str = ""
    second: int | None = None
    are_subtopics: bool = False
    stratum: int | None = None

    def layout(self, separated: Separated, columns: int) -> Layout:
        value = () if self.value is None else (self.value,)
        names = {self.topic: "topic", self.doc: "document id", **dict.fromkeys(value, self.value_name)}
        return Layout(
            columns,
            text=(self.doc,),
            coded=(self.topic, *(() if self.second is None else (self.second,))),
            numbers=value,
            optional=value if self.value_name == "grade" else (),
            integers=() if self.stratum is None else (self.stratum,),
            names={**names, **({} if self.stratum is None else {self.stratum: "stratum"})},
            separated=separated,
        )


def _below_header(asked: Asked, blocks: Iterator[bytes]) -> tuple[_Chosen, Layout, Opened]:
    """Which column is what, how they are read, and what is below the line that says it."""
    opened = open_columns(asked.path, blocks)
    if opened.first is None:
        raise FileError(asked.path, "the file is empty")
    separator, names = _header(opened.first.text.decode())
    line = opened.first.line
    if not any(named(names, role) for role in (TOPICS, DOCS, _VALUES)):
        usual = "query_id,doc_id,score" if asked.value == "score" else "query_id,doc_id,relevance"
        expected = f"the first line must name the columns, such as {usual}"
        raise FileError(asked.path, f"{expected}: {show(opened.first.text)}", line=line)
    chosen, separated = _choose(names, asked, line), Separated(separator)
    return chosen, chosen.layout(separated, len(names)), opened.below_header(separated)


def _field(text: str) -> str:
    """A field; csv of Python's library would not quote what looks like a comment."""
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _header(line: str) -> tuple[str, list[str]]:
    """The separator of a header, and the names; nothing where no separator gives two names or more."""
    by_known = [
        (len({plain_name(name) for name in names} & {*chain(TOPICS, DOCS, _VALUES)}), len(names), separator, names)
        for separator in _SEPARATORS
        if len(names := fields_of(line, separator)) > 1
    ]
    # Names that are known decide, then their number: a comma inside of a name of TSV is no separator.
    *_, separator, names = max(by_known, key=lambda one: one[:2], default=(0, 0, "", []))
    return separator, names


def _lacks_a_header(line: str, separator: str, names: Sequence[str]) -> bool:
    """Whether columns are separated but have no names, or not all: what is missing is said here."""
    if len(names) < _FEWEST_COLUMNS or len(line.split()) in _WIDTHS_OF_TREC:
        return False
    return separator != "\t" or all(names)


def _choose(names: Sequence[str], asked: Asked, line: int) -> _Chosen:
    def one(role: Sequence[str]) -> int:
        places = named(names, role)
        if not places:
            raise FileError(asked.path, missing(role, names), line=line)
        return places[0]

    topic, doc = one(TOPICS), one(DOCS)
    if asked.value == "pair":
        return _Chosen(topic, doc, None)
    if asked.value == "score":
        scores = named(names, SCORES)
        value = scores[0] if scores else one((*SCORES, *RANKS))
        return _Chosen(topic, doc, value, is_rank=not scores, value_name="score" if scores else "rank")
    several = named(names, GRADES)
    if len(several) > 1:
        both = " and ".join(repr(names[place]) for place in several[:2])
        problem = f"two columns may be the grade, {both}; rename or remove one of them"
        raise FileError(asked.path, problem, line=line)
    value = one(GRADES)
    subtopics, iterations, strata = named(names, SUBTOPICS), named(names, (ITERATION,)), named(names, (STRATUM,))
    second = subtopics or iterations
    return _Chosen(
        topic,
        doc,
        value,
        value_name="grade",
        second=second[0] if second else None,
        are_subtopics=bool(subtopics),
        stratum=strata[0] if strata else None,
    )
