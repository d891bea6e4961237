"""Writing files: nothing that is read is overwritten, and a file is there as a whole or stays what it was.

`io/writing.py` writes everything. `check_outputs` compares files by device and inode, before the work: commands tell
the collection what they are going to write (`outputs`), and `provenance`, which every study asks for first, calls it.
`Provenance.files` are the absolute paths of what was read, as far as they are known; charts, pages and methods take
them along, so that `save` refuses them, too. `whole_file` writes beside and renames. While a command runs, standard
output is a `cli.streams.StandardOutput`, which turns errors of the operating system into our one line whoever prints,
also typer and rich. Files and formats has the rules.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from unjudged.errors import FileError, UnjudgedWarning

__all__ = [
    "STANDARD_OUTPUT",
    "Output",
    "check_outputs",
    "check_writable",
    "is_draft",
    "unwritable",
    "whole_file",
    "write_file",
]

Output = str | PathLike[str] | int
"""A path, or a descriptor that is open already."""
STANDARD_OUTPUT = 1

_IN_PLACE_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV}
"""What the system says where a file can be written but not replaced: its folder may not be written, it is another's in
a folder such as /tmp, or it is mounted by itself."""


def check_outputs(outputs: Iterable[Output], inputs: Iterable[str | PathLike[str]] = ()) -> None:
    """Refuse, before the work, outputs that are the same file as an input or as another output, whatever their names.

    An input may be a folder that is kept for us (a store, a cache): nothing else is written into it. Devices and pipes
    can be named as often as one likes, and so can one descriptor, such as /dev/stdout.
    """
    from unjudged.io.sources import STDIN  # needs NumPy, which --help must not wait for

    read = {_identity(0 if one == STDIN else one): os.fspath(one) for one in inputs}
    written: dict[tuple[int | str, ...], Output] = {}
    for output in outputs:
        if isinstance(output, int):
            _check_open(output)
        identity = _identity(output)
        if identity is None:
            continue
        if identity in read:
            raise _same_file(output, f"the input {read[identity]}")
        for folder in () if isinstance(output, int) else Path(os.path.realpath(output)).parents:
            if (kept := read.get(_identity(folder))) is not None:
                raise FileError(_label(output), f"what is in {kept} is read and written by the tool; write elsewhere")
        other = written.setdefault(identity, output)
        if other is not output and (_descriptor(other) is None or _descriptor(other) != _descriptor(output)):
            raise _same_file(output, f"the output {_label(other)}")


def check_writable(path: str | PathLike[str]) -> None:
    """Refuse, before the work, a file that could not be written after it."""
    problem = 0
    # os.path says False where pathlib raises (no permission, a name that is too long).
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120
    if os.path.isdir(path):  # noqa: PTH112
        problem = errno.EISDIR
    elif not os.path.isdir(folder):  # noqa: PTH112
        problem = errno.ENOENT
    elif not os.access(path if os.path.exists(path) else folder, os.W_OK):  # noqa: PTH110
        problem = errno.EACCES
    if problem:
        raise unwritable(path, OSError(problem, os.strerror(problem)))


def unwritable(output: Output, problem: OSError) -> FileError:
    """What the operating system said about something that was to be written, in one line."""
    # A descriptor that is not open for writing: `unjudged score ... >&-`.
    reason = "it is closed" if problem.errno == errno.EBADF else problem.strerror
    return FileError(_label(output), f"cannot be written: {reason}")


def write_file(
    path: str | PathLike[str],
    content: str | bytes | Callable[[], Iterable[str]],
    *,
    inputs: Iterable[str | PathLike[str]] = (),
) -> None:
    """Write a result to where the user wants it, but not over one of the *inputs* that it was made of.

    *content* that is too large to be in memory at once is a function that makes it in pieces.

    A file is replaced when the new one is complete, so a failure leaves what was there. A link stays a link. What
    cannot be replaced (a device, a pipe, a file whose folder may not be written) is written in place.
    """
    check_outputs([path], inputs)
    try:
        _write(os.fspath(path), content if callable(content) else lambda: [content])
    except OSError as problem:
        raise unwritable(path, problem) from None


def _write(path: str, pieces: Callable[[], Iterable[str | bytes]]) -> None:
    descriptor = _descriptor(path)
    if descriptor is not None:
        # Opening the name would begin at the start of a file that a shell appends to.
        with open(os.dup(descriptor), "wb") as stream:  # noqa: PTH123
            _write_pieces(stream, pieces)
    elif os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110,PTH113
        _write_in_place(path, pieces)
    else:
        try:
            with whole_file(Path(path)) as draft:
                _write_pieces(draft, pieces)
        except OSError as problem:
            if problem.errno not in _IN_PLACE_ONLY or not os.access(path, os.W_OK):
                raise
            text = f"{path}: cannot be replaced ({problem.strerror}), so it is written in place, where a failure would"
            warnings.warn(f"{text} lose what it held", UnjudgedWarning, stacklevel=4)
            _write_in_place(path, pieces)


def _write_in_place(path: str, pieces: Callable[[], Iterable[str | bytes]]) -> None:
    with Path(path).open("wb") as stream:
        _write_pieces(stream, pieces)


def _write_pieces(stream: BinaryIO, pieces: Callable[[], Iterable[str | bytes]]) -> None:
    for piece in pieces():
        stream.write(piece.encode() if isinstance(piece, str) else piece)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes its place at the end, whoever else writes it at the same time, or not at all.

    It has the mode and, where this user may say so, the owner of the file that it replaces. Other hard links to that
    file keep the old content.
    """
    path = Path(os.path.realpath(path))
    before = path.stat() if path.exists() else None
    if before is not None and not os.access(path, os.W_OK):  # renaming would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    draft = path.with_name(f".unjudged-{os.getpid()}-{os.urandom(4).hex()}")  # no longer than names may be
    try:
        opener = partial(os.open, mode=0o666 if before is None else 0o600)
        with open(draft, "x+b", opener=opener) as stream:
            if before is not None:
                _take_after(draft, before)
            yield stream
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def is_draft(path: Path) -> bool:
    """Whether a file is what :func:`whole_file` writes, or wrote when it was killed."""
    return re.fullmatch(r"\.unjudged-[0-9]+-[0-9a-f]{8}", path.name) is not None


