"""How many judgments does it take to decide which of two runs is better, and how often is that right?

    python experiments/deciding.py            # writes experiments/results/deciding.md
    python experiments/deciding.py 0.2        # the same with a fifth of the pairs

`decide(A, B)` starts from an empty file and looks after every judgment; the complete judgments answer. Documents that
nobody judged are not relevant, here as in the complete scores. Then the number of relevant documents is estimated after
some of the judgments, in the order of several strategies, from documents that are judged in the end.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from collections_at_hand import SHARED, Collection, dl19, lines, markdown_table, need, trec8
from pages import save_page

import unjudged as uj
from unjudged.arrays import Floats, SmallInts
from unjudged.data.joined import Joined, join_runs
from unjudged.data.qrels import Qrels
from unjudged.io.label_files import expand_labels, read_labels_of
from unjudged.measures.requested import parse_measures
from unjudged.strategies import Candidates, candidates_of, strategies
from unjudged.strategies.decide import Decide, DecideOrder
from unjudged.studies.next_judgments.findings import Findings

SEED = 42
LABELS = "llm_labels/umbrella_gpt-4_zeroshot_dl19.txt.gz"
DEPTH = 100
"""Of what the model sees of the runs."""
ORDERS = ("decide", "depth", "mtf", "evidence")
SHARES = (0.05, 0.1, 0.2, 0.4)
PREFACE = """# Deciding which of two runs is better

Random pairs of runs, decided from an empty file with `decide(A, B)`, looking after every judgment, at a risk of 2.5%:
right is the share of verdicts with the sign that the complete judgments give (pairs that they call equal are left out).
*Union*: documents in the top ranks of either run, which brute force would judge; *share*: of these, the mean over
pairs. After ± is the standard error that the choice of pairs brings. five-hundred.md has verdicts about all pairs.
"""
RECALL = """
## How many documents are relevant?

