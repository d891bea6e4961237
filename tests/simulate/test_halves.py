"""Judgments of one half of the corpus, runs over the other: against judgments and runs that are really cut in two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import unjudged as uj
from unjudged.data.ids import Ids
from unjudged.demo.collection import write_collection
from unjudged.simulate.samples import in_first_half

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
MEASURES = ["ABSNB(mu=50)@10", "alpha_nDCG@10"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("halves") / "demo").qrels.parent


@pytest.mark.parametrize("judged", ["other", "same"])
def test_truth_and_estimates_are_those_of_two_collections(demo: Path, judged: str, tmp_path: Path) -> None:
    runs = sorted((demo / "runs").glob("*.run"))[:5]
    result = uj.reuse(
        demo / "diversity.qrels",
        runs,
        MEASURES,
        truth="alpha_nDCG@10",
        degrade=f"OtherHalf({judged})",
        texts=demo / "docs.jsonl",
        holes="nonrelevant",
        never_judged="nonrelevant",
        repeat=2,
        jobs=1,
    )
    truths, estimates = [], []
    for repetition in range(2):

        def is_first(doc: str, repetition: int = repetition) -> bool:
            return bool(in_first_half(Ids.of([doc]), seed=42, repetition=repetition)[0])

        lines = [line.split() for line in (demo / "diversity.qrels").read_text().splitlines()]
        halves = {}
        for first in (True, False):
            # Topics stay: one that lost all its judgments counts as 0, as it does in the study.
            mine = [" ".join(line) for line in lines if is_first(line[2]) == first]
            listed = [f"{topic} {subtopic} nothing 0" for topic, subtopic, *_ in lines]
            halves[first] = tmp_path / f"{judged}-{repetition}-{first}.qrels"
            halves[first].write_text("\n".join([*mine, *dict.fromkeys(listed)]) + "\n")
        cut = {}
        for path in runs:
            kept = [line for line in path.read_text().splitlines() if not is_first(line.split()[2])]
            cut[path.stem] = tmp_path / f"{judged}-{repetition}-{path.name}"
            cut[path.stem].write_text("\n".join(kept) + "\n")
        truths.append(uj.score(halves[False], cut, "alpha_nDCG@10").means[0, 0])
        there = halves[judged == "other"]
        estimates.append(uj.score(there, cut, MEASURES, texts=demo / "docs.jsonl").means[0])
    for m, measure in enumerate(uj.score(there, cut, MEASURES, texts=demo / "docs.jsonl").measures):
        rows = [row for row in result.tables.runs if row.measure == measure]
        assert len(rows) == 5
        assert [row.true_score for row in rows] == pytest.approx(np.mean(truths, axis=0))
        assert [row.estimate for row in rows] == pytest.approx(np.mean([one[m] for one in estimates], axis=0))
    if judged == "other":
        assert all(row.estimate == 0 for row in rows)  # nothing that runs return is judged
    by_draw = [row for row in result.tables.repetitions if row.measure != "alpha_nDCG@10"]
    for row, truth, estimate in zip(by_draw, truths, estimates, strict=True):
        assert row.tau_a == pytest.approx(uj.agreement(truth, estimate[0]).tau_a)
        assert row.rmse == pytest.approx(np.sqrt(np.mean((estimate[0] - truth) ** 2)))
