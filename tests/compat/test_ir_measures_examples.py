"""The examples of ir_measures' README and documentation, as they are and with only the import line changed."""

from __future__ import annotations

from typing import Any

import pytest

README = """
import ir_measures
from ir_measures import * # imports all supported measures, e.g., AP, nDCG, RR, P

qrels = {
    'Q0': {"D0": 0, "D1": 1},
    "Q1": {"D0": 0, "D3": 2}
}
run = {
    'Q0': {"D0": 1.2, "D1": 1.0},
    "Q1": {"D0": 2.4, "D3": 3.6}
}

# aggregated results
found = ir_measures.calc_aggregate([AP, nDCG, RR, nDCG@10, P(rel=2)@10], qrels, run)
"""
README_SAYS = {"AP": 0.75, "nDCG": 0.8154648767857288, "RR": 0.75, "nDCG@10": 0.8154648767857288, "P(rel=2)@10": 0.05}

# Of "Getting started". Its example run and judgments are those of the README in all formats.
FORMATS = """
import ir_measures
from ir_measures import *
import pandas as pd

all_qrels = [
    [
        ir_measures.Qrel("Q0", "D0", 0),
        ir_measures.Qrel("Q0", "D1", 1),
        ir_measures.Qrel("Q1", "D0", 0),
        ir_measures.Qrel("Q1", "D3", 2),
    ],
    pd.DataFrame([
        {'query_id': "Q0", 'doc_id': "D0", 'relevance': 0},
        {'query_id': "Q0", 'doc_id': "D1", 'relevance': 1},
        {'query_id': "Q1", 'doc_id': "D0", 'relevance': 0},
        {'query_id': "Q1", 'doc_id': "D3", 'relevance': 2},
    ]),
    ir_measures.read_trec_qrels('''
    Q0 0 D0 0
    Q0 0 D1 1
    Q1 0 D0 0
    Q1 0 D3 2
    '''),
]
all_runs = [
    [
        ir_measures.ScoredDoc("Q0", "D0", 1.2),
        ir_measures.ScoredDoc("Q0", "D1", 1.0),
        ir_measures.ScoredDoc("Q1", "D0", 2.4),
        ir_measures.ScoredDoc("Q1", "D3", 3.6),
    ],
    pd.DataFrame([
        {'query_id': "Q0", 'doc_id': "D0", 'score': 1.2},
        {'query_id': "Q0", 'doc_id': "D1", 'score': 1.0},
        {'query_id': "Q1", 'doc_id': "D0", 'score': 2.4},
        {'query_id': "Q1", 'doc_id': "D3", 'score': 3.6},
    ]),
    ir_measures.read_trec_run('''
    Q0 0 D0 0 1.2 runid
    Q0 0 D1 1 1.0 runid
    Q1 0 D3 0 3.6 runid
    Q1 0 D0 1 2.4 runid
    '''),
]
measures = [ir_measures.parse_measure(name) for name in ("AP", "nDCG", "nDCG@10", "P(rel=2)@10")]
measures += ir_measures.parse_trec_measure('recip_rank')
results = [ir_measures.evaluator(measures, qrels).calc_aggregate(run) for qrels, run in zip(all_qrels, all_runs)]
found = results[0]
assert results == [found] * 3
"""

DIVERSITY = """
from ir_measures import alpha_nDCG, Qrel, ScoredDoc, calc_aggregate
measures = [alpha_nDCG@10]
qrels = [
  # the "iteration" field is used to store the subtopic ID, as per trec conventions
  Qrel('q0', 'd0', 1, iteration="0"), # d0 is relevant to both subtopics 0 and 1
  Qrel('q0', 'd0', 1, iteration="1"),
  Qrel('q0', 'd1', 1, iteration="0"), # d1 is only relevant to subtopic 0
]
run = [
  ScoredDoc('q0', 'd0', 1),
]
found = calc_aggregate(measures, qrels, run)
"""

# Of "Advanced features": a measure that the user defines.
CUSTOM = """
import pandas as pd
from ir_measures import define_byquery

def has_english_wiki(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
    has_en_wiki = run.doc_id.str.startswith('https://en.wikipedia.org/').any()
    if has_en_wiki:
        return 1. # indicator that the query returned a result from english wikipedia
    else:
        return 0.

HasEnglishWiki = define_byquery(has_english_wiki, name='HasEnglishWiki')
from ir_measures import read_trec_qrels, read_trec_run, calc_aggregate

qrels = list(read_trec_qrels('''
0 0 x 0
1 0 x 0
''')) # qrels are ignored by HasEnglishWiki

run = list(read_trec_run('''
0 0 https://www.gla.ac.uk/ 0 0 run
0 0 https://en.wikipedia.org/wiki/Terrier 1 -1 run
1 0 https://www.google.com/ 0 0 run
''')) # query 0 has wiki, query 1 doesn't

found = calc_aggregate([HasEnglishWiki], qrels, run)
found.update(calc_aggregate([HasEnglishWiki@1], qrels, run))
"""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (README, README_SAYS),
        (FORMATS, README_SAYS),
        (DIVERSITY, {"alpha_nDCG@10": 0.8637574337885664}),
        (CUSTOM, {"HasEnglishWiki": 0.5, "HasEnglishWiki@1": 0.0}),
    ],
    ids=["README", "formats", "diversity", "custom"],
)
@pytest.mark.parametrize("changed", [False, True], ids=["as it is", "import line changed"])
def test_its_examples_give_what_it_says(script: str, said: dict[str, float], changed: bool) -> None:
    if changed:
        script = script.replace("import ir_measures", "from unjudged.compat import ir_measures")
        script = script.replace("from ir_measures import", "from unjudged.compat.ir_measures import")
    names: dict[str, Any] = {}
    exec(script, names)
    assert {str(measure): value for measure, value in names["found"].items()} == pytest.approx(said)
