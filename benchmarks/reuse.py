"""Speed and memory of `unjudged reuse` on TREC-8, from files to tables, with one and with two processes.

    python -B benchmarks/reuse.py ../shared/data/trec8

Each measurement is the command in a new process. Prints a table as Markdown; benchmarks/REUSE.md keeps what was
measured.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

STUDIES = {
    "41 left-out groups x 4 hole models, nDCG@10, 1,000 draws": [
        *("--groups", "{folder}/runs-pids", "--degrade", "LeaveOutGroup", "-m", "nDCG@10"),
        *("--holes", "nonrelevant", "--holes", "condensed", "--holes", "bounds", "--holes", "bootstrap"),
    ],
    "10 levels x 10 random pools x 5 measures of the AP family": [
        *("--degrade", "KeepFraction(1%,2%,5%,10%,20%,30%,40%,50%,70%,90%)", "--repeat", "10"),
        *("-m", "AP", "-m", "Bpref(form='paper',plus=10)", "-m", "indAP", "-m", "subAP", "-m", "infAP"),
        *("--truth", "AP", "--holes", "nonrelevant"),
    ],
}


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    out = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            out += family(int(child))
    return out


def memory(pid: int) -> float:
    """Resident memory of the family in MB; what processes share counts once (proportional set size)."""
    total = 0
    for one in family(pid):
        for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def measure(command: list[str]) -> tuple[float, float, float]:
    """Wall-clock seconds, seconds of processor time of all processes, and the highest memory seen, in MB."""
    before, began = os.times(), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    highest = 0.0

    def watch() -> None:
        nonlocal highest
        while process.poll() is None:
            with contextlib.suppress(OSError, ValueError):  # a process may end while it is looked at
                highest = max(highest, memory(process.pid))
            time.sleep(0.5)

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    wall, after = time.perf_counter() - began, os.times()
    watcher.join()
    if code:
        raise SystemExit(f"the command failed: {' '.join(command)}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, highest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    print(
        f"{given.repeat} measurements each, load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
    )
    print("| study | processes | wall clock, s (range) | processor time, s | memory, MB |\n|---|---|---|---|---|")
    for name, options in STUDIES.items():
        for jobs in ("1", "2"):
            command = [sys.executable, "-m", "unjudged", "reuse"]
            command += [str(given.folder / "trec8.qrels"), str(given.folder / "runs"), "--quiet", "--jobs", jobs]
            command += [option.format(folder=given.folder) for option in options]
            measured = [measure(command) for _ in range(given.repeat)]
            walls, cpus, memories = zip(*measured, strict=True)
            spread = f"{statistics.median(walls):.1f} ({min(walls):.1f} to {max(walls):.1f})"
            row = [name, jobs, spread, f"{statistics.median(cpus):.1f}", f"{max(memories):.0f}"]
            print("| " + " | ".join(row) + " |", flush=True)
    print(f"\nload average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
