"""Tables 3 to 6 of the bootstrapped nDCG paper, with its protocol, on TREC-8 and DL19.

    python experiments/paper1_tables.py            # writes experiments/results/paper1-tables.md

The paper used Robust04, ClueWeb09 and ClueWeb12, whose runs are not at hand: only the shape of its tables can be
compared, not their numbers.
"""

from __future__ import annotations

import warnings

from collections_at_hand import Collection, dl19, markdown_table, trec8
from pages import save_page

import unjudged as uj
from unjudged.holes import hole_models

MEASURE = "nDCG@10"
MODE = {"BS pool": "pool", "BS run": "run", "BS pool+run": "pool+run"}
POINTS = {
    "naive (L)": "nonrelevant",
    "condensed": "condensed",
    **{name: f"bootstrap(prior={prior},point=mode)" for name, prior in MODE.items()},
    "naive (U)": "bounds(point=upper)",
}
PERCENTILES = (75, 90, 95)
STARS = (0.05, "*")
"""Level of significance, and its sign in the tables."""


def reuse(collection: Collection, holes: list[str], upper: int = 95, share: str = "75%") -> uj.Reuse:
    return uj.reuse(
        collection.qrels,
        collection.runs,
        MEASURE,
        degrade="LeaveOutGroup(10)",
        groups=collection.team_of,
        holes=holes,
        top_share=share,
        correction="bonferroni",
        interval=(0.0, upper / 100),
        jobs=1,
    )


def printed(name: str) -> str:
    """A hole model as results have it."""
    return str(hole_models.parse(name))


def better(result: uj.Reuse, statistic: str, holes: str, than: str) -> str:
    """A star where two methods differ significantly."""
    for row in result.tables.differences:
        if row.statistic == statistic and {row.holes, row.other_holes} == {holes, than}:
            return STARS[1] if row.corrected_p < STARS[0] else ""
    return ""


def table_3(result: uj.Reuse) -> str:
    rows = [[row.grade, f"{row.left:.2f}", f"{row.lost:.2f}"] for row in result.tables.grades]
    return markdown_table(["grade", "judgments that are left", "that a team alone brought"], rows)


def table_4(result: uj.Reuse) -> str:
    by_holes = {row.holes: row for row in result.correlations()}
    rows = []
    for name, holes in POINTS.items():
        row = by_holes[printed(holes)]
        star = better(result, "error", row.holes, "nonrelevant")
        errors = (row.topic_rmse, row.topic_rmse_lower, row.topic_rmse_upper)
        rows.append([name, *(f"{error:.3f}" for error in errors), star])
    return markdown_table(["method", "RMSE", "lower", "upper", "differs from naive (L)"], rows)


def table_5(*results: uj.Reuse) -> str:
    rows = [[name] for name in POINTS]
    for result in results:
        by_holes = {row.holes: row for row in result.correlations()}
        for row, one in zip(rows, (by_holes[printed(holes)] for holes in POINTS.values()), strict=True):
            row += [f"{value:.3f}" for value in (one.tau_b, one.pearson, one.spearman)]
    return markdown_table(["method", "tau-b", "Pearson", "Spearman", "all runs: tau-b", "Pearson", "Spearman"], rows)


def table_6(result: uj.Reuse, ranges: dict[int, uj.Reuse], ties: str) -> str:
    rows = []

    def add(name: str, tried: uj.Reuse, holes: str, of: str) -> None:
        for row in tried.tables.orders:
            if (row.holes, row.of, row.ties) == (printed(holes), of, ties):
                rows.append([name, *(f"{rate:.3f}" for rate in (row.precision, row.recall, row.f1))])

    for name in ("naive (L)", "condensed", "BS pool+run"):
        add(f"point: {name}", result, POINTS[name], "estimate")
    add("range to naive (U)", result, POINTS["naive (U)"], "range")
    add("range to condensed", result, "condensed", "from lowest")
    for percent, tried in ranges.items():
        add(f"range to BS pool+run@{percent}", tried, "bootstrap", "from lowest")
    return markdown_table(["method", "precision", "recall", "F1"], rows)


PREFACE = """# Tables 3 to 6 of the bootstrapped nDCG paper

The paper's protocol, on other collections, by `unjudged reuse --degrade 'LeaveOutGroup(10)' --groups FILE
--top-share 75% --correction bonferroni`. Each team in turn is left out: documents that only its runs have in their
first 10 lose their judgments. nDCG@10 (linear gain) of its runs is estimated and compared with the
truth; errors and orders are about the pairs of run and topic that lost a judgment. Only the best 75% of the runs are
looked at; table 5 also has all, because the paper's notebook makes that list there and does not use it. Documents that
nobody ever judged are taken out of the runs. BS is the bootstrap's most likely score (its *mode*) with the grades of
the pool, of the run, or the average of both as prior.

* The paper's tables 4 and 5 probably have the priors P and R swapped: in its released code the names are. On TREC-8, as
  there, the run's own grades lead to overestimates, as condensed lists do, and the pool's to scores near the naive
  lower bound.
* What the paper calls Spearman's rho is Pearson's correlation in its code; both are here.
* Table 4: a star where squared errors differ from those of the naive lower bound, paired by topic (t test, Bonferroni).
* In table 6 a range starts at the naive lower bound. The paper says that ties give no preference; its code gives those
  at the lower end to the run with the range, and those at the upper end alone to the other, which is why its points
  have the same precision and recall. Both are here.

As in the paper, the naive upper bound is useless as an estimate, points have the best recall and ranges the best
precision, the 95th percentile of the bootstrap keeps nearly all of the naive upper bound's precision with more recall,
and by tau over the best runs the bootstrap with both priors is the best. By RMSE it is the best on DL19 only.
"""


def main() -> None:
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    parts = [PREFACE]
    for collection in (dl19(), trec8()):
        result = reuse(collection, list(POINTS.values()))
        every = reuse(collection, list(POINTS.values()), share="100%")
        ranges = {percent: reuse(collection, ["bootstrap"], percent) for percent in PERCENTILES}
        pairs = next(row.pairs for row in result.coverage() if row.of == "topics")
        parts.append(f"## {collection.name}\n")
        parts.append(f"{len(collection.teams)} teams, {result.runs} of {len(collection.runs)} runs, {pairs:,} pairs.\n")
        parts += [
            "### Table 3: grades of the judgments that are left, and of those that are gone\n",
            table_3(result) + "\n",
        ]
        parts += ["### Table 4: error of scores\n", table_4(result) + "\n"]
        parts += ["### Table 5: correlation of rankings\n", table_5(result, every) + "\n"]
        parts += ["### Table 6: order of runs, a tie gives no preference\n", table_6(result, ranges, "neither") + "\n"]
        parts += ["### Table 6: order of runs, ties as in the paper's code\n", table_6(result, ranges, "first") + "\n"]
        print(f"{collection.name} done", flush=True)
    save_page("paper1-tables", "\n".join(parts), seeds="seed 42")


if __name__ == "__main__":
    main()
