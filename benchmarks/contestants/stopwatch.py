"""What every contestant shares: two file arguments, a clock per phase, one line of JSON at the end."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Stopwatch:
    """Seconds per phase, and the means of every run.

    ``--phases`` asks for parse and score apart. Tools that read while they score do so only then: it is not their
    fastest way, so their cold total is taken without it.
    """

    def __init__(self) -> None:
        parser = argparse.ArgumentParser()
        parser.add_argument("--phases", action="store_true")
        parser.add_argument("qrels")
        parser.add_argument("runs", nargs="+")
        arguments = parser.parse_args()
        self.phases: bool = arguments.phases
        self.qrels: str = arguments.qrels
        self.runs: list[str] = arguments.runs
        self.seconds: dict[str, float] = {}
        self.means: dict[str, list[float]] = {}

    @contextmanager
    def time(self, phase: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - start

    def add(self, means: dict[str, float]) -> None:
        for measure, value in means.items():
            self.means.setdefault(measure, []).append(float(value))

    def report(self) -> None:
        line = {"seconds": self.seconds, "cpu": time.process_time(), "peak_mb": peak_mb(), "means": self.means}
        json.dump(line, sys.stdout)


def peak_mb() -> float:
    """Highest resident memory of this process.

    Linux hands ``ru_maxrss`` of the parent down to the child, so a small tool started by a big driver would look big;
    ``VmHWM`` starts anew with the process.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
