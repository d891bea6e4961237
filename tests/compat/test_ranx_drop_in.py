"""unjudged.compat.ranx in the place of ranx, as far as it evaluates."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_views import random_collection
from test_ranx import NEEDS_RANX, README, execute

import unjudged as uj
from unjudged.compat import ranx as drop_in
from unjudged.compat.ranx import evaluate
from unjudged.errors import InputError

BASES = ["hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "dcg", "dcg_burges", "ndcg", "ndcg_burges"]
METRICS = [f"{base}{cutoff}" for base in BASES for cutoff in ("", "@0", "@1", "@3", "@20")]
METRICS += ["r-precision", "bpref", "rbp.95", "rbp.5", "rbp@80"]
METRICS += [f"{metric}-l{level}" for metric in METRICS for level in (1, 2, 3)]

QRELS = {"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}}
RUN = {
    "q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7, "d_36": 0.6, "d_32": 0.5, "d_35": 0.4},
    "q_2": {"d_12": 0.9, "d_11": 0.8, "d_25": 0.7, "d_36": 0.6, "d_22": 0.5, "d_35": 0.4},
}


# ---- against ranx itself, where it is installed

DOCS = [f"d{i}" for i in range(12)]
collections = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 4), min_size=1),
        st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1.0, 0.0, 0.5, 0.75]), min_size=1),
    ),
    min_size=1,
    max_size=4,
)


@given(collections, st.lists(st.sampled_from(METRICS), min_size=1, max_size=6))
@settings(max_examples=300, deadline=None)
def gives_what_ranx_gives(topics: Any, metrics: list[str]) -> None:
    """Means, values by topic and what is left in the run; run by itself, where nothing is compiled."""
    import ranx

    judged = {f"q{i}": docs for i, (docs, _) in enumerate(topics)}
    ranked = {f"q{i}": docs for i, (_, docs) in enumerate(topics)}
    qrels, theirs, ours = ranx.Qrels(judged), ranx.Run(ranked), ranx.Run(ranked)
    with np.errstate(all="ignore"):
        ranx.evaluate(qrels, theirs, metrics, return_std=True)
    result = evaluate(qrels, ours, metrics, return_std=True)
    by_topic = evaluate(qrels, ours, metrics, return_mean=False)
    several = len(metrics) > 1
    for metric in metrics:
        values = by_topic[metric] if several else by_topic
        expected = np.array(list(theirs.scores[metric].values()))
        defined = np.isfinite(expected)  # ranx divides by 0 in bpref
        assert defined.all() or metric.startswith("bpref")
        assert np.isfinite(values).all()
        np.testing.assert_allclose(values[defined], expected[defined], rtol=0, atol=1e-9, err_msg=metric)
        assert list(ours.scores[metric]) == list(theirs.scores[metric])
        assert list(ours.scores[metric].values()) == values.tolist()
        if defined.all():
            mean = result[metric] if several else result
            np.testing.assert_allclose([mean["mean"], mean["std"]], [expected.mean(), expected.std()], atol=1e-9)
            assert (ours.mean_scores[metric], ours.std_scores[metric]) == (mean["mean"], mean["std"])
    assert ours.to_dict() == ranx.Run(ranked).to_dict()  # as it was


@NEEDS_RANX
@pytest.mark.slow
def test_it_gives_what_ranx_gives() -> None:
    folder = Path(__file__).parent
    path = os.pathsep.join([str(folder), str(folder.parent / "measures"), os.environ.get("PYTHONPATH", "")])
    execute(
        "from test_ranx_drop_in import gives_what_ranx_gives as same; same()", NUMBA_DISABLE_JIT="1", PYTHONPATH=path
    )


EVALUATE = """
from ranx import evaluate

# Compute score for a single metric
one = evaluate(qrels, run, "ndcg@5")

# Compute scores for multiple metrics at once
several = evaluate(qrels, run, ["map@5", "mrr"])

# Computed metric scores are saved in the Run object
means = run.mean_scores

# Access scores for each query
values = dict(run.scores)
"""

SAID = """
def rounded(scores):
    return {name: round(score, 4) for name, score in scores.items()}

