"""What ``score`` returns: one value per run, topic, measure and hole model, with its bounds and the share judged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from unjudged.arrays import Flags, Floats
from unjudged.errors import InputError, Notice, some_of
from unjudged.limits import RangeOfMeans
from unjudged.notebook_repr import NotebookRepr
from unjudged.registry import name_among
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import number_or_none, to_frame
from unjudged.wording import counted, visible

if TYPE_CHECKING:
    from unjudged.data.texts import ModelSize
    from unjudged.results.assisted import Assisted
    from unjudged.results.distributions import Distribution

__all__ = [
    "ALL_TOPICS",
    "HoleRow",
    "ScoreRow",
    "ScoreRows",
    "Scores",
    "SegmentRow",
    "UnjudgedRow",
    "is_outside",
    "mean_known",
    "pick",
]

ALL_TOPICS = "all"
"""The topic of a row that summarises all topics, as in trec_eval's output."""

_EPSILON = 1e-9
_SHOWN = 20
"""Rows that ``repr`` shows."""


class ScoreRow(NamedTuple):
    """One number and where it comes from. What a method does not give is None.

    ``judged`` and ``labelled`` are shares of the documents that the measure looks at: judged, and graded by a label of
    another judge. ``rests_on_labels`` is the share of the value that would be lost if the latter had grade 0.
    """

    run: str
    topic: str
    measure: str
    holes: str
    value: float | None
    low: float | None
    high: float | None
    judged: float | None
    labelled: float | None
    rests_on_labels: float | None
    range: RangeOfMeans | None = None
    """What ``low`` and ``high`` are; of single topics, they are never what chance alone would do."""


class SegmentRow(NamedTuple):
    """A run's mean over the topics of one segment, with a 95% interval over topics (Student's t)."""

    segment: str
    run: str
    measure: str
    holes: str
    topics: int
    value: float | None
    low: float | None
    high: float | None
    judged: float | None


class ScoreRows(Sequence[ScoreRow], NotebookRepr):
    """Rows of scores. ``rows["bm25", "nDCG@10"]`` looks one up; add a topic or a hole model where needed.

    Measures and hole models are found under every name that they can be asked for by, such as ``ndcg_cut_10``.
    """

    def __init__(self, rows: Sequence[ScoreRow]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ScoreRow]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return self._rows == other._rows if isinstance(other, ScoreRows) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._rows)

    @overload
    def __getitem__(self, key: int) -> ScoreRow: ...
    @overload
    def __getitem__(self, key: slice) -> ScoreRows: ...
    @overload
    def __getitem__(self, key: tuple[str, ...]) -> float: ...
    def __getitem__(self, key: int | slice | tuple[str, ...]) -> ScoreRow | ScoreRows | float:
        if isinstance(key, int):
            return self._rows[key]
        if isinstance(key, slice):
            return ScoreRows(self._rows[key])
        names = {name for row in self._rows for name in row[:4]}
        wanted = {name_among(names, part) for part in key}
        hits = [row for row in self._rows if wanted <= {row.run, row.topic, row.measure, row.holes}]
        if len(hits) != 1:
            there = some_of(list(dict.fromkeys(row.measure for row in self._rows)), 3)
            raise KeyError(
                f"{key}: {len(hits)} rows match; name the run, the measure (there is {there}) and, if needed, topic and"
                " holes"
            )
        value = hits[0].value
        return math.nan if value is None else value

    def __repr__(self) -> str:
        # The columns about labels are only worth their width where there are labels.
        columns = len(ScoreRow._fields) - (3 if all(row.labelled is None for row in self._rows) else 1)
        shown = [list(ScoreRow._fields[:columns])]
        for row in self._rows[:_SHOWN]:
            numbers = ["-" if number is None else f"{number:.4f}" for number in row[4:columns]]
            shown.append([*map(visible, row[:4]), *numbers])
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        lines = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in shown]
        more = [f"... and {counted(len(self) - _SHOWN, 'row')} more"] if len(self) > _SHOWN else []
        return "\n".join([*lines, *more])

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name."""
        return {name: [row[i] for row in self._rows] for i, name in enumerate(ScoreRow._fields)}

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame (pandas, polars or pyarrow: the one named, or the first installed)."""
        return to_frame(self.to_dict(), backend)

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        return self.to_frame("pandas")


