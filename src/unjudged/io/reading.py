"""One door for all that a user may call qrels, run or pool: paths, ``-``, globs, folders, frames, dicts, datasets."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args

from unjudged.data.ids import Ids
from unjudged.data.pool import Pool
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run, TopicColumn
from unjudged.errors import FileError, InputError
from unjudged.io.datasets import PREFIX, dataset_rows
from unjudged.io.formats import read_rows
from unjudged.io.intents import with_intents
from unjudged.io.parquet import PARQUET, read_parquet
from unjudged.io.rows import pool_of, qrels_of, run_of
from unjudged.io.sources import STDIN, as_path, enough_memory, explain, run_name_from_path, unique_names
from unjudged.io.table_columns import coded, is_frame, is_ranx, is_table, pairs_from_table, ranx_name
from unjudged.io.tables import qrels_from_table, run_from_table
from unjudged.limits import Duplicates, NegativeGrades, QrelsFormat, RunFormat, ScoreType
from unjudged.threads import PARSING_THREADS, in_order, worker_count

__all__ = [
    "RunMemory",
    "RunSource",
    "expand_path",
    "expand_runs",
    "is_run_path",
    "name_of_table",
    "read_pool",
    "read_qrels",
    "read_run",
    "read_runs",
    "refuse_unknown",
    "table_or_file",
]


@dataclass(frozen=True)
class RunSource:
    """A run that has not been read yet, and how to read it, so that a study can read one run at a time."""

    source: Any
    name: str | None = None
    score_type: ScoreType = "float64"
    duplicates: Duplicates = "error"
    only_topics: frozenset[str] | None = None
    """The topics that are read; None for all."""
    format: RunFormat = "auto"

    @property
    def path(self) -> str | None:
        """The file behind it, if there is one."""
        return self.source if isinstance(self.source, str) and not self.source.startswith(PREFIX) else None

    @property
    def only_once(self) -> bool:
        """Whether reading it uses it up: standard input, a pipe, a generator."""
        if self.path is None:
            return isinstance(self.source, Iterator)
        return self.path == STDIN or (os.path.exists(self.path) and not os.path.isfile(self.path))  # noqa: PTH110,PTH113

    @property
    def is_kept(self) -> bool:
        """Whether it stays in memory once it is read as a whole, if there is room for it."""
        return False

    def read(self, *, threads: int = 1) -> Run:
        """Read it."""
        run = self._read(threads)
        if self.only_topics is None:
            return run
        self.refuse_others(run.topics, run.source or run.name)
        return run.only(self.only_topics)

    def _read(self, threads: int) -> Run:
        _check_choice("scores", self.score_type, get_args(ScoreType))
        _check_choice("duplicates", self.duplicates, get_args(Duplicates))
        _check_choice("format", self.format, get_args(RunFormat))
        if isinstance(self.source, Run):
            return self.source if self.name is None else self.source.renamed(self.name)
        with table_or_file(self.source, "a run", "scoreddocs") as (table, path, _):
            if table is None:
                return run_of(
                    read_rows(path, "score", word=self.format, threads=threads),
                    name=self.name,
                    score_type=self.score_type,
                    duplicates=self.duplicates,
                    threads=threads,
                )
            name = self.name or name_of_table(self.source)
            return run_from_table(
                table, name=name, score_type=self.score_type, duplicates=self.duplicates, label=path or name
            )

    def refuse_others(self, topics: Sequence[str], where: str) -> None:
        """Refuse a run that has none of the topics that are to be read."""
        if self.only_topics is not None and self.only_topics.isdisjoint(topics):
            raise InputError(
                f"{where}: this run has none of the topics that were chosen"
                f" (it has {topics[0]!r}, {min(self.only_topics)!r} was chosen)"
            )

    def rereadable(self) -> RunSource:
        """Itself; or with the run in memory, where reading uses the source up."""
        return RunSource(self.read()) if self.only_once else self

    def kept_in(self, memory: RunMemory) -> RunSource:
        """The same, which is read once, if there is room for it in a memory that runs share."""
        return self if isinstance(self.source, Run) else _KeptRun(**vars(self), memory=memory)


class RunMemory:
    """Room for runs that may be asked for again; those that do not fit are read again."""

    def __init__(self, room: int = 1 << 28) -> None:
        self._left = room
        self._lock = Lock()

    def fits(self, run: Run) -> bool:
        """Whether there is room for a run; then it is taken."""
        with self._lock:
            fits = run.nbytes <= self._left
            self._left -= run.nbytes if fits else 0
            return fits


@dataclass(frozen=True)
class _KeptRun(RunSource):
    """A run that stays in memory once it is read, if there is room for it or it cannot be read again."""

    memory: RunMemory = field(default_factory=RunMemory)
    kept: list[Run] = field(default_factory=list)

    @property
    def is_kept(self) -> bool:
        """It is, if there is room for it."""
        return True

    def read(self, *, threads: int = 1) -> Run:
        """Read it, unless it is there."""
        if self.kept:
            return self.kept[0]
        run = super().read(threads=threads)
        if self.memory.fits(run) or self.only_once:
            self.kept.append(run)
        return run

    def rereadable(self) -> RunSource:
        """Itself, since what cannot be read again is kept."""
        return self

    def kept_in(self, memory: RunMemory) -> RunSource:
        """Itself, which is kept."""
        return self


def read_qrels(
    source: Any,
    *,
    format: QrelsFormat = "auto",  # noqa: A002
    negative: NegativeGrades = "auto",
    intents: Any = None,
) -> Qrels:
    """Read judgments.

    *source*: a path (plain or compressed), ``"-"`` for standard input, a Parquet file, ``"ir_datasets:ID"``, a dict
    of dicts, an iterable of (named) tuples, a pandas, polars or pyarrow frame, or an object of ranx. *negative* says
    what a grade below 0 means: ``pooled`` but not judged (as trec_eval reads it), ``judged`` with grade 0, or ``drop``
    the row; ``auto`` takes -1 as pooled where half of the topics or more have it beside 0, or there are strata, and
    else grades below 0 as judged. *intents* says how likely users mean each subtopic of diversity judgments: a file of
    lines ``topic subtopic probability`` or ``{topic: {subtopic: probability}}``; all are equally likely unless given.

    >>> read_qrels({"301": {"d1": 1, "d2": 0}})
    Qrels(1 topic, 2 judged, grades {0: 1, 1: 1})
    """
    _check_choice("format", format, get_args(QrelsFormat))
    _check_choice("negative", negative, get_args(NegativeGrades))
    qrels = source if isinstance(source, Qrels) else _read_qrels(source, format, negative)
    return qrels if intents is None else with_intents(qrels, intents)


def _read_qrels(source: Any, kind: QrelsFormat, negative: NegativeGrades) -> Qrels:
    with table_or_file(source, "judgments", "qrels") as (table, path, _):
        if table is None:
            rows = read_rows(path, "grade", word=kind, threads=worker_count(None, PARSING_THREADS))
            return qrels_of(rows, kind=kind, negative=negative)
        return qrels_from_table(table, kind=kind, negative=negative, label=path or "qrels")


def read_run(
    source: Any,
    *,
    name: str | None = None,
    scores: ScoreType = "float64",
    duplicates: Duplicates = "error",
    format: RunFormat = "auto",  # noqa: A002
) -> Run:
    """Read one run, from the same kinds of source as :func:`read_qrels`.

    Documents are ranked by score, ties by id, descending; the rank column is ignored. ``scores="float32"`` ranks as
    trec_eval 9 and pytrec_eval do. A document that is there twice for a topic is an error, unless *duplicates* says
    which of its lines counts: that with the ``best`` rank, the ``first`` or the ``last``.

    >>> read_run({"301": {"d1": 0.5, "d2": 0.7}}, name="mine").ranking("301")
    [('d2', 0.7), ('d1', 0.5)]
    """
    if isinstance(source, RunSource):
        source, name = source.source, name or source.name
    return RunSource(source, name, scores, duplicates, format=format).read(threads=worker_count(None, PARSING_THREADS))


def read_runs(
    sources: Any,
    *,
    scores: ScoreType = "float64",
    duplicates: Duplicates = "error",
    format: RunFormat = "auto",  # noqa: A002
    jobs: int | None = None,
) -> list[Run]:
    """Read several runs: a list of sources, a folder, a glob, or a dict of sources by name. Names are made unique."""
    expanded = [replace(one, score_type=scores, duplicates=duplicates, format=format) for one in expand_runs(sources)]
    runs = list(in_order(lambda one: one.read(), expanded, worker_count(jobs, len(expanded))))
    names = unique_names([(run.name, run.source) for run in runs])
    return [run if run.name == name else run.renamed(name) for run, name in zip(runs, names, strict=True)]


def read_pool(source: Any) -> Pool:
    """Read a pool: the documents that were chosen to be judged, whether or not they were.

    *source*: a path of lines ``topic doc`` or of judgments (whose grades are ignored), or any other source of
    judgments; also ``{topic: docs}``, (topic, doc) tuples, or a frame without grades.

    >>> read_pool({"301": ["d1", "d2"]})
    Pool(1 topic, 2 documents)
    """
    if isinstance(source, Pool):
        return source
    if isinstance(source, Qrels):
        return Pool(TopicColumn(source.topics, source.topic_of_row), source.docs, source.source)
    with table_or_file(source, "a pool", "qrels", values=False) as (table, path, _):
        if table is None:
            return pool_of(read_rows(path, "pair", threads=worker_count(None, PARSING_THREADS)))
        label = path or "pool"
        topics, docs = pairs_from_table(table, label)
        return Pool(coded(topics), Ids.of(docs), label)


class TableOrFile(NamedTuple):
    """What somebody gave to be read."""

    table: Any
    """What is in memory, the rows of a dataset, a Parquet file; None for a file of lines."""
    path: str
    """Empty for what is in memory."""
    is_file: bool


@contextmanager
def table_or_file(
    source: Any, what: str, part: Literal["qrels", "scoreddocs"], *, values: bool = True
) -> Iterator[TableOrFile]:
    """What is behind a source of *what*, and of a dataset this *part*, while it is read; a pool needs no *values*."""
    path = as_path(source)
    if path is None:
        refuse_unknown(source, what)
        yield TableOrFile(source, "", is_file=False)
        return
    with enough_memory(path):
        if path.startswith(PREFIX):
            yield TableOrFile(dataset_rows(path, part), path, is_file=False)
        else:
            table = read_parquet(path, values=values) if path.endswith(PARQUET) else None
            yield TableOrFile(table, path, is_file=True)


def name_of_table(source: Any) -> str:
    """What to call a run that is a table, which has no name inside: ranx's, that of the dataset or the file."""
    path = as_path(source)
    if path is None:
        return ranx_name(source) or "run"
    return path.removeprefix(PREFIX) if path.startswith(PREFIX) else run_name_from_path(path)


