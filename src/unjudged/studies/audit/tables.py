"""The tables of an audit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.results.audit import DuplicateRow, PlantedRow, SuspectRow, UnfoundRow
from unjudged.results.tabular import number_or_none
from unjudged.studies.audit.judgments_beside_evidence import Compared
from unjudged.studies.doctor.text_checks import compare_texts

__all__ = [
    "Changes",
    "DifferentDuplicates",
    "different_duplicates",
    "duplicate_rows",
    "planted_rows",
    "suspect_rows",
    "unfound_rows",
]

_CHECKED = (0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Shares of the judgments of which it is said what one finds among them."""


class Changes:
    """What becomes of mean scores (runs, 1 + changes), of which the first are those before any change."""

    def __init__(self, names: list[str], means: Floats | None) -> None:
        self._names, self._means = names, means

    def of(self, change: int) -> tuple[float | None, str | None, int | None]:
        """The largest difference of a mean score, of which run, and how many pairs of runs change places."""
        if self._means is None or change + 1 >= self._means.shape[1]:
            return None, None, None
        before, after = self._means[:, 0], self._means[:, change + 1]
        differences = after - before
        most = int(np.argmax(np.abs(differences)))
        first, second = np.triu_indices(len(before), 1)
        order, changed = before[first] - before[second], after[first] - after[second]
        return float(differences[most]), self._names[most], int((order * changed < 0).sum())


def suspect_rows(compared: Compared, wrong: Floats, listed: Ints, changes: Changes) -> list[SuspectRow]:
    """The *listed* judgments, which are the first changes."""
    evidence, qrels = compared.evidence, compared.qrels
    seen = evidence.in_runs
    factors, shares = compared.factors, compared.blind.shares
    topics, docs = evidence.topics[listed], list(qrels.docs.take(evidence.rows[listed]))
    labels = _labels(compared, listed)
    rows = []
    for place, i in enumerate(listed.tolist()):
        groups, rank = (None, None) if seen is None else (int(seen.groups[i]), int(seen.best_rank[i]) or None)
        change, run, swaps = changes.of(place)
        probability = min(1.0, float(shares[i, evidence.levels[i]] / factors[i]))
        rows.append(
            SuspectRow(
                topic=qrels.topics[topics[place]],
                doc=docs[place],
                grade=int(qrels.grades[evidence.rows[i]]),
                likely=int(evidence.grades[compared.likely[i]]),
                probability=probability,
                factor=float(factors[i]),
                wrong=float(wrong[i]),
                groups=groups,
                best_rank=rank,
                labels=labels[place],
                change=change,
                changed_run=run,
                swaps=swaps,
            )
        )
    return rows


def _labels(compared: Compared, listed: Ints) -> list[str | None]:
    """What judges say about the listed judgments: ``judge=2; other=0``."""
    evidence = compared.evidence
    topics, docs = evidence.topics[listed], compared.qrels.docs.take(evidence.rows[listed])
    said = [(one.name, one.of(topics, docs).tolist()) for one in evidence.labels]
    texts = [[f"{name}={values[i]:g}" for name, values in said if values[i] == values[i]] for i in range(len(listed))]
    return ["; ".join(one) or None for one in texts]


def planted_rows(compared: Compared, wrong: Floats) -> list[PlantedRow]:
    """What one finds who looks at so many of the most suspicious judgments."""
    number = len(compared.order)
    checked = np.unique(np.maximum(1, np.round(np.array(_CHECKED) * number))).astype(np.int64)
    found, high, low = compared.blind.planted(checked)
    expected = np.cumsum(wrong[compared.order])
    return [
        PlantedRow(
            checked=many,
            share=many / number,
            found=float(found[i]),
            too_high=number_or_none(high[i]),
            too_low=number_or_none(low[i]),
            wrong=float(expected[many - 1]),
        )
        for i, many in enumerate(checked.tolist())
    ]


def unfound_rows(compared: Compared) -> list[UnfoundRow]:
    """Documents judged relevant that no run has, the most suspicious first."""
    evidence, qrels = compared.evidence, compared.qrels
    if evidence.in_runs is None:
        return []
    lost = (evidence.in_runs.groups == 0) & (qrels.grades[evidence.rows] > 0)
    listed = compared.order[lost[compared.order]]
    docs = qrels.docs.take(evidence.rows[listed])
    shares = compared.blind.shares[listed, evidence.levels[listed]]
    return [
        UnfoundRow(
            topic=qrels.topics[evidence.topics[i]],
            doc=doc,
            grade=int(qrels.grades[evidence.rows[i]]),
            probability=min(1.0, float(share / compared.factors[i])),
            factor=float(compared.factors[i]),
        )
        for i, doc, share in zip(listed.tolist(), docs, shares.tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class DifferentDuplicates:
    """Near-duplicates of a topic with different grades, as positions among the judged documents.

    ``first`` is the one whose grade is more suspicious.
    """

    first: Ints
    second: Ints
    share: Floats


def different_duplicates(compared: Compared) -> DifferentDuplicates:
    """All of them, the most suspicious first; none without texts."""
    qrels, evidence = compared.qrels, compared.evidence
    if compared.texts is None:
        nothing = np.zeros(0, dtype=np.int64)
        return DifferentDuplicates(nothing, nothing, np.zeros(0))
    texts = compare_texts(qrels, compared.texts, [])
    pairs = texts.judged_pairs
    pairs = pairs.among(texts.grades[pairs.first] != texts.grades[pairs.second])
    place = np.full(len(qrels), -1, dtype=np.int64)
    place[evidence.rows] = np.arange(len(evidence.rows))
    one, other = (place[qrels.pairs.find(texts.topics[at], texts.docs.take(at))] for at in (pairs.first, pairs.second))
    standing = np.empty(len(evidence.rows), dtype=np.int64)
    standing[compared.order] = np.arange(len(compared.order))
    turned = standing[other] < standing[one]
    first, second = np.where(turned, other, one), np.where(turned, one, other)
    order = np.lexsort((standing[second], standing[first]))
    return DifferentDuplicates(first[order], second[order], pairs.share[order])


def duplicate_rows(
    compared: Compared, duplicates: DifferentDuplicates, changes: Changes, after: int
) -> list[DuplicateRow]:
    """The duplicates, whose changes come *after* so many others."""
    evidence, qrels = compared.evidence, compared.qrels
    first, second = evidence.rows[duplicates.first], evidence.rows[duplicates.second]
    docs = zip(qrels.docs.take(first), qrels.docs.take(second), strict=True)
    rows = []
    for place, (doc, other) in enumerate(docs):
        change, run, swaps = changes.of(after + place)
        rows.append(
            DuplicateRow(
                topic=qrels.topics[qrels.topic_of_row[first[place]]],
                doc=doc,
                grade=int(qrels.grades[first[place]]),
                other=other,
                other_grade=int(qrels.grades[second[place]]),
                share=float(duplicates.share[place]),
                factor=float(compared.factors[duplicates.first[place]]),
                change=change,
                changed_run=run,
                swaps=swaps,
            )
        )
    return rows
