"""Every way we know in which an input can be broken, with the exact words a user gets.

One table: what it is, who reads it, how the file is made, and the message. ``{path}`` stands for the file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import socket
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard

import unjudged as uj
from unjudged.errors import FileError, InputError

QRELS = b"301 0 d1 1\n301 0 d2 0\n302 0 d3 2\n"
RUN = b"301 Q0 d1 1 0.9 mine\n301 Q0 d2 2 0.8 mine\n302 Q0 d3 1 0.7 mine\n"
MANY = b"".join(b"301 0 document%06d %d\n" % (i, i % 3) for i in range(20_000))
LIMIT = 1 << 20

ANSI_RED = "\x1b[31m"


@dataclass(frozen=True)
class Broken:
    """A broken input. ``make`` gets an empty folder and returns what the user would name."""

    what: str
    reader: str
    make: Callable[[Path], str | Path]
    message: str

    def __str__(self) -> str:
        return f"{self.reader}: {self.what}"


def content(data: bytes | str, name: str = "file.txt") -> Callable[[Path], Path]:
    """A file with this content."""

    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return make


def qrels(what: str, data: bytes | str, message: str, name: str = "file.txt") -> Broken:
    return Broken(what, "qrels", content(data, name), message)


def run(what: str, data: bytes | str, message: str, name: str = "file.txt") -> Broken:
    return Broken(what, "run", content(data, name), message)


def not_there(folder: Path) -> Path:
    return folder / "none.txt"


def folder_itself(folder: Path) -> Path:
    return folder


def below_a_file(folder: Path) -> Path:
    return content(QRELS)(folder) / "more.txt"


def dangling_link(folder: Path) -> Path:
    (folder / "link.txt").symlink_to(folder / "none.txt")
    return folder / "link.txt"


def link_to_itself(folder: Path) -> Path:
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    return folder / "loop.txt"


def long_name(folder: Path) -> Path:
    return folder / ("x" * 300)


def unix_socket(folder: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(folder / "s"))
    return folder / "s"


def parquet(columns: dict[str, Any]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / "file.parquet")
        return folder / "file.parquet"

    return make


def parquet_folder(folder: Path) -> Path:
    (folder / "runs.parquet").mkdir()
    return folder / "runs.parquet"


def truncated_parquet(folder: Path) -> Path:
    path = parquet({"qid": ["1"], "docno": ["a"], "label": [1]})(folder)
    path.write_bytes(path.read_bytes()[:-20])
    return path


def flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def greedy_xz() -> bytes:
    """An xz file that asks for a dictionary of 512 MB."""
    # Making one needs gigabytes, so the size is written into the block header of a small one: it stands after the
    # filter's id (0x21) and the length of its properties (1), and the header ends with a checksum.
    small = lzma.compress(QRELS)
    begin, size = 12, (small[12] + 1) * 4
    header = bytearray(small[begin : begin + size - 4])
    header[header.index(b"\x21\x01") + 2] = 34  # 2 << (34 // 2 + 11) bytes
    return small[:begin] + header + struct.pack("<I", zlib.crc32(header)) + small[begin + size :]


def greedy_zstd() -> bytes:
    """A zstd file that asks for a window of 1 GB (a frame header without content size)."""
    # magic, descriptor without single segment, window descriptor 2**(10 + 20); then one empty last block
    return b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([20 << 3]) + b"\x01\x00\x00"


DAMAGED = "{path}: the compressed data is damaged; copy the file again"
CUT_SHORT = "{path}: the compressed file is cut short; copy it again"
TRAILING = "{path}: other data follows the compressed data; copy the file again"
TOO_LONG = "the line is longer than 1,048,576 bytes"
NOT_PARQUET = "{path}: this is not a Parquet file, or it is damaged"

BROKEN = [
    # ---- what is not a file
    Broken("missing file", "qrels", not_there, "{path}: no such file"),
    Broken("missing file", "run", not_there, "{path}: no such file"),
    Broken("missing Parquet file", "run", lambda folder: folder / "none.parquet", "{path}: no such file"),
    Broken(
        "an address",
        "qrels",
        lambda _: "https://example.org/qrels.txt",
        "{path}: no such file; addresses are not downloaded, save the file first",
    ),
    Broken("directory", "qrels", folder_itself, "{path}: this is a directory; a file is needed here"),
    Broken("directory", "run", folder_itself, "{path}: this is a directory; a file is needed here"),
    Broken("path below a file", "qrels", below_a_file, "{path}: cannot be read: Not a directory"),
    Broken("link to nowhere", "qrels", dangling_link, "{path}: no such file"),
    Broken("link to itself", "run", link_to_itself, "{path}: cannot be read: Too many levels of symbolic links"),
    Broken("very long name", "run", long_name, "{path}: cannot be read: File name too long"),
    Broken("socket", "run", unix_socket, "{path}: cannot be read: No such device or address"),
    Broken("unreadable device", "qrels", lambda _: "/proc/self/mem", "{path}: cannot be read: Input/output error"),
    Broken("empty name", "qrels", lambda _: "", "this is not a file name: ''"),
    Broken("NUL in the name", "run", lambda _: "a\0b", r"this is not a file name: 'a\x00b'"),
    Broken(
        "unknown dataset",
        "qrels",
        lambda _: "ir_datasets:no/such",
        "{path}: ir_datasets has no such dataset (`ir_datasets list` lists them all)",
    ),
    # ---- nothing in it
    qrels("empty file", b"", "{path}: the file is empty"),
    run("empty file", b"", "{path}: the file is empty"),
    qrels("empty file inside gzip", gzip.compress(b""), "{path}: the file is empty"),
    qrels("only blank lines", b"\n \n\t\r\n", "{path}: there is no data, only comments or blank lines"),
    run("only a comment, without line feed", b"# a run", "{path}: there is no data, only comments or blank lines"),
    # ---- not text
    qrels("binary", bytes(range(256)) * 4, "{path}:1: this is binary data, not text (a NUL byte)"),
    run("NUL byte in line 3", RUN[:-5] + b"\0\n", "{path}:3: this is binary data, not text (a NUL byte)"),
    qrels(
        "Latin-1",
        "301 0 d1 1\n301 0 café 1\n".encode("latin-1"),
        "{path}:2: byte 0xe9 is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8",
    ),
    run(
        "half a character",
        b"301 Q0 d\xe2\x82 1 0.9 mine\n",
        "{path}:1: byte 0xe2 is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8",
    ),
    qrels(
        "UTF-16",
        QRELS.decode().encode("utf-16"),
        "{path}:1: the text is UTF-16; convert the file with: iconv -f UTF-16 -t UTF-8",
    ),
    qrels(
        "UTF-16 without mark",
        QRELS.decode().encode("utf-16-le"),
        "{path}:1: this is binary data, not text (a NUL byte)",
    ),
    qrels(
        "old Mac line ends",
        QRELS.replace(b"\n", b"\r"),
        r"{path}:1: lines end in CR alone (old Mac); convert the file with: tr '\r' '\n'",
    ),
    run(
        "old Mac line ends, large file",
        RUN.replace(b"\n", b"\r") * 40_000,
        r"{path}:1: lines end in CR alone (old Mac); convert the file with: tr '\r' '\n'",
    ),
    qrels("huge line", b"301 0 " + b"d" * LIMIT + b" 1\n", "{path}:1: " + TOO_LONG),
    qrels("huge line without end", QRELS + b"x" * 3 * LIMIT, "{path}:4: " + TOO_LONG),
    run("huge line of spaces", RUN + b" " * 2 * LIMIT + RUN, "{path}:4: " + TOO_LONG),
    run("gzip bomb of one line", gzip.compress(b"7" * (1 << 28), 9), "{path}:1: " + TOO_LONG, "bomb.gz"),
    # ---- compressed
    qrels("truncated gzip", gzip.compress(MANY)[:-3000], CUT_SHORT, "q.gz"),
    qrels("gzip without its last byte", gzip.compress(QRELS)[:-1], CUT_SHORT, "q.gz"),
    qrels("truncated bzip2", bz2.compress(MANY)[:-3000], CUT_SHORT, "q.bz2"),
    qrels("truncated xz", lzma.compress(MANY)[:-3000], CUT_SHORT, "q.xz"),
    qrels("truncated zstd", zstandard.compress(MANY)[:-3000], CUT_SHORT, "q.zst"),
    qrels("gzip header only", b"\x1f\x8b\x08", CUT_SHORT, "q.gz"),
    qrels("damaged gzip", flip(gzip.compress(MANY), 5000), DAMAGED, "q.gz"),
    qrels("gzip with a wrong checksum", flip(gzip.compress(QRELS), -6), DAMAGED, "q.gz"),
    qrels("damaged bzip2", flip(bz2.compress(MANY), 5000), DAMAGED, "q.bz2"),
    qrels("damaged xz", flip(lzma.compress(MANY), 5000), DAMAGED, "q.xz"),
    qrels("damaged zstd", flip(zstandard.compress(MANY), 40), DAMAGED, "q.zst"),
    qrels("text after gzip", gzip.compress(QRELS) + b"301 0 d9 1\n", TRAILING, "q.gz"),
    qrels("text after bzip2", bz2.compress(QRELS) + b"301 0 d9 1\n", TRAILING, "q.bz2"),
    qrels("text after zstd", zstandard.compress(QRELS) + b"x", TRAILING, "q.zst"),
    qrels("second gzip member cut short", gzip.compress(QRELS) + gzip.compress(MANY)[:-9], CUT_SHORT, "q.gz"),
    qrels("text named .gz", QRELS, "{path}: the name ends in .gz, but the content is not gzip", "q.gz"),
    qrels("text named .zst", QRELS, "{path}: the name ends in .zst, but the content is not zstd", "q.zst"),
    run("zip", b"PK\x03\x04rest", "{path}: this is a zip file; unpack it first"),
    qrels(
        "xz that asks for 512 MB",
        greedy_xz(),
        "{path}: the compressed data asks for more than 128 MB of memory; compress it anew",
        "q.xz",
    ),
    qrels(
        "zstd that asks for 1 GB",
        greedy_zstd(),
        "{path}: the compressed data asks for more than 128 MB of memory; compress it anew",
        "q.zst",
    ),
    # ---- columns
    qrels("3 columns", b"301 0 d1\n", "{path}:1: expected 4 (or 5, with strata) columns, got 3: '301 0 d1'"),
    qrels("3 columns in line 3", QRELS[:22] + b"302 0 d3\n", "{path}:3: expected 4 columns, got 3: '302 0 d3'"),
    qrels("truncated in a line", QRELS[:-4], "{path}:3: expected 4 columns, got 3: '302 0 d'"),
    qrels(
        "an empty field", b"301\t\td1\t1\n", r"{path}:1: expected 4 (or 5, with strata) columns, got 3: '301\t\td1\t1'"
    ),
    qrels("4 columns, then 5", QRELS + b"302 0 d4 1 1\n", "{path}:4: expected 4 columns, got 5: '302 0 d4 1 1'"),
    qrels("5 columns, then 4", b"301 0 d1 1 1\n301 0 d2 1\n", "{path}:2: expected 5 columns, got 4: '301 0 d2 1'"),
    qrels(
        "a run as qrels",
        RUN,
        "{path}:1: expected 4 (or 5, with strata) columns, got 6 (is this a run?): '301 Q0 d1 1 0.9 mine'",
    ),
    run(
        "qrels as a run",
        b"# judgments\n" + QRELS,
        "{path}:2: expected 6 columns, got 4 (is this a qrels file?): '301 0 d1 1'",
    ),
    run(
        "no tag", b"301 Q0 d1 1 0.9\n", "{path}:1: expected 6 columns, got 5 (is this a qrels file?): '301 Q0 d1 1 0.9'"
    ),
    run(
        "missing line feed between lines",
        RUN[:-1] + RUN,
        "{path}:3: expected 6 columns, got 11: '302 Q0 d3 1 0.7 mine301 Q0 d1 1 0.9 mine'",
    ),
    run("title with spaces", b"301 Q0 a b 1 0.9 t\n", "{path}:1: expected 6 columns, got 7: '301 Q0 a b 1 0.9 t'"),
    run("web page", b"<!DOCTYPE html>\n<html>\n", "{path}:1: expected 6 columns, got 2: '<!DOCTYPE html>'"),
    qrels("CSV", b"301,0,d1,1\n", "{path}:1: expected 4 (or 5, with strata) columns, got 1: '301,0,d1,1'"),
    run(
        "terminal escapes in the line",
        f"301 Q0 {ANSI_RED}d1 1 0.9\n",
        r"{path}:1: expected 6 columns, got 5 (is this a qrels file?): '301 Q0 \x1b[31md1 1 0.9'",
    ),
    run(
        "long line",
        b"301 Q0 " + b"d" * 200 + b" 1 0.9\n",
        "{path}:1: expected 6 columns, got 5 (is this a qrels file?): '301 Q0 " + "d" * 50 + "...'",
    ),
    # ---- values
    qrels("heading", b"query iter doc grade\n" + QRELS, "{path}:1: the grade is not a whole number: 'grade'"),
    qrels("grade with a fraction", QRELS + b"302 0 d4 0.5\n", "{path}:4: the grade is not a whole number: '0.5'"),
    qrels(
        "grade beyond 64 bits",
        b"301 0 d1 99999999999999999999\n",
        "{path}:1: the grade is not a whole number: '99999999999999999999'",
    ),
    qrels("grade with underscore", b"301 0 d1 1_0\n", "{path}:1: the grade is not a whole number: '1_0'"),
    qrels(
        "grade with 5,000 digits",
        b"301 0 d1 " + b"9" * 5000 + b"\n",
        "{path}:1: the grade is not a whole number: '" + "9" * 57 + "...'",
    ),
    qrels(
        "grade beyond any scale",
        b"301 0 d1 1\n301 0 d2 2147483648\n",
        "{path}:2: the grade is not between -100,000 and 100,000: 2147483648",
    ),
    qrels(
        "grade far below 0",
        b"301 0 d1 -4294967295\n",
        "{path}:1: the grade is not between -100,000 and 100,000: -4294967295",
    ),
    qrels("stratum that is no number", b"301 0 d1 one 1\n", "{path}:1: the stratum is not a whole number: 'one'"),
    qrels(
        "stratum below 0", b"301 0 d1 1 1\n\n301 0 d2 -1 0\n", "{path}:3: the stratum is not between 0 and 100,000: -1"
    ),
    run("score that is no number", RUN + b"302 Q0 d4 2 high mine\n", "{path}:4: the score is not a number: 'high'"),
    run("score with decimal comma", b"301 Q0 d1 1 0,9 mine\n", "{path}:1: the score is not a number: '0,9'"),
    run("score in hexadecimal", b"301 Q0 d1 1 0x1p3 mine\n", "{path}:1: the score is not a number: '0x1p3'"),
    run("score NaN", b"# one\n" + RUN + b"302 Q0 d4 2 nan mine\n", "{path}:5: the score is not a finite number: nan"),
    run("score infinite", RUN + b"302 Q0 d4 2 -inf mine\n", "{path}:4: the score is not a finite number: -inf"),
    run("score too large", RUN + b"302 Q0 d4 2 1e999 mine\n", "{path}:4: the score is not a finite number: inf"),
    run(
        "the first problem wins",
        RUN + b"302 Q0 d4 2 bad mine\n302 Q0 d5\n",
        "{path}:4: the score is not a number: 'bad'",
    ),
    # ---- rows
    qrels(
        "judged twice",
        QRELS + b"\n301 0 d1 1\n",
        "{path}:5: document 'd1' is judged twice for topic '301' (first in line 1);"
        " 1 duplicate in all, `unjudged doctor` lists them",
    ),
    qrels(
        "judged twice with different grades",
        QRELS + b"301 0 d1 0\n301 0 d2 0\n",
        "{path}:4: document 'd1' is judged twice, with different grades, for topic '301' (first in line 1);"
        " 2 duplicates in all, `unjudged doctor` lists them",
    ),
    qrels(
        "judged twice for one subtopic",
        b"301 1 d1 1\n301 2 d1 1\n301 2 d1 1\n",
        "{path}:3: document 'd1' is judged twice for topic '301', subtopic '2' (first in line 2);"
        " 1 duplicate in all, `unjudged doctor` lists them",
    ),
    run(
        "ranked twice",
        b"# a comment\n" + RUN + b"301 Q0 d1 3 0.1 mine\n",
        "{path}:5: document 'd1' is ranked twice for topic '301' (first in line 2);"
        " 1 duplicate in all, `unjudged doctor` lists them",
    ),
    run(
        "ranked twice, topics mixed",
        b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 a 2 5 t\n",
        "{path}:3: document 'a' is ranked twice for topic '1' (first in line 1);"
        " 1 duplicate in all, `unjudged doctor` lists them",
    ),
    # ---- Parquet
    qrels("text named .parquet", QRELS, NOT_PARQUET, "q.parquet"),
    qrels("empty Parquet file", b"", NOT_PARQUET, "q.parquet"),
    Broken("truncated Parquet file", "qrels", truncated_parquet, NOT_PARQUET),
    run("Parquet with another name", b"PAR1rest", "{path}: this is a Parquet file; give it the suffix .parquet"),
    Broken("directory named .parquet", "run", parquet_folder, "{path}: this is a directory; a file is needed here"),
    Broken(
        "Parquet without scores",
        "run",
        parquet({"qid": ["1"], "docno": ["a"], "text": ["b"]}),
        "{path}: no column score or rank; the columns are qid, docno, text",
    ),
    Broken("Parquet without rows", "run", parquet({"qid": [], "docno": [], "score": []}), "{path}: there are no rows"),
    Broken(
        "Parquet with a missing score",
        "run",
        parquet({"qid": ["1"], "docno": ["a"], "score": pyarrow.array([None], pyarrow.float64())}),
        "{path}: the score of topic '1', document 'a' is not a finite number: None",
    ),
]

LINUX_ONLY = {"socket", "unreadable device", "link to itself", "very long name"}
READERS: dict[str, Callable[[Any], Any]] = {"qrels": uj.read_qrels, "run": uj.read_run}


def test_the_table_is_long_enough_and_has_no_double() -> None:
    names = [str(case) for case in BROKEN]
    assert len(names) == len(set(names)) >= 45


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_broken_input_has_its_message(case: Broken, tmp_path: Path) -> None:
    if case.what in LINUX_ONLY and sys.platform != "linux":
        pytest.skip("other systems have other words, or no such device")
    path = case.make(tmp_path)
    with pytest.raises(InputError) as caught:
        READERS[case.reader](path)
    assert str(caught.value) == case.message.replace("{path}", str(path))


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_messages_are_one_printable_line(case: Broken) -> None:
    assert case.message.isprintable()
    assert len(case.message) < 200


def test_errors_know_file_and_line(tmp_path: Path) -> None:
    path = content(b"\n\n301 Q0 d1 1 high t\n")(tmp_path)
    with pytest.raises(FileError) as caught:
        uj.read_run(path)
    assert (caught.value.path, caught.value.line) == (str(path), 3)


@pytest.mark.parametrize("block", [1, 7, 64, 4096])
def test_line_numbers_do_not_depend_on_blocks(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = b"".join(b"301 Q0 d%d 1 0.5 t\n\n# comment\n" % i for i in range(50))
    path = content(good + b"301 Q0 x 1 high t\n" + good)(tmp_path)
    monkeypatch.setattr("unjudged.io.sources.BLOCK_BYTES", block)
    with pytest.raises(FileError, match=r":151: the score is not a number: 'high'$"):
        uj.read_run(path)


# ---- what needs a process of its own


def unjudged(*arguments: str | Path, stdin: bytes | None = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "unjudged", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False, **options)


def assert_refused(done: subprocess.CompletedProcess[bytes], message: str) -> None:
    assert done.stderr.decode() == f"unjudged: {message}\n"
    assert done.returncode == 2
    assert done.stdout == b""


SAMPLE = [case for case in BROKEN if "NUL in the name" not in case.what][::9]  # no shell passes a NUL on


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_the_command_line_says_the_same_and_exits_with_2(case: Broken, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    path = case.make(tmp_path / "broken")
    good_qrels, good_run = content(QRELS, "good.qrels")(tmp_path), content(RUN, "good.run")(tmp_path)
    files = (path, good_run) if case.reader == "qrels" else (good_qrels, path)
    assert_refused(unjudged("score", *files), case.message.replace("{path}", str(path)))


def test_standard_input_can_be_read_only_once() -> None:
    done = unjudged("score", "-", "-", stdin=QRELS)
    assert_refused(done, "-: standard input is empty (it can be read only once)")


def test_empty_standard_input() -> None:
    assert_refused(unjudged("score", "-", "-"), "-: standard input is empty (it can be read only once)")


def test_closed_standard_input() -> None:
    done = unjudged("score", "-", "-", stdin=None, preexec_fn=lambda: os.close(0))
    assert_refused(done, "-: there is no standard input")


def test_broken_line_in_standard_input() -> None:
    done = unjudged("score", "-", "-", stdin=QRELS + b"301 0\n")
    assert_refused(done, "-:4: expected 4 columns, got 2: '301 0'")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine may enter; pytest's own are not, and other workers use them too."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for closed in folder.iterdir():
            closed.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs Unix users")
@pytest.mark.parametrize("mode", ["file", "folder", "parquet", "glob"])
def test_permission_denied(mode: str, open_folder: Path) -> None:
    name = "secret.parquet" if mode == "parquet" else "secret.txt"
    path = content(QRELS, name)(open_folder)
    path.chmod(0)
    if mode == "folder":
        folder = open_folder / "closed"
        folder.mkdir()
        path = content(RUN)(folder)
        folder.chmod(0)
    wanted = {"glob": str(open_folder / "sec*.txt")}.get(mode, str(path))
    script = """
import os, sys
import unjudged as uj
import unjudged.api, narwhals, pyarrow.parquet
if os.getuid() == 0:
    os.setuid(65534)  # root may read everything
try:
    uj.read_runs(sys.argv[1])
except uj.InputError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", script, wanted], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{path}: permission denied\n", "")


@pytest.mark.parametrize(
    ("package", "name", "message"),
    [
        ("zstandard", "q.zst", "reading .zst files needs zstandard: pip install 'unjudged[zstd]'"),
        ("pyarrow", "q.parquet", "reading Parquet files needs pyarrow: pip install 'unjudged[parquet]'"),
        ("ir_datasets", "ir_datasets:a/b", "ir_datasets:a/b needs ir_datasets: pip install 'unjudged[datasets]'"),
    ],
)
def test_missing_extra(package: str, name: str, message: str, tmp_path: Path) -> None:
    if not name.startswith("ir_datasets:"):
        name = str(content(zstandard.compress(QRELS), name)(tmp_path))
    script = f"""
import sys
sys.modules[{package!r}] = None  # importing it now fails as if it were not installed
from unjudged.cli import main
main(["score", {name!r}, "x"])
"""
    assert_refused(subprocess.run([sys.executable, "-c", script], capture_output=True, check=False), message)