def _take_after(draft: Path, before: os.stat_result) -> None:
    """Give a file the owner and mode of another, as far as this user may."""
    if hasattr(os, "chown"):
        for owner in (before.st_uid, -1):
            with contextlib.suppress(PermissionError):
                os.chown(draft, owner, before.st_gid)
                break
    draft.chmod(stat.S_IMODE(before.st_mode))


def _identity(output: Output) -> tuple[int | str, ...] | None:
    """What tells a file or folder from others, whatever its name; None for devices and pipes."""
    try:
        status = os.stat(output)  # noqa: PTH116  # takes descriptors, too
    except (OSError, ValueError):
        if isinstance(output, int):
            return None
        folder, name = os.path.split(os.path.realpath(output))
        try:
            status = os.stat(folder)  # noqa: PTH116
        except OSError:
            return folder, name
        return status.st_dev, status.st_ino, name
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) else None


def _descriptor(output: Output) -> int | None:
    """The descriptor that /dev/stdout, /dev/fd/3 or a link to such stands for; None for other names."""
    if isinstance(output, int):
        return output
    path = os.fspath(output)
    for _ in range(40):  # links that the system follows, too
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and name.isdecimal():
            return int(name)
        path = os.path.join(folder, name)  # noqa: PTH118
        if not os.path.islink(path):  # noqa: PTH114
            break
        path = os.path.join(folder, os.readlink(path))  # noqa: PTH115,PTH118
    return None


def _same_file(output: Output, other: str) -> FileError:
    return FileError(_label(output), f"this is the same file as {other}; write to another file")


def _check_open(descriptor: int) -> None:
    try:
        os.write(descriptor, b"")
    except OSError as problem:
        raise unwritable(descriptor, problem) from None


def _label(output: Output) -> str:
    if isinstance(output, int):
        return "standard output" if output == STANDARD_OUTPUT else f"descriptor {output}"
    return os.fspath(output)
