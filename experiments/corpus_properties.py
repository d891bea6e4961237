"""What ``unjudged properties`` says about TREC-8, beside what the corpus bootstrapping paper prints.

    python experiments/corpus_properties.py            # writes experiments/results/corpus-properties.md

Tables 2 to 4 of "Corpus bootstrapping for assessment of the properties of effectiveness measures" (Zobel and Rashidi,
CIKM 2020), and Figures 3 to 7, which show TREC-9 in the paper. What INSQ needs is in corpus_insq.py; whether intervals
of images say what t tests say, in corpus_intervals.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from collections_at_hand import SHARED, markdown_table, need
from pages import save_page

import unjudged as uj
from unjudged.results.properties import Properties

CORPUS_SIZE = 528_155
IMAGES, PAPERS_IMAGES, SEED = 1000, 100, 42
HUNDREDS = range(SEED, SEED + 10)
"""Seeds for as many images as the paper has."""
RBP = "RBP(p=0.95)@1000"
SIX = ["AP", "INSQ(T=5.0)", "nDCG@1000", "P@10", RBP, "RR"]
TABLE_2 = ["1.8 / 96.3 / 1.9", "2.7 / 94.4 / 2.9", "2.4 / 95.1 / 2.5", "2.1 / 95.1 / 2.7", "1.4 / 96.9 / 1.7"]
TABLE_2 += ["2.5 / 94.3 / 3.2"]
TABLE_3 = ["0.046 ± 0.035", "0.078 ± 0.035", "0.045 ± 0.028", "0.144 ± 0.056", "0.057 ± 0.024", "0.201 ± 0.145"]
TABLE_4 = ["0.06 ± 0.04", "0.08 ± 0.03", "0.06 ± 0.03", "0.12 ± 0.06", "0.07 ± 0.02", "0.10 ± 0.12"]
TOP, SYSTEM = 50, 2
DIVIDED_BY_N = math.sqrt((PAPERS_IMAGES - 1) / PAPERS_IMAGES)
"""The paper's deviations divide by the number of images, ours by one less."""


def properties(measures: Sequence[Any], images: int, seed: int = SEED, **more: Any) -> Properties:
    """The paper's runs: ``unjudged properties trec8.qrels runs --top 50 --by 'RBP(p=0.95)@1000' ...``."""
    corpus = uj.CorpusBootstrap(images=images, corpus_size=CORPUS_SIZE)
    return uj.properties(*_collection(), measures, corpus=corpus, top=TOP, by=RBP, seed=seed, **more)


@cache
def _collection() -> tuple[Any, Any]:
    """Read once, not for each seed."""
    folder = need(SHARED / "trec8")
    return uj.read_qrels(folder / "trec8.qrels"), uj.read_runs(folder / "runs")


def show(mean: float, sd: float) -> str:
    return f"{mean:.4f} ± {sd:.4f}"


def average(rows: Sequence[Sequence[float]]) -> str:
    """Mean and spread of deviations, over several hundred images."""
    mean, sd = np.mean(rows, axis=0) * DIVIDED_BY_N
    return show(float(mean), float(sd))


def table_2(hundreds: Sequence[Properties]) -> str:
    rows = []
    for printed, measure in zip(TABLE_2, SIX, strict=True):
        row = [measure, printed]
        for interval in ("t", "percentile"):
            some = [one for of in hundreds for one in of.prediction() if one[:2] == (measure, interval)]
            shares = np.mean([one[2:5] for one in some], axis=0)
            row.append(" / ".join(f"{100 * share:.1f}" for share in shares))
            row.append(f"{100 * min(one.lowest for one in some):.1f} to {100 * max(one.highest for one in some):.1f}")
        rows.append(row)
    return markdown_table(["measure", "printed", "t", "in, range", "percentile", "in, range"], rows)


def table_3(hundreds: Sequence[Properties], thousand: Properties) -> str:
    rows = []
    for printed, measure in zip(TABLE_3, SIX, strict=True):
        of = [one.measure(measure) for one in hundreds]
        first, whole = of[0], thousand.measure(measure)
        rows.append(
            [
                measure,
                printed,
                show(first.difference_sd, first.difference_spread),
                average([(one.difference_sd, one.difference_spread) for one in of]),
                show(whole.difference_sd, whole.difference_spread),
                f"{first.difference / first.difference_sd:.2f}",
            ]
        )
    header = ["measure", "printed", "100 images, seed 42", "100 images, ten seeds", "1,000 images"]
    header += ["size of differences / sd, seed 42"]
    return markdown_table(header, rows)


