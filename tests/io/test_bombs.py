"""Small files that unpack to gigabytes, and gigabytes of nothing: memory is bounded, and messages name the file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import zstandard

import unjudged as uj
from unjudged.errors import FileError, InputError
from unjudged.io import compression
from unjudged.io.documents import documents
from unjudged.io.groups import read_groups, read_order
from unjudged.io.intents import with_intents
from unjudged.io.raw import raw_qrels, raw_run
from unjudged.io.reading import RunSource
from unjudged.io.topics import read_titles

MB = 1 << 20
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
REFUSED = (
    "this unpacks to more than 1 MB and more than 100 times its size;"
    " to read it all the same, set UNJUDGED_UNPACK_LIMIT (in MB) higher"
)
RUN_ROW, QRELS_ROW = b"1 Q0 d 1 1 x\n", b"1 0 d 1\n"


@pytest.fixture
def one_megabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "UNPACK_LIMIT", MB)


def written(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


@pytest.mark.usefixtures("one_megabyte")
@pytest.mark.parametrize("ending", PACK)
def test_a_small_file_that_unpacks_to_much_is_refused(ending: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"bomb{ending}", PACK[ending](RUN_ROW * (2 * MB // len(RUN_ROW))))
    with pytest.raises(FileError) as caught:
        uj.read_run(path)
    assert str(caught.value) == f"{path}: {REFUSED}"


@pytest.mark.usefixtures("one_megabyte")
@pytest.mark.parametrize("ending", PACK)
def test_what_does_not_repeat_itself_may_be_of_any_size(ending: str, tmp_path: Path) -> None:
    scores = np.random.default_rng(1).random(40_000).tolist()
    text = "".join(f"{row // 100} Q0 d{row} 1 {score} x\n" for row, score in enumerate(scores)).encode()
    assert len(text) > MB
    assert len(uj.read_run(written(tmp_path / f"run{ending}", PACK[ending](text)))) == 40_000


@pytest.mark.usefixtures("one_megabyte")
@pytest.mark.parametrize("ending", PACK)
def test_members_and_their_padding_count_together(ending: str, tmp_path: Path) -> None:
    member = PACK[ending](b"#" * 500 * 1024 + b"\n")
    path = written(tmp_path / f"bomb{ending}", member * 4)
    with pytest.raises(FileError) as caught:
        uj.read_run(path)
    assert str(caught.value) == f"{path}: {REFUSED}"


def test_the_limit_can_be_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"".join(b"1 Q0 d%d 1 1 x\n" % row for row in range(10)) + b"\n" * 2 * MB
    path = written(tmp_path / "run.gz", gzip.compress(text))
    monkeypatch.setenv("UNJUDGED_UNPACK_LIMIT", "1")
    with pytest.raises(FileError, match="this unpacks to more than 1 MB and"):
        uj.read_run(path)
    monkeypatch.setenv("UNJUDGED_UNPACK_LIMIT", "3")
    assert len(uj.read_run(path)) == 10
    for wrong in ("many", "-1", "1.5", "9" * 5000):
        monkeypatch.setenv("UNJUDGED_UNPACK_LIMIT", wrong)
        with pytest.raises(InputError) as caught:
            uj.read_run(path)
        assert str(caught.value).startswith(f"UNJUDGED_UNPACK_LIMIT is a whole number of MB, not '{wrong[:100]}")


READERS: dict[str, tuple[bytes, Callable[[str], object]]] = {
    "qrels": (QRELS_ROW, uj.read_qrels),
    "raw qrels": (QRELS_ROW, raw_qrels),
    "raw run": (RUN_ROW, lambda path: raw_run(RunSource(path))),
    "pool": (b"1 d\n", uj.read_pool),
    "labels": (QRELS_ROW, lambda path: uj.score({"1": {"d": 1}}, {"1": {"d": 1.0}}, "P@1", holes=f"labels({path})")),
    "groups": (b"# a comment\n", read_groups),
    "order": (b"# a comment\n", read_order),
    "topics": (b"1\ta text\n", read_titles),
    "texts": (b"d1\ta text\n", lambda path: list(documents(path))),
}


@pytest.mark.usefixtures("one_megabyte")
@pytest.mark.parametrize("name", READERS)
def test_every_reader_refuses(name: str, tmp_path: Path) -> None:
    row, read = READERS[name]
    path = written(tmp_path / "bomb.gz", gzip.compress(row * (2 * MB // len(row))))
    with pytest.raises(FileError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: {REFUSED}"


@pytest.mark.usefixtures("one_megabyte")
def test_probabilities_of_subtopics_are_refused_too(tmp_path: Path) -> None:
    qrels = uj.read_qrels(written(tmp_path / "qrels", b"1 1 d 1\n1 2 d 1\n"))
    path = written(tmp_path / "bomb.gz", gzip.compress(b"1 1 0.5\n" * (MB // 4)))
    with pytest.raises(FileError) as caught:
        with_intents(qrels, path)
    assert str(caught.value) == f"{path}: {REFUSED}"


@pytest.mark.usefixtures("one_megabyte")
def test_a_parquet_file_of_the_same_row_is_refused_before_it_is_read(tmp_path: Path) -> None:
    rows = 100_000
    same = pyarrow.DictionaryArray.from_arrays(np.zeros(rows, dtype=np.int32), ["d"])
    table = pyarrow.table({"query_id": same, "doc_id": same, "score": np.zeros(rows), "relevance": np.zeros(rows)})
    path = str(tmp_path / "bomb.parquet")
    pyarrow.parquet.write_table(table, path)
    for read in (uj.read_run, uj.read_qrels, uj.read_pool, raw_qrels):
        with pytest.raises(FileError) as caught:
            read(path)
        assert str(caught.value) == f"{path}: {REFUSED}"


@pytest.mark.usefixtures("one_megabyte")
def test_a_parquet_file_of_rows_that_differ_may_be_of_any_size(tmp_path: Path) -> None:
    rows = 100_000
    columns = {"query_id": ["1"] * rows, "doc_id": list(map(str, range(rows))), "score": np.arange(rows) / 7}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "run.parquet")
    assert len(uj.read_run(tmp_path / "run.parquet")) == rows


# ---- nothing at all


def peak_memory(work: Callable[[], object]) -> int:
    """The most memory that *work* has at one time, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_blank_lines_are_not_kept(tmp_path: Path) -> None:
    """Four times as many of them take no more memory."""

    def refused(read: Callable[[str], object], size: int, message: str) -> int:
        path = written(tmp_path / "blank", b"\n" * size)

        def work() -> None:
            with pytest.raises(FileError) as caught:
                read(path)
            assert str(caught.value) == f"{path}: {message}"

        return peak_memory(work)

    for read, message in (
        (uj.read_run, "there is no data, only comments or blank lines"),
        (uj.read_qrels, "there is no data, only comments or blank lines"),
        (lambda path: list(documents(path)), "the file is empty"),
    ):
        assert refused(read, 8 * MB, message) < 1.1 * refused(read, 2 * MB, message)


