"""What is written replaces what was there as a whole or not at all, and never a file that was read."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.errors import FileError, UnjudgedWarning
from unjudged.io.writing import check_outputs, check_writable, whole_file, write_file

if os.name == "nt":
    pytest.skip("modes, links and limits of POSIX", allow_module_level=True)

from tests.io.full_disk import full_disk


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder that has nothing in it but what is written."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@given(before=st.binary(max_size=200), content=st.binary(max_size=200) | st.text(max_size=50))
def test_a_file_holds_what_was_written_last(before: bytes, content: bytes | str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_file(Path(folder) / "x", before)
        write_file(Path(folder) / "x", content)
        assert (Path(folder) / "x").read_bytes() == (content.encode() if isinstance(content, str) else content)
        assert names(Path(folder)) == ["x"]


def test_a_failure_leaves_what_was_there(place: Path) -> None:
    (place / "x").write_text("before")
    with full_disk(), pytest.raises(FileError) as caught:
        write_file(place / "x", "after")
    assert str(caught.value) == f"{place / 'x'}: cannot be written: File too large"
    assert (place / "x").read_text() == "before"
    assert names(place) == ["x"]


def test_a_failure_leaves_nothing_where_nothing_was(place: Path) -> None:
    with full_disk(), pytest.raises(FileError):
        write_file(place / "x", "after")
    assert names(place) == []


def test_an_error_that_comes_when_a_file_is_closed(place: Path) -> None:
    (place / "x").write_text("before")
    with (
        contextlib.ExitStack() as later,
        pytest.raises(OSError, match="File too large"),
        whole_file(place / "x") as stream,
    ):
        stream.write(b"after")  # into Python's buffer
        later.enter_context(full_disk())
    assert (place / "x").read_text() == "before"
    assert names(place) == ["x"]


def test_an_interruption_leaves_what_was_there(place: Path) -> None:
    (place / "x").write_text("before")
    with pytest.raises(KeyboardInterrupt), whole_file(place / "x") as stream:
        stream.write(b"after")
        raise KeyboardInterrupt
    assert (place / "x").read_text() == "before"
    assert names(place) == ["x"]


def test_a_link_stays_a_link(place: Path) -> None:
    (place / "target").write_text("before")
    (place / "link").symlink_to("target")
    write_file(place / "link", "after")
    assert (place / "link").readlink() == Path("target")
    assert (place / "target").read_text() == "after"


def test_a_link_to_nothing_makes_its_target(place: Path) -> None:
    (place / "link").symlink_to("target")
    write_file(place / "link", "after")
    assert (place / "link").is_symlink()
    assert (place / "target").read_text() == "after"


def test_other_hard_links_keep_the_old_content(place: Path) -> None:
    (place / "x").write_text("before")
    (place / "other").hardlink_to(place / "x")
    write_file(place / "x", "after")
    assert ((place / "x").read_text(), (place / "other").read_text()) == ("after", "before")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_a_file_keeps_its_mode(place: Path, mode: int) -> None:
    (place / "x").write_text("before")
    (place / "x").chmod(mode)
    write_file(place / "x", "after")
    assert stat.S_IMODE((place / "x").stat().st_mode) == mode


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_that_the_umask_leaves(place: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_file(place / "x", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((place / "x").stat().st_mode) == 0o666 & ~mask


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_a_file_to_its_owner(place: Path) -> None:
    (place / "x").write_text("before")
    os.chown(place / "x", 12345, 23456)
    write_file(place / "x", "after")
    assert ((place / "x").stat().st_uid, (place / "x").stat().st_gid) == (12345, 23456)


def test_a_name_may_be_as_long_as_names_can_be(place: Path) -> None:
    write_file(place / ("x" * 255), "content")
    assert names(place) == ["x" * 255]


def test_a_pipe_is_written_through(place: Path) -> None:
    os.mkfifo(place / "pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((place / "pipe").read_text()))
    reader.start()
    write_file(place / "pipe", "content")
    reader.join()
    assert got == ["content"]
    assert stat.S_ISFIFO((place / "pipe").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_device_is_written_through() -> None:
    write_file("/dev/null", "content")
    assert not Path("/dev/null").is_file()
    with pytest.raises(FileError, match=r"^/dev/full: cannot be written: No space left on device$"):
        write_file("/dev/full", "content")


@pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="descriptors have no names here")
def test_a_descriptor_is_written_where_it_is(place: Path) -> None:
    with (place / "log").open("w+b") as log:
        log.write(b"before, ")
        log.flush()
        (place / "link").symlink_to(f"/dev/fd/{log.fileno()}")
        write_file(place / "link", "first, ")
        write_file(f"/dev/fd/{log.fileno()}", "second, ")
        log.write(b"after")
    assert (place / "log").read_text() == "before, first, second, after"


def test_a_folder_is_no_file(place: Path) -> None:
    with pytest.raises(FileError, match=r"cannot be written: Is a directory$"):
        write_file(place, "content")


@pytest.mark.parametrize("problem", [errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY])
def test_a_file_that_cannot_be_replaced_is_written_in_place_and_that_is_said(
    place: Path, monkeypatch: pytest.MonkeyPatch, problem: int
) -> None:
    # EBUSY: a file that a container mounts; EPERM: another's file in /tmp; EACCES, EROFS: a folder that is read-only.
    def refuse(self: Path, target: Path) -> Path:
        raise OSError(problem, os.strerror(problem))

    (place / "x").write_text("before")
    inode = (place / "x").stat().st_ino
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.warns(UnjudgedWarning) as warned:
        write_file(place / "x", "after")
    assert [str(one.message) for one in warned] == [
        f"{place / 'x'}: cannot be replaced ({os.strerror(problem)}), so it is written in place, where a failure would"
        " lose what it held"
    ]
    assert ((place / "x").read_text(), (place / "x").stat().st_ino) == ("after", inode)
    assert names(place) == ["x"]


def test_a_full_disk_is_no_reason_to_write_in_place(place: Path) -> None:
    (place / "x").write_text("before")
    with full_disk(), warnings.catch_warnings(), pytest.raises(FileError):
        warnings.simplefilter("error")
        write_file(place / "x", "after")
    assert (place / "x").read_text() == "before"


_AS_NOBODY = """
import os, sys, warnings
import unjudged.io.sources  # while packages may be read
from unjudged.io.writing import write_file
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
warnings.showwarning = lambda message, *_: print("warning:", message)
try:
    write_file(sys.argv[1], "after")
