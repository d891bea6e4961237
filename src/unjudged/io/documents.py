"""Documents one by one: JSON lines, tab-separated values, TREC's SGML, plain text, Parquet, ir_datasets, dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from unjudged.errors import FileError, InputError
from unjudged.io.datasets import PREFIX, load_dataset, loading
from unjudged.io.json_lines import json_objects, numbered_lines, shown
from unjudged.io.parquet import PARQUET, open_parquet
from unjudged.io.sgml import sgml_documents
from unjudged.io.sources import line_blocks, run_name_from_path
from unjudged.io.table_columns import is_frame
from unjudged.limits import TextFormat
from unjudged.wording import visible

__all__ = ["Document", "document_of", "documents"]

DOCUMENT_LIMIT = 1 << 26
"""Longest line, or document of several lines, in bytes. Web pages and books stay below a few megabytes."""

_PARQUET_ROWS = 1 << 12

ID_NAMES = ("id", "doc_id", "docid", "docno", "_id", "pid")
BODY_NAMES = ("text", "contents", "body", "passage", "snippet", "abstract")
TITLE_NAME = "title"


class Document(NamedTuple):
    """A document as it was read. ``line`` is where it begins, 0 where there are no lines."""

    id: str
    text: str
    line: int
    title: str = ""
    """The first lines of the text, where the document says that they are its title."""


def documents(source: Any, kind: TextFormat = "auto") -> Iterator[Document]:
    """The documents of one source: a path, ``"ir_datasets:ID"``, a dict, (id, text) tuples, or a frame."""
    if isinstance(source, str):
        if source.startswith(PREFIX):
            return _from_dataset(source)
        if source.endswith(PARQUET):
            return _from_parquet(source)
        return _from_file(source, kind)
    if is_frame(source):
        import narwhals

        frame = narwhals.from_native(source, eager_only=True)
        return _from_columns(list(frame.columns), frame.iter_rows(), "texts")
    pairs = source.items() if isinstance(source, Mapping) else source
    return _from_pairs(pairs)


def _from_pairs(pairs: Iterable[Any]) -> Iterator[Document]:
    for pair in pairs:
        try:
            doc, text = pair
        except (TypeError, ValueError):
            raise InputError(f"a document is an id and a text, not {pair!r:.60}") from None
        if not isinstance(text, str):
            raise InputError(f"the text of document {doc!r} is not a string but {type(text).__name__}")
        yield Document(str(doc), text, 0)


# ---- files of text


def _from_file(path: str, kind: TextFormat) -> Iterator[Document]:
    blocks = (block.decode() for block in line_blocks(path, line_limit=DOCUMENT_LIMIT))
    line = 1
    for first in blocks:
        if first.strip():
            read = _READERS[_guess(first) if kind == "auto" else kind]
            return read(path, chain([first], blocks), line)
        line += first.count("\n")  # the first lines may be empty, and so many that they must not be kept
    raise FileError(path, "the file is empty")


def _guess(text: str) -> TextFormat:
    """The format, from the first line that is not empty. The name does not tell: much is called .txt or .gz."""
    line = text.lstrip().split("\n", 1)[0]
    if line.startswith(("{", "[")):
        return "jsonl"
    if line.startswith("<"):
        return "trec"
    return "tsv" if "\t" in line else "plain"


def _from_jsonl(path: str, blocks: Iterable[str], first: int) -> Iterator[Document]:
    for number, fields in json_objects(path, blocks, "document", first):
        yield document_of(fields, path, number)


class _Roles(NamedTuple):
    """Which fields of a document are its id and its text."""

    id: str | None
    text: tuple[str, ...]


@lru_cache(maxsize=64)
def _roles(names: tuple[str, ...]) -> _Roles:
    """The id is the first of the known names that is there; the text is the title and the first known body."""
    body = next(((name,) for name in BODY_NAMES if name in names), ())
    title = (TITLE_NAME,) if TITLE_NAME in names else ()
    return _Roles(next((name for name in ID_NAMES if name in names), None), title + body)


def document_of(fields: Mapping[str, Any], path: str, line: int) -> Document:
    """A document from named fields. A field without a value is an empty text."""
    roles = _roles(tuple(fields))
    doc = None if roles.id is None else fields[roles.id]
    if type(doc) is int:
        doc = str(doc)
    if not isinstance(doc, str) or not doc:
        what = f"the document has no id (one of {', '.join(ID_NAMES)})"
        raise FileError(path, what if doc in (None, "") else f"the id is no string: {doc!r:.40}", line=line or None)
    parts = [fields[name] for name in roles.text if fields[name] is not None]
    if not roles.text:
        names = ", ".join((*BODY_NAMES, TITLE_NAME))
        raise FileError(path, f"document {doc!r} has no text (one of {names})", line=line or None)
    for part in parts:
        if not isinstance(part, str):
            raise FileError(path, f"the text of document {doc!r} is no string: {part!r:.40}", line=line or None)
    has_title = len(parts) > 1 and roles.text[0] == TITLE_NAME
    return Document(doc, "\n".join(parts), line, parts[0] if has_title else "")


def _from_tsv(path: str, blocks: Iterable[str], first: int) -> Iterator[Document]:
    lines = numbered_lines(blocks, first)
    number, header = next(lines)
    names = [name.strip().lower() for name in header.split("\t")]
    if set(names) & set(ID_NAMES) and set(names) & {*BODY_NAMES, TITLE_NAME}:
        for number, line in lines:
            cells = line.rstrip("\r").split("\t")
            if len(cells) != len(names):
                message = f"expected {len(names)} columns, got {len(cells)}: {shown(line)}"
                raise FileError(path, message, line=number)
            yield document_of(dict(zip(names, cells, strict=True)), path, number)
        return
    yield _id_and_rest(path, number, header)
    for number, line in lines:
        yield _id_and_rest(path, number, line)


def _id_and_rest(path: str, number: int, line: str) -> Document:
    doc, tab, text = line.partition("\t")
    if not tab:
        raise FileError(
            path,
            f"expected an id, a tab and a text: {shown(line)}"
            " (if the whole file is one document, say so with the text format 'plain')",
            line=number,
        )
    if not doc.strip():
        raise FileError(path, f"the document has no id: {shown(line)}", line=number)
    return Document(doc.strip(), text, number)


def _from_trec(path: str, blocks: Iterable[str], first: int) -> Iterator[Document]:
    return (Document(*document) for document in sgml_documents(path, blocks, first, DOCUMENT_LIMIT))


def _from_plain(path: str, blocks: Iterable[str], first: int) -> Iterator[Document]:
    """The whole file is one document; its id is the name of the file without its endings."""
    text = ""
    for block in blocks:
        text += block
        if len(text) > DOCUMENT_LIMIT:
            raise FileError(path, f"the document is longer than {DOCUMENT_LIMIT:,} bytes")
    yield Document(run_name_from_path(path), text, first)


_READERS = {"jsonl": _from_jsonl, "tsv": _from_tsv, "trec": _from_trec, "plain": _from_plain}


# ---- tables


def _from_parquet(path: str) -> Iterator[Document]:
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        wanted = [name for name in names if name in {*ID_NAMES, *BODY_NAMES, TITLE_NAME}]
        _refuse_columns(path, names)
        for batch in file.iter_batches(_PARQUET_ROWS, columns=wanted):
            yield from _from_columns(wanted, zip(*(batch[name].to_pylist() for name in wanted), strict=True), path)


def _refuse_columns(path: str, names: Sequence[str]) -> None:
    """Refuse a table that has no ids or no texts."""
    for role, accepted in (("an id", ID_NAMES), ("a text", (*BODY_NAMES, TITLE_NAME))):
        if not set(names) & set(accepted):
            has = ", ".join(map(visible, names)) or "none"
            raise FileError(
                path, f"there is no column with {role} (one of {', '.join(accepted)}); the columns are: {has}"
            )


def _from_columns(names: Sequence[str], rows: Iterable[tuple[Any, ...]], path: str) -> Iterator[Document]:
    _refuse_columns(path, names)
    for row in rows:
        yield document_of(dict(zip(names, row, strict=True)), path, 0)


def _from_dataset(source: str) -> Iterator[Document]:
    """Every document of a dataset, with what ir_datasets takes for its text. May download."""
    dataset = load_dataset(source, "docs")
    with loading(source, "docs"):
        for doc in dataset.docs_iter():
            yield Document(doc.doc_id, doc.default_text(), 0)