@dataclass(frozen=True, eq=False, repr=False)
class Scores(NotebookRepr):
    """Scores of all runs, topics, measures and hole models: arrays of shape (holes, measures, runs, topics).

    A value is NaN where the measure is undefined for a topic; the summary leaves such topics out and
    ``warnings`` counts them. ``means`` are the summaries over topics, shape (holes, measures, runs). ``low`` and
    ``high`` are NaN where a hole model gives none. ``labelled``, ``rests_on_labels`` and ``mean_rests_on_labels`` are
    NaN where a hole model uses no other judge's labels, the last two also where the score is 0.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    holes: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    judged: Floats
    means: Floats
    mean_low: Floats
    mean_high: Floats
    labelled: Floats
    rests_on_labels: Floats
    mean_rests_on_labels: Floats
    counts: tuple[bool, ...]
    """Whether each measure is a count, shown without decimals."""
    depths: tuple[int | None, ...]
    """How many ranks each measure reads (None for all), the ranks over which the share judged is taken."""
    distributions: Mapping[tuple[int, int, int], tuple[Distribution, ...]] = field(default_factory=dict)
    """Distributions over topics, by position of the hole model, measure and run."""
    ranges: tuple[RangeOfMeans, ...] = ()
    """What each hole model says a mean lies between, where it says so."""
    subtopic_models: tuple[ModelSize, ...] = ()
    """What the subtopics' language models rest on, where a measure looks at texts."""
    explained: tuple[HoleRow, ...] = ()
    """Holes of the runs and topics that were to be explained."""
    assisted: Assisted | None = None
    """Estimates with labels, where these were given."""
    asked: Flags | None = None
    """Which hole models were asked about which measures (holes, measures); all where it is None."""
    chosen: bool = False
    """Whether ``holes="auto"`` chose bounds and an estimate."""
    segments: tuple[SegmentRow, ...] = ()
    """Means over segments of the topics, where these were given."""
    unjudged: tuple[UnjudgedRow, ...] = ()
    """The unjudged documents that weigh most in each measure, where these were asked for."""
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def is_asked(self, h: int, m: int) -> bool:
        """Whether a hole model was asked about a measure; else there are no numbers."""
        return self.asked is None or bool(self.asked[h, m])

    def __repr__(self) -> str:
        return f"Scores of {counted(len(self.runs), 'run')} over {counted(len(self.topics), 'topic')}\n{self.mean()!r}"

    def mean(self) -> ScoreRows:
        """One row per run, measure and hole model: the summary over all judged topics."""
        shares = mean_known(self.judged), mean_known(self.labelled)
        numbers = (self.means, self.mean_low, self.mean_high, *shares, self.mean_rests_on_labels)
        return self._rows([ALL_TOPICS], [array[..., None] for array in numbers])

    def per_topic(self) -> ScoreRows:
        """One row per run, measure, hole model and topic."""
        numbers = (self.values, self.low, self.high, self.judged, self.labelled, self.rests_on_labels)
        return self._rows(self.topics, numbers)

    def _rows(self, topics: Sequence[str], numbers: Sequence[Floats]) -> ScoreRows:
        """Rows for these topics; *numbers* are the columns of a row from its value on."""
        return ScoreRows(
            [
                self._row((run, topic, measure, hole), self.ranges[h], [array[h, m, r, t] for array in numbers])
                for h, hole in enumerate(self.holes)
                for m, measure in enumerate(self.measures)
                if self.is_asked(h, m)
                for r, run in enumerate(self.runs)
                for t, topic in enumerate(topics)
            ]
        )

    @staticmethod
    def _row(names: tuple[str, str, str, str], kind: RangeOfMeans, numbers: Sequence[float]) -> ScoreRow:
        """One row; a topic's range is an interval where that of means is what chance alone would do."""
        cells = [number_or_none(number) for number in numbers]
        of_topic: RangeOfMeans = "bounds" if kind == "bounds" else "interval"
        here = kind if names[1] == ALL_TOPICS else of_topic
        return ScoreRow._make([*names, *cells, None if cells[1] is None else here])

    def distribution(
        self, run: str, topic: str, *, measure: str | None = None, holes: str | None = None
    ) -> Distribution:
        """Possible scores of a run on a topic, under a hole model that has a distribution.

        *measure* and *holes* may be left out where only one of those that were scored comes into question.
        """
        with_any = sorted({h for h, _, _ in self.distributions})
        if not with_any:
            raise InputError("none of the hole models has a distribution; use holes='bootstrap'")
        h = pick([self.holes[i] for i in with_any], holes, "hole model")
        m = pick(self.measures, measure, "measure")
        position = with_any[h], m, pick(self.runs, run, "run")
        if position not in self.distributions:
            raise InputError(f"{self.measures[m]} has no distribution: holes make no difference to it")
        return self.distributions[position][pick(self.topics, topic, "topic")]

    def to_frame(self, backend: str | None = None, *, per_topic: bool = False) -> Any:
        """The rows as a data frame."""
        return (self.per_topic() if per_topic else self.mean()).to_frame(backend)

    def to_pandas(self, *, per_topic: bool = False) -> Any:
        """The rows as a pandas data frame."""
        return self.to_frame("pandas", per_topic=per_topic)

    def shares_judged(self) -> list[tuple[str, str, float | None]]:
        """The share of the documents of each run that was judged, of those that each measure looks at."""
        shares = mean_known(self.judged[0])
        return [
            (run, measure, number_or_none(shares[m, r]))
            for r, run in enumerate(self.runs)
            for m, measure in enumerate(self.measures)
        ]

    def to_json(self, *, per_topic: bool = False) -> str:
        """The JSON document described in the docs, with tables ``rows`` and, where there are any, more."""
        rows = [*self.mean(), *(self.per_topic() if per_topic else ())]
        sizes = {"subtopic_models": [size._asdict() for size in self.subtopic_models]} if self.subtopic_models else {}
        explained = {"explained": [row._asdict() for row in self.explained]} if self.explained else {}
        assisted = {} if self.assisted is None else self.assisted.document()
        beside: dict[str, Any] = {"segments": self.segments, "unjudged_documents": self.unjudged}
        more = {name: [row._asdict() for row in table] for name, table in beside.items() if table}
        content = {"rows": [row._asdict() for row in rows], **more, **sizes, **explained, **assisted}
        return self.provenance.document(content, self.warnings)


