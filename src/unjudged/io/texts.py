"""Reading text: documents stream by, words are counted, and only the wanted documents keep their counts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from unjudged.data.ids import Ids, PairIndex
from unjudged.data.term_counting import TermCounter
from unjudged.data.texts import Texts
from unjudged.data.words import ENGLISH_STOP_WORDS, Tokeniser, split_words
from unjudged.errors import FileError, InputError, Notice
from unjudged.io.columns import Layout, open_columns, read_columns
from unjudged.io.datasets import PREFIX
from unjudged.io.documents import documents
from unjudged.io.reading import expand_path
from unjudged.io.sources import STDIN, as_path, digest, enough_memory, explain, line_blocks
from unjudged.io.table_columns import is_frame
from unjudged.io.text_cache import load_texts, save_texts
from unjudged.limits import TextFormat

__all__ = ["TextSource", "read_stop_words", "read_texts", "text_source"]

ENGLISH = "english"


@dataclass(frozen=True)
class TextSource:
    """Texts that have not been read yet, and how to read them: a study knows later which documents it wants."""

    sources: tuple[Any, ...]
    kind: TextFormat = "auto"
    tokeniser: Tokeniser = field(default_factory=Tokeniser)
    term_counts: str | None = None
    """A file with the collection's term counts, where they are not to be taken from the texts."""
    cache: str | None = None
    """A folder to keep term counts in."""
    stop_words_file: str | None = None
    """Where the tokeniser's stop words were read from, if that is a file."""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        first = self.sources[0]
        label = first if isinstance(first, str) else "texts"
        return label if len(self.sources) == 1 else f"{label} and {len(self.sources) - 1} more"

    def paths(self) -> list[str]:
        """The files behind it."""
        files = [one for one in self.sources if isinstance(one, str) and one != STDIN and not one.startswith(PREFIX)]
        return [*files, *(one for one in (self.term_counts, self.stop_words_file) if one is not None)]

    def files(self) -> tuple[str, ...]:
        """What it reads: the files behind it, and the folder with counts that were kept."""
        return (*self.paths(), *(() if self.cache is None else (self.cache,)))

    def read(self, wanted: Collection[str] | None = None) -> Texts:
        """Read everything, and keep the term counts of the *wanted* documents (of all, for None)."""
        texts = self._read_or_load(None if wanted is None else frozenset(wanted))
        if not len(texts.words):
            only = " other than stop words" if self.tokeniser.stop_words else ""
            raise InputError(f"{self.name}: the texts hold no words{only}")
        if self.term_counts is not None:
            texts = _with_term_counts(texts, self.term_counts)
            if not len(texts.words):
                raise InputError(f"{self.name}: no word of the texts is in {self.term_counts}")
        return replace(texts, source=self.name)

    def excerpts(self, wanted: Collection[str], length: int) -> dict[str, str]:
        """The beginning of each *wanted* document's text, in one line of at most *length* characters."""
        first_lines = {}
        for source in self.sources:
            for doc, text, *_ in documents(source, self.kind):
                if doc in wanted:
                    line = " ".join(text[: 2 * length].split())
                    first_lines[doc] = line if len(line) <= length else line[: length - 1].rstrip() + "…"
        return first_lines

    def _read_or_load(self, wanted: frozenset[str] | None) -> Texts:
        path = self._cache_file()
        kept = None if path is None else load_texts(path)
        asked = wanted
        if kept is not None:
            before = None if kept.wanted is None else frozenset(kept.wanted)
            if before is None or (wanted is not None and wanted <= before):
                return self._only(kept.texts, wanted, kept.texts.docs[0])
            asked = None if wanted is None else wanted | before
        counter = TermCounter(self.tokeniser, asked, whole=self.term_counts is None)
        for source in self.sources:
            label = source if isinstance(source, str) else "texts"
            with enough_memory(label):
                for doc, text, line, _ in documents(source, self.kind):
                    counter.add(doc, text, label, line)
        texts = counter.texts()
        if path is not None and len(texts):
            save_texts(path, texts, None if asked is None else Ids.of(sorted(asked)))
        return self._only(texts, wanted, counter.first_doc)

    def _only(self, texts: Texts, wanted: frozenset[str] | None, there: str) -> Texts:
        """The wanted documents alone, so that what others asked for before changes nothing."""
        if wanted is not None:
            chosen = np.array([doc in wanted for doc in texts.docs], dtype=bool)
            texts = texts if chosen.all() else texts.only(chosen)
        if not len(texts) and not there:
            raise InputError(f"{self.name}: there are no documents")
        if not len(texts):
            example = f"; one that is wanted is {min(wanted)!r}" if wanted else ""
            message = f"none of the wanted documents is in the texts (one that is there is {there!r}{example})"
            raise InputError(f"{self.name}: {message}")
        return texts

    def _cache_file(self) -> Path | None:
        """Where the counts are kept: a name for the content of all files and for how they are read."""
        if self.cache is None:
            return None
        digests = [digest(one) if isinstance(one, str) else None for one in self.sources]
        if None in digests:
            return None  # a pipe or a dict has no content to go by
        # Plain text takes its document's id from the file's name, so the name is part of the content.
        names = [Path(one).name for one in self.sources]
        how = (self.kind, self.tokeniser.stem, sorted(self.tokeniser.stop_words), self.term_counts is None)
        key = hashlib.sha256(repr((digests, names, how)).encode()).hexdigest()
        return Path(self.cache) / f"{key[:32]}.texts"


