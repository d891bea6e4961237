"""Which systems to pool, and which to fuse, on TREC-8: by residual gain, gain per judgment, and by other orders.

    python experiments/relative_pools.py

Writes experiments/results/relative-pools.md.
"""

from __future__ import annotations

import heapq
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from collections_at_hand import Collection, markdown_table, trec8
from pages import save_page

import unjudged as uj
from unjudged.data.qrels import Qrels
from unjudged.data.view import join
from unjudged.engine.numerics.fusion import RRF, CombMNZ, CombSUM, fuse_first

warnings.simplefilter("ignore", uj.UnjudgedWarning)

DEPTH = 100
DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100)
BASES = ("P@100", "nDCG@100")
FEW = (5, 10, 20)
"""Numbers of systems that are pooled alone."""
FUSED = (2, 3, 5, 10, 20)
"""Numbers of systems that are fused."""

Rankings = list[list[int]]
"""For each run, the judged documents of one topic within DEPTH, best first, as rows of the judgments."""
Order = Callable[[int, Rankings], Iterator[int]]
"""Documents of a topic in the order in which they are judged; some come more than once."""


# ---- orders of documents


def by_depth(rankings: Rankings) -> Iterator[int]:
    """Rank 1 of all runs, then rank 2, and so on: depth pooling."""
    for rank in range(DEPTH):
        for ranking in rankings:
            yield from ranking[rank : rank + 1]


def by_system(rankings: Rankings) -> Iterator[int]:
    """All of the first run, then all of the second, and so on."""
    for ranking in rankings:
        yield from ranking


def move_to_front(rankings: Rankings, relevant: np.ndarray) -> Iterator[int]:
    """Local move-to-front (Cormack, Palmer and Clarke, SIGIR 1998).

    The run with the highest priority is read until a document that was not judged before turns out not relevant; then
    its priority falls by one. Of equals, the run that comes first.
    """
    waiting = [(0, run) for run in range(len(rankings))]
    place, judged = [0] * len(rankings), set()
    heapq.heapify(waiting)
    while waiting:
        fallen, run = heapq.heappop(waiting)
        while place[run] < len(rankings[run]):
            row = rankings[run][place[run]]
            place[run] += 1
            if row in judged:
                continue
            judged.add(row)
            yield row
            if not relevant[row]:
                heapq.heappush(waiting, (fallen + 1, run))
                break


# ---- orders of systems


def greedy(collection: Collection, base: str, qrels: Qrels, by: str = "gain") -> list[int]:
    """Runs in the order of what they add by these judgments, or add for each new judgment."""
    runs = collection.runs
    result = uj.relative(qrels, runs, base, holes="nonrelevant", pool_depth=DEPTH, choose=len(runs), choose_by=by)
    place = {run.name: i for i, run in enumerate(runs)}
    return [place[row.run] for row in result.choice()]


def by_ap(collection: Collection, qrels: Qrels) -> list[int]:
    """Runs by average precision."""
    means = [row.value for row in uj.score(qrels, collection.runs, "AP").mean()]
    return np.argsort(-np.array(means), kind="stable").tolist()


def by_half(collection: Collection, order: Callable[[Qrels], list[int]]) -> dict[int, list[int]]:
    """For each topic an order of runs that was learned without it: on the odd topics for even ones, and vice versa."""
    qrels, out = collection.qrels, {}
    for half in (0, 1):
        learned = order(qrels.left(qrels.topic_of_row % 2 != half))
        out.update(dict.fromkeys(range(half, len(qrels.topics), 2), learned))
    return out


# ---- what is found


def curve(rows: Iterator[int], relevant: np.ndarray, budgets: Sequence[int]) -> list[int]:
    """Relevant documents among the first so many different ones."""
    counts = np.concatenate([[0], np.cumsum(relevant[np.array(list(dict.fromkeys(rows)), dtype=np.int64)])])
    return [int(counts[min(budget, len(counts) - 1)]) for budget in budgets]


def judged_rankings(collection: Collection) -> list[Rankings]:
    """The rankings of each topic."""
    views = [join(run, collection.qrels, depth=DEPTH) for run in collection.runs]
    out = []
    for topic in range(len(collection.qrels.topics)):
        rows = [view.qrels_rows[view.offsets[topic] : view.offsets[topic + 1]] for view in views]
        out.append([one[one >= 0].tolist() for one in rows])
    return out


def fused_scores(collection: Collection, learned: dict[str, dict[int, list[int]]]) -> list[list[str]]:
    """AP of the first systems of each order, fused; topics are scored with the order that was learned without them."""
    qrels, rows = collection.qrels, []
    for fusion in (RRF(), CombSUM(), CombMNZ()):
        for name, orders in learned.items():
            scores = np.zeros((len(FUSED), len(qrels.topics)))
            for half in (0, 1):
                runs = [collection.runs[run] for run in orders[half][: max(FUSED)]]
                fused = {str(n): run for n, run in zip(FUSED, fuse_first(runs, fusion, FUSED), strict=True)}
                scores[:, half::2] = uj.score(qrels, fused, "AP").values[0, 0][:, half::2]
            rows.append([str(fusion), name, *(f"{score:.4f}" for score in scores.mean(axis=1))])
    return rows


