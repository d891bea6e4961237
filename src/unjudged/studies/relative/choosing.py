"""Which runs to take for a pool or an ensemble, and what the ensemble scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np

from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.engine.numerics.fusion import Fusion, fuse_first
from unjudged.engine.numerics.normalized_residual_gain import Readings
from unjudged.engine.numerics.scoring import deepest_rank, score_run
from unjudged.engine.numerics.unique_documents import Counting, judged_in_top, relevant_found
from unjudged.errors import InputError
from unjudged.holes.base import HoleModel, PreparedHoleModel, Settings
from unjudged.holes.fixed import NonRelevant
from unjudged.limits import Choice, ChooseBy, Whole
from unjudged.measures.base import Measure
from unjudged.results.relative import Chosen, FusedRuns
from unjudged.results.scores import mean_known
from unjudged.results.tabular import number_or_none
from unjudged.studies.relative.prior_runs import ReadRuns

__all__ = ["Choosing", "FusedScoring", "MeanScore", "choice_rows", "fused_rows"]


@dataclass(frozen=True)
class Choosing:
    """How many runs are chosen (None: nobody asked), by what, and how they are put together."""

    number: int | None = None
    by: ChooseBy = "gain"
    fusion: Fusion | None = None

    def __post_init__(self) -> None:
        Choice(get_args(ChooseBy)).checked("choose_by", self.by)
        if self.number is not None:
            Whole(1).checked("choose", self.number)
        elif self.fusion is not None:
            raise InputError(f"{self.fusion} puts chosen runs together: say how many, such as --choose 3")
        elif self.by != "gain":
            raise InputError(f"runs are chosen by {self.by} where it is said how many, such as --choose 3")


def choice_rows(
    readings: Readings, names: Sequence[str], scored: int, choosing: Choosing, counting: Counting
) -> tuple[Chosen, ...]:
    """Runs chosen greedily, beside those that are only priors."""
    if choosing.number is None:
        return ()
    taken, rows = list(range(scored, len(names))), []
    judged = [judged_in_top(readings, run, counting) for run in range(len(names))]
    per_judgment = choosing.by == "gain-per-judgment"
    chosen = readings.greedy(tuple(taken), choosing.number, judged, per_judgment=per_judgment)
    for step, (run, nrg, judgments) in enumerate(chosen, start=1):
        taken.append(run)
        rows.append(Chosen(step, names[run], nrg, relevant_found(readings, taken, counting), judgments))
    return tuple(rows)


class MeanScore(NamedTuple):
    """The mean score of a run under a hole model, between which bounds it lies, and how much of it is judged."""

    score: float
    low: float | None
    high: float | None
    judged: float | None


@dataclass(frozen=True)
class FusedScoring:
    """With what fused runs are scored."""

    qrels: Qrels
    measure: Measure
    holes: Sequence[HoleModel]
    beliefs: Sequence[PreparedHoleModel]
    settings: Settings

    def score(self, run: Run) -> dict[str, MeanScore]:
        """The score under each hole model that has something to say about the measure; topics without one count 0."""
        both = list(zip(self.holes, self.beliefs, strict=True))
        suited = [(model, belief) for model, belief in both if model.suits(self.measure)]
        models, beliefs = zip(*(suited or [(NonRelevant(), NonRelevant())]), strict=True)
        depth = deepest_rank([self.measure], models)
        scores = score_run(run, self.qrels, [self.measure], beliefs, self.settings, depth=depth)
        judged = number_or_none(float(mean_known(scores.judged[0])))
        out = {}
        for h, model in enumerate(models):
            undefined = np.isnan(scores.values[h, 0])
            value, low, high = (
                np.where(undefined, 0.0, part[h, 0]).mean() for part in (scores.values, scores.low, scores.high)
            )
            if (h, 0) in scores.drawn:
                means = scores.drawn[h, 0].all[0] / len(undefined)
                low, high = model.interval(means[None], None, self.settings)[0]
            out[str(model)] = MeanScore(float(value), number_or_none(low), number_or_none(high), judged)
        return out


def fused_rows(read: ReadRuns, choice: Sequence[Chosen], fusion: Fusion, scoring: FusedScoring) -> Iterator[FusedRuns]:
    """What prior and the first chosen runs score together, and what the best run scores alone."""
    only_priors = range(read.scored, len(read.names))
    runs = [read.sources[run].read() for run in (*only_priors, *(read.names.index(row.run) for row in choice))]
    best = int(np.argmax(read.means))
    alone = scoring.score(read.sources[best].read())
    numbers = [len(only_priors) + row.step for row in choice]
    for row, number, fused in zip(choice, numbers, fuse_first(runs, fusion, numbers), strict=True):
        for holes, together in scoring.score(fused).items():
            single = alone[holes]
            yield FusedRuns(
                runs=number,
                last=row.run,
                holes=holes,
                score=together.score,
                low=together.low,
                high=together.high,
                judged=together.judged,
                best=read.names[best],
                best_score=single.score,
                best_low=single.low,
                best_high=single.high,
                best_judged=single.judged,
            )
