"""Degradations that follow from who found what, against sets of (topic, document) pairs in plain Python."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.data.groups import Groups
from unjudged.data.joined import Joined, join_runs
from unjudged.data.qrels import State
from unjudged.data.view import join
from unjudged.errors import InputError, SpecError
from unjudged.simulate import (
    DepthCut,
    DepthPlusRandom,
    KeepFraction,
    KeepTopics,
    LeaveOutGroup,
    LeaveOutRun,
    OneRelevant,
    Then,
    parse_degradations,
)

Pairs = set[tuple[str, str]]
DOCS = [f"d{i}" for i in range(12)]
RUNS = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}

few = settings(max_examples=40)
judgments = st.dictionaries(
    st.sampled_from("123"), st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 2), min_size=1), min_size=1
)
rankings = st.fixed_dictionaries(
    {
        run: st.dictionaries(st.sampled_from("123"), st.permutations(DOCS).map(lambda d: d[:7]), min_size=1)
        for run in RUNS
    }
)


def joined_from(topics: dict[str, dict[str, int]], runs: dict[str, dict[str, list[str]]]) -> Joined:
    scores = {n: {t: {d: -float(i) for i, d in enumerate(docs)} for t, docs in run.items()} for n, run in runs.items()}
    read = [uj.read_run(one, name=name) for name, one in scores.items()]
    return join_runs(uj.read_qrels(topics, negative="pooled"), read).in_groups(Groups(RUNS))


def pairs(joined: Joined, rows: np.ndarray) -> Pairs:
    qrels = joined.qrels
    named = zip(qrels.topic_of_row.tolist(), qrels.docs, rows.tolist(), strict=True)
    return {(qrels.topics[topic], doc) for topic, doc, chosen in named if chosen}


def top(runs: dict[str, dict[str, list[str]]], names: set[str], depth: int) -> Pairs:
    return {(t, d) for name in names for t, docs in runs[name].items() for d in docs[:depth]}


def judged_pairs(topics: dict[str, dict[str, int]]) -> Pairs:
    return {(t, d) for t, docs in topics.items() for d, grade in docs.items() if grade >= 0}


def listed_pairs(topics: dict[str, dict[str, int]]) -> Pairs:
    return {(t, d) for t, docs in topics.items() for d in docs}


@few
@given(judgments, rankings, st.integers(1, 7))
def test_a_shallower_pool(topics: dict, runs: dict, depth: int) -> None:
    joined = joined_from(topics, runs)
    left = DepthCut(depth=depth).leave(joined, seed=1)
    assert pairs(joined, left.judged) == judged_pairs(topics) & top(runs, set(RUNS), depth)
    assert left.pooled.all()
    assert (left.of(joined.qrels).states[~left.judged] == State.POOLED).all()
    cut = DepthCut(depth=depth, pool="cut").leave(joined, seed=1).of(joined.qrels)
    assert (cut.states[~left.judged] == State.UNPOOLED).all()


@few
@given(judgments, rankings, st.integers(1, 7), st.integers(0, 3))
def test_a_shallower_pool_and_as_many_at_random(topics: dict, runs: dict, depth: int, repetition: int) -> None:
    joined = joined_from(topics, runs)
    kept = pairs(joined, DepthPlusRandom(depth=depth).leave(joined, seed=1, repetition=repetition).judged)
    shallow = judged_pairs(topics) & top(runs, set(RUNS), depth)
    assert shallow <= kept <= judged_pairs(topics)
    for topic in topics:
        there = [{pair for pair in some if pair[0] == topic} for some in (shallow, kept, judged_pairs(topics))]
        assert len(there[1]) == min(2 * len(there[0]), len(there[2]))


@few
@given(judgments, rankings, st.integers(1, 7), st.sampled_from("abc"), st.booleans())
def test_the_pool_without_one_group(topics: dict, runs: dict, depth: int, group: str, rest_goes: bool) -> None:
    joined = joined_from(topics, runs)
    how = LeaveOutGroup(depth=depth, rest="goes" if rest_goes else "stays")
    assert how.cases(joined) == ("a", "b", "c")
    left = how.leave(joined, seed=1, case=group)
    mine = {run for run, theirs in RUNS.items() if theirs == group}
    others = top(runs, set(RUNS) - mine, depth)
    gone = listed_pairs(topics) - others if rest_goes else top(runs, mine, depth) - others
    assert pairs(joined, left.judged) == judged_pairs(topics) - gone
    assert pairs(joined, left.pooled) == listed_pairs(topics) - gone
    assert {joined.runs[i] for i in left.runs} == mine


@few
@given(judgments, rankings, st.integers(1, 7), st.sampled_from(sorted(RUNS)))
def test_the_pool_without_one_run(topics: dict, runs: dict, depth: int, run: str) -> None:
    joined = joined_from(topics, runs)
    left = LeaveOutRun(depth=depth).leave(joined, seed=1, case=run)
    gone = top(runs, {run}, depth) - top(runs, set(RUNS) - {run}, depth)
    assert pairs(joined, left.judged) == judged_pairs(topics) - gone
    assert left.runs.tolist() == [joined.runs.index(run)]


@few
@given(judgments, rankings, st.integers(1, 2), st.integers(0, 3))
def test_one_relevant_document(topics: dict, runs: dict, rel: int, repetition: int) -> None:
    joined = joined_from(topics, runs)
    left = OneRelevant(rel=rel).leave(joined, seed=1, repetition=repetition)
    kept = pairs(joined, left.judged)
    for topic, docs in topics.items():
        relevant = {(topic, doc) for doc, grade in docs.items() if grade >= rel}
        mine = {pair for pair in kept if pair[0] == topic}
        assert mine <= relevant
        assert len(mine) == min(1, len(relevant))
    assert (left.of(joined.qrels).states[~left.judged] == State.UNPOOLED).all()


@few
@given(judgments, rankings, st.integers(0, 3))
def test_some_topics(topics: dict, runs: dict, repetition: int) -> None:
    joined = joined_from(topics, runs)
    before: set[int] = set()
    for number in range(1, len(topics) + 1):
        left = KeepTopics(topics=number).leave(joined, seed=1, repetition=repetition)
        kept = set(np.flatnonzero(left.topics).tolist())
        assert len(kept) == number
        assert before <= kept
        before = kept
        names = {joined.qrels.topics[i] for i in kept}
        assert pairs(joined, left.judged) == {pair for pair in judged_pairs(topics) if pair[0] in names}
    with pytest.raises(InputError, match=rf"^KeepTopics\({len(topics) + 1}\): only {len(topics)} topics are judged$"):
        KeepTopics(topics=len(topics) + 1).check(joined)


@few
@given(judgments, rankings, st.integers(1, 7), st.sampled_from("abc"), st.integers(0, 2))
def test_one_after_another(topics: dict, runs: dict, depth: int, group: str, repetition: int) -> None:
    joined = joined_from(topics, runs)
    first, second = LeaveOutGroup(depth=depth), KeepFraction(p=0.5)
    both = Then(first=first, second=second)
    left = both.leave(joined, seed=4, repetition=repetition, case=group)
    one = first.leave(joined, seed=4, case=group)
    two = second.leave(joined.against(one.of(joined.qrels)), seed=5, repetition=repetition)
    assert (left.judged == (one.judged & two.judged)).all()
    assert (left.judged == two.judged).all()  # nothing comes back
    assert (left.pooled == one.pooled).all()  # what the group alone found is not in the pool, the rest is
    assert (left.runs == one.runs).all()
    assert both.cases(joined) == ("a", "b", "c")
    assert both.is_random
    assert both.leaves_runs_out


@few
@given(judgments, rankings, st.sampled_from(["AP", "nDCG@3", "infAP", "indAP", "Bpref"]), st.integers(1, 5))
def test_views_need_no_second_join(topics: dict, runs: dict, name: str, depth: int) -> None:
    joined = joined_from(topics, runs)
    measure = uj.measures.measures.parse(name)
    left = joined.against(DepthCut(depth=depth).leave(joined, seed=1).of(joined.qrels))
    direct = []
    for one in runs.values():
        scores = {t: {d: -float(i) for i, d in enumerate(docs)} for t, docs in one.items()}
        direct.append(measure.score(join(uj.read_run(scores), left.qrels)))
    together = measure.score(left.view(range(len(runs)))).reshape(len(runs), -1)
    assert np.array_equal(together, np.stack(direct))
    part = measure.score(left.view(range(1, 3), depth=3)).reshape(2, -1)
    assert part.shape == together[1:3].shape
    if measure.depth() == 3:
        assert np.array_equal(part, together[1:3])


def test_names_stand_for_several() -> None:
    parsed = parse_degradations("DepthCut(4, 8,30, pool=cut)")
    assert parsed == [DepthCut(depth=depth, pool="cut") for depth in (4, 8, 30)]
    assert list(map(str, parse_degradations("LeaveOutGroup()"))) == ["LeaveOutGroup"]
    assert list(map(str, parse_degradations("KeepFraction(1%,5%) then OneRelevant"))) == [
        "KeepFraction(0.01) then OneRelevant",
        "KeepFraction(0.05) then OneRelevant",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DepthCut(0)", "DepthCut: depth must be a whole number of at least 1, not 0"),
        ("DepthCut", "DepthCut needs depth (documents of each run that went into the pool)"),
        ("DepthKut(3)", "unknown degradation 'DepthKut'; did you mean 'DepthCut'?"),
        ("LeaveOutRun then LeaveOutGroup", "LeaveOutRun then LeaveOutGroup: runs can be left out only once"),
        ("DepthCut(3) then KeepTopics(2) then OneRelevant", "only two degradations go together"),
        ("KeepTopics(0)", "KeepTopics: topics must be a whole number of at least 1, not 0"),
        ("DepthCut(4,,8)", "cannot read '' in 'DepthCut(4,,8)'"),
    ],
)
def test_bad_names(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        parse_degradations(text)


def test_what_cannot_be_applied() -> None:
    runs = {run: {"1": DOCS[:5]} for run in RUNS}
    joined = joined_from({"1": {"d1": 1}}, runs)
    for how in (DepthCut(depth=6), LeaveOutGroup(depth=6)):
        with pytest.raises(InputError, match=r"\(6\): no run is so deep; the deepest has 5 documents for a topic$"):
            how.check(joined)
    alone = join_runs(joined.qrels, [uj.read_run({"1": {"d1": 1.0}}, name="a1")])
    with pytest.raises(InputError, match=r"^LeaveOutRun\(1\) needs at least two runs or groups, so that somebody is l"):
        LeaveOutRun(depth=1).check(alone)
    with pytest.raises(InputError, match=r"^LeaveOutGroup needs the group of each run: --groups FILE$"):
        LeaveOutGroup().check(join_runs(joined.qrels, [uj.read_run({"1": {"d1": 1.0}})] * 2))
    with pytest.raises(InputError, match=r"^teams.tsv: no group for 'a1', 'a2', 'b1'; every run needs one$"):
        joined.in_groups(Groups({"c1": "c"}, "teams.tsv"))


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("LeaveOutGroup", "group"),
        ("LeaveOutGroup(20,rest=goes)", "group"),
        ("LeaveOutRun", "system"),
        ("DepthCut(5) then LeaveOutGroup", "group"),
        ("LeaveOutRun(5) then KeepFraction(50%)", "system"),
        ("DepthCut(5) then KeepFraction(50%)", ""),
        ("KeepFraction(50%)", ""),
    ],
)
def test_degradations_say_what_they_leave_out(text: str, left_out: str) -> None:
    (how,) = parse_degradations(text)
    assert (how.left_out, how.leaves_runs_out) == (left_out, bool(left_out))
