"""Time measures on subtopics on real runs, after parsing, and write DIVERSITY.md.

    python -B benchmarks/diversity.py

Needs the real collections in ../shared/data or where UNJUDGED_SHARED points.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from environments import HERE, machine

import unjudged as uj
from unjudged.kernels import CORE

SHARED = Path(os.environ.get("UNJUDGED_SHARED", HERE.parents[1] / "shared" / "data")) / "dl19"
CUT = [f"{name}(rel=4)@20" for name in ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall")]
NINE = [*CUT, "NRBP(rel=4)", "nNRBP(rel=4)", "AP_IA(rel=4)"]
ONE = "alpha_nDCG(rel=4)@20"
REPEAT = 3


def timed(work: Callable[[uj.Qrels], object], path: Path) -> tuple[float, float]:
    """Median seconds on the clock, and of processor time; judgments are read anew, because they remember."""
    clock, processor = [], []
    for _ in range(REPEAT):
        qrels = uj.read_qrels(path)
        start = time.perf_counter(), time.process_time()
        work(qrels)
        clock.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
    return median(clock), median(processor)


def main() -> None:
    """Time every case and write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    path, runs = SHARED / "exam-questions-as-subtopics.diversity-qrels.gz", uj.read_runs(SHARED / "runs")
    cases: dict[str, Callable[[uj.Qrels], object]] = {
        "all nine measures": lambda qrels: uj.score(qrels, runs, NINE),
        "alpha_nDCG@20": lambda qrels: uj.score(qrels, runs, ONE),
        "alpha_nDCG@20 with an exact ideal": lambda qrels: uj.score(qrels, runs, "alpha_nDCG(rel=4,ideal='exact')@20"),
        "alpha_nDCG@20, condensed": lambda qrels: uj.score(qrels, runs, ONE, holes="condensed"),
        "alpha_nDCG@20, bounds": lambda qrels: uj.score(qrels, runs, ONE, holes="bounds"),
        "alpha_nDCG@20, bootstrap, 1,000 draws": lambda qrels: uj.score(qrels, runs, ONE, holes="bootstrap"),
        "compare by alpha_nDCG@20, 666 pairs": lambda qrels: uj.compare(qrels, runs, ONE),
    }
    lines = [
        "# Measures on subtopics: time",
        "",
        "Made by `benchmarks/diversity.py`; do not edit.",
        "",
        f"* {machine()}; core: {CORE}; {datetime.now(UTC):%Y-%m-%d %H:%M} UTC.",
        f"* {len(runs)} DL19 runs, 43 topics, ten exam questions each as subtopics; a grade of 4 or 5 is relevant.",
        f"* Median of {REPEAT} calls, each on judgments just read, so that finding ideal rankings is part of the time.",
        f"* The load average at the end was {os.getloadavg()[0]:.1f}. Above the number of cores, the processor time is",
        "  closer to what a free machine needs.",
        "",
        "| what | seconds | processor seconds |",
        "|---|---|---|",
    ]
    for words, work in cases.items():
        clock, processor = timed(work, path)
        lines.append(f"| {words} | {clock:.2f} | {processor:.2f} |")
        print(lines[-1], flush=True)
    (HERE / "DIVERSITY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
