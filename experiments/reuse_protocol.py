"""reuse against plain Python and pytrec_eval on DL19: both protocols for documents that were never judged.

python experiments/reuse_protocol.py            # writes experiments/results/reuse-protocol.md
"""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Mapping

import numpy as np
import pytrec_eval
from collections_at_hand import SHARED, markdown_table, need
from pages import save_page
from scipy.stats import kendalltau

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.simulate import KeepFraction

DEPTH, SHARE, REPEAT, SEED = 20, "10%", 5, 42
HOLES = ("nonrelevant", "condensed")
PROTOCOLS = ("removed", "nonrelevant")
MIXED = {"nonrelevant": 0.552, "condensed": 0.794}
"""What was reported when the true score stood in for every estimate whose truth was not known."""

Ranked = Mapping[str, list[str]]
Judged = Mapping[str, Mapping[str, int]]


def read_judgments() -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for line in (need(SHARED / "dl19") / "2019qrels-pass.txt").read_text().splitlines():
        topic, _, doc, grade = line.split()
        judged.setdefault(topic, {})[doc] = int(grade)
    return judged


def read_rankings(judged: Judged) -> dict[str, Ranked]:
    """By score, ties by document id, both from the highest."""
    rankings = {}
    for path in sorted((SHARED / "dl19" / "runs").iterdir()):
        scored: dict[str, list[tuple[float, bytes]]] = {}
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            topic, _, doc, _, score, _ = line.split()
            scored.setdefault(topic, []).append((float(score), doc.encode()))
        rankings[path.name] = {
            topic: [doc.decode() for _, doc in sorted(docs, reverse=True)]
            for topic, docs in scored.items()
            if topic in judged
        }
    return rankings


def kept(ranked: Ranked, judged: Judged) -> Ranked:
    return {topic: [doc for doc in docs if doc in judged[topic]] for topic, docs in ranked.items()}


def mean_ndcg(judged: Judged, ranked: Ranked) -> float:
    """A topic that is not answered counts as 0."""
    run = {topic: {doc: float(-i) for i, doc in enumerate(docs)} for topic, docs in ranked.items()}
    evaluator = pytrec_eval.RelevanceEvaluator({t: dict(docs) for t, docs in judged.items()}, {f"ndcg_cut.{DEPTH}"})
    return sum(one[f"ndcg_cut_{DEPTH}"] for one in evaluator.evaluate(run).values()) / len(judged)


def plain_taus() -> dict[tuple[str, str], float]:
    """Mean tau-b over the samples, by protocol and by what is done with documents that are no longer judged."""
    judged = read_judgments()
    rankings = read_rankings(judged)
    qrels = uj.read_qrels(judged)
    taus: dict[tuple[str, str], list[float]] = {}
    for repetition in range(REPEAT):
        left = KeepFraction(p=SHARE).leave(join_runs(qrels), seed=SEED, repetition=repetition).of(qrels)
        sample = {topic: left.judgments(topic) for topic in judged}
        for protocol in PROTOCOLS:
            runs = [kept(one, judged) if protocol == "removed" else one for one in rankings.values()]
            truth = [mean_ndcg(judged, one) for one in runs]
            for holes in HOLES:
                shown = [kept(one, sample) if holes == "condensed" else one for one in runs]
                estimates = [mean_ndcg(sample, one) for one in shown]
                taus.setdefault((protocol, holes), []).append(kendalltau(truth, estimates).statistic)
    return {key: float(np.mean(values)) for key, values in taus.items()}


def tool_taus() -> dict[tuple[str, str], float]:
    taus = {}
    for protocol in PROTOCOLS:
        result = uj.reuse(
            SHARED / "dl19" / "2019qrels-pass.txt",
            SHARED / "dl19" / "runs",
            f"nDCG@{DEPTH}",
            degrade=f"KeepFraction({SHARE})",
            holes=HOLES,
            never_judged=protocol,
            repeat=REPEAT,
            seed=SEED,
            jobs=1,
        )
        taus |= {(protocol, row.holes): row.tau_b for row in result.correlations()}
    return taus


PAGE = """# One protocol: reuse against plain Python and pytrec_eval

DL19, 37 runs, nDCG@{depth}, {share} of the judgments at random, {repeat} samples (seed {seed}): mean tau-b of the runs'
estimated and true means. The samples are the tool's; everything else in the second column is plain Python and
pytrec_eval. The last column is what the tool reported before, when the true score stood in for every estimate of a run
and topic whose truth was not known: means then mixed degraded and undegraded topics, more of one for some runs than for
others, and the comparison of the two methods came out the other way round.

{table}
"""


def main() -> None:
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    plain, ours = plain_taus(), tool_taus()
    rows = [
        [protocol, holes, f"{plain[protocol, holes]:.4f}", f"{ours[protocol, holes]:.4f}", f"{MIXED[holes]:.3f}"]
        for protocol in PROTOCOLS
        for holes in HOLES
    ]
    head = ["--never-judged", "holes", "pytrec_eval", "unjudged reuse", "mixed, as before"]
    page = PAGE.format(depth=DEPTH, share=SHARE, repeat=REPEAT, seed=SEED, table=markdown_table(head, rows, left=2))
    save_page("reuse-protocol", page, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