def table_4(hundreds: Sequence[Properties], thousand: Properties) -> str:
    run = hundreds[0].runs()[SYSTEM - 1].run
    rows = []
    for printed, measure in zip(TABLE_4, SIX, strict=True):
        of = [(one.run(run, measure).score_sd, one.run(run, measure).score_spread) for one in hundreds]
        (low, low_sd), (high, high_sd) = np.min(of, axis=0) * DIVIDED_BY_N, np.max(of, axis=0) * DIVIDED_BY_N
        whole = thousand.run(run, measure)
        ranges = f"{low:.3f} to {high:.3f} ± {low_sd:.3f} to {high_sd:.3f}"
        rows.append([measure, printed, average(of), ranges, show(whole.score_sd, whole.score_spread)])
    return markdown_table(["measure", "printed", "100 images", "range", "1,000 images"], rows)


def figures_3_to_5(thousand: Properties) -> str:
    """Averages over the top 25 runs."""
    rows = []
    for measure in SIX:
        runs = [row for row in thousand.runs() if row.measure == measure][:25]
        about = [
            np.mean([row.images_mean - row.mean for row in runs]),
            np.mean([row.sd for row in runs]),
            np.mean([row.high - row.low for row in runs]),
            np.mean([row.upper - row.lower for row in runs]),
            np.mean([row.worst - row.best for row in runs]),
        ]
        rows.append(
            [measure, f"{about[0]:+.3f}", f"{about[1]:.3f}", f"{about[2]:.3f}", *(f"{x:.1f}" for x in about[3:])]
        )
    header = ["measure", "mean less root", "sd of mean", "95% of means within", "rank quartiles apart"]
    return markdown_table([*header, "best and worst rank apart"], rows)


def one_pair(pools: Properties, run: str, other: str) -> str:
    rows = []
    for row in pools.shallow_pairs():
        if (row.run, row.other) == (run, other):
            judged = "all judgments" if row.depth is None else f"depth {row.depth}"
            on_images = f"{row.images_mean:+.3f} ± {row.images_sd:.3f}"
            p = [f"{row.p:.2g}", on_images, f"{row.p_median:.2g}", f"{row.p_low:.2g} to {row.p_high:.2g}"]
            rows.append([row.measure, judged, f"{row.difference:+.3f}", *p, f"{row.spread:.3f}"])
    header = ["measure", "judged", "difference", "p", "difference on images", "median p", "95% of p", "sd over topics"]
    return markdown_table(header, rows, left=2)


def all_pairs(pools: Properties) -> str:
    words = {
        "larger": "larger difference",
        "wider": "differences spread wider over topics",
        "smaller_p": "smaller median p",
        "only_shallow": "median p below .05 only with the shallow pool",
        "only_all": "median p below .05 only with all judgments",
    }
    rows = []
    for measure in ("AP", RBP):
        depths = [row for row in pools.shallow() if row.measure == measure]
        for name, said in words.items():
            rows.append([measure, said, *(f"{getattr(row, name)} of {row.pairs}" for row in depths)])
    return markdown_table(["measure", "", "depth 10", "depth 25"], rows, left=2)


def main() -> None:
    hundreds = [properties(SIX, PAPERS_IMAGES, seed) for seed in HUNDREDS]
    thousand = properties(SIX, IMAGES)
    pools = properties(["AP", RBP], PAPERS_IMAGES, shallow=[10, 25], shallow_runs=10)
    best, second, third = (row.run for row in pools.runs()[:3])
    text = PAGE.format(
        table_2=table_2(hundreds),
        table_3=table_3(hundreds, thousand),
        table_4=table_4(hundreds, thousand),
        system=f"{hundreds[0].runs()[SYSTEM - 1].run}, system #{SYSTEM} by RBP",
        means=figures_3_to_5(thousand),
        best=best,
        second=second,
        third=third,
        first_pair=one_pair(pools, best, second),
        other_pair=one_pair(pools, best, third),
        all_pairs=all_pairs(pools),
    )
    save_page("corpus-properties", text, seeds=f"seeds {HUNDREDS[0]} to {HUNDREDS[-1]}")


