"""One release: its scores, and those of the release before under the judgments of both."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.errors import InputError
from unjudged.holes.base import HoleModel
from unjudged.io.history_file import refuse_known
from unjudged.io.sources import run_name_from_path
from unjudged.io.writing import check_writable
from unjudged.measures.base import Measure
from unjudged.results.history import Release, ScoreOf
from unjudged.results.provenance import Input
from unjudged.results.scores import Scores
from unjudged.studies.history.earlier_release import EarlierFiles, compare_with
from unjudged.studies.score import score
from unjudged.studies.score_with_estimates import score_with_estimates

__all__ = ["evaluate_release"]

Scorer = Callable[[BaseCollection], Scores]
"""Scores the runs of a collection, always in the same way."""


def evaluate_release(
    collection: BaseCollection,
    measures: Sequence[Measure],
    holes: Sequence[HoleModel] | None,
    *,
    history: str,
    earlier: Sequence[Release],
    release: str | None,
    date: str | None,
    files: EarlierFiles,
) -> tuple[Release, Scores]:
    """The release that a collection of one run is, beside the last of the *earlier* ones, and its scores.

    *holes*: hole models, or None for those that ``auto`` chooses. *files*: where the earlier run and judgments are, if
    not where the *history* says.
    """
    if len(collection.runs) != 1:
        raise InputError(f"a release is one run, not {len(collection.runs)}; add each to a history of its own")
    check_writable(history)
    provenance = collection.provenance(hashes=True)
    path = next((one.path for one in provenance.inputs if one.role == "run"), None)
    if release is None and path is not None:
        release = run_name_from_path(path)
    if release is not None:
        refuse_known(history, release, earlier)
    files.refuse_without(earlier)

    def scorer(asked: BaseCollection) -> Scores:
        return score_with_estimates(asked, measures) if holes is None else score(asked, measures, holes)

    scores = scorer(collection)
    new = Release(
        release=release or scores.runs[0],
        date=date,
        run=scores.runs[0],
        topics=len(scores.topics),
        judgments=int(collection.qrels.judged.sum()),
        topics_sha256=_digest_of(collection.qrels),
        inputs=tuple(_as_kept(one, history) for one in provenance.inputs),
        seed=collection.seed,
        version=provenance.version,
        command=provenance.command,
        scores=tuple(_scores_of(scores)),
    )
    if not earlier:
        return new, scores
    return replace(new, previous=compare_with(earlier[-1], new, collection, scores, scorer, history, files)), scores


def _scores_of(scores: Scores) -> list[ScoreOf]:
    return [
        ScoreOf(row.measure, row.holes, row.value, row.low, row.high, row.range, row.judged) for row in scores.mean()
    ]


def _digest_of(qrels: Qrels) -> str:
    """What tells two sets of topics apart."""
    return hashlib.sha256("\n".join(sorted(qrels.topics)).encode()).hexdigest()


def _as_kept(one: Input, history: str) -> Input:
    """A file as the history names it: from its own folder on, so that it holds wherever the repository is."""
    if one.sha256 is None or PurePath(one.path).is_absolute():
        return one
    folder = os.path.dirname(os.path.abspath(history))  # noqa: PTH100,PTH120
    try:
        kept = os.path.relpath(os.path.abspath(one.path), folder)  # noqa: PTH100
    except ValueError:  # another drive
        return one
    return replace(one, path=Path(kept).as_posix())
