"""reuse with evidence: among the methods that are tried where it exists, and honest where it does not."""

from __future__ import annotations

import pytest
from grouped_runs import DEPTH, as_runs, collection, pooled

import unjudged as uj
from unjudged.api import read_degradations, read_measures
from unjudged.studies.reuse.study import usual_methods

USUAL = ["nonrelevant", "condensed", "discounted"]
EVIDENCE = "evidence"


@pytest.mark.parametrize(
    ("measures", "degrade", "groups", "drawn"),
    [
        (["nDCG@10", "AP"], ["LeaveOutGroup"], 6, ["discounted", EVIDENCE]),
        (["nDCG@10"], ["LeaveOutRun(20)", "DepthCut(5,10)"], 6, ["discounted", EVIDENCE]),
        (["nDCG@10"], ["LeaveOutGroup"], 5, ["discounted"]),  # whoever is left out has but 4 others
        (["nDCG@10"], ["LeaveOutGroup"], 0, ["discounted"]),
        # Of a sample nobody knows who brought it, and what is not in it is as good.
        (["nDCG@10"], ["LeaveOutGroup", "KeepFraction(10%)"], 6, ["bootstrap"]),
        (["nDCG@10", "alpha_nDCG@10"], ["LeaveOutGroup"], 6, ["bootstrap"]),
    ],
)
def test_it_is_tried_where_it_exists(measures: list[str], degrade: list[str], groups: int, drawn: list[str]) -> None:
    methods = usual_methods(read_measures(measures), read_degradations(degrade), groups=groups)
    assert list(map(str, methods)) == ["nonrelevant", "condensed", *drawn]


def left_out(groups: int, holes: str | None = None) -> uj.Reuse:
    truth, rankings, group_of = collection(groups=groups)
    judged = pooled(truth, rankings, list(rankings))
    named = {**group_of, "nobody": "without runs"}
    return uj.reuse(
        judged,
        as_runs(rankings),
        "nDCG@5",
        degrade=f"LeaveOutGroup({DEPTH})",
        holes=holes,
        groups=named,
        jobs=1,
    )


def test_it_is_recommended_where_it_is_best() -> None:
    result = left_out(6)
    rows = {row.holes: row for row in result.methods()}
    assert set(rows) == {*USUAL, EVIDENCE}
    assert rows[EVIDENCE].recommended
    assert result.warnings == ()


def test_groups_without_runs_do_not_count() -> None:
    assert {row.holes for row in left_out(5).methods()} == set(USUAL)


def test_too_little_to_learn_from_is_said() -> None:
    with pytest.warns(uj.UnjudgedWarning, match="their grades are those of discounted"):
        result = left_out(5, "evidence")
    (notice,) = result.warnings
    assert (notice.code, notice.count) == ("no-evidence", 5)
    assert notice.message.startswith(
        f"{EVIDENCE}: with 5 of 5 degraded pools there was too little to learn from about some holes ("
    )
    assert notice.message.endswith(" in all); their grades are those of discounted")
