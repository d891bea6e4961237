"""Blocks of whole lines, from files and pipes, in bounded memory."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_files import JUDGED, PACK, QRELS, RUN, judgments, write

import unjudged as uj
from unjudged.errors import InputError
from unjudged.io import sources
from unjudged.io.sources import digest, line_blocks

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


# ---- the blocks themselves


@quick
@given(text=st.text(st.sampled_from("ab\n\r é\ufeff"), max_size=80), block=st.integers(1, 90))
def test_blocks_are_whole_lines_and_lose_nothing(text: str, block: int, tmp_path: Path) -> None:
    path = write(tmp_path / "t", text)
    try:
        blocks = list(line_blocks(str(path), block_bytes=block))
    except InputError as problem:
        assert "CR alone" in str(problem) and "\n" not in text
        return
    assert all(one.endswith(b"\n") for one in blocks[:-1])
    lines = [line.removeprefix("\ufeff") for line in text.split("\n")]
    assert b"".join(blocks).decode() == "\n".join(lines)


def test_lines_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LINE_LIMIT", 100)
    for block in (1, 99, 100):
        text = b"x" * 100 + b"\n"
        assert b"".join(line_blocks(str(write(tmp_path / "t", text * 3)), block_bytes=block)) == text * 3
        with pytest.raises(InputError, match=":2: the line is longer than 100 bytes"):
            list(line_blocks(str(write(tmp_path / "t", text + b"x" + text)), block_bytes=block))


def test_a_stream_object_is_no_path() -> None:
    with pytest.raises(InputError, match=r"expected .* tuples, got '301 0 d1 1"):
        uj.read_qrels(io.StringIO(QRELS))


# ---- pipes


def run_python(script: str, stdin: bytes = b"") -> str:
    done = subprocess.run([sys.executable, "-c", script], input=stdin, capture_output=True, check=False)
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.mark.parametrize("ending", list(PACK))
def test_standard_input(ending: str) -> None:
    script = "import unjudged as uj; run = uj.read_run('-'); print(run.name, run.source, run.ranking('301'))"
    assert run_python(script, PACK[ending](RUN.encode())) == "mine - [('d2', 0.75), ('d1', 0.5)]\n"


def test_standard_input_stays_open() -> None:
    script = "import sys, unjudged as uj; uj.read_qrels('-'); print(sys.stdin.buffer.closed, sys.stdin.read() == '')"
    assert run_python(script, QRELS.encode()) == "False True\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_a_pipe_that_gives_one_byte_at_a_time(ending: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def feed() -> None:
        with pipe.open("wb", buffering=0) as stream:
            for byte in PACK[ending](QRELS.encode()):
                stream.write(bytes([byte]))

    feeder = threading.Thread(target=feed)
    feeder.start()
    assert digest(str(pipe)) is None  # a pipe can be read only once, so its hash is not taken
    assert judgments(uj.read_qrels(pipe)) == JUDGED
    feeder.join()


def test_digest(tmp_path: Path) -> None:
    path = write(tmp_path / "q", "abc")
    assert digest(str(path)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest("-") is digest("ir_datasets:a") is digest(str(tmp_path / "none")) is None
