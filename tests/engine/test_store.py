"""The store: what is there is whole, what is damaged counts as not there, and it says whose it is."""

from __future__ import annotations

import hashlib
import io
import json
import multiprocessing
import pickle
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unjudged.engine.execution import result_store as store_module
from unjudged.engine.execution.result_store import Store
from unjudged.errors import FileError

KEY = "ab" * 32
ARRAYS = {"values": np.array([[0.1, np.nan], [1e-300, -0.0]]), "counts": np.arange(5), "nothing": np.zeros((0, 3))}


def block_file(folder: Path) -> Path:
    (path,) = folder.glob("*/*.block")
    return path


def signed(content: bytes) -> bytes:
    """A block that is not damaged, whatever is in it."""
    return hashlib.sha256(content).hexdigest().encode() + content


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    Store(tmp_path).put(KEY, ARRAYS)
    stored = Store(tmp_path).get(KEY)
    assert stored.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert (stored[name].dtype, stored[name].shape) == (array.dtype, array.shape)
        assert stored[name].tobytes() == array.tobytes()
    assert Store(tmp_path).get("cd" * 32) is None
    assert len(list(tmp_path.rglob("*"))) == 3  # the label, a folder, the block: no drafts


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_blocks_count_as_not_there(tmp_path: Path, data: st.DataObject) -> None:
    store = Store(tmp_path)
    store.put(KEY, ARRAYS)
    path = block_file(tmp_path)
    whole = path.read_bytes()
    if data.draw(st.booleans()):
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    else:
        at = data.draw(st.integers(0, len(whole) - 1))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :])
    assert store.get(KEY) is None
    assert store.damaged == 1
    store.put(KEY, ARRAYS)
    assert store.get(KEY) is not None


def test_pickles_are_not_read(tmp_path: Path) -> None:
    class Bad:
        def __reduce__(self) -> tuple:
            return pytest.fail, ("a pickle was loaded",)

    out = io.BytesIO()
    np.savez(out, bad=np.array([Bad()], dtype=object))
    store = Store(tmp_path)
    store.put(KEY, ARRAYS)
    for content in (out.getvalue(), pickle.dumps(Bad())):
        block_file(tmp_path).write_bytes(signed(content))
        assert store.get(KEY) is None


def test_a_store_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "__version__", "0.0.9")
    Store(tmp_path / "s")
    monkeypatch.undo()
    message = (
        f"{tmp_path / 's'}: this store was made by unjudged 0.0.9, and this is {store_module.__version__};"
        " choose another folder for --store, or delete it"
    )
    with pytest.raises(FileError, match=f"^{re.escape(message)}$"):
        Store(tmp_path / "s")


def test_a_version_that_cannot_be_printed(tmp_path: Path) -> None:
    (tmp_path / "unjudged-store.json").write_text(json.dumps({"format": 1, "version": "9\n\x1b[2J"}))
    with pytest.raises(FileError, match=re.escape(r": this store was made by unjudged 9\n\x1b[2J, and this is ")):
        Store(tmp_path)


@pytest.mark.parametrize("label", ["", "{", "[]", json.dumps({"version": "1"}), "[" * 100_000])
def test_a_damaged_label(tmp_path: Path, label: str) -> None:
    (tmp_path / "unjudged-store.json").write_text(label)
    with pytest.raises(FileError, match=r"unjudged-store.json: is damaged; choose another folder for --store$"):
        Store(tmp_path)


def test_a_block_that_cannot_be_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / KEY[:2] / f"{KEY}.block").mkdir(parents=True)
    with pytest.raises(FileError, match=rf"{KEY}.block: this is a directory; a file is needed here$"):
        store.get(KEY)


def test_folders_that_are_no_stores(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(FileError, match=r": is not empty and not a store; choose another folder for --store$"):
        Store(tmp_path)
    with pytest.raises(FileError, match=r"thesis.txt: cannot be used as a store: "):
        Store(tmp_path / "thesis.txt")


# ---- what somebody wrote on purpose, with a checksum that is right


@settings(max_examples=300)
@given(st.data())
def test_whatever_is_signed_is_arrays_or_nothing(data: st.DataObject) -> None:
    content = bytearray(store_module._pack(ARRAYS)[64:])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        new = data.draw(st.binary(max_size=8))
        content[at : at + data.draw(st.integers(0, 8))] = new
    result = store_module._unpack(signed(bytes(content)))
    assert result is None or all(array.dtype.kind in "biuf" for array in result.values())


def npz(header: bytes, *, compression: int = zipfile.ZIP_STORED, name: str = "values.npy", rest: bytes = b"") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + rest
        archive.writestr(name, array)
    return out.getvalue()


FINE = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}\n"


