"""Work for plans in tests, in a module that workers can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from unjudged.engine.execution.plan import Arrays, Block, Plan


def add_up(shared: np.ndarray, item: tuple[int, str]) -> Arrays:
    """A sum that depends on the shared array and the item; some items kill or fail, as their word says."""
    number, what = item
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "fail":
        raise ValueError(f"block {number} cannot be computed")
    if what.startswith("die once "):
        # Whoever creates the file is the first.
        try:
            Path(what.removeprefix("die once ")).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    if what == "slow":
        time.sleep(0.05)
    return {"sum": np.array([shared.sum() * number]), "sines": np.sin(shared[:10] + number)}


def plan_of(words: list[str], shared: np.ndarray | None = None) -> Plan:
    blocks = tuple(Block((i, word), f"block {i}") for i, word in enumerate(words))
    return Plan(add_up, np.arange(300_000.0) if shared is None else shared, blocks, "some identity")
