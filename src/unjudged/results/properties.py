"""What ``properties`` returns: how precisely measures measure, as images of the corpus show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from unjudged.arrays import Floats
from unjudged.errors import InputError, Notice
from unjudged.registry import name_among
from unjudged.results.properties_rows import (
    IntervalsAgainstTest,
    MeasurePrecision,
    PairOnImages,
    PredictionRow,
    RunOnImages,
    ScoreOnImages,
    ShallowDepth,
    ShallowImage,
    ShallowPair,
    TopicPrecision,
)
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular, number_or_none
from unjudged.wording import counted, visible

__all__ = ["ImageQuantiles", "Properties", "PropertyTable", "ShallowOnImages"]


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
