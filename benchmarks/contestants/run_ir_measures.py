"""ir_measures: one evaluator for all runs, lines read while they are scored. RBP needs the extra package cwl-eval."""

from stopwatch import Stopwatch

watch = Stopwatch()
with watch.time("import"):
    import ir_measures
    from ir_measures import AP, RR, Bpref, P, infAP, nDCG
measures = [nDCG @ 10, AP, P @ 10, RR, Bpref, infAP]
qrels = ir_measures.read_trec_qrels(watch.qrels)
if watch.phases:
    with watch.time("parse"):
        qrels = list(qrels)
with watch.time("score" if watch.phases else "parse and score"):
    evaluator = ir_measures.evaluator(measures, qrels)
for path in watch.runs:
    run = ir_measures.read_trec_run(path)
    if watch.phases:
        with watch.time("parse"):
            run = list(run)
    with watch.time("score" if watch.phases else "parse and score"):
        watch.add({str(measure): value for measure, value in evaluator.calc_aggregate(run).items()})
watch.report()
