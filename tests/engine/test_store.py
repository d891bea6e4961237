"""The store: what is there is whole, what is damaged counts as not there, and it says whose it is."""

from __future__ import annotations

import io
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unjudged.engine import store as store_module
from unjudged.engine.store import Store
from unjudged.errors import FileError

KEY = "ab" * 32
ARRAYS = {"values": np.array([[0.1, np.nan], [1e-300, -0.0]]), "counts": np.arange(5), "nothing": np.zeros((0, 3))}


def block_file(folder: Path) -> Path:
    (path,) = folder.glob("*/*.block")
    return path


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    Store(tmp_path).put(KEY, ARRAYS)
    found = Store(tmp_path).get(KEY)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()
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
    import hashlib

    class Bad:
        def __reduce__(self) -> tuple:
            return pytest.fail, ("a pickle was loaded",)

    out = io.BytesIO()
    np.savez(out, bad=np.array([Bad()], dtype=object))
    store = Store(tmp_path)
    store.put(KEY, ARRAYS)
    for content in (out.getvalue(), pickle.dumps(Bad())):
        block_file(tmp_path).write_bytes(hashlib.sha256(content).hexdigest().encode() + content)
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
