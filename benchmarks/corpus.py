"""Speed and memory of the corpus bootstrap on TREC-8: the top 50 runs by RBP, 50 topics, 1,000 documents, six measures.

    python -B benchmarks/corpus.py ../shared/data/trec8 --images 1000 2000 10000

Each measurement is a new process on one core and one thread. Reading the files is not part of the time, coding the
documents is. Prints a table as Markdown; benchmarks/CORPUS.md keeps what was measured.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

SIX = ["AP", "INSQ(T=5)", "nDCG@1000", "P@10", "RBP(p=0.95)@1000", "RR"]


def measure(folder: Path, images: int) -> None:
    """One measurement: wall-clock seconds, seconds of processor time, and the highest resident memory in MB."""
    import unjudged as uj
    from unjudged.data.view import join
    from unjudged.measures import measures
    from unjudged.uncertainty import bootstrap_corpus

    qrels, runs = uj.read_qrels(folder / "trec8.qrels"), uj.read_runs(folder / "runs", jobs=1)
    rbp = measures.parse("RBP(p=0.95)@1000")
    top = sorted(runs, key=lambda run: -rbp.score(join(run, qrels)).mean())[:50]
    del runs
    how = uj.CorpusBootstrap(images=images, corpus_size=528_155)
    wall, cpu = time.perf_counter(), time.process_time()
    bootstrap_corpus(top, qrels, [measures.parse(text) for text in SIX], how, jobs=1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.perf_counter() - wall, time.process_time() - cpu, memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, nargs="+", default=[1000, 2000, 10_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--once", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        measure(given.folder, given.once)
        return
    # Affinity keeps one core; the variables keep libraries from starting threads on it.
    core = f"{min(os.sched_getaffinity(0))}"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    print(
        f"{given.repeat} measurements each, load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
    )
    print("| images | core | wall clock, s (range) | processor time, s (range) | memory, MB |\n|---|---|---|---|---|")
    for which in ("fast", "reference"):
        for images in given.images if which == "fast" else given.images[:1]:
            command = ["taskset", "-c", core, sys.executable, "-B", __file__, str(given.folder), "--once", str(images)]
            rows = [
                [
                    float(x)
                    for x in subprocess.check_output(command, env={**environment, "UNJUDGED_CORE": which}).split()
                ]
                for _ in range(given.repeat)
            ]
            walls, cpus, memories = zip(*rows, strict=True)
            shown = [f"{statistics.median(x):.1f} ({min(x):.1f} to {max(x):.1f})" for x in (walls, cpus)]
            print(f"| {images:,} | {which} | {shown[0]} | {shown[1]} | {statistics.median(memories):.0f} |", flush=True)


if __name__ == "__main__":
    main()
