"""Table 7 of paper 1 (bootstrapped nDCG@10 on TREC-COVID): what is printed beside what we compute.

python experiments/table7.py            # writes experiments/results/table7.md
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from collections_at_hand import RESULTS, SHARED, markdown_table, need

import unjudged as uj
from unjudged.arrays import Flags, Floats
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run

RUNS = {
    "ANCE": "ance-09-01-2023-run.txt.gz",
    "ColBERT": "colbert-ranking-26-12-2022-run.txt.gz",
    "TAS-B": "tas-b-09-01-2023-run.txt.gz",
    "1st@TREC": "BBGhelani2-run.txt.gz",
}
COLUMNS = ("U@10", "Default", "Cond.", "BS", "Naive", "BS@95", "Ex. qrels")
PRINTED = {
    (".25 to .5", "ANCE"): (0.356, 0.489, 0.683, 0.660, 0.838, 0.795, 0.650),
    (".25 to .5", "ColBERT"): (0.333, 0.485, 0.641, 0.614, 0.770, 0.741, 0.626),
    (".25 to .5", "TAS-B"): (0.325, 0.597, 0.875, 0.847, 0.902, 0.894, 0.597),
    (".5 to 1", "ANCE"): (0.656, 0.207, 0.547, 0.385, 0.769, 0.542, 0.357),
    (".5 to 1", "ColBERT"): (0.629, 0.337, 0.679, 0.517, 0.881, 0.645, 0.447),
    (".5 to 1", "TAS-B"): (0.738, 0.211, 0.584, 0.459, 0.918, 0.623, 0.330),
    ("all", "ANCE"): (0.224, 0.652, 0.772, 0.747, 0.853, 0.804, 0.735),
    ("all", "ColBERT"): (0.172, 0.680, 0.770, 0.741, 0.826, 0.789, 0.734),
    ("all", "TAS-B"): (0.410, 0.481, 0.705, 0.633, 0.871, 0.729, 0.555),
    ("all", "1st@TREC"): (0.000, 0.679, 0.679, 0.679, 0.679, 0.679, 0.679),
}
DRAWN = ("BS", "BS@95")
SEEDS = 20
RELEASED = "bootstrap(point=mode,scope=collection,order=doc,unseen=zero)"
PER_TOPIC = "bootstrap(point=mode,scope=topic,order=doc,unseen=zero)"
POINTS = tuple(f"bootstrap(point={point})" for point in ("mean", "median", "mode"))
MEASURE = "nDCG@10"


@dataclass(frozen=True)
class Covid:
    """Runs, judgments before and after the holes were judged, and what follows from them per run and topic."""

    runs: list[Run]
    original: Qrels
    expanded: Qrels

    def unjudged(self) -> Floats:
        """U@10 of each run and topic; it divides by 10, and is NaN where the run lacks the topic."""
        judged = uj.score(self.original, self.runs, "P@10").judged[0, 0]
        return 1 - judged

    def truth(self) -> Floats:
        """nDCG@10 with the holes judged."""
        return uj.score(self.expanded, self.runs, MEASURE).values[0, 0]


def read() -> Covid:
    """The four runs and both sets of judgments; negative grades are dropped, as TrecTools does."""
    folder = need(SHARED / "trec-covid")
    runs = uj.read_runs({name: folder / file for name, file in RUNS.items()})
    original = uj.read_qrels(folder / "incomplete-beir-trec-covid.txt.gz", negative="drop")
    return Covid(runs, original, uj.read_qrels(folder / "complete-annotation-trec-covid.txt.gz", negative="drop"))


def selection(group: str, unjudged: Floats) -> Flags:
    """Topics of a row, by the run's U@10. The caption says "more than 50%"; it is 50% and more."""
    answered = ~np.isnan(unjudged)
    if group == "all":
        return answered
    bounds = (0.25, 0.5) if group == ".25 to .5" else (0.5, 1.01)
    return answered & (unjudged >= bounds[0] - 1e-9) & (unjudged < bounds[1] - 1e-9)


def cells(covid: Covid, holes: str, seed: int = 42) -> dict[tuple[str, str], tuple[float, ...]]:
    """Every cell of the table under one bootstrap."""
    scores = uj.score(
        covid.original, covid.runs, MEASURE, holes=["nonrelevant", "condensed", "bounds", holes], seed=seed
    )
    default, condensed, _, drawn = scores.values[:, 0]
    columns = [covid.unjudged(), default, condensed, drawn, scores.high[2, 0], scores.high[3, 0], covid.truth()]
    out = {}
    for group, run in PRINTED:
        r = scores.runs.index(run)
        chosen = selection(group, columns[0][r])
        out[group, run] = tuple(float(column[r, chosen].mean()) for column in columns)
    return out


# ---- writing


def printed_beside_ours(ours: dict[tuple[str, str], tuple[float, ...]]) -> tuple[str, int]:
    """The deterministic columns, and how many of their cells are as printed."""
    columns = [i for i, name in enumerate(COLUMNS) if name not in DRAWN]
    rows, same = [], 0
    for key, printed in PRINTED.items():
        row = []
        for i in columns:
            agrees = abs(ours[key][i] - printed[i]) <= 0.0005 + 1e-9
            same += agrees
            row.append(f"{printed[i]:.3f} / {ours[key][i]:.4f}" + ("" if agrees else " **differs**"))
        rows.append([*key, *row])
    return markdown_table(["topics", "run", *(COLUMNS[i] for i in columns)], rows, left=2), same


