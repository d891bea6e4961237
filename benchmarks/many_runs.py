"""Time and memory of ``compare`` and ``doctor`` on up to 5,000 runs, and of what they write.

    python -B benchmarks/many_runs.py                                    # everything, half an hour
    python -B benchmarks/many_runs.py --only compare --numbers 100 300

Runs are made from real ones: those of TREC-8 where ../shared/data (or UNJUDGED_SHARED) has them, else from the
generated collection b. Each is a real run whose ranks got noise, cut at 100 documents. Judgments are all there are
(*full*), or three in ten of them, which leaves most ranks unjudged (*thin*). Every line is a new process that runs the
command line as a user would. Prints tables as Markdown; benchmarks/MANY_RUNS.md keeps what was measured.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from contestants.stopwatch import peak_mb
from environments import HERE
from generate import ensure, write_rows

SOURCE_DEPTH, DEPTH = 300, 100
"""Documents of a real run that take part, and those that are kept of them."""
KEPT = 0.3
NUMBERS = {"compare": [100, 300, 1000], "doctor": [1000, 5000]}
JUDGMENTS = {"compare": ["full", "thin"], "doctor": ["full"]}


def source(work: Path) -> tuple[Path, list[Path]]:
    shared = Path(os.environ.get("UNJUDGED_SHARED", HERE.parents[1] / "shared" / "data")) / "trec8"
    if shared.is_dir():
        return shared / "trec8.qrels", sorted((shared / "runs").iterdir())
    return ensure(work, "b")


def make(work: Path, number: int) -> Path:
    """A folder with judgments, thinned judgments, and so many runs; what is there already is used again."""
    import unjudged as uj

    folder = work / "many_runs"
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    qrels, paths = source(work)
    lines = qrels.read_bytes().splitlines(keepends=True)
    chosen = np.random.default_rng(0).random(len(lines)) < KEPT
    (folder / "full.qrels").write_bytes(b"".join(lines))
    (folder / "thin.qrels").write_bytes(b"".join(line for line, kept in zip(lines, chosen, strict=True) if kept))
    for first, path in enumerate(paths):
        missing = [i for i in range(first, number, len(paths)) if not (folder / "runs" / f"r{i:04d}.run").exists()]
        if missing:
            run = uj.read_run(path)
            for i in missing:
                perturb(run, folder / "runs" / f"r{i:04d}.run", i)
    return folder


def perturb(run: object, path: Path, seed: int) -> None:
    """Write a run with the documents of another, whose ranks got noise: from next to none to a lot."""
    rng = np.random.default_rng(seed)
    noise = rng.uniform(0.02, 1.5)
    draft = path.with_suffix(".draft")
    with draft.open("wb") as out:
        for t, topic in enumerate(run.topics):
            first, last = run.offsets[t : t + 2].tolist()
            last = min(last, first + SOURCE_DEPTH)
            scores = -np.log(np.arange(1, last - first + 1)) + noise * rng.normal(size=last - first)
            order = np.argsort(-scores)[:DEPTH]
            docs = np.array([run.docs[int(first + i)] for i in order], dtype="S")
            values = np.array([f"{10 + score:.6f}" for score in scores[order]], dtype="S")
            ranks = np.arange(1, len(order) + 1).astype("S")
            topics = np.array([topic] * len(order), dtype="S")
            write_rows(out, topics, b"Q0", docs, ranks, values, path.stem.encode())
    draft.rename(path)


def child(arguments: list[str]) -> None:
    """Run a command as the command line would, and say what it took."""
    from unjudged.cli import main

    out = io.StringIO()
    began, code = time.perf_counter(), 0
    try:
        with contextlib.redirect_stdout(out):
            main(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    seconds = time.perf_counter() - began
    shown = out.getvalue()
    took = {"s": seconds, "cpu": time.process_time(), "mb": peak_mb()}
    json.dump({**took, "code": code, "lines": shown.count("\n"), "size": len(shown)}, sys.stdout)


def measure(command: str, folder: Path, judgments: str, number: int, *options: str) -> dict[str, float]:
    listing = folder / f"first{number}"
    listing.mkdir(exist_ok=True)
    for path in sorted((folder / "runs").glob("*.run"))[:number]:
        with contextlib.suppress(FileExistsError):
            (listing / path.name).symlink_to(path)
    call = [command, folder / f"{judgments}.qrels", listing, "--quiet", *options]
    done = subprocess.run(
        [sys.executable, "-B", __file__, "--child", *map(str, call)], capture_output=True, text=True, check=True
    )
    if done.stderr:
        print(done.stderr, file=sys.stderr)
    return json.loads(done.stdout)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=Path("/tmp/unjudged-bench"))
    parser.add_argument("--only", choices=list(NUMBERS))
    parser.add_argument("--numbers", type=int, nargs="+")
    parser.add_argument("--judgments", choices=["full", "thin"])
    given, options = parser.parse_known_args()
    for command in [given.only] if given.only else NUMBERS:
        print("| command | judgments | runs | s | CPU, s | memory, MB | lines | text, MB |")
        print("|---|---|--:|--:|--:|--:|--:|--:|")
        for judgments in [given.judgments] if given.judgments else JUDGMENTS[command]:
            for number in given.numbers or NUMBERS[command]:
                took = measure(command, make(given.work, number), judgments, number, *options)
                words = " ".join([command, *options])
                print(
                    f"| {words} | {judgments} | {number:,} | {took['s']:.0f} | {took['cpu']:.0f} | {took['mb']:,.0f} |"
                    f" {took['lines']:,} | {took['size'] / 1e6:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