def main() -> None:
    collection = trec8()
    qrels = collection.qrels
    relevant, rankings = qrels.grades > 0, judged_rankings(collection)
    learned = {"AP": by_half(collection, lambda half: by_ap(collection, half))}
    for base in BASES:
        learned[f"NRG({base})"] = by_half(collection, lambda half, base=base: greedy(collection, base, half))
        learned[f"NRG({base}) per judgment"] = by_half(
            collection, lambda half, base=base: greedy(collection, base, half, "gain-per-judgment")
        )
    known = greedy(collection, BASES[0], qrels)

    def runs(order: Sequence[int], topic: int) -> Rankings:
        return [rankings[topic][run] for run in order]

    orders: dict[str, Callable[[int], Iterator[int]]] = {
        "depth pooling": lambda topic: by_depth(rankings[topic]),
        "move-to-front": lambda topic: move_to_front(rankings[topic], relevant),
        "systems by AP": lambda topic: by_system(runs(learned["AP"][topic], topic)),
        **{
            f"systems by NRG({base})": lambda topic, base=base: by_system(runs(learned[f"NRG({base})"][topic], topic))
            for base in BASES
        },
        **{
            f"systems by NRG({base}) per judgment": lambda topic, base=base: by_system(
                runs(learned[f"NRG({base}) per judgment"][topic], topic)
            )
            for base in BASES
        },
        f"systems by NRG({BASES[0]}), judgments known": lambda topic: by_system(runs(known, topic)),
        "move-to-front, runs by NRG": lambda topic: move_to_front(
            runs(learned[f"NRG({BASES[1]})"][topic], topic), relevant
        ),
    }
    for few in FEW:
        orders[f"depth pooling of {few} by AP"] = lambda topic, few=few: by_depth(
            runs(learned["AP"][topic][:few], topic)
        )
        orders[f"depth pooling of {few} by NRG"] = lambda topic, few=few: by_depth(
            runs(learned[f"NRG({BASES[0]})"][topic][:few], topic)
        )
    budgets = [[len({row for ranking in topic for row in ranking[:depth]}) for depth in DEPTHS] for topic in rankings]
    total = np.sum(budgets, axis=0)
    rows = []
    for name, order in orders.items():
        counts = np.sum([curve(order(t), relevant, budgets[t]) for t in range(len(rankings))], axis=0)
        most = [len(set(order(t))) for t in range(len(rankings))]
        enough = [all(m >= b[i] for m, b in zip(most, budgets, strict=True)) for i in range(len(DEPTHS))]
        rows.append([name, *(f"{x / relevant.sum():.1%}" if ok else "" for x, ok in zip(counts, enough, strict=True))])
    first = ", ".join(collection.runs[run].name for run in known[:5])
    best = uj.score(qrels, {str(half): collection.runs[learned["AP"][half][0]] for half in (0, 1)}, "AP").values[0, 0]
    alone = np.mean([best[half, half::2].mean() for half in (0, 1)])
    head = ["order", *(f"{n:,}" for n in total)]
    text = f"""# Which systems to pool: TREC-8

Share of the {relevant.sum():,} relevant documents that are found with so
many judgments. The numbers of judgments are those of depth pools of all {len(collection.runs)} runs, of depths
{", ".join(map(str, DEPTHS))}; every method judges as many documents of every topic as the depth pool does. Runs are
read to rank {DEPTH}. Documents that NIST did not judge are passed over by all methods.

`systems by ...` judges all of the first run, then what is new in the second, and so on: in the order of AP, greedily by
what each run adds to those before it (`unjudged relative --choose`), or greedily by what its new documents add, for
each of them (`--choose-by gain-per-judgment`; with P, that is new relevant documents per new judgment). Orders are
learned on every other topic and used on the rest, except where judgments are said to be known. `of 5`, `10`, `20`: only
so many systems are pooled, from the top down; the cell is empty where they do not have enough documents.

{markdown_table(head, rows)}

* Up to about 23,000 judgments, any order of systems that was learned on other topics finds far more per judgment than
  depth pooling, and than move-to-front, which learns from nothing but the topic at hand. That needs judged topics to
  learn from.
* The greedy order by residual gain is *not* better than taking the best systems by AP. It finds as much at first and
  mostly less later, also with all judgments known. A run that adds much is mostly a good run, and one that adds
  unusual documents also brings many that are not relevant: NRG asks what a run adds, not what that costs.
* Divided by the cost, with P@100 as with nDCG@100, the greedy order is the best of all while judgments are few: 1 to 3
  points above AP up to 12,515 judgments, and a point or less below it after that.
* So the suggestion in section 5 of the paper, to choose a pool by NRG, does not pay on this collection as it stands;
  what pays is residual gain per judgment.

With all judgments known, the first five systems by NRG({BASES[0]}) are {first}.

## Which systems to fuse

AP of the first systems of these orders, fused by the three methods of `--fuse`. Again every other topic is scored with
what was learned on the rest, so that no topic's judgments choose its own systems. The best system by AP alone has
{alone:.4f}.

{markdown_table(["fusion", "systems by", *map(str, FUSED)], fused_scores(collection, learned), left=2)}

* Two or five systems that add most fuse better than the two or five best by AP, with every method; three do, too, but
  for one case. For an ensemble, what a run adds is the right question.
* Per judgment is mostly behind that, most of all with two systems: the second is cheap to judge because it is much
  like the first.
* RRF is the best of the methods with up to five systems. With ten or twenty, scores mostly fall again.
"""
    save_page("relative-pools", text, seeds="without draws")


if __name__ == "__main__":
    main()
