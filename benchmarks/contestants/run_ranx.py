"""ranx: Run.from_file and evaluate, on all threads. It has no infAP."""

from stopwatch import Stopwatch

NAMES = {
    "ndcg@10": "nDCG@10",
    "map": "AP",
    "precision@10": "P@10",
    "mrr": "RR",
    "bpref": "Bpref",
    "rbp.80": "RBP",
}

watch = Stopwatch()
with watch.time("import"):
    from ranx import Qrels, Run, evaluate
with watch.time("parse"):
    qrels = Qrels.from_file(watch.qrels, kind="trec")
for path in watch.runs:
    with watch.time("parse"):
        run = Run.from_file(path, kind="trec")
    with watch.time("score"):
        means = evaluate(qrels, run, list(NAMES))
        watch.add({ours: means[theirs] for theirs, ours in NAMES.items()})
watch.report()
