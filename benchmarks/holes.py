"""Time hole models on real runs, after parsing, and write HOLES.md.

    python -B benchmarks/holes.py                 # five fresh processes for each line
    python -B benchmarks/holes.py --cases draws,joint --repeat 3

Needs the real collections in ../shared/data or where UNJUDGED_SHARED points.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from environments import HERE, machine, say

sys.path.insert(0, str(HERE.parent / "experiments"))

MEMORY_MB = 1000
THREADS = {"all": None, "one": 1}


@dataclass(frozen=True)
class Case:
    """One line of the table: what is scored, and the most seconds it may take."""

    words: str
    load: str
    measure: str
    holes: str
    target: float


CASES = {
    "draws": Case(
        "nDCG@10, 1,000 draws, 129 TREC-8 runs, a team left out", "left_out", "nDCG@10", "bootstrap(method=draws)", 0.5
    ),
    "exact": Case("the same, exact where possible (default)", "left_out", "nDCG@10", "bootstrap", 0.5),
    "covid": Case("nDCG@10, 1,000 draws and exact, 3 TREC-COVID runs", "covid", "nDCG@10", "bootstrap", 0.1),
    "ap": Case("AP to depth 1000, 1,000 draws, one TREC-8 run", "one_run", "AP", "bootstrap", 2.0),
    "joint": Case("joint bounds of AP to depth 1000, 129 TREC-8 runs", "all_runs", "AP", "joint", 20.0),
}


# ---- in the child: read, then one timed call


def left_out() -> tuple[Any, list[Any]]:
    """All TREC-8 runs; judgments without the team that most of them depend on."""
    from collections_at_hand import trec8

    collection = trec8()
    return min((collection.without(team, 10) for team in collection.teams), key=len), list(collection.runs)


def all_runs() -> tuple[Any, list[Any]]:
    """All TREC-8 runs and judgments."""
    from collections_at_hand import trec8

    collection = trec8()
    return collection.qrels, list(collection.runs)


def one_run() -> tuple[Any, list[Any]]:
    """The TREC-8 run with the most unjudged documents."""
    import unjudged as uj

    qrels, runs = all_runs()
    judged = uj.score(qrels, runs, "AP").judged[0, 0].mean(axis=1)
    return qrels, [runs[int(judged.argmin())]]


def covid() -> tuple[Any, list[Any]]:
    """Three TREC-COVID runs and the original judgments."""
    import table7

    tables = table7.read()
    return tables.original, tables.runs[:3]


LOADERS: dict[str, Callable[[], tuple[Any, list[Any]]]] = {
    "left_out": left_out,
    "all_runs": all_runs,
    "one_run": one_run,
    "covid": covid,
}


def child(name: str, jobs: int | None) -> None:
    """Read, score once, and print seconds and memory as JSON."""
    import warnings

    import unjudged as uj

    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    case = CASES[name]
    qrels, runs = LOADERS[case.load]()
    # A new object, so that nothing that belongs to the judgments was computed before the clock starts.
    qrels = type(qrels)(qrels.topics, qrels.offsets, qrels.docs, qrels.grades, qrels.states)
    before = peak()
    begin, worked = time.perf_counter(), time.process_time()
    scores = uj.score(qrels, runs, case.measure, holes=case.holes, jobs=jobs)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - worked
    after = peak()
    worked = time.process_time()
    uj.score(qrels, runs, case.measure, jobs=jobs)
    plain = time.process_time() - worked
    holes = round(float((1 - scores.judged[0, 0]).mean() * 100))
    measured = {"seconds": seconds, "cpu": cpu, "plain": plain, "before": before, "peak": after, "holes": holes}
    print(json.dumps(measured))


def peak() -> float:
    """The most resident memory so far, in MB."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


# ---- in the parent


