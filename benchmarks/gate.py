"""Time `unjudged gate` on two runs of 1,000 queries with 100 documents each, whole processes, and write GATE.md.

python -B benchmarks/gate.py                 # five processes for each line
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np
from environments import HERE, machine

QUERIES, DEPTH, POOL, SEED = 1000, 100, 60, 42
TARGET = 2.0
CASES = {
    "nothing unjudged, not worse": ("better.run", ()),
    "30% unjudged, undecided, with what to judge": ("new.run", ()),
    "the same, two measures and three segments": (
        "new.run",
        ("-m", "nDCG@10", "-m", "P@10", "--segments", "segments.tsv"),
    ),
}
"""The candidate of each line, and more options."""


def write_collection(folder: Path) -> None:
    """Judgments, a baseline, a candidate without holes, and one that has an unjudged document at 3 of 10 ranks."""
    rng = np.random.default_rng(SEED)
    grades = rng.choice([0, 0, 1, 2, 3], (QUERIES, POOL))
    with (folder / "qrels.txt").open("w") as qrels:
        for query, row in enumerate(grades.tolist()):
            qrels.writelines(f"q{query} 0 d{query}_{doc} {grade}\n" for doc, grade in enumerate(row))
    (folder / "segments.tsv").write_text("".join(f"q{query} s{query % 3}\n" for query in range(QUERIES)))
    for name, noise, new in (("old", 2.5, 0.0), ("better", 2.0, 0.0), ("new", 1.5, 0.3)):
        with (folder / f"{name}.run").open("w") as run:
            for query in range(QUERIES):
                order = np.argsort(-(grades[query] + noise * rng.normal(size=POOL))).tolist()
                docs = [f"d{query}_{doc}" for doc in order] + [f"rest{query}_{r}" for r in range(DEPTH - POOL)]
                found = rng.random(DEPTH) < new
                docs = [f"{name}{query}_{r}" if found[r] else doc for r, doc in enumerate(docs)]
                run.writelines(f"q{query} Q0 {doc} {r + 1} {DEPTH - r} {name}\n" for r, doc in enumerate(docs))


def timed(folder: Path, candidate: str, options: tuple[str, ...]) -> tuple[float, float]:
    """Seconds of wall clock and of the processor, of a process from its start to its end."""
    command = [sys.executable, "-m", "unjudged", "gate", "qrels.txt", "old.run", candidate, *options, "--quiet"]
    before, begin = os.times(), time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - begin, os.times()
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, used


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5, help="processes for each line")
    given = parser.parse_args()
    lines = ["| | wall clock, s | best | processor, s | best |", "|---|--:|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_collection(folder)
        for words, (candidate, options) in CASES.items():
            walls, used = zip(*(timed(folder, candidate, options) for _ in range(given.repeat)), strict=True)
            lines.append(f"| {words} | {median(walls):.2f} | {min(walls):.2f} | {median(used):.2f} | {min(used):.2f} |")
    text = (
        f"# A decision about a release\n\nMade by `python -B benchmarks/gate.py` on {datetime.now(UTC):%Y-%m-%d},"
        f" {machine()}. Medians and the best of {given.repeat} processes, from start to end.\n\n{QUERIES:,} queries,"
        f" two runs with {DEPTH} documents each, {POOL} judged documents for each query, nDCG@10, 1,000 draws. Target:"
        f" below {TARGET:g} s.\n\n" + "\n".join(lines) + "\n"
    )
    (HERE / "GATE.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
