"""`evidence` and the older `bootstrap(prior=evidence)`: one model, two spellings, the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from evidence_oracles import left_out
from grouped_runs import DEPTH, as_runs
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.api import read_holes
from unjudged.errors import InputError, SpecError
from unjudged.holes import Bootstrap, Evidence

OLD = "bootstrap(prior='evidence')"
PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "draws": st.integers(1, 5000),
        "point": st.sampled_from(["mean", "median", "mode"]),
        "scope": st.sampled_from(["topic", "collection"]),
        "order": st.sampled_from(["rank", "doc"]),
        "unseen": st.sampled_from(["pool", "zero"]),
        "method": st.sampled_from(["auto", "draws"]),
        "depth": st.integers(1, 100),
        "ideal": st.sampled_from(["fixed", "follows"]),
        "ends": st.sampled_from(["percentiles", "nearest"]),
    },
)


@given(PARAMETERS)
def test_both_spellings_say_the_same_and_read_back(given_: dict[str, object]) -> None:
    new, old = Evidence(**given_), Bootstrap(prior="evidence", **given_)
    for what in ("draws", "point", "scope", "order", "unseen", "method", "depth", "ideal_follows", "nearest_ends"):
        assert getattr(new, what) == getattr(old, what)
    assert new.described() == old.described()
    assert new.learns_from_runs
    assert read_holes([str(new), str(old)]) == [new, old]


@pytest.mark.parametrize("inside", ["", "draws=70,ideal=fixed", f"depth={DEPTH},ends=percentiles,point=median"])
def test_scores_are_the_same_to_the_last_bit_and_have_the_name_that_was_typed(inside: str) -> None:
    _, rankings, group_of, without = left_out()
    holes = [f"evidence({inside})", f"bootstrap(prior=evidence{',' * bool(inside)}{inside})"]
    scores = uj.score(without, as_runs(rankings), ["nDCG@6", "AP@6"], holes=holes, groups=group_of)
    assert scores.holes == tuple(map(str, read_holes(holes)))
    assert [name.partition("(")[0] for name in scores.holes] == ["evidence", "bootstrap"]
    for name in ("values", "low", "high", "mean_low", "mean_high"):
        new, old = getattr(scores, name)
        np.testing.assert_array_equal(new, old, err_msg=name)
    assert (scores.high > scores.low).any()  # there was something to draw


def test_relative_reuse_and_report_take_the_short_spelling() -> None:
    judged, rankings, group_of, without = left_out()
    runs = as_runs(rankings)
    relative = [
        uj.relative(without, runs, "nDCG@6", holes=name, groups=group_of).run_rows for name in ("evidence", OLD)
    ]
    assert {row.holes for row in relative[0]} == {"evidence"}
    assert [row._replace(holes=OLD) for row in relative[0]] == list(relative[1])
    tried = uj.reuse(
        judged, runs, "P@6", degrade=f"LeaveOutGroup({DEPTH})", holes=["evidence", OLD], groups=group_of, jobs=1
    )
    rows = {row.holes: row for row in tried.methods()}
    assert set(rows) == {"evidence", OLD}
    assert rows["evidence"].rmse == rows[OLD].rmse
    page = uj.report(without, runs, "nDCG@6", holes="evidence", groups=group_of, reuse=False)
    assert page.overview.scores.holes == ("evidence",)
    assert page.overview.comparisons[0].prior == "evidence"


def test_holes_are_explained_under_the_name_that_was_typed() -> None:
    _, rankings, group_of, without = left_out()
    rows = [
        uj.score(without, as_runs(rankings), "nDCG@6", holes=name, groups=group_of, explain=[("g4r0", "t3")]).explained
        for name in ("evidence", OLD)
    ]
    assert rows[0]
    assert {row.holes for row in rows[0]} == {"evidence"}
    assert [row._replace(holes=OLD) for row in rows[0]] == list(rows[1])


@pytest.mark.parametrize("name", ["prior=run", "file=x"])
def test_what_makes_it_another_model_is_no_parameter(name: str) -> None:
    message = rf"^evidence has no parameter '{name.partition('=')[0]}' \(it has draws, point, scope, order, unseen, "
    with pytest.raises(SpecError, match=message):
        read_holes(f"evidence({name})")


def test_messages_have_the_name_that_was_typed() -> None:
    _, rankings, _, _ = left_out()
    with pytest.raises(InputError, match=r"^qrels: no document is judged, so evidence has no grades to draw from$"):
        uj.score({"t1": {"d1": -1}}, as_runs(rankings), "P@5", holes="evidence")