def expand_runs(runs: Any, what: str = "runs") -> list[RunSource]:
    """What a user calls runs, or features, as a list: folders and globs opened up, names kept.

    A dict of dicts of numbers is one run; a dict of anything else is runs by name.
    """
    if isinstance(runs, Run | RunSource) or is_frame(runs) or is_ranx(runs) or as_path(runs) is not None:
        return _expand_one(runs)
    if isinstance(runs, Mapping):
        if _is_one_run(runs):
            return [RunSource(runs)]
        sources = [RunSource(as_path(source) or source, str(name)) for name, source in runs.items()]
    elif isinstance(runs, Iterable) and not isinstance(runs, bytes | bytearray):
        items = list(runs)
        if items and _is_row(items[0]):
            return [RunSource(items)]
        sources = [one for item in items for one in _expand_one(item)]
    else:
        raise InputError(f"cannot read {what} from {type(runs).__name__}")
    if not sources:
        raise InputError(f"no {what} were given")
    return sources


def is_run_path(text: str) -> bool:
    """Whether text stands for a source of runs: something that exists, a pattern, a dataset, or standard input."""
    # os.path says False where pathlib raises (no permission, a name that is too long).
    return text == STDIN or text.startswith(PREFIX) or glob.has_magic(text) or os.path.exists(text)  # noqa: PTH110


