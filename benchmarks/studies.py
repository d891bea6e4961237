"""What studies of real collections take, from files to tables, each against its target; writes benchmarks/STUDIES.md.

    python -B benchmarks/studies.py ../shared/data               # 10 to 15 minutes on two quiet cores
    python -B benchmarks/studies.py ../shared/data --only compare images --repeat 5 --print

Each measurement is the command in a new process; the middle of several is shown. ``images`` runs on one core, as
benchmarks/corpus.py measures it. ``workers`` divides the time with one process by that with two.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import evidence
import page
from targets import at_least, at_most

import reuse

HERE = Path(__file__).parent
IMAGES = 10_000


class Took(NamedTuple):
    """Seconds of a command: on the wall, and of all its processes together."""

    wall: float
    cpu: float


def command(*words: object) -> Took:
    """A command of unjudged."""
    wall, cpu, _ = reuse.measure([sys.executable, "-m", "unjudged", *map(str, words), "--quiet"])
    return Took(wall, cpu)


def compare(folder: Path, measure: str) -> Took:
    """All pairs of the runs of TREC-8, groups not known."""
    return command("compare", folder / "trec8/trec8.qrels", folder / "trec8/runs", "-m", measure)


def reused(folder: Path, jobs: int | None = None) -> Took:
    """``reuse`` of TREC-8 with its defaults."""
    at = folder / "trec8"
    options = ["--groups", at / "runs-pids", *([] if jobs is None else ["--jobs", jobs])]
    return command("reuse", at / "trec8.qrels", at / "runs", *options)


def random_pools(folder: Path, jobs: int) -> Took:
    """The second study of benchmarks/reuse.py."""
    at = folder / "trec8"
    return command("reuse", at / "trec8.qrels", at / "runs", "--jobs", jobs, *list(reuse.STUDIES.values())[1])


def reported(folder: Path, name: str) -> Took:
    """A report of all runs, groups known."""
    qrels, groups, topics, _ = page.COLLECTIONS[name]
    at = folder / name
    out = Path(os.environ.get("TMPDIR", "/tmp")) / f"unjudged-bench-{name}.html"
    took = command("report", at / qrels, at / "runs", "--groups", at / groups, "--topics", at / topics, "-o", out)
    out.unlink()
    return took


def images(folder: Path) -> Took:
    """10,000 images of 50 runs and six measures, on one core."""
    script = [sys.executable, "-B", str(HERE / "corpus.py"), str(folder / "trec8"), "--images", str(IMAGES)]
    shown = subprocess.check_output([*script, "--repeat", "1"], text=True)
    wall, cpu = (
        float(cell) for cell in re.findall(r"([\d.]+) \(", next(row for row in shown.splitlines() if "fast" in row))
    )
    return Took(wall, cpu)


def evidence_more(_: Path) -> Took:
    """What evidence adds to the bootstrap in ``score``, of the first 40 runs of TREC-8."""
    usual, asked = (evidence.measured(name) for name in ("bootstrap", "evidence"))
    return Took(asked["s"] - usual["s"], asked["cpu_s"] - usual["cpu_s"])


SECONDS: dict[str, tuple[str, Callable[[Path], Took], float]] = {
    "compare": ("`compare -m AP`, 129 runs of TREC-8", lambda at: compare(at, "AP"), 6),
    "compare-ndcg": ("`compare -m nDCG@10`, the same", lambda at: compare(at, "nDCG@10"), 3.5),
    "reuse": ("`reuse` of TREC-8 with its defaults", reused, 12),
    "evidence": ("`score` with evidence, 40 runs of TREC-8: more than the bootstrap", evidence_more, 0.8),
    "report-dl19": ("`report` of DL19", lambda at: reported(at, "dl19"), 4),
    "report-trec8": ("`report` of TREC-8", lambda at: reported(at, "trec8"), 15),
    "images": (f"{IMAGES:,} images, 50 runs, 6 measures, one core", images, 15),
}
WORKERS: dict[str, tuple[str, Callable[[Path, int], Took], float]] = {
    "workers-pools": ("two workers, random pools", random_pools, 1.7),
    "workers-groups": ("two workers, left-out groups with evidence", reused, 1.6),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=[*SECONDS, *WORKERS])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--print", action="store_true", help="show the table instead of writing it")
    given = parser.parse_args()
    load, rows = os.getloadavg()[0], []
    for name, (label, work, limit) in SECONDS.items():
        if not given.only or name in given.only:
            walls, cpus = zip(*(work(given.folder) for _ in range(given.repeat)), strict=True)
            wall = statistics.median(walls)
            cells = at_most(f"{label}, at most {limit:g} s", wall, limit, "s")
            rows.append([*cells, f"{statistics.median(cpus):.1f}", f"{min(walls):.1f} to {max(walls):.1f}"])
    for name, (label, of_jobs, limit) in WORKERS.items():
        if not given.only or name in given.only:
            one, two = (
                statistics.median(of_jobs(given.folder, jobs).wall for _ in range(given.repeat)) for jobs in (1, 2)
            )
            cells = at_least(f"{label}, at least {limit:g} times one", one / two, limit, "x")
            rows.append([*cells, "", f"{one:.1f} and {two:.1f}"])
    lines = [
        "# What studies of real collections take",
        "",
        f"Made by `benchmarks/studies.py`, the middle of {given.repeat} each, on {os.cpu_count()} cores; load average"
        f" before: {load:.1f}. Processor time is of all processes.",
        "",
        "| target | measured | | processor time, s | wall clock, s |",
        "|---|--:|---|--:|--:|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    text = "\n".join(lines) + "\n"
    if given.print:
        sys.stdout.write(text)
    else:
        (HERE / "STUDIES.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
