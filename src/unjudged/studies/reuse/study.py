"""Can this collection judge new systems, and which method should I trust on it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from unjudged.collection import BaseCollection
from unjudged.engine.execution.execute import Engine, loading_code, run_plan
from unjudged.engine.execution.result_store import Store
from unjudged.engine.numerics.judged_in_order import JudgedInOrder
from unjudged.engine.numerics.reuse_tallies import try_pool
from unjudged.engine.numerics.reuse_trial import Methods, Trial, truth_of
from unjudged.engine.preparation.pooling import about_pool, deeper_than_pool
from unjudged.errors import InputError, Notice
from unjudged.holes.base import HoleModel, Settings, files_of, hole_models, usual_model
from unjudged.holes.evidence_model.model import LEAST_GROUPS
from unjudged.io.sources import as_path
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs, ignored_subtopics
from unjudged.results.provenance import Provenance
from unjudged.results.reuse import Reuse, ReuseTables
from unjudged.simulate import Degradation
from unjudged.simulate import degradations as all_degradations
from unjudged.strategies import Strategy
from unjudged.studies.reuse.judgments_needed import Target, target_rows
from unjudged.studies.reuse.method_differences import difference_rows
from unjudged.studies.reuse.notices import about_never_judged, damaged_blocks, without_evidence
from unjudged.studies.reuse.outcomes import Outcome, outcomes
from unjudged.studies.reuse.planning import cases_of, plan_of
from unjudged.studies.reuse.protocol import Protocol, scored_runs
from unjudged.studies.reuse.reading import ReadRuns, read_runs
from unjudged.studies.reuse.replays import Replays
from unjudged.studies.reuse.run_tables import band_rows, grade_rows, run_rows
from unjudged.studies.reuse.strategy_tables import RULE_OF_STRATEGIES, strategy_rows, strategy_verdict
from unjudged.studies.reuse.tables import agreement_row, coverage_rows, curve_rows, order_rows, repetition_rows
from unjudged.studies.reuse.verdict import RULE, RULE_OF_AGREEMENT, method_rows, verdict
from unjudged.uncertainty.base import Correction, SignificanceTest, significance_tests
from unjudged.uncertainty.significance import correction_for

__all__ = ["reuse", "usual_methods"]


def reuse(
    collection: BaseCollection,
    measures: Sequence[Measure],
    degradations: Sequence[Degradation],
    holes: Sequence[HoleModel] | None = None,
    *,
    truths: Sequence[Measure] = (),
    protocol: Protocol = Protocol(),  # noqa: B008  # it is frozen
    targets: Sequence[Target] = (),
    replays: Replays = Replays(),  # noqa: B008  # it is frozen
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    interval: tuple[float, float] = Settings.quantiles,
    engine: Engine | None = None,
    store: str | PathLike[str] | None = None,
) -> Reuse:
    """Take judgments away in every way that *degradations* say, and compare estimates with the scores under all.

    Without *degradations*, each group is left out, or each run where there are no groups; where the *protocol* names
    later judgments, it is these that are taken away. Without *holes*, the usual hole models are tried
    (:func:`usual_methods`). Each measure is compared with each of the *truths*; with itself, where there are none. The
    numbers depend on neither engine, workers nor store.
    """
    engine = engine or Engine(jobs=collection.jobs)
    engine.check()
    protocol.check()
    later, labels = protocol.truth_qrels, [*files_of(holes or ()), *replays.files()]
    provenance = collection.provenance(labels=labels, store=store, truth=later)
    replays.check(protocol)
    kept = None if store is None else Store(store)
    test = significance_tests.choose(test)
    questions = [(measure, truth) for measure in measures for truth in truths or [measure]]
    if not degradations and later is None and not replays.strategies:
        degradations = [_usual_degradation(collection)]
    if holes is None and replays.strategies and not degradations:
        holes = [hole_models.choose("nonrelevant")]  # what most people do with judgments that were chosen
    tried = holes if holes is not None else usual_methods(measures, degradations, groups=_groups(collection))
    _check(collection, questions, tried, [*degradations, *replays.strategies])
    with loading_code(engine, try_pool):
        true = {truth for _, truth in questions}
        asked = list(dict.fromkeys([*measures, *(truth for _, truth in questions)]))
        read = read_runs(collection, asked, degradations, tried, protocol, true, whole_runs=bool(replays.strategies))
    if replays.strategies:
        judged = replays.judged(collection, read, protocol.repeat, engine, kept)
        read = replace(read, degradations=(*read.degradations, *judged))
    if holes is None:  # there may be groups without runs
        tried = usual_methods(measures, read.degradations, groups=len(set(read.joined.groups or ())))
    methods = Methods(
        tuple(measure for measure, _ in questions),
        tuple(truth for _, truth in questions),
        tuple(tried),
        Settings(collection.seed, interval),
        test,
        correction_for(test, correction),
    )
    places = scored_runs(read.joined, methods.truths[0], protocol)
    joined = read.joined if len(places) == len(read.joined.runs) else read.joined.only(places)
    trial = Trial(
        joined,
        read.joined,
        places,
        read.occurrences,
        read.degradations,
        methods,
        truth_of(joined, methods),
        by_topic=bool(protocol.bands),
    )
    cases, words = cases_of(trial, protocol.repeat), "trying degraded judgments"
    results = run_plan(plan_of(trial, cases), engine, store=kept, progress=collection.progress, words=words)
    notices = (
        *(ignored_subtopics(read.joined.qrels, asked) or ignored_subtopics(collection.qrels, asked)),
        *read.notices,
        *deeper_than_pool(measures, read.pool, len(read.joined.runs)),
        *about_never_judged(trial),
        *without_evidence(trial, results),
        *damaged_blocks(kept),
    )
    return _result(read, trial, outcomes(trial, cases, results), protocol, targets, notices, provenance)


def _result(
    read: ReadRuns,
    trial: Trial,
    every: Sequence[Sequence[Outcome]],
    protocol: Protocol,
    targets: Sequence[Target],
    notices: tuple[Notice, ...],
    provenance: Provenance,
) -> Reuse:
    tables, joined, pool = _tables(every, protocol, targets), trial.joined, read.pool
    later = None if protocol.truth_qrels is None else Path(as_path(protocol.truth_qrels) or "later judgments").name
    left_out = [row for row in tables.runs if row.left_out]
    what, others = (
        _left_out(read.degradations),
        [one for one in read.degradations if not isinstance(one, JudgedInOrder)],
    )
    says, rules = [], []
    if others:
        says.append(verdict(tables.methods, tables.correlations, left_out, len(joined.runs), what, later))
        rules.append(RULE if what else RULE_OF_AGREEMENT)
    if tables.strategies:
        says.append(strategy_verdict(tables.strategies))
        rules.append(RULE_OF_STRATEGIES)
    return Reuse(
        verdict=" ".join(says),
        rule=" ".join(rules),
        runs=len(joined.runs),
        topics=len(joined.qrels.topics),
        judgments=int(joined.qrels.judged.sum()),
        groups=None if joined.groups is None else len(set(joined.groups)),
        pool_depth=None if pool is None else pool.depth,
        pool=None if pool is None else about_pool(pool, len(read.joined.runs)),
        never_judged=protocol.what_was_never_judged,
        truth_qrels=later,
        test=str(trial.methods.test),
        correction=str(trial.methods.correction),
        tables=tables,
        warnings=notices,
        provenance=provenance,
    )


def _tables(every: Sequence[Sequence[Outcome]], protocol: Protocol, targets: Sequence[Target]) -> ReuseTables:
    outcomes = [one for of_degradation in every for one in of_degradation]
    correlations = tuple(map(agreement_row, outcomes))
    runs = tuple(row for one in outcomes for row in run_rows(one))
    curves = tuple(row for one in outcomes for row in curve_rows(one))
    return ReuseTables(
        methods=method_rows(correlations, [row for row in runs if row.left_out]),
        correlations=correlations,
        coverage=tuple(row for one in outcomes for row in coverage_rows(one)),
        runs=runs,
        orders=tuple(row for one in outcomes for row in order_rows(one)),
        differences=tuple(row for of_degradation in every for row in difference_rows(of_degradation)),
        repetitions=tuple(row for one in outcomes for row in repetition_rows(one)),
        grades=tuple(row for of_degradation in every for row in grade_rows(of_degradation[0])),
        bands=tuple(row for one in outcomes for row in band_rows(one, protocol.band_ends)) if protocol.bands else (),
        curves=curves,
        strategies=strategy_rows(outcomes),
        targets=target_rows(curves, targets),
    )


def _usual_degradation(collection: BaseCollection) -> Degradation:
    """Each group is left out, or each run where nobody knows the groups."""
    return all_degradations.parse("LeaveOutRun" if not collection.groups.given else "LeaveOutGroup")


def _groups(collection: BaseCollection) -> int:
    return len(set((collection.groups.of_run or {}).values()))


def usual_methods(measures: Sequence[Measure], degradations: Sequence[Degradation], *, groups: int) -> list[HoleModel]:
    """Hole models that are tried unless the user names some.

    Evidence is among them where it exists: where enough *groups* made the runs, and what is left is a pool of which the
    first documents of each run are judged, not a sample.
    """
    sampled = any(how.is_random for how in degradations)
    usual = [hole_models.choose(name) for name in ("nonrelevant", "condensed")]
    known = (False, groups > LEAST_GROUPS and not sampled)
    return [*usual, *dict.fromkeys(usual_model(measures, evidence=one, sampled=sampled) for one in known)]


def _check(
    collection: BaseCollection,
    questions: Sequence[tuple[Measure, Measure]],
    holes: Sequence[HoleModel],
    ways: Sequence[Degradation | Strategy],
) -> None:
    """Refuse what cannot work before any work starts; *ways* are those in which judgments are taken away."""
    if len(collection.runs) < 2:
        raise InputError(f"reuse compares orders of runs, so it needs at least two, not {len(collection.runs)}")
    for name, some in (("measure", questions), ("hole model", holes)):
        if not some:
            raise InputError(f"no {name} was given")
    has_texts = collection.texts is not None
    check_needs(collection.qrels, list(dict.fromkeys(truth for _, truth in questions)), texts=has_texts)
    measures = list(dict.fromkeys(measure for measure, _ in questions))
    sampled = [measure for measure in measures if "strata" in measure.needs]
    without = [how for how in ways if not how.gives_strata]
    if sampled and without and len(without) < len(ways):
        raise InputError(f"{sampled[0]} needs strata, which {without[0]} does not leave; ask about it alone")
    strata = bool(ways) and not without
    check_needs(collection.qrels, [one for one in measures if not strata or one not in sampled], texts=has_texts)
    for model in holes:
        for measure, _ in questions:
            model.check(measure)


def _left_out(degradations: Sequence[Degradation]) -> str:
    """What the verdict is about: new groups, where some degradation leaves groups out, else new systems."""
    kinds = [how.left_out for how in degradations if how.leaves_runs_out]
    return "group" if "group" in kinds else kinds[0] if kinds else ""
