"""Objects of the real ranx go in as they are. ranx compiles for a minute, unless numba is told not to."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

NEEDS_RANX = pytest.mark.skipif(
    importlib.util.find_spec("ranx") is None, reason="ranx is not installed: pip install ranx"
)

pytestmark = [pytest.mark.slow, NEEDS_RANX]  # importing ranx alone takes 2 s, and it is 300 MB to install

# The example of its README, with uj's functions where its own are.
README = """
from ranx import Qrels, Run

qrels_dict = { "q_1": { "d_12": 5, "d_25": 3 },
               "q_2": { "d_11": 6, "d_22": 1 } }

run_dict = { "q_1": { "d_12": 0.9, "d_23": 0.8, "d_25": 0.7,
                      "d_36": 0.6, "d_32": 0.5, "d_35": 0.4  },
             "q_2": { "d_12": 0.9, "d_11": 0.8, "d_25": 0.7,
                      "d_36": 0.6, "d_22": 0.5, "d_35": 0.4  } }

qrels = Qrels(qrels_dict)
run = Run(run_dict)
"""

SCORED = """
import unjudged as uj

same = uj.score(qrels_dict, run_dict, ["nDCG@5", "MAP@5", "MRR"]).means
found = uj.score(qrels, run, ["nDCG@5", "MAP@5", "MRR"])
assert (found.means == same).all() and found.runs == ("run",), found
assert uj.read_qrels(qrels).judgments("q_1") == qrels_dict["q_1"]
run.name = "bm25"
assert uj.read_run(run).name == "bm25" and uj.read_run(run, name="mine").name == "mine"
assert uj.read_run(run).ranking("q_2") == sorted(run_dict["q_2"].items(), key=lambda item: -item[1])
other = Run({topic: {doc: -score for doc, score in docs.items()} for topic, docs in run_dict.items()}, name="other")
assert uj.score(qrels, [run, other], "RR").runs == ("bm25", "other")
assert uj.score(qrels, {"x": run, "y": other}, "RR").runs == ("x", "y")
assert uj.compare(qrels, [run, other], "P@2").pair("bm25", "other").difference == 0.25
assert uj.doctor(qrels, run).findings == uj.doctor(qrels_dict, {"bm25": run_dict}).findings
assert len(uj.read_pool(qrels)) == 4
assert run.to_dict() == run_dict and qrels.to_dict() == qrels_dict, "they are as they were"
"""

EVALUATED = """
from ranx import evaluate

theirs = evaluate(qrels, run, ["map@5", "mrr", "ndcg@5", "precision@2", "recall@5"])
ours = uj.score(qrels, run, ["MAP@5", "MRR", "nDCG@5", "P@2", "R@5"]).means[0, :, 0].tolist()
for (name, value), mine in zip(theirs.items(), ours, strict=True):
    assert abs(value - mine) < 1e-9, (name, value, mine)
"""


def execute(code: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_its_objects_go_in_directly() -> None:
    execute(README + SCORED, NUMBA_DISABLE_JIT="1")


def test_compiled_objects_go_in_directly_and_have_its_values() -> None:
    execute(README + SCORED + EVALUATED)
