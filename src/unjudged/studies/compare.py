"""Which of my runs are better, and could judging the holes change the answer?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, get_args

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.groups import Groups
from unjudged.data.pool_depth import JudgedDepths, judged_down_to
from unjudged.data.run_info import run_notices
from unjudged.data.texts import ModelSize
from unjudged.engine.numerics.difference_bounds import pair_bounds
from unjudged.engine.numerics.joint_imputations import (
    FIRST,
    ScoredRun,
    as_scored,
    draw_images,
    draw_worlds,
    shared_prior,
    with_one_ideal,
)
from unjudged.engine.preparation.pooling import MissingPool, deeper_than_pool, pool_of, reads_mostly_unjudged
from unjudged.errors import InputError, Notice, some_of
from unjudged.holes import HoleModel, hole_models
from unjudged.holes.base import DRAWS, JointDraws, Settings, usual_model
from unjudged.holes.bootstrap import Bootstrap
from unjudged.holes.evidence_model.calibrated_intervals import CalibratedMeasure, calibrate_measure
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.imputation.binned_scales import bin_notices
from unjudged.holes.imputation.grade_source import LearnedFromRuns
from unjudged.limits import Choice, JointPrior, Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs, ignored_subtopics
from unjudged.progress import watched
from unjudged.results.comparison import Comparison
from unjudged.results.scores import mean_known
from unjudged.studies.comparison_tables import Findings, budget_rows, pair_rows, rank_rows, run_rows
from unjudged.studies.hole_aware_significance import p_with_worlds
from unjudged.studies.prepare_collection import prepare
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest
from unjudged.uncertainty.base import interval_methods as methods
from unjudged.uncertainty.base import significance_tests as tests
from unjudged.uncertainty.corpus import CorpusBootstrap, check_images
from unjudged.uncertainty.formula_tests import PairedT
from unjudged.uncertainty.significance import correction_for, significance

__all__ = ["compare"]

MOST_PAIRS = 500_000
"""Pairs that are compared: those of 1,000 runs take some minutes, and 200 MB of JSON."""
_RARE = 0.05
"""Share of drawn scores above the measure's limit, which more relevant documents than R bring, to tell the user of."""
_FEW = 0.5
"""Share of judged documents, on average over runs, below which the user is told what verdicts rest on."""


def compare(
    collection: BaseCollection,
    measure: Measure,
    *,
    baseline: str | None = None,
    top: int | None = None,
    test: str | SignificanceTest | type[SignificanceTest] = "randomisation",
    correction: str | Correction | type[Correction] | None = None,
    interval_method: str | IntervalMethod | type[IntervalMethod] = "t",
    draws: int | None = None,
    prior: JointPrior | None = None,
    holes: HoleModel | None = None,
    corpus: CorpusBootstrap | None = None,
    label_files: Sequence[str] = (),
) -> Comparison:
    """Compare runs: all pairs, or all with the *baseline*; only the *top* so many runs, where given.

    Grades of holes are drawn as *holes* says, so many times unless *draws* are given, or from the *prior*; with
    ``evidence``, the default where groups are known, from what runs of other groups say about them. With *corpus*, runs
    are read again, to be scored on images of the corpus. *label_files* are read elsewhere, and are inputs of the
    result. The number of threads changes no number.
    """
    provenance = collection.provenance(labels=label_files)
    _check(len(collection.runs), measure, baseline, top)
    model = _model(holes, prior, measure, collection.groups)
    model.check(measure)
    joint = _joint_draws(model, draws)
    test, interval_method = tests.choose(test), methods.choose(interval_method)
    correction = correction_for(test, correction)
    check_needs(collection.qrels, [measure], texts=collection.texts is not None)
    if corpus is not None:
        check_images([measure])
        collection = collection.rereadable()
    compared = _read_runs(collection, measure, model, joint, baseline, top)
    findings = _find(compared, measure, baseline, test, correction, interval_method, joint.draws, corpus)
    ranks, images, signs = findings.ranks(), findings.images, findings.signs
    return Comparison(
        measure=str(measure),
        test=str(test),
        correction=str(correction),
        interval_method=str(interval_method),
        draws=joint.draws,
        prior=joint.prior,
        images=None if corpus is None else corpus.images,
        corpus_size=None if images is None else images.size,
        topics=len(compared.kept),
        baseline=baseline,
        depth=measure.depth(),
        runs_rows=run_rows(findings, ranks),
        pair_rows=pair_rows(findings),
        rank_rows=rank_rows(findings.names, ranks),
        budget_rows=budget_rows(findings),
        subtopic_models=tuple(compared.subtopic_models),
        warnings=(
            *compared.notices,
            *measure.remarks(findings.observed),
            *(() if images is None else images.notices),
            *(_about_holes(measure, findings) if measure.has_holes else ()),
            *signs.warnings,
        ),
        provenance=provenance,
    )


# ---- what is asked