assert round(one, 4) == 0.7861 and rounded(several) == {"map@5": 0.6417, "mrr": 0.75}, (one, several)
assert rounded(means) == {"ndcg@5": 0.7861, "map@5": 0.6417, "mrr": 0.75}, means
assert {name: rounded(scores) for name, scores in values.items()} == {
    "ndcg@5": {"q_1": 0.9430, "q_2": 0.6292},
    "map@5": {"q_1": 0.8333, "q_2": 0.4500},
    "mrr": {"q_1": 1.0000, "q_2": 0.5000},
}, values
"""


# Of its README and its notebook "Overview", with runs that are there.
COMPARE = """
from ranx import Qrels, Run, evaluate, compare, fuse, optimize_fusion

other = Run({topic: {doc: -score for doc, score in docs.items()} for topic, docs in run_dict.items()}, name="model_2")
run.name = "model_1"
report = compare(qrels, runs=[run, other], metrics=["map@100", "mrr@100", "ndcg@10"], max_p=0.01)
assert "MAP@100" in str(report) and "model_2" in str(report), report
best_params = optimize_fusion(qrels=qrels, runs=[run, other], norm="min-max", method="wsum", metric="ndcg@100")
combined_test_run = fuse(runs=[run, other], norm="min-max", method="wsum", params=best_params)
assert evaluate(qrels, combined_test_run, "ndcg@100") > 0.7
"""


@NEEDS_RANX
@pytest.mark.slow
def test_one_import_line_brings_all_of_its_names() -> None:
    ours = (README + COMPARE).replace("from ranx import", "from unjudged.compat.ranx import")
    execute(ours, NUMBA_DISABLE_JIT="1")


@NEEDS_RANX
@pytest.mark.slow
def test_the_examples_of_its_documentation_with_other_import_lines() -> None:
    for theirs in (
        README + EVALUATE,
        (README + EVALUATE).replace("from ranx import", "from unjudged.compat.ranx import"),
    ):
        execute(theirs + SAID, NUMBA_DISABLE_JIT="1")
    together = "from unjudged.compat.ranx import Qrels, Run, evaluate\n"
    execute(together + (README + EVALUATE).replace("from ranx", "# from ranx") + SAID, NUMBA_DISABLE_JIT="1")


# ---- without ranx


def test_the_example_of_its_readme_with_dicts() -> None:
    assert evaluate(QRELS, RUN, "ndcg@5") == pytest.approx(0.7861, abs=5e-5)
    assert evaluate(QRELS, RUN, ["map@5", "mrr"]) == pytest.approx({"map@5": 0.6417, "mrr": 0.75}, abs=5e-5)
    assert evaluate(QRELS, RUN, ["mrr"], return_mean=False).tolist() == [1.0, 0.5]
    assert evaluate(QRELS, RUN, "mrr", return_std=True) == {"mean": 0.75, "std": 0.25}


def by_hand(metric: str, judged: dict[str, int], ranked: dict[str, float], cutoff: int | None, level: int) -> float:
    """What ranx documents, one topic at a time; rbp with grades, as it does."""
    order = sorted(ranked, key=lambda doc: ranked[doc], reverse=True)[:cutoff]
    gains = [judged.get(doc, 0) if judged.get(doc, 0) >= level else 0 for doc in order]
    relevant = sum(grade >= level for grade in judged.values())
    hits, size = sum(gain > 0 for gain in gains), cutoff or len(order)
    precision, recall = hits / size, hits / relevant if relevant else 0.0
    return {
        "hits": float(hits),
        "hit_rate": float(hits > 0),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "dcg": sum(gain / np.log2(i + 2) for i, gain in enumerate(gains)),
        "dcg_burges": sum((2**gain - 1) / np.log2(i + 2) for i, gain in enumerate(gains)),
        "rbp.75": 0.25 * sum(gain * 0.75**i for i, gain in enumerate(gains)),
    }[metric]


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("cutoff", [None, 1, 5, 100])
@pytest.mark.parametrize("metric", ["hits", "hit_rate", "precision", "recall", "f1", "dcg", "dcg_burges", "rbp.75"])
def test_values_are_what_they_are_by_hand(metric: str, cutoff: int | None, level: int) -> None:
    if metric == "rbp.75" and cutoff is not None:
        cutoff = None  # it has none
    name = metric + ("" if cutoff is None else f"@{cutoff}") + ("" if level == 1 else f"-l{level}")
    for seed in range(3):
        run, qrels = random_collection(seed)
        run = {topic: run.get(topic, {"nothing": 1.0}) for topic in reversed(qrels)}  # topics in another order
        result = evaluate(qrels, run, name, return_mean=False)
        expected = [by_hand(metric, qrels[topic], run[topic], cutoff, level) for topic in qrels]
        assert result.tolist() == pytest.approx(expected, abs=1e-9)


def test_bpref_is_defined_for_every_topic() -> None:
    assert evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "bpref") == 1.0  # nan in ranx
    assert evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, "bpref") == 0.0


def test_our_measures_read_the_judgments_as_everywhere_here() -> None:
    run, qrels = random_collection(3, ties=False)
    run = {topic: run.get(topic, {}) for topic in qrels}
    result = evaluate(qrels, run, ["indAP", "Hole@10", "GMAP", "NumRel", "ndcg@10"])
    with pytest.warns(uj.UnjudgedWarning, match="lacks 1 of 12 judged topics"):
        measures = ["indAP", "Unjudged@10", "GMAP", "NumRel", "nDCG@10"]
        ours = uj.score(qrels, run, measures, negative="pooled").means[0, :, 0]
    assert list(result.values()) == pytest.approx(ours.tolist(), abs=1e-9)


def test_topics_that_differ_are_refused_or_made_comparable() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "3": {"a": 1.0}}
    with pytest.raises(InputError) as caught:
        evaluate(qrels, run, "mrr")
    assert str(caught.value) == (
        "topics that the run lacks: '2' (make_comparable=True counts them as 0);"
        " topics that are not judged: '3' (make_comparable=True leaves them out)"
    )
    assert evaluate(qrels, run, "mrr", make_comparable=True) == 0.5
    assert run == {"1": {"a": 1.0}, "3": {"a": 1.0}}


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("bpref@10", "bpref@10: bpref has no cut-off"),
        ("rbp", "rbp: rbp needs the chance of going on to the next rank, as in rbp.95"),
        ("rbp.0", "RBP: p must be a number above 0 and below 1, not 0.0"),
        ("map-l0", "map-l0: the lowest relevant grade must be at least 1"),
        (f"ndcg@{'9' * 4301}", f"nDCG: cutoff must be a whole number of at least 1, not '{'9' * 196}..."),
        (7, "a measure must be given by its name, not 7"),
    ],
)
def test_mistakes_in_names_are_one_line(metric: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(QRELS, RUN, [metric])
    assert str(caught.value) == message


def test_what_a_measure_of_ours_needs_is_asked_for() -> None:
    with pytest.raises(InputError, match=r"^infNDCG needs strata, which qrels does not have"):
        evaluate(QRELS, RUN, "infNDCG")


def test_an_unknown_name_is_answered_as_everywhere_here() -> None:
    with pytest.raises(InputError, match=r"^unknown measure 'ndgc'"):
        evaluate(QRELS, RUN, "ndgc@5")


def test_what_is_no_dict_is_refused() -> None:
    with pytest.raises(InputError, match=r"^expected \{topic: \{doc: grade\}\}, not list$"):
        evaluate([("1", "a", 1)], RUN, "mrr")


@pytest.mark.parametrize("name", ["Run", "compare", "fuse"])
def test_what_is_its_own_without_it_is_one_line_that_says_how_to_get_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ranx", None)
    with pytest.raises(ImportError) as caught:
        getattr(drop_in, name)
    assert str(caught.value) == f"unjudged.compat.ranx.{name} needs ranx: pip install ranx"


def test_other_names_are_not_there() -> None:
    with pytest.raises(ImportError, match="evaluates"):
        from unjudged.compat.ranx import evaluates  # noqa: F401
