"""What must be true of every case.

A case ends with a result or with one ``UnjudgedError``, whose message is one printable line. It ends in the same way
with both cores. Nothing is infinite, and nothing is undefined but what the documentation calls so.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from unicodedata import bidirectional, category

import numpy as np
from kinds import Kind

import unjudged
from unjudged import kernels
from unjudged.data.ids import Ids
from unjudged.errors import FileError, UnjudgedError, UnjudgedWarning
from unjudged.kernels import reference
from unjudged.results.scores import Scores

__all__ = ["CORES", "Finding", "examine"]

_HOME = str(Path(unjudged.__file__).parent)

UNDEFINED = frozenset({"Accuracy", "Judged", "infNDCG_se", "xinfAP_se"})
"""Measures whose documentation says for which rankings they are undefined (NaN)."""

_NOT_PRINTED = {"Cc", "Cs", "Zl", "Zp"}
"""Control characters, halves of characters, and ends of lines and paragraphs."""
_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""What changes the direction of text, also of text that follows."""

_UNSEEN = {"provenance", "source", "columns"}
"""Fields that are not part of an answer: when and from where."""


def _cores() -> list[ModuleType]:
    """Both cores; the one in NumPy twice where the other is not compiled, so that all is done twice in any case."""
    try:
        return [importlib.import_module("unjudged.kernels.fast"), reference]
    except ImportError:
        return [reference, reference]


CORES = _cores()


class Finding(Exception):  # noqa: N818  # it is what is looked for
    """Something that must not happen. ``mark`` is the same for cases with the same cause."""

    def __init__(self, mark: str, words: str) -> None:
        super().__init__(f"{mark}: {words}")
        self.mark = mark


def examine(kind: Kind, data: bytes, folder: Path) -> None:
    """Raise a finding if there is one."""
    first, *others = [_outcome(kind, data, folder, core) for core in CORES]
    for other in others:
        if other != first:
            raise Finding(f"{kind.name}: the cores differ", f"{_difference(first, other)}")


def _difference(one: str, other: str) -> str:
    """The part where two texts begin to differ."""
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, at - 60)
    return f"...{one[start : at + 120]!r} and ...{other[start : at + 120]!r}"


def _outcome(kind: Kind, data: bytes, folder: Path, core: ModuleType) -> str:
    """The result or the message, as text to be compared."""
    try:
        with _using(core), warnings.catch_warnings():
            warnings.simplefilter("error")  # what NumPy warns of would reach the user's terminal
            warnings.simplefilter("ignore", UnjudgedWarning)
            result = kind.use(data, folder)
            shown = _plain(result)  # looks at all of it
    except UnjudgedError as error:
        _check_message(kind, error)
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        mark = f"{kind.name}: {type(error).__name__} at {_place(error)}"
        raise Finding(mark, repr(str(error))[:300]) from error
    _check_numbers(kind, result)
    try:
        kind.check(data, result)
    except AssertionError as error:
        raise Finding(f"{kind.name}: {str(error).split(' is ')[0][:80]}", str(error)[:300]) from error
    return shown


def _check_message(kind: Kind, error: UnjudgedError) -> None:
    """A message is one line of printable text. Paths are as the user gave them; the command line escapes them."""
    message = error.problem if isinstance(error, FileError) else str(error)
    if not message.strip():
        raise Finding(f"{kind.name}: an empty message, from {_place(error)}", type(error).__name__) from error
    if any(category(char) in _NOT_PRINTED or bidirectional(char) in _DIRECTIONS for char in message):
        raise Finding(f"{kind.name}: not printable, from {_place(error)}", repr(message)[:300]) from error


@contextmanager
def _using(core: ModuleType) -> Iterator[None]:
    """All of the package with this core."""
    before = {name: getattr(kernels, name) for name in reference.__all__}
    for name in before:
        setattr(kernels, name, getattr(core, name))
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(kernels, name, function)


def _place(error: BaseException) -> str:
    """The innermost line of the package that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(_HOME)] or frames
    return f"{os.path.relpath(ours[-1].filename, os.path.dirname(_HOME))}:{ours[-1].lineno}"  # noqa: PTH120


def _check_numbers(kind: Kind, result: object) -> None:
    """No score is infinite, and none is undefined by accident."""
    for scores in result if isinstance(result, list | tuple) else [result]:
        if isinstance(scores, list | tuple):
            _check_numbers(kind, scores)
        elif isinstance(scores, Scores):
            _check_scores(kind, scores)


def _check_scores(kind: Kind, scores: Scores) -> None:
    for name in ("values", "low", "high", "means", "mean_low", "mean_high", "judged"):
        array = getattr(scores, name)
        if np.isinf(array).any():
            raise Finding(f"{kind.name}: an infinite score", f"{name} of {scores.measures}")
    for i, measure in enumerate(scores.measures):
        base = measure.partition("@")[0].partition("(")[0]
        if base not in UNDEFINED and np.isnan(scores.values[:, i]).any():
            raise Finding(f"{kind.name}: {base} is undefined", f"{measure} with {scores.holes}")


def _plain(value: object) -> str:
    """Any result as text. Equal results have equal texts, also with NaN; fields that are functions do not count."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.tolist()}"
    if isinstance(value, Ids):
        return repr(list(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value) if field.name not in _UNSEEN]
        return f"{type(value).__name__}({', '.join(f'{name}={_plain(getattr(value, name))}' for name in fields)})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_plain(key)}: {_plain(one)}" for key, one in value.items()) + "}"
    if isinstance(value, frozenset | set):
        return "{" + ", ".join(sorted(map(_plain, value))) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_plain, value)) + "]"
    return repr(value)


def _no_standard_input() -> None:
    """``-`` is a name that specifications may hold; nobody is there to type."""
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123  # for as long as the process lives


_no_standard_input()