def measure(name: str, repeat: int) -> dict[str, list[dict[str, float]]]:
    """Fresh processes, with all threads and with one by turns."""
    measured: dict[str, list[dict[str, float]]] = {threads: [] for threads in THREADS}
    for _ in range(repeat):
        for threads, jobs in THREADS.items():
            command = [sys.executable, "-B", __file__, "--child", name, "--jobs", str(jobs or 0)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"bench: {name}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
            measured[threads].append(json.loads(done.stdout))
            say(f"{name} {threads}: {measured[threads][-1]['seconds']:.3f} s, {measured[threads][-1]['peak']:.0f} MB")
    return measured


def row(name: str, measured: dict[str, list[dict[str, float]]]) -> list[str]:
    """One line of the table."""
    case = CASES[name]
    cells = []
    for threads in THREADS:
        seconds = [one["seconds"] for one in measured[threads]]
        cells.append(f"{median(seconds):.3f} ({min(seconds):.3f} to {max(seconds):.3f})")
    every = [one for some in measured.values() for one in some]
    memory, before = max(one["peak"] for one in every), median(one["before"] for one in every)
    default = median(one["seconds"] for one in measured["all"])
    plain, cpu = (median(one[column] for one in measured["one"]) for column in ("plain", "cpu"))
    verdict = verdict_of(default <= case.target, memory <= MEMORY_MB)
    if default > case.target >= cpu:
        verdict += " (CPU time is within it)"
    holes = f"{every[0]['holes']:.0f}%"
    numbers = [f"{case.target:g}", *cells, f"{cpu:.3f}", f"{plain:.3f}", f"{memory:.0f} ({before:.0f})", verdict]
    return [case.words, f"`{case.holes}`", holes, *numbers]


def verdict_of(in_time: bool, in_memory: bool) -> str:
    if in_time and in_memory:
        return "met"
    return "**missed**: " + " and ".join([*["time"] * (not in_time), *["memory"] * (not in_memory)])


PAGE = """# Hole models: time and memory

Made by `benchmarks/holes.py`; do not edit.

* {machine}; Python {python}, NumPy {numpy}, core: {core}; {date}.
* Each figure is the median of {repeat} fresh processes (in brackets the range). A process reads judgments and runs,
  then times one call of `uj.score` on them: looking up documents in the judgments, drawing, scoring, intervals.
* *all threads*: as `unjudged score` runs by default ({cores} here). *one thread*: `jobs=1`. The verdict goes by the
  default.
* *CPU*: seconds of processor time with one thread, which a busy machine lengthens less. *no model*: CPU seconds of the
  same call without a hole model; that much is not the hole model's.
* *memory* is the most resident memory of the process, reading included (in brackets: before the call). At most
  {memory} MB are allowed.
* {busy}
* The team left out is the one whose absence removes the most judgments. AP is bootstrapped for the run with the most
  unjudged documents.

{table}
"""


def write(rows: list[list[str]], repeat: int) -> str:
    import platform

    import numpy as np

    from unjudged.kernels import CORE
    from unjudged.threads import worker_count

    head = [
        "what",
        "model",
        "unjudged",
        "target s",
        "all threads s",
        "one thread s",
        "CPU s",
        "no model, CPU s",
        "memory MB",
        "verdict",
    ]
    rule = ["---", "---", *["---:"] * 7, "---"]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])
    load = os.getloadavg()[0]
    return PAGE.format(
        machine=machine(),
        python=platform.python_version(),
        numpy=np.__version__,
        core=CORE,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        repeat=repeat,
        cores=f"{worker_count(None, 1 << 20)} threads",
        memory=f"{MEMORY_MB:,}",
        busy=f"The load average at the end was {load:.1f}. Above the number of cores, the machine was busy with other\n"
        "  work, and the CPU seconds are closer to what a free machine needs than the wall clock.",
        table=table,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", default=",".join(CASES), help="some of: " + ", ".join(CASES))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, default=HERE / "HOLES.md")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.jobs or None)
        return
    rows = [row(name, measure(name, options.repeat)) for name in options.cases.split(",")]
    options.out.write_text(write(rows, options.repeat), encoding="utf-8")
    say(f"wrote {options.out}")


if __name__ == "__main__":
    main()
