"""Measures of texts on real runs: DL19 with exam questions as subtopics, and AMBIENT."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.errors import UnjudgedWarning

pytestmark = pytest.mark.shared


def test_dl19(shared_data: Path) -> None:
    """Another implementation found tau .69 and .70 between alpha-nDCG@10 and ABSRB@10, DELTARB@10."""
    folder = shared_data / "dl19"
    names = ["alpha_nDCG(rel=4)@10", "ABSRB(rel=4)@10", "DELTARB(rel=4)@10"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnjudgedWarning)
        scores = uj.score(
            folder / "exam-questions-as-subtopics.diversity-qrels.gz",
            folder / "runs",
            names,
            texts=folder / "qrels_text.dl19.gz",
        )
    assert [one.code for one in scores.warnings] == ["missing-texts", "mu-far-above-length"]
    assert "documents within rank 10 of the runs have no text, such as " in str(caught[0].message)
    assert len(scores.subtopic_models) == 370
    assert all(size.documents == size.relevant for size in scores.subtopic_models)
    truth, absolute, delta = scores.means[0]
    assert round(uj.agreement(truth, absolute).tau_a, 2) == 0.69
    assert round(uj.agreement(truth, delta).tau_a, 2) == 0.70


def test_ambient_and_cranfield_are_read(shared_data: Path) -> None:
    ambient = uj.read_texts(shared_data / "ambient" / "results.txt")
    assert len(ambient) == ambient.documents == 4400
    assert ambient.counts_of("1.1")["apnea"] == 2
    cranfield = uj.read_texts(shared_data / "cranfield" / "cran.all.1400.xml.gz")
    assert len(cranfield) == 1400
    assert cranfield.counts_of("1")["slipstream"] == 6
