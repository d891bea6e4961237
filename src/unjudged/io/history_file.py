"""A history: a file with a JSON object in each line, one for each release, that only ever grows.

Lines are added to the end under a lock of the operating system, and whatever is not as it should be is refused, never
mended: the file is the team's, who have it under version control.
"""

from __future__ import annotations

import json
import math
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from typing import Any, cast, get_args

from unjudged.errors import FileError
from unjudged.io.sources import explain, line_blocks, show
from unjudged.io.writing import unwritable
from unjudged.limits import RangeOfMeans
from unjudged.results.history import Corners, EarlierRelease, JudgmentChanges, Release, ScoreOf
from unjudged.results.provenance import Input, Role
from unjudged.wording import json_text, shortened

__all__ = ["FORMAT", "append_release", "read_history", "refuse_known"]

FORMAT = 1
"""Of the lines. A line with a higher number was written by a later version."""
_LINE_LIMIT = 1 << 24
"""Bytes of a line; one with 50 measures under 4 hole models has 0.1 MB."""
_CONFLICT = (b"<<<<<<< ", b"=======", b">>>>>>> ")


def read_history(path: str, *, must_exist: bool = True) -> list[Release]:
    """All releases of a file, in its order."""
    if not must_exist and not os.path.lexists(path):
        return []
    _refuse_special(path)
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            content = stream.read()
    except OSError as problem:
        raise explain(path, problem) from None
    return _releases(path, content)


def append_release(path: str, release: Release) -> None:
    """Add a release to the end of a file, which is made if it is not there; never beside one of the same name."""
    line = json_text(_as_line(release), indent=None).encode() + b"\n"
    with _locked_file(path) as file:
        before = os.fstat(file).st_size
        content = _everything(file)
        refuse_known(path, release.release, _releases(path, content))
        written = os.write(file, (b"" if not content or content.endswith(b"\n") else b"\n") + line)
        if written < len(line):  # a disk that is full in the middle of a line
            os.ftruncate(file, before)
            raise FileError(path, "cannot be written: the disk is full; nothing was added")
        os.fsync(file)


def refuse_known(path: str, name: str, releases: Sequence[Release]) -> None:
    """Refuse a release that is there already."""
    at = next((i for i, one in enumerate(releases, start=1) if one.release == name), None)
    if at is not None:
        raise FileError(
            path, f"release {name!r} is there already; --release NAME gives the new one another name", line=at
        )


# ---- the file


@contextmanager
def _locked_file(path: str) -> Iterator[int]:
    """A file that is open for adding, with nobody else adding meanwhile."""
    _refuse_special(path)
    try:
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as problem:
        raise unwritable(path, problem) from None
    try:
        _lock(file)
        yield file
    except OSError as problem:
        raise unwritable(path, problem) from None
    finally:
        os.close(file)  # which gives the lock back


