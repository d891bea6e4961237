"""unjudged: judgments once, run files streamed one after the other."""

from stopwatch import Stopwatch

MEASURES = ["nDCG@10", "AP", "P@10", "RR", "Bpref", "infAP", "RBP(p=0.8)"]  # 0.8 is the default: its rows say "RBP"

watch = Stopwatch()
with watch.time("import"):
    import unjudged as uj
with watch.time("parse" if watch.phases else "parse and score"):
    qrels = uj.read_qrels(watch.qrels)
if watch.phases:
    for path in watch.runs:
        with watch.time("parse"):
            run = uj.read_run(path)
        with watch.time("score"):
            for row in uj.score(qrels, [run], MEASURES).mean():
                watch.add({row.measure: row.value})
else:
    with watch.time("parse and score"):
        for row in uj.score(qrels, watch.runs, MEASURES).mean():
            watch.add({row.measure: row.value})
watch.report()
