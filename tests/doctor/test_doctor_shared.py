"""What the doctor says about real collections."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from doctor_collection import lines

import unjudged as uj

pytestmark = pytest.mark.shared


def test_later_runs_of_dl19(shared_data: Path) -> None:
    """Tabs and spaces, ranks from 0, ranks that are not ranks."""
    folder = shared_data / "dl19"
    diagnosis = uj.doctor(folder / "2019qrels-pass.txt", folder / "later_runs")
    assert diagnosis.ok
    assert len(diagnosis.runs) == 6
    assert lines(diagnosis, "rank-column-disagrees") == [
        "warning 43 drmm.res.gz:751 | in 43 of 43 topics ranks and scores order documents differently"
        " | topic '19335': rank 942 has score 17.7636, rank 751 only 17.1285"
    ]
    assert [one.split(" | ")[1] for one in lines(diagnosis, "rank-column-unusual")] == [
        "in 43 of 43 topics ranks start at 0"
    ] * 3
    assert len(lines(diagnosis, "unsorted-lines")) == 2
    lowest = min(row.judged for row in diagnosis.judged if (row.definition, row.cutoff) == ("unjudged", 10))
    assert lowest == pytest.approx(0.851, abs=5e-4)


def test_runs_of_dl19_are_sound(shared_data: Path) -> None:
    folder = shared_data / "dl19"
    diagnosis = uj.doctor(folder / "2019qrels-pass.txt", folder / "runs")
    assert Counter(one.severity for one in diagnosis.findings if one.code != "ties-at-cutoff").keys() == {"note"}
    assert len(diagnosis.runs) == 37


def test_trec_covid(shared_data: Path) -> None:
    folder = shared_data / "trec-covid"
    qrels = folder / "incomplete-beir-trec-covid.txt.gz"
    diagnosis = uj.doctor(qrels, str(folder / "*-run.txt.gz"))
    assert lines(diagnosis, "negative-grades") == [
        "note 2 incomplete-beir-trec-covid.txt.gz:53901 | 2 grades below 0: -1 (2 times); taken as judged, with grade 0"
        " | document '9hbib8b3' of topic '38' has grade -1"
    ]
    assert lines(diagnosis, "topics-missing-in-run") == [
        "warning 20 BBGhelani2-run.txt.gz | 20 of 50 judged topics are not in the run"
        " | topics '31', '32', '33' and 17 more"
    ]
    # 1 minus trec_eval's share is U@10: 41.0% for TAS-B in Table 7 of the bootstrapped nDCG paper.
    shares = {row.run: row.judged for row in diagnosis.judged if (row.definition, row.cutoff) == ("trec_eval", 10)}
    assert shares["tas-b-09-01-2023"] == pytest.approx(0.590, abs=5e-4)


def test_a_submitted_run_with_a_duplicate(shared_data: Path) -> None:
    folder = shared_data / "pm2018-sampled"
    runs = [folder / f"UNTIIA_{name}.gz" for name in ("DGES", "DGS", "WTU")]
    diagnosis = uj.doctor(folder / "qrels-sample-abstracts.2018.txt.gz", runs)
    assert lines(diagnosis, "duplicate-documents") == [
        "error 1 UNTIIA_DGES.gz:11438 | 1 line ranks a document again"
        " | document '12041507' of topic '24', first in line 11437"
    ]
    assert diagnosis.qrels is not None
    assert (diagnosis.qrels.kind, diagnosis.qrels.pooled) == ("strata", 43_477)


@pytest.mark.slow
def test_all_of_trec8(shared_data: Path) -> None:
    folder = shared_data / "trec8"
    diagnosis = uj.doctor(folder / "trec8.qrels", folder / "runs")
    assert diagnosis.ok
    assert len(diagnosis.runs) == 129
    assert [one.example for one in diagnosis.findings if one.code == "copied-runs"] == [
        "Mer8Adtd1, Mer8Adtd2",
        "isa25t, isa50t",
    ]
