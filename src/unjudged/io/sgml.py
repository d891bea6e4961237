"""TREC's SGML: ``<DOC><DOCNO>...</DOCNO> ... </DOC>``, in upper or lower case, one document after the other.

Files are untrusted, and tags may be left open on purpose: every search here goes forward only, so that time is linear
in the size of a document.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from unjudged.errors import FileError

__all__ = ["sgml_documents", "text_between_tags"]

_DOC = re.compile(r"<doc\b[^<>]*>", re.IGNORECASE)
_DOC_END = re.compile(r"</doc\s*>", re.IGNORECASE)
_DOCNO = re.compile(r"<docno\b[^<>]*>", re.IGNORECASE)
_DOCNO_END = re.compile(r"</docno\s*>", re.IGNORECASE)
_TAG = re.compile(r"<[a-z/!?][^<>]*>", re.IGNORECASE)

_ENDLESS_NUMBER = re.compile(r"&#[0-9]{4000,};?")
"""A character that cannot be, and a number that ``html`` fails to read: Python's limit is 4,300 digits."""
_WITHOUT_TEXT = re.compile(r"<!--|<(docno|docid|dochdr|script|style)\b[^<>]*>", re.IGNORECASE)
_COMMENT_END = re.compile("-->")
_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("docno", "docid", "dochdr", "script", "style")}


def sgml_documents(path: str, blocks: Iterable[str], line: int, limit: int) -> Iterator[tuple[str, str, int]]:
    """(id, text, line) of each document; the text begins in *line*. None may be longer than *limit*."""
    text, any_document = "", False
    for block in blocks:
        text += block
        at = 0
        while (begin := _DOC.search(text, at)) and (end := _DOC_END.search(text, begin.end())):
            any_document = True
            number = line + text.count("\n", 0, begin.start())
            yield _docno(path, text, begin.end(), end.start(), number), _text(text[begin.end() : end.start()]), number
            at = end.end()
        line += text.count("\n", 0, at)
        text = text[at:]
        if len(text) > limit:
            raise FileError(path, f"the document is longer than {limit:,} bytes", line=line)
    if begin := _DOC.search(text):
        raise FileError(path, "the document has no </DOC>", line=line + text.count("\n", 0, begin.start()))
    if not any_document:
        raise FileError(path, "there is no <DOC> in this file")


def _docno(path: str, text: str, start: int, stop: int, line: int) -> str:
    begin = _DOCNO.search(text, start, stop)
    end = begin and _DOCNO_END.search(text, begin.end(), stop)
    docno = text[begin.end() : end.start()].strip() if begin and end else ""
    if not docno:
        raise FileError(path, "the document has no <DOCNO>", line=line)
    return docno


def _text(element: str) -> str:
    return html.unescape(_ENDLESS_NUMBER.sub("\ufffd", text_between_tags(element)))


def text_between_tags(element: str) -> str:
    """What is left without tags, comments, and elements that hold no text (numbers, headers, scripts, styles).

    >>> text_between_tags("<docno>7</docno><b>one</b>two<script>x=3</script>").split()
    ['one', 'two']
    """
    kept, at, endless = [], 0, set()
    begin = _WITHOUT_TEXT.search(element)
    while begin:
        name = begin.group(1) and begin.group(1).lower()
        end = None if name in endless else (_ENDS[name] if name else _COMMENT_END).search(element, begin.end())
        if end is None:
            endless.add(name)  # never ends, and so does none after it: take it for a tag
            begin = _WITHOUT_TEXT.search(element, begin.end())
            continue
        kept.append(element[at : begin.start()])
        at = end.end()
        begin = _WITHOUT_TEXT.search(element, at)
    kept.append(element[at:])
    return _TAG.sub(" ", " ".join(kept))
