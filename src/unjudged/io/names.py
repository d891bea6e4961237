"""Names of runs: from the file's sixth column or its file name, and one of its own for every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import PurePath

from unjudged.io.sources import STDIN

__all__ = ["run_name_from_path", "unique_names"]

_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".parquet", ".txt", ".run", ".res", ".trec")


def run_name_from_path(path: str) -> str:
    """The file's name without folders, endings such as ``.run.gz``, and TREC's ``input.``."""
    name = PurePath(path).name
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    return name.removeprefix("input.") or name


def unique_names(runs: Sequence[tuple[str, str]]) -> list[str]:
    """A name of its own for every run, from (tag, source): the tag, the file name where tags collide, or a number.

    >>> unique_names([("bm25", "a/one.run.gz"), ("bm25", "a/two.run"), ("dense", "b/one.run")])
    ['one', 'two', 'dense']
    """
    tags = Counter(tag for tag, _ in runs)
    taken = {tag for tag, times in tags.items() if times == 1}
    numbers = {tag: count(1) for tag in tags}
    names: list[str] = []
    for tag, source in runs:
        name = tag
        if tags[tag] > 1:
            name = run_name_from_path(source) if source != STDIN else ""
            while not name or name in taken:
                name = f"{tag}.{next(numbers[tag])}"
            taken.add(name)
        names.append(name)
    return names
