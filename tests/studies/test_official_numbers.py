"""The numbers NIST published, reproduced from the runs and judgments."""

from __future__ import annotations

import csv
import tarfile
from collections import defaultdict
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.results.scores import Scores

pytestmark = pytest.mark.shared

TREC8 = {"map": "AP", "P_10": "P@10", "bpref": "Bpref", "infAP": "infAP", "ndcg_cut_10": "nDCG@10"}


def per_topic(scores: Scores, run: str, measure: str) -> dict[str, float]:
    r, m = scores.runs.index(run), scores.measures.index(measure)
    return dict(zip(scores.topics, scores.values[0, m, r].tolist(), strict=True))


def official_trec8(shared_data: Path) -> dict[str, dict[str, dict[str, str]]]:
    """run -> trec_eval measure -> topic -> value as printed."""
    out: dict[str, dict[str, dict[str, str]]] = {}
    with tarfile.open(shared_data / "trec8" / "eval.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is None:
                continue
            values: dict[str, dict[str, str]] = defaultdict(dict)
            for line in file.read().decode().splitlines():
                measure, topic, value = line.split("\t")
                values[measure.strip()][topic] = value
            out[member.name.rsplit("eval.", 1)[1]] = values
    return out


@pytest.mark.filterwarnings("ignore:infAP. the judgments list no document that was pooled but not judged")
def test_trec8_per_topic_values_of_all_129_runs_equal_the_official_output(shared_data: Path) -> None:
    official = official_trec8(shared_data)
    runs = {path.name[len("input.") : -len(".gz")]: path for path in (shared_data / "trec8" / "runs").iterdir()}
    assert len(runs) == 129
    scores = uj.score(shared_data / "trec8" / "trec8.qrels", runs, list(TREC8.values()))
    compared = 0
    for run in runs:
        for trec_name, ours in TREC8.items():
            for topic, value in per_topic(scores, run, ours).items():
                assert f"{value:.4f}" == official[run][trec_name][topic], (run, trec_name, topic)
                compared += 1
    assert compared == 129 * 50 * 5


def test_dl19_ndcg_at_10_of_all_37_runs_equals_the_official_output(shared_data: Path) -> None:
    folder = shared_data / "dl19"
    scores = uj.score(folder / "2019qrels-pass.txt", folder / "runs", ["nDCG@10"])
    with (folder / "dl19.ndcg_cut10").open() as file:
        rows = [row for row in csv.DictReader(file) if row["topic"] != "average"]
    assert len({row["runid"] for row in rows}) == len(scores.runs) == 37
    for row in rows:
        value = per_topic(scores, row["runid"], "nDCG@10")[row["topic"]]
        assert f"{value:.4f}" == row["ndcg_cut_10"], row


@pytest.mark.parametrize(("trec_name", "ours"), [("map", "AP(rel=2)"), ("bpref", "Bpref(rel=2)")])
def test_dl19_official_means(shared_data: Path, trec_name: str, ours: str) -> None:
    folder = shared_data / "dl19"
    scores = uj.score(folder / "2019qrels-pass.txt", folder / "runs", [ours]).mean()
    with (folder / "official_means.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["eval_tool"] == "passages-eval"]
    official = {row["run"]: row["value"] for row in rows if row["measure"] == trec_name}
    assert len(official) == 37
    for run, value in official.items():
        assert f"{scores[run, ours]:.4f}" == value, run
