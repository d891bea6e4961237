"""gzip is read in the same way by Python's zlib and by isal, where that is installed."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from typing import Any

import pytest

import unjudged as uj
from unjudged.io import compression

TEXT = "".join(f"1 Q0 d{random.Random(i).random()} {i} {9000 - i} tag\n" for i in range(9000)).encode()


@pytest.fixture(params=["zlib", "isal"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    chosen = zlib if request.param == "zlib" else pytest.importorskip("isal.isal_zlib")
    monkeypatch.setattr(compression, "_zlib", lambda: chosen)
    return chosen


def read(packed: bytes, size: int = -1) -> bytes:
    with compression.unpacked("a.gz", io.BytesIO(packed)) as stream:
        if size < 0:
            return stream.read()
        return b"".join(iter(lambda: stream.read(size), b""))


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_what_gzip_packs(level: int, library: object) -> None:
    packed = gzip.compress(TEXT, level)
    assert read(packed) == read(packed, 7001) == TEXT


def test_members_and_padding(library: object) -> None:
    packed = gzip.compress(TEXT[:100]) + b"\0" * 700 + gzip.compress(b"") + gzip.compress(TEXT[100:])
    assert read(packed) == TEXT


@pytest.mark.parametrize("left", [8, 12, 1000, 40_000])
def test_cut_short(left: int, library: object) -> None:
    with pytest.raises(uj.InputError, match="cut short"):
        read(gzip.compress(TEXT)[:left])


def test_cut_in_the_check(library: object) -> None:
    with pytest.raises(uj.InputError, match="cut short"):
        read(gzip.compress(TEXT)[:-3])


@pytest.mark.parametrize("at", [-1, -5, 3000])
def test_damaged(at: int, library: object) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[at] ^= 0x55
    with pytest.raises(uj.InputError, match=r"damaged|cut short"):
        read(bytes(packed))


def test_other_data_behind(library: object) -> None:
    with pytest.raises(uj.InputError, match="other data follows"):
        read(gzip.compress(TEXT) + b"more")


def test_python_s_zlib_is_used_where_isal_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "isal", None)
    assert compression._zlib.__wrapped__() is zlib
