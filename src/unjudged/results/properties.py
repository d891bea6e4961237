"""What ``properties`` returns: how precisely measures measure, as images of the corpus show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from unjudged.arrays import Floats
from unjudged.errors import InputError, Notice
from unjudged.registry import name_among
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular, number_or_none
from unjudged.wording import counted, visible

__all__ = [
    "ImageQuantiles",
    "IntervalsAgainstTest",
    "MeasurePrecision",
    "PairOnImages",
    "PredictionRow",
    "Properties",
    "PropertyTable",
    "RunOnImages",
    "ScoreOnImages",
    "ShallowDepth",
    "ShallowImage",
    "ShallowOnImages",
    "ShallowPair",
    "TopicPrecision",
]


class MeasurePrecision(NamedTuple):
    """One measure. An ``sd`` is a standard deviation over images, and a ``spread`` how unequal such deviations are.

    ``difference`` is the mean size of the difference of two runs on a topic, on the corpus itself, ``difference_sd``
    the mean deviation of these, and ``score_sd`` that of a run's score on a topic. What starts with ``mean`` is about
    means over topics, on average over runs: their deviation, the width of the 95% of images in the middle, and by how
    much their mean over images is above the score on the corpus itself. The last two are about ranks: how far the
    quartiles of a run's are apart, and its best and worst one.
    """

    measure: str
    difference: float | None
    difference_sd: float | None
    difference_spread: float | None
    score_sd: float | None
    score_spread: float | None
    mean_sd: float | None
    mean_width: float | None
    mean_shift: float | None
    quartiles_apart: float
    ranks_apart: float


class PredictionRow(NamedTuple):
    """Whether an image is inside of the interval that all others give, for the difference of two runs on a topic.

    ``interval`` is ``t`` or ``percentile``. Shares are averages over the images; ``lowest`` and ``highest`` are the
    shares inside of the image that was predicted worst and best.
    """

    measure: str
    interval: str
    below: float | None
    inside: float | None
    above: float | None
    lowest: float | None
    highest: float | None


class IntervalsAgainstTest(NamedTuple):
    """How many ``pairs`` of runs a rule about intervals takes for different (``apart``), how many a test, and ``both``.

    ``corrected`` and ``both_corrected`` count with the corrected p-value. The rules are ``outside`` (each mean is
    outside of the other's interval), ``disjoint`` (the intervals have nothing in common), ``difference`` (the interval
    of the difference does not hold 0) and ``scaled`` (outside of intervals ``factor`` times as wide, the least with
    which 95% of the pairs apart are significant).
    """

    measure: str
    rule: str
    factor: float | None
    pairs: int
    apart: int
    significant: int
    both: int
    corrected: int
    both_corrected: int


class RunOnImages(NamedTuple):
    """One run with one measure: its ``mean`` over topics on the corpus itself, and what becomes of it on images.

    ``low`` and ``high`` hold 95% of the means on images, ``score_sd`` is the mean deviation of its scores on a topic.
    ``rank`` is that on the corpus itself, the others are the best, the quartiles and the worst over images.
    """

    measure: str
    run: str
    mean: float | None
    images_mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    score_sd: float | None
    score_spread: float | None
    rank: int
    best: int
    lower: float
    median: float
    upper: float
    worst: int


class TopicPrecision(NamedTuple):
    """One topic with one measure, and its number of relevant documents.

    ``score_sd`` is the mean over runs of the deviation of a score, ``score_sd_high`` the 95th percentile over runs,
    ``difference_sd`` the mean over pairs of runs.
    """

    measure: str
    topic: str
    relevant: int
    score_sd: float | None
    score_sd_high: float | None
    difference_sd: float | None


class PairOnImages(NamedTuple):
    """Two runs with one measure; differences are run less other.

    ``sd``, ``low``, ``high`` and ``p_greater`` are over images, ``p`` and ``corrected_p`` of a paired test over topics.
    ``gap`` is how far the two means are apart in units of the half of an interval, the longer one: above 1, each is
    outside of the other's interval. It is None where it is infinite.
    """

    measure: str
    run: str
    other: str
    difference: float
    sd: float | None
    low: float | None
    high: float | None
    p_greater: float | None
    gap: float | None
    disjoint: bool
    p: float
    corrected_p: float


class ScoreOnImages(NamedTuple):
    """A run on a topic with one measure: its score, and mean, deviation and quantiles (2.5% to 97.5%) over images."""

    measure: str
    run: str
    topic: str
    score: float | None
    mean: float | None
    sd: float | None
    low: float | None
    lower: float | None
    median: float | None
    upper: float | None
    high: float | None


class ShallowDepth(NamedTuple):
    """What a pool of so many documents of two runs alone does, compared with all judgments: in how many of the pairs.

    ``larger``: a larger difference (mean size over images); ``wider``: differences that spread wider over topics;
    ``smaller_p``: a smaller p-value (median over images). The last two count pairs that are significant, by that
    median, only with the pool or only with all judgments.
    """

    measure: str
    depth: int
    pairs: int
    larger: int
    wider: int
    smaller_p: int
    only_shallow: int
    only_all: int


class ShallowPair(NamedTuple):
    """Two runs of which only the first ``depth`` documents are judged; None: with all judgments.

    ``difference`` and ``p`` are on the corpus itself. ``images_mean`` and ``images_sd`` are those of the difference
    over images, ``p_median``, ``p_low`` and ``p_high`` are over images, too (the latter hold 95%). ``spread`` is the
    standard deviation over topics of the difference, on average over images; the rest are quantiles (2.5% to 97.5%) of
    the difference on single topics of all images.
    """

    measure: str
    run: str
    other: str
    depth: int | None
    difference: float | None
    p: float | None
    images_mean: float | None
    images_sd: float | None
    p_median: float | None
    p_low: float | None
    p_high: float | None
    spread: float | None
    low: float | None
    lower: float | None
    median: float | None
    upper: float | None
    high: float | None


class ShallowImage(NamedTuple):
    """One image: the difference of two runs, and its p-value; see :class:`ShallowPair`."""

    measure: str
    run: str
    other: str
    depth: int | None
    image: int
    difference: float | None
    p: float | None


@dataclass(frozen=True, eq=False)
class ImageQuantiles:
    """Every run on every topic, over images: (measures, runs, topics); quantiles have the first axis more."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Floats
    mean: Floats
    sd: Floats
    quantiles: Floats