def test_a_block_made_by_hand_is_read() -> None:
    """So that the ones below are refused for what they say, and not for how they are made."""
    result = store_module._unpack(signed(npz(FINE, rest=bytes(8))))
    assert result is not None
    assert result["values"].tolist() == [0.0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        npz(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,\n", rest=bytes(8)),  # tokenize.TokenError
        npz(b"(" * 4000 + b"\n"),
        npz(FINE.replace(b"(1,)", b"(1000000000000000,)"), rest=bytes(8)),  # MemoryError
        npz(FINE.replace(b"(1,)", b"(0, 10000000000000000000000)")),  # OverflowError
        npz(FINE.replace(b"(1,)", b"(-1, -1)"), rest=bytes(8)),
        npz(FINE.replace(b"<f8", b"|O"), rest=bytes(8)),
        npz(FINE.replace(b"<f8", b">f8"), rest=bytes(8)),
        npz(FINE.replace(b"'<f8'", b"[('a', '<f8')]"), rest=bytes(8)),
        npz(FINE, rest=bytes(7)),
        npz(FINE, rest=bytes(8), name="values.pickle"),
        npz(FINE, rest=bytes(8), compression=zipfile.ZIP_DEFLATED),
    ],
)
def test_signed_nonsense_counts_as_damaged(tmp_path: Path, content: bytes) -> None:
    store = Store(tmp_path)
    store.put(KEY, ARRAYS)
    block_file(tmp_path).write_bytes(signed(content))
    assert store.get(KEY) is None
    assert store.damaged == 1


# ---- several processes at once, and some that are killed


def test_others_may_open_it_at_any_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before and after each step, somebody else opens the same folder and keeps a result there."""
    seen: list[str] = []

    def interrupted(step: str, do: Callable[..., Any], moment: str, folder: Path) -> Callable[..., Any]:
        def other() -> None:
            monkeypatch.undo()
            Store(folder).put(KEY, ARRAYS)
            seen.append(step)

        def call(*args: Any, **how: Any) -> Any:
            if moment == "before":
                other()
            result = do(*args, **how)
            result = result if step != "iterdir" else iter(list(result))
            if moment == "after":
                other()
            return result

        return call

    steps = {"mkdir": Path, "exists": Path, "iterdir": Path, "replace": Path, "_replace": store_module}
    for step, owner in steps.items():
        for moment in ("before", "after"):
            folder = tmp_path / f"{step} {moment}"
            monkeypatch.setattr(owner, step, interrupted(step, getattr(owner, step), moment, folder))
            assert Store(folder).get(KEY) is not None, (step, moment)
            monkeypatch.undo()
    assert len(seen) == 2 * len(steps)


def _ready(gate: Barrier) -> None:
    global _gate
    _gate = gate


def _open(folder: Path) -> str:
    _gate.wait(60)
    try:
        Store(folder).put(hashlib.sha256(str(multiprocessing.current_process().pid).encode()).hexdigest(), ARRAYS)
    except FileError as problem:
        return str(problem)
    return "open"


def test_six_processes_open_it_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(6, _ready, [context.Barrier(6)]) as pool:
        for number in range(60):
            assert pool.map(_open, [tmp_path / str(number)] * 6, chunksize=1) == ["open"] * 6


KILLED = """
import os, sys
from pathlib import Path
from unjudged.engine.execution.result_store import Store
Path.replace = lambda draft, path: os._exit(9)
Store(sys.argv[1])
"""


def test_a_process_killed_before_it_names_its_draft(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    assert subprocess.run([sys.executable, "-c", KILLED, folder], check=False).returncode == 9
    (draft,) = folder.iterdir()
    assert re.fullmatch(r"\.unjudged-\d+-[0-9a-f]{8}", draft.name)
    Store(folder).put(KEY, ARRAYS)
    assert Store(folder).get(KEY) is not None


def test_drafts_of_something_else_are_not_ours(tmp_path: Path) -> None:
    (tmp_path / ".thesis.json.123.0123abcd").write_text("mine")
    with pytest.raises(FileError, match=r": is not empty and not a store; choose another folder for --store$"):
        Store(tmp_path)