def drawn_columns(covid: Covid) -> tuple[str, int]:
    """BS and BS@95: printed, over seeds, and without a seed; and how many printed values are in the range."""
    drawn = [cells(covid, RELEASED.replace(")", ",method=draws)"), seed) for seed in range(SEEDS)]
    exact = cells(covid, RELEASED)
    rows, inside = [], 0
    for key, printed in PRINTED.items():
        row = [*key]
        for name in DRAWN:
            i = COLUMNS.index(name)
            values = [one[key][i] for one in drawn]
            within = min(values) - 0.0005 <= printed[i] <= max(values) + 0.0005
            inside += within
            row += [f"{printed[i]:.3f}", f"{min(values):.3f} to {max(values):.3f}" + ("" if within else " **outside**")]
            row.append(f"{exact[key][i]:.4f}")
        rows.append(row)
    head = ["topics", "run", "BS printed", f"{SEEDS} seeds", "exact", "BS@95 printed", f"{SEEDS} seeds", "exact"]
    return markdown_table(head, rows, left=2), inside


def against_the_truth(covid: Covid) -> str:
    """Means over all topics under several models, and errors per topic where there are holes."""
    models = ["nonrelevant", "condensed", RELEASED, PER_TOPIC, *POINTS]
    priors = ["bootstrap(prior=pool)", "bootstrap(prior=run)"]
    scores = uj.score(covid.original, covid.runs[:3], MEASURE, holes=[*models, *priors])
    truth, unjudged = covid.truth()[:3], covid.unjudged()[:3]
    holes = unjudged > 0
    rows = [["truth", *(f"{one:.3f}" for one in truth.mean(axis=1)), "", "", "", "", ""]]
    for h, model in enumerate([*models, *priors]):
        values, low, high = scores.values[h, 0], scores.low[h, 0], scores.high[h, 0]
        off = (values - truth)[holes]
        means = [f"{one:.3f}" for one in values.mean(axis=1)]
        over, under = np.maximum(off, 0), np.minimum(off, 0)
        shown = [f"{np.sqrt((one**2).mean()):.3f}" for one in (off, over, under)]
        covered = "-"
        if model.startswith("bootstrap"):
            inside = (truth >= low - 1e-9) & (truth <= high + 1e-9)
            covered = f"{100 * inside[holes].mean():.0f}% ({(high - low)[holes].mean():.3f})"
        rows.append([f"`{model}`", *means, *shown, f"{off.mean():+.3f}", covered])
    head = ["model", "ANCE", "ColBERT", "TAS-B", "RMSE", "lower", "upper", "bias", "90% interval: observed (width)"]
    return markdown_table(head, rows) + f"\n\n{int(holes.sum())} of {holes.size} run-topic pairs have holes."


PAGE = """# Table 7 of paper 1, recomputed

Made by `experiments/table7.py`; do not edit. nDCG@10 with linear gain on TREC-COVID; negative grades are dropped, as
TrecTools does.

## Deterministic columns: printed / ours

{same} of 50 cells agree with the printed value to its three decimals.

{table}

## Bootstrap columns

With the conventions of the code released with the paper:

    {released}

{inside} of 20 printed values lie in the range of our {seeds} seeds of 1,000 draws each. *exact* is the distribution
without a seed. The paper's mode is the highest score in the fullest of 20 bins; it jumps between seeds where two bins
are nearly as full.

{drawn}

## Which estimate comes closest to the truth?

Means over all 50 topics; then errors of single topics, where the run has holes (*lower*: overestimates only, *upper*:
underestimates only).

{truth}

* First bootstrap row: the released code. Second: the paper's own formula, a prior from the topic's judgments. Then our
  defaults (`scope=topic`, `order=rank`, `unseen=pool`) at each point.
* The paper says of this table that its bootstrap "produces the best estimates in all cases". By the printed values
  taking unjudged documents as not relevant is closer in {closer} of the 9 rows with holes:
  {which}.
"""


def default_is_closer() -> list[str]:
    """Rows of the printed table in which the default score is closer to the truth than the bootstrap's."""
    at = COLUMNS.index
    closer = []
    for (group, run), row in PRINTED.items():
        truth = row[at("Ex. qrels")]
        if abs(row[at("Default")] - truth) < abs(row[at("BS")] - truth):
            closer.append(f"{run} ({group})")
    return closer


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS / "table7.md")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    begin = time.perf_counter()
    covid = read()
    table, same = printed_beside_ours(cells(covid, RELEASED))
    drawn, inside = drawn_columns(covid)
    page = PAGE.format(
        same=same,
        table=table,
        released=RELEASED,
        inside=inside,
        seeds=SEEDS,
        drawn=drawn,
        truth=against_the_truth(covid),
        closer=len(default_is_closer()),
        which=", ".join(default_is_closer()),
    )
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(page, encoding="utf-8")
    sys.stderr.write(f"{options.out} in {time.perf_counter() - begin:.0f} s\n")


if __name__ == "__main__":
    main()
