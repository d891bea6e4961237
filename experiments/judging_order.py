"""What each order of judging finds, and how soon: TREC-8 and DL19 judged again.

    python experiments/judging_order.py            # writes experiments/results/judging-order.md

The figures of docs/judging-order.md.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from collections_at_hand import SHARED, Collection, dl19, markdown_table, trec8
from pages import save_page

import unjudged as uj
from unjudged.arrays import Floats, Ints
from unjudged.data.joined import Joined, join_runs
from unjudged.data.pool_depth import joined_judged_depths
from unjudged.errors import UnjudgedWarning
from unjudged.results.reuse_rows import StrategyRow
from unjudged.strategies import Candidates, candidates_of, replay, strategies

SEED, REPEAT = 42, 5
FOUND = 0.8
PER_TOPIC = (100, 300, 500)
LABELS = SHARED / "dl19/llm_labels/umbrella_gpt-4_zeroshot_dl19.txt.gz"
RELEVANT = {"TREC-8": 1, "DL19": 2}
EARLIER = {
    "depth": ("22 / 42 / 55%", 727),
    "mtf": ("34 / 60 / 73%", 437),
    "mm_ns": ("33 / 63 / 77%", 384),
    "shared_credit": ("44 / 76 / 84%", 245),
    "evidence": ("44 / 76 / 84%", 236),
}
"""What an earlier measurement of this project found; its last row is an online ridge on rank features."""

PAGE = """# In what order to judge: TREC-8 and DL19 judged again

An order sees the judgments of what it has asked for, which are looked up in the collection's; topics take turns. What
is drawn at random was drawn {repeat} times: means. The pool is what the runs that are judged down to its depth have in
it; other runs are evidence only.

## TREC-8: relevant documents that are found

Pool of {pooled} runs, depth 100. *For 80%*: judgments of a topic until 80% of its relevant documents are judged, the
mean over topics. *Found*: the share of all relevant documents that is judged after so many judgments per topic.
*Before*: what an earlier measurement of this project had. Its shares are lower by the same 5% throughout, for depth
pooling, too, which has nothing to learn, so that another count of relevant documents must be behind them. *Seconds*:
of the processor, for the whole replay ({judgments:,} judgments, a batch of one document for each topic).

{found}

## TREC-8: order and significance of {runs} runs

Unjudged documents count as not relevant, in the truth, too. *kept*: share of the significant differences (t, .05, not
corrected) of all pairs of runs that are found; *false*: share of those found that are none, or the other way round.

{trec8}

## DL19: order and significance of 37 runs

Relevant for strategies is a grade of at least 2. Labels: UMBRELA's by GPT-4.

{dl19}

## Samples: scores that are not biased

TREC-8: AP with all judgments, estimated from {share:.0%} of them: by xinfAP from a sample (all that a run of the pool
has in its first 5, and a share of the rest), and by AP itself from the same number of judgments in the order of
`evidence`. Bias and RMSE are of the means of runs.

