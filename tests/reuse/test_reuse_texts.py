"""reuse with measures that look at what documents say."""

from __future__ import annotations

from pathlib import Path

import pytest

import unjudged as uj
from unjudged.demo.collection import write_collection

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

MEASURE = "DELTARB(cutoff=10)"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("texts") / "demo").qrels.parent


def ask(demo: Path, degrade: str, **reading: object) -> uj.Reuse:
    runs = sorted((demo / "runs").iterdir())[:4]
    return uj.reuse(demo / "diversity.qrels", runs, MEASURE, degrade=degrade, holes="nonrelevant", **reading)  # type: ignore[arg-type]


def test_nothing_changes_where_all_judgments_are_left(demo: Path) -> None:
    (row,) = ask(demo, "KeepFraction(100%)", texts=demo / "docs.jsonl", repeat=1).correlations()
    assert (row.rmse, row.tau_b) == (0.0, 1.0)


def test_few_judgments_change_scores(demo: Path) -> None:
    (row,) = ask(demo, "KeepFraction(15%)", texts=demo / "docs.jsonl", repeat=2).correlations()
    assert row.rmse > 0


def test_without_texts_it_says_what_is_missing(demo: Path) -> None:
    with pytest.raises(uj.InputError, match=r"^DELTARB@10 needs .*texts"):
        ask(demo, "KeepFraction(15%)")
