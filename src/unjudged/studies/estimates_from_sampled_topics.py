"""Scores and differences from a few topics that people judged, and many that only a machine did.

People's topics must be a random sample of all topics with labels. Then the prediction-powered estimate is unbiased,
whatever the labels are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from unjudged.arrays import Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.ids import Ids, pair_keys
from unjudged.data.judge_labels import JudgeLabels
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.errors import InputError, Notice
from unjudged.io.label_files import read_one_judge
from unjudged.kernels.splitmix import mixed, seeded
from unjudged.labels.calibration import chances_of_reaching, drawn_grades
from unjudged.labels.folds import dealt_folds
from unjudged.labels.recognition import oddities
from unjudged.labels.scales import is_another_scale, off_scale, on_scale_of
from unjudged.measures.base import Measure
from unjudged.results.assisted import Assisted, AssistedPairRow, AssistedRow
from unjudged.studies.estimates_from_sampled_documents import sampled_differences, sampled_means
from unjudged.studies.pair_features import pair_features
from unjudged.uncertainty.base import Correction
from unjudged.uncertainty.prediction_powered import (
    LEAST_TOPICS,
    PoweredMeans,
    classical,
    powered_randomisation,
    prediction_powered,
)
from unjudged.wording import counted

__all__ = ["assisted_differences", "assisted_means"]

_DRAWS = 32
"""Draws of grades from labels, for calibrated scores."""
_NOT_RANDOM = 0.001
"""A p-value below this says that the topics people judged are not a random sample."""


def assisted_means(
    collection: BaseCollection,
    labels: Any,
    measures: Sequence[Measure],
    names: Sequence[str],
    *,
    rate: float | None,
    trusted: bool,
) -> tuple[Assisted, list[Notice]]:
    """Means of all runs, in the order of *names*, with labels; *trusted* is what the user says about the sample.

    Where labels are for the judged topics only, or there is a *rate*, documents are the sample, and not topics.
    """
    given, topics = _read(collection, labels)
    if rate is not None or not _has_further(given, collection.qrels):
        return sampled_means(collection, given, measures, names, rate=rate, trusted=trusted)
    judged = _Judged.of(collection, given, topics)
    rows: list[AssistedRow] = []
    scores = [_Scores.of(collection, judged, measure, names) for measure in measures]
    assumed = judged.assumptions(scores[0], trusted=trusted)
    for measure, one in zip(measures, scores, strict=True):
        plain = classical(one.human)
        powered = prediction_powered(one.human, *one.predictions(), differences=False)
        alone, calibrated = (way.mean(axis=1) for way in (one.labels, one.calibrated))
        for r, name in enumerate(names):
            sizes = one.human.shape[1], one.labels.shape[1]
            numbers = (*_interval(plain, r), float(alone[r]), float(calibrated[r]), *_interval(powered, r))
            rows.append(AssistedRow(name, str(measure), *sizes, *numbers, powered.weight))
    return Assisted(judged.labels.name, rows=tuple(rows), assumptions=assumed), judged.notices


def assisted_differences(
    collection: BaseCollection,
    labels: Any,
    measure: Measure,
    pairs: Sequence[tuple[str, str]],
    *,
    test: str,
    correction: Correction,
    rate: float | None,
    trusted: bool,
) -> tuple[Assisted, list[Notice]]:
    """Differences of *pairs* of runs with labels; *test* is ``randomisation`` or, for all others, ``t``."""
    given, topics = _read(collection, labels)
    if rate is not None or not _has_further(given, collection.qrels):
        chosen = list(pairs)
        return sampled_differences(
            *(collection, given, measure, chosen), correction=correction, rate=rate, trusted=trusted
        )
    judged = _Judged.of(collection, given, topics)
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    scores = _Scores.of(collection, judged, measure, names)
    assumed = judged.assumptions(scores, trusted=trusted)
    place = {name: i for i, name in enumerate(names)}
    first, second = (np.array([place[pair[i]] for pair in pairs]) for i in (0, 1))
    scores = _Scores(*(one[first] - one[second] for one in scores))
    plain, powered = classical(scores.human), prediction_powered(scores.human, *scores.predictions())
    alone, calibrated = (way.mean(axis=1) for way in (scores.labels, scores.calibrated))
    p = powered.p_values
    if test == "randomisation":
        p = powered_randomisation(scores.human, *scores.predictions(), seed=collection.seed)
    corrected = correction.adjust(p)
    rows = [
        AssistedPairRow(
            *pair,
            *_interval(plain, i),
            float(alone[i]),
            float(calibrated[i]),
            *_interval(powered, i),
            float(p[i]),
            float(corrected[i]),
            powered.weight,
        )
        for i, pair in enumerate(pairs)
    ]
    said = "Fisher's randomisation test" if test == "randomisation" else "Student's t"
    words = f"p-values with labels are those of {said} on the prediction-powered estimate ({correction})."
    return Assisted(judged.labels.name, pairs=tuple(rows), assumptions=(*assumed, words)), judged.notices


def _interval(means: PoweredMeans, row: int) -> tuple[float, float, float]:
    return float(means.estimate[row]), float(means.low[row]), float(means.high[row])


def _read(collection: BaseCollection, given: Any) -> tuple[JudgeLabels, tuple[str, ...]]:
    """The labels, and the topics that they or the judgments have."""
    if collection.qrels.subtopics is not None:
        raise InputError(
            "labels give one grade for the whole topic, and these judgments are for subtopics;"
            " if they are not, say --qrels-format trec"
        )
    labels, topics = read_one_judge(given, collection.qrels)
    return labels.by_topic(), topics


def _has_further(labels: JudgeLabels, qrels: Qrels) -> bool:
    return bool((labels.topics >= len(qrels.topics)).any())


# ---- labels of topics that people judged, and of others


class _Judged(NamedTuple):
    """One judge's labels beside the judgments; topics are those of both, the judged ones first."""

    qrels: Qrels
    labels: JudgeLabels
    topics: tuple[str, ...]
    both: Ints
    """Judged topics with labels."""
    further: Ints
    """Topics with labels alone."""
    by_labels: Qrels
    notices: list[Notice]

    @classmethod
    def of(cls, collection: BaseCollection, labels: JudgeLabels, topics: tuple[str, ...]) -> _Judged:
        qrels = collection.qrels
        counts = np.bincount(labels.topics, minlength=len(topics))
        human = len(qrels.topics)
        both = np.flatnonzero((counts[:human] > 0) & (qrels.count(qrels.judged) > 0))
        further = human + np.flatnonzero(counts[human:])
        where = labels.origin.source
        if len(further) < 2:
            raise InputError(
                f"{where}: estimates with labels need labels of at least 2 topics that people did not judge,"
                f" not {len(further)}, or of judged topics only, of whose documents people judged a random sample"
            )
        if len(both) < LEAST_TOPICS:
            raise InputError(
                f"{where}: estimates with labels need at least {LEAST_TOPICS} judged topics that have labels, too,"
                f" not {len(both)}; let the judge label them"
            )
        notices = list(labels.notices)
        if len(both) < human:
            text = f"{where}: {counted(human - len(both), 'judged topic')} without labels; left out with labels"
            notices.append(Notice("topics-without-labels", human - len(both), text))
        values, turned = _on_scale(labels, qrels)
        notices += off_scale(where, labels.values, qrels.scale.grades, turned=turned)
        return cls(qrels, labels, topics, both, further, labels.as_qrels(topics, values, qrels.scale), notices)

    def assumptions(self, scores: _Scores, *, trusted: bool) -> tuple[str, ...]:
        """What intervals rest on; an error where it is clearly not so, unless the user says it is."""
        human, others = np.split(scores.labels.mean(axis=0), [scores.human.shape[1]])
        spread = human.var(ddof=1) / len(human) + others.var(ddof=1) / len(others)
        t = (human.mean() - others.mean()) / np.sqrt(spread) if spread > 0 else 0.0
        p = float(2 * special.ndtr(-abs(t)))
        total = len(human) + len(others)
        sample = f"the {len(human)} judged topics are a random sample of all {total} with labels"
        seen = f"by labels, runs score {human.mean():.3f} on them and {others.mean():.3f} on the others (p = {p:.2g})"
        if p < _NOT_RANDOM and not trusted:
            raise InputError(
                f"{self.labels.origin.source}: intervals assume that {sample}, and {seen}; if they were drawn at random"
                " all the same, say --random-sample, else compare on the judged topics alone"
            )
        how = "You say that they are" if trusted else "Looked at"
        return (
            f"Assumed: {sample}. {how}: {seen}.",
            "Labels alone and calibrated are biased; they order runs, no more.",
        )