def _expand_one(item: Any) -> list[RunSource]:
    path = as_path(item)
    if path is None or path == STDIN or path.startswith(PREFIX):
        return [item if isinstance(item, RunSource) else RunSource(item if path is None else path)]
    return [RunSource(file) for file in expand_path(path)]


def expand_path(path: str) -> list[str]:
    """The files that a path stands for: those of a folder, those that match a glob, or itself."""
    # os.path says False where pathlib raises (no permission, a name that is too long): the reader explains it better.
    if os.path.isdir(path):  # noqa: PTH112
        return _files_in(path)
    if glob.has_magic(path) and not os.path.exists(path):  # noqa: PTH110
        matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  # keeps absolute and relative patterns alike
        files = [file for file in matches if not os.path.isdir(file)]  # noqa: PTH112
        if not files:
            raise FileError(path, "no file matches")
        return files
    return [path]


def _files_in(folder: str) -> list[str]:
    """The files of a folder, in the order of their names; not its hidden files and not its folders."""
    try:
        files = sorted(str(file) for file in Path(folder).iterdir() if not file.name.startswith(".") and file.is_file())
    except OSError as problem:
        raise explain(folder, problem) from None
    if not files:
        raise FileError(folder, "the directory has no files")
    return files


def refuse_unknown(source: object, kind: str) -> None:
    """Refuse what cannot be read at all."""
    if not is_table(source):
        raise InputError(f"cannot read {kind} from {type(source).__name__}; give a path, a dict of dicts or a frame")


def _is_row(item: object) -> bool:
    """Whether an item is a row of a run, and not a run."""
    if hasattr(item, "_fields"):
        return True
    scalars = isinstance(item, tuple | list) and all(isinstance(one, str | int | float) for one in item)
    return scalars and len(item) == 3  # type: ignore[arg-type]


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Whether a dict is a run and not runs by name: {topic: {doc: score}}, not {name: {topic: {doc: score}}}."""
    inner = next((value for value in runs.values() if not isinstance(value, Mapping) or value), None)
    return isinstance(inner, Mapping) and not isinstance(next(iter(inner.values())), Mapping)


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{name} must be {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}, not {value!r}")
