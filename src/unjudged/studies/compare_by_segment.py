"""A comparison on each segment of the topics, with p-values that are corrected for all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.segments import Segments
from unjudged.engine.numerics.difference_bounds import PairBounds, pair_bounds_of_parts
from unjudged.engine.numerics.joint_imputations import Drawn
from unjudged.errors import Notice, some_of
from unjudged.measures.base import Measure
from unjudged.results.comparison import SIGNIFICANT, SegmentPairRow, SegmentRunRow
from unjudged.studies.comparison_tables import Findings, pair_rows, run_means
from unjudged.studies.hole_aware_significance import p_with_worlds
from unjudged.studies.runs_to_compare import ComparedRuns
from unjudged.studies.segments_disagree import disagreements
from unjudged.uncertainty.base import Correction, SignificanceTest
from unjudged.uncertainty.formula_tests import PairedT
from unjudged.uncertainty.significance import correction_for, significance

__all__ = ["BySegment", "compare_by_segment"]


@dataclass(frozen=True, eq=False)
class BySegment:
    """What a comparison says of segments."""

    run_rows: tuple[SegmentRunRow, ...] = ()
    pair_rows: tuple[SegmentPairRow, ...] = ()
    notices: tuple[Notice, ...] = ()


def compare_by_segment(
    compared: ComparedRuns,
    findings: Findings,
    measure: Measure,
    segments: Segments,
    *,
    test: SignificanceTest,
    correction: Correction,
    baseline: int | None,
) -> BySegment:
    """The runs and pairs of the *findings* on each segment.

    The draws of grades are those of the whole, over the topics of the segment; so are bounds.
    """
    places = segments.positions(compared.topics)
    names, own = list(places), list(places.values())
    pairs, seed = findings.signs.pairs, findings.seed
    signs = [
        significance(findings.observed[:, one], test=test, correction="none", baseline=baseline, seed=seed)
        for one in own
    ]
    corrected = _corrected([one.p for one in signs], test, correction)
    bounds: list[PairBounds | None] = [None] * len(own)
    if findings.bounds is not None:
        bounds = [*pair_bounds_of_parts(measure, compared.scored_runs, pairs, [compared.kept[one] for one in own])]
    parts = [
        replace(
            findings,
            observed=findings.observed[:, one],
            judged=findings.judged[:, one],
            worlds=_worlds(findings.worlds, one, s),
            signs=replace(signs[s], corrected=corrected[s]),
            bounds=bounds[s],
            images=None,
        )
        for s, one in enumerate(own)
    ]
    if findings.p_holes is not None:
        p = [p_with_worlds(part.observed, part.worlds, pairs) for part in parts]
        adjusted = _corrected(p, PairedT(), correction_for(PairedT()) if test.corrects else correction)
        parts = [replace(part, p_holes=a, corrected_p_holes=b) for part, a, b in zip(parts, p, adjusted, strict=True)]
    rows = tuple(row for name, part in zip(names, parts, strict=True) for row in _pair_rows(name, part))
    return BySegment(
        tuple(row for name, part in zip(names, parts, strict=True) for row in _run_rows(name, part)),
        rows,
        (
            *segments.notices(compared.topics),
            *_too_small(places, test, correction, len(pairs)),
            *_disagreements(measure, findings, own, corrected),
        ),
    )


def _corrected(p: Sequence[Floats], test: SignificanceTest, correction: Correction) -> list[Floats]:
    """P-values of all pairs on all segments, corrected together.

    A test that allows for the pairs of one segment itself is corrected for the number of segments (Bonferroni).
    """
    if test.corrects:
        return [np.minimum(one * len(p), 1.0) for one in p]
    adjusted = correction.adjust(np.concatenate(p))
    return np.split(adjusted, np.cumsum([len(one) for one in p])[:-1])


def _worlds(worlds: Sequence[Drawn], own: Ints, segment: int) -> list[Drawn]:
    """The draws, over the topics of one segment."""
    return [
        replace(one, expected=one.expected[own], means=one.parts[segment], whole=one.whole[own], parts=())
        for one in worlds
    ]


def _run_rows(segment: str, part: Findings) -> Iterator[SegmentRunRow]:
    topics = part.observed.shape[1]
    for row in run_means(part):
        yield SegmentRunRow(segment, topics, *row)


def _pair_rows(segment: str, part: Findings) -> Iterator[SegmentPairRow]:
    topics = part.observed.shape[1]
    for row in pair_rows(part):
        same = {name: value for name, value in row._asdict().items() if name in SegmentPairRow._fields}
        yield SegmentPairRow(segment=segment, topics=topics, **same)


def _too_small(places: dict[str, Ints], test: SignificanceTest, correction: Correction, pairs: int) -> list[Notice]:
    """Segments with so few topics that not even the clearest difference could be significant."""
    number = len(places) * pairs
    small = []
    for name, own in places.items():
        least = min(1.0, test.smallest(len(own))) if len(own) > 1 else 1.0
        if _corrected([np.array([least, *[1.0] * (number - 1)])], test, correction)[0][0] >= SIGNIFICANT:
            small.append(name)
    if not small:
        return []
    text = (
        f"{len(small):,} of {len(places):,} segments {'has' if len(small) == 1 else 'have'} too few topics for any"
        f" difference to be significant among {number:,} comparisons: {some_of(small, 3)}"
    )
    return [Notice("small-segments", len(small), text)]


def _disagreements(
    measure: Measure, findings: Findings, own: Sequence[Ints], corrected: Sequence[Floats]
) -> list[Notice]:
    """Compared pairs of which the whole says otherwise than most segments."""
    place = {(a, b): i for i, (a, b) in enumerate(findings.signs.pairs.tolist())}

    def p_values(a: int, b: int) -> tuple[float, list[float]]:
        pair = place[(a, b) if (a, b) in place else (b, a)]
        return float(findings.signs.corrected[pair]), [float(one[pair]) for one in corrected]

    whole = findings.observed.mean(axis=1)
    among = np.zeros((len(whole), len(whole)), dtype=bool)
    for a, b in place:
        among[a, b] = among[b, a] = True
    return disagreements(str(measure), findings.names, findings.observed, own, p_values, whole=whole, among=among)
