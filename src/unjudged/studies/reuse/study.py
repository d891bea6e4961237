"""Can this collection judge new systems, and which method should I trust on it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.data.groups import Fingerprint, fingerprint
from unjudged.data.joined import Joined, JoinedRun, join_run, together
from unjudged.data.run import Run
from unjudged.data.run_info import topic_notices
from unjudged.data.texts import texts_of
from unjudged.engine.execution.execute import Engine, loading_code, run_plan
from unjudged.engine.execution.plan import Arrays, Block, Plan, digest_of
from unjudged.engine.execution.result_store import Store
from unjudged.engine.numerics.estimates_on_degraded_qrels import Trial, prepare_trial
from unjudged.engine.numerics.reuse_tallies import REVISION, PoolCase, try_pool
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.document_occurrences import occurrences_of_joined
from unjudged.errors import InputError, Notice
from unjudged.holes.base import HoleModel, Settings, files_of, hole_models
from unjudged.holes.evidence_model.model import LEAST_GROUPS, NO_EVIDENCE
from unjudged.io.sources import digest
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.registry import plugin_of
from unjudged.results.reuse import Reuse
from unjudged.simulate import Degradation
from unjudged.simulate import degradations as all_degradations
from unjudged.studies.prepare_collection import prepare
from unjudged.studies.reuse.judgments_needed import Target, target_rows
from unjudged.studies.reuse.tables import agreement_row, coverage_rows, curve_rows, left_out_rows, outcomes
from unjudged.studies.reuse.verdict import RULE, method_rows, verdict
from unjudged.uncertainty.base import Correction, SignificanceTest, significance_tests
from unjudged.uncertainty.significance import correction_for
from unjudged.version import __version__

__all__ = ["reuse", "usual_methods"]


def reuse(
    collection: BaseCollection,
    measures: Sequence[Measure],
    degradations: Sequence[Degradation],
    holes: Sequence[HoleModel] | None = None,
    *,
    truth: Measure | None = None,
    only_judged: bool = False,
    repeat: int = 10,
    targets: Sequence[Target] = (),
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    interval: tuple[float, float] = Settings.quantiles,
    engine: Engine | None = None,
    store: str | PathLike[str] | None = None,
) -> Reuse:
    """Take judgments away in every way that *degradations* say, and compare estimates with the scores under all.

    Without *degradations*, each group is left out, or each run where there are no groups; without *holes*, the usual
    hole models are tried (:func:`usual_methods`).
    *truth* is the measure that all are compared with; each with itself unless given. With *only_judged*, documents that
    nobody ever judged are taken out of the runs first. Random degradations are repeated *repeat* times. The numbers
    depend on neither engine, workers nor store.
    """
    engine, groups = engine or Engine(jobs=collection.jobs), collection.groups
    engine.check()
    labels = files_of(holes or ())
    provenance = collection.provenance(labels=labels, store=store)
    kept = None if store is None else Store(store)
    test = significance_tests.choose(test)
    correction = correction_for(test, correction)
    degradations = degradations or [all_degradations.parse("LeaveOutRun" if groups.of_run is None else "LeaveOutGroup")]
    tried = holes
    if tried is None:
        tried = usual_methods(measures, degradations, groups=len(set((groups.of_run or {}).values())))
    truths = [truth or measure for measure in measures]
    _check(collection, measures, truths, tried, repeat)
    asked = any(model.learns_from_runs for model in tried)
    with loading_code(engine, try_pool):
        prepared = prepare(collection, [*measures, *truths], tried, evidence=False)
        depth = None if asked else _depth(measures, truths, degradations, tried)
        joined, prints, more = _read(prepared.collection, depth, only_judged, prints=asked)
    if groups.of_run is not None:
        joined = joined.in_groups(groups.of_run, groups.source)
    if holes is None:  # there may be groups without runs
        tried = usual_methods(measures, degradations, groups=len(set(joined.groups or ())))
    occurrences = None
    if asked:
        occurrences = occurrences_of_joined(joined, prints, depth=deepest_rank([*measures, *truths]))
        joined = joined.against(replace(joined.qrels))  # without the index that this took
    for how in degradations:
        how.check(joined)
    trial = prepare_trial(
        joined,
        occurrences,
        measures,
        truths,
        tried,
        degradations,
        settings=Settings(collection.seed, interval),
        test=test,
        correction=correction,
    )
    cases = [
        PoolCase(i, case, repetition)
        for i, how in enumerate(degradations)
        for repetition in range(repeat if how.is_random else 1)
        for case in how.cases(joined)
    ]
    plan, words = _plan(trial, truths, cases), "trying degraded judgments"
    results = run_plan(plan, engine, store=kept, progress=collection.progress, words=words)

    every_outcome = outcomes(trial, list(map(str, truths)), cases, results)
    correlations = tuple(agreement_row(one) for one in every_outcome)
    leaveout = tuple(row for one in every_outcome for row in left_out_rows(one))
    curves = tuple(row for one in every_outcome for row in curve_rows(one))
    methods = method_rows(correlations, leaveout)
    return Reuse(
        verdict=verdict(methods, len(joined.runs), _left_out(degradations)),
        rule=RULE,
        runs=len(joined.runs),
        topics=len(joined.qrels.topics),
        judgments=int(joined.qrels.judged.sum()),
        groups=None if joined.groups is None else len(set(joined.groups)),
        test=str(test),
        correction=str(correction),
        tables={
            "methods": methods,
            "correlations": correlations,
            "coverage": tuple(row for one in every_outcome for row in coverage_rows(one)),
            "leaveout": leaveout,
            "curves": curves,
            "targets": target_rows(curves, targets),
        },
        warnings=(*prepared.notices, *more, *_unknown(trial), *_without_evidence(trial, results), *_damaged(kept)),
        provenance=provenance,
    )


def usual_methods(measures: Sequence[Measure], degradations: Sequence[Degradation], *, groups: int) -> list[HoleModel]:
    """Hole models that are tried unless the user names some.

    Evidence is among them where it exists: where enough *groups* made the runs, and what is left is a pool of which the
    first documents of each run are judged, not a sample.
    """
    usual = [hole_models.choose(name) for name in ("nonrelevant", "condensed", "bootstrap")]
    evidence = hole_models.choose("bootstrap(prior=evidence)")
    pools = all(how.pool_depth is not None for how in degradations)
    return [*usual, evidence] if groups > LEAST_GROUPS and pools and all(map(evidence.suits, measures)) else usual


def _check(
    collection: BaseCollection,
    measures: Sequence[Measure],
    truths: Sequence[Measure],
    holes: Sequence[HoleModel],
    repeat: int,
) -> None:
    """Refuse what cannot work before any work starts."""
    if len(collection.runs) < 2:
        raise InputError(f"reuse compares orders of runs, so it needs at least two, not {len(collection.runs)}")
    for name, given in (("measure", measures), ("hole model", holes)):
        if not given:
            raise InputError(f"no {name} was given")
    Whole(1).checked("the number of repetitions", repeat)
    check_needs(collection.qrels, [*measures, *truths], texts=collection.texts is not None)
    for model in holes:
        for measure in measures:
            model.check(measure)


def _depth(
    measures: Sequence[Measure],
    truths: Sequence[Measure],
    degradations: Sequence[Degradation],
    holes: Sequence[HoleModel],
) -> int | None:
    """How deep runs are read."""
    depths = [deepest_rank([*measures, *truths], holes), *(how.depth_read() for how in degradations)]
    return None if None in depths else max(depth for depth in depths if depth is not None)


def _read(
    collection: BaseCollection, depth: int | None, only_judged: bool, *, prints: bool
) -> tuple[Joined, list[Fingerprint], list[Notice]]:
    """The runs, joined; and their fingerprints, where somebody wants to know who is a copy of whom."""
    qrels = collection.qrels

    def read(run: Run) -> tuple[JoinedRun, Fingerprint | None]:
        return join_run(run, qrels, depth=depth, only_judged=only_judged), fingerprint(run) if prints else None

    runs, found = collection.each_run(read, "reading runs")
    joined = together(qrels, [part for part, _ in found], runs)
    return joined, [one for _, one in found if one is not None], topic_notices(runs)


def _plan(trial: Trial, truths: Sequence[Measure], cases: Sequence[PoolCase]) -> Plan:
    """Blocks are named by what they do, so that the same block of another study has the same name."""
    blocks = []
    for case in cases:
        words = f"{trial.degradations[case.degradation]}"
        words += f" without {case.case}" if case.case else ""
        blocks.append(Block(case, f"{words}, repetition {case.repetition}"))
    joined = trial.joined
    qrels = joined.qrels
    texts = texts_of(qrels)
    content = (
        (qrels.topics, qrels.offsets, qrels.docs, qrels.grades, qrels.states, qrels.strata, qrels.subtopics),
        None
        if texts is None
        else (texts.docs, texts.offsets, texts.terms, texts.counts, texts.words, texts.collection),
        (joined.runs, joined.groups, joined.offsets, joined.codes, joined.docs),
    )
    methods = (trial.measures, tuple(truths), trial.holes, trial.settings, trial.test, trial.correction)
    files = tuple(map(digest, files_of(trial.holes)))
    used = (*trial.measures, *truths, *trial.holes, *trial.degradations, trial.test, trial.correction)
    versions = (__version__, REVISION, *sorted({str(plugin_of(type(spec)) or "") for spec in used}))
    return Plan(try_pool, trial, tuple(blocks), digest_of((versions, content, methods, files)))


def _left_out(degradations: Sequence[Degradation]) -> str:
    """What the verdict is about: new groups, where some degradation leaves groups out, else new systems."""
    kinds = [how.left_out for how in degradations if how.leaves_runs_out]
    return "group" if "group" in kinds else kinds[0] if kinds else ""


def _unknown(trial: Trial) -> list[Notice]:
    """Where methods cannot be judged, because nobody knows the truth."""
    notices = []
    for measure, defined in zip(trial.measures, trial.truth_known, strict=True):
        unknown = int((~defined).sum())
        if unknown:
            text = (
                f"{measure} reads documents that nobody ever judged for {unknown:,} of {defined.size:,} (run, topic)"
                " pairs; methods are not tried there"
            )
            notices.append(Notice("unknown-truth", unknown, text))
    return notices


def _without_evidence(trial: Trial, results: Sequence[Arrays]) -> list[Notice]:
    """Where a method was to ask the other runs, and had too little to learn from."""
    notices = []
    for model, holes in zip(trial.holes, np.transpose([one["without_evidence"] for one in results]), strict=True):
        pools = int((holes > 0).sum())
        if pools:
            text = (
                f"{model}: with {pools:,} of {len(results):,} degraded pools there was too little to learn from about"
                f" some holes ({int(holes.sum()):,} in all); pool+run is their prior instead"
            )
            notices.append(Notice(NO_EVIDENCE, pools, text))
    return notices


def _damaged(store: Store | None) -> list[Notice]:
    if store is None or not store.damaged:
        return []
    text = f"{store.damaged} results in the store were damaged and have been computed again"
    return [Notice("damaged-blocks", store.damaged, text)]