except Exception as problem:
    print(problem)
"""


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A folder that another user than root can look into but not write to, with two files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, mode in (("open", 0o666), ("locked", 0o444)):
            (folder / file).write_text("before")
            (folder / file).chmod(mode)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


@pytest.mark.parametrize(
    ("file", "said", "held"),
    [
        ("new", "{path}: cannot be written: Permission denied\n", None),
        ("locked", "{path}: cannot be written: Permission denied\n", "before"),
        (
            "open",
            "warning: {path}: cannot be replaced (Permission denied), so it is written in place, where a failure would"
            " lose what it held\n",
            "after",
        ),
    ],
)
def test_a_folder_that_may_not_be_written(read_only: Path, file: str, said: str, held: str | None) -> None:
    path = read_only / file
    done = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, str(path)], capture_output=True, text=True, check=True, cwd="/"
    )
    assert done.stdout == said.format(path=path)
    assert (path.read_text() if path.exists() else None) == held


def test_a_file_that_may_not_be_written_is_not_replaced_either() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "locked").write_text("before")
        (folder / "locked").chmod(0o444)
        path = str(folder / "locked")
        done = subprocess.run(
            [sys.executable, "-c", _AS_NOBODY, path], capture_output=True, text=True, check=True, cwd="/"
        )
        assert done.stdout == f"{path}: cannot be written: Permission denied\n"
        assert (folder / "locked").read_text() == "before"


@pytest.mark.parametrize(
    "way", ["itself", "another spelling", "link", "link to a link", "hard link", "link of folders"]
)
def test_an_input_is_known_by_any_name(place: Path, way: str) -> None:
    qrels = place / "qrels.txt"
    qrels.write_text("1 0 a 1\n")
    output = place / "out"
    if way == "itself":
        output = qrels
    elif way == "another spelling":
        output = place / ".." / "place" / "." / "qrels.txt"
    elif way == "link":
        output.symlink_to("qrels.txt")
    elif way == "link to a link":
        (place / "first").symlink_to(qrels)
        output.symlink_to("first")
    elif way == "hard link":
        output.hardlink_to(qrels)
    else:
        (place / "folder").symlink_to(place)
        output = place / "folder" / "qrels.txt"
    for refuse in (lambda: check_outputs([output], [qrels]), lambda: write_file(output, "lost", inputs=[qrels])):
        with pytest.raises(FileError) as caught:
            refuse()
        assert str(caught.value) == f"{output}: this is the same file as the input {qrels}; write to another file"
    assert qrels.read_text() == "1 0 a 1\n"


@pytest.mark.parametrize("exists", [True, False])
def test_two_outputs_are_two_files(place: Path, exists: bool) -> None:
    if exists:
        (place / "x").write_text("")
    (place / "link").symlink_to("x")
    (place / "folder").symlink_to(place)
    for other in (place / "x", place / "link", place / "folder" / "x", str(place / "x")):
        with pytest.raises(FileError) as caught:
            check_outputs([place / "x", place / "y", other])
        assert str(caught.value) == f"{other}: this is the same file as the output {place / 'x'}; write to another file"
    check_outputs([place / "x", place / "y"])


@pytest.mark.skipif(not Path("/dev/fd/1").exists(), reason="descriptors have no names here")
def test_devices_pipes_and_one_descriptor_may_be_named_twice(place: Path) -> None:
    os.mkfifo(place / "pipe")
    check_outputs(["/dev/null", "/dev/null", place / "pipe", place / "pipe"], ["/dev/null", place / "pipe"])
    with (place / "log").open("wb") as log:
        name = f"/dev/fd/{log.fileno()}"
        check_outputs([name, name, log.fileno()])
        with pytest.raises(
            FileError, match=r"log: this is the same file as the output descriptor \d+; write to another"
        ):
            check_outputs([log.fileno(), place / "log"])
        with pytest.raises(FileError, match=r"^descriptor \d+: this is the same file as the input .*log; write to"):
            check_outputs([log.fileno()], [place / "log"])


def test_nothing_is_written_into_a_folder_that_is_kept_for_us(place: Path) -> None:
    (place / "store" / "ab").mkdir(parents=True)
    (place / "link").symlink_to("store")
    for output in (place / "store" / "x", place / "store" / "ab" / "x", place / "link" / "x"):
        with pytest.raises(FileError) as caught:
            check_outputs([output], [place / "store"])
        assert str(caught.value) == (
            f"{output}: what is in {place / 'store'} is read and written by the tool; write elsewhere"
        )
    with pytest.raises(FileError, match=r"this is the same file as the input .*new; write to another file"):
        check_outputs([place / "new"], [place / "new"])  # a store that is going to be made
    check_outputs([place / "x"], [place / "store"])


def test_a_descriptor_has_to_be_open_for_writing(place: Path) -> None:
    (place / "x").write_text("")
    with (place / "x").open("rb") as stream, pytest.raises(FileError) as caught:
        check_outputs([stream.fileno()])
    assert str(caught.value) == f"descriptor {stream_number(caught)}: cannot be written: it is closed"


def stream_number(caught: pytest.ExceptionInfo[FileError]) -> str:
    return caught.value.path.removeprefix("descriptor ")


def test_writable_is_what_can_be_written_later(place: Path) -> None:
    check_writable(place / "new")
    check_writable("/dev/null")
    for path, reason in ((place, "Is a directory"), (place / "no" / "x", "No such file or directory")):
        with pytest.raises(FileError, match=f"cannot be written: {reason}$"):
            check_writable(path)