@pytest.mark.parametrize("row", [b"{", b"<DOC> </DOC>", b"id\ttext\na"])
def test_lines_are_counted_through_blank_ones(row: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "texts", b"\n" * 3 * MB + row + b"\n")
    with pytest.raises(FileError) as caught:
        list(documents(path))
    assert caught.value.line == 3 * MB + 1 + row.count(b"\n")


# ---- ids that nobody wants to read in a message


@pytest.mark.parametrize(
    ("read", "row", "message"),
    [
        (uj.read_run, "{0} Q0 {0} 1 1 x", "document {1} is ranked twice for topic {1} (first in line 1); "),
        (uj.read_qrels, "{0} 0 {0} 1", "document {1} is judged twice for topic {1} (first in line 1); "),
        (read_groups, "{0} a", "{1} is listed twice"),
        (read_order, "{0}", "{1} is listed twice"),
    ],
)
def test_long_ids_are_shown_in_part(read: Callable[[str], object], row: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "long", 2 * f"{row.format('x' * 5000)}\n".encode())
    with pytest.raises(FileError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:2: {message.format('', repr('x' * 5000)[:197] + '...')}")
    assert len(str(caught.value)) < 1000


# ---- memory that is not there


@pytest.mark.parametrize(
    ("place", "read"),
    [
        ("unjudged.io.rows.build_run", uj.read_run),
        ("unjudged.io.rows.build_qrels", uj.read_qrels),
        ("unjudged.io.trec.read_columns", uj.read_pool),
        ("unjudged.io.raw.read_columns", lambda path: raw_run(RunSource(path))),
    ],
)
def test_a_file_that_does_not_fit_is_named(
    place: str, read: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(place, no_memory)
    row = QRELS_ROW if read in (uj.read_qrels, uj.read_pool) else RUN_ROW
    path = written(tmp_path / "large", row)
    with pytest.raises(FileError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: there is not enough memory to read it"


def limited() -> None:
    import resource  # Windows has no such module

    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no limit of address space")
def test_four_gigabytes_of_rows_in_a_process_of_two(tmp_path: Path) -> None:
    member = gzip.compress(RUN_ROW * (16 * MB // len(RUN_ROW)))
    bomb = written(tmp_path / "bomb.gz", member * 256)
    qrels = written(tmp_path / "qrels", QRELS_ROW)
    done = subprocess.run(
        [sys.executable, "-m", "unjudged", "score", qrels, bomb, "-m", "P@5"],
        capture_output=True,
        text=True,
        preexec_fn=limited,
        env={**os.environ, "UNJUDGED_UNPACK_LIMIT": "32", "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"unjudged: {bomb}: {REFUSED.replace('1 MB', '32 MB')}\n"
