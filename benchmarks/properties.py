"""Time and memory of `unjudged properties`, and of what it adds to a report: TREC-8, files included.

    python -B benchmarks/properties.py ../shared/data/trec8

Each command is a new process on one thread. Prints a table as Markdown; benchmarks/PROPERTIES.md keeps what was
measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = ["--corpus-size", "528155"]
TOP = [*SIZE, "--top", "50", "--by", "RBP(p=0.95)@1000"]
TWO = ["-m", "AP", "-m", "RBP(p=0.95)@1000", "--images", "100"]
SHALLOW = ["--shallow", "10", "--shallow", "25"]
CASES = {
    "50 runs, 6 measures, 100 images": ["properties", *TOP, "--images", "100"],
    "50 runs, 6 measures, 1,000 images": ["properties", *TOP],
    "129 runs, 6 measures, 1,000 images": ["properties", *SIZE],
    "50 runs, 2 measures, 100 images": ["properties", *TOP, *TWO],
    "... and shallow pools of the best two": ["properties", *TOP, *TWO, *SHALLOW],
    "... and of every two of the best ten": ["properties", *TOP, *TWO, *SHALLOW, "--shallow-runs", "10"],
    "report, 129 runs, without reuse": ["report", "--no-reuse"],
    "... with 200 images": ["report", "--no-reuse", *SIZE, "--images", "200"],
    "... with 1,000 images": ["report", "--no-reuse", *SIZE],
}


def main() -> None:
    folder = Path(sys.argv[1])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    print("| command | processor time, s | memory, MB |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as scratch:
        for words, (name, *options) in CASES.items():
            output = Path(scratch) / ("page.html" if name == "report" else "out.txt")
            files = [str(folder / "trec8.qrels"), str(folder / "runs"), "--jobs", "1", "--quiet", "-o", str(output)]
            command = [sys.executable, "-B", "-m", "unjudged", name, *files, *options]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
            if status:
                sys.exit(f"{' '.join(command)} failed")
            print(f"| {words} | {usage.ru_utime + usage.ru_stime:.1f} | {usage.ru_maxrss / 1024:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
