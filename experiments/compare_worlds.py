"""Is P(A>B) right? One team's judgments are taken away, its best run is compared with all others, and judged again.

Each run that was pooled is compared with the newcomer by ``uj.compare`` with the judgments that are left, with each
prior; the truth is the sign of the difference with all judgments.

    python experiments/compare_worlds.py

writes experiments/results/compare-worlds.md.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from collections_at_hand import Collection, dl19, markdown_table, trec8
from pages import save_page

import unjudged as uj

MEASURES = ("nDCG@10", "P@10", "AP@10")
PRIORS = ("pool+run", "evidence")
POOL_DEPTHS = {"DL19": 10, "TREC-8": 100}
EVERY = {"DL19": 1, "TREC-8": 8}
"""Of the teams, in alphabetical order: each call on TREC-8 takes 10 s of processor time."""
BINS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


class Call(NamedTuple):
    """What was said about the newcomer and another run, and what is true."""

    collection: str
    measure: str
    prior: str
    probability: float
    verdict: str
    difference: float
    truth: float


def calls(collection: Collection, measure: str, draws: int) -> Iterator[Call]:
    truth = uj.score(collection.qrels, collection.runs, measure).mean()
    judged = uj.score(collection.qrels, collection.runs, "Judged@10").mean()
    pooled = [run.name for run in collection.runs if judged[run.name, "Judged@10"] == 1]
    for team in collection.teams[:: EVERY[collection.name]]:
        own = [run.name for run in collection.runs_of(team) if run.name in pooled]
        if not own:
            continue
        new = max(own, key=lambda name: truth[name, measure])
        left = collection.without(team, POOL_DEPTHS[collection.name])
        for prior in PRIORS:
            comparison = uj.compare(
                left,
                collection.runs,
                measure,
                baseline=new,
                prior=prior,
                groups=collection.team_of if prior == "evidence" else None,
                pool_depth=POOL_DEPTHS[collection.name] if prior == "evidence" else None,
                test="t",
                draws=draws,
            )
            for row in comparison.pairs():
                other = row.run if row.other == new else row.other
                if collection.team_of[other] == team or other not in pooled or row.p_greater is None:
                    continue
                true = truth[row.run, measure] - truth[row.other, measure]
                yield Call(collection.name, measure, prior, row.p_greater, str(row.verdict), row.difference, true)
        print(collection.name, measure, team, file=sys.stderr, flush=True)


def summary(some: list[Call]) -> list[str]:
    """How good the probabilities are (Brier's score, lower is better), and how often what was said is wrong."""
    apart = [one for one in some if one.truth != 0]
    brier = np.mean([(one.probability - (one.truth > 0)) ** 2 for one in apart])
    observed = sum(one.difference * one.truth < 0 for one in apart)
    likely = [one for one in apart if one.verdict == "likely"]
    wrong = sum((one.probability > 0.5) != (one.truth > 0) for one in likely)
    certain = [one for one in apart if one.verdict == "certain"]
    wrong_certain = sum(one.difference * one.truth < 0 for one in certain)
    return [
        str(len(apart)),
        _share(observed, len(apart)),
        f"{brier:.4f}",
        str(len(likely)),
        _share(wrong, len(likely)),
        str(len(certain)),
        str(wrong_certain),
    ]


def reliability(some: list[Call]) -> list[str]:
    """In each range of probabilities, the share of pairs in which the first run is truly better."""
    out = []
    for low, high in pairwise(BINS):
        here = [
            one for one in some if one.truth != 0 and low <= one.probability and (one.probability < high or high == 1)
        ]
        out.append(f"{np.mean([one.truth > 0 for one in here]):.0%} of {len(here)}" if here else "")
    return out


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "0"


def page(all_calls: list[Call], draws: int) -> str:
    rows, ranges = [], []
    for name in dict.fromkeys(one.collection for one in all_calls):
        for measure in MEASURES:
            for prior in PRIORS:
                some = [one for one in all_calls if (one.collection, one.measure, one.prior) == (name, measure, prior)]
                rows.append([name, measure, prior, *summary(some)])
                ranges.append([name, measure, prior, *reliability(some)])
    head = ["collection", "measure", "prior", "pairs", "scores wrong", "Brier", "likely", "wrong", "certain", "wrong"]
    spans = [f"{low:g} to {high:g}" for low, high in pairwise(BINS)]
    return "\n".join(
        [
            "# Is P(A>B) right?",
            "",
            f"{draws} draws. The best run of each team (of every {EVERY['TREC-8']}th of TREC-8), when only the other"
            " teams had been pooled, against every pooled run of another team, compared with the judgments that are"
            " left. Truth is the sign of the difference with all judgments; pairs with no difference are left out.",
            "",
            "*scores wrong*: unjudged documents as not relevant put the two the wrong way round. *Brier*: mean squared"
            " error of P(A>B). *likely* and *certain*: pairs with the verdict, and how many of them are the other way"
            " round.",
            "",
            markdown_table(head, rows, left=3),
            "",
            "Of pairs with P(A>B) in a range, the share in which A is truly better:",
            "",
            markdown_table(["collection", "measure", "prior", *spans], ranges, left=3),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=300)
    given = parser.parse_args()
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    all_calls = [
        call
        for collection in (dl19(), trec8())
        for measure in MEASURES
        for call in calls(collection, measure, given.draws)
    ]
    save_page("compare-worlds", page(all_calls, given.draws), seeds="seed 42")


if __name__ == "__main__":
    main()
