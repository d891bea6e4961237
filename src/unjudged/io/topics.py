"""What topics ask for: TREC's topic files, or an id and a text on each line. Also, which topics were chosen."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

from unjudged.errors import FileError, InputError, some_of
from unjudged.io.sources import STDIN, as_path, line_blocks, show

__all__ = ["ChosenTopics", "TopicText", "choose_topics", "read_titles", "read_topics"]

_LIMIT = 1 << 26
"""Longest topic file, in bytes. TREC's have some 100 kB."""
_FIRST = re.compile(r"[\s,]")
"""Ends the first column."""
_TOPIC = re.compile(r"<top>", re.IGNORECASE)
_FIELD = re.compile(r"<(num|title|desc|narr)>\s*(?:(?:number|topic|description|narrative):)?([^<]*)", re.IGNORECASE)
_DESCRIPTION, _NARRATIVE = ("description", "desc"), ("narrative", "narr")


class TopicText(NamedTuple):
    """What a topic asks for. The title is a line, the rest may be paragraphs; what is not known is empty."""

    title: str
    description: str = ""
    narrative: str = ""


def read_titles(source: Any) -> dict[str, str]:
    """A line of text for each topic: the title, or the description where there is none.

    *source*: a file in TREC's format (``<top> <num> Number: 401 <title> ...``), or one of lines ``topic TAB text``, or
    of JSON objects with ``id`` and ``text`` or ``title``; also ``{topic: text}``.

    >>> read_titles({"401": "foreign minorities, Germany"})
    {'401': 'foreign minorities, Germany'}
    """
    return {topic: text.title or _line(text.description) for topic, text in read_topics(source).items()}


def read_topics(source: Any) -> dict[str, TopicText]:
    """All that topics say: as :func:`read_titles`, with descriptions and narratives.

    JSON objects may have ``description`` and ``narrative`` (or ``desc`` and ``narr``), and so may ``{topic: {...}}``.

    >>> read_topics({"401": {"title": "minorities", "narrative": "Of any kind."}})["401"].narrative
    'Of any kind.'
    """
    if isinstance(source, Mapping):
        return {str(topic): _topic_text(text) for topic, text in source.items()}
    path = as_path(source)
    if path is None:
        raise InputError(f"cannot read topics from {type(source).__name__}; give a path or a dict of texts by topic")
    text = _whole(path)
    if text.lstrip().startswith("{"):
        return _from_json(path)
    return _from_trec(path, text) if _TOPIC.match(text.lstrip()) else _from_lines(path, text)


def _topic_text(text: Any) -> TopicText:
    if not isinstance(text, Mapping):
        return TopicText(_line(str(text)))
    title = next((text[name] for name in ("title", "text") if text.get(name)), "")
    rest = [next((str(text[name]) for name in names if text.get(name)), "") for names in (_DESCRIPTION, _NARRATIVE)]
    return TopicText(_line(str(title)), *map(_paragraphs, rest))


def _from_json(path: str) -> dict[str, TopicText]:
    from unjudged.io.documents import document_of  # readers of texts, which scoring must not wait for
    from unjudged.io.json_lines import json_objects

    topics = {}
    for number, fields in json_objects(path, (block.decode() for block in line_blocks(path)), "topic"):
        topic = document_of(fields, path, number)
        topics[topic.id] = _topic_text(fields)._replace(title=_line(topic.text))
    return topics


@dataclass(frozen=True)
class ChosenTopics:
    """The topics that are looked at; no others are."""

    topics: frozenset[str]
    path: str | None
    """The file that lists them, where it is one."""

    def refuse_unjudged(self, judged: Sequence[str]) -> None:
        """Refuse topics without judgments: one that is misspelt should not vanish."""
        unknown = [repr(topic) for topic in sorted(self.topics.difference(judged))]
        if unknown:
            where, hint = (self.path, "") if self.path else ("--only-topics", ", and no file of this name")
            what = f"no judgments for {some_of(unknown)}{hint if len(self.topics) == 1 else ''}"
            raise InputError(f"{where}: {what}; there are some for {some_of(list(judged))}")


def choose_topics(source: Any) -> ChosenTopics:
    """The topics that a file lists, one at the beginning of each line, or that are given: ids, or ids and commas.

    >>> sorted(choose_topics("402,401").topics)
    ['401', '402']
    """
    path = as_path(source) if isinstance(source, str | PathLike) else None
    if path is not None and (isinstance(source, PathLike) or path == STDIN or os.path.exists(path)):  # noqa: PTH110
        topics = [_FIRST.split(line.strip(), maxsplit=1)[0] for line in _whole(path).split("\n")]
        chosen = ChosenTopics(frozenset(topic for topic in topics if topic and not topic.startswith("#")), path)
    elif path is not None:
        chosen = ChosenTopics(frozenset(filter(None, map(str.strip, path.split(",")))), None)
    elif isinstance(source, Iterable) and not isinstance(source, Mapping | bytes | bytearray):
        chosen = ChosenTopics(frozenset(map(str, source)), None)
    else:
        raise InputError(f"cannot read topics from {type(source).__name__}; give a path or a list of topics")
    if not chosen.topics:
        raise InputError(f"{chosen.path or '--only-topics'}: no topic is listed")
    return chosen


def _whole(path: str) -> str:
    text = ""
    for block in line_blocks(path):
        text += block.decode()
        if len(text) > _LIMIT:
            raise FileError(path, f"the topics are longer than {_LIMIT:,} bytes")
    if not text.strip():
        raise FileError(path, "the file is empty")
    return text


def _from_lines(path: str, text: str) -> dict[str, TopicText]:
    titles = {}
    for number, line in enumerate(text.split("\n"), start=1):
        topic, tab, words = line.partition("\t")
        if line.strip():
            if not tab:
                raise FileError(path, f"expected a topic, a tab and a text: {show(line.encode())}", line=number)
            titles[topic.strip()] = TopicText(_line(words))
    return titles


def _from_trec(path: str, text: str) -> dict[str, TopicText]:
    topics = {}
    for number, part in enumerate(_TOPIC.split(text)[1:], start=1):
        fields = {name.lower(): words for name, words in reversed(_FIELD.findall(part))}
        topic = _line(fields.get("num", ""))
        if not topic:
            raise FileError(path, f"the {number}. <top> has no <num>")
        rest = (_paragraphs(fields.get(name, "")) for name in ("desc", "narr"))
        topics[topic] = TopicText(_line(fields.get("title", "")), *rest)
    return topics


def _line(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(text: str) -> str:
    """Text whose lines are joined, but for empty ones, which part paragraphs."""
    return "\n\n".join(filter(None, map(_line, re.split(r"\n\s*\n", text))))
