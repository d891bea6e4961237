"""Figures 2 to 5 of the paper on normalized residual gain, and what its conclusion depends on (DL19).

    python experiments/relative_figures.py

Writes experiments/results/relative-figures.md.
"""

from __future__ import annotations

import dataclasses
import gzip
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from collections_at_hand import Collection, dl19, markdown_table
from pages import save_page

import unjudged as uj
from unjudged.measures import NRG, measures
from unjudged.results.relative import Relative

warnings.simplefilter("ignore", uj.UnjudgedWarning)

FIGURE_2 = {
    "bm25base_ax_p": (0.551, 0.3095), "bm25tuned_ax_p": (0.546, 0.3021), "bm25tuned_prf_p": (0.553, 0.2943),
    "bm25base_prf_p": (0.537, 0.2874), "bm25base_rm3_p": (0.518, 0.2794), "bm25tuned_rm3_p": (0.523, 0.2719),
    "bm25base_p": (0.505, 0.2328), "bm25tuned_p": (0.497, 0.2278), "runid2": (0.532, 0.1870),
    "runid5": (0.525, 0.1752), "idst_bert_p2": (0.763, 0.3346), "idst_bert_p3": (0.759, 0.3245),
    "idst_bert_p1": (0.764, 0.3211), "idst_bert_pr1": (0.737, 0.2221), "idst_bert_pr2": (0.737, 0.2219),
    "ms_duet_passage": (0.613, 0.2046), "UNH_bm25": (0.449, 0.1992), "TUW19-p2-f": (0.670, 0.2543),
    "TUW19-p1-f": (0.675, 0.2524), "TUW19-p3-f": (0.688, 0.2521), "TUW19-p1-re": (0.674, 0.2205),
    "TUW19-p3-re": (0.674, 0.2195), "TUW19-p2-re": (0.661, 0.2119), "TUA1-1": (0.731, 0.2236),
    "p_exp_rm3_bert": (0.742, 0.3144), "p_exp_bert": (0.733, 0.2696), "p_bert": (0.738, 0.2519),
    "srchvrs_ps_run1": (0.499, 0.2298), "srchvrs_ps_run3": (0.555, 0.2270), "srchvrs_ps_run2": (0.664, 0.2201),
    "runid4": (0.702, 0.2259), "runid3": (0.697, 0.2256),
}  # fmt: skip
"""NDCG@10 and NRG as read off the picture in the authors' repository (8800 x 6400 pixels; one is 0.00003 of NRG): the
middle of each marker, by colour. Where two markers of a group touch, the ends of the blot give both. The middle of a
pentagon (TUA1-1) is a little below the middle of the box around it."""

LEFT_OUT = "ICTNET"  # a team that is in no figure
TRADITIONAL = ("BASELINE",)
NOT_NEURAL = {"srchvrs_ps_run1", "srchvrs_ps_run3", "UNH_bm25", "UNH_exDL_bm25"}
"""Runs of other teams that are BM25-based or that the paper calls not neural; neither side of the comparison."""
GAINS = {"linear": {"gain": "linear"}, "2^g - 1": {"gain": "exponential"}, "grade >= 2": {"gain": "binary", "rel": 2}}
GAINS["grade >= 1"] = {"gain": "binary", "rel": 1}


def without(collection: Collection, team: str) -> Collection:
    """The collection without the runs of one team."""
    kept = tuple(run for run in collection.runs if collection.team_of[run.name] != team)
    return dataclasses.replace(collection, runs=kept)


def figure(collection: Collection, measure: str | NRG, **options: object) -> Relative:
    """All runs against the best run by nDCG@10 of each other team."""
    given = {"groups": collection.team_of, "absolute": "nDCG@10", "holes": "nonrelevant", **options}
    return uj.relative(collection.qrels, collection.runs, measure, **given)  # type: ignore[arg-type]


def in_file_order(collection: Collection) -> Collection:
    """The same runs ranked by the order of their lines, whatever the scores say: what the released code does."""
    runs = []
    for run in collection.runs:
        lines = gzip.decompress(Path(run.source).read_bytes()).decode().splitlines()
        rows = [(fields[0], fields[2], -float(place)) for place, fields in enumerate(map(str.split, lines))]
        runs.append(uj.read_run(rows, name=run.name))
    return dataclasses.replace(collection, runs=tuple(runs))


