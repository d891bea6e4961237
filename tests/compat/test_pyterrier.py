"""unjudged.compat.pyterrier with the real PyTerrier: its frames here, our measures and our test in pt.Experiment.

pt.Experiment needs Java only for Terrier's own retrieval; results here are frames and transformers of frames.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed: pip install pyterrier")

import unjudged as uj  # noqa: E402
from unjudged.compat.pyterrier import MEASURES, hole_aware_test, indAP, nDCG_est, nDCG_lower, nDCG_upper  # noqa: E402
from unjudged.demo.collection import write_collection  # noqa: E402
from unjudged.errors import InputError, SpecError  # noqa: E402

TOPICS = [f"q{number}" for number in range(30)]
MEASURED: list[Any] = [pt.measures.nDCG @ 10, "ndcg_cut_5", "P_10", pt.measures.AP @ 20, pt.measures.Judged @ 10]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """PyTerrier warns about transformers that it cannot inspect, we about a pool that we do not know."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def topics() -> Any:
    return pd.DataFrame({"qid": TOPICS, "query": "some words"})


@pytest.fixture(scope="module")
def qrels() -> Any:
    rng = np.random.default_rng(1)
    rows = [(topic, f"d{doc}", int(rng.integers(0, 3))) for topic in TOPICS for doc in range(35)]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


@pytest.fixture(scope="module")
def results(qrels: Any) -> dict[str, Any]:
    """Runs with little noise, with much of it, and with many unjudged documents."""
    labels = {(row.qid, row.docno): row.label for row in qrels.itertuples()}
    rng = np.random.default_rng(2)

    def run(noise: float, unjudged: float) -> Any:
        rows = [
            (topic, doc, f"d{doc}", labels.get((topic, f"d{doc}"), unjudged) + rng.normal(0, noise))
            for topic in TOPICS
            for doc in range(50)
        ]
        return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docid", "docno", "score"]))

    return {"good": run(1.0, -1.0), "bad": run(4.0, -9.0), "new": run(1.0, 1.0)}


# ---- PyTerrier's frames in our functions


