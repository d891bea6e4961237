"""A run some whole topics at a time, for whoever looks at each topic once and can forget it again.

Only runs as they usually are can be read so: files of lines, in which a topic's lines stand together. Whatever else is
found on the way, also what is wrong, ends it with :class:`NotInParts`; then the run is read whole, which says what.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Floats, Ints
from unjudged.data.ids import Ids
from unjudged.data.run import in_precision
from unjudged.io import sources
from unjudged.io.formats import run_columns
from unjudged.io.formats.base import RunColumns
from unjudged.io.parquet import PARQUET
from unjudged.io.reading import RunSource
from unjudged.io.separated import EMPTY, LINE_BREAK
from unjudged.limits import ScoreType
from unjudged.threads import keep_freed_memory

__all__ = ["NotInParts", "RunPart", "RunParts", "run_in_parts"]

PART_BYTES = 1 << 22
"""Of a part. Small beside what the process takes anyway, large enough that NumPy's overhead vanishes."""
LONGEST_PART = 1 << 27
"""A topic with more bytes than that is not an ordinary one."""


class NotInParts(Exception):  # noqa: N818  # no error: it is caught by whoever asked for parts
    """The run must be read whole."""


@dataclass(frozen=True, eq=False)
class RunPart:
    """Some topics of a run, with their rows as they stand in the file."""

    topics: list[str]
    offsets: Ints
    docs: Ids
    scores: Floats


@dataclass(frozen=True, eq=False)
class RunParts:
    """A run that is read as far as its name."""

    name: str
    source: str
    blocks: Iterator[bytes]
    """Lines of whole topics."""
    columns: RunColumns
    score_type: ScoreType

    def cut(self, lines: bytes) -> RunPart:
        """The columns of a block; does nothing else, so that threads can do it."""
        layout = self.columns.layout
        (topic,), (doc,), (score,), separated = layout.coded, layout.text, layout.numbers, layout.separated
        parts, rows, _, _, width = kernels.cut_rows(np.frombuffer(lines, dtype=np.uint8), layout.kinds)
        heads, starts, ends = parts[topic]
        scores: Floats = parts[score][0]
        names = [lines[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        docs = Ids(*parts[doc])
        if separated is not None and separated.has_changes(lines):
            if any(mark in one for mark in (EMPTY, LINE_BREAK) for one in (docs.blob.tobytes(), *names)):
                raise NotInParts
            names = [separated.restored(name) for name in names]
            docs = separated.restored_ids(docs)
        topics = [name.decode() for name in names]
        if width or len(scores) < rows or not np.isfinite(scores).all() or len(set(topics)) < len(topics):
            raise NotInParts
        if self.columns.are_ranks:
            scores = -scores
        return RunPart(topics, np.append(heads, rows), docs, in_precision(scores, self.score_type))


def run_in_parts(source: RunSource) -> RunParts | None:
    """A run that can be read in parts, if that is known beforehand."""
    path = source.path
    if path is None or source.only_once or source.only_topics is not None or path.endswith(PARQUET):
        return None
    is_small = _is_small(path)
    if source.is_kept and is_small:
        return None  # it is going to be asked for again, and parts would not be there
    keep_freed_memory()
    columns = run_columns(path, source.format, PART_BYTES if is_small else None)
    if columns is None:
        return None
    blocks = _whole_topics(columns.blocks, columns.layout.coded[0])
    return RunParts(source.name or columns.name, path, blocks, columns, source.score_type)


def _is_small(path: str) -> bool:
    """Whether reading it in parts would save no memory to speak of."""
    return os.path.isfile(path) and os.path.getsize(path) <= PART_BYTES  # noqa: PTH113,PTH202  # a path is a string


def _whole_topics(blocks: Iterator[bytes], column: int) -> Iterator[bytes]:
    """The same lines in larger blocks, which end where a topic does, that stands in this *column*."""
    waiting: list[bytes] = []
    size = 0
    for block in blocks:
        _refuse_long_lines(block)
        waiting.append(block)
        size += len(block)
        if size < PART_BYTES:
            continue
        end = _last_topic(block, column)
        if end:
            yield b"".join([*waiting[:-1], memoryview(block)[:end]])
            waiting, size = [block[end:]], len(block) - end
        elif size > LONGEST_PART:
            raise NotInParts
    if size:
        yield b"".join(waiting) if len(waiting) > 1 else waiting[0]


def _refuse_long_lines(block: bytes) -> None:
    """Leave long lines to those who read smaller blocks, in which they find all that are too long."""
    half = sources.LINE_LIMIT // 2
    for start in range(0, len(block) - half + 1, half):
        if block.find(b"\n", start, start + half) < 0:
            raise NotInParts


def _last_topic(block: bytes, column: int) -> int:
    """Where the lines of the last topic begin, if its lines stand together; 0 if they may begin before the block."""

    def topic_at(line: int) -> list[bytes]:
        return block[line : line + 200].split(b"\n", 1)[0].split(None, column + 1)[column : column + 1]

    last = block.rfind(b"\n", 0, len(block) - 1) + 1
    topic = topic_at(last)
    low, high = 0, last  # the lines from *high* on are this topic's; the first one is not, or it is all of the block
    if topic_at(0) == topic:
        return 0
    while True:
        middle = block.rfind(b"\n", low, (low + high) // 2) + 1
        if middle <= low:
            middle = block.find(b"\n", low, high) + 1
        if middle == 0 or middle >= high:
            return high
        low, high = (low, middle) if topic_at(middle) == topic else (middle, high)