def figure_2(collection: Collection) -> list[str]:
    measure = "NRG(nDCG, gain=binary, rel=2)"
    result, by_line = figure(collection, measure), figure(in_file_order(collection), measure)
    rows, off = [], {"score": [0.0], "line": [0.0]}
    for row in sorted(result.rows(), key=lambda row: -row.nrg):
        other, read = by_line.run(row.run).nrg, FIGURE_2.get(row.run)
        if read:
            off["score"].append(abs(row.nrg - read[1]))
            off["line"].append(abs(other - read[1]))
        shown = [f"{read[0]:.3f}", f"{read[1]:.4f}"] if read else ["", ""]
        rows.append([row.run, row.group, f"{row.absolute:.4f}", f"{row.nrg:.4f}", f"{other:.4f}", *shown])
    assert max(off["line"]) < 0.0001, "a point of Figure 2 is not where it was read"
    head = ["run", "team", "nDCG@10", "NRG, by score", "NRG, by line", "nDCG@10 read off", "NRG read off"]
    return [
        "## Figure 2",
        f"""Binary gain (grades 2 and 3), no cut-off in the run and in the priors, the best run by nDCG@10 of each other
team, without {LEFT_OUT}. The values on the right are read off the picture in the authors' repository.""",
        markdown_table(head, rows, left=2),
        f"""All {len(FIGURE_2)} points that can be told apart agree: the largest difference is {max(off["score"]):.5f}
with documents ranked by score, as everywhere in this package, and {max(off["line"]):.5f} with documents in
the order of the lines of the files. The second is how well a picture can be read, so the figure was made
from lines: the released code never looks at the scores, and bm25base_ax_p, the point that is furthest off
by score, has lines that are not in the order of trec_eval's rule for ties. UNH_exDL_bm25 lies outside the
axes, test1 under TUA1-1. nDCG@10 is cut, not rounded, to three decimals in the picture, and two of its
labels (TUW19-p1-f and TUW19-p3-f) stand at each other's points.""",
    ]


def split(result: Relative, column: str) -> tuple[list[float], list[float]]:
    """Values of the BASELINE runs and of the neural runs."""
    of = [(row.run, row.group or row.type, getattr(row, column)) for row in result.rows()]
    return (
        [value for _, team, value in of if team in TRADITIONAL],
        [value for run, team, value in of if team not in TRADITIONAL and run not in NOT_NEURAL],
    )


def above(first: Iterable[float], second: Sequence[float]) -> float:
    """Share of pairs in which the first is higher; ties count half."""
    return float(np.mean([[(a > b) + 0.5 * (a == b) for b in second] for a in first]))


def _share_by_ndcg(whole: Collection) -> float:
    return above(*split(figure(without(whole, LEFT_OUT), "nDCG@10"), "absolute"))


def figures_3_to_5(whole: Collection) -> list[str]:
    rows = []
    plain = {"ICTNET left out": without(whole, LEFT_OUT), "all 37 runs": whole}
    for where, collection in plain.items():
        for rel in (1, 2):
            result = figure(collection, "nDCG@10", rel=rel)
            rows.append(["3: unique", where, f"grade >= {rel}", *_shape(result, "unique")])
        for rel in (1, 2):
            for scope in ("topic", "collection"):
                result = figure(collection, "nDCG@10", rel=rel, rareness=scope)
                rows.append(["4: rareness", where, f"grade >= {rel}, {scope}", *_shape(result, "rareness")])
        for priors in ("priors", "group"):
            result = figure(collection, "nDCG@10", tasc=priors)
            words = "other teams" if priors == "priors" else "own team (released code)"
            rows.append(["5: TaSC", where, words, *_shape(result, "tasc")])
    head = ["figure", "runs", "convention", "tau with nDCG@10", "BASELINE above neural", "neural at 0", "best run"]
    return [
        "## Figures 3 to 5",
        f"""Neither the paper's text nor the authors' repository has numbers or pictures of these, so only what the text
says can be checked. `tau` is Kendall's tau-b of the plotted values over runs. `BASELINE above neural` is
the share of pairs (BASELINE run, neural run) in which the first is higher; for nDCG@10 itself it is
{_share_by_ndcg(whole):.2f}.""",
        markdown_table(head, rows, left=3),
        f"""* Figure 3 ("many neural methods make relatively few or no unique contributions, while some traditional
  methods outperform all neural methods"): unique documents do not follow nDCG@10, and BASELINE runs have
  more of them than their nDCG@10 would say. But in none of these conventions is a BASELINE run above all
  others, and few runs have none at all. Without {LEFT_OUT} and with grade 1 as relevant, as in the released
  code, only {_ahead(plain)} are ahead of bm25base_ax_p; the paper may not count them as neural.
* Figures 4 and 5 (both measures "are correlated with NDCG@10", neither "suggests any distinction between
  traditional and neural"): the correlation holds for rareness in every convention, and for TaSC against
  other teams. TaSC as released, against the run's own team, is something else: the best run of each team
  keeps its whole nDCG@10, and the correlation is gone, so Figure 5 was probably not made that way.""",
    ]


