"""What a choice of documents starts from: runs, judgments that may be few or none yet, and what else is known."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.data.ids import Ids
from unjudged.data.joined import JoinedRun, join_run, together
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import run_notices
from unjudged.data.scale import whole_scale
from unjudged.data.spans import offsets_of
from unjudged.engine.numerics.joint_imputations import ScoredRun, as_scored
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.errors import InputError, Notice
from unjudged.io.label_files import LabelFile, read_labels_of
from unjudged.io.sources import STDIN, as_path, line_blocks
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.strategies.candidates import Candidates, candidates_of

__all__ = ["Read", "on_scale", "read_all", "with_new_topics"]

USUAL_DEPTH = 100
"""How deep runs are looked at where neither measure nor user says."""
_TOP = 1000
"""Of a grade scale that is said by its highest grade."""


@dataclass(frozen=True, eq=False)
class Read:
    """The runs, joined and scored, in the order of the candidates' runs."""

    candidates: Candidates
    qrels: Qrels
    scored_runs: list[ScoredRun]
    notices: list[Notice]
    runs: list[Run]
    """As deep as the measure looks, if they are to be scored again."""


def with_new_topics(collection: BaseCollection, *, new: bool, max_grade: int | None) -> BaseCollection:
    """The collection as a beginning: with *new*, judgments may be empty, and all topics of the runs are looked at."""
    path = as_path(collection.given_qrels)
    empty = _is_empty(collection.given_qrels)
    if empty and not new:
        raise InputError(f"{path or 'qrels'}: there are no judgments yet; say --new to begin with none")
    if not new:
        return collection.replaced(qrels=on_scale(collection.qrels, max_grade))
    qrels = _no_judgments(path or "qrels") if empty else collection.judgments(collection.given_qrels, all_chosen=False)
    collection = collection.replaced(qrels=qrels).rereadable()
    names = {topic for source in collection.runs for topic in source.read().topics}
    if collection.only_topics is not None:
        names &= collection.only_topics.topics
    qrels = _with_topics(qrels, sorted(names | set(qrels.topics)))
    if not qrels.topics:
        raise InputError("the runs have no topics, so that there is nothing to judge")
    return collection.replaced(qrels=on_scale(qrels, max_grade))


def _with_topics(qrels: Qrels, names: Sequence[str]) -> Qrels:
    """The judgments of all these topics, in this order: which of them was judged first makes no difference."""
    row = {name: place for place, name in enumerate(names)}
    topics = np.array([row[name] for name in qrels.topics], dtype=np.int64)[qrels.topic_of_row]
    order = np.argsort(topics, kind="stable")
    return replace(
        qrels,
        topics=tuple(names),
        offsets=offsets_of(np.bincount(topics, minlength=len(names))),
        docs=qrels.docs.take(order),
        grades=qrels.grades[order],
        states=qrels.states[order],
        strata=None if qrels.strata is None else qrels.strata[order],
        subtopics=None,
    )


def _is_empty(given: Any) -> bool:
    """Whether there is no judgment at all; what can be read only once is taken to have some."""
    path = as_path(given)
    if path is None:
        return isinstance(given, dict | list | tuple) and not given
    if path == STDIN or not os.path.isfile(path):  # noqa: PTH113  # a path, or a name for it
        return False
    lines = (line for block in line_blocks(path) for line in block.splitlines())
    return not any(line.strip() and not line.lstrip().startswith(b"#") for line in lines)


def _no_judgments(source: str) -> Qrels:
    nothing = np.zeros(0, dtype=np.int32)
    return Qrels((), np.zeros(1, dtype=np.int64), Ids.of([]), nothing, nothing.astype(np.uint8), source=source)


def on_scale(qrels: Qrels, max_grade: int | None) -> Qrels:
    """The judgments on the scale that the user says: before the first highest grade, they do not show it."""
    if max_grade is None:
        return qrels
    top = Whole(1, _TOP).checked("the highest grade", max_grade)
    if qrels.grades.max(initial=0) > top:
        raise InputError(f"--max-grade {top} is below grade {int(qrels.grades.max())}, which some document has")
    return replace(qrels, given_scale=whole_scale(top))


def read_all(collection: BaseCollection, measure: Measure, labels: Sequence[LabelFile], *, goes_on: bool) -> Read:
    """Read all runs once; they are joined down to the depth of the pool, and scored. They are kept if it *goes_on*."""
    qrels = collection.qrels
    check_needs(qrels, [measure])
    measure.prepare(qrels)
    depth = collection.pool_depth or measure.depth() or USUAL_DEPTH

    def work(run: Run) -> tuple[JoinedRun, ScoredRun, list[Run]]:
        joined = join_run(run, qrels, depth=max(depth, USUAL_DEPTH))
        kept = [run if (deepest := deepest_rank([measure])) is None else run.top(deepest)] if goes_on else []
        return joined, as_scored(run, qrels, measure, collection.seed), kept

    infos, parts = collection.each_run(work, "reading runs")
    by_name = sorted(range(len(infos)), key=lambda place: infos[place].name)
    joined = together(qrels, [parts[place][0] for place in by_name], [infos[place] for place in by_name])
    judges = read_labels_of(labels, qrels) if labels else []
    joined = joined.in_groups(collection.groups) if collection.groups.given else joined
    candidates = candidates_of(joined, depth=depth, labels=judges)
    notices = [*qrels.notices, *run_notices(infos, lacking="they have nothing to judge there")]
    notices += [notice for judge in judges for notice in judge.notices]
    kept = [run for place in by_name for run in parts[place][2]]
    return Read(candidates, qrels, [parts[place][1] for place in by_name], notices, kept)