Of the documents that some run has within the cut-off and that are judged: estimated after some of the judgments, over
their true number, with the 95% interval; bold where the interval does not hold the truth. Orders that look for relevant
documents leave what is worse than it looks: `next` prints only the upper end for these.
"""


class Trial(NamedTuple):
    """A pair of runs: judgments until it was decided, documents of brute force, if that was right, and seconds."""

    judgments: int
    union: int
    right: bool
    seconds: float


class Case(NamedTuple):
    """A collection and a measure, with labels or without, and so many pairs of runs."""

    name: str
    joined: Joined
    """With the complete judgments, ..."""
    empty: Joined
    """... and with none."""
    measure: str
    labels: str | None
    pairs: int


def covid() -> Collection:
    """TREC-COVID round 1: 143 runs of 56 teams, graded judgments, pooled about 7 deep."""
    folder = need(SHARED / "trec-covid-round1")
    team_of = dict(line.split()[:2] for line in lines(folder / "groups.tsv"))
    qrels = uj.read_qrels(folder / "qrels.covid-round1.txt.gz")
    return Collection("TREC-COVID round 1", qrels, tuple(uj.read_runs(folder / "runs", scores="float32")), team_of)


def cases(scale: float) -> Iterator[Case]:
    """One after the other, since each takes memory."""
    for collection, measure, labels, pairs in (
        (dl19, "nDCG@10", (None, LABELS), 1000),
        (trec8, "nDCG@10", (None,), 200),
        (covid, "nDCG@5", (None,), 0),
    ):
        given = collection()
        joined, empty = (join_runs(one, given.runs, depth=DEPTH) for one in (given.qrels, without(given.qrels)))
        for one in labels:
            yield Case(given.name, joined, empty, measure, one, round(scale * pairs))


def without(qrels: Qrels) -> Qrels:
    """The topics and the scale, as in a file that is still empty."""
    nothing = np.zeros(len(qrels), dtype=bool)
    return replace(qrels.left(nothing, nothing), given_scale=qrels.scale)


def candidates_for(case: Case) -> Candidates:
    """The documents within the cut-off, of which none is judged."""
    judges = []
    if case.labels is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "labels.qrels"
            path.write_bytes(gzip.decompress((SHARED / "dl19" / case.labels).read_bytes()))
            judges = read_labels_of(expand_labels(str(path)), case.empty.qrels)
    return candidates_of(case.empty, depth=parse_measures(case.measure)[0].depth(), labels=judges)


def grades_of(candidates: Candidates, joined: Joined) -> SmallInts:
    """The grade of every pair, 0 where nobody judged it."""
    rows = joined.qrels.pairs.find(candidates.topic_of, candidates.docs)
    judged = (rows >= 0) & np.append(joined.qrels.judged, False)[rows]
    return np.where(judged, np.append(joined.qrels.grades, 0)[rows], 0).astype(np.int32)


def means_of(case: Case, names: Sequence[str]) -> Floats:
    """Under the complete judgments."""
    measure = parse_measures(case.measure)[0]
    place = {name: run for run, name in enumerate(case.joined.runs)}
    scores = [
        measure.score(case.joined.view(range(place[name], place[name] + 1), depth=measure.depth())) for name in names
    ]
    return np.array([float(one.mean()) for one in scores])


def decided(case: Case) -> list[Trial]:
    """Random pairs, one after the other."""
    candidates = candidates_for(case)
    grades = grades_of(candidates, case.joined)
    means = means_of(case, candidates.runs)
    every = [(a, b) for a in range(len(means)) for b in range(a) if abs(means[a] - means[b]) > 1e-9]
    chosen = np.random.default_rng(SEED).permutation(len(every))[: case.pairs]
    work = partial(_decide, case.measure, candidates, grades, means)
    with ProcessPoolExecutor() as pool:
        return list(pool.map(work, [every[pair] for pair in chosen.tolist()], chunksize=5))


def _decide(measure: str, candidates: Candidates, grades: SmallInts, means: Floats, pair: tuple[int, int]) -> Trial:
    (a, b), begin = pair, time.process_time()
    strategy = Decide(runs=(candidates.runs[a], candidates.runs[b]), measure=measure)
    order = strategy.start(candidates, seed=SEED)
    both = order.weights.of((a, b))
    least = NormalDist().inv_cdf(1 - strategy.risk)
    while True:
        outlook = order.focus
        covariance = outlook.covariance()
        difference = float(outlook.expected[0] - outlook.expected[1])
        variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        batch = order.ask(1)
        sure = abs(difference) >= least * variance**0.5 and bool(both.looked_at(order.judged)[0, 1])
        if variance < 1e-18 or sure or not len(batch):
            break
        order.tell(batch.pairs, grades[batch.pairs])
    union = int((both.weights > 0).any(axis=0).sum())
    right = bool(np.sign(difference) == np.sign(means[a] - means[b]))
    return Trial(int(order.judged.sum()), union, right, time.process_time() - begin)


def recall_row(case: Case, name: str) -> list[str]:
    """Estimated over true number of relevant documents, after shares of the judgments."""
    candidates = candidates_of(case.joined, depth=parse_measures(case.measure)[0].depth())
    judged = np.zeros(len(candidates), dtype=bool)
    judged[candidates.judgments(case.joined.qrels)[0]] = True
    candidates = candidates.only(judged & candidates.askable)
    grades = case.joined.qrels.grades[candidates.qrels_rows]
    order_by = strategies.choose(name)
    order = order_by.start(candidates, seed=SEED)
    model = Decide(measure=case.measure).start(candidates, seed=SEED)
    true, cells = int((grades > 0).sum()), []
    for share in SHARES:
        while order.judged.sum() < share * len(candidates):
            batch = order.ask(max(1, round(0.01 * len(candidates))))
            order.tell(batch.pairs, grades[batch.pairs])
            model.tell(batch.pairs, grades[batch.pairs])
        cells.append(_estimate(model, true, sought=order_by.seeks_relevant))
    return [case.name, name, f"{true:,}", *cells]


def _estimate(model: DecideOrder, true: int, *, sought: bool) -> str:
    row = Findings.of((), model).relevant(1, sought=sought)
    low, high = row.relevant_low / true, row.relevant_high / true
    text = f"{high:.2f} or less" if sought else f"{row.relevant / true:.2f} ({low:.2f} to {high:.2f})"
    return text if low <= 1 <= high else f"**{text}**"


def _decided_row(case: Case) -> list[object]:
    trials = decided(case)
    judgments, union, right, _ = np.array(trials, dtype=float).T
    share = judgments / union
    error = [float(one.std(ddof=1)) / len(trials) ** 0.5 for one in (share, right)]
    milliseconds = 1000 * sum(one.seconds for one in trials) / sum(one.judgments + 1 for one in trials)
    labels = "-" if case.labels is None else "GPT-4 (UMBRELA)"
    shares = f"{share.mean():.1%} ± {error[0]:.1%}", f"{right.mean():.1%} ± {error[1]:.1%}"
    numbers = f"{judgments.mean():.0f}", f"{union.mean():.0f}", *shares, f"{milliseconds:.0f}"
    return [case.name, case.measure, labels, len(trials), *numbers]


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    rows, recall = [], []
    for case in cases(scale):
        if case.pairs:
            rows.append(_decided_row(case))
            print(rows[-1], flush=True)
        if case.labels is None:
            recall += [recall_row(case, name) for name in ORDERS]
            print(recall[-3:], flush=True)
    head = ["collection", "measure", "labels", "pairs", "judgments", "union", "share", "right", "ms a step"]
    of_recall = ["collection", "order", "relevant", *(f"{share:.0%} judged" for share in SHARES)]
    tables = f"{markdown_table(head, rows, left=3)}\n{RECALL}\n{markdown_table(of_recall, recall, left=2)}"
    save_page("deciding", f"{PREFACE}\n{tables}\n", seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
