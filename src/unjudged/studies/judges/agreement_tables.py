"""Tables of how far judges agree on grades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.labels.recognition import Copy, Oddity
from unjudged.labels.reliability import (
    bias,
    cohen_kappa,
    confusion,
    exact_agreement,
    krippendorff_alpha,
    within_one,
)
from unjudged.labels.scales import on_scale_of
from unjudged.results.judges import HUMAN, ConfusionRow, GradeRow, JudgePairRow, JudgeRow, JudgeTopicRow
from unjudged.results.tabular import number_or_none
from unjudged.studies.judges.verdict import Verdict

__all__ = ["confusion_rows", "grade_rows", "judge_pair_rows", "judge_row", "on_scale_of", "topic_rows"]

_MOST_VALUES = 50
"""Different labels up to which they are taken for grades."""


def judge_row(
    labels: JudgeLabels,
    qrels: Qrels,
    values: Floats,
    grades: Floats,
    association: float,
    odd: Sequence[Oddity],
    copy: Copy | None,
    names: Sequence[str],
    verdict: Verdict,
) -> JudgeRow:
    """What is known about one judge; *values* and *grades* are those of the judged pairs."""
    both = int((~np.isnan(values)).sum())
    origin = labels.origin
    copied = None if copy is None else names[copy.first] + ("" if copy.same else ", with other numbers")
    return JudgeRow(
        judge=labels.name,
        verdict=verdict.words,
        reason=verdict.reason,
        labels=len(labels) + labels.forgotten,
        beyond=labels.beyond(qrels),
        pairs=both,
        coverage=both / len(grades),
        exact=number_or_none(exact_agreement(values, grades)),
        within_one=number_or_none(within_one(values, grades)),
        kappa=_kappa(values, grades),
        weighted_kappa=_kappa(values, grades, weighted=True),
        alpha_nominal=number_or_none(krippendorff_alpha(np.stack([values, grades]), "nominal")),
        alpha_ordinal=number_or_none(krippendorff_alpha(np.stack([values, grades]), "ordinal")),
        bias=number_or_none(bias(values, grades)),
        association=number_or_none(association),
        odd="; ".join(f"{one.kind}: {one.words}" for one in odd) or None,
        copy_of=copied,
        model=origin.model or None,
        prompt=origin.prompt or None,
        first=origin.first or None,
        last=origin.last or None,
        hashed=origin.hashed,
        source=origin.source,
    )


def _kappa(first: Floats, second: Floats, *, weighted: bool = False) -> float | None:
    known = ~(np.isnan(first) | np.isnan(second))
    scale = np.unique(np.concatenate([first[known], second[known]]))
    if not 2 <= len(scale) <= _MOST_VALUES:
        return None
    # Weights are distances of grades, also where one in between does not occur.
    whole = bool((scale == np.rint(scale)).all()) and scale[-1] - scale[0] <= _MOST_VALUES
    places = np.arange(scale[0], scale[-1] + 1) if whole else scale
    return number_or_none(cohen_kappa(confusion(first, second, places), "quadratic" if weighted else "none"))


def confusion_rows(judge: str, values: Floats, grades: Floats) -> Iterator[ConfusionRow]:
    """Labels and grades that occur together; labels with many different values are shown on the scale of grades."""
    known = ~np.isnan(values)
    given = values[known] if len(np.unique(values[known])) <= _MOST_VALUES else on_scale_of(values, grades)[known]
    pairs, counts = np.unique(np.stack([given, grades[known]]), axis=1, return_counts=True)
    for (label, grade), count in zip(pairs.T.tolist(), counts.tolist(), strict=True):
        yield ConfusionRow(judge, label, grade, count, count / int((given == label).sum()))


def topic_rows(judge: str, qrels: Qrels, values: Floats, grades: Floats, topics: Ints) -> Iterator[JudgeTopicRow]:
    """Each topic with labels."""
    for topic in np.unique(topics[~np.isnan(values)]).tolist():
        here = topics == topic
        a, b = values[here], grades[here]
        yield JudgeTopicRow(
            judge,
            qrels.topics[topic],
            int((~np.isnan(a)).sum()),
            number_or_none(exact_agreement(a, b)),
            number_or_none(within_one(a, b)),
            _kappa(a, b),
            _kappa(a, b, weighted=True),
            number_or_none(bias(a, b)),
        )


def grade_rows(judge: str, values: Floats, grades: Floats) -> Iterator[GradeRow]:
    """Each human grade with labels."""
    known = ~np.isnan(values)
    for grade in np.unique(grades[known]).tolist():
        given = values[known & (grades == grade)]
        off = given - grade
        exact, near = float((off == 0).mean()), float((np.abs(off) <= 1).mean())
        yield GradeRow(judge, grade, len(given), float(given.mean()), exact, near, float(off.mean()))


def judge_pair_rows(names: Sequence[str], matrix: Floats, grades: Floats) -> Iterator[JudgePairRow]:
    """All pairs of judges, the last of which are people."""
    every, rows = [*names, HUMAN], np.concatenate([matrix, grades[None, :]])
    for i, j in combinations(range(len(every)), 2):
        both = ~(np.isnan(rows[i]) | np.isnan(rows[j]))
        a, b = rows[i, both], rows[j, both]
        alpha = krippendorff_alpha(np.stack([a, b]), "ordinal") if len(a) else np.nan
        yield JudgePairRow(
            every[i],
            every[j],
            len(a),
            number_or_none(exact_agreement(a, b)),
            _kappa(a, b),
            _kappa(a, b, weighted=True),
            number_or_none(alpha),
            number_or_none(bias(a, b)),
        )
