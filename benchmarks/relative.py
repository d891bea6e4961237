"""Speed and memory of relative effectiveness: every run of DL19 and of TREC-8 against all others.

    python -B benchmarks/relative.py ../shared/data
    python -B benchmarks/relative.py ../shared/data --released CLONE/code --python PYTHON

Each measurement is a new process on one core and one thread. Reading the files is not part of the time; joining them
with the judgments is. The second form also runs the authors' released scripts (from a clone of
github.com/aminbigdeli/Normalized-Residual-Gain; PYTHON needs pandas below 2, tqdm and pytrec_eval) on DL19, NRG for a
few runs only, and compares their numbers with ours. Prints tables as Markdown; benchmarks/RELATIVE.md keeps what was
measured.
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
    from unjudged.engine.numerics.normalized_residual_gain import Readings
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


def released(shared: Path, code: Path, python: str, targets: list[str]) -> None:
    """The released scripts on DL19; how long they take, and how far their numbers are from ours."""
    import unjudged as uj

    folder = shared / "dl19"
    teams = dict(line.split("\t")[:2] for line in (folder / "runs_teams.tsv").read_text().splitlines()[1:])
    runs: dict[str, list[list[str]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        where = Path(temporary)
        (where / "runs").mkdir()
        (where / "best").mkdir()
        for file in sorted((folder / "runs").iterdir()):
            name = file.name.removeprefix("input.").removesuffix(".gz")
            runs[name] = [line.split() for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
            (where / "runs" / name).write_text("\n".join(map(" ".join, runs[name])) + "\n")
        lines = (folder / COLLECTIONS["dl19"]).read_text().splitlines()
        (where / "qrels").write_text("\n".join(" ".join(line.split()) for line in lines) + "\n")
        (where / "teams").write_text("".join(f"{teams[name]},{name}\n" for name in runs))
        qrels = uj.read_qrels(where / "qrels")
        # The scripts rank by line, by the rank column and by score, in this order.
        by_line = {run: [(row[0], row[2], -float(i)) for i, row in enumerate(rows)] for run, rows in runs.items()}
        by_rank = {run: [(row[0], row[2], -float(row[3])) for row in rows] for run, rows in runs.items()}
        nrg = uj.relative(qrels, by_line, "NRG(nDCG, gain=binary, rel=2)")
        rare = uj.relative(qrels, by_rank, "nDCG@10", rareness="collection")
        by_score = uj.read_runs(folder / "runs", scores="float32")
        tasc = uj.relative(qrels, by_score, "nDCG@10", groups=teams, tasc="group")
        for row in tasc.groups():
            (where / "best" / row.best).write_bytes((where / "runs" / row.best).read_bytes())

        def run(script: str, *options: str, result: str, column: str) -> tuple[dict[str, float], float]:
            began = time.perf_counter()
            subprocess.run([python, str(code / script), *options], check=True, capture_output=True)
            took = time.perf_counter() - began
            with (where / result).open() as stream:
                return {row.get("run_name") or row["run"]: float(row[column]) for row in csv.DictReader(stream)}, took

        def show(script: str, scores: dict[str, float], took: float, mine: uj.Relative, column: str) -> None:
            off = max(abs(getattr(mine.run(name), column) - score) for name, score in scores.items())
            print(
                f"| {script} | {', '.join(scores) if len(scores) == 1 else len(scores)} | {took:.1f} | {off:.1e} |",
                flush=True,
            )

        print("\n| released script | runs | seconds | largest difference from ours |\n|---|---|---|---|")
        judged = ("-qrels", str(where / "qrels"), "-run_directory", str(where / "runs"), "-doc_gain_version", "2")
        for target in targets:
            options = (*judged, "-dataset_name", "x", "-target_ranker", target, "-competitor_rankers", target)
            options = (*options, "-result_directory", temporary)
            outcome = run("calculate_nrg.py", *options, result="x_normalized_scores.csv", column="avg_normalized_score")
            show("calculate_nrg.py", *outcome, nrg, "nrg")
        common = ("--qrels_file", str(where / "qrels"), "--result_dir", temporary)
        script, result = "calculate_rareness_based_precision.py", "rareness_based_precision_10.csv"
        options = (*common, "--run_dir", str(where / "runs"), "--alpha", "1.0", "--k", "10")
        show(script, *run(script, *options, result=result, column="rareness-based-precision-10"), rare, "rareness")
        options = (*common, "--runs_dir", str(where / "runs"), "--best_runs_dir", str(where / "best"))
        options = (*options, "--run_group_file", str(where / "teams"), "--ndcg_cut", "10")
        outcome = run("calculate_tasc.py", *options, result="tasc_scores.csv", column="TaSC")
        show("calculate_tasc.py", *outcome, tasc, "tasc")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--released", type=Path, help="the folder with the authors' scripts")
    parser.add_argument("--python", default=sys.executable, help="the Python to run them with")
    parser.add_argument("--targets", nargs="+", default=["p_bert", "bm25base_ax_p"], help="runs to compute NRG of")
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
