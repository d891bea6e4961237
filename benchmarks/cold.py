"""Times ``unjudged score`` itself beside pytrec_eval, from files to means, each in a new process; writes COLD.md.

    python -B benchmarks/cold.py                                # generated collections
    python -B benchmarks/cold.py --trec8 FOLDER                 # also the real runs of TREC-8, plain and packed
    python -B benchmarks/cold.py --cases a,c --repeat 9

*FOLDER* has ``trec8.qrels`` and ``runs`` with the packed runs. Wall clock and processor time are the lowest of all
repetitions, in which the two take turns; each is given as a ratio, too, which a busy machine changes least.
"""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import generate

HERE = Path(__file__).parent
MEASURES = ["nDCG@10", "AP", "P@10", "RR", "Bpref", "infAP", "RBP(p=0.8)"]
TARGETS = {"a": 4.0, "b": 10.0, "c": 10.0, "trec8": 10.0, "trec8, gzip": 5.0}
"""How many times as fast as pytrec_eval."""
ROOM = {"c": 150.0, "c, ten times": 200.0}
"""Megabytes at most."""
TEN_TIMES = "c, ten times"
THEIRS = """
import gzip, sys
import pytrec_eval
def lines(path): return gzip.open(path, "rt") if path.endswith(".gz") else open(path)
with lines(sys.argv[1]) as file: qrels = pytrec_eval.parse_qrel(file)
names = {"ndcg_cut.10", "map", "P.10", "recip_rank", "bpref", "infAP"}
evaluator = pytrec_eval.RelevanceEvaluator(qrels, names)
for path in sys.argv[2:]:
    with lines(path) as file: topics = evaluator.evaluate(pytrec_eval.parse_run(file)).values()
    [sum(one[name] for one in topics) / len(topics) for name in next(iter(topics))]
"""


def once(command: list[str]) -> tuple[float, float, float]:
    """Wall clock, processor time and highest memory (MB) of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"this fails: {' '.join(command)[:300]}")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def ten_times(work: Path) -> tuple[Path, list[Path]]:
    """Case c with ten times as many topics: its lines again, with other topics."""
    qrels, (run,) = generate.ensure(work, "c")
    folder = work / "collections" / "c-ten-times"
    folder.mkdir(parents=True, exist_ok=True)
    new_qrels, new_run = folder / "qrels.txt", folder / "dense.run"
    for old, new in ((qrels, new_qrels), (run, new_run)):
        if not new.exists():
            with new.open("wb") as out:
                for copy in range(10):
                    with old.open("rb") as lines:
                        out.writelines(b"%d-%s" % (copy, line) for line in lines)
    return new_qrels, [new_run]


def collections(work: Path, trec8: Path | None, cases: list[str]) -> dict[str, tuple[Path, list[Path]]]:
    found = {case: generate.ensure(work, case) for case in ("a", "b", "c") if case in cases}
    if TEN_TIMES in cases:
        found[TEN_TIMES] = ten_times(work)
    if trec8 is not None:
        packed, plain = sorted((trec8 / "runs").glob("*.gz")), work / "trec8"
        plain.mkdir(parents=True, exist_ok=True)
        for path in packed:
            if not (plain / path.stem).exists():
                (plain / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        found["trec8"] = trec8 / "trec8.qrels", sorted(plain.iterdir())
        found["trec8, gzip"] = trec8 / "trec8.qrels", packed
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=f"a;b;c;{TEN_TIMES}".replace(";", ","), help="of a, b, c and 'c, ten times'")
    parser.add_argument("--trec8", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "unjudged-bench")
    options = parser.parse_args()
    wanted = [TEN_TIMES] * (TEN_TIMES in options.cases) + options.cases.replace(TEN_TIMES, "").split(",")
    # Where Python is told not to keep what it compiles, each start would compile the package anew.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(HERE.parent / "src")], check=True)
    rows, missed = [], False
    # In a process of its own: the peak of a process starts from that of its parent, so this one has to stay small.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        made = pool.apply(collections, (options.work, options.trec8, wanted))
    for case, (qrels, runs) in made.items():
        files = [str(qrels), *map(str, runs)]
        named = [part for measure in MEASURES for part in ("-m", measure)]
        ours = [sys.executable, "-m", "unjudged", "score", *files, *named, "--holes", "nonrelevant", "--quiet"]
        theirs = [sys.executable, "-c", THEIRS, *files]
        both: list[list[tuple[float, float, float]]] = [[], []]
        for _ in range(options.repeat):
            both[0].append(once(ours))
            if case != TEN_TIMES:  # pytrec_eval would need 12 GB
                both[1].append(once(theirs))
        (wall, cpu, room), other = (
            tuple(map(min, zip(*one, strict=True))) for one in (both[0], both[1] or [(0, 0, 0)])
        )
        ratio = other[0] / wall
        room = max(one[2] for one in both[0])
        said = [
            *([f"{TARGETS[case]:g} x: {'met' if ratio >= TARGETS[case] else '**missed**'}"] if case in TARGETS else []),
            *([f"{ROOM[case]:g} MB: {'met' if room <= ROOM[case] else '**missed**'}"] if case in ROOM else []),
        ]
        missed |= any("missed" in one for one in said)
        cells = [f"{wall:.2f}", f"{cpu:.2f}", f"{room:.0f}", *(f"{one:.2f}" for one in other[:2])]
        faster = [f"{ratio:.1f}", f"{other[1] / cpu:.1f}"]
        rows.append("| " + " | ".join([case, *cells, *faster, ", ".join(said)]) + " |")
        print(rows[-1], flush=True)
    head = (
        "# From files to means\n\nWritten by `python -B benchmarks/cold.py`; seconds, the lowest of"
        f" {options.repeat} ({os.cpu_count()} cores). Ratios are pytrec_eval's time over that of `unjudged score`.\n\n"
        "| case | wall | processor | MB | pytrec_eval: wall | processor | times: wall | processor | target |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n"
    )
    (HERE / "COLD.md").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
