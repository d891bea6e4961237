"""pytrec_eval's own examples, as they are and with only the import line changed."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from measure_views import random_collection

README = """
import pytrec_eval
import json

qrel = {
    'q1': {
        'd1': 0,
        'd2': 1,
        'd3': 0,
    },
    'q2': {
        'd2': 1,
        'd3': 1,
    },
}

run = {
    'q1': {
        'd1': 1.0,
        'd2': 0.0,
        'd3': 1.5,
    },
    'q2': {
        'd1': 1.5,
        'd2': 0.2,
        'd3': 0.5,
    }
}

evaluator = pytrec_eval.RelevanceEvaluator(
    qrel, {'map', 'ndcg'})

print(json.dumps(evaluator.evaluate(run), indent=1))
"""

CUTOFFS = README.replace("{'map', 'ndcg'}", "{'map_cut', 'ndcg_cut'}")  # examples/simple_cut.py

# examples/trec_eval.py, without its command line
TREC_EVAL = """
import pytrec_eval

with open('qrels.txt', 'r') as f_qrel:
    qrel = pytrec_eval.parse_qrel(f_qrel)

with open('bm25.run', 'r') as f_run:
    run = pytrec_eval.parse_run(f_run)

evaluator = pytrec_eval.RelevanceEvaluator(
    qrel, pytrec_eval.supported_measures)

results = evaluator.evaluate(run)

def print_line(measure, scope, value):
    print('{:25s}{:8s}{:.4f}'.format(measure, scope, value))

for query_id, query_measures in sorted(results.items()):
    for measure, value in sorted(query_measures.items()):
        print_line(measure, query_id, value)

for measure in sorted(query_measures.keys()):
    print_line(
        measure,
        'all',
        pytrec_eval.compute_aggregated_measure(
            measure,
            [query_measures[measure]
             for query_measures in results.values()]))
"""


# examples/statistical_significance.py, without its command line
SIGNIFICANCE = """
import pytrec_eval
import scipy.stats

with open('qrels.txt', 'r') as f_qrel:
    qrel = pytrec_eval.parse_qrel(f_qrel)

with open('bm25.run', 'r') as f_run:
    first_run = pytrec_eval.parse_run(f_run)

with open('other.run', 'r') as f_run:
    second_run = pytrec_eval.parse_run(f_run)

evaluator = pytrec_eval.RelevanceEvaluator(
    qrel, {'map'})

first_results = evaluator.evaluate(first_run)
second_results = evaluator.evaluate(second_run)

query_ids = list(
    set(first_results.keys()) & set(second_results.keys()))

first_scores = [
    first_results[query_id]['map'] for query_id in query_ids]
second_scores = [
    second_results[query_id]['map'] for query_id in query_ids]

print(scipy.stats.ttest_rel(first_scores, second_scores))
"""


def printed(script: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(script, "example", "exec"), {})
    return out.getvalue()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments and two runs in the working directory."""
    monkeypatch.chdir(tmp_path)
    run, qrels = random_collection(1)
    lines = [f"{topic} 0 {doc} {grade}\n" for topic, docs in qrels.items() for doc, grade in docs.items()]
    Path("qrels.txt").write_text("".join(lines))
    for name, sign in (("bm25", 1), ("other", -1)):
        lines = [f"{topic} Q0 {doc} 0 {sign * score} x\n" for topic, docs in run.items() for doc, score in docs.items()]
        Path(f"{name}.run").write_text("".join(lines))


def changed(script: str) -> str:
    return script.replace("import pytrec_eval", "from unjudged.compat import pytrec_eval", 1)


@pytest.mark.parametrize("script", [README, CUTOFFS, TREC_EVAL], ids=["README", "simple_cut", "trec_eval"])
@pytest.mark.usefixtures("files")
def test_its_examples_print_the_same(script: str) -> None:
    assert printed(changed(script)) == printed(script)
    assert len(printed(script).splitlines()) > 8


@pytest.mark.usefixtures("files")
def test_its_example_of_significance_prints_the_same_but_for_last_digits() -> None:
    number = re.compile(r"=(?:np\.\w+\()?(-?[\d.e-]+)")
    ours, theirs = (
        [float(text) for text in number.findall(printed(script))] for script in (changed(SIGNIFICANCE), SIGNIFICANCE)
    )
    assert ours == pytest.approx(theirs, rel=1e-9)
    assert len(theirs) == 3