def test_frames_of_pyterrier_give_the_scores_of_an_experiment(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    measures = ["ndcg_cut_10", "map", "recip_rank", "P_5"]
    table = pt.Experiment(results, topics, qrels, measures).set_index("name")
    scores = uj.score(qrels, results, measures, scores="float32")
    for name, means in zip(measures, scores.means[0], strict=True):
        assert list(means) == pytest.approx(list(table.loc[list(results), name]), abs=1e-9)
    assert uj.compare(qrels, results, baseline="bad").pair("good", "bad").verdict == "certain"


def test_ranks_from_0_whole_numbers_and_frames_without_scores() -> None:
    qrels = pd.DataFrame({"qid": [1, 1, 2], "docno": [10, 11, 10], "label": [1, 0, 2]})
    frame = pd.DataFrame({"qid": [1, 1, 2], "query": "x", "docid": [7, 8, 9], "docno": [11, 10, 10], "rank": [0, 1, 0]})
    assert uj.read_run(frame).ranking("1") == [("11", 0.0), ("10", -1.0)]
    assert uj.score(qrels, frame, "RR").mean()["run", "RR"] == 0.75
    topics = pd.DataFrame({"qid": ["1", "2"], "query": "x"})
    scored = pt.model.coerce_dataframe_types(frame.assign(score=-frame["rank"].astype(float)))
    there = pt.Experiment([scored], topics, pt.model.coerce_dataframe_types(qrels), ["recip_rank"])
    assert there["recip_rank"].item() == 0.75


def test_a_results_file_that_pyterrier_wrote(results: dict[str, Any], tmp_path: Any) -> None:
    path = str(tmp_path / "good.res.gz")
    pt.io.write_results(results["good"], path)
    written, kept = uj.read_run(path), uj.read_run(results["good"])
    assert [doc for doc, _ in written.ranking("q3")] == [doc for doc, _ in kept.ranking("q3")]


# ---- our measures in pt.Experiment


def test_our_measures_have_our_values_in_an_experiment(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    asked = {
        "indAP": (indAP, "indAP", "nonrelevant", "values"),
        "nDCG_lower@10": (nDCG_lower @ 10, "nDCG@10", "bounds", "low"),
        "nDCG_upper@10": (nDCG_upper @ 10, "nDCG@10", "bounds", "high"),
        "nDCG_est@10": (nDCG_est @ 10, "nDCG@10", "bootstrap", "values"),
        "Unjudged@10": (MEASURES["Unjudged"] @ 10, "Unjudged@10", "nonrelevant", "values"),
    }
    measures = [pt.measures.nDCG @ 10, *(one[0] for one in asked.values())]
    systems = [pt.Transformer.from_df(frame) for frame in results.values()]
    table = pt.Experiment(systems, topics, qrels, measures, names=list(results))
    for name, (_, ours, holes, column) in asked.items():
        scores = uj.score(qrels, results, ours, holes=holes, scores="float32")
        assert list(table[name]) == pytest.approx(getattr(scores, column)[0, 0].mean(axis=1), abs=1e-9)
    assert (table["nDCG_lower@10"] <= table["nDCG_est@10"]).all()
    assert (table["nDCG_est@10"] <= table["nDCG_upper@10"]).all()


def test_experiments_as_its_documentation_has_them(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    """Lists with names, topics in batches, one row for each topic, a Bonferroni correction, rounding."""
    systems = [pt.Transformer.from_df(frame) for frame in results.values()]
    measures = ["map", pt.measures.nDCG @ 10, nDCG_lower @ 10]
    how: dict[str, Any] = {"names": list(results), "eval_metrics": measures}
    whole = pt.Experiment(systems, topics, qrels, **how)
    batched = pt.Experiment(systems, topics, qrels, batch_size=7, **how)
    assert list(batched["nDCG_lower@10"]) == pytest.approx(list(whole["nDCG_lower@10"]), abs=1e-12)
    each = pt.Experiment(systems, topics, qrels, perquery=True, **how)
    means = each[each["measure"] == "nDCG_lower@10"].groupby("name")["value"].mean()
    assert list(means[list(results)]) == pytest.approx(list(whole["nDCG_lower@10"]), abs=1e-12)
    test = hole_aware_test(qrels, results, measures[:2], topics=topics)
    how["eval_metrics"] = measures[:2]
    table = pt.Experiment(systems, topics, qrels, baseline=0, correction="b", round=3, test=test, **how)
    assert {"map p-value corrected", "nDCG@10 reject"} <= set(table.columns)
    assert table["nDCG@10 p-value corrected"].iloc[1:].between(0, 1).all()


def test_only_measures_whose_summary_is_a_mean_are_offered() -> None:
    assert {"indAP", "infNDCG", "nDCG_lower"} <= MEASURES.keys()
    assert not {"GMAP", "NumNonrelJudgedRet"} & MEASURES.keys()
    with pytest.raises(ImportError, match="GMAP"):
        from unjudged.compat.pyterrier import GMAP  # noqa: F401
    names: dict[str, Any] = {}
    exec("from unjudged.compat.pyterrier import *", names)
    assert MEASURES.keys() <= names.keys()


# ---- the test that knows of holes


def p_values(table: Any, name: str) -> dict[str, float]:
    row = table.set_index("name").loc[name]
    return {column.split()[0]: row[column] for column in table.columns if column.endswith("p-value")}


def test_without_unjudged_documents_it_is_the_t_test_of_pyterrier(topics: Any, qrels: Any) -> None:
    rng = np.random.default_rng(3)
    results = {name: pt.model.add_ranks(qrels[["qid", "docno"]].assign(score=rng.random(len(qrels)))) for name in "abc"}
    plain = pt.Experiment(results, topics, qrels, MEASURED[:4], baseline="b")
    for grades in ("any", "drawn"):
        test = hole_aware_test(qrels, results, MEASURED[:4], topics=topics, grades=grades)
        result = pt.Experiment(results, topics, qrels, MEASURED[:4], baseline="b", test=test)
        for name in "ac":
            assert p_values(result, name) == pytest.approx(p_values(plain, name), rel=1e-6)


def test_it_is_as_sure_as_the_unjudged_documents_allow(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    test = hole_aware_test(qrels, results, MEASURED, topics=topics)

    def both(name: str, baseline: str) -> tuple[dict[str, float], dict[str, float]]:
        tables = [pt.Experiment(results, topics, qrels, MEASURED, baseline=baseline, test=one) for one in ("t", test)]
        return p_values(tables[0], name), p_values(tables[1], name)

    plain, aware = both("good", "bad")
    assert not any(aware[measure] < plain[measure] * (1 - 1e-9) for measure in plain)
    assert plain["nDCG@10"] < aware["nDCG@10"] < 0.001  # few unjudged documents: it is better whatever they are
    plain, aware = both("new", "good")
    assert plain["nDCG@10"] < 0.05 < aware["nDCG@10"] == 1.0  # many: its low score may be the judgments' fault
    assert plain["Judged@10"] == pytest.approx(aware["Judged@10"])  # it has nothing to do with grades


def test_drawn_grades_say_more_where_much_is_unjudged(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    measures = [pt.measures.nDCG @ 10]
    tests = [hole_aware_test(qrels, results, measures, topics=topics, grades=grades) for grades in ("any", "drawn")]
    highest, drawn = (
        p_values(pt.Experiment(results, topics, qrels, measures, baseline="good", test=test), "new")["nDCG@10"]
        for test in tests
    )
    assert drawn < highest == 1.0


def test_a_run_beside_itself_does_not_spoil_the_correction(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    twice = {**results, "again": results["bad"]}
    test = hole_aware_test(qrels, twice, MEASURED[:1], topics=topics)
    how: dict[str, Any] = {"baseline": "bad", "correction": "fdr_bh"}
    column = "nDCG@10 p-value corrected"
    spoilt = pt.Experiment(twice, topics, qrels, MEASURED[:1], test="t", **how).set_index("name")[column]
    result = pt.Experiment(twice, topics, qrels, MEASURED[:1], test=test, **how).set_index("name")[column]
    assert spoilt.isna().all()  # as PyTerrier does; this fails on the day it no longer does
    assert result["again"] == 1.0 and result["good"] < 0.001


def test_some_topics_of_the_judgments(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    few = topics.iloc[3:20]
    test = hole_aware_test(qrels, results, MEASURED[:1], topics=few)
    table = pt.Experiment(results, few, qrels, MEASURED[:1], baseline="bad", test=test)
    assert p_values(table, "good")["nDCG@10"] < 0.01
    judged = qrels[qrels["qid"].isin(few["qid"])]
    same = hole_aware_test(judged, results, MEASURED[:1], topics=list(few["qid"]))
    scores = uj.score(judged, results, "nDCG@10", scores="float32").values[0, 0]
    assert test(scores[0], scores[1]).pvalue == same(scores[0][::-1], scores[1][::-1]).pvalue


def test_a_run_that_lacks_topics_is_recognised(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    short = {**results, "good": results["good"][~results["good"]["qid"].isin(["q2", "q5"])]}
    test = hole_aware_test(qrels, short, MEASURED, topics=topics)
    result = p_values(pt.Experiment(short, topics, qrels, MEASURED, baseline="bad", test=test), "good")
    plain = p_values(pt.Experiment(short, topics, qrels, MEASURED, baseline="bad"), "good")
    assert result["nDCG@10"] >= plain["nDCG@10"]


def test_scores_that_it_does_not_know_are_refused(results: dict[str, Any], topics: Any, qrels: Any) -> None:
    test = hole_aware_test(qrels, results, MEASURED[:1], topics=topics)
    with pytest.raises(InputError) as caught:
        pt.Experiment(results, topics, qrels, ["map"], baseline="bad", test=test)
    assert str(caught.value) == (
        "hole_aware_test knows no two runs with these scores for 30 topics: give it the judgments, results, measures"
        " and topics of the experiment"
    )


def test_what_it_cannot_test_is_said_at_once(results: dict[str, Any], qrels: Any) -> None:
    with pytest.raises(SpecError, match=r"^nDCG_lower@10: a difference of bounds .* use nDCG@10$"):
        hole_aware_test(qrels, results, [nDCG_lower @ 10])
    with pytest.raises(InputError, match=r"^a test needs at least two runs, not 1$"):
        hole_aware_test(qrels, results["good"], ["map"])
    with pytest.raises(InputError, match=r"^none of the topics is judged; the judged ones are q0, q1, "):
        hole_aware_test(qrels, results, ["map"], topics=["30", "31"])
    with pytest.raises(InputError, match=r"^grades must be one of 'any', 'drawn', not 'some'$"):
        hole_aware_test(qrels, results, ["map"], grades="some")  # type: ignore[arg-type]


def test_in_the_demo_it_does_not_call_the_better_system_worse(tmp_path: Any) -> None:
    """The table of docs/pyterrier.md."""
    demo = write_collection(tmp_path / "demo")
    qrels, truth = (pt.io.read_qrels(str(file)) for file in (demo.qrels, demo.truth))
    topics = qrels[["qid"]].drop_duplicates().assign(query="...")
    names = ("cedar-fused", "birch-keyword", "later-neural-base")
    results = {name: pt.io.read_results(str(demo.directory / "runs" / f"{name}.run")) for name in names}
    how: dict[str, Any] = {"topics": topics, "eval_metrics": [pt.measures.nDCG @ 10], "baseline": "cedar-fused"}
    tests = {
        "t": "t",
        "any": hole_aware_test(qrels, results, how["eval_metrics"], topics=topics),
        "drawn": hole_aware_test(qrels, results, how["eval_metrics"], topics=topics, grades="drawn"),
    }
    tables = {name: pt.Experiment(results, qrels=qrels, test=test, **how) for name, test in tests.items()}
    keyword = [p_values(table, "birch-keyword")["nDCG@10"] for table in tables.values()]
    neural = [p_values(table, "later-neural-base")["nDCG@10"] for table in tables.values()]
    assert keyword == pytest.approx([1.8e-8] * 3, rel=0.02)
    assert neural == pytest.approx([0.0005124, 1.0, 1.0], rel=1e-3)
    real = pt.Experiment(results, qrels=truth, test="t", **how).set_index("name")["nDCG@10"]
    assert real["later-neural-base"] > real["cedar-fused"]
