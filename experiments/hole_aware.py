"""Does a t test that knows of unjudged documents avoid wrong calls? Tests with few judgments, against tests with all.

TREC-COVID: four runs with the judgments that BEIR ships, and with the completed ones. TREC-8: the best run of each
team is new to a pool of the first 10 documents of all other teams' runs, and tested against their best runs.

    python experiments/hole_aware.py

writes experiments/results/hole-aware.md.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from collections_at_hand import SHARED, markdown_table, need
from collections_at_hand import trec8 as trec8_collection
from pages import save_page

import unjudged as uj
from unjudged.api import read_measure
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.studies.hole_aware_significance import hole_aware_p, score_runs
from unjudged.uncertainty.tests_with_open_grades import plain_p

LEVEL = 0.05
POOL_DEPTH = 10
MEASURES = ("nDCG@10", "P@10", "AP@100")
TESTS = ("plain", "drawn", "any")


class Pair(NamedTuple):
    """Two runs under one measure: differences and p-values with few and with all judgments."""

    measure: str
    first: str
    second: str
    difference: float
    p: dict[str, float]
    true_difference: float
    true_p: float

    def call(self, test: str) -> int:
        """1 if the first run is called significantly better, -1 if worse, 0 if neither."""
        return int(np.sign(self.difference)) if self.p[test] < LEVEL else 0

    def truth(self) -> int:
        return int(np.sign(self.true_difference)) if self.true_p < LEVEL else 0


def pairs(few: Qrels, every: Qrels, runs: dict[str, Run], chosen: list[tuple[str, str]], draws: int) -> Iterator[Pair]:
    names = list(runs)
    for measure in map(read_measure, MEASURES):
        seen, truth = (score_runs(qrels, list(runs.values()), measure) for qrels in (few, every))
        for first, second in chosen:
            a, b = names.index(first), names.index(second)
            here, there = seen[a].scores - seen[b].scores, truth[a].scores - truth[b].scores
            p = {grades: hole_aware_p(measure, seen, a, b, grades=grades, draws=draws) for grades in ("drawn", "any")}
            p["plain"] = plain_p(here)
            yield Pair(str(measure), first, second, float(here.mean()), p, float(there.mean()), plain_p(there))


def trec_covid(draws: int) -> list[Pair]:
    folder = need(SHARED / "trec-covid")
    few, every = (
        uj.read_qrels(folder / f"{name}-trec-covid.txt.gz") for name in ("incomplete-beir", "complete-annotation")
    )
    runs = {path.name.split("-")[0]: uj.read_run(path) for path in sorted(folder.glob("*run.txt.gz"))}
    runs = {name: run for name, run in runs.items() if len(run.topics) == len(every.topics)}
    return list(pairs(few, every, runs, list(combinations(runs, 2)), draws))


def trec8(draws: int) -> tuple[list[Pair], float]:
    collection = trec8_collection()
    qrels, teams, runs = collection.qrels, collection.team_of, {run.name: run for run in collection.runs}
    means = dict(zip(runs, uj.score(qrels, list(runs.values()), "nDCG@10").means[0, 0], strict=True))
    best: dict[str, str] = {}
    for name in sorted(runs, key=lambda name: means[name]):
        best[teams[name]] = name
    rows = {name: join(run, qrels).top(POOL_DEPTH).qrels_rows for name, run in runs.items()}
    all_pairs, judged = [], []
    for team, new in sorted(best.items()):
        kept = np.zeros(len(qrels), dtype=bool)
        for name in runs:
            if teams[name] != team:
                kept[rows[name][rows[name] >= 0]] = True
        few = qrels.left(kept)
        others = [name for other, name in sorted(best.items()) if other != team]
        together = {name: runs[name] for name in (new, *others)}
        all_pairs += pairs(few, qrels, together, [(new, other) for other in others], draws)
        judged.append(float(np.nanmean(uj.score(few, runs[new], "Judged@10").values)))
        print(team, flush=True)
    return all_pairs, float(np.mean(judged))


def covid_rows(all_pairs: list[Pair]) -> list[list[str]]:
    out = []
    for one in all_pairs:
        tested = [f"{one.p[test]:.4f}" for test in TESTS]
        truth = [f"{one.true_difference:+.3f}", f"{one.true_p:.4f}"]
        out.append([one.measure, f"{one.first} - {one.second}", f"{one.difference:+.3f}", *tested, *truth])
    return out


def trec8_rows(all_pairs: list[Pair]) -> list[list[str]]:
    out = []
    for measure in MEASURES:
        here = [one for one in all_pairs if one.measure == measure]
        for test in TESTS:
            calls = [(one.call(test), one.truth()) for one in here]
            worse = [truth for call, truth in calls if call < 0]
            better = [truth for call, truth in calls if call > 0]
            real = sum(truth != 0 for _, truth in calls)
            right = sum(call == truth != 0 for call, truth in calls)
            wrong_worse = _share(sum(one >= 0 for one in worse), len(worse))
            wrong_better = _share(sum(one <= 0 for one in better), len(better))
            row = [str(len(worse)), wrong_worse, str(len(better)), wrong_better, _share(right, real)]
            out.append([measure, test, *row])
    return out


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "0"


def page(covid: list[Pair], adhoc: list[Pair], judged: float, draws: int) -> str:
    header = ["measure", "test", "new is worse", "wrong", "new is better", "wrong", "real ones found"]
    return "\n".join(
        [
            "# A t test that knows of unjudged documents",
            "",
            f"Level {LEVEL}, {draws} draws. *plain* takes unjudged documents as"
            " not relevant; *drawn* and *any* are the two tests of `unjudged.compat.pyterrier`.",
            "",
            "## TREC-COVID",
            "",
            "P-values with the judgments that BEIR ships, and what the completed judgments say.",
            "",
            markdown_table(
                ["measure", "runs", "difference", *TESTS, "with all", "p with all"], covid_rows(covid), left=2
            ),
            "",
            "## TREC-8",
            "",
            f"The best run of each of the teams, new to a pool of the first {POOL_DEPTH} documents of the other teams'"
            f" runs ({judged:.1%} of its first 10 documents are judged), against the best run of every other team:"
            f" {len(adhoc) // len(MEASURES):,} pairs. *wrong*: the test with all judgments does not call it so."
            " *real ones found*: of the significant differences with all judgments.",
            "",
            markdown_table(header, trec8_rows(adhoc), left=2),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=300)
    given = parser.parse_args()
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    text = page(trec_covid(given.draws), *trec8(given.draws), given.draws)
    save_page("hole-aware", text, seeds="seed 42")


if __name__ == "__main__":
    main()
