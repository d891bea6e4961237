"""All images of small corpora, written out as real collections: every measure must see in them what it would score."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from measure_views import QrelsDict, RunDict, make_qrels, make_run, make_view
from numpy.typing import NDArray
from test_every_measure import EVERY, every_measure

from unjudged.data.corpus_images import ImageBlock, Images
from unjudged.data.view import View
from unjudged.measures import Measure, measures
from unjudged.uncertainty.corpus import Corpus, score_block

DOCS = "abcde"
QRELS: QrelsDict = {
    "graded": {"a": 3, "b": 0, "d": 1, "e": 2},
    "one": {"c": 3, "d": 0, "e": 0},
    "pooled": {"a": 1, "b": -1, "c": 2, "d": 0},
    "none": {"a": 0, "b": 0},
}
RUNS: dict[str, RunDict] = {
    "first": {
        "graded": {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1},
        "one": {"a": 5, "d": 4, "c": 3, "e": 2, "b": 1},
        "pooled": {"b": 5, "c": 4, "e": 3, "a": 2},
        "none": {"c": 2, "a": 1},
    },
    "second": {
        "graded": {"c": 4, "b": 3, "e": 2, "d": 1},
        "pooled": {"d": 5, "e": 4, "a": 3, "b": 2, "c": 1},
        "none": {"b": 1},
    },
}
DRAWS = np.array(list(itertools.product(range(5), repeat=5)))
COPIES, TIMES = np.unique([np.bincount(draw, minlength=5) for draw in DRAWS], axis=0, return_counts=True)


@cache
def written_out(name: str) -> View:
    """All images in one collection: topic ``t/7`` is topic t in image 7, and every copy is a document of its own."""
    run = RUNS[name]
    image_run: RunDict = {}
    image_qrels: QrelsDict = {}
    for image, counts in enumerate(COPIES.tolist()):
        copies = {doc: [f"{image}-{doc}-{i}" for i in range(count)] for doc, count in zip(DOCS, counts, strict=True)}
        for topic, judged in QRELS.items():
            ranking = sorted(run.get(topic, {}), key=lambda doc: -run[topic][doc])
            names = [name for doc in ranking for name in copies[doc]]
            image_run[f"{topic}/{image}"] = {name: float(len(names) - i) for i, name in enumerate(names)}
            image_qrels[f"{topic}/{image}"] = {name: g for doc, g in judged.items() for name in copies[doc]}
    return make_view(image_run, image_qrels)


def expected(measure: Measure, name: str) -> NDArray[np.float64]:
    """Plain scores of that collection: (topics, images). Topics whose judgments are all gone are left to the caller."""
    view = written_out(name)
    scores = measure.score(view)
    level = measure.rel or 1
    if measure.has_holes and not measure.is_count:
        scores[view.total_relevant(level) == 0] = 0.0
    return scores.reshape(len(COPIES), len(QRELS)).T


@cache
def all_images() -> tuple[Corpus, ImageBlock]:
    corpus = Corpus.of([make_run(run) for run in RUNS.values()], make_qrels(QRELS), 5)
    order = [DOCS.index(doc) for doc in corpus.documents]
    copies = np.ascontiguousarray(COPIES[:, order].T.astype(np.uint8))
    return corpus, ImageBlock(corpus.qrels, corpus.judged, copies)


def test_there_are_as_many_images_as_there_should_be() -> None:
    assert TIMES.sum() == 5**5
    assert len(COPIES) == 126


@pytest.mark.parametrize("measure", [one for one in every_measure.args[1] if not one.needs], ids=str)
@pytest.mark.parametrize("way", ["quick", "written out"])
def test_every_measure_on_all_images_of_five_documents(
    measure: Measure, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, block = all_images()
    if way == "written out":
        monkeypatch.setattr(type(measure), "score_images", lambda self, images: None)
    got = score_block(corpus.views, block, [measure]).reshape(len(QRELS), len(RUNS), len(COPIES))
    for r, name in enumerate(RUNS):
        np.testing.assert_allclose(got[:, r], expected(measure, name), atol=1e-12, rtol=0)


QUICK = [
    "AP", "Bpref", "DCG", "ERR", "GMAP", "GMBpref", "INSQ", "P", "R", "RBP", "RR", "Rprec", "SDCG", "SetR", "Success",
    "nDCG", "nERR",
]  # fmt: skip
SLOW_FORMS = {"RBP(p=0.5,scale='topic')", "DCG(dcg='exp-log2',gains={0: 0.5, 2: 9.0})@5"} | {
    "nDCG(gains={0: 1.0, 1: 4.0},judged_only=True)@20"
}


def test_which_measures_need_no_image_written_out() -> None:
    """Not a promise, but a loss of speed by a factor of a hundred should not go unseen."""
    corpus, block = all_images()
    quick = {text for text in EVERY if measures.parse(text).score_images(Images(corpus.views[0], block)) is not None}
    assert quick == {text for text in EVERY if measures.parse(text).name in QUICK} - SLOW_FORMS


@pytest.mark.parametrize("text", ["RBP", "SDCG@3", "ERR", "INSQ", "INST", "BPM@3", "NERR9@3", "NERR10"])
def test_the_grade_scale_stays_that_of_the_root(text: str) -> None:
    """Where no document of the highest grade is left, the others do not become better."""
    corpus, block = all_images()
    measure = measures.parse(text)
    got, topped = score_block(corpus.views, block, [measure, measure.replace(max_grade=3)])
    np.testing.assert_allclose(got, topped, atol=1e-15, rtol=0)


# ---- closed forms over all images, each with its probability


def test_chance_that_no_relevant_document_is_left() -> None:
    corpus, block = all_images()
    total = Images(corpus.views[0], block).total_relevant(1)[:: len(RUNS)]
    for t, relevant in enumerate([3, 1, 2, 0]):
        assert TIMES[total[t] == 0].sum() / 5**5 == pytest.approx((1 - relevant / 5) ** 5)


@pytest.mark.parametrize("p", [0.3, 0.8, 0.95])
def test_expected_rbp_is_its_closed_form(p: float) -> None:
    """E[RBP] = sum over relevant ranks j of (1 - (j-1)(1-p)/D)^D - (1 - j(1-p)/D)^D."""
    corpus, block = all_images()
    measure = measures.parse(f"RBP(p={p},rel=1)")
    scores = score_block(corpus.views, block, [measure])[0] @ TIMES / 5**5
    for t, (topic, judged) in enumerate(QRELS.items()):
        for r, run in enumerate(RUNS.values()):
            ranking = sorted(run.get(topic, {}), key=lambda doc: -run[topic][doc])
            ranks = [j for j, doc in enumerate(ranking, start=1) if judged.get(doc, 0) > 0]
            closed = sum((1 - (j - 1) * (1 - p) / 5) ** 5 - (1 - j * (1 - p) / 5) ** 5 for j in ranks)
            assert scores[t * len(RUNS) + r] == pytest.approx(closed, abs=1e-12)
