"""How far can label sources be trusted?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.arrays import Floats, Ints
from unjudged.collection import UNUSED_FEATURES, BaseCollection
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import run_notices
from unjudged.data.view import join
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.errors import InputError, Notice, some_of
from unjudged.io.label_files import LabelFile, read_labels_of
from unjudged.io.sources import as_path
from unjudged.labels.recognition import Oddity, association, copies, oddities
from unjudged.labels.reliability import krippendorff_alpha
from unjudged.labels.scales import is_another_scale, on_scale_of
from unjudged.measures.base import Measure
from unjudged.measures.requested import check_needs
from unjudged.results.judges import FavourRow, JudgeRunRow, Judges, OrderRow, Row, TargetRow
from unjudged.results.tabular import number_or_none
from unjudged.studies.judges.agreement_tables import (
    confusion_rows,
    grade_rows,
    judge_pair_rows,
    judge_row,
    topic_rows,
)
from unjudged.studies.judges.judgments_needed import PairSpread, target_rows
from unjudged.studies.judges.order_tables import favour, favour_rows, order_row, run_rows
from unjudged.studies.judges.verdict import RULE, verdict
from unjudged.uncertainty.base import Correction, SignificanceTest
from unjudged.uncertainty.base import significance_tests as tests
from unjudged.uncertainty.multiple_comparisons import Holm
from unjudged.uncertainty.significance import correction_for

__all__ = ["judges"]

_LEAST_TOPICS = 2


def judges(
    collection: BaseCollection,
    labels: Sequence[LabelFile],
    measure: Measure,
    *,
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    widths: Sequence[float] = (),
) -> Judges:
    """Compare the labels of each source with the judgments, and the orders of runs by both, where there are runs.

    *widths*: of intervals, for which the number of topics is asked that people must judge.
    """
    if widths and not collection.runs:
        raise InputError("how many judgments are needed follows from scores of runs: give runs after the labels")
    paths = [path for one in labels if (path := as_path(one.source)) is not None]
    provenance = collection.provenance(labels=paths)
    chosen = tests.choose(test)
    corrected_by = correction_for(chosen, correction)
    read = read_labels_of(labels, collection.qrels, judged_only=not collection.runs)
    # In the order of topics they share their documents with the judgments that are made of them.
    judged = _Judged.of(collection.qrels, [read.pop(0).by_topic() for _ in range(len(read))])
    orders = _Orders.of(collection, judged, measure, chosen, corrected_by, widths)
    duplicates = {one.again: one for one in copies(judged.matrix)}
    rows, names = [], [one.name for one in judged.labels]
    for i, one in enumerate(judged.labels):
        order = orders.orders[i] if orders.orders else None
        z, odd = judged.associations[i], judged.odd[i]
        judge_verdict = verdict(z, {oddity.kind for oddity in odd}, order)
        values, copy = judged.matrix[i], duplicates.get(i)
        rows.append(judge_row(one, collection.qrels, values, judged.grades, z, odd, copy, names, judge_verdict))
    together = np.concatenate([judged.matrix, judged.grades[None, :]])
    tables: dict[str, tuple[Row, ...]] = {
        "judges": tuple(rows),
        **_by_judge(judged, collection.qrels),
        "pairs": tuple(judge_pair_rows(names, judged.matrix, judged.grades)),
        "orders": tuple(orders.orders),
        "runs": tuple(orders.runs),
        "groups": tuple(orders.groups),
        "targets": tuple(orders.targets),
    }
    unused = [UNUSED_FEATURES] if collection.features else []
    return Judges(
        measure=str(measure),
        test=str(chosen),
        correction=str(corrected_by),
        judgments=len(judged.grades),
        topics_count=len(np.unique(judged.topics)),
        alpha_nominal=number_or_none(krippendorff_alpha(together, "nominal")),
        alpha_ordinal=number_or_none(krippendorff_alpha(together, "ordinal")),
        alpha_of_judges=number_or_none(krippendorff_alpha(judged.matrix, "ordinal")) if len(names) > 1 else None,
        rule=RULE,
        tables=tables,
        warnings=(*judged.notices(collection.qrels), *orders.notices, *unused),
        provenance=provenance,
    )


# ---- labels beside judgments


class _Judged(NamedTuple):
    """The judged pairs: what people and each judge said."""

    labels: list[JudgeLabels]
    topics: Ints
    grades: Floats
    matrix: Floats
    """Labels (judges, pairs), NaN where there is none."""
    associations: list[float]
    odd: list[list[Oddity]]

    @classmethod
    def of(cls, qrels: Qrels, labels: list[JudgeLabels]) -> _Judged:
        if qrels.subtopics is not None:
            raise InputError(
                f"{qrels.source or 'qrels'}: judges compares one grade for each topic and document, and these judgments"
                " are for subtopics; if they are not, say --qrels-format trec"
            )
        rows = np.flatnonzero(qrels.judged)
        topics, docs = qrels.topic_of_row[rows], qrels.docs.take(rows)
        grades = qrels.grades[rows].astype(np.float64)
        matrix = np.stack([one.of(topics, docs) for one in labels])
        for one, values in zip(labels, matrix, strict=True):
            if np.isnan(values).all():
                raise InputError(
                    f"{one.name}: nothing that people judged has one of its labels, so nothing can be said about it;"
                    " let it label judged documents, too"
                )
        z = [association(values, grades, topics) for values in matrix]
        return cls(labels, topics, grades, matrix, z, [oddities(values, grades, topics) for values in matrix])

    def on_another_scale(self, judge: int) -> bool:
        """Whether labels cannot count as the grades of the same numbers."""
        return is_another_scale(self.matrix[judge], self.grades, self.odd[judge])

    def notices(self, qrels: Qrels) -> list[Notice]:
        """What was left out when labels were read, and labels that can only be checked."""
        notices = [notice for one in self.labels for notice in one.notices]
        only = [one.name for one in self.labels if not one.beyond(qrels)]
        if only:
            text = f"{some_of(only)}: all labels are for what people judged, so they can be checked, but add nothing"
            notices.append(Notice("labels-only-judged", len(only), text))
        return notices


def _by_judge(judged: _Judged, qrels: Qrels) -> dict[str, tuple[Row, ...]]:
    """The tables that look at one judge after the other."""
    tables: dict[str, list[Row]] = {"confusion": [], "topics": [], "grades": []}
    for one, values in zip(judged.labels, judged.matrix, strict=True):
        tables["confusion"] += confusion_rows(one.name, values, judged.grades)
        tables["topics"] += topic_rows(one.name, qrels, values, judged.grades, judged.topics)
        tables["grades"] += grade_rows(one.name, values, judged.grades)
    return {name: tuple(rows) for name, rows in tables.items()}


# ---- runs by labels alone


class _Orders(NamedTuple):
    """Orders of runs by labels and by judgments; empty without runs."""

    orders: list[OrderRow]
    runs: list[JudgeRunRow]
    groups: list[FavourRow]
    targets: list[TargetRow]
    notices: list[Notice]

    @classmethod
    def of(
        cls,
        collection: BaseCollection,
        judged: _Judged,
        measure: Measure,
        test: SignificanceTest,
        correction: Correction,
        widths: Sequence[float],
    ) -> _Orders:
        """Score all runs by judgments and by each judge's labels alone; runs are read once."""
        orders = cls([], [], [], [], [])
        over_groups = Holm() if test.corrects else correction  # the test allows for pairs, not for groups
        if not collection.runs:
            return orders
        if len(collection.runs) < 2:
            raise InputError("an order of runs needs at least two runs, not 1; leave it out to look at labels alone")
        if measure.summary != "mean":
            raise InputError(f"{measure} is not a mean over topics; take one that is, such as nDCG@10")
        qrels = collection.qrels
        by_labels = [as_judgments(i, judged, qrels) for i in range(len(judged.labels))]
        check_needs(qrels, [measure], texts=False)
        for one in (qrels, *by_labels):
            measure.prepare(one)

        def scores(run: Run) -> Floats:
            views = (join(run, one, depth=deepest_rank([measure])) for one in (qrels, *by_labels))
            return np.stack([np.asarray(measure.score(view), dtype=np.float64) for view in views])

        infos, scored = collection.each_run(scores, "reading runs")
        names = [info.name for info in infos]
        table = np.stack(scored)  # (runs, people and judges, topics)
        groups = collection.groups.among(names)
        members = {group: inside for group, inside in groups.members(names).items() if len(inside) < len(names)}
        inside = np.array([np.isin(np.arange(len(names)), some) for some in members.values()])
        orders.notices.extend(run_notices(infos))
        turned = [one.name for i, one in enumerate(judged.labels) if judged.on_another_scale(i)]
        if turned:
            text = (
                f"{some_of(turned)}: labels are not on the scale of grades; runs are scored with labels brought"
                " there in their order"
            )
            orders.notices.append(Notice("label-scale", len(turned), text))
        for i, judge in enumerate(judged.labels):
            kept = _topics_with_labels(table, i, by_labels[i], measure)
            human, machine = table[:, 0, kept], table[:, i + 1, kept]
            alone = favour(human, machine, np.eye(len(names), dtype=bool), over_groups)
            favoured = alone.favoured
            if groups.given:
                together = favour(human, machine, inside, over_groups)
                favoured = together.favoured
                orders.groups.extend(favour_rows(judge.name, list(members), inside.sum(axis=1), together))
            per_topic = len(judged.grades) / len(np.unique(judged.topics))
            spread = PairSpread.of(collection, judge, measure, names) if widths else None
            orders.targets.extend(target_rows(judge.name, human, machine, widths, per_topic, spread))
            orders.orders.append(order_row(judge.name, human, machine, test, correction, collection.seed, favoured))
            orders.runs.extend(run_rows(judge.name, names, groups, human, machine, alone))
        return orders


def _topics_with_labels(table: Floats, judge: int, labels: Qrels, measure: Measure) -> Ints:
    """Topics that the judge labelled and every run has a score for."""
    some = labels.count(labels.judged) > 0
    kept = np.flatnonzero(some & ~np.isnan(table[:, [0, judge + 1]]).any(axis=(0, 1)))
    if len(kept) < _LEAST_TOPICS:
        raise InputError(
            f"{labels.source}: labels let {measure} be compared on {len(kept)} topics, and an order of runs needs at"
            f" least {_LEAST_TOPICS}; leave out the runs to look at labels alone"
        )
    return kept


def as_judgments(judge: int, judged: _Judged, qrels: Qrels) -> Qrels:
    """Labels of one judge as if they were all the judgments there are.

    Labels that are on another scale are brought to that of grades, in their order.
    """
    labels = judged.labels[judge]
    values = labels.values
    if judged.on_another_scale(judge):
        values = on_scale_of(judged.matrix[judge], judged.grades, of=values)
    return labels.as_qrels(qrels.topics, values, qrels.scale)
