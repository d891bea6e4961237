"""Do intervals over images of the corpus say of two runs what a t test over topics says?

    python experiments/corpus_intervals.py            # writes experiments/results/corpus-intervals.md

The question that "Corpus bootstrapping for assessment of the properties of effectiveness measures" (Zobel and Rashidi,
CIKM 2020) leaves open, put to three collections with ``unjudged properties``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from collections_at_hand import SHARED, markdown_table, need
from corpus_properties import CORPUS_SIZE, RBP, SEED, SIX
from pages import save_page

import unjudged as uj
from unjudged.results.properties import Properties
from unjudged.results.properties_rows import IntervalsAgainstTest

IMAGES = 1000


class Case(NamedTuple):
    """A collection, as ``unjudged properties`` takes it."""

    name: str
    qrels: Path
    runs: Path
    measures: Sequence[str]
    corpus_size: int
    more: dict[str, Any]


def cases() -> list[Case]:
    trec8, dl19, covid = (need(SHARED / name) for name in ("trec8", "dl19", "trec-covid-round1"))
    graded = ["AP(rel=2)", "nDCG@10", "P(rel=2)@10", "RBP(p=0.95,rel=2)", "RR(rel=2)"]
    shallow = ["AP@100", "nDCG@10", "P@10", "RBP(p=0.95,rel=1)@100", "RR"]
    by_rbp = {"top": 50, "by": RBP}
    return [
        Case("TREC-8", trec8 / "trec8.qrels", trec8 / "runs", SIX, CORPUS_SIZE, by_rbp),
        Case("TREC-8, all 129 runs", trec8 / "trec8.qrels", trec8 / "runs", SIX, CORPUS_SIZE, {}),
        Case("DL19", dl19 / "2019qrels-pass.txt", dl19 / "runs", graded, 8_841_823, {}),
        Case(
            "TREC-COVID, round 1",
            covid / "qrels.covid-round1.txt.gz",
            covid / "runs",
            shallow,
            51_078,
            {"top": 50, "by": shallow[3]},
        ),
    ]


def ask(case: Case, **more: Any) -> Properties:
    corpus = uj.CorpusBootstrap(images=IMAGES, corpus_size=case.corpus_size)
    return uj.properties(case.qrels, case.runs, case.measures, corpus=corpus, seed=SEED, **case.more, **more)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def rules(result: Properties, measure: str) -> dict[str, IntervalsAgainstTest]:
    return {row.rule: row for row in result.tests() if row.measure == measure}


def by_measure(results: dict[str, Properties]) -> str:
    rows = []
    for name, result in results.items():
        for measure in result.measures:
            of = rules(result, measure)
            outside, disjoint, difference, wide = (of[one] for one in ("outside", "disjoint", "difference", "scaled"))
            inside = outside.pairs - outside.apart
            rows.append(
                [
                    name,
                    measure,
                    f"{outside.significant:,} of {outside.pairs:,}",
                    f"{share(outside.both, outside.apart)} of {outside.apart}",
                    f"{share(outside.significant - outside.both, inside)} of {inside}",
                    f"{share(disjoint.both, disjoint.apart)} of {disjoint.apart}",
                    f"{share(difference.both, difference.apart)} of {difference.apart}",
                    f"{wide.factor:.2f}",
                    share(wide.both, wide.significant),
                    f"{share(outside.both_corrected, outside.apart)}",
                    f"{share(disjoint.both_corrected, disjoint.apart)}",
                ]
            )
    header = ["collection", "measure", "significant", "outside", "not outside", "disjoint", "A - B", "factor", "finds"]
    return markdown_table([*header, "outside, Holm", "disjoint, Holm"], rows, left=2)


def by_topics(case: Case) -> str:
    """The same with fewer topics: shares over all parts of the topics together."""
    whole = ask(case)
    topics = list(whole.on_topics.topics)
    rows = []
    for parts in (1, 2, 5):
        size = len(topics) // parts
        results = (
            [whole] if parts == 1 else [ask(case, only_topics=topics[i * size : (i + 1) * size]) for i in range(parts)]
        )
        for measure in case.measures:
            of = [rules(one, measure) for one in results]
            both = {rule: sum(one[rule].both for one in of) for rule in ("outside", "disjoint")}
            apart = {rule: sum(one[rule].apart for one in of) for rule in ("outside", "disjoint")}
            width = np.mean([one.measure(measure).mean_width for one in results])
            factor = np.mean([one["scaled"].factor for one in of])
            shares = [share(both[rule], apart[rule]) for rule in ("outside", "disjoint")]
            rows.append([str(size), measure, *shares, f"{factor:.2f}", f"{width:.3f}"])
    rows.sort(key=lambda row: case.measures.index(row[1]))
    header = ["topics", "measure", "outside", "disjoint", "factor", "width of an interval"]
    return markdown_table(header, rows, left=2)


def main() -> None:
    every = cases()
    results = {case.name: ask(case) for case in every}
    text = PAGE.format(
        table=by_measure(results),
        topics=by_topics(every[0]),
    )
    save_page("corpus-intervals", text, seeds=f"seed {SEED}")


PAGE = """# Do intervals over images say what t tests say?

