"""Tables of what runs score by labels alone, and whom that favours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.groups import Groups
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.judges import FavourRow, JudgeRunRow, OrderRow
from unjudged.results.tabular import number_or_none
from unjudged.uncertainty.agreement import agreement
from unjudged.uncertainty.base import Correction, SignificanceTest
from unjudged.uncertainty.formula_tests import PairedT
from unjudged.uncertainty.significance import significance

__all__ = ["Favour", "favour", "favour_rows", "order_row", "run_rows"]

TOP = 10


class Favour(NamedTuple):
    """How much more labels give some runs than others of the same human score; p-values over topics."""

    mean: Floats
    p: Floats
    corrected: Floats

    @property
    def favoured(self) -> int:
        """How many are favoured by more than chance."""
        return int(((self.mean > 0) & (self.corrected < SIGNIFICANT)).sum())


def favour(human: Floats, machine: Floats, members: Flags, correction: Correction) -> Favour:
    """Whom the *machine* scores (runs, topics) favour, of sets of runs (*members*: sets, runs).

    Judges who are generous, strict or blunt change the scores of all runs, and those of bad runs more than those of
    good ones. So what is compared is what a straight line through the *other* runs' means leaves of a set's scores.
    """
    sums, differences = [], []
    for inside in members:
        others = ~inside
        slope = _slope(human[others].mean(axis=1), machine[others].mean(axis=1))
        left = machine - slope * human
        difference = left[inside].mean(axis=0) - left[others].mean(axis=0)
        sums.append(float(difference.mean()))
        differences.append(difference)
    if not differences or human.shape[1] < 2:
        return Favour(np.array(sums), np.ones(len(sums)), np.ones(len(sums)))
    rounded = np.round(np.array(differences), 12)
    p = PairedT().compute(rounded, seed=0, batch=None)
    return Favour(np.array(sums), p, correction.adjust(p))


def _slope(x: Floats, y: Floats) -> float:
    """Of the line of least squares; 1 where fewer than 3 runs, or equal ones, say nothing about it."""
    spread = float(((x - x.mean()) ** 2).sum())
    return float(((x - x.mean()) * (y - y.mean())).sum() / spread) if len(x) >= 3 and spread > 1e-12 else 1.0


def order_row(
    judge: str,
    human: Floats,
    machine: Floats,
    test: SignificanceTest,
    correction: Correction,
    seed: int,
    favoured: int,
) -> OrderRow:
    """Two orders of the same runs; scores are (runs, topics)."""
    left, right = human.mean(axis=1), machine.mean(axis=1)
    close = agreement(left, right)
    depth = min(TOP, len(left))
    by_people, by_labels = (significance(one, test=test, correction=correction, seed=seed) for one in (human, machine))
    signs = [
        np.where(one.corrected < SIGNIFICANT, np.sign(scores[one.pairs[:, 0]] - scores[one.pairs[:, 1]]), 0)
        for one, scores in ((by_people, left), (by_labels, right))
    ]
    other = signs[0] != signs[1]
    return OrderRow(
        judge=judge,
        topics=human.shape[1],
        runs=len(left),
        tau_b=number_or_none(close.tau_b),
        tau_ap=number_or_none(close.tau_ap),
        top=len(_best(left, depth) & _best(right, depth)) / depth,
        depth=depth,
        rmse=close.rmse,
        bias=close.bias,
        run_pairs=len(by_people),
        significant=int((signs[0] != 0).sum()),
        missed=int((other & (signs[0] != 0)).sum()),
        false=int((other & (signs[1] != 0)).sum()),
        favoured=favoured,
    )


def run_rows(
    judge: str, names: Sequence[str], groups: Groups, human: Floats, machine: Floats, favours: Favour
) -> Iterator[JudgeRunRow]:
    """Each run, the best by judgments first."""
    left, right = human.mean(axis=1), machine.mean(axis=1)
    ranks, machine_ranks = _ranks(left), _ranks(right)
    for i in np.argsort(ranks, kind="stable").tolist():
        yield JudgeRunRow(
            judge=judge,
            run=names[i],
            group=groups.group(names[i]),
            human=float(left[i]),
            machine=float(right[i]),
            rank=int(ranks[i]),
            machine_rank=int(machine_ranks[i]),
            favour=float(favours.mean[i]),
            p=float(favours.p[i]),
            corrected_p=float(favours.corrected[i]),
        )


def favour_rows(judge: str, groups: Sequence[str], sizes: Ints, favours: Favour) -> Iterator[FavourRow]:
    """Each group of runs, the most favoured first."""
    for i in np.argsort(-favours.mean, kind="stable").tolist():
        numbers = float(favours.mean[i]), float(favours.p[i]), float(favours.corrected[i])
        yield FavourRow(judge, groups[i], int(sizes[i]), *numbers)


def _best(means: Floats, depth: int) -> set[int]:
    return set(np.argsort(-means, kind="stable")[:depth].tolist())


def _ranks(means: Floats) -> Ints:
    ranks = np.empty(len(means), dtype=np.int64)
    ranks[np.argsort(-means, kind="stable")] = np.arange(1, len(means) + 1)
    return ranks
