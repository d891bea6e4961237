"""Labels of language models for DL19: what the documentation says about them."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest
from labelled_collections import Judgments, codes, score

import unjudged as uj
from unjudged.holes import Bootstrap, Labels


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


def without_team(qrels: Judgments, mine: list[uj.Run], others: list[uj.Run]) -> Judgments:
    """Judgments without the documents that only one team has in its top 10."""
    kept = {}
    for topic, docs in qrels.items():
        tops = [{doc for run in runs for doc, _ in run.ranking(topic)[:10]} for runs in (mine, others)]
        kept[topic] = {doc: grade for doc, grade in docs.items() if doc not in tops[0] - tops[1]}
    return kept


@pytest.mark.shared
@pytest.mark.slow
def test_the_errors_in_the_documentation_are_what_comes_out(shared_data: Path) -> None:
    from scipy.stats import kendalltau

    dl19 = shared_data / "dl19"
    judged = uj.read_qrels(dl19 / "2019qrels-pass.txt")
    qrels = {topic: judged.judgments(topic) for topic in judged.topics}
    runs = uj.read_runs(dl19 / "runs")
    teams = dict(line.split()[:2] for line in (dl19 / "runs_teams.tsv").read_text().splitlines())
    truth = dict(zip([run.name for run in runs], score(qrels, runs, "nDCG@10", "nonrelevant").means[0, 0], strict=True))
    files = {"UMBRELA": "umbrella_gpt-4_zeroshot_dl19.txt.gz", "Sun": "TREMA_Sun.qrel.gz"}
    umbrela, sun = (Labels.of(uj.read_qrels(dl19 / "llm_labels" / file), name=name) for name, file in files.items())
    models = {
        "nonrelevant": "nonrelevant",
        "condensed": "condensed",
        "bootstrap": "bootstrap",
        "labels(UMBRELA)": umbrela,
        "bootstrap(prior=labels,labels=UMBRELA)": Bootstrap(prior="labels", labels=umbrela.file),
        "labels(Sun,grades={1: 2})": sun.replace(grades={1: 2}),
        "bootstrap(prior=labels,labels=Sun)": Bootstrap(prior="labels", labels=sun.file),
    }
    errors: list[np.ndarray] = []
    for team in sorted({teams[run.name] for run in runs}):
        mine = [run for run in runs if teams[run.name] == team]
        kept = without_team(qrels, mine, [run for run in runs if teams[run.name] != team])
        means = score(kept, mine, "nDCG@10", list(models.values())).means[:, 0]
        errors.append(np.abs(means - [truth[run.name] for run in mine]))
    new_team = np.concatenate(errors, axis=1)
    rng = random.Random(1)
    few = {topic: {doc: grade for doc, grade in docs.items() if rng.random() > 0.7} for topic, docs in qrels.items()}
    random_70 = score(few, runs, "nDCG@10", list(models.values())).means[:, 0]
    page = (Path(__file__).parents[2] / "docs" / "machine-labels.md").read_text(encoding="utf-8")
    for name, team_errors, means in zip(models, new_team, random_70, strict=True):
        numbers = [team_errors.mean(), team_errors.max(), np.abs(means - list(truth.values())).mean()]
        tau = kendalltau(means, list(truth.values())).statistic
        cells = [f"{number:.3f}"[1:] for number in numbers] + [f"{tau:.2f}"[1:]]
        assert f"| `{name}` | {' | '.join(cells)} |" in page
