"""Which of my runs are better, and could judging the holes change the answer?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.data.segments import Segments
from unjudged.engine.numerics.difference_bounds import pair_bounds
from unjudged.engine.numerics.joint_imputations import draw_images
from unjudged.errors import InputError, Notice
from unjudged.holes import HoleModel
from unjudged.io.sources import as_path
from unjudged.limits import JointPrior, Whole
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.results.comparison import Comparison
from unjudged.results.scores import mean_known
from unjudged.studies.compare_by_segment import BySegment, compare_by_segment
from unjudged.studies.comparison_tables import Findings, budget_rows, pair_rows, rank_rows, run_rows
from unjudged.studies.hole_aware_significance import p_with_worlds
from unjudged.studies.runs_to_compare import ComparedRuns, joint_draws_of, model_for, read_runs_to_compare
from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest
from unjudged.uncertainty.base import interval_methods as methods
from unjudged.uncertainty.base import significance_tests as tests
from unjudged.uncertainty.corpus import CorpusBootstrap, check_images
from unjudged.uncertainty.formula_tests import PairedT
from unjudged.uncertainty.significance import correction_for, significance
from unjudged.wording import counted

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
    segments: Segments | None = None,
) -> Comparison:
    """Compare runs: all pairs, or all with the *baseline*; only the *top* so many runs, where given.

    Grades of holes are drawn as *holes* says, so many times unless *draws* are given, or from the *prior*; with
    ``evidence``, the default where groups are known, from what runs of other groups say about them. With *corpus*, runs
    are read again, to be scored on images of the corpus. *label_files* are read elsewhere, and are inputs of the
    result. With *segments*, all is also said of the topics of each. The number of threads changes no number.
    """
    segment_file = None if segments is None else as_path(segments.source)
    provenance = collection.provenance(labels=label_files, segments=segment_file)
    _check(len(collection.runs), measure, baseline, top, 1 if segments is None else len(segments.names))
    model = model_for(holes, prior, measure, collection.groups)
    model.check(measure)
    joint = joint_draws_of(model, draws)
    test, interval_method = tests.choose(test), methods.choose(interval_method)
    correction = correction_for(test, correction)
    check_needs(collection.qrels, [measure], texts=collection.texts is not None)
    if corpus is not None:
        check_images([measure])
        collection = collection.rereadable()
    compared = read_runs_to_compare(collection, measure, model, joint).best_first(baseline, top)
    findings = _find(compared, measure, baseline, test, correction, interval_method, joint.draws, corpus, segments)
    ranks, images, signs = findings.ranks(), findings.images, findings.signs
    parts = BySegment()
    if segments is not None:
        against = None if baseline is None else findings.names.index(baseline)
        how: dict[str, Any] = {"test": test, "correction": correction, "baseline": against}
        parts = compare_by_segment(compared, findings, measure, segments, **how)
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
        segment_rows=parts.run_rows,
        segment_pair_rows=parts.pair_rows,
        subtopic_models=tuple(compared.subtopic_models),
        warnings=(
            *compared.notices,
            *measure.remarks(findings.observed),
            *(() if images is None else images.notices),
            *(_about_holes(measure, findings) if measure.has_holes else ()),
            *signs.warnings,
            *parts.notices,
        ),
        provenance=provenance,
    )


# ---- what is asked


def _check(runs: int, measure: Measure, baseline: str | None, top: int | None, segments: int) -> None:
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
    pairs = math.comb(number, 2) if baseline is None else number - 1
    if pairs * segments > MOST_PAIRS:
        raise InputError(
            f"{counted(pairs, 'pair')} of runs on {segments:,} segments are {pairs * segments:,} comparisons, and"
            f" compare makes up to {MOST_PAIRS:,}: use --top N, or --baseline RUN to compare all with one"
        )


# ---- what follows


def _find(
    compared: ComparedRuns,
    measure: Measure,
    baseline: str | None,
    test: SignificanceTest,
    correction: Correction,
    interval_method: IntervalMethod,
    draws: int,
    corpus: CorpusBootstrap | None,
    segments: Segments | None,
) -> Findings:
    """Draw grades for holes, and images of the corpus; test differences, and bound them."""
    collection, names, scored_runs, kept = compared.collection, compared.names, compared.scored_runs, compared.kept
    seed, progress = collection.seed, collection.progress
    observed = np.stack([one.scores[kept] for one in scored_runs])
    images = None if corpus is None else draw_images(collection, measure, corpus, observed=observed, kept=kept)
    parts = [] if segments is None else list(segments.positions(compared.topics).values())
    worlds = compared.worlds(measure, draws, parts)
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
