"""What topics ask for: TREC's topic files, or an id and a text on each line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from unjudged.errors import FileError, InputError
from unjudged.io.documents import documents
from unjudged.io.reading import as_path
from unjudged.io.sources import line_blocks, show

__all__ = ["read_titles"]

_LIMIT = 1 << 26
"""Longest topic file, in bytes. TREC's have some 100 kB."""
_TOPIC = re.compile(r"<top>", re.IGNORECASE)
_FIELD = re.compile(r"<(num|title|desc)>\s*(?:(?:number|topic|description):)?([^<]*)", re.IGNORECASE)


def read_titles(source: Any) -> dict[str, str]:
    """A line of text for each topic: the title, or the description where there is none.

    *source*: a file in TREC's format (``<top> <num> Number: 401 <title> ...``), or one of lines ``topic TAB text``, or
    of JSON objects with ``id`` and ``text`` or ``title``; also ``{topic: text}``.

    >>> read_titles({"401": "foreign minorities, Germany"})
    {'401': 'foreign minorities, Germany'}
    """
    if isinstance(source, Mapping):
        return {str(topic): _line(str(text)) for topic, text in source.items()}
    path = as_path(source)
    if path is None:
        raise InputError(f"cannot read topics from {type(source).__name__}; give a path or a dict of texts by topic")
    text = _whole(path)
    if text.lstrip().startswith("{"):
        return {topic: _line(words) for topic, words, _ in documents(path, "jsonl")}
    return _from_trec(path, text) if _TOPIC.match(text.lstrip()) else _from_lines(path, text)


def _whole(path: str) -> str:
    text = ""
    for block in line_blocks(path):
        text += block.decode()
        if len(text) > _LIMIT:
            raise FileError(path, f"the topics are longer than {_LIMIT:,} bytes")
    if not text.strip():
        raise FileError(path, "the file is empty")
    return text


def _from_lines(path: str, text: str) -> dict[str, str]:
    titles = {}
    for number, line in enumerate(text.split("\n"), start=1):
        topic, tab, words = line.partition("\t")
        if line.strip():
            if not tab:
                raise FileError(path, f"expected a topic, a tab and a text: {show(line.encode())}", line=number)
            titles[topic.strip()] = _line(words)
    return titles


def _from_trec(path: str, text: str) -> dict[str, str]:
    titles = {}
    for number, part in enumerate(_TOPIC.split(text)[1:], start=1):
        fields = {name.lower(): _line(words) for name, words in reversed(_FIELD.findall(part))}
        if not fields.get("num"):
            raise FileError(path, f"the {number}. <top> has no <num>")
        titles[fields["num"]] = fields.get("title") or fields.get("desc", "")
    return titles


def _line(text: str) -> str:
    return " ".join(text.split())
