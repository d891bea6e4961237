"""What kernels take, from what is easy to write, and what they give in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

MASK = 2**64 - 1


def as_text(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)  # read-only, as a memory-mapped file


def as_fields(fields: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """A text with these fields; the positions are columns of one array, so they are not contiguous."""
    ends = list(itertools.accumulate((len(field) + 1 for field in fields), initial=0))
    spans = np.array([(end, end + len(field)) for end, field in zip(ends, fields, strict=False)], dtype=np.int64)
    spans = spans.reshape(-1, 2)
    return as_text(b" ".join(fields)), spans[:, 0], spans[:, 1]


def as_ids(ids: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return as_text(b"".join(ids)), ints([0, *itertools.accumulate(map(len, ids))])


def ints(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def offsets_of(rankings: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return ints([0, *itertools.accumulate(map(len, rankings))])


def assert_same(got: NDArray[Any], want: Sequence[Any], dtype: type) -> None:
    assert got.dtype == dtype
    assert got.tolist() == list(want)


# Few different bytes and short ids, so that equal ids, common beginnings and NUL padding all occur often.
ids_of_few_bytes = st.text(alphabet="ab\x00\xff", max_size=10).map(lambda s: s.encode("latin-1"))
columns_of_ids = st.lists(ids_of_few_bytes, max_size=20)


def strings(blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[bytes]:
    assert (blob.dtype, offsets.dtype) == (np.uint8, np.int64)
    assert len(blob) == offsets[-1]
    return [blob[start:end].tobytes() for start, end in itertools.pairwise(offsets.tolist())]


def cut_column(core: ModuleType, fields: Sequence[bytes], kind: str) -> tuple[NDArray[Any], ...]:
    """One column of a file; the one beside it lets fields begin with ``#``."""
    data = b"".join(b"x " + field + b"\n" for field in fields)
    parts, rows, *_ = core.cut_rows(as_text(data), "." + kind)
    assert rows == len(fields)
    assert parts[0] == ()
    return parts[1]  # type: ignore[no-any-return]


def is_field(data: bytes) -> bool:
    """Whether the bytes can be a field of a file."""
    return data.split() == [data]