def pick(names: Sequence[str], wanted: str | None, kind: str) -> int:
    """Position of a name; of the only one where none is wanted in particular."""
    if wanted is None and len(names) == 1:
        return 0
    name = None if wanted is None else name_among(names, wanted)
    if name is None or name not in names:
        shown = some_of(names)
        raise InputError(
            f"name one {kind} of: {shown}" if wanted is None else f"no {kind} {wanted!r}; there is {shown}"
        )
    return names.index(name)


def is_outside(value: float, low: float, high: float) -> bool:
    """Whether a value is known not to be in its own range: another point of a distribution can be there."""
    return value < low - _EPSILON or value > high + _EPSILON


def mean_known(values: Floats) -> Floats:
    """Means over the last axis that leave NaN out; NaN where nothing is known."""
    defined = ~np.isnan(values)
    counts = defined.sum(axis=-1)
    totals = np.where(defined, values, 0.0).sum(axis=-1)
    means: Floats = np.divide(totals, counts, out=np.full(np.shape(counts), np.nan), where=counts > 0)
    return means


class UnjudgedRow(NamedTuple):
    """An unjudged document of several runs, by its weight in a measure.

    ``weight`` is the part of what the measure looks at that it is, by the weights of ranks, on average over runs and
    topics; ``left`` the part that is unjudged once it and those before it are judged. ``ranks`` are the runs that have
    it within the cut-off, and where, the best first.
    """

    measure: str
    place: int
    topic: str
    doc: str
    weight: float
    left: float
    runs: int
    ranks: tuple[tuple[str, int], ...]


class HoleRow(NamedTuple):
    """An unjudged document of a run.

    ``groups`` other groups return it, the best of them at ``best_rank``. ``run_mean`` is the mean grade of the run's
    documents on the topic that others brought too, ``pool_mean`` that of the topic's judged documents, both pulled to
    the average. They are of the run that has the document at the best rank, and so are other groups. All are None where
    there is no evidence. ``share`` is the share of the score that is lost with grade 0, None where the score is 0.
    """

    run: str
    topic: str
    measure: str
    holes: str
    rank: int
    doc: str
    groups: int | None
    best_rank: int | None
    run_mean: float | None
    pool_mean: float | None
    grades: tuple[int, ...]
    """Those that it can have, from 0 on."""
    chances: tuple[float, ...]
    """Of each of these grades."""
    expected: float
    """The grade that it has on average."""
    share: float | None