def _refuse_special(path: str) -> None:
    """A device or a pipe holds no history, and reading one may wait for ever."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError:
        return  # whoever opens it says what is wrong
    if not stat.S_ISREG(mode):
        what = "a directory" if stat.S_ISDIR(mode) else "no ordinary file"
        raise FileError(path, f"this is {what}; a history is a file")


def _everything(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    blocks = []
    while block := os.read(file, 1 << 20):
        blocks.append(block)
    return b"".join(blocks)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, 0x7FFFFFFF, os.SEEK_SET)  # a byte that no history has, so that the file can still be read
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


# ---- its lines


def _releases(path: str, content: bytes) -> list[Release]:
    text = b"".join(line_blocks(path, blocks=[content] if content else [], line_limit=_LINE_LIMIT))
    lines = text.split(b"\n")
    out: list[Release] = []
    first: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        is_last = number == len(lines)
        release = _read(path, number, _object(path, number, line, cut_off=is_last))
        if release.release in first:
            earlier = first[release.release]
            raise FileError(path, f"release {release.release!r} is on line {earlier}, too; rename one", line=number)
        first[release.release] = number
        out.append(release)
    return out


def _object(path: str, number: int, line: bytes, *, cut_off: bool) -> Mapping[str, Any]:
    """The object of a line, which is one of ours. *cut_off*: whether the file ends within it."""
    if line.startswith(_CONFLICT):
        advice = "keep the releases of both sides, and delete such lines"
        raise FileError(path, f"git left a conflict here; {advice}: {show(line)}", line=number)
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        if cut_off and line.lstrip().startswith(b"{"):
            why = "the last line is cut off; delete it, or take the file from version control"
            raise FileError(path, f"{why}: {show(line)}", line=number) from None
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("unjudged_history"), int):
        raise FileError(path, f"this is no line of a history that unjudged wrote: {show(line)}", line=number)
    if found["unjudged_history"] > FORMAT:
        raise FileError(
            path,
            f"this line has format {found['unjudged_history']}, and this version of unjudged reads up to {FORMAT};"
            " install a newer one",
            line=number,
        )
    return found


def _as_line(release: Release) -> dict[str, Any]:
    fields = {name: value for name, value in vars(release).items() if name not in ("scores", "previous", "inputs")}
    line: dict[str, Any] = {"unjudged_history": FORMAT, **fields, "command": list(release.command)}
    line["inputs"] = [asdict(one) for one in release.inputs]
    line["scores"] = [one._asdict() for one in release.scores]
    earlier = release.previous
    line["previous"] = None
    if earlier is not None:
        line["previous"] = {
            "release": earlier.release,
            "missing": earlier.missing,
            "judgments": None if earlier.judgments is None else earlier.judgments._asdict(),
            "corners": [one._asdict() for one in earlier.corners],
        }
    return line


def _read(path: str, number: int, line: Mapping[str, Any]) -> Release:
    """The release that a line has. What later versions may add to it does not matter."""
    fields = _Fields(path, number, line)
    previous = None
    if line.get("previous") is not None:
        given = fields.below("previous")
        counts = None if given.held.get("judgments") is None else given.below("judgments")
        previous = EarlierRelease(
            given.text("release"),
            tuple(
                Corners(
                    one.text("measure"), one.text("holes"), one.whole("topics"), *map(one.number, Corners._fields[3:])
                )
                for one in given.every("corners")
            ),
            None if counts is None else JudgmentChanges(*map(counts.whole, JudgmentChanges._fields)),
            given.text("missing"),
        )
    return Release(
        release=fields.text("release"),
        date=None if line.get("date") is None else fields.day("date"),
        run=fields.text("run"),
        topics=fields.whole("topics"),
        judgments=fields.whole("judgments"),
        topics_sha256=fields.text("topics_sha256"),
        inputs=tuple(
            Input(one.text("path"), one.optional_text("sha256"), cast("Role", one.word("role", get_args(Role))))
            for one in fields.every("inputs")
        ),
        seed=fields.whole("seed"),
        version=fields.text("version"),
        command=tuple(map(str, fields.items("command"))),
        scores=tuple(
            ScoreOf(
                measure=one.text("measure"),
                holes=one.text("holes"),
                value=one.number("value"),
                low=one.number("low"),
                high=one.number("high"),
                range=cast("RangeOfMeans | None", one.word("range", (*get_args(RangeOfMeans), None))),
                judged=one.number("judged"),
            )
            for one in fields.every("scores")
        ),
        previous=previous,
    )


class _Fields:
    """Reads what an object has under a name, or says what it should have there."""

    def __init__(self, path: str, number: int, held: Any, where: str = "") -> None:
        self.path, self.line, self.where = path, number, where
        if not isinstance(held, dict):
            raise self._wrong(where.rstrip("."), "an object", held)
        self.held: dict[str, Any] = held

    def _wrong(self, name: str, wanted: str, value: object) -> FileError:
        return FileError(self.path, f"{name} is to be {wanted}, not {shortened(value)}", line=self.line)

    def _is(self, name: str, kind: type | tuple[type, ...], wanted: str) -> Any:
        value = self.held.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self._wrong(f"{self.where}{name}", wanted, value)
        return value

    def text(self, name: str) -> str:
        return str(self._is(name, str, "text"))

    def optional_text(self, name: str) -> str | None:
        return None if self.held.get(name) is None else self.text(name)

    def word(self, name: str, words: Sequence[str | None]) -> str | None:
        value = self.held.get(name)
        if value not in words:
            raise self._wrong(f"{self.where}{name}", f"one of {', '.join(map(str, words))}", value)
        return value

    def whole(self, name: str) -> int:
        return int(self._is(name, int, "a whole number"))

    def number(self, name: str) -> float | None:
        if self.held.get(name) is None:
            return None
        value = self._is(name, (int, float), "a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self._wrong(f"{self.where}{name}", "a number", value)
        return number

    def day(self, name: str) -> str:
        text = self.text(name)
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise self._wrong(name, "a date such as 2024-12-09", text) from None

    def items(self, name: str) -> list[Any]:
        return list(self._is(name, list, "a list"))

    def every(self, name: str) -> list[_Fields]:
        return [_Fields(self.path, self.line, one, f"{self.where}{name}.") for one in self.items(name)]

    def below(self, name: str) -> _Fields:
        return _Fields(self.path, self.line, self.held.get(name), f"{self.where}{name}.")
