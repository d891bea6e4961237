"""What ``compare`` returns: runs, pairs of runs, distributions of ranks, and where the uncertainty comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

from unjudged.data.texts import ModelSize
from unjudged.errors import InputError, Notice
from unjudged.results.assisted import Assisted
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = [
    "LEVEL",
    "REVERSED",
    "SIGNIFICANT",
    "BudgetRow",
    "Comparison",
    "PairRow",
    "RankRow",
    "RunRow",
    "SegmentPairRow",
    "SegmentRunRow",
    "Verdict",
    "is_reversed",
    "verdict_words",
]

SIGNIFICANT = 0.05
"""A corrected p-value below this is called significant."""
LEVEL = 0.95
"""How often intervals over topics, images of the corpus, repetitions or samples of judgments promise to hold."""

Verdict = Literal["certain", "likely", "undetermined"]
"""``certain``: no grades of the holes change the sign. ``likely``: one run is better in at least 95% of the worlds."""

Bounds = Literal["exact", "conservative"]


class RunRow(NamedTuple):
    """One run. ``mean`` counts holes as not relevant; ``expected`` is the mean over the worlds.

    ``low`` and ``high`` are an interval over topics, ``rank_low`` and ``rank_high`` one over worlds and topics.
    """

    run: str
    rank: int
    mean: float
    low: float | None
    high: float | None
    judged: float | None
    expected: float
    rank_low: int
    rank_high: int


class PairRow(NamedTuple):
    """Two runs; differences are run less other. ``p_greater`` is the probability over the worlds that run is better.

    ``worst`` and ``best`` are over all grades of the holes: reached by some (``exact``), or wider than needed
    (``conservative``), None where nothing is known. What is said about holes is None for measures that take no grades
    for them. ``cohens_d`` is None where it is infinite. ``p_greater_corpus`` is the share of images of the corpus on
    which run is better, None where no images were drawn. ``p_holes`` is that of a paired t test on drawn grades, whose
    variance counts too; None where no run has holes, or what is drawn shares no errors (``bootstrap``).
    """

    run: str
    other: str
    difference: float
    low: float | None
    high: float | None
    p: float
    corrected_p: float
    worst: float | None
    best: float | None
    bounds: Bounds | None
    p_greater: float | None
    verdict: Verdict | None
    cohens_d: float | None
    common_language: float
    p_greater_corpus: float | None = None
    p_holes: float | None = None
    corrected_p_holes: float | None = None


class SegmentRunRow(NamedTuple):
    """One run on the topics of one segment; see :class:`RunRow`."""

    segment: str
    topics: int
    run: str
    rank: int
    mean: float
    low: float | None
    high: float | None
    judged: float | None
    expected: float


class SegmentPairRow(NamedTuple):
    """Two runs on the topics of one segment; see :class:`PairRow`.

    P-values are corrected for all pairs on all segments together.
    """

    segment: str
    topics: int
    run: str
    other: str
    difference: float
    low: float | None
    high: float | None
    p: float
    corrected_p: float
    worst: float | None
    best: float | None
    bounds: Bounds | None
    p_greater: float | None
    verdict: Verdict | None
    p_holes: float | None
    corrected_p_holes: float | None


def is_reversed(row: PairRow | SegmentPairRow) -> bool:
    """Whether most grades of the holes turn a likely difference around."""
    return row.verdict == "likely" and row.p_greater is not None and row.difference * (row.p_greater - 0.5) < 0


REVERSED = "likely the other way round"
"""What a verdict *likely* means where most grades of the holes turn the observed difference around."""


def verdict_words(row: PairRow | SegmentPairRow) -> str | None:
    """The verdict, and whether what is likely is the order that the scores have, or the other."""
    return REVERSED if is_reversed(row) else row.verdict


class RankRow(NamedTuple):
    """The share of worlds and samples of topics in which a run has a rank; ranks that never occur are left out."""

    run: str
    rank: int
    share: float


class BudgetRow(NamedTuple):
    """Standard deviation of a run's mean score from one source alone, and from all that are known together.

    ``holes`` is None for measures that take no grades for them, ``corpus`` where no images of it were drawn.
    """

    run: str
    holes: float | None
    topics: float
    corpus: float | None
    together: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tabular):
    """A comparison of runs with one measure. Runs are listed best first; see the rows for what the columns are."""

    row_types: ClassVar = {
        "rows": RunRow,
        "pairs": PairRow,
        "ranks": RankRow,
        "budget": BudgetRow,
        "segments": SegmentRunRow,
        "segment_pairs": SegmentPairRow,
    }

    measure: str
    test: str
    correction: str
    interval_method: str
    draws: int
    images: int | None
    corpus_size: int | None
    topics: int
    baseline: str | None
    depth: int | None
    runs_rows: tuple[RunRow, ...]
    pair_rows: tuple[PairRow, ...]
    rank_rows: tuple[RankRow, ...]
    budget_rows: tuple[BudgetRow, ...]
    segment_rows: tuple[SegmentRunRow, ...] = ()
    segment_pair_rows: tuple[SegmentPairRow, ...] = ()
    prior: str = "pool+run"
    """Where the grades of holes are drawn from."""
    subtopic_models: tuple[ModelSize, ...] = ()
    """What the subtopics' language models rest on, where the measure looks at texts."""
    assisted: Assisted | None = None
    """Estimates with labels, where these were given."""
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def rows(self) -> tuple[RunRow, ...]:
        """One row per run."""
        return self.runs_rows

    def pairs(self) -> tuple[PairRow, ...]:
        """One row per pair of runs, or per run and baseline."""
        return self.pair_rows

    def ranks(self) -> tuple[RankRow, ...]:
        """One row per run and rank that it can have."""
        return self.rank_rows

    def budget(self) -> tuple[BudgetRow, ...]:
        """One row per run: how uncertain its mean is, and why."""
        return self.budget_rows

    def segments(self) -> tuple[SegmentRunRow, ...]:
        """One row per segment of the topics and run; none where no segments were given."""
        return self.segment_rows

    def segment_pairs(self) -> tuple[SegmentPairRow, ...]:
        """One row per segment and pair."""
        return self.segment_pair_rows

    def pair(self, run: str, other: str) -> PairRow:
        """The row of two runs, in the order in which the comparison has them."""
        for row in self.pair_rows:
            if {row.run, row.other} == {run, other}:
                return row
        raise InputError(f"no pair of {run!r} and {other!r} in this comparison")

    def count(self, verdict: Verdict) -> int:
        """Number of pairs with this verdict."""
        return sum(row.verdict == verdict for row in self.pair_rows)

    def summary(self) -> str:
        """The verdicts in words."""
        number, certain, likely = len(self.pair_rows), self.count("certain"), self.count("likely")
        open_ = self.count("undetermined")
        if not certain + likely + open_:
            return f"No verdicts: {self.measure} takes no grades for unjudged documents."
        turned = sum(map(is_reversed, self.pair_rows))
        text = (
            f"{certain:,} of {number:,} pairs {'is' if certain == 1 else 'are'} certain,"
            f" {likely:,} likely, {open_:,} undetermined: "
        )
        if certain == number:
            return text + "no grades of the holes can change the order."
        ends = [f"judging the holes could change {'it' if open_ == 1 else 'them'}"] if open_ else []
        if turned:
            ends.append(
                f"{turned} of the likely pairs probably {'stands' if turned == 1 else 'stand'} in the wrong order"
            )
        return text + (", and ".join(ends) if ends else "judging the holes is unlikely to change the order") + "."

    def significance_with_holes(self) -> str | None:
        """What becomes of significant differences when the holes count, too, in words; None where nothing is known."""
        rows = [row for row in self.pair_rows if row.corrected_p_holes is not None]
        if not rows:
            return None
        plain = [row for row in rows if row.corrected_p < SIGNIFICANT]
        stay = sum(row.corrected_p_holes < SIGNIFICANT for row in plain if row.corrected_p_holes is not None)
        new = sum((row.corrected_p_holes or 0.0) < SIGNIFICANT for row in rows) - stay
        if not plain and not new:
            return "p, holes is about both"
        return (
            f"p, holes is about both: {stay:,} of {len(plain):,} significant differences"
            f" {'stays' if stay == 1 else 'stay'} so, and {new:,} more {'is' if new == 1 else 'are'}"
        )

    def to_json(self) -> str:
        """The JSON document described in the docs, with all tables, those of segments where there are any."""
        settings = (
            *("measure", "test", "correction", "interval_method", "draws", "prior"),
            *("images", "corpus_size", "topics", "baseline"),
        )
        sizes = {"subtopic_models": [size._asdict() for size in self.subtopic_models]} if self.subtopic_models else {}
        assisted = {} if self.assisted is None else self.assisted.document()
        unasked = () if self.segment_rows else ("segments", "segment_pairs")
        tables = self.tables_as_dicts(without=unasked)
        content = {"comparison": {name: getattr(self, name) for name in settings}, **tables, **sizes}
        content |= assisted
        return self.provenance.document(content, self.warnings)

    def __repr__(self) -> str:
        what = f"{counted(len(self.runs_rows), 'run')} over {counted(self.topics, 'topic')} with {self.measure}"
        return visible(f"Comparison of {what}: {self.summary()}")
