"""What all blocks look at, laid out for other processes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from unjudged.engine.execution import worker_processes as module
from unjudged.engine.execution.worker_processes import CAN_MAP, mapped

pytestmark = pytest.mark.skipif(not CAN_MAP, reason="this system has no memory without a name; joblib's files are used")


@dataclass(frozen=True, eq=False)
class Content:
    words: tuple[str, ...]
    numbers: np.ndarray
    letters: np.ndarray
    none: np.ndarray


CONTENT = Content(("a", "b"), np.arange(1000.0), np.frombuffer(b"xyz", dtype=np.uint8), np.zeros(0, dtype=np.int64))


def test_content_comes_back_as_it_was() -> None:
    with mapped(CONTENT) as sent:
        content = sent.get()
        assert sent.get() is content
    assert content.words == CONTENT.words
    for name in ("numbers", "letters", "none"):
        ours, theirs = getattr(CONTENT, name), getattr(content, name)
        assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())
        assert not theirs.flags.writeable


def test_content_without_arrays() -> None:
    with mapped("words") as sent:
        assert sent.get() == "words"


def test_only_the_latest_is_kept_open() -> None:
    with mapped("first") as first, mapped("second") as second:
        assert (first.get(), second.get(), first.get()) == ("first", "second", "first")
        assert len(module._opened) == 1


def test_what_goes_with_a_task_is_small_and_nothing_stays_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with mapped(CONTENT) as sent:
        assert len(sent.rest) < 1000
        assert sent.spans[-1][1] >= CONTENT.numbers.nbytes
    assert len(list(Path("/proc/self/fd").iterdir())) == before


SCRIPT = """
import numpy as np
import unjudged as uj
from unjudged.measures.base import Measure

class FirstGrade(Measure):
    name = "FirstGrade"
    def compute(self, view):
        first = view.offsets[:-1]
        return np.where(view.lengths > 0, view.grades[np.minimum(first, len(view.grades) - 1)], 0).astype(float)

qrels = {str(t): {f"d{i}": (i * t) % 3 for i in range(1, 9)} for t in range(1, 5)}
runs = {name: {t: {d: float(hash_ * (i + 1) % 7) for i, d in enumerate(docs)} for t, docs in qrels.items()}
        for name, hash_ in (("a", 3), ("b", 5), ("c", 2))}
result = uj.reuse(qrels, runs, FirstGrade(), degrade="LeaveOutRun(3)", holes="nonrelevant", jobs=2)
print(result.correlations()[0].measure)
"""


def test_a_script_may_define_a_measure_and_needs_no_guard(tmp_path: Path) -> None:
    """Workers do not run the script again, and get the class as it is."""
    script = tmp_path / "study.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, timeout=120)
    assert (done.stderr, done.stdout) == ("", "FirstGrade\n")
