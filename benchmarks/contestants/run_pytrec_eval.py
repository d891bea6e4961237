"""pytrec_eval: its own parsers, one evaluator for all runs. It has no RBP."""

from pathlib import Path

from stopwatch import Stopwatch

NAMES = {
    "ndcg_cut_10": "nDCG@10",
    "map": "AP",
    "P_10": "P@10",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "infAP": "infAP",
}

watch = Stopwatch()
with watch.time("import"):
    import pytrec_eval
with watch.time("parse"), Path(watch.qrels).open() as lines:
    qrels = pytrec_eval.parse_qrel(lines)
with watch.time("score"):
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "P.10", "recip_rank", "bpref", "infAP"})
for path in watch.runs:
    with watch.time("parse"), Path(path).open() as lines:
        run = pytrec_eval.parse_run(lines)
    with watch.time("score"):
        topics = evaluator.evaluate(run).values()
        watch.add({ours: sum(t[theirs] for t in topics) / len(topics) for theirs, ours in NAMES.items()})
watch.report()