{samples}
"""


@dataclass(frozen=True)
class Judged:
    """A collection that is judged again."""

    joined: Joined
    candidates: Candidates

    @classmethod
    def of(cls, collection: Collection, depth: int) -> Judged:
        joined = join_runs(collection.qrels, collection.runs)
        pooled = joined_judged_depths(joined, depth).of_runs >= depth
        return cls(joined, candidates_of(joined, depth=depth, pooled_runs=pooled))


def recalls(again: Judged, rows: Ints, rel: int) -> tuple[Floats, float]:
    """Share of the relevant documents found at numbers of judgments per topic; and judgments that most of them take."""
    qrels = again.joined.qrels
    relevant = qrels.judged & (qrels.grades >= rel)
    topics, there = qrels.topic_of_row[rows], qrels.count(relevant)
    found, needed = np.zeros(len(PER_TOPIC)), []
    for topic in np.flatnonzero(there).tolist():
        so_far = np.cumsum(relevant[rows[topics == topic]])
        found += [so_far[min(len(so_far), number) - 1] for number in PER_TOPIC]
        needed.append(int(np.searchsorted(so_far, FOUND * there[topic] - 1e-9)) + 1)
    return found / there.sum(), float(np.mean(needed))


def found_table(again: Judged, rel: int) -> str:
    rows = []
    for name, (before, needed_before) in EARLIER.items():
        strategy, outcomes, began = strategies.choose(name), [], time.process_time()
        times = REPEAT if strategy.random else 1
        for repetition in range(times):
            seed = SEED + (repetition << 32)
            topics = len(again.candidates.topics)
            order = replay(strategy, again.candidates, again.joined.qrels, seed=seed, batch=topics).rows
            outcomes.append(recalls(again, order, rel))
        seconds = (time.process_time() - began) / times
        shares = np.mean([shares for shares, _ in outcomes], axis=0)
        found = " / ".join(f"{share:.1%}" for share in shares)
        needed = float(np.mean([needed for _, needed in outcomes]))
        rows.append([name, f"{needed:.0f}", f"{needed_before}", found, before, f"{seconds:.0f}"])
    header = ["", f"for {FOUND:.0%}", "before", f"found at {' / '.join(map(str, PER_TOPIC))}", "before", "seconds"]
    return markdown_table(header, rows)


def strategy_table(rows: list[tuple[str, StrategyRow]]) -> str:
    cells = [
        [
            name,
            row.measure,
            f"{row.per_topic:.0f}",
            f"{row.share:.0%}",
            *(f"{value:.1%}" for value in (row.recall or 0.0,)),
            *(f"{value:.3f}" for value in (row.tau_b or 0.0, row.tau_ap or 0.0, row.rmse or 0.0)),
            *(f"{value:.1%}" for value in (row.significant_kept or 0.0, row.significant_false or 0.0)),
        ]
        for name, row in rows
    ]
    header = ["", "measure", "per topic", "judged", "recall", "tau-b", "tau_AP", "RMSE", "kept", "false"]
    return markdown_table(header, cells, left=2)


def main() -> None:
    warnings.simplefilter("ignore", UnjudgedWarning)
    ad_hoc, passages = trec8(), dl19()
    again = Judged.of(ad_hoc, 100)
    found = found_table(again, RELEVANT["TREC-8"])
    topics = len(ad_hoc.qrels.topics)
    every = list(EARLIER)
    common = {"correction": "none", "repeat": REPEAT, "never_judged": "nonrelevant", "jobs": 1, "seed": SEED}
    budgets = [topics * number for number in PER_TOPIC]
    of_trec8 = uj.reuse(
        ad_hoc.qrels, ad_hoc.runs, ["AP", "nDCG@10"], strategy=every, budget=[*budgets, "20%"], **common
    ).strategies()
    graded = [name if name == "depth" else f"{name}(rel={RELEVANT['DL19']})" for name in every]
    of_dl19 = [
        (row.strategy + (" with labels" if labels else ""), row)
        for labels in (None, LABELS)
        for row in uj.reuse(
            passages.qrels,
            passages.runs,
            ["nDCG@10", "P(rel=2)@10"],
            strategy=[one for one in graded if not labels or one.startswith("evidence")],
            budget=["10%", "20%", "30%"],
            labels=labels,
            **common,
        ).strategies()
    ]
    samples = samples_table(ad_hoc, common)
    page = PAGE.format(
        repeat=REPEAT,
        pooled=int(again.candidates.pooled_runs.sum()),
        judgments=int(again.candidates.askable.sum()),
        found=found,
        runs=len(ad_hoc.runs),
        trec8=strategy_table([(row.strategy, row) for row in of_trec8]),
        dl19=strategy_table(of_dl19),
        share=0.2,
        samples=samples,
    )
    save_page("judging-order", page, seeds=f"seed {SEED}, {REPEAT} repetitions of what is drawn at random")


def samples_table(collection: Collection, common: dict[str, object]) -> str:
    given = {"budget": "20%", **common}
    drawn = uj.reuse(collection.qrels, collection.runs, "xinfAP", truth="AP", strategy="sample(20%,depth=5)", **given)
    chosen = uj.reuse(collection.qrels, collection.runs, "AP", strategy="evidence", **given)
    rows = [
        [row.strategy, row.measure, f"{row.share:.1%}", f"{row.bias:+.4f}", f"{row.rmse:.4f}", f"{row.tau_b:.3f}"]
        for row in (*drawn.strategies(), *chosen.strategies())
    ]
    return markdown_table(["", "estimate", "judged", "bias", "RMSE", "tau-b"], rows, left=2)


if __name__ == "__main__":
    main()
