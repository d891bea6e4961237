"""Tables 4 to 6 of the bootstrapped nDCG paper, with its protocol, on TREC-8 and DL19.

    python experiments/paper1_tables.py            # writes experiments/results/paper1-tables.md

The paper used Robust04, ClueWeb09 and ClueWeb12, whose runs are not at hand: only the shape of its tables can be
compared, not their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from collections_at_hand import RESULTS, Collection, dl19, markdown_table, trec8
from numpy.typing import NDArray

import unjudged as uj
from unjudged.api import read_holes
from unjudged.arrays import Floats
from unjudged.data.joined import join_runs
from unjudged.engine.numerics.estimates_on_degraded_qrels import Trial, degraded, estimate_all, prepare_trial
from unjudged.engine.numerics.reuse_tallies import lost_judgments
from unjudged.holes import Settings
from unjudged.measures import nDCG
from unjudged.simulate import LeaveOutGroup
from unjudged.uncertainty.base import corrections, significance_tests
from unjudged.uncertainty.preferences import Ties, count_preferences, reconstruction

DEPTH = 10
PRIORS = {"BS pool": "pool", "BS run": "run", "BS pool+run": "pool+run"}
HOLES = ["nonrelevant", "condensed", "bounds", *(f"bootstrap(prior={prior},point=mode)" for prior in PRIORS.values())]
PERCENTILES = (75, 90, 95)


@dataclass
class Left:
    """What methods say about each run on each topic once its team is out; shape (runs, topics)."""

    truth: Floats
    counted: NDArray[np.bool_]
    """Pairs that lost a judgment among the first 10, all of which were judged before."""
    points: dict[str, Floats]
    upper: dict[str, Floats]


def trial_of(collection: Collection, holes: Iterable[str], interval: tuple[float, float]) -> Trial:
    joined = join_runs(collection.qrels, collection.runs).in_groups(collection.team_of)
    return prepare_trial(
        joined,
        None,
        [nDCG @ DEPTH],
        [nDCG @ DEPTH],
        read_holes(holes),
        [LeaveOutGroup(depth=DEPTH)],
        settings=Settings(quantiles=interval),
        test=significance_tests.choose("t"),
        correction=corrections.choose("holm"),
    )


def leave_out(trial: Trial) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Values and upper ends (holes, runs, topics), each run without its team; and the pairs that count."""
    shape = (len(trial.holes), *trial.truth.shape[1:])
    values, high, counted = np.empty(shape), np.empty(shape), np.zeros(shape[1:], dtype=bool)
    for team in trial.degradations[0].cases(trial.joined):
        joined, left = degraded(trial, trial.degradations[0], team, 0)
        estimates = estimate_all(trial, joined, None)
        values[:, left.runs], high[:, left.runs] = estimates.values[:, 0, left.runs], estimates.high[:, 0, left.runs]
        counted[left.runs] = lost_judgments(trial, estimates, left.runs, None)[0, left.runs]
    return values, high, counted


def run_all(collection: Collection) -> Left:
    trial = trial_of(collection, HOLES, (0.05, 0.95))
    values, high, counted = leave_out(trial)
    points = {"naive (L)": values[0], "condensed": values[1], **dict(zip(PRIORS, values[3:], strict=True))}
    upper = {"naive (U)": high[2], "condensed": np.maximum(values[0], values[1])}
    for percent in PERCENTILES:
        ends = leave_out(trial_of(collection, ["bootstrap"], (0.0, percent / 100)))[1]
        upper[f"BS pool+run@{percent}"] = ends[0]
    return Left(trial.truth[0], counted, points, upper)


def table_4(left: Left) -> str:
    rows = []
    for name, values in {**left.points, "naive (U)": left.upper["naive (U)"]}.items():
        off = (values - left.truth)[left.counted]
        roots = [np.sqrt(np.mean(part**2)) for part in (off, np.maximum(off, 0), np.minimum(off, 0))]
        rows.append([name, *(f"{root:.3f}" for root in roots)])
    return markdown_table(["method", "RMSE", "lower", "upper"], rows)


def table_5(left: Left) -> str:
    rows = []
    for name, values in {**left.points, "naive (U)": left.upper["naive (U)"]}.items():
        agreement = uj.agreement(left.truth.mean(axis=1), values.mean(axis=1))
        rows.append([name, *(f"{value:.3f}" for value in (agreement.tau_b, agreement.pearson, agreement.spearman))])
    return markdown_table(["method", "Kendall's tau-b", "Pearson", "Spearman"], rows)


def table_6(left: Left, ties: Ties) -> str:
    lowest = left.points["naive (L)"]
    ranges = {f"point: {name}": (left.points[name],) * 2 for name in ("naive (L)", "condensed", "BS pool+run")}
    ranges |= {f"range to {name}": (lowest, high) for name, high in left.upper.items()}
    rows = []
    for name, (low, high) in ranges.items():
        rates = reconstruction(count_preferences(low, high, left.truth, left.counted, ties=ties))
        rows.append([name, *(f"{rate:.3f}" for rate in rates)])
    return markdown_table(["method", "precision", "recall", "F1"], rows)


PREFACE = """# Tables 4 to 6 of the bootstrapped nDCG paper

Made by `experiments/paper1_tables.py`; do not edit.

The paper's protocol, on other collections. Each team in turn is left out: documents that only its runs have in their
first 10 lose their judgments. nDCG@10 (linear gain) of its runs is estimated and compared with the truth, on the pairs
of run and topic that lost a judgment and had all 10 judged before; on other pairs the true score is used. BS is the
bootstrap's most likely score (its *mode*) with the grades of the pool, of the run, or the average of both as prior.

* The paper's tables 4 and 5 probably have the priors P and R swapped: in its released code the names are. On TREC-8, as
  there, the run's own grades lead to overestimates, as condensed lists do, and the pool's to scores near the naive
  lower bound.
* What the paper calls Spearman's rho is Pearson's correlation in its code; both are here.
* In table 6 a range starts at the naive lower bound. The paper says that ties give no preference; its code gives them
  to the run with the range, which is why its points have the same precision and recall. Both are here.

As in the paper, the naive upper bound is useless as an estimate, points have the best recall and ranges the best
precision, and the 95th percentile of the bootstrap keeps nearly all of the naive upper bound's precision with much more
recall. No point estimate is best everywhere: by RMSE it is the naive lower bound on DL19 and condensed lists on TREC-8;
by tau it is the bootstrap with both priors on DL19, while on TREC-8 all but one are within 0.003.
"""


def main() -> None:
    parts = [PREFACE]
    for collection in (dl19(), trec8()):
        left = run_all(collection)
        parts.append(f"## {collection.name}\n")
        parts.append(f"{len(collection.teams)} teams, {len(collection.runs)} runs, {left.counted.sum():,} pairs.\n")
        parts += ["### Table 4: error of scores\n", table_4(left) + "\n"]
        parts += ["### Table 5: correlation of rankings\n", table_5(left) + "\n"]
        parts += ["### Table 6: order of runs, a tie gives no preference\n", table_6(left, "neither") + "\n"]
        parts += ["### Table 6: order of runs, ties go to the run with the range\n", table_6(left, "first") + "\n"]
        print(f"{collection.name} done", flush=True)
    (RESULTS / "paper1-tables.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