def _check(runs: int, measure: Measure, baseline: str | None, top: int | None) -> None:
    """Refuse what cannot be compared, or not in minutes and written down, before any work starts."""
    if measure.summary != "mean":
        raise InputError(f"{measure} is not a mean over topics; compare with a measure that is, such as nDCG@10")
    if top is not None and Whole().checked("top", top) < 2:
        raise InputError(f"a comparison needs at least two runs, not the top {top}")
    if runs < 2:
        raise InputError(f"a comparison needs at least two runs, not {runs}")
    number = runs if top is None else min(runs, top)
    if baseline is None and math.comb(number, 2) > MOST_PAIRS:
        most = (1 + math.isqrt(1 + 8 * MOST_PAIRS)) // 2
        raise InputError(
            f"all pairs of {number:,} runs are {math.comb(number, 2):,}, and compare takes up to {most:,} runs"
            f" ({math.comb(most, 2):,} pairs): use --top {most}, or --baseline RUN to compare all with one"
        )


def _model(holes: HoleModel | None, prior: JointPrior | None, measure: Measure, groups: Groups) -> HoleModel:
    """The hole model or prior that was asked for; else the usual one, which is evidence where groups are known."""
    if holes is not None:
        if prior is not None:
            raise InputError(
                f"both --holes {holes} and --prior {prior} say what grades are drawn from; give one of them"
            )
        return holes
    if prior is not None:
        prior = Choice(get_args(JointPrior)).checked("prior", prior)
        return hole_models.parse("discounted" if prior == "discounted" else f"bootstrap(prior={prior})")
    return usual_model([measure], evidence=groups.given)


def _joint_draws(model: HoleModel, draws: int | None) -> JointDraws:
    """How a model draws one grade for each hole of all runs, so many times."""
    joint = model.joint_draws()
    if joint is None:
        raise InputError(
            f"compare draws one grade for each hole of all runs, which {model} does not; --holes takes bootstrap,"
            " discounted or evidence, also with a number of draws and with what they say about grades, as in"
            " evidence(draws=500,depth=10) or discounted(shift=-1.5)"
        )
    if draws is None:
        return joint
    draws = Whole(1).checked("draws", draws)
    if joint.draws not in (draws, DRAWS):
        raise InputError(f"both --draws {draws} and --holes {model} say how many draws there are; give one of them")
    return joint._replace(draws=draws)


# ---- what runs show


class _Compared(NamedTuple):
    """The runs to compare, best first."""

    collection: BaseCollection
    """With these runs, and all that was prepared."""
    names: list[str]
    scored_runs: list[ScoredRun]
    kept: Ints
    """Positions of the topics for which every run has a score."""
    prior: Floats
    """Of the grades of holes, from all runs that were read, so that leaving some out with ``top`` changes no draw."""
    learned: bool
    """Whether there are holes, and grades for them that share the errors of what was learned from runs."""
    scale: float | None
    """Of errors of drawn means, by what left-out groups say; None where they say nothing."""
    subtopic_models: Sequence[ModelSize]
    notices: Sequence[Notice]


def _read_runs(
    collection: BaseCollection,
    measure: Measure,
    model: HoleModel,
    joint: JointDraws,
    baseline: str | None,
    top: int | None,
) -> _Compared:
    """Read and score all runs, and choose those to compare."""
    prepared = prepare(collection, [measure], [model])
    collection, qrels, seed = prepared.collection, prepared.collection.qrels, collection.seed
    measure.prepare(qrels)
    missing_pool = MissingPool(qrels, [measure], given=collection.has_pool)
    occurrences = collection.occurrences
    others = None if occurrences is None or joint.learn is None else joint.learn(qrels, occurrences)
    infos, scored_runs = collection.each_run(
        lambda run: as_scored(run, qrels, measure, seed, missing_pool, others), "reading runs"
    )
    names = [info.name for info in infos]
    pool = pool_of(
        collection, names, JudgedDepths.of((judged_down_to(one.view), one.view.lengths) for one in scored_runs)
    )
    if baseline is not None and baseline not in names:
        raise InputError(f"no run is named {baseline!r}, which --baseline asks for; there is {some_of(names)}")
    kept, undefined = _defined_topics(measure, scored_runs)
    prior = shared_prior(scored_runs)
    if others is not None:
        reach = others.reach(measure.depth())
        scored_runs = with_one_ideal(measure, scored_runs, prior, reach=reach, draws=joint.draws, seed=seed)
    calibrated = _calibrated(others, measure, model, scored_runs, seed)
    order = _order(scored_runs, kept, names, baseline, top)
    drawn = model.range_of_means == "interval"
    notices = [
        *ignored_subtopics(qrels, [measure]),
        *prepared.notices,
        *bin_notices(scored_runs[0].view.qrels, learned=others is not None),
        *(() if others is None else others.notices),
        *(() if calibrated is None else [calibrated.notice()]),
        *missing_pool.notices,
        *deeper_than_pool([measure], pool, len(names), drawn=drawn),
        *reads_mostly_unjudged([measure], np.stack([one.judged for one in scored_runs])[None], drawn=drawn),
        *run_notices([infos[i] for i in order]),
        *undefined,
    ]
    return _Compared(
        collection.replaced(runs=[collection.runs[i] for i in order]),
        [names[i] for i in order],
        [scored_runs[i] for i in order],
        kept,
        prior,
        others is not None and any(len(one.keys) for one in scored_runs),
        None if calibrated is None else calibrated.calibration.scale,
        prepared.subtopic_models,
        notices,
    )


