"""Published numbers: Table 3 of the corpus bootstrapping paper, TREC-8 column (top 50 runs by RBP)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import unjudged as uj
from unjudged.data.view import join
from unjudged.measures import measures
from unjudged.uncertainty import ImageScores, bootstrap_corpus

pytestmark = pytest.mark.shared

PRINTED = {
    "AP": (0.046, 0.035),
    "nDCG@1000": (0.045, 0.028),
    "P@10": (0.144, 0.056),
    "RBP(p=0.95)@1000": (0.057, 0.024),
    "RR": (0.201, 0.145),
}
PUBLISHED_INSQ, PAPERS_INSQ = "INSQ(T=5.0)", "INSQ(T=4.5)"


@pytest.fixture(scope="module")
def images(shared_data: Path) -> ImageScores:
    folder = shared_data / "trec8"
    qrels, runs = uj.read_qrels(folder / "trec8.qrels"), uj.read_runs(folder / "runs")
    rbp = measures.parse("RBP(p=0.95)@1000")
    top = sorted(runs, key=lambda run: -rbp.score(join(run, qrels)).mean())[:50]
    chosen = [measures.parse(text) for text in [*PRINTED, PUBLISHED_INSQ, PAPERS_INSQ]]
    how = uj.CorpusBootstrap(images=1000, corpus_size=528_155)
    return bootstrap_corpus(top, qrels, chosen, how, keep=True, jobs=1)


def spread(images: ImageScores, measure: str, number: int) -> NDArray[np.float64]:
    """Mean and deviation over triples, from parts of so many images, on average over the parts."""
    assert images.scores is not None
    scores = images.scores[images.measures.index(measure)]
    parts = []
    for first in range(0, images.images, number):
        part = scores[..., first : first + number]
        every = np.concatenate([(part[i] - part[i + 1 :]).std(axis=-1).ravel() for i in range(len(part) - 1)])
        assert len(every) == 61_250
        parts.append((every.mean(), every.std()))
    return np.mean(parts, axis=0)


@pytest.mark.parametrize("measure", list(PRINTED))
def test_table_3_with_as_many_images_as_in_the_paper(measure: str, images: ImageScores) -> None:
    np.testing.assert_allclose(spread(images, measure, 100), PRINTED[measure], atol=0.002)


@pytest.mark.parametrize("measure", [measure for measure in PRINTED if measure != "RR"])
def test_table_3_with_1000_images(measure: str, images: ImageScores) -> None:
    np.testing.assert_allclose(spread(images, measure, 1000), PRINTED[measure], atol=0.002)


def test_rr_varies_more_than_100_images_show(images: ImageScores) -> None:
    """A deviation from few images is too low where a score rarely changes: printed .201, 1,000 images give .205."""
    assert spread(images, "RR", 1000)[0] == pytest.approx(0.2054, abs=0.001)


def test_insq_of_the_paper_counts_ranks_from_0(images: ImageScores) -> None:
    """(i + 8)^-2 / S(9): weights of T = 4.5, which sum to S(8) / S(9); see experiments/results/corpus-table3.md."""
    whole = np.pi**2 / 6 - np.cumsum(1.0 / np.arange(1, 10) ** 2)
    np.testing.assert_allclose(spread(images, PUBLISHED_INSQ, 100), (0.066, 0.029), atol=0.001)
    np.testing.assert_allclose(spread(images, PAPERS_INSQ, 100) * whole[7] / whole[8], (0.078, 0.035), atol=0.001)