def text_source(
    source: Any,
    *,
    format: TextFormat = "auto",  # noqa: A002
    stem: str | None = None,
    stop_words: str | Iterable[str] | None = None,
    term_counts: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
) -> TextSource:
    """Texts to be read later, when it is known which documents matter: for ``texts=`` of :func:`score`.

    *source*: a path (plain or compressed; JSON lines, TSV, TREC's SGML, plain text, Parquet), a folder, a glob,
    ``"ir_datasets:ID"``, a dict of texts, (id, text) pairs, a frame, or a list of such. *stem*: language of a Snowball
    stemmer. *stop_words*: ``"english"``, a file, or words. *term_counts*: a file of ``term count`` lines for the whole
    collection, instead of counting what is read. *cache*: a folder to keep term counts in.
    """
    if isinstance(source, TextSource):
        return source
    one = isinstance(source, Mapping) or is_frame(source) or as_path(source) is not None
    items = [source] if one else list(source)
    if items and not one and not any(as_path(item) is not None or isinstance(item, Mapping) for item in items):
        items = [items]  # pairs of ids and texts
    sources: list[Any] = []
    for item in items:
        path = as_path(item)
        if path is None or path == STDIN or path.startswith(PREFIX):
            sources.append(item if path is None else path)
            continue
        files = expand_path(path)
        for file in files:
            if not Path(file).exists():  # said now: texts are read when runs have been, or not at all
                raise explain(file, FileNotFoundError())
        sources += files
    if not sources:
        raise InputError("no texts were given")
    words = read_stop_words(stop_words) if isinstance(stop_words, str) else frozenset(stop_words or ())
    words_file = stop_words if isinstance(stop_words, str) and stop_words != ENGLISH else None
    counts, folder = (None if one is None else os.fspath(one) for one in (term_counts, cache))
    return TextSource(tuple(sources), format, Tokeniser(stem, words), counts, folder, words_file)


def read_texts(source: Any, docs: Iterable[str] | None = None, **how: Any) -> Texts:
    """Read texts and count their words. *docs*: the documents that keep their counts; all unless given.

    The rest is as for :func:`text_source`.

    >>> read_texts({"d1": "One two, two", "d2": "three"}, ["d1"])
    Texts(1 document, 2 terms, 4 tokens in the collection)
    """
    return text_source(source, **how).read(None if docs is None else frozenset(docs))


def read_stop_words(name: str) -> frozenset[str]:
    """The built-in list ``english``, or a file of words."""
    if name == ENGLISH:
        return ENGLISH_STOP_WORDS
    text = b"".join(line_blocks(name)).decode()
    return frozenset(split_words([text]).ids)


def _with_term_counts(texts: Texts, path: str) -> Texts:
    """The texts with a collection that is known by its term counts. Words that it does not have are left out."""
    layout = Layout(2, text=(0,), integers=(1,), names={1: "count"})
    columns = read_columns(open_columns(path), layout)
    counts = columns.integers[1]
    if (counts < 0).any():
        row = int(np.argmax(counts < 0))
        raise FileError(path, f"the count is below 0: {counts[row]}", line=columns.line(row))
    index = PairIndex(np.zeros(len(texts.words), dtype=np.int64), texts.words)
    term_rows = index.find(np.zeros(len(counts), dtype=np.int64), columns.text[0])
    collection = np.zeros(len(texts.words), dtype=np.int64)
    np.add.at(collection, term_rows[term_rows >= 0], counts[term_rows >= 0])
    notices: tuple[Notice, ...] = ()
    has_count = collection[texts.terms] > 0
    lost, words = int(texts.counts[~has_count].sum()), int(texts.counts.sum())
    if lost:
        text = (
            f"{lost:,} of {words:,} words of the texts are not in {path} and are left out"
            " (it must have words as they are counted here: lower case, stemmed or not)"
        )
        notices = (Notice("unknown-terms", lost, text),)
    return replace(
        texts.with_terms(collection > 0),
        collection=collection[collection > 0],
        tokens=int(counts.sum()),
        documents=0,
        notices=notices,
    )
