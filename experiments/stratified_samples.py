"""Paper 2's open question: depth pools rank systems best, random samples give the best values; can one have both?

The question is at the end of Yilmaz and Aslam (2008): "can we form a variant of inferred AP that uses depth pooled
judgments together with random judgments?" Here with TREC-8, at equal numbers of judgments.

    python experiments/stratified_samples.py            # writes experiments/results/stratified-samples.md
    python experiments/stratified_samples.py --repeat 3
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass

from collections_at_hand import SHARED, markdown_table, need
from pages import save_page

import unjudged as uj

DEPTHS = (1, 2, 4, 8, 15, 30)
"""Depth pools whose numbers of judgments are the budgets."""
CENSUS = {1: 1, 2: 1, 4: 2, 8: 4, 15: 8, 30: 15}
"""The depth of the census of stratified samples, for each of these budgets: about half of it."""


@dataclass(frozen=True)
class Design:
    """How judgments are spent, and what estimates average precision from them."""

    name: str
    measure: str
    degradation: str
    """With the budget (a share) as ``p``, and the depths."""

    def of(self, depth: int, share: float) -> str:
        return self.degradation.format(depth=depth, census=CENSUS[depth], p=f"{share:.6f}")


DESIGNS = (
    Design("depth pool, AP", "AP", "DepthCut({depth})"),
    Design("depth pool, indAP", "indAP", "DepthCut({depth})"),
    Design("depth pool, infAP", "infAP", "DepthCut({depth})"),
    Design("random sample, infAP", "infAP", "KeepFraction({p})"),
    Design("census and sample, infAP (rates unknown)", "infAP", "Stratified({p},depth={census},of=all)"),
    Design("census and sample, xinfAP (rates known)", "xinfAP", "Stratified({p},depth={census},of=all)"),
    Design("depth 1 and sample, xinfAP", "xinfAP", "Stratified({p},depth=1,of=all)"),
)
NDCG = (
    Design("depth pool, nDCG", "nDCG", "DepthCut({depth})"),
    Design("census and sample, infNDCG (rates known)", "infNDCG", "Stratified({p},depth={census},of=all)"),
    Design("depth 1 and sample, infNDCG", "infNDCG", "Stratified({p},depth=1,of=all)"),
)


def shares() -> dict[int, float]:
    """The share of the judgments that each depth pool has."""
    ways = f"DepthCut({','.join(map(str, DEPTHS))})"
    result = reuse("AP", "AP", ways, 1)
    return {depth: result.correlation(f"DepthCut({depth})", "AP").share for depth in DEPTHS}


def reuse(measure: str, truth: str, degrade: str | list[str], repeat: int) -> uj.Reuse:
    folder = need(SHARED / "trec8")
    return uj.reuse(
        folder / "trec8.qrels",
        folder / "runs",
        measure,
        truth=truth,
        degrade=degrade,
        holes="nonrelevant",
        never_judged="nonrelevant",  # as in the paper
        repeat=repeat,
        scores="float32",
        jobs=1,
    )


def tables(designs: tuple[Design, ...], truth: str, budgets: dict[int, float], repeat: int) -> list[str]:
    rows: dict[str, dict[str, list[str]]] = {"tau-b": {}, "RMSE": {}, "bias": {}}
    for design in designs:
        ways = list(dict.fromkeys(design.of(depth, share) for depth, share in budgets.items()))
        found = reuse(design.measure, truth, ways, repeat).correlations()
        for row, share in zip(found, budgets.values(), strict=True):
            assert abs(row.share - share) < 0.004, (row.degradation, row.share, share)
            rows["tau-b"].setdefault(design.name, []).append(f"{row.tau_b:.3f}")
            rows["RMSE"].setdefault(design.name, []).append(f"{row.rmse:.3f}")
            rows["bias"].setdefault(design.name, []).append(f"{row.bias:+.3f}")
        print(design.name, flush=True)
    head = ["", *(f"{share:.1%}" for share in budgets.values())]
    parts = []
    for statistic, of in rows.items():
        parts += [f"### {statistic} with {truth}", markdown_table(head, [[name, *cells] for name, cells in of.items()])]
    return parts


PAGE = """# Average precision from a depth pool and a random sample together: TREC-8

Yilmaz and Aslam (2008) end with a question: infAP on depth pools ranks systems better, on random samples its values are
better; can a variant that uses both have both? xinfAP is that variant: it knows at which rate each judgment was drawn.
129 runs, 50 topics, 86,830 judgments; the truth is the measure with all of them. Columns: the share of the judgments
that is left, that of the pools of depth {depths}. *Random sample*: so many judgments of each topic at
random. *Census and sample*: the pool of a smaller depth ({census}), and other judgments of the topic at
random, so many in all (`Stratified(p,depth=d,of=all)`). Means over {repeat} draws.

**The answer is yes, from about a tenth of the judgments on**: xinfAP on census and sample then ranks runs as well as
indAP and infAP on a depth pool of the same size, or better, with a seventh of their error or less, and half of that of
infAP on a random sample. With fewer judgments a depth pool still ranks best: what is left for the sample is so
small that single documents stand for hundreds. Not to know the rates (infAP on the same sample) costs the values, not
the ranking. infNDCG does for nDCG what xinfAP does for AP.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=10)
    given = parser.parse_args()
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    budgets = shares()
    page = PAGE.format(
        depths=", ".join(map(str, DEPTHS)), census=", ".join(map(str, CENSUS.values())), repeat=given.repeat
    )
    parts = [page.strip(), "## Average precision", *tables(DESIGNS, "AP", budgets, given.repeat)]
    parts += ["## nDCG", *tables(NDCG, "nDCG", budgets, given.repeat)]
    save_page("stratified-samples", "\n\n".join(parts), seeds="seed 42")


if __name__ == "__main__":
    main()
