"""Speed and memory of relative effectiveness: every run of DL19 and of TREC-8 against all others.

    python -B benchmarks/relative.py ../shared/data
    python -B benchmarks/relative.py ../shared/data --released CLONE/code/calculate_nrg.py --python PYTHON

Each measurement is a new process on one core and one thread. Reading the files is not part of the time; joining them
with the judgments is. The second form also runs the authors' released script (from a clone of
github.com/aminbigdeli/Normalized-Residual-Gain; PYTHON needs pandas below 2 and tqdm) for a few runs of DL19, and
compares its numbers with ours. Prints tables as Markdown; benchmarks/RELATIVE.md keeps what was measured.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLLECTIONS = {"dl19": "2019qrels-pass.txt", "trec8": "trec8.qrels"}
CASES = [
    ("dl19", "nDCG@10", "NRG"),
    ("dl19", "nDCG@10", "study"),
    ("dl19", "nDCG", "NRG"),
    ("dl19", "nDCG", "study"),
    ("trec8", "nDCG@10", "NRG"),
    ("trec8", "nDCG@10", "study"),
    ("trec8", "nDCG", "NRG"),
    ("trec8", "nDCG", "study"),
]


def measure(folder: Path, base: str, what: str) -> None:
    """One measurement: wall-clock seconds, seconds of processor time, and the highest resident memory in MB."""
    import warnings

    import numpy as np

    import unjudged as uj
    from unjudged.data.view import join
    from unjudged.engine.residual import Readings
    from unjudged.measures import NRG, measures

    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    qrels = uj.read_qrels(folder / COLLECTIONS[folder.name])
    runs = uj.read_runs(folder / "runs", scores="float32", jobs=1)
    nrg = NRG(base=measures.parse(base))
    wall, cpu = time.perf_counter(), time.process_time()
    if what == "study":
        uj.relative(qrels, runs, nrg, jobs=1)
    else:
        kept = np.arange(qrels.max_grade + 1) > 0
        views = [join(run, qrels, depth=nrg.depth()).only_grades(kept) for run in runs]
        readings = Readings(nrg, qrels, views, holes=False)
        for run in range(len(runs)):
            left = readings.left([other for other in range(len(runs)) if other != run])
            nrg.score(readings.after(run, left)).mean()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.perf_counter() - wall, time.process_time() - cpu, memory)


def ours(shared: Path, repeat: int) -> None:
    # Affinity keeps one core; the variables keep libraries from starting threads on it.
    core = f"{min(os.sched_getaffinity(0))}"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    print(f"{repeat} measurements each, load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| collection | base | what | wall clock, s (range) | processor time, s (range) | memory, MB |")
    print("|---|---|---|---|---|---|")
    for collection, base, what in CASES:
        command = ["taskset", "-c", core, sys.executable, "-B", __file__, str(shared / collection)]
        command += ["--once", base, what]
        rows = [[float(x) for x in subprocess.check_output(command, env=environment).split()] for _ in range(repeat)]
        walls, cpus, memories = zip(*rows, strict=True)
        shown = [f"{statistics.median(x):.2f} ({min(x):.2f} to {max(x):.2f})" for x in (walls, cpus)]
        name = f"{collection} | {base} | {'all NRG' if what == 'NRG' else 'uj.relative'}"
        print(f"| {name} | {shown[0]} | {shown[1]} | {statistics.median(memories):.0f} |", flush=True)


def released(shared: Path, script: Path, python: str, targets: list[str]) -> None:
    """The released script on DL19, for some runs against all others; and how far its numbers are from ours."""
    import unjudged as uj

    folder = shared / "dl19"
    rows: dict[str, list[tuple[str, str, float]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        where = Path(temporary)
        (where / "runs").mkdir()
        for file in sorted((folder / "runs").iterdir()):
            name = file.name.removeprefix("input.").removesuffix(".gz")
            fields = [line.split() for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
            (where / "runs" / name).write_text("\n".join(map(" ".join, fields)) + "\n")
            # It ranks by line, whatever the scores are.
            rows[name] = [(one[0], one[2], -float(place)) for place, one in enumerate(fields)]
        qrels = (folder / COLLECTIONS["dl19"]).read_text()
        (where / "qrels").write_text("\n".join(" ".join(line.split()) for line in qrels.splitlines()) + "\n")
        mine = uj.relative(uj.read_qrels(where / "qrels"), rows, "NRG(nDCG, gain=binary, rel=2)")
        print("\n| released script, one run | seconds | NRG | ours, by line |\n|---|---|---|---|")
        for target in targets:
            command = [python, str(script), "-dataset_name", "x", "-run_directory", str(where / "runs")]
            command += ["-qrels", str(where / "qrels"), "-doc_gain_version", "2", "-target_ranker", target]
            command += ["-competitor_rankers", target, "-result_directory", temporary]
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            took = time.perf_counter() - began
            with (where / "x_normalized_scores.csv").open() as stream:
                score = float(next(csv.DictReader(stream))["avg_normalized_score"])
            print(f"| {target} | {took:.1f} | {score:.12f} | {mine.run(target).nrg:.12f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--released", type=Path, help="the authors' calculate_nrg.py")
    parser.add_argument("--python", default=sys.executable, help="the Python to run it with")
    parser.add_argument("--targets", nargs="+", default=["p_bert", "bm25base_ax_p"], help="runs to time it on")
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        measure(given.folder, *given.once)
        return
    ours(given.folder, given.repeat)
    if given.released:
        released(given.folder, given.released, given.python, given.targets)


if __name__ == "__main__":
    main()