@dataclass(frozen=True, eq=False)
class ShallowOnImages:
    """Mean differences and p-values by pair of runs, measure, depth of the pool and image."""

    pairs: tuple[tuple[str, str], ...] = ()
    depths: tuple[int | None, ...] = ()
    differences: Floats = field(default_factory=lambda: np.zeros((0, 0, 0, 0)))
    p: Floats = field(default_factory=lambda: np.zeros((0, 0, 0, 0)))


PropertyTable = Literal["precision", "prediction", "tests", "runs", "topics", "pairs", "shallow", "shallow_pairs"]
"""Tables that are made at once; the others have a row for everything, and are made when asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class Properties(Tabular):
    """How precisely measures measure on a collection; see the rows for what the columns are.

    Runs are listed in the order of ``by``, best first, on the corpus itself.
    """

    row_types: ClassVar = {
        "precision": MeasurePrecision,
        "prediction": PredictionRow,
        "tests": IntervalsAgainstTest,
        "runs": RunOnImages,
        "topics": TopicPrecision,
        "pairs": PairOnImages,
        "scores": ScoreOnImages,
        "shallow": ShallowDepth,
        "shallow_pairs": ShallowPair,
        "shallow_images": ShallowImage,
    }
    main_table: ClassVar = "precision"

    measures: tuple[str, ...]
    corpus_size: int
    images: int
    by: str
    top: int | None
    test: str
    correction: str
    on_topics: ImageQuantiles
    shallow_pools: ShallowOnImages
    tables: dict[PropertyTable, tuple[Any, ...]]
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def precision(self) -> tuple[MeasurePrecision, ...]:
        """One row per measure."""
        return self.tables["precision"]

    def prediction(self) -> tuple[PredictionRow, ...]:
        """One row per measure and kind of interval."""
        return self.tables["prediction"]

    def tests(self) -> tuple[IntervalsAgainstTest, ...]:
        """One row per measure and rule about intervals."""
        return self.tables["tests"]

    def runs(self) -> tuple[RunOnImages, ...]:
        """One row per measure and run."""
        return self.tables["runs"]

    def topics(self) -> tuple[TopicPrecision, ...]:
        """One row per measure and topic."""
        return self.tables["topics"]

    def pairs(self) -> tuple[PairOnImages, ...]:
        """One row per measure and pair of runs."""
        return self.tables["pairs"]

    def scores(self) -> tuple[ScoreOnImages, ...]:
        """One row per measure, run and topic."""
        return tuple(self._scores())

    def shallow(self) -> tuple[ShallowDepth, ...]:
        """One row per measure and depth of a pool."""
        return self.tables["shallow"]

    def shallow_pairs(self) -> tuple[ShallowPair, ...]:
        """One row per measure, pair of runs and depth of the pool; the last depth has all judgments."""
        return self.tables["shallow_pairs"]

    def shallow_images(self) -> tuple[ShallowImage, ...]:
        """One row per measure, pair of runs, depth of the pool and image."""
        return tuple(self._shallow_images())

    def measure(self, name: str) -> MeasurePrecision:
        """The row of one measure."""
        name = name_among(self.measures, name)
        for row in self.precision():
            if row.measure == name:
                return row
        raise InputError(f"no row for {name}; there is {', '.join(self.measures)}")

    def run(self, name: str, measure: str) -> RunOnImages:
        """The row of one run."""
        measure = name_among(self.measures, measure)
        for row in self.runs():
            if (row.run, row.measure) == (name, measure):
                return row
        raise InputError(f"no row for {name} with {measure}")

    def table(self, name: str) -> Sequence[Any]:
        """The rows of one table."""
        large = {"scores": self.scores, "shallow_images": self.shallow_images}
        return large[name]() if name in large else super().table(name)

    def tables_by_name(self) -> dict[str, Sequence[Any]]:
        """The rows of all tables but the large ones."""
        return {str(name): rows for name, rows in self.tables.items()}

    def summary(self) -> str:
        """The answer in words."""
        differences = _range([(row.difference_sd, row.measure) for row in self.precision()])
        means = _range([(row.mean_sd, row.measure) for row in self.precision()])
        topics = counted(len(self.on_topics.topics), "topic")
        text = (
            f"On other corpora from the same source, the difference of two runs on a topic moves by {differences} (one"
            f" standard deviation), a run's mean over {topics} by {means}."
        )
        outside = [row for row in self.tests() if row.rule == "outside"]
        agree = _range([(row.both / row.apart if row.apart else None, row.measure) for row in outside], "{:.0%}")
        of = "Of the pairs whose means are outside of each other's 95% interval"
        return f"{text} {of}, {agree} are significant ({self.test})."

    def to_json(self, *, per_topic: bool = False) -> str:
        """The JSON document described in the docs; with *per_topic* also the tables with a row for everything."""
        settings = {
            "measures": list(self.measures),
            "corpus_size": self.corpus_size,
            "images": self.images,
            "by": self.by,
            "top": self.top,
            "test": self.test,
            "correction": self.correction,
            "topics": len(self.on_topics.topics),
        }
        tables = self.tables_as_dicts(without=() if per_topic else ("scores", "shallow_images"))
        return self.provenance.document({"properties": settings, **tables}, self.warnings)

    def __repr__(self) -> str:
        runs = counted(len(self.on_topics.runs), "run")
        what = f"{counted(len(self.measures), 'measure')} on {counted(self.images, 'image')} of the corpus, {runs}"
        return visible(f"Properties of {what}: {self.summary()}")

    def _scores(self) -> Iterator[ScoreOnImages]:
        every = self.on_topics
        for m, measure in enumerate(self.measures):
            for r, run in enumerate(every.runs):
                numbers = np.vstack(
                    [every.scores[m, r], every.mean[m, r], every.sd[m, r], every.quantiles[:, m, r]]
                ).T.tolist()
                for topic, row in zip(every.topics, numbers, strict=True):
                    yield ScoreOnImages(measure, run, topic, *map(number_or_none, row))

    def _shallow_images(self) -> Iterator[ShallowImage]:
        pools = self.shallow_pools
        for m, measure in enumerate(self.measures if pools.pairs else ()):
            for i, pair in enumerate(pools.pairs):
                for d, depth in enumerate(pools.depths):
                    both = zip(pools.differences[i, m, d].tolist(), pools.p[i, m, d].tolist(), strict=True)
                    for image, numbers in enumerate(both):
                        yield ShallowImage(measure, *pair, depth, image, *map(number_or_none, numbers))


def _range(values: Sequence[tuple[float | None, str]], form: str = "{:.3f}") -> str:
    """Numbers of measures in words: the lowest and the highest with their measures."""
    known = sorted((value, name) for value, name in values if value is not None)
    if not known:
        return "nothing that is known"
    (low, first), (high, last) = known[0], known[-1]
    ends = form.format(low), form.format(high)
    if len(known) > 1 and ends[0] == ends[1]:
        return ends[0]
    return f"{ends[0]} ({first})" + ("" if len(known) == 1 else f" to {ends[1]} ({last})")
