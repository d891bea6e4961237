"""``uj.relative``: prior sets, and everything beside NRG, against sets and loops in plain Python."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.engine.numerics.fusion import fuse_first, fusions
from unjudged.errors import InputError, UnjudgedWarning
from unjudged.reports.relative import render_relative

DEPTH = 4
Runs = dict[str, dict[str, dict[str, float]]]
Judged = dict[str, dict[str, int]]


def collection(seed: int, runs: int = 5, topics: int = 6) -> tuple[Judged, Runs]:
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(12)]
    names = [str(i) for i in range(topics)]
    judged = {topic: {doc: rng.choice([0, 1, 2]) for doc in rng.sample(docs, 8)} for topic in names}
    rankings = {
        f"run{i}": {topic: {doc: float(-place) for place, doc in enumerate(rng.sample(docs, 7))} for topic in names}
        for i in range(runs)
    }
    return judged, rankings


def top(run: dict[str, dict[str, float]], topic: str, depth: int = DEPTH) -> list[str]:
    return sorted(run[topic], key=lambda doc: -run[topic][doc])[:depth]


@pytest.mark.parametrize("rel", [1, 2])
def test_unique_documents_are_a_set_computation(rel: int) -> None:
    judged, runs = collection(1)
    result = uj.relative(judged, runs, "nDCG@3", pool_depth=DEPTH, rel=rel)
    for row in result.topics():
        relevant = {doc for doc, grade in judged[row.topic].items() if grade >= rel}
        others = set().union(*(top(runs[name], row.topic) for name in runs if name != row.run))
        assert row.unique == len((set(top(runs[row.run], row.topic)) & relevant) - others)
    for row in result.rows():
        of_run = [one.unique for one in result.topics() if one.run == row.run]
        assert row.unique == pytest.approx(sum(of_run) / len(judged))


def test_precision_as_base_counts_unique_documents() -> None:
    """Section 5 of the paper: with every rank seen for sure, NRG is the number of unique contributions."""
    judged, runs = collection(2)
    result = uj.relative(judged, runs, f"P@{DEPTH}")
    for row in result.topics():
        assert row.nrg * DEPTH == pytest.approx(row.unique)


def test_rareness_counts_the_runs_that_have_a_document_for_the_topic() -> None:
    judged, runs = collection(3)
    result = uj.relative(judged, runs, "nDCG@3", pool_depth=DEPTH, alpha=0.5)
    for row in result.topics():
        expected = 0.0
        for doc in top(runs[row.run], row.topic):
            if judged[row.topic].get(doc, 0) >= 1:
                having = sum(doc in top(run, row.topic) for run in runs.values())
                expected += 1 + 0.5 * (1 - having / len(runs))
        assert row.rareness == pytest.approx(expected / DEPTH)


def test_rareness_over_the_collection_counts_other_topics_too() -> None:
    """As the released code does: by document, also for topics without judgments; it can get negative."""
    judged, runs = collection(4)
    del judged["0"]
    with pytest.warns(UnjudgedWarning, match="1 topic without judgments"):
        result = uj.relative(judged, runs, "nDCG@3", pool_depth=DEPTH, rareness="collection")
    counts: dict[str, int] = {}
    for run in runs.values():
        for topic in run:
            for doc in top(run, topic):
                counts[doc] = counts.get(doc, 0) + 1
    for row in result.topics():
        docs = [doc for doc in top(runs[row.run], row.topic) if judged[row.topic].get(doc, 0) >= 1]
        expected = sum(1 + 1 - counts[doc] / len(runs) for doc in docs) / DEPTH
        assert row.rareness == pytest.approx(expected)


GROUPS = {"run0": "a", "run1": "a", "run2": "b", "run3": "b", "run4": "c"}


def test_groups_bring_the_best_run_of_each_other_group_as_priors() -> None:
    judged, runs = collection(5)
    means = {row.run: row.value for row in uj.score(judged, runs, "RBP").mean()}
    best = {group: max((r for r in GROUPS if GROUPS[r] == group), key=lambda r: means[r] or 0) for group in "abc"}
    result = uj.relative(judged, runs, "nDCG@3", groups=GROUPS, absolute="RBP")
    assert result.priors == "the best run by RBP of each other group"
    for row in result.rows():
        priors = {best[group]: runs[best[group]] for group in "abc" if group != GROUPS[row.run]}
        alone = uj.relative(judged, {row.run: runs[row.run]}, "nDCG@3", prior_runs=priors).run(row.run)
        assert (row.nrg, row.unique, row.priors) == (pytest.approx(alone.nrg), alone.unique, 2)
        assert row.absolute == pytest.approx(means[row.run])
        assert row.group == GROUPS[row.run]


def test_tasc_is_what_the_best_prior_leaves_open() -> None:
    judged, runs = collection(6)
    scores = {(row.run, row.topic): row.value or 0.0 for row in uj.score(judged, runs, "nDCG@3").per_topic()}
    for row in uj.relative(judged, runs, "nDCG@3").topics():
        best = max(scores[other, row.topic] for other in runs if other != row.run)
        assert row.tasc == pytest.approx((1 - best) * scores[row.run, row.topic])


def test_tasc_of_the_released_code_looks_at_the_best_run_of_the_same_group() -> None:
    judged, runs = collection(7)
    mean = {row.run: row.value or 0.0 for row in uj.score(judged, runs, "nDCG@3").mean()}
    scores = {(row.run, row.topic): row.value or 0.0 for row in uj.score(judged, runs, "nDCG@3").per_topic()}
    with pytest.warns(UnjudgedWarning, match=r"^1 group has one run only \(c\): TaSC against the own group"):
        result = uj.relative(judged, runs, "nDCG@3", groups=GROUPS, tasc="group")
    for row in result.topics():
        best = max((run for run in GROUPS if GROUPS[run] == GROUPS[row.run]), key=lambda run: mean[run])
        open_ = 1.0 if best == row.run else 1 - scores[best, row.topic]
        assert row.tasc == pytest.approx(open_ * scores[row.run, row.topic])


def test_a_group_is_credited_with_what_only_its_runs_have() -> None:
    judged, runs = collection(8)
    result = uj.relative(judged, runs, "nDCG@3", groups=GROUPS, pool_depth=3)
    for row in result.groups():
        expected = 0
        for topic, grades in judged.items():
            having = {group: set() for group in "abc"}
            for name, run in runs.items():
                having[GROUPS[name]] |= set(top(run, topic, 3))
            others = set().union(*(docs for group, docs in having.items() if group != row.group))
            expected += sum(grades.get(doc, 0) >= 1 for doc in having[row.group] - others)
        assert row.unique == expected
        assert row.runs == list(GROUPS.values()).count(row.group)


@pytest.mark.parametrize("measure", ["nDCG@3", "RR", "NRG(nDCG,gain=binary,rel=2)"])
def test_pairs_are_one_prior_at_a_time(measure: str) -> None:
    judged, runs = collection(9, runs=3)
    result = uj.relative(judged, runs, measure)
    assert len(result.pairs()) == 6
    for pair in result.pairs():
        alone = uj.relative(
            judged, {pair.run: runs[pair.run]}, measure, prior_runs={pair.prior_run: runs[pair.prior_run]}
        )
        assert pair.nrg == pytest.approx(alone.run(pair.run).nrg)


def test_every_choice_adds_most_to_those_before() -> None:
    judged, runs = collection(10)
    result = uj.relative(judged, runs, "nDCG@3", choose=5)
    means = {row.run: row.value or 0.0 for row in uj.score(judged, runs, "nDCG@3").mean()}
    first, *others = result.choice()
    assert first.run == max(means, key=lambda run: means[run])
    assert first.nrg == pytest.approx(max(means.values()))
    taken = [first.run]
    for row in others:
        rest = uj.relative(judged, runs, "nDCG@3", prior_runs=taken)
        best = max(rest.rows(), key=lambda one: one.nrg)
        assert (row.run, row.nrg) == (best.run, pytest.approx(best.nrg))
        taken.append(row.run)
    relevant = {(topic, doc) for topic, docs in judged.items() for doc, grade in docs.items() if grade}
    seen = {(topic, doc) for run in runs.values() for topic in run for doc in top(run, topic, 3)}
    assert others[-1].relevant == pytest.approx(len(relevant & seen) / len(relevant))


def added_by(judged: Judged, runs: Runs, name: str, taken: list[str], *, only_new: bool) -> float:
    """nDCG@3 of what *taken* runs leave, in plain Python; with *only_new* from documents none of them has in its top.

    Rank 1 is seen for sure, rank 2 with chance 0.63, rank 3 with 0.5.
    """
    total = 0.0
    for topic, grades in judged.items():
        tops = [top(runs[one], topic, 3) for one in taken]
        left = {
            doc: grade * math.prod(1 - 1 / math.log2(one.index(doc) + 2) for one in tops if doc in one)
            for doc, grade in grades.items()
        }
        seen = {doc for one in runs for doc in top(runs[one], topic) if one in taken}
        mine = enumerate(top(runs[name], topic, 3), start=2)
        gain = sum(left.get(doc, 0) / math.log2(at) for at, doc in mine if not (only_new and doc in seen))
        ideal = sum(one / math.log2(at) for at, one in enumerate(sorted(left.values(), reverse=True)[:3], start=2))
        total += gain / ideal if ideal else 0.0
    return total / len(judged)


def cost(judged: Judged, runs: Runs, name: str, taken: list[str]) -> int:
    """Judged documents that a run has in its top, and no taken run."""
    count = 0
    for topic, grades in judged.items():
        earlier = {doc for one in taken for doc in top(runs[one], topic)}
        count += sum(doc in grades and doc not in earlier for doc in top(runs[name], topic))
    return count


@pytest.mark.parametrize("holes", ["nonrelevant", "joint"])
@pytest.mark.parametrize("by", ["gain", "gain-per-judgment"])
@pytest.mark.parametrize("seed", range(30, 42))
def test_choices_are_those_of_trying_every_run_at_every_step(by: Any, holes: str, seed: int) -> None:
    judged, runs = collection(seed, runs=6, topics=3)
    runs["copy"] = runs["run2"]
    prior = ["run5"] if seed % 2 else []
    result = uj.relative(
        judged, runs, "nDCG@3", pool_depth=DEPTH, choose=7, choose_by=by, prior_runs=prior or None, holes=holes
    )
    taken, rest = list(prior), [name for name in runs if name not in prior]
    for row in result.choice():
        wanted = {name: added_by(judged, runs, name, taken, only_new=False) for name in rest}
        costs = {name: cost(judged, runs, name, taken) for name in rest}
        if by == "gain-per-judgment":
            news = {name: added_by(judged, runs, name, taken, only_new=True) for name in rest}
            wanted = {name: news[name] / costs[name] if costs[name] else 0.0 for name in rest}
        assert wanted[row.run] == pytest.approx(max(wanted.values()))
        assert row.nrg == pytest.approx(added_by(judged, runs, row.run, taken, only_new=False))
        assert row.judgments == costs[row.run]
        rest.remove(row.run)
        taken.append(row.run)
    assert rest == []


def test_documents_that_nobody_judged_are_counted_beside_the_judgments_that_a_run_costs() -> None:
    judged, runs = collection(3)
    for by in ("gain", "gain-per-judgment"):
        result, seen = uj.relative(judged, runs, "nDCG@3", pool_depth=DEPTH, choose=5, choose_by=by), set()
        for row in result.choice():
            mine = {(topic, doc) for topic in judged for doc in top(runs[row.run], topic)} - seen
            seen |= mine
            assert row.judgments == sum(doc in judged[topic] for topic, doc in mine)
            assert row.unjudged == len(mine) - row.judgments
        assert sum(row.unjudged for row in result.choice()) > 0
    shown = render_relative(result, "table")
    assert "adds most per judgment" in shown
    assert "unjudged: those that nobody judged" in " ".join(shown.split())


def test_a_copy_is_not_worth_a_judgment() -> None:
    """It costs nothing, but nothing is gained: what it adds was judged for the first one."""
    judged = {"1": {"a": 4, "b": 4, "c": 1, "d": 0}}
    order = {"x": "ab", "y": "ab", "z": "dc"}
    runs = {name: {"1": {doc: 9.0 - i for i, doc in enumerate(docs)}} for name, docs in order.items()}
    by_gain = uj.relative(judged, runs, "nDCG@2", choose=3)
    assert [(row.run, row.judgments) for row in by_gain.choice()] == [("x", 2), ("y", 0), ("z", 2)]
    per_judgment = uj.relative(judged, runs, "nDCG@2", choose=3, choose_by="gain-per-judgment")
    assert [(row.run, row.judgments) for row in per_judgment.choice()] == [("x", 2), ("z", 2), ("y", 0)]


@pytest.mark.parametrize("fuse", ["RRF", "RRF(k=1)", "CombSUM", "CombMNZ"])
def test_fused_runs_are_scored_as_any_other(fuse: str) -> None:
    judged, runs = collection(19)
    models = ["joint", "nonrelevant", "condensed", "bootstrap(draws=50)"]
    result = uj.relative(
        judged, runs, "nDCG@3", prior_runs=["run4"], choose=3, fuse=fuse, holes=models, absolute="RBP@5"
    )
    assert len(result.fusion()) == 3 * len(models)
    best = max(uj.score(judged, runs, "RBP@5").mean(), key=lambda row: row.value or 0.0).run
    together = ["run4"]
    for step, chosen in enumerate(result.choice()):
        together.append(chosen.run)
        (run,) = fuse_first([uj.read_run(runs[one]) for one in together], fusions.choose(fuse), [len(together)])
        scores = uj.score(judged, {"fused": run, "alone": runs[best]}, "RBP@5", holes=models)
        for row in result.fusion()[step * len(models) : (step + 1) * len(models)]:
            mine = next(one for one in scores.mean() if (one.run, one.holes) == ("fused", row.holes))
            alone = next(one for one in scores.mean() if (one.run, one.holes) == ("alone", row.holes))
            assert (row.runs, row.last, row.best) == (len(together), chosen.run, best)
            assert (row.score, row.low, row.high, row.judged) == (mine.value, mine.low, mine.high, mine.judged)
            assert (row.best_score, row.best_low) == (alone.value, alone.low)
            assert (row.best_high, row.best_judged) == (alone.high, alone.judged)


def test_a_fused_run_has_holes_of_its_own() -> None:
    """Each run has judged documents on top; what both have further down, and nobody judged, comes between them."""
    judged = {"1": {"a": 1, "b": 1}}
    runs = {"x": {"1": {"a": 3.0, "h": 2.0}}, "y": {"1": {"b": 3.0, "h": 2.0}}}
    last = uj.relative(judged, runs, "P@1", choose=2, fuse="RRF").fusion()[-1]
    assert (last.best_score, last.best_judged) == (1.0, 1.0)
    assert (last.score, last.low, last.high, last.judged) == (0.0, 0.0, 1.0, 0.0)


def test_what_models_cannot_say_about_the_absolute_score_is_left_out(tmp_path: Path) -> None:
    """Measures of subtopics that are divided by an ideal ranking have no joint bounds; there is the score alone."""
    (tmp_path / "qrels").write_text("".join(f"1 {i} d{i} 1\n" for i in range(1, 5)))
    runs = {"x": {"1": {"d1": 2.0, "d2": 1.0}}, "y": {"1": {"d3": 2.0, "z": 1.0}}}
    given = {"choose": 2, "fuse": "RRF", "absolute": "alpha_nDCG@2", "format": "diversity"}
    with pytest.warns(UnjudgedWarning, match=r"^these are diversity judgments; "):
        result = uj.relative(tmp_path / "qrels", runs, "P@2", **given)
    assert {row.holes for row in result.rows()} == {"joint"}
    assert {(row.holes, row.low) for row in result.fusion()} == {("nonrelevant", None)}


def test_evidence_has_an_interval_for_fused_runs(tmp_path: Path) -> None:
    demo = write_collection(tmp_path)
    result = uj.relative(demo.qrels, demo.runs, groups=demo.teams, holes="evidence(draws=50)", choose=3, fuse="RRF")
    last = result.fusion()[-1]
    assert (last.runs, last.holes) == (3, "evidence(draws=50)")
    assert last.judged is not None
    assert last.low is not None
    assert last.high is not None
    assert 0 < last.low < last.score < last.high < 1
    assert last.judged < 1


def test_runs_that_can_be_read_once_are_fused_too() -> None:
    judged, runs = collection(21, runs=3)
    again = {name: ((t, d, s) for t, docs in run.items() for d, s in docs.items()) for name, run in runs.items()}
    once = uj.relative(judged, again, "nDCG@3", choose=3, fuse="CombSUM")
    assert once.fusion() == uj.relative(judged, runs, "nDCG@3", choose=3, fuse="CombSUM").fusion()


# ---- other groups, and types of runs


def test_all_runs_of_other_groups_can_be_priors() -> None:
    judged, runs = collection(22)
    result = uj.relative(judged, runs, "nDCG@3", groups=GROUPS, other_groups="all")
    assert result.priors == "all runs of other groups"
    for row in result.rows():
        priors = {name: run for name, run in runs.items() if GROUPS[name] != GROUPS[row.run]}
        alone = uj.relative(judged, {row.run: runs[row.run]}, "nDCG@3", prior_runs=priors).run(row.run)
        assert (row.nrg, row.unique, row.priors) == (pytest.approx(alone.nrg), alone.unique, len(priors))


def test_types_are_a_second_grouping_that_leaves_prior_sets_alone() -> None:
    judged, runs = collection(23)
    types = {"run0": "manual", "run1": "automatic", "run2": "automatic", "run3": "manual", "run4": "automatic"}
    plain = uj.relative(judged, runs, "nDCG@3", groups=GROUPS, pool_depth=3)
    result = uj.relative(judged, runs, "nDCG@3", groups=GROUPS, types=types, pool_depth=3)
    assert [row._replace(type=None) for row in result.rows()] == list(plain.rows())
    assert {row.run: row.type for row in result.rows()} == types
    assert [row for row in result.groups() if row.grouping == "group"] == list(plain.groups())
    by_type = [row for row in result.groups() if row.grouping == "type"]
    as_groups = uj.relative(judged, runs, "nDCG@3", groups=types, pool_depth=3).groups()
    assert {(row.group, row.runs, row.best, row.unique) for row in by_type} == {
        (row.group, row.runs, row.best, row.unique) for row in as_groups
    }
    for row in by_type:
        mine = [one for one in result.rows() if one.type == row.group]
        assert row.absolute == pytest.approx(sum(one.absolute for one in mine) / len(mine))
        assert row.nrg == pytest.approx(sum(one.nrg for one in mine) / len(mine))


def test_a_prior_named_among_the_runs_is_not_scored() -> None:
    judged, runs = collection(11)
    by_name = uj.relative(judged, runs, "nDCG@3", prior_runs=["run0", "run3"])
    rest = {name: run for name, run in runs.items() if name not in ("run0", "run3")}
    given = uj.relative(judged, rest, "nDCG@3", prior_runs={name: runs[name] for name in ("run0", "run3")})
    assert by_name.priors == given.priors == "run0, run3"
    assert {row.run: row.nrg for row in by_name.rows()} == {row.run: row.nrg for row in given.rows()}
    assert len(by_name.pairs()) == 3 * 4


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_an_order_brings_all_earlier_runs_as_priors() -> None:
    judged, runs = collection(12, runs=3)
    dates = {"run2": "2020-01-01", "run0": "2021-05-05", "run1": "2021-05-05"}
    dated = uj.relative(judged, runs, "nDCG@3", order=dates)
    assert {row.run: row.priors for row in dated.rows()} == {"run2": 0, "run0": 1, "run1": 1}
    listed = uj.relative(judged, runs, "nDCG@3", order=["run2", "run0", "run1"])
    assert {row.run: row.priors for row in listed.rows()} == {"run2": 0, "run0": 1, "run1": 2}
    assert listed.run("run2").nrg == pytest.approx(listed.run("run2").absolute)
    assert [(notice.code, notice.message) for notice in listed.warnings] == [
        ("empty-prior", "run2: no run came before, so relative and absolute are the same")
    ]


@pytest.mark.parametrize("measure", ["nDCG@3", "RBP@4", "RR", "ERR@5", "R@3"])
def test_documents_add_up_to_the_score(measure: str) -> None:
    judged, runs = collection(13)
    result = uj.relative(judged, runs, measure, explain="run1", holes="joint")
    assert {row.run for row in result.documents()} == {"run1"}
    for topic in result.topics():
        if topic.run == "run1":
            mine = [row for row in result.documents() if row.topic == topic.topic]
            known = sum(row.added for row in mine if row.grade is not None)
            assert known == pytest.approx(topic.nrg)
            assert topic.high is not None
            # A hole is worth something exactly where a label could make a difference.
            assert (topic.high > topic.nrg + 1e-12) <= any(row.added > 0 for row in mine if row.grade is None)


@pytest.mark.parametrize("measure", ["nDCG@3", "RBP@4", "RR", "R@3"])
def test_what_an_unjudged_document_could_add_is_what_it_adds_when_it_is_judged(measure: str) -> None:
    judged, runs = collection(18)
    holes = [
        row for row in uj.relative(judged, runs, measure, explain="run1", holes="joint").documents() if not row.grade
    ]
    assert len(holes) > 3
    for hole in holes:
        more = {**judged, hole.topic: {**judged[hole.topic], hole.doc: 2}}
        rows = uj.relative(more, runs, measure, explain="run1", holes="joint").documents()
        (now,) = [row for row in rows if (row.topic, row.doc) == (hole.topic, hole.doc)]
        assert (now.grade, now.added) == (2, pytest.approx(hole.added))


def test_hole_models_stand_beside_each_other() -> None:
    judged, runs = collection(14)
    result = uj.relative(judged, runs, "nDCG@3", holes=["nonrelevant", "joint", "bounds", "bootstrap", "condensed"])
    plain, joint = result.run("run0", "nonrelevant"), result.run("run0", "joint")
    assert plain.nrg == joint.nrg
    assert (plain.low, plain.high) == (None, None)
    for model in ("joint", "bounds", "bootstrap"):
        row = result.run("run0", model)
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.nrg + 1e-12
        assert row.nrg <= row.high + 1e-12


def test_the_result_says_how_far_priors_were_read() -> None:
    judged, runs = collection(15)
    cut = uj.relative(judged, runs, "nDCG@3")
    assert cut.reading() == "NRG('nDCG@3'): a cut-off of 3; prior runs read to rank 3."
    whole = uj.relative(judged, runs, "NRG(nDCG@3, priors=all)")
    assert whole.reading() == "NRG('nDCG@3',priors='all'): a cut-off of 3; prior runs read to their end."
    none = uj.relative(judged, runs, "nDCG")
    assert none.reading() == "NRG('nDCG'): no cut-off; prior runs read to their end."
    assert json.loads(none.to_json())["relative"]["prior_depth"] is None


def test_json_and_frames_have_all_tables() -> None:
    judged, runs = collection(16)
    result = uj.relative(judged, runs, "nDCG@3", groups=GROUPS, explain="run0", choose=2, fuse="RRF")
    document = json.loads(result.to_json())
    assert {name: document["relative"][name] for name in ("choose_by", "fusion")} == {
        "choose_by": "gain",
        "fusion": "RRF",
    }
    for table in ("rows", "topics", "documents", "pairs", "choice", "fusion", "groups"):
        assert len(document[table]) == len(result.to_dict(table)[next(iter(result.to_dict(table)))])
    assert "topics" not in json.loads(uj.relative(judged, runs).to_json())
    columns = ["group", "runs", "best", "unique", "absolute", "nrg", "grouping"]
    assert list(result.to_frame("pandas", table="groups").columns) == columns
    with pytest.raises(InputError, match=r"^table must be one of rows, topics, .*, not 'x'$"):
        result.to_dict("x")


ONE = {"1": {"a": 1.0}}


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ({"x": ONE}, {}, "x is the only run, so its prior set is empty; give more runs, or --prior-run RUN"),
        ({"x": ONE, "y": ONE}, {"prior_runs": "z"}, "'z' is neither a file nor a run; there is x, y"),
        ({"x": ONE}, {"prior_runs": "x"}, "all runs are prior runs, so that there is none to score"),
        ({"x": ONE, "y": ONE}, {"prior_runs": {"y": ONE}},
         "y is in its own prior set: it is one of the runs, and a prior; to score the others against it, give its name"
         " as prior instead of the file"),
        ({"x": ONE, "y": ONE}, {"groups": {"x": "a", "y": "a"}},
         "groups: all runs are of group 'a'; without another group prior sets are empty"),
        ({"x": ONE, "y": ONE}, {"groups": {"x": "a", "z": "b"}},
         "groups: no group for 'y' (it lists 'z', which is no run that was given); every run needs one"),
        ({"x": ONE, "y": ONE}, {"order": {"x": "2020-01-01", "y": "2020-01-01"}},
         "order: no run came before another, so all prior sets are empty"),
        ({"x": ONE, "y": ONE}, {"groups": {}, "order": []}, "give prior runs, groups or an order, not several of them"),
        ({"x": ONE, "y": ONE}, {"order": {"x": "May", "y": "June"}}, "'May' is not a date such as 2024-12-09"),
        ({"x": ONE, "y": ONE}, {"explain": "z"}, "'z' is not a run; there is x, y"),
        ({"x": ONE, "y": ONE}, {"choose_by": "cost"},
         "choose_by must be one of 'gain', 'gain-per-judgment', not 'cost'"),
        ({"x": ONE, "y": ONE}, {"choose_by": "gain-per-judgment"},
         "runs are chosen by gain-per-judgment where it is said how many, such as --choose 3"),
        ({"x": ONE, "y": ONE}, {"fuse": "RRF"}, "RRF puts chosen runs together: say how many, such as --choose 3"),
        ({"x": ONE, "y": ONE}, {"other_groups": "all"},
         "all runs of other groups can only be prior runs where groups are given"),
        ({"x": ONE, "y": ONE}, {"other_groups": "worst"}, "other_groups must be one of 'best', 'all', not 'worst'"),
        ({"x": ONE, "y": ONE}, {"types": {"x": "manual"}}, "types: no type for 'y'; every run needs one"),
        ({"x": ONE, "y": ONE}, {"types": 3}, "cannot read types from int; give a path or a dict of types by run"),
        ({"x": ONE, "y": ONE}, {"choose": 0}, "choose must be a whole number of at least 1, not 0"),
        ({"x": ONE, "y": ONE}, {"pool_depth": 0}, "the pool depth must be a whole number of at least 1, not 0"),
        ({"x": ONE, "y": ONE}, {"rel": 0}, "rel must be a whole number of at least 1, not 0"),
        ({"x": ONE, "y": ONE}, {"alpha": -1}, "alpha must be a number of at least 0, not -1"),
        ({"x": ONE, "y": ONE}, {"rareness": "x"}, "rareness must be 'topic' or 'collection', not 'x'"),
        ({"x": ONE, "y": ONE}, {"tasc": "x"}, "tasc must be 'priors' or 'group', not 'x'"),
        ({"x": ONE, "y": ONE}, {"tasc": "group"}, "TaSC against the run's own group needs groups"),
        ({"x": ONE, "y": ONE}, {"absolute": "GMAP"},
         "GMAP is not a mean over topics; use a measure that is, such as nDCG@10"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(runs: Runs, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        uj.relative({"1": {"a": 1}}, runs, "nDCG@3", **options)
    assert str(caught.value) == message


def test_groups_of_one_run_and_runs_that_were_not_given_are_fine() -> None:
    judged, runs = collection(17, runs=2)
    with pytest.warns(UnjudgedWarning, match=r"^groups lists 1 run that was not given \(gone\); left out$"):
        result = uj.relative(judged, runs, "nDCG@3", groups={"run0": "a", "run1": "b", "gone": "c"})
    assert [row.priors for row in result.rows()] == [1, 1]


def test_an_absolute_score_that_is_undefined_counts_0_and_is_said() -> None:
    runs = {"x": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}
    with pytest.warns(UnjudgedWarning) as caught:
        result = uj.relative({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, runs, "nDCG@3", absolute="Judged@3")
    messages = [str(one.message) for one in caught]
    assert "Judged@3 is undefined for 1 (run, topic) pair; counted as 0" in messages
    assert result.run("y").absolute == pytest.approx(0.5)


@pytest.mark.parametrize(("judged", "holes", "says"), [(20, 10, False), (21, 0, True), (1, 11, True)])
def test_tables_say_whether_they_show_all_documents(judged: int, holes: int, says: bool) -> None:
    docs = [f"d{i:02}" for i in range(judged)] + [f"x{i:02}" for i in range(holes)]
    run = {"1": {doc: 100.0 - i for i, doc in enumerate(docs)}}
    qrels = {"1": {"other": 1, **dict.fromkeys(docs[:judged], 1)}}
    result = uj.relative(qrels, {"new": run, "old": {"1": {"other": 1.0}}}, "P@40", explain="new")
    assert len(result.documents()) == judged + holes
    assert ("has all rows" in render_relative(result, "table")) == says
