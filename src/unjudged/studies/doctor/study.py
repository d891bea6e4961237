"""Are my files sound? Reads everything leniently, runs every check, and goes on after problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unjudged.collection import UNUSED_FEATURES, UNUSED_TEXTS, BaseCollection
from unjudged.data.groups import Fingerprint, fingerprint
from unjudged.data.qrels import State
from unjudged.data.run_occurrences import Unlisted
from unjudged.errors import Notice, UnjudgedError
from unjudged.io.intents import with_intents
from unjudged.io.raw import raw_qrels, raw_run
from unjudged.io.reading import RunSource
from unjudged.io.sources import run_name_from_path, unique_names
from unjudged.limits import FEW_JUDGED
from unjudged.measures import Judged
from unjudged.measures.requested import ignored_subtopics
from unjudged.progress import watched
from unjudged.results.diagnosis import SEVERITIES, Diagnosis, Finding, JudgedRow, QrelsSummary, RunSummary
from unjudged.studies.doctor.check import CHECKS, Scope, checks_of
from unjudged.studies.doctor.checked_inputs import (
    JUDGED_CUTOFFS,
    QrelsEvidence,
    RunEvidence,
    examine_qrels,
    examine_run,
)
from unjudged.studies.doctor.text_checks import compare_texts, unjudged_at_top
from unjudged.threads import in_order, worker_count

__all__ = ["TIE_CUTOFFS", "doctor"]

TIE_CUTOFFS = (10, 100)
"""Where ties are looked for, whatever else the user asks for."""


_LISTED = 1000
"""Lines of a finding that are named; a run with all its documents twice has millions."""


@dataclass(frozen=True, eq=False)
class _Examined:
    """What is kept of one run: nothing that grows with its size but ten documents per topic."""

    name: str
    source: str
    file: str | None
    findings: tuple[Finding, ...]
    print: Fingerprint | None = None
    """None when the run could not be read."""
    documents: int = 0
    judged: dict[str, list[float]] = field(default_factory=dict)
    judged_at: tuple[float, ...] = ()
    unjudged: Unlisted | None = None
    """What it has at the top, where texts are given to compare it with what is judged."""


def doctor(collection: BaseCollection, *, cutoffs: Sequence[int] = (), min_judged: float = FEW_JUDGED) -> Diagnosis:
    """Examine judgments and runs.

    *cutoffs*: where to look for ties, beside 10 and 100. *min_judged*: the share of the top 10 that has to be judged.
    """
    provenance = collection.provenance()
    judgments, findings = _examine_judgments(collection)
    findings += _examine_rest(collection, judgments)
    wanted = tuple(sorted({*TIE_CUTOFFS, *cutoffs}))
    runs = collection.runs

    def work(source: RunSource) -> _Examined:
        return _examine_run(
            source,
            judgments,
            wanted,
            collection.threads,
            min_judged=min_judged,
            keep_unjudged=collection.texts is not None,
        )

    stream = in_order(work, runs, worker_count(collection.jobs, len(runs)))
    examined = list(watched(collection.progress, stream, len(runs), "examining runs"))
    names = unique_names([(one.name, one.source if one.file else "") for one in examined])
    examined = [_renamed(one, name) for one, name in zip(examined, names, strict=True)]
    findings += [finding for one in examined for finding in one.findings]
    read = [one for one in examined if one.print is not None]
    findings += [*_compare(read), *_look_at_texts(collection, judgments, read)]
    order = {code: place for place, code in enumerate(CHECKS)}
    findings.sort(key=lambda one: (SEVERITIES.index(one.severity), order[one.code]))
    return Diagnosis(
        findings=tuple(findings),
        judged=tuple(row for one in read for row in _judged_rows(one)),
        qrels=None if judgments is None else _summary(judgments),
        runs=tuple(
            RunSummary(one.name, one.source, len(one.print.topics), one.documents, one.judged_at)
            for one in read
            if one.print
        ),
        warnings=_notices(collection, judgments),
        provenance=provenance,
    )


def _examine_judgments(collection: BaseCollection) -> tuple[QrelsEvidence | None, list[Finding]]:
    source = collection.given_qrels
    try:
        raw = raw_qrels(source, kind=collection.format)
        if collection.only_topics is not None:
            collection.only_topics.refuse_unjudged(raw.topics.names)
            raw = raw.only(collection.only_topics.topics)
        judgments = examine_qrels(raw, kind=collection.format, negative=collection.negative)
    except UnjudgedError as problem:
        return None, _unreadable(problem, source, run=None)
    # Built here, once: threads would each build their own.
    _ = judgments.qrels.pairs, judgments.qrels.listed_docs, judgments.plain_pairs, judgments.plain_topics
    return judgments, _findings(judgments, "qrels", run=None)


def _findings(evidence: QrelsEvidence | RunEvidence, scope: Scope, *, run: str | None) -> list[Finding]:
    """What the checks of any file, and those of this scope, find in judgments or a run."""
    raw = evidence.raw
    file = raw.source if raw.is_file else None
    findings = []
    for check in [*checks_of("file"), *checks_of(scope)]:
        for hit in check.find(evidence):
            rows = [] if hit.rows is None else np.sort(hit.rows)[:_LISTED].tolist()
            lines = tuple(line for row in rows if (line := raw.line(row)) is not None)
            line = None if hit.row is None else raw.line(hit.row)
            findings.append(check.finding(hit, file=file, line=line, run=run, lines=lines))
    return findings


def _examine_rest(collection: BaseCollection, judgments: QrelsEvidence | None) -> list[Finding]:
    """What keeps groups, pool and probabilities of subtopics from being read."""
    intents = collection.given_intents
    readers: list[tuple[Any, Callable[[], object]]] = [
        (collection.given_groups, lambda: collection.groups),
        (collection.given_pool, lambda: collection.pool),
    ]
    if intents is not None and judgments is not None:
        readers.append((intents, lambda: with_intents(judgments.qrels, intents)))
    findings = []
    for source, read in readers:
        try:
            read()
        except UnjudgedError as problem:
            findings += _unreadable(problem, source, run=None)
    return findings


def _examine_run(
    source: RunSource,
    judgments: QrelsEvidence | None,
    cutoffs: tuple[int, ...],
    threads: int,
    *,
    min_judged: float,
    keep_unjudged: bool,
) -> _Examined:
    try:
        raw = raw_run(source, threads=threads)
        evidence = examine_run(raw, judgments, cutoffs=cutoffs, min_judged=min_judged, score_type=source.score_type)
    except UnjudgedError as problem:
        name = source.name or (run_name_from_path(source.path) if source.path else "run")
        return _Examined(name, source.path or "", source.path, tuple(_unreadable(problem, source.source, run=name)))
    return _Examined(
        raw.name,
        raw.source,
        raw.source if raw.is_file else None,
        tuple(_findings(evidence, "run", run=raw.name)),
        fingerprint(evidence.run),
        len(raw.scores),
        evidence.judged,
        evidence.judged_at,
        unjudged_at_top(evidence.joined.view) if keep_unjudged and evidence.joined is not None else None,
    )


def _unreadable(problem: UnjudgedError, source: Any, *, run: str | None) -> list[Finding]:
    file = getattr(problem, "path", None) or (str(source) if _is_path(source) else None)
    return [
        check.finding(hit, file=file, line=getattr(problem, "line", None), run=run)
        for check in checks_of("input")
        for hit in check.find(problem)
    ]


def _is_path(source: Any) -> bool:
    return isinstance(source, str) or hasattr(source, "__fspath__")


def _renamed(one: _Examined, name: str) -> _Examined:
    if one.name == name:
        return one
    findings = tuple(replace(finding, run=name) for finding in one.findings)
    return replace(one, name=name, findings=findings, print=one.print and replace(one.print, name=name))


def _compare(examined: Sequence[_Examined]) -> list[Finding]:
    prints = [one.print for one in examined if one.print is not None]
    return [
        check.finding(hit, file=examined[hit.run or 0].file, line=None, run=examined[hit.run or 0].name)
        for check in checks_of("runs")
        for hit in check.find(prints)
    ]


def _look_at_texts(
    collection: BaseCollection, judgments: QrelsEvidence | None, examined: Sequence[_Examined]
) -> list[Finding]:
    """What the documents say, judged ones and those at the top of runs."""
    if collection.texts is None or judgments is None:
        return []
    tops = [one.unjudged for one in examined if one.unjudged is not None]
    try:
        evidence = compare_texts(judgments.qrels, collection.texts, tops)
    except UnjudgedError as problem:
        return _unreadable(problem, None, run=None)
    return [
        one.finding(hit, file=None, line=None, run=None) for one in checks_of("texts") for hit in one.find(evidence)
    ]


def _judged_rows(one: _Examined) -> list[JudgedRow]:
    return [
        JudgedRow(one.name, definition, cutoff, float(share))
        for definition, shares in one.judged.items()
        for cutoff, share in zip(JUDGED_CUTOFFS, shares, strict=True)
        if not np.isnan(share)
    ]


def _summary(judgments: QrelsEvidence) -> QrelsSummary:
    qrels = judgments.qrels
    kind = "strata" if qrels.strata is not None else "diversity" if qrels.subtopics is not None else "plain"
    return QrelsSummary(
        judgments.raw.source,
        len(qrels.topics),
        int(qrels.judged.sum()),
        int((qrels.states == State.POOLED).sum()),
        qrels.grade_counts(),
        kind,
        0 if qrels.subtopics is None else len(qrels.subtopics.names),
        0 if qrels.subtopics is None else int(qrels.subtopics.covered().sum()),
    )


def _notices(collection: BaseCollection, judgments: QrelsEvidence | None) -> tuple[Notice, ...]:
    # What the doctor asks of runs is asked of documents, whatever they are relevant to.
    notices = [] if judgments is None else ignored_subtopics(judgments.qrels, [Judged(as_in="unjudged")])
    unused = [UNUSED_TEXTS] if judgments is None and collection.texts is not None else []
    return (*notices, *unused, *([UNUSED_FEATURES] if collection.features else []))
