"""Labels of language models for DL19: what the documentation says about them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from labelled_collections import codes, score

import unjudged as uj
from unjudged.holes import Labels


@pytest.mark.shared
def test_the_agreement_in_the_documentation_is_what_the_files_say(shared_data: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "machine-labels.md").read_text(encoding="utf-8")
    dl19 = shared_data / "dl19"
    qrels = uj.read_qrels(dl19 / "2019qrels-pass.txt")
    for name in ("umbrella_gpt-4_zeroshot_dl19.txt.gz", "TREMA_Sun.qrel.gz"):
        counts: dict[int, list[int]] = {}
        with gzip.open(dl19 / "llm_labels" / name, "rt") as lines:
            for topic, _, doc, label in map(str.split, lines):
                grade = qrels.judgments(topic).get(doc)
                if grade is not None:
                    counts.setdefault(int(label), [0] * 4)[grade] += 1
        for label, by_grade in sorted(counts.items()):
            shares = " | ".join(f"{count / sum(by_grade):.0%}" for count in by_grade)
            assert f"| {label} | {sum(by_grade):,} | {shares} |" in page


@pytest.mark.shared
def test_real_labels_for_real_holes(shared_data: Path) -> None:
    dl19 = shared_data / "dl19"
    model = Labels(file=dl19 / "llm_labels" / "TREMA_Sun.qrel.gz", grades=((1, 2),))
    scores = score(dl19 / "2019qrels-pass.txt", dl19 / "later_runs", "nDCG@10", ["nonrelevant", model])
    assert codes(scores) == ["mixed-labels"]
    shares = {row.run: row.labelled for row in scores.mean() if row.holes == str(model)}
    assert shares["pyserini-BM25"] == 0.0
    assert shares["colbert-prf_prf_rank_beta1.2019"] == pytest.approx(0.0349, abs=1e-4)