def _on_scale(labels: JudgeLabels, qrels: Qrels) -> tuple[Floats, bool]:
    """Labels as grades, and whether they had to be brought there."""
    rows = np.flatnonzero(qrels.judged)
    values = labels.of(qrels.topic_of_row[rows], qrels.docs.take(rows))
    grades = qrels.grades[rows].astype(np.float64)
    if np.isnan(values).all():
        raise InputError(
            f"{labels.origin.source}: no label is for a document that people judged; let it label these, too"
        )
    odd = oddities(values, grades, qrels.topic_of_row[rows])
    if not is_another_scale(values, grades, odd):
        return labels.values, False
    return on_scale_of(values, grades, of=labels.values), True


# ---- scores of runs


class _Scores(NamedTuple):
    """Scores (runs, topics): by people on judged topics, and by labels on all, the judged ones first."""

    human: Floats
    labels: Floats
    """By labels as they are ..."""
    calibrated: Floats
    """... and by what they turned out to mean on other topics."""

    def predictions(self) -> tuple[Floats, Floats]:
        """Ways (ways, runs, topics) from labels to scores of judged topics, and of the others.

        Labels as they are say more where the judge means the same grades as people, or where there are too few topics
        to learn what it means; calibrated ones where it does not, or is inverted; both together where each is right on
        its own.
        """
        ways = np.stack([self.labels, (self.labels + self.calibrated) / 2, self.calibrated])
        judged = self.human.shape[1]
        return ways[:, :, :judged], ways[:, :, judged:]

    @classmethod
    def of(cls, collection: BaseCollection, judged: _Judged, measure: Measure, names: Sequence[str]) -> _Scores:
        if measure.summary != "mean" or set(measure.needs):
            raise InputError(f"{measure} is not for estimates with labels; take a mean over topics such as nDCG@10")
        drawn = _drawn_judgments(collection, judged)
        for qrels in (judged.qrels, judged.by_labels, *drawn):
            measure.prepare(qrels)
        infos, scored = collection.each_run(
            partial(_score, judged=judged, drawn=drawn, measure=measure), "scoring by labels"
        )
        place = {info.name: i for i, info in enumerate(infos)}
        missing = [name for name in names if name not in place]
        if missing:
            raise InputError(f"no run is named {missing[0]!r}")
        human, machine, calibrated = (np.stack([scored[place[name]][i] for name in names]) for i in range(3))
        topics = np.concatenate([judged.both, judged.further])
        human, machine, calibrated = human[:, judged.both], machine[:, topics], calibrated[:, topics]
        for one in (human, machine, calibrated):
            if np.isnan(one).any():
                raise InputError(f"{measure} is undefined on some topic; estimates with labels need a score for each")
        return cls(human, machine, calibrated)


