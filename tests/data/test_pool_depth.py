"""How deep the pool seems to be: against plain Python on runs that contributed, and others that did not."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import numpy as np
import pytest

import unjudged as uj
from unjudged.data.joined import join_run, join_runs, together
from unjudged.data.pool_depth import JudgedDepths, PoolDepth, joined_judged_depths, judged_down_to
from unjudged.data.run_info import RunInfo
from unjudged.data.view import join

pytestmark = pytest.mark.filterwarnings(
    "ignore:pooled0 lacks 3 of 30",
    "ignore:.*groups were not used",
    "ignore:.*never judged",
    "ignore:only .* are judged",
)

TOPICS = [f"t{i}" for i in range(30)]
DEPTH = 7
POOLED = {f"pooled{i}": f"g{i}" for i in range(5)}
OTHERS = {f"other{i}": f"g{i}" for i in range(5)} | {"alone": "g9"}
GROUPS = POOLED | OTHERS
_rng = random.Random(3)
RANKED = {run: {t: _rng.sample([f"{t}d{i}" for i in range(300)], 40) for t in TOPICS} for run in GROUPS}
for _t in TOPICS[:3]:
    RANKED["pooled0"][_t] = []  # a run without an answer is not a run with a hole
RUNS = {
    run: {t: {doc: -float(i) for i, doc in enumerate(docs)} for t, docs in ranked.items() if docs}
    for run, ranked in RANKED.items()
}
QRELS = {
    t: {doc: int(doc.endswith("1")) for run in POOLED for doc in RANKED[run][t][: DEPTH + 3 * (t == "t9")]}
    for t in TOPICS
}
del QRELS["t5"][RANKED["pooled3"]["t5"][1]]  # a judgment that was lost: on 1 topic of 30


def down_to(run: str, topic: str, cap: int | None) -> float:
    ranked = RANKED[run][topic][:cap]
    return next((i for i, doc in enumerate(ranked) if doc not in QRELS[topic]), np.inf)


def expected(cap: int | None) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[down_to(run, topic, cap) for topic in TOPICS] for run in GROUPS])


def found(depths: JudgedDepths) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.where(depths.by_topic == np.iinfo(np.int64).max, np.inf, depths.by_topic)


@pytest.fixture(scope="module")
def runs() -> list[uj.Run]:
    return uj.read_runs({run: RUNS[run] for run in GROUPS})


@pytest.mark.parametrize("cap", [None, 8, 3])
def test_down_to_which_rank_runs_are_judged(runs: list[uj.Run], cap: int | None) -> None:
    """From views, from joined runs, and from runs out of which unjudged documents were taken: always by whole runs."""
    qrels = uj.read_qrels(QRELS)
    views = [join(run, qrels, depth=cap) for run in runs]
    assert np.array_equal(found(JudgedDepths.of((judged_down_to(one), one.lengths) for one in views)), expected(cap))
    assert np.array_equal(found(joined_judged_depths(join_runs(qrels, runs), cap)), expected(cap))
    infos = [RunInfo.of(run, qrels) for run in runs]
    parts = together(qrels, [join_run(run, qrels, depth=cap, judged_only=True) for run in runs], infos)
    assert np.array_equal(found(joined_judged_depths(parts, cap)), expected(cap))


def pool(runs: list[uj.Run], cap: int | None = None) -> PoolDepth | None:
    numbers = np.array([int(group[1:]) for group in GROUPS.values()])
    return joined_judged_depths(join_runs(uj.read_qrels(QRELS), runs), cap).pool(numbers)


def test_the_pool_is_found(runs: list[uj.Run]) -> None:
    """Of each group one run was in it; on one topic it was deeper."""
    seems = pool(runs)
    assert seems is not None
    assert (seems.depth, seems.looked_at, seems.given) == (DEPTH, 40, False)
    assert [run for run, mine in zip(GROUPS, seems.runs, strict=True) if mine] == list(POOLED)
    by_topic = dict(zip(TOPICS, seems.by_topic.tolist(), strict=True))
    assert by_topic.pop("t9") == DEPTH + 3
    assert set(by_topic.values()) == {DEPTH}


def test_no_deeper_than_anybody_looked(runs: list[uj.Run]) -> None:
    seems = pool(runs, 6)
    assert seems is not None
    assert (seems.depth, seems.looked_at) == (6, 6)


def test_nothing_is_found_where_nobody_was_pooled(runs: list[uj.Run]) -> None:
    newcomers = [run for run in runs if run.name in OTHERS]
    joined = join_runs(uj.read_qrels(QRELS), newcomers)
    assert joined_judged_depths(joined, None).pool(np.arange(len(newcomers))) is None


WARNING = r"^{} deeper than the pool, which seems to be 7 deep \(5 of 11 runs are judged so far down\)$"


@pytest.mark.parametrize(
    ("measures", "named"),
    [(["P@10"], r"P@10 reads"), (["P@5", "nDCG@8", "NumRet", "P@9", "AP"], r"nDCG@8, P@9 read")],
)
def test_who_reads_deeper_is_told(measures: list[str], named: str) -> None:
    """Not who reads everything anyway, nor to whom holes are nothing."""
    with pytest.warns(uj.UnjudgedWarning, match=WARNING.format(named)) as warned:
        uj.score(QRELS, RUNS, measures, groups=GROUPS)
    assert sum("deeper" in str(one.message) for one in warned) == 1


def test_what_the_user_says_counts() -> None:
    with pytest.warns(uj.UnjudgedWarning, match=r"^P@10 reads deeper than the pool, which is 2 deep \(5 of 11 runs"):
        uj.score(QRELS, RUNS, "P@10", pool_depth=2)


def test_other_questions_tell_it_too() -> None:
    with pytest.warns(uj.UnjudgedWarning, match=WARNING.format("P@10 reads")):
        uj.compare(QRELS, RUNS, "P@10", groups=GROUPS, draws=10, test="t", holes="bootstrap")


def test_runs_are_left_out_as_deep_as_the_pool_seems_to_be() -> None:
    """Unless somebody says how deep."""
    with pytest.warns(uj.UnjudgedWarning, match=WARNING.format("P@8 reads")):
        result = uj.reuse(QRELS, RUNS, "P@8", groups=GROUPS, holes="nonrelevant", jobs=1)
    assert {row.degradation for row in result.leaveout()} == {"LeaveOutGroup(7)"}
    assert (result.pool_depth, result.pool) == (7, "seems to be 7 deep (5 of 11 runs are judged so far down)")
    with pytest.warns(uj.UnjudgedWarning):
        exact = uj.reuse(QRELS, RUNS, "P@8", groups=GROUPS, holes="nonrelevant", degrade="LeaveOutGroup(7)", jobs=1)
    assert exact.leaveout() == result.leaveout()
    with pytest.warns(uj.UnjudgedWarning):
        given = uj.reuse(QRELS, RUNS, "P@8", groups=GROUPS, holes="nonrelevant", pool_depth=4, jobs=1)
    assert {row.degradation for row in given.leaveout()} == {"LeaveOutGroup(4)"}


@pytest.mark.shared
def test_trec_covid_round_1(shared_data: Path) -> None:
    """One run of each of 56 teams went into the pool, 7 documents deep: those that the leaderboard says contributed."""
    folder = shared_data / "trec-covid-round1"
    runs = uj.read_runs(folder / "runs", scores="float32")
    joined = join_runs(uj.read_qrels(folder / "qrels.covid-round1.txt.gz"), runs, depth=20)
    team = dict(line.split("\t")[:2] for line in (folder / "groups.tsv").read_text().splitlines())
    numbers = np.unique([team[name] for name in joined.runs], return_inverse=True)[1]
    seems = joined_judged_depths(joined, 20).pool(numbers)
    assert seems is not None
    assert (seems.depth, int(seems.by_topic.min()), int(seems.by_topic.max())) == (7, 7, 11)
    with (folder / "leaderboard.csv").open(newline="") as stream:
        contributed = {row["run"] for row in csv.DictReader(stream) if row["contributed judgments"] == "yes"}
    judged = {run for run, mine in zip(joined.runs, seems.runs, strict=True) if mine}
    assert len(contributed & judged) >= 0.9 * len(contributed)
    assert len(contributed & set(joined.runs)) > 50
