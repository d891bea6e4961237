"""Published numbers about real collections."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

import unjudged as uj

pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")]


def test_figure_2_of_the_paper(shared_data: Path) -> None:
    """Binary gain (grades 2 and 3), no cut-off anywhere, the best run of each other team, without ICTNET."""
    folder = shared_data / "dl19"
    lines = (folder / "runs_teams.tsv").read_text().splitlines()[1:]
    teams = dict(line.split("\t")[:2] for line in lines)
    runs = [run for run in uj.read_runs(folder / "runs", scores="float32") if teams[run.name] != "ICTNET"]
    result = uj.relative(
        folder / "2019qrels-pass.txt", runs, "NRG(nDCG, gain=binary, rel=2)", groups=teams, absolute="nDCG@10"
    )
    expected = {"bm25base_ax_p": 0.3098, "idst_bert_p1": 0.3212, "idst_bert_pr1": 0.2221, "bm25tuned_p": 0.2278}
    assert {name: round(result.run(name).nrg, 4) for name in expected} == expected
    baselines = [row.nrg for row in result.rows() if row.group == "BASELINE"]
    assert result.run("srchvrs_ps_run3").nrg < min(baselines)
    assert result.run("idst_bert_pr1").nrg < min(baselines)
    assert result.prior_depth is None


def test_unique_relevant_documents_of_trec_8_teams(shared_data: Path) -> None:
    """NIST's annotated judgments name the teams that had each document in the top 100 of any run, pooled or not."""
    folder = shared_data / "trec8"
    with gzip.open(folder / "annotated-qrels.gz", "rt") as stream:
        rows = [line.split() for line in stream]
    expected = Counter(row[5] for row in rows if int(row[3]) > 0 and len(row) == 6)
    result = uj.relative(
        folder / "trec8.qrels", folder / "runs", groups=folder / "runs-pids", pool_depth=100, scores="float32"
    )
    assert {row.group: row.unique for row in result.groups()} == {
        row.group: expected[row.group] for row in result.groups()
    }
    assert (len(result.groups()), sum(expected.values())) == (41, 935)
