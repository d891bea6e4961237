"""What files of judgments and runs look like: one module for each format. The content decides, never a name.

To add a format: a module here with a subclass of :class:`Format` (or :class:`JsonFormat`), its place in ``FORMATS``
(the first that recognises a file reads it), its word in ``limits.QrelsFormat`` or ``limits.RunFormat``, a kind in
``tests/fuzz/formats.py``, and its row in the table of ``docs/formats.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import cast

from unjudged.errors import FileError
from unjudged.io.columns import Opened, open_columns
from unjudged.io.formats.base import HEAD_BYTES, Asked, Format, Head, RunColumns, Value
from unjudged.io.formats.header_table import HeaderTable
from unjudged.io.formats.mteb_predictions import MtebPredictions
from unjudged.io.formats.nested_json import NestedJson
from unjudged.io.formats.rated_lists import ElasticsearchRequests, OpenSearchJudgments, QuepidRatings, RreRatings
from unjudged.io.formats.search_responses import RankEvalResponse, SearchResponses
from unjudged.io.formats.trec_columns import TrecColumns
from unjudged.io.rows import Rows
from unjudged.io.sources import raw_blocks
from unjudged.limits import ConvertTo, QrelsFormat, RunFormat

__all__ = ["FORMATS", "TARGETS", "format_of", "opened_or_rows", "read_rows", "run_columns", "values_of"]

FORMATS: tuple[Format, ...] = (
    OpenSearchJudgments(),
    ElasticsearchRequests(),
    QuepidRatings(),
    RreRatings(),
    RankEvalResponse(),
    SearchResponses(),
    MtebPredictions(),
    NestedJson(),
    HeaderTable(),
    TrecColumns(),
)
_SEARCHES = SearchResponses()
TARGETS: Mapping[ConvertTo, Mapping[Value, Format]] = {
    "trec": dict.fromkeys(("grade", "score"), TrecColumns()),
    "beir": {"grade": HeaderTable(("query-id", "corpus-id", "score"), "\t"), "score": NestedJson()},
    "quepid": {"grade": HeaderTable(("query", "docid", "rating"))},
    "elasticsearch": {"grade": ElasticsearchRequests(), "score": _SEARCHES},
    "opensearch": {"grade": OpenSearchJudgments(), "score": _SEARCHES},
}
"""Whose files can be written, and in which format they have grades of judgments and scores of runs."""
_COLUMNS = frozenset({"trec", "strata", "diversity"})
"""Words for white-space separated columns, and what the second and fourth of them are."""


def read_rows(path: str, value: Value, *, word: QrelsFormat | RunFormat = "auto", threads: int = 1) -> Rows:
    """The rows of a file, whatever its format; *word* is what the user says about that."""
    chosen, head, blocks = _opened(path, value, word)
    kind = cast("QrelsFormat", word if word in _COLUMNS else "auto")
    return chosen.rows(Asked(path, value, kind, threads), head, blocks)


def opened_or_rows(path: str, value: Value, word: QrelsFormat | RunFormat, threads: int = 1) -> Opened | Rows:
    """A file of TREC's columns, of which somebody wants to see more than rows; or the rows of any other."""
    chosen, head, blocks = _opened(path, value, word)
    if isinstance(chosen, TrecColumns):
        return open_columns(path, blocks)
    return chosen.rows(Asked(path, value, threads=threads), head, blocks)


def run_columns(path: str, word: RunFormat, block_bytes: int | None = None) -> RunColumns | None:
    """A run as columns that are still to be cut, where its format has such; as far as its first line."""
    chosen, head, blocks = _opened(path, "score", word, block_bytes)
    return chosen.run_columns(Asked(path, "score"), head, blocks)


def values_of(path: str) -> frozenset[Value]:
    """What a file may hold, as far as its beginning says: grades, scores, or either."""
    first = b""
    for block in raw_blocks(path):
        first += block
        if len(first) >= HEAD_BYTES:
            break
    head = Head.of(first)
    return format_of(head).values(head)


def _opened(path: str, value: Value, word: str, block_bytes: int | None = None) -> tuple[Format, Head, Iterator[bytes]]:
    blocks = raw_blocks(path, block_bytes)
    first = b""
    while len(first) < HEAD_BYTES and (block := next(blocks, None)):
        first += block
    head = Head.of(first)
    chosen = format_of(head) if word == "auto" else _named(word)
    if value not in chosen.reads:
        other = "judgments" if value == "score" else "a run"
        raise FileError(path, f"this is {chosen.what}, which is {other}")
    return chosen, head, chain([first], blocks) if first else iter(())


def format_of(head: Head) -> Format:
    """The format of a file that begins so."""
    return next(one for one in FORMATS if one.recognises(head))


def _named(word: str) -> Format:
    name = "trec" if word in _COLUMNS else word
    return next(one for one in FORMATS if one.name == name)
