"""Files that are broken in one way each, and other things that are no files."""

from __future__ import annotations

import gzip
import lzma
import socket
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

QRELS = b"301 0 d1 1\n301 0 d2 0\n302 0 d3 2\n"
RUN = b"301 Q0 d1 1 0.9 mine\n301 Q0 d2 2 0.8 mine\n302 Q0 d3 1 0.7 mine\n"


@dataclass(frozen=True)
class Broken:
    """A broken input. ``make`` gets an empty folder and returns what the user would name."""

    what: str
    reader: str
    make: Callable[[Path], str | Path]
    message: str

    def __str__(self) -> str:
        return f"{self.reader}: {self.what}"


Content = bytes | str | Callable[[], bytes]


def content(data: Content, name: str = "file.txt") -> Callable[[Path], Path]:
    """A file with this content; what takes long to make is made when it is needed."""

    def make(folder: Path) -> Path:
        path = folder / name
        made = data() if callable(data) else data
        path.write_bytes(made.encode() if isinstance(made, str) else made)
        return path

    return make


def qrels(what: str, data: Content, message: str, name: str = "file.txt") -> Broken:
    return Broken(what, "qrels", content(data, name), message)


def run(what: str, data: Content, message: str, name: str = "file.txt") -> Broken:
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


def bomb_of_one_line() -> bytes:
    """256 MB in 256 KB."""
    return gzip.compress(b"7" * (1 << 28), 9)


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