PAGE = """# Properties of measures, TREC-8

What "Corpus bootstrapping for assessment of the properties of effectiveness measures" (Zobel and Rashidi, CIKM 2020)
prints about TREC-8, and what we measure. Top 50 of 129 runs by RBP(p=0.95)@1000, 50 topics, a corpus of 528,155
documents. The paper used 100 images; "100 images" is the average over ten seeds. All numbers are those of

    unjudged properties trec8.qrels runs --top 50 --by 'RBP(p=0.95)@1000' --corpus-size 528155 --images 100 --seed 42

with `--images 1000` and `--shallow 10 --shallow 25 --shallow-runs 10` for the later tables. How to read them is in
[docs/properties.md](../../docs/properties.md).

## Table 2: do images predict another image?

For each two runs and topic, 99 images give a 95% interval for the difference of the runs on the 100th. Percent of
the 61,250 differences below / in / above it. In the paper the 100th image is predicted, here each image in turn: the
average over 1,000 images (ten seeds), and the lowest and highest share *in* among them. The paper does not say how it
makes the interval: *t* is mean and t times sd times sqrt(1 + 1/99), *percentile* has quantiles of the 99.

{table_2}

The conclusion holds: images predict images. The printed numbers come from a single image each, which all
differences share, so that they vary by several points. With *t* every printed share is within our range; with
*percentile* AP and RBP are not. (Quantiles of 99 values leave out 6.7% whatever the scores are, and less where scores
take few values, as P@10 and RR do.) So the paper probably used a normal interval.

## Table 3: how precisely is the difference of two runs on a topic measured?

Standard deviation over images of the difference: its mean ± its standard deviation over the 61,250. The command
divides squares by one less than the number of images; the paper probably by the number itself, as in the column for
ten seeds.

{table_3}

With the paper's 100 images and ten seeds, everything but INSQ rounds to the printed digits, but for the ± of RR, one
unit of the last digit off. The single command with seed 42 is nowhere more than that off.

* **RR is .205 with 1,000 images, not .201.** That is not noise: a standard deviation from few images is too low on
  average, and more so where a score rarely changes but then by much, as RR does. So .201 is what 100 images give, and
  .205 is nearer to what more and more images would give.
* **INSQ is .066, not .078.** The printed number comes out when ranks are counted from 0, `-m 'INSQ(T=5,first_rank=0)'`:
  [what INSQ needs](corpus-insq.md).

## Table 4: how precisely is one run on a topic measured?

Standard deviation over images of the score of {system}: its mean ± its standard deviation over topics. *range*: the
lowest and the highest of the ten hundreds.

{table_4}

AP and RBP round to what is printed, and so does INSQ with ranks counted from 0. Named deviations, each one unit of the
last digit: P@10 is .114 (printed .12), RR .090 ± .114 (printed .10 ± .12), and the ± of nDCG is .037 (printed .03).
P@10 and the mean of RR round to what is printed in some of our hundreds, so that chance may explain these; it does not
explain nDCG. Reading the run in the order of its lines or of its rank column changes none of them, and no other run of
the top ten fits better (no other has .06 for nDCG). Unexplained.

## Figures 3 to 5: means and ranks

The figures show TREC-9 and print no numbers; this is the same for TREC-8, averaged over the top 25 runs. Ranks are
among the 50, by the mean on each image.

{means}

* Means over images are near the score on the corpus itself, "with the exception of the poorly formed RR and to a
  lesser extent nDCG" (footnote 5). RR holds. nDCG does not: P@10 and INSQ move more.
* "Most of these scores are only known to within a range of around 0.05 to 0.10" (section 6) holds for P@10 and RR;
  for the other four 95% of the means lie within .03 to .04.
* "RR, P@10, and to some extent AP show a relatively wide range of variation in rank, while RBP, INSQ, and nDCG
  relatively stable." RR and P@10 are widest and RBP and INSQ narrowest here too, but nDCG varies more than AP.

## Figures 6 and 7: shallow pools

Two runs are compared, and only what one of the two returns among its first 10 (25) documents is judged, in each of
100 images. The paper shows the top two runs of TREC-9; its claims are that with AP shallow pools exaggerate
differences, let p-values fall ("increasing overestimation of statistical confidence") and widen the distribution of
differences over topics, and that RBP does none of this. p is that of a paired t test; *difference on images* has
the standard deviation over images, *sd over topics* that of the differences per topic, averaged over images.

**The top two runs, {best} and {second}:**

{first_pair}

**The best two runs of different teams, {best} and {third}:**

{other_pair}

**All 45 pairs of the top 10 runs:** in how many of them, compared with all judgments, there is ...

{all_pairs}

* **Wider distributions with AP, not with RBP (Figure 7): holds**, in all pairs but one, and in none.
* **Exaggerated differences with AP: holds mostly**, in three of five to three of four pairs. With RBP differences
  become smaller instead, because documents below the pool no longer count: "much the same" is too kind.
* **Falling p-values with AP (Figure 6): not in general.** They fall in about half of the pairs, and about as many
  pairs lose significance as gain it. For the top two runs of TREC-8 (of one team, and with 116 and 61 documents per
  topic) they rise from 1e-6 to .09. The paper calls its pair typical "amongst those we inspected".
"""


if __name__ == "__main__":
    main()
