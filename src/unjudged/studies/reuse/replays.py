"""Strategies in a study of reuse: judging the collection again in their order, and looking at it at some budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from unjudged.collection import BaseCollection
from unjudged.engine.execution.execute import Engine, run_plan
from unjudged.engine.execution.result_store import Store
from unjudged.engine.numerics.judged_in_order import JudgedInOrder, Judging, judging_plan
from unjudged.errors import InputError
from unjudged.io.label_files import LabelFile, read_labels_of
from unjudged.simulate.samples import Share
from unjudged.spec import Whole
from unjudged.strategies import Strategy, candidates_of
from unjudged.studies.reuse.protocol import Protocol
from unjudged.studies.reuse.reading import ReadRuns

__all__ = ["USUAL_BUDGETS", "Budget", "Replays", "parse_budget"]

USUAL_BUDGETS = ("2%", "5%", "10%", "20%", "30%", "50%")


@dataclass(frozen=True)
class Budget:
    """How many judgments are made: a number, or a share of those there are."""

    amount: int | Fraction

    def of(self, judgments: int) -> int:
        """The number; rounded half up, and at least one."""
        if isinstance(self.amount, int):
            return min(self.amount, judgments)
        half = self.amount * judgments + Fraction(1, 2)
        return max(1, half.numerator // half.denominator)


def parse_budget(given: object) -> Budget:
    """``20%`` or ``0.2`` of the judgments, or so many.

    >>> parse_budget("20%"), parse_budget(500)
    (Budget(amount=Fraction(1, 5)), Budget(amount=500))
    """
    text = str(given).strip()
    if text.isdecimal():
        return Budget(Whole(1).checked("a budget", int(text)))
    return Budget(Share().checked("a budget", given))


@dataclass(frozen=True)
class Replays:
    """Which strategies are followed, to which budgets, and what they are told beside the runs."""

    strategies: Sequence[Strategy] = ()
    budgets: Sequence[Budget] = ()
    labels: Sequence[LabelFile] = ()

    def check(self, protocol: Protocol) -> None:
        """Refuse what cannot be meant."""
        if self.strategies:
            if protocol.truth_qrels is not None:
                raise InputError("strategies judge the collection again: give its later judgments as QRELS")
            return
        for name, given in (("budgets are", self.budgets), ("labels are", self.labels)):
            if given:
                raise InputError(f"{name} for strategies; give one with --strategy, such as mtf or evidence")

    def judged(
        self, collection: BaseCollection, read: ReadRuns, repeat: int, engine: Engine, store: Store | None
    ) -> list[JudgedInOrder]:
        """Follow all strategies as far as the largest budget goes; what is judged at each."""
        joined, pool = read.joined, read.pool
        candidates = candidates_of(
            joined,
            depth=None if pool is None else pool.depth,
            pooled_runs=None if pool is None or pool.given else pool.runs,
            labels=read_labels_of(self.labels, joined.qrels),
        )
        budgets = sorted({one.of(int(joined.qrels.judged.sum())) for one in self.budgets or _usual()})
        for strategy in self.strategies:
            strategy.check(candidates)
        if not candidates.askable[candidates.judgments(joined.qrels)[0]].any():
            raise InputError("no strategy can be followed: no document of the pool is judged")
        judging = Judging(candidates, joined.qrels, tuple(self.strategies), collection.seed, budgets[-1])
        plan, words = judging_plan(judging, repeat), "judging again"
        results = run_plan(plan, engine, store=store, progress=collection.progress, words=words)
        levels = []
        for place, strategy in enumerate(self.strategies):
            mine = [arrays for block, arrays in zip(plan.blocks, results, strict=True) if block.item.strategy == place]
            there = max(len(one["rows"]) for one in mine)  # a sample ends
            for judgments in sorted({min(budget, there) for budget in budgets}):
                levels.append(JudgedInOrder(strategy=strategy, judgments=judgments, replays=tuple(mine)))
        return levels


def _usual() -> list[Budget]:
    return [parse_budget(one) for one in USUAL_BUDGETS]
