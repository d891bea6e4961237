"""Charts of real collections say what the papers' figures say."""

from __future__ import annotations

from pathlib import Path

import pytest

import unjudged as uj

pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")]


@pytest.fixture(scope="module")
def ance(shared_data: Path) -> uj.Scores:
    folder = shared_data / "trec-covid"
    run, qrels = folder / "ance-09-01-2023-run.txt.gz", folder / "incomplete-beir-trec-covid.txt.gz"
    return uj.score(qrels, run, "nDCG@10", holes=["bounds", "condensed", "bootstrap"])


@pytest.mark.parametrize(("topic", "unlikely"), [("3", True), ("19", True), ("34", True), ("22", False)])
def test_figure_1_of_bootstrapped_ndcg(ance: uj.Scores, topic: str, unlikely: bool) -> None:
    """Of ANCE on TREC-COVID: 'an extremely unlikely naive upper bound (Topics 3, 19, 34)', but not on topic 22."""
    chart = uj.plots.topics(ance, top=50)
    rows = [dict(zip(chart.columns, cells, strict=True)) for cells in zip(*chart.columns.values(), strict=True)]
    (bounds,) = [row for row in rows if (row["topic"], row["holes"]) == (topic, "bounds")]
    near = bounds["to"] - 0.1 * (bounds["to"] - bounds["from"])
    probability = sum(row["share"] for row in rows if row["topic"] == topic and row["share"] and row["from"] >= near)
    assert (probability < 0.01) == unlikely
    if not unlikely:
        assert probability > 0.1


def test_figure_2_of_normalized_residual_gain(shared_data: Path) -> None:
    """BASELINE's runs add much for their nDCG@10: two better neural runs fall below every one of them."""
    folder = shared_data / "dl19"
    lines = (folder / "runs_teams.tsv").read_text().splitlines()[1:]
    teams = dict(line.split("\t")[:2] for line in lines)
    runs = [run for run in uj.read_runs(folder / "runs", scores="float32") if teams[run.name] != "ICTNET"]
    measure = "NRG(nDCG, gain=binary, rel=2)"
    result = uj.relative(folder / "2019qrels-pass.txt", runs, measure, groups=teams, absolute="nDCG@10")
    chart = uj.plots.relative(result)
    height = dict(zip(chart.columns["run"], chart.columns["nrg"], strict=True))
    lowest = min(height[run] for run, team in teams.items() if team == "BASELINE")
    assert max(height["srchvrs_ps_run3"], height["idst_bert_pr1"]) < lowest
    assert height["idst_bert_p1"] == pytest.approx(0.3212, abs=5e-5)
    assert len(set(chart.columns["group"])) == 11


def test_figures_3_to_5_of_the_residual_gain_paper(shared_data: Path) -> None:
    """Unique documents do not follow nDCG@10, rareness and TaSC do; what is highest is as in experiments/results."""
    folder = shared_data / "dl19"
    teams = dict(line.split("\t")[:2] for line in (folder / "runs_teams.tsv").read_text().splitlines()[1:])
    runs = [run for run in uj.read_runs(folder / "runs", scores="float32") if teams[run.name] != "ICTNET"]
    result = uj.relative(folder / "2019qrels-pass.txt", runs, groups=teams)
    expected = {"unique": ("runid2", -0.32), "rareness": ("idst_bert_p1", 0.89), "tasc": ("idst_bert_p1", 0.88)}
    for name, (best, tau) in expected.items():
        chart = getattr(uj.plots, name)(result)
        assert len(chart.columns["run"]) == 34
        heights = dict(zip(chart.columns["run"], chart.columns[name], strict=True))
        assert max(heights, key=lambda run: heights[run]) == best
        assert round(uj.agreement(chart.columns["absolute"], chart.columns[name]).tau_b, 2) == tau


def test_129_runs_of_trec_8_fit_on_a_page(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "trec8"
    chart = uj.plots.scores(uj.score(folder / "trec8.qrels", folder / "runs", "P@10"))
    assert chart.remarks[0].startswith("The best 40 of 129 runs; the other 89 have ")
    chart.save(tmp_path / "scores.pdf")
    assert (tmp_path / "scores.pdf").stat().st_size > 10_000
