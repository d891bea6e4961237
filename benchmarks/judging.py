"""How long it takes to say what to judge next; writes benchmarks/JUDGING.md.

    python benchmarks/judging.py

TREC-8 is where UNJUDGED_SHARED points. Each line is a fresh process, so that memory is its own.
"""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TREC8 = Path(os.environ.get("UNJUDGED_SHARED", ROOT.parent / "shared" / "data")) / "trec8"
JUDGED, BATCH, DEPTH, TIMES = 20_000, 100, 100, 3
STRATEGIES = ("decide", "evidence", "mm_ns", "depth")
ENV = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
"""On a busy machine, two threads wait for each other and count the time as work."""


class Cost(NamedTuple):
    """Seconds by the clock and of all threads, and the most memory, in MB."""

    wall: float
    cpu: float
    megabytes: float = 0.0

    def __str__(self) -> str:
        return f"{self.wall:.2f} s | {self.cpu:.2f} s"


def some_judgments(folder: Path) -> Path:
    """A random part of the judgments."""
    lines = (TREC8 / "trec8.qrels").read_text(encoding="utf-8").splitlines()
    chosen = sorted(random.Random(42).sample(range(len(lines)), JUDGED))
    path = folder / "some.qrels"
    path.write_text("\n".join(lines[one] for one in chosen) + "\n", encoding="utf-8")
    return path


def quickest(*command: object) -> tuple[Cost, str]:
    """Of several processes, which print at most a line."""
    costs, output = [], ""
    for _ in range(TIMES):
        begin = time.perf_counter()
        process = subprocess.Popen([sys.executable, *map(str, command)], stdout=subprocess.PIPE, text=True, env=ENV)
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        cpu = used.ru_utime + used.ru_stime
        costs.append(Cost(time.perf_counter() - begin, cpu, used.ru_maxrss / 1000))
    return min(costs), output


def in_a_running_process(qrels: str, strategy: str) -> None:
    """Prints what it takes to record a batch and to get the next, and to say what is decided; the quickest of some."""
    import unjudged as uj

    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    judging = uj.start_judging(qrels, TREC8 / "runs", strategy, scores="float32", pool_depth=DEPTH)
    batch, rng = judging.ask(BATCH), random.Random(7)
    judging.result(BATCH)
    following, deciding = [], []
    for _ in range(2 * TIMES):
        begin, cpu = time.perf_counter(), time.process_time()
        judging.record([(topic, doc, int(rng.random() < 0.2)) for topic, doc in batch])
        batch = judging.ask(BATCH)
        following.append(Cost(time.perf_counter() - begin, time.process_time() - cpu))
        begin, cpu = time.perf_counter(), time.process_time()
        judging.result(BATCH)
        deciding.append(Cost(time.perf_counter() - begin, time.process_time() - cpu))
    print(json.dumps([min(following), min(deciding)]))


def main() -> None:
    """Write the page, or do a part of it."""
    if len(sys.argv) > 1:
        in_a_running_process(*sys.argv[1:])
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        qrels = some_judgments(Path(folder))
        for strategy in STRATEGIES:
            options = ["--strategy", strategy, "--budget", BATCH, "--pool-depth", DEPTH, "--scores", "float32"]
            sheet = ["-o", Path(folder) / "next.tsv", "--quiet"]
            cold, _ = quickest("-m", "unjudged", "next", qrels, TREC8 / "runs", *options, *sheet)
            warm, printed = quickest(__file__, qrels, strategy)
            following, deciding = (Cost(*one) for one in json.loads(printed))
            memory = max(cold.megabytes, warm.megabytes)
            rows.append(f"| `{strategy}` | {cold} | {following} | {deciding} | {memory:,.0f} MB |")
            print(rows[-1], flush=True)
    lines = [
        "# What to judge next: how long it takes",
        "",
        f"Made by `benchmarks/judging.py` on {platform.machine()}, {os.cpu_count()} cores, Python"
        f" {platform.python_version()}; the quickest of {TIMES} processes each. CPU seconds are of all threads;"
        " matrices are multiplied by one."
        f" {os.getloadavg()[1]:.1f} processes wanted to run, on average over the last 5 minutes: on a busy machine the"
        " CPU seconds tell more than the wall clock.",
        "",
        f"TREC-8: 129 runs, {JUDGED:,} judgments drawn from 86,830, documents to rank {DEPTH}. *Cold*: the command"
        f" `unjudged next` from its start to its end, with a sheet of {BATCH} documents and all that is decided."
        f" *Next*: in a running process, {BATCH} judgments are recorded and the next {BATCH} documents asked for."
        " *Decided*: all 8,256 verdicts, goals, recall and scores, there.",
        "",
        "| strategy | cold | CPU | next | CPU | decided | CPU | memory |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        *rows,
        "",
        "Promised: 2 s cold, 0.2 s for the next, 500 MB.",
    ]
    (Path(__file__).parent / "JUDGING.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
