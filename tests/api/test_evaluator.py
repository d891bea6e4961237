"""An evaluator says what ``uj.score`` says, whatever a run is given as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")

MEASURES = ["nDCG@3", "AP", "P@2", "RR", "Bpref", "infAP", "RBP(p=0.8)", "GMAP", "NumRet"]
QRELS = {topic: {f"d{i}": (i * int(topic)) % 4 - 1 for i in range(8)} for topic in ("1", "2", "3", "10")}
EVALUATOR = uj.Evaluator(QRELS, MEASURES)
EVALUATOR.doc_codes([f"d{i}" for i in range(13)])

documents = st.dictionaries(
    st.integers(0, 12).map("d{}".format), st.sampled_from([0, 1, 1.5, -2.5e300, 0.1]), max_size=9
)
runs = st.dictionaries(st.sampled_from(["1", "2", "3", "10", "99"]), documents, max_size=5)


def is_one(run: dict[str, Any]) -> bool:
    return any(run.values()) and any(topic in QRELS for topic, docs in run.items() if docs)


def assert_same(got: uj.Evaluation, run: Any) -> None:
    want = uj.score(QRELS, [uj.read_run(run)], MEASURES)
    assert got.topics == want.topics
    assert got.measures == want.measures
    np.testing.assert_array_equal(got.values, want.values[0, :, 0])
    np.testing.assert_array_equal(got.judged, want.judged[0, :, 0])
    assert list(got.mean().values()) == want.means[0, :, 0].tolist()


class TestScore:
    @given(runs.filter(is_one))
    def test_dicts(self, run: dict[str, dict[str, float]]) -> None:
        assert_same(EVALUATOR.score(run), {topic: docs for topic, docs in run.items() if docs})

    @given(runs.filter(is_one))
    def test_what_else_is_read(self, run: dict[str, dict[str, float]]) -> None:
        rows = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
        assert_same(EVALUATOR.score(rows), rows)
        assert_same(EVALUATOR.score(uj.read_run(rows)), rows)
        assert_same(EVALUATOR.score({int(topic): docs for topic, docs in run.items() if docs}), rows)

    def test_single_precision(self) -> None:
        run = {"1": {"d1": 0.1, "d2": 0.1 + 1e-12}}
        both = [uj.Evaluator(QRELS, "RR", scores=kind).score(run).values[0, 0] for kind in ("float64", "float32")]
        assert both == [uj.score(QRELS, [run], "RR", scores=kind).values[0, 0, 0, 0] for kind in ("float64", "float32")]

    def test_holes_and_shares(self) -> None:
        got = uj.Evaluator({"1": {"a": 1, "b": 0}, "2": {"c": 1}}, ["P@2", "AP"]).score({"1": {"a": 3, "x": 2, "y": 1}})
        assert got.holes.tolist() == [[1, 0], [2, 0]]
        np.testing.assert_array_equal(got.judged, [[1 / 2, np.nan], [1 / 3, np.nan]])
        assert got.to_dict() == {"1": {"P@2": 0.5, "AP": 1.0}, "2": {"P@2": 0.0, "AP": 0.0}}
        assert repr(got) == "Evaluation(P@2: 0.2500, AP: 0.5000)"

    @pytest.mark.parametrize(
        ("run", "message"),
        [
            ({"1": {"d1": float("nan")}}, "run: the score of topic '1', document 'd1' is not a finite number: nan"),
            ({"1": {" d1": 1}}, "run: a document id is empty or has spaces around it: ' d1'"),
            ({"1": [1]}, "run: expected {topic: {doc: score}}, but topic '1' holds list"),
            (7, "cannot read a run from int; give a path, a dict of dicts or a frame"),
        ],
    )
    def test_mistakes_are_said_as_by_read_run(self, run: Any, message: str) -> None:
        with pytest.raises(uj.InputError) as problem:
            EVALUATOR.score(run)
        with pytest.raises(uj.InputError) as usual:
            uj.read_run(run)
        assert str(problem.value) == str(usual.value) == message


class TestArrays:
    @given(runs.filter(is_one), st.sampled_from(["text", "bytes", "codes"]), st.randoms(use_true_random=False))
    def test_as_dicts(self, run: dict[str, dict[str, float]], kind: str, random: Any) -> None:
        rows = [(topic, doc, score) for topic, docs in run.items() if topic in QRELS for doc, score in docs.items()]
        random.shuffle(rows)
        docs: Any = [doc for _, doc, _ in rows]
        docs = {"text": docs, "bytes": [doc.encode() for doc in docs], "codes": EVALUATOR.doc_codes(docs)}[kind]
        places = [EVALUATOR.topics.index(topic) for topic, _, _ in rows]
        assert_same(EVALUATOR.score_arrays(places, docs, [float(score) for *_, score in rows]), rows)

    def test_a_row_for_each_topic(self) -> None:
        docs, scores = np.array([["d1", "d2"], ["d3", "d9"]]), np.array([[1.0, 2.0], [0.5, 0.25]], dtype=np.float32)
        got = EVALUATOR.score_arrays(np.array([2, 0]), docs, scores)
        assert_same(got, {"3": {"d1": 1.0, "d2": 2.0}, "1": {"d3": 0.5, "d9": 0.25}})

    def test_what_has_dlpack_alone(self) -> None:
        class Tensor:
            def __init__(self, array: Any) -> None:
                self.array = array

            def __dlpack__(self, **more: Any) -> Any:
                return self.array.__dlpack__(**more)

            def __dlpack_device__(self) -> Any:
                return self.array.__dlpack_device__()

        codes = EVALUATOR.doc_codes(["d1", "d2"])
        got = EVALUATOR.score_arrays(Tensor(np.array([0, 0])), Tensor(codes), Tensor(np.array([1.0, 2.0])))
        assert_same(got, {"1": {"d1": 1.0, "d2": 2.0}})

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            (
                ([0], ["d1", "d2"], [1.0, 2.0]),
                "topic_index, doc_ids and scores must be as long as each other, not of shapes (1,), (2,) and (2,)",
            ),
            (([4], ["d1"], [1.0]), "topic_index must hold places of topics, which are 0 to 3"),
            (([0.5], ["d1"], [1.0]), "topic_index must hold places of topics, which are 0 to 3"),
            (([0, 0], ["d1", "d1"], [1.0, 2.0]), "a document is there twice for the same topic"),
            (([0], ["d1"], [float("inf")]), "scores[0] is not a finite number: inf"),
            (([0], ["d1"], ["1"]), "scores must be numbers, not <U1"),
            (([0], [99], [1.0]), "doc_ids must be codes that doc_codes gave, which were 13 codes so far"),
            (([0], [1.5], [1.0]), "a document id must be text, bytes or a code that doc_codes gave, not 1.5"),
        ],
    )
    def test_mistakes(self, arrays: Any, message: str) -> None:
        with pytest.raises(uj.InputError) as problem:
            EVALUATOR.score_arrays(*arrays)
        assert str(problem.value) == message


class TestMaking:
    def test_without_measures(self) -> None:
        with pytest.raises(uj.InputError, match=r"^no measure was given; for example nDCG@10$"):
            uj.Evaluator(QRELS, [])

    def test_what_a_measure_lacks_is_said_at_once(self) -> None:
        with pytest.raises(uj.InputError, match="alpha_nDCG"):
            uj.Evaluator(QRELS, "alpha_nDCG@10")

    def test_how_it_looks(self) -> None:
        assert repr(uj.Evaluator({"1": {"a": 1}}, "RR")) == "Evaluator(Qrels(1 topic, 1 judged, grades {1: 1}), RR)"
