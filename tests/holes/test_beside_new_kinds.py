"""A run of a kind that is missing from a small pool has bounds for its mean; runs that are looked at with it do not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from evidence_oracles import with_occurrences
from grouped_runs import Judgments, Ranked, as_runs, collection, pooled

import unjudged as uj
from unjudged.api import read_measures
from unjudged.arrays import Floats
from unjudged.data.joined import join_runs
from unjudged.data.view import View, join, stacked
from unjudged.engine.numerics import reuse_trial
from unjudged.errors import LITTLE_JUDGED, TOO_FEW_GROUPS
from unjudged.holes import Settings, hole_models
from unjudged.holes.missing_kinds import MISSING_KIND

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")

NEW = ("a-new", "m-new")
"""In the order of names, one stands first and one among the others."""
POOLED_TO = 8
MEASURES = ("P@10", "nDCG@10")


@cache
def parts(groups: int = 4) -> tuple[Judgments, dict[str, Ranked], dict[str, str]]:
    """Runs of the pool have holes at ranks 9 and 10 that are their own; what new ones find together nobody has."""
    truth, rankings, group_of = collection(3, groups=groups, runs=1, topics=8, docs=60)
    rankings = {f"{'bz'[i % 2]}-{run}": ranked for i, (run, ranked) in enumerate(rankings.items())}
    group_of = {run: run for run in (*rankings, *NEW)}
    judged = pooled(truth, rankings, list(rankings), POOLED_TO)
    for run in NEW:
        rankings[run] = {
            topic: [doc for i in range(10) for doc in ([f"new{i}"] if i % 5 == 2 else [known[i]])]
            for topic, known in ((topic, sorted(grades)) for topic, grades in judged.items())
        }
    return judged, rankings, group_of


def scored(measure: str, groups: int, holes: str) -> uj.Scores:
    judged, rankings, group_of = parts(groups)
    return uj.score(judged, as_runs(rankings), measure, holes=holes, groups=group_of)


def widths(scores: uj.Scores, holes: str) -> dict[str, float]:
    """Of the intervals of the first measure's means."""
    h = scores.holes.index(holes)
    return dict(zip(scores.runs, (scores.mean_high - scores.mean_low)[h, 0].tolist(), strict=True))


# ---- score


@pytest.mark.parametrize("measure", MEASURES)
def test_score_gives_runs_beside_new_ones_their_own_intervals(measure: str) -> None:
    """By default several runs are estimated together; a hole model that is asked for looks at one run at a time."""
    together, alone = (scored(measure, 3, holes) for holes in ("auto", "discounted"))
    assert MISSING_KIND in {one.code for one in together.warnings}
    assert widths(together, "discounted") == widths(alone, "discounted")


@pytest.mark.parametrize(("groups", "model"), [(3, "discounted"), (4, "evidence")])
def test_new_runs_have_bounds_and_others_do_not(groups: int, model: str) -> None:
    scores = scored("P@10", groups, "auto")
    bounds = widths(scores, "joint")
    for run, width in widths(scores, model).items():
        assert width == pytest.approx(bounds[run]) if run in NEW else 0 < width < 0.9 * bounds[run]


def test_one_run_of_which_little_is_judged_is_no_missing_kind() -> None:
    """Nor do others have bounds that return one of its documents further down."""
    truth, rankings, _ = collection(3, groups=6, runs=1, topics=8, docs=60)
    judged = pooled(truth, rankings, [run for run in rankings if run != "g0r0"], POOLED_TO)
    models = ["discounted", "joint"]
    scores = uj.score(judged, as_runs(rankings), "P@10", holes=models, groups={run: run for run in rankings})
    codes, bounds = {one.code for one in scores.warnings}, widths(scores, "joint")
    assert LITTLE_JUDGED in codes
    assert codes.isdisjoint({MISSING_KIND, TOO_FEW_GROUPS})
    for run, width in widths(scores, "discounted").items():
        assert width == pytest.approx(bounds[run]) if run == "g0r0" else width < 0.7 * bounds[run]


# ---- views of several runs


@pytest.mark.parametrize("model", ["discounted(draws=50)", "evidence(draws=50)"])
@pytest.mark.parametrize("measure", MEASURES)
def test_draws_of_means_do_not_depend_on_what_else_a_view_has(measure: str, model: str) -> None:
    judged, rankings, group_of = parts()
    qrels, occurrences = with_occurrences(judged, rankings, group_of, depth=10)
    runs = [uj.read_run(run, name=name) for name, run in as_runs(rankings).items()]
    belief, joined = hole_models.parse(model).learn(qrels, occurrences), join_runs(qrels, runs)
    (asked,) = read_measures(measure)

    def draws(view: View) -> Floats:
        found = belief.estimate(asked, view, Settings()).draws
        assert found is not None
        return found

    each = [join(run, qrels, depth=10) for run in runs]
    alone = [draws(view) for view in each]
    for view in (stacked(each), joined.view(range(len(runs)), depth=10)):
        np.testing.assert_array_equal(draws(view), np.concatenate(alone))
    turned = [len(runs) - 1 - r for r in range(len(runs))]
    np.testing.assert_array_equal(draws(stacked([each[r] for r in turned])), np.concatenate([alone[r] for r in turned]))


# ---- reuse


def left_out(holes: str, groups: int) -> uj.Reuse:
    judged, rankings, group_of = parts(groups)
    return uj.reuse(
        judged,
        as_runs(rankings),
        "P@10",
        degrade=f"LeaveOutGroup({POOLED_TO})",
        holes=holes,
        groups=group_of,
        never_judged="nonrelevant",
        jobs=1,
    )


def test_reuse_says_the_same_however_many_runs_it_looks_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    together = left_out("discounted(draws=50)", 8)
    monkeypatch.setattr(reuse_trial, "_DRAWN", 1)
    assert left_out("discounted(draws=50)", 8).leaveout() == together.leaveout()


@pytest.mark.parametrize(
    ("holes", "groups"), [("discounted(draws=50)", 8), ("discounted(draws=50)", 10), ("evidence(draws=50)", 10)]
)
def test_reuse_gives_left_out_runs_the_intervals_that_score_gives(holes: str, groups: int) -> None:
    judged, rankings, group_of = parts(groups)
    rows = left_out(holes, groups).leaveout()
    assert {row.run for row in rows} == set(rankings)
    for row in rows:
        others = {run: ranked for run, ranked in rankings.items() if run != row.run}
        rest = {
            topic: {
                doc: grade
                for doc, grade in grades.items()
                if doc not in rankings[row.run][topic][:POOLED_TO]
                or any(doc in ranked[topic][:POOLED_TO] for ranked in others.values())
            }
            for topic, grades in judged.items()
        }
        found = uj.score(rest, as_runs(rankings), "P@10", holes=holes, groups=group_of, pool_depth=POOLED_TO)
        at = (0, 0, found.runs.index(row.run))
        ends = found.mean_low[at], found.mean_high[at]
        assert (row.estimate, row.low, row.high) == pytest.approx((found.means[at], *ends))