"Corpus bootstrapping for assessment of the properties of effectiveness measures" (Zobel and Rashidi, CIKM 2020) ends
with an observation: "pairs of systems whose scores lie outside each other's confidence bounds are consistently found
to be significantly different by a t-test". If that were robust, readers of a paper that prints scores with such bounds
could tell which differences are significant, without the runs. The numbers are those of `unjudged properties` (table
`tests`, 1,000 images; the top 50 runs by RBP of TREC-8 and of TREC-COVID's round 1, all 129 of TREC-8, all 37 of DL19).

**It is not robust, but its reverse nearly is.** Of the pairs whose means lie outside of each other's 95% interval, a
third to nine tenths are significant (p < .05, not corrected), with Holm's correction 0 to 60%. Of the pairs whose means
do *not*, less than 1% are significant on TREC-8 and TREC-COVID, and 1 to 14% on DL19, where most pairs are significant.
So: scores within each other's bounds are, with few exceptions, not significantly different. For all others, test.

{table}

*significant*: pairs by the t test. *outside*, *not outside*, *disjoint* (the intervals have nothing in common) and
*A - B* (the interval of the difference, image by image, does not hold 0): how many of such pairs are significant, and
how many such pairs there are. *factor*: how many times as wide intervals have to be so that 95% of the pairs outside
are significant, and which share of all significant pairs that *finds*. *Holm*: shares that are significant after the
correction.

* **Intervals over images leave out the luck of the topics**, which a t test is about. How much wider the latter is
  differs between measures and collections (*factor* is 1.1 to 3.5), so no single rule about bounds fits all.
* **The measure decides.** With P@10, whose intervals are wide, nearly all pairs with disjoint intervals are significant
  on TREC-8 and DL19; with nDCG@1000, whose intervals are the narrowest, two of three.
* **Disjoint intervals are the better sign**: 83% or more of such pairs are significant, but for nDCG@1000 on TREC-8 and
  RR on TREC-COVID (64 and 65%).
* **The interval of the difference, image by image, is hardly a better sign**, though it takes the runs: of the pairs
  whose interval does not hold 0, 45 to 91% are significant. In about half of the rows that is more than of the pairs
  outside, in the others less.
* **Which runs are compared matters.** With all 129 runs of TREC-8, weak ones included, 76 to 84% of the pairs outside
  are significant; among the 50 best ones, 49 to 78%.

## Fewer topics

TREC-8's 50 topics together, in two halves, and in fifths: shares over all parts, and means of the factor and of the
width.

{topics}

With fewer topics being outside says less. Intervals over images and the standard error over topics both grow, and
differences do not; so fewer pairs are apart, and of these a smaller share is far enough apart for the t test. With 10
topics an eighth to a half of the pairs outside are significant.
"""


if __name__ == "__main__":
    main()