def _calibrated(
    others: LearnedFromRuns | None, measure: Measure, model: HoleModel, scored_runs: Sequence[ScoredRun], seed: int
) -> CalibratedMeasure | None:
    """What left-out groups say about what evidence says of the runs' holes; None where there is none of either."""
    if not isinstance(others, EvidenceModel) or not isinstance(model, Bootstrap):
        return None
    if not any(len(one.keys) for one in scored_runs):
        return None
    return calibrate_measure(others, measure, model, Settings(seed))


def _defined_topics(measure: Measure, scored_runs: Sequence[ScoredRun]) -> tuple[Ints, list[Notice]]:
    """Positions of the topics for which every run has a score; a paired comparison needs the same ones for all."""
    missing = np.zeros(len(scored_runs[0].scores), dtype=bool)
    for one in scored_runs:
        missing |= np.isnan(one.scores)
    count = int(missing.sum())
    if count == len(missing):
        raise InputError(f"on every topic {measure} is undefined for some run: there is nothing to compare")
    text = f"{measure} is undefined for some run on {count} of {len(missing)} topics; they are left out for all runs"
    return np.flatnonzero(~missing), [Notice("undefined", count, text)] if count else []


def _order(
    scored_runs: Sequence[ScoredRun], kept: Ints, names: Sequence[str], baseline: str | None, top: int | None
) -> list[int]:
    """Positions of the runs to compare, best first; the baseline is always among them."""
    means = np.array([one.scores[kept].mean() for one in scored_runs])
    order: list[int] = np.argsort(-means, kind="stable").tolist()
    best = set(order[:top])
    return [i for i in order if i in best or names[i] == baseline]


# ---- what follows


def _find(
    compared: _Compared,
    measure: Measure,
    baseline: str | None,
    test: SignificanceTest,
    correction: Correction,
    interval_method: IntervalMethod,
    draws: int,
    corpus: CorpusBootstrap | None,
) -> Findings:
    """Draw grades for holes, and images of the corpus; test differences, and bound them."""
    collection, names, scored_runs, kept, prior, _, scale, *_ = compared
    seed, progress = collection.seed, collection.progress
    observed = np.stack([one.scores[kept] for one in scored_runs])
    images = None if corpus is None else draw_images(collection, measure, corpus, observed=observed, kept=kept)
    draw = partial(
        draw_worlds,
        measure,
        prior=prior,
        kept=kept,
        draws=draws,
        seed=seed,
        scale=scale,
        whole=FIRST if compared.learned else 0,
    )
    drawn = in_order(draw, scored_runs, worker_count(collection.jobs, len(scored_runs)))
    worlds = list(watched(progress, drawn, len(scored_runs), "drawing grades"))
    against = None if baseline is None else names.index(baseline)
    signs = significance(observed, test=test, correction=correction, baseline=against, seed=seed, progress=progress)
    bounds = pair_bounds(measure, scored_runs, signs.pairs, kept, progress=progress) if measure.has_holes else None
    judged = np.stack([one.judged[kept] for one in scored_runs])
    findings = Findings(names, observed, judged, worlds, signs, bounds, images, interval_method, draws, seed)
    if not compared.learned or bounds is None:
        return findings
    p = p_with_worlds(observed, worlds, signs.pairs)
    corrected = (correction_for(PairedT()) if test.corrects else correction).adjust(p)
    return replace(findings, p_holes=p, corrected_p_holes=corrected)


def _about_holes(measure: Measure, findings: Findings) -> list[Notice]:
    """Whether there are so many holes that what is said about them says little."""
    notices = []
    judged = mean_known(findings.judged)
    share = float(mean_known(judged))
    if share < _FEW:
        text = (
            f"only {share:.1%} of the documents that {measure} looks at are judged: P(A>B) and the verdict 'likely'"
            " rest mostly on a belief about the others; use a lower cut-off"
        )
        notices.append(Notice("mostly-holes", int((judged < _FEW).sum()), text))
    above = float(np.mean([one.above for one in findings.worlds]))
    if above >= _RARE:
        text = (
            f"{above:.1%} of the drawn scores of {measure} are above its limit: there are more holes than these"
            " judgments can say much about; use a lower cut-off"
        )
        notices.append(Notice("drawn-above-limit", sum(one.above > 0 for one in findings.worlds), text))
    return notices
