"""Can this collection judge new systems, and which method should I trust on it?"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, get_args

from unjudged.collection import BaseCollection
from unjudged.engine.execution.execute import Engine, loading_code, run_plan
from unjudged.engine.execution.result_store import Store
from unjudged.engine.numerics.estimates_on_degraded_qrels import prepare_trial
from unjudged.engine.numerics.reuse_tallies import try_pool
from unjudged.engine.preparation.pooling import about_pool, deeper_than_pool
from unjudged.errors import InputError
from unjudged.holes.base import HoleModel, Settings, files_of, hole_models
from unjudged.holes.evidence_model.model import LEAST_GROUPS
from unjudged.limits import Choice, Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.results.reuse import LeftOutRow, MethodRow, Reuse, Row
from unjudged.simulate import Degradation
from unjudged.simulate import degradations as all_degradations
from unjudged.studies.reuse.judgments_needed import Target, target_rows
from unjudged.studies.reuse.notices import about_never_judged, damaged_blocks, without_evidence
from unjudged.studies.reuse.planning import cases_of, plan_of
from unjudged.studies.reuse.reading import read_runs
from unjudged.studies.reuse.tables import Outcome, agreement_row, coverage_rows, curve_rows, left_out_rows, outcomes
from unjudged.studies.reuse.verdict import RULE, method_rows, verdict
from unjudged.uncertainty.base import Correction, SignificanceTest, significance_tests
from unjudged.uncertainty.significance import correction_for

__all__ = ["NeverJudged", "reuse", "usual_methods"]

NeverJudged = Literal["removed", "nonrelevant"]
"""What becomes of documents that nobody ever judged."""


def reuse(
    collection: BaseCollection,
    measures: Sequence[Measure],
    degradations: Sequence[Degradation],
    holes: Sequence[HoleModel] | None = None,
    *,
    truth: Measure | None = None,
    never_judged: NeverJudged = "removed",
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
    *truth* is the measure that all are compared with; each with itself unless given. Documents that were *never judged*
    are ``removed`` from the runs first, for truth and estimates alike, or the truth takes them for ``nonrelevant`` and
    estimates for holes. Random degradations are repeated *repeat* times. The numbers
    depend on neither engine, workers nor store.
    """
    engine, groups = engine or Engine(jobs=collection.jobs), collection.groups
    engine.check()
    Choice(get_args(NeverJudged)).checked("never_judged", never_judged)
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
    with loading_code(engine, try_pool):
        read = read_runs(collection, [*measures, *truths], degradations, tried, removed=never_judged == "removed")
    joined, pool = read.joined, read.pool
    if holes is None:  # there may be groups without runs
        tried = usual_methods(measures, degradations, groups=len(set(joined.groups or ())))
    degradations = [how.in_pool(read.left_out_depth) for how in degradations]
    for how in degradations:
        how.check(joined)
    trial = prepare_trial(
        joined,
        read.occurrences,
        measures,
        truths,
        tried,
        degradations,
        settings=Settings(collection.seed, interval),
        test=test,
        correction=correction,
    )
    cases, words = cases_of(trial, repeat), "trying degraded judgments"
    results = run_plan(plan_of(trial, cases), engine, store=kept, progress=collection.progress, words=words)
    tables = _tables(outcomes(trial, list(map(str, truths)), cases, results), targets)
    methods: Sequence[MethodRow] = tables["methods"]  # type: ignore[assignment]
    leaveout: Sequence[LeftOutRow] = tables["leaveout"]  # type: ignore[assignment]
    return Reuse(
        verdict=verdict(methods, leaveout, len(joined.runs), _left_out(degradations)),
        rule=RULE,
        runs=len(joined.runs),
        topics=len(joined.qrels.topics),
        judgments=int(joined.qrels.judged.sum()),
        groups=None if joined.groups is None else len(set(joined.groups)),
        pool=None if pool is None else about_pool(pool, len(joined.runs)),
        pool_depth=None if pool is None else pool.depth,
        never_judged=never_judged,
        test=str(test),
        correction=str(correction),
        tables=tables,
        warnings=(
            *read.notices,
            *deeper_than_pool(measures, pool, len(joined.runs)),
            *about_never_judged(trial),
            *without_evidence(trial, results),
            *damaged_blocks(kept),
        ),
        provenance=provenance,
    )


def _tables(every: Sequence[Outcome], targets: Sequence[Target]) -> dict[str, tuple[Row, ...]]:
    correlations = tuple(agreement_row(one) for one in every)
    leaveout = tuple(row for one in every for row in left_out_rows(one))
    curves = tuple(row for one in every for row in curve_rows(one))
    return {
        "methods": method_rows(correlations, leaveout),
        "correlations": correlations,
        "coverage": tuple(row for one in every for row in coverage_rows(one)),
        "leaveout": leaveout,
        "curves": curves,
        "targets": target_rows(curves, targets),
    }


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


def _left_out(degradations: Sequence[Degradation]) -> str:
    """What the verdict is about: new groups, where some degradation leaves groups out, else new systems."""
    kinds = [how.left_out for how in degradations if how.leaves_runs_out]
    return "group" if "group" in kinds else kinds[0] if kinds else ""