def _ahead(plain: dict[str, Collection]) -> str:
    """Runs with more unique documents than the best BASELINE run, by the released code's conventions."""
    rows = sorted(figure(plain["ICTNET left out"], "nDCG@10").rows(), key=lambda row: -row.unique)
    first = next(i for i, row in enumerate(rows) if row.group in TRADITIONAL)
    return " and ".join(f"{row.run} ({row.group})" for row in rows[:first])


def _shape(result: Relative, column: str) -> list[str]:
    runs = result.rows()
    tau = uj.agreement([row.absolute for row in runs], [getattr(row, column) for row in runs]).tau_b
    baseline, neural = split(result, column)
    best = max(runs, key=lambda row: getattr(row, column))
    nothing = sum(value == 0 for value in neural)
    return [f"{tau:.2f}", f"{above(baseline, neural):.2f}", f"{nothing} of {len(neural)}", f"{best.run} ({best.group})"]


# ---- what the conclusion depends on


def conclusion(whole: Collection) -> list[str]:
    rows = []
    for cutoff in (5, 10, 20, 100, None):
        for gain, values in GAINS.items():
            base = measures.parse("nDCG" if cutoff is None else f"nDCG@{cutoff}")
            rows.append(["none" if cutoff is None else str(cutoff), gain, *_cells(whole, NRG(base=base, **values))])
    for gain, values in GAINS.items():
        nrg = NRG(base=measures.parse("nDCG@10"), priors="all", **values)
        rows.append(["10, priors whole", gain, *_cells(whole, nrg)])
    head = ["cut-off", "gain", "best of other teams, no ICTNET", "best of other teams", "all runs of other teams",
            "every other run"]  # fmt: skip
    return [
        "## Does the conclusion depend on the cut-off, the gain and the prior set?",
        """The paper concludes that BASELINE runs find what neural runs miss. Each cell has the share of pairs
(BASELINE run, neural run) in which the BASELINE run has the higher NRG, then whether the paper's two
observations hold: srchvrs_ps_run3 is below every BASELINE run, and idst_bert_pr1 is. `y y` means that both
do. The first column of cells has the paper's prior sets.""",
        markdown_table(head, rows, left=2),
        f"""By nDCG@10 alone the share is {_share_by_ndcg(whole):.2f}. Read the table like this:

* BASELINE runs add more than their absolute score says under *every* convention: no share is near that of
  nDCG@10. That part of the conclusion is robust.
* Whether they add more *than neural runs* depends on the prior set most. Against the best run, or all runs,
  of other teams the share is about half or more everywhere. Against every other run it is below half at
  cut-offs of 5 to 20: the eight BASELINE runs take each other's gain away. Which of the two is meant must
  be said.
* The gain shifts the share: at a cut-off of 10, with the paper's prior sets, from 0.64 (grades 2 and 3
  count, as in Figure 2) to 0.81 (grade 1 counts too). Without a cut-off it hardly matters. BASELINE runs
  find related documents more than highly relevant ones.
* The paper's two observations need whole runs. Without a cut-off both hold with every gain and prior set
  but one; at 5 and 10 they never both hold. They are about what happens far below rank 10, where NDCG@10,
  the other axis of the figure, does not look. Reading only the priors to their end does not bring them
  back, except against all runs of other teams with graded gains.""",
    ]


def _cells(whole: Collection, nrg: NRG) -> list[str]:
    results = [
        figure(without(whole, LEFT_OUT), nrg),
        figure(whole, nrg),
        figure(whole, nrg, other_groups="all"),
        figure(whole, nrg, groups=None, types=whole.team_of),
    ]
    return [_cell(result) for result in results]


def _cell(result: Relative) -> str:
    baseline, neural = split(result, "nrg")
    holds = [result.run(run).nrg < min(baseline) for run in ("srchvrs_ps_run3", "idst_bert_pr1")]
    return f"{above(baseline, neural):.2f} {' '.join('y' if one else 'n' for one in holds)}"


def main() -> None:
    whole = dl19()
    parts = [
        "# Normalized residual gain on TREC 2019 Deep Learning",
        "37 runs, 43 topics, grades 0 to 3. The measure is explained in"
        " [What does a run add?](../../docs/relative.md).",
        *figure_2(without(whole, LEFT_OUT)),
        *figures_3_to_5(whole),
        *conclusion(whole),
    ]
    save_page("relative-figures", "\n\n".join(parts), seeds="without draws")


if __name__ == "__main__":
    main()
