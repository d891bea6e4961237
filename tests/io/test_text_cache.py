"""The cache of term counts: the same results with and without it, whatever happened to its files."""

from __future__ import annotations

import hashlib
import io
import multiprocessing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_files import write

import unjudged as uj
from unjudged.data.ids import Ids
from unjudged.errors import FileError, InputError
from unjudged.io import text_cache, texts

TSV = "d1\tone two\nd2\ttwo three\nd3\tfour\n"


def same(a: uj.Texts, b: uj.Texts) -> bool:
    arrays = all(np.array_equal(getattr(a, n), getattr(b, n)) for n in ("offsets", "terms", "counts", "collection"))
    return arrays and (a.docs, a.words, a.tokens, a.documents) == (b.docs, b.words, b.tokens, b.documents)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which files were read, and not taken from the cache."""
    seen: list[str] = []
    read = texts.documents

    def watched(source: str, kind: texts.TextFormat):
        seen.append(Path(source).name)
        return read(source, kind)

    monkeypatch.setattr(texts, "documents", watched)
    return seen


def test_a_file_is_read_once(tmp_path: Path, reads: list[str]) -> None:
    path, cache = write(tmp_path / "docs.tsv", TSV), tmp_path / "a" / "cache"
    first = uj.read_texts(path, cache=cache)
    assert same(uj.read_texts(path, cache=cache), first)
    assert reads == ["docs.tsv"]
    copy = write(tmp_path / "elsewhere.tsv", TSV)
    assert same(uj.read_texts(copy, cache=cache), first)  # the name is another, and plain texts are known by it
    assert reads == ["docs.tsv", "elsewhere.tsv"]


def test_what_was_asked_for_before_changes_nothing(tmp_path: Path, reads: list[str]) -> None:
    path, cache = write(tmp_path / "docs.tsv", TSV), tmp_path / "cache"
    for wanted in (["d1"], ["d2"], ["d1", "d2"], ["d2", "elsewhere"], ["elsewhere", "d1"], None, ["d3"], ["d9", "d3"]):
        assert same(uj.read_texts(path, wanted, cache=cache), uj.read_texts(path, wanted))
    # Each pair is one reading for the cache and one without; the third, fifth, seventh and eighth need no reading.
    assert len(reads) == 4 + 8
    assert len(list(cache.iterdir())) == 1


def test_documents_that_are_not_there_are_said_with_and_without_the_cache(tmp_path: Path) -> None:
    path, cache = write(tmp_path / "docs.tsv", TSV), tmp_path / "cache"
    for wanted in (["x"], ["d2"], ["x"], ["d2", "x"], ["x"]):
        if wanted != ["x"]:
            uj.read_texts(path, wanted, cache=cache)
            continue
        with pytest.raises(InputError) as caught:
            uj.read_texts(path, wanted, cache=cache)
        assert str(caught.value).startswith(
            f"{path}: none of the wanted documents is in the texts (one that is there is "
        )


@pytest.mark.parametrize("change", [{"stop_words": ["two"]}, {"term_counts": "counts"}, {"format": "tsv"}])
def test_other_ways_to_read_have_their_own_file(tmp_path: Path, change: dict[str, object]) -> None:
    path, cache = write(tmp_path / "docs.tsv", TSV), tmp_path / "cache"
    if "term_counts" in change:
        change = {"term_counts": str(write(tmp_path / "counts", "two 9\nthree 1\n"))}
    uj.read_texts(path, ["d2"], cache=cache)
    for _ in range(2):
        assert same(uj.read_texts(path, ["d2"], cache=cache, **change), uj.read_texts(path, ["d2"], **change))
    assert len(list(cache.iterdir())) == 2


def test_other_content_has_its_own_file(tmp_path: Path) -> None:
    path, cache = write(tmp_path / "docs.tsv", TSV), tmp_path / "cache"
    uj.read_texts(path, cache=cache)
    write(path, TSV.replace("four", "five"))
    assert uj.read_texts(path, cache=cache).counts_of("d3") == {"five": 1}


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_a_damaged_file_is_as_good_as_none(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("cache")
    path = write(folder / "docs.tsv", TSV)
    truth = uj.read_texts(path, cache=folder / "cache")
    [kept] = (folder / "cache").iterdir()
    good = kept.read_bytes()
    if data.draw(st.booleans()):
        bad = good[: data.draw(st.integers(0, len(good) - 1))]
    else:
        at = data.draw(st.integers(0, len(good) - 1))
        bad = good[:at] + bytes([good[at] ^ data.draw(st.integers(1, 255))]) + good[at + 1 :]
    kept.write_bytes(bad)
    assert text_cache.load_texts(kept) is None
    assert same(uj.read_texts(path, cache=folder / "cache"), truth)
    assert kept.read_bytes() == good  # mended


def test_a_right_checksum_over_wrong_arrays_is_not_trusted(tmp_path: Path) -> None:
    kept = tmp_path / "x.texts"
    header = text_cache._MAGIC + b"0" * 64 + b"\n"
    with kept.open("w+b") as stream:
        stream.write(header)
        np.save(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
        stream.seek(len(text_cache._MAGIC))
        stream.write(text_cache._checksum(stream).encode())
    assert text_cache.load_texts(kept) is None


# ---- what somebody wrote on purpose, with a checksum that is right


def signed(arrays: bytes) -> bytes:
    return text_cache._MAGIC + hashlib.sha256(arrays).hexdigest().encode() + b"\n" + arrays


def arrays_of(texts_: uj.Texts) -> bytes:
    out = io.BytesIO()
    text_cache._write_arrays(out, texts_, texts_.docs)
    return out.getvalue()


SMALL = uj.read_texts({"d1": "one two two", "d2": "two three", "d3": "four ünf"})


def use(result: uj.Texts) -> None:
    """What studies do with texts: look documents up, and go through their terms and words."""
    for doc in [*result.docs, "d1", "elsewhere"]:
        result.counts_of(doc)
    assert result.only(np.arange(len(result)) % 2 == 0).lengths.min(initial=0) >= 0
    assert 0 <= result.share.sum() <= 1 + 1e-9


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
def test_whatever_is_signed_can_be_used_or_is_as_good_as_none(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(arrays_of(SMALL))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    kept = tmp_path / "x.texts"
    kept.write_bytes(signed(bytes(content)))
    result = text_cache.load_texts(kept)
    if result is not None:
        use(result.texts)


numbers = st.integers(-2, 9) | st.sampled_from([-(2**31), 2**31 - 1])


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
def test_arrays_that_do_not_fit_each_other_are_as_good_as_none(tmp_path: Path, data: st.DataObject) -> None:
    """Whole arrays of the right type, with another length or number: offsets out of range, rows that overlap."""
    column = data.draw(st.sampled_from(["offsets", "terms", "counts", "collection", "docs", "words", "tokens"]))
    old = getattr(SMALL, column)
    if column == "tokens":
        changed = replace(SMALL, tokens=data.draw(numbers))
    else:
        array = (old.offsets if isinstance(old, Ids) else old).copy()
        array = np.resize(array, max(0, len(array) + data.draw(st.integers(-1, 1))))
        if len(array):
            array[data.draw(st.integers(0, len(array) - 1))] = data.draw(numbers)
        changed = replace(SMALL, **{column: Ids(old.blob, array) if isinstance(old, Ids) else array})
    kept = tmp_path / "x.texts"
    kept.write_bytes(signed(arrays_of(changed)))
    result = text_cache.load_texts(kept)
    if result is not None:
        use(result.texts)


def header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "first",
    [
        header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,\n"),  # tokenize.TokenError
        header(b"(" * 4000),
        header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000000,)}\n"),  # MemoryError
        header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 10000000000000000000000)}\n"),  # OverflowError
        header(b"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}\n") + bytes(24),
        header(b"{'descr': '<M8[xx]', 'fortran_order': False, 'shape': (3,)}\n") + bytes(24),
        b"\x93NUMPY\x09\x00",
    ],
)
def test_headers_that_make_numpy_stumble(tmp_path: Path, first: bytes) -> None:
    path, cache = write(tmp_path / "docs.tsv", TSV), tmp_path / "cache"
    truth = uj.read_texts(path, cache=cache)
    [kept] = cache.iterdir()
    arrays = kept.read_bytes()[text_cache._HEADER :]
    end = arrays.index(b"\n") + 1 + 24  # three numbers
    kept.write_bytes(signed(first + arrays[end:]))
    assert text_cache.load_texts(kept) is None
    assert same(uj.read_texts(path, cache=cache), truth)
    assert text_cache.load_texts(kept) is not None


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = write(tmp_path / "docs.tsv", TSV), tmp_path / "cache"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(text_cache, "_write_arrays", full)
    with pytest.raises(FileError) as caught:
        uj.read_texts(path, cache=cache)
    assert str(caught.value) == f"{cache}: term counts cannot be kept here: No space left on device"
    assert list(cache.iterdir()) == []


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    path = write(tmp_path / "docs.tsv", TSV)
    with pytest.raises(FileError) as caught:
        uj.read_texts(path, cache=path / "cache")
    assert str(caught.value) == f"{path / 'cache'}: term counts cannot be kept here: Not a directory"


def _read(path: Path, cache: Path) -> int:
    return uj.read_texts(path, cache=cache).tokens


def test_many_may_write_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "docs.tsv", TSV)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert pool.starmap(_read, [(path, tmp_path / "cache")] * 8) == [5] * 8
    [kept] = (tmp_path / "cache").iterdir()
    assert text_cache.load_texts(kept) is not None