def _score(run: Run, judged: _Judged, drawn: Sequence[Qrels], measure: Measure) -> tuple[Floats, Floats, Floats]:
    """One run by people, by labels, and by what labels turned out to mean."""

    def by(qrels: Qrels) -> Floats:
        return np.asarray(measure.score(join(run, qrels, depth=deepest_rank([measure]))), dtype=np.float64)

    calibrated: Floats = np.mean([by(one) for one in drawn], axis=0)
    return by(judged.qrels), by(judged.by_labels), calibrated


def _drawn_judgments(collection: BaseCollection, judged: _Judged) -> list[Qrels]:
    """Labels as the grades that they turned out to mean, many times; what they mean is learned on other topics."""
    labels, qrels, seed = judged.labels, judged.qrels, collection.seed
    inside = labels.topics < len(qrels.topics)
    rows = np.full(len(labels), -1)
    rows[inside] = qrels.pairs.find(labels.topics[inside], labels.docs.take(np.flatnonzero(inside)))
    known = (rows >= 0) & qrels.judged[rows]
    grades = np.where(known, qrels.grades[rows], 0).astype(np.float64)
    scale = np.unique(grades[known])
    pairs = labels.as_qrels(judged.topics, labels.values, qrels.scale)
    features = pair_features(collection, pairs, labels.topics, labels.values)
    folds = dealt_folds(mixed(Ids.of(judged.topics).hashes() ^ seeded(seed)), len(qrels.topics))[labels.topics]
    reached = chances_of_reaching(labels.values, features, folds, known, grades, scale[1:])
    edges = np.concatenate([np.ones((len(labels), 1)), reached, np.zeros((len(labels), 1))], axis=1)
    chances = edges[:, :-1] - edges[:, 1:]
    keys = pair_keys(judged.topics, labels.topics, labels.docs, seed)
    return [
        labels.as_qrels(judged.topics, scale[drawn_grades(chances, keys, draw)], qrels.scale) for draw in range(_DRAWS)
    ]
