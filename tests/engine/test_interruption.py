"""Ctrl-C while processes start or work: they say nothing, and nobody is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """
import time
from unjudged.engine.execution.plan import Block, Plan
from unjudged.engine.execution.execute import Engine, run_plan

def work(shared, item):
    time.sleep(60)
    return {}

print("started", flush=True)
try:
    run_plan(Plan(work, None, tuple(Block(i, str(i)) for i in range(4)), "slow"), Engine(jobs=2))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes that get a signal together")
@pytest.mark.parametrize("seconds", [0.8, 3.0])  # while processes start, and while they work
def test_processes_say_nothing_and_go(seconds: float) -> None:
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        out, err = process.communicate(timeout=30)
    assert (out, err) == ("interrupted\n", "")
    assert _gone(process.pid)


def _gone(group: int) -> bool:
    for _ in range(300):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
