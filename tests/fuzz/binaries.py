"""Binary files: Parquet, blocks of a store, kept term counts. Half of the checksums are right, as an enemy's are."""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from hostile import HOSTILE_TEXTS, a_doc, a_topic, a_word, one_of
from kinds import Kind, Make, in_file
from mutations import mutated_bytes

import unjudged as uj
from unjudged.engine.execution.result_store import Store
from unjudged.io.text_cache import load_texts, save_texts
from unjudged.version import __version__

__all__ = ["KINDS"]

pyarrow: Any = None
with suppress(ImportError):
    pyarrow = import_module("pyarrow")
    import_module("pyarrow.parquet")


# ---- Parquet


def _column(rng: Random, usual: list[Any]) -> Any:
    """A column with the usual values, or of another type than they have."""
    texts, size = list(map(str, usual)), len(usual)
    make = one_of(
        rng,
        (lambda: pyarrow.array(usual),),
        (
            lambda: pyarrow.array(texts),
            lambda: pyarrow.array(texts).dictionary_encode(),
            lambda: pyarrow.array([text.encode() for text in texts]),
            lambda: pyarrow.array([b"\xff\xfe"] * size),
            lambda: pyarrow.array([None] * size),
            lambda: pyarrow.array([None, *usual[1:]]),
            lambda: pyarrow.array([float("nan")] * size),
            lambda: pyarrow.array([1e308, *[float("-inf")] * (size - 1)]),
            lambda: pyarrow.array([2**64 - 1] * size, pyarrow.uint64()),
            lambda: pyarrow.array([True] * size),
            lambda: pyarrow.array([[1]] * size),
            lambda: pyarrow.array([{"a": 1}] * size),
            lambda: pyarrow.array(range(size), pyarrow.timestamp("ns")),
            lambda: pyarrow.array(range(size), pyarrow.int8()),
            lambda: pyarrow.array([rng.choice(HOSTILE_TEXTS) for _ in usual]),
        ),
        0.08,
    )
    return make()


def _table(rng: Random, columns: dict[str, list[Any]]) -> bytes:
    names = [one_of(rng, (name,), (name.upper(), "", "\0", "other", *columns), 0.05) for name in columns]
    arrays = [_column(rng, usual) for usual in columns.values()]
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, names), out)
    return mutated_bytes(rng, out.getvalue())


def _parquet(last: str) -> Make:
    def make(rng: Random) -> bytes:
        pairs = list(dict.fromkeys((a_topic(rng), a_doc(rng)) for _ in range(rng.randint(1, 8))))
        columns: dict[str, list[Any]] = {"query_id": [topic for topic, _ in pairs], "doc_id": [doc for _, doc in pairs]}
        if last == "text":
            del columns["query_id"]
            columns["text"] = [a_word(rng) for _ in pairs]
        else:
            number = rng.randint if last == "relevance" else rng.uniform
            columns[last] = [number(-2, 3) for _ in pairs]
        return _table(rng, columns)

    return make


# ---- our own files


def _array(rng: Random) -> bytes:
    """An array in NumPy's format, or nearly so."""
    shape = one_of(rng, ((3,), (0,), (2, 2)), ((1,) * 33,))
    out = io.BytesIO()
    np.save(out, np.zeros(shape, dtype=one_of(rng, ("<i8", "<f8", "|u1"), ("<U3", ">f4", "|b1", "<M8[ns]"))))
    data = out.getvalue()
    headers = b"{'descr' (3,) (-3,) (10**9,) (99999999999,) False '|O' '<i8' ( \\".split()
    for _ in range(rng.choice((0, 0, 1, 2))):
        data = data.replace(rng.choice(headers), rng.choice(headers), 1)
    return data if rng.random() < 0.5 else mutated_bytes(rng, data)


def _block(rng: Random) -> bytes:
    out = io.BytesIO()
    with import_module("zipfile").ZipFile(out, "w") as archive:
        for name in ("values.npy", one_of(rng, ("counts.npy",), ("values.npy", "../x.npy", "\0", "plain"), 0.2)):
            info = import_module("zipfile").ZipInfo(name)  # with a fixed date
            with import_module("warnings").catch_warnings():
                import_module("warnings").simplefilter("ignore")  # of two members with one name
                archive.writestr(info, _array(rng))
    return _sealed(rng, b"", out.getvalue())


def _sealed(rng: Random, magic: bytes, content: bytes, after: bytes = b"") -> bytes:
    """With a checksum, which is right for what was changed before and wrong for what is changed after."""
    before = rng.random() < 0.5
    content = mutated_bytes(rng, content) if before else content
    sealed = magic + hashlib.sha256(content).hexdigest().encode() + after + content
    return sealed if before else mutated_bytes(rng, sealed)


def _use_block(data: bytes, folder: Path) -> object:
    store, key = Store(folder / "store"), "ab" * 32
    path = folder / "store" / key[:2] / f"{key}.block"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return store.get(key), store.damaged


def _label(rng: Random) -> bytes:
    version = one_of(rng, (__version__,), (*HOSTILE_TEXTS, 1, None, []), 0.2)
    label = json.dumps({"format": rng.choice((1, 2, "1", None, [])), "version": version})
    return mutated_bytes(rng, one_of(rng, (label,), ("[" * 100_000,)).encode())


def _use_label(data: bytes, folder: Path) -> object:
    (folder / "labelled").mkdir(exist_ok=True)
    (folder / "labelled" / "unjudged-store.json").write_bytes(data)
    Store(folder / "labelled")
    return "a store"


_MAGIC = b"unjudged texts 1 "
_KEPT: list[bytes] = []


def _kept(rng: Random) -> bytes:
    """Kept term counts, with arrays changed or put in each other's place."""
    if not _KEPT:
        with import_module("tempfile").TemporaryDirectory() as folder:
            path = Path(folder) / "kept.texts"
            save_texts(path, uj.read_texts({"d1": "one two two", "d2": "three"}), None)
            _KEPT.append(path.read_bytes()[len(_MAGIC) + 65 :])
    arrays = [b"\x93NUMPY" + part for part in _KEPT[0].split(b"\x93NUMPY")[1:]]
    for _ in range(rng.choice((0, 0, 1, 2))):
        arrays[rng.randrange(len(arrays))] = rng.choice((*arrays, _array(rng), _array(rng)))
    return _sealed(rng, _MAGIC, b"".join(arrays), b"\n")


def _use_kept(data: bytes, folder: Path) -> object:
    path = folder / "kept.texts"
    path.write_bytes(data)
    result = load_texts(path)
    return None if result is None else (result.texts, result.wanted)


KINDS = [
    Kind("parquet-qrels", _parquet("relevance"), in_file(uj.read_qrels, "file.parquet"), needs="pyarrow"),
    Kind("parquet-run", _parquet("score"), in_file(uj.read_run, "file.parquet"), needs="pyarrow"),
    Kind("parquet-pool", _parquet("relevance"), in_file(uj.read_pool, "file.parquet"), needs="pyarrow"),
    Kind("parquet-texts", _parquet("text"), in_file(uj.read_texts, "file.parquet"), needs="pyarrow"),
    Kind("store-block", _block, _use_block),
    Kind("store-label", _label, _use_label),
    Kind("text-cache", _kept, _use_kept, weight=2),
]
