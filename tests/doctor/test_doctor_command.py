"""The command: exit codes, formats, what is shown."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from doctor_collection import OTHER, QRELS, RUN, Collection

from unjudged.cli import main
from unjudged.kernels import CORE
from unjudged.reports.doctor import render_diagnosis
from unjudged.version import __version__

DUPLICATE = RUN + "1 Q0 a 3 0.5 mine\n"
FIRST_LINE = {"fast": "compiled core", "reference": "NumPy core, slower: no compiled core is installed"}[CORE]


def call(*arguments: str) -> int:
    """Run the command line in this process; the exit code."""
    with pytest.raises(SystemExit) as exit_:
        main(["doctor", *arguments])
    return int(exit_.value.code or 0)


def test_a_sound_collection(
    collection: Collection, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.write()
    monkeypatch.chdir(collection.folder)
    assert call("qrels", "mine", "--strict") == 0
    assert capsys.readouterr().out == (
        f"unjudged {__version__} ({FIRST_LINE})\n"
        "\n"
        "Judgments  qrels\n"
        "           2 topics, 4 judged documents\n"
        "           grades 0: 2, 1: 1, 2: 1\n"
        "Runs       1 run read: 2 topics, 4 documents\n"
        "\n"
        "Share judged, in %: mean over the judged topics that the run has.\n"
        "run   as in        @5    @10    @20   @100  @1000\n"
        "----  --------  -----  -----  -----  -----  -----\n"
        "mine  all four  100.0  100.0  100.0  100.0  100.0\n"
        "\n"
        "  unjudged    judged / retrieved in the top k; a grade below 0 is not judged\n"
        "  ir_measures the same, but a grade below 0 counts as judged\n"
        "  trec_eval   1 - unj_k: out of k; ranks without a document count as judged\n"
        "  beir        1 - Hole@k: out of k; listed for any topic counts as judged\n"
        "\n"
        "No problems found.\n"
    )


def test_a_finding_has_a_place_an_example_and_a_next_step(
    collection: Collection, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.write(runs={"mine": DUPLICATE, "again": DUPLICATE.replace("mine", "again")})
    monkeypatch.chdir(collection.folder)
    assert call("qrels", "mine", "again") == 0
    shown = capsys.readouterr().out
    assert (
        "ERROR duplicate-documents (2 of 2 runs)\n"
        "  Documents ranked more than once in a topic.\n"
        "  mine:5\n"
        "    1 line ranks a document again; for example document 'a' of topic '1', first\n"
        "    in line 1\n"
        "  also again\n"
        "  -> Keep one line for each document of a topic; `unjudged score` refuses the\n"
        "     file unless --duplicates says which line counts, and other tools differ.\n"
    ) in shown
    assert (
        "WARNING copied-runs (1 group)\n"
        "  Runs with the same documents in the same order.\n"
        "  mine, again: 2 runs rank the same documents in the same order\n"
    ) in shown
    assert shown.endswith(
        "2 errors, 1 warning. Start with the errors: `unjudged score` refuses such files,\nor its numbers are wrong.\n"
    )


@pytest.mark.parametrize(
    ("qrels", "runs", "code"),
    [
        (QRELS, {"mine": RUN}, 0),
        (QRELS[:-1], {"mine": RUN}, 0),  # a note
        (QRELS, {"mine": RUN.split("2 Q0")[0]}, 1),  # a warning
        (QRELS, {"mine": DUPLICATE}, 1),  # an error
        (QRELS, {"mine": "no run\n"}, 1),
    ],
)
def test_strict(collection: Collection, qrels: str, runs: dict[str, str], code: int) -> None:
    path, paths = collection.write(qrels, runs)
    assert call(path, *paths, "--strict") == code
    assert call(path, *paths) == 0


def test_runs_that_are_nowhere_are_wrong_input(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = collection.write()
    assert call(path, str(collection.folder / "*.run")) == 2
    assert "no file matches" in capsys.readouterr().err


def test_json(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path, paths = collection.write(runs={"mine": DUPLICATE})
    absent = str(collection.folder / "absent")
    assert call(path, *paths, absent, "-f", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["unjudged", "inputs", "read", "findings", "judged", "warnings"]
    assert document["unjudged"]["version"] == __version__
    assert document["unjudged"]["core"] == CORE
    assert [one["role"] for one in document["inputs"]] == ["qrels", "run", "run"]
    assert [one["sha256"] for one in document["inputs"]] == [
        hashlib.sha256(QRELS.encode()).hexdigest(),
        hashlib.sha256(DUPLICATE.encode()).hexdigest(),
        None,
    ]
    assert document["read"] == {
        "qrels": {
            "source": path,
            "topics": 2,
            "judged": 4,
            "pooled": 0,
            "grades": {"0": 2, "1": 1, "2": 1},
            "kind": "plain",
            "subtopics": 0,
            "covered_subtopics": 0,
        },
        "runs": [{"name": "mine", "source": paths[0], "topics": 2, "documents": 5, "judged_at": [1.0, 1.0]}],
    }
    assert document["findings"][0] == {
        "code": "unreadable-file",
        "severity": "error",
        "count": 1,
        "message": "no such file",
        "example": "",
        "next_step": "Repair it or leave it out. Nothing else was checked in this file; all other files were examined.",
        "file": absent,
        "line": None,
        "run": "absent",
        "lines": [],
    }
    assert document["findings"][1]["code"] == "duplicate-documents"
    assert (document["findings"][1]["line"], document["findings"][1]["lines"]) == (5, [5])
    assert document["judged"][0] == {"run": "mine", "definition": "unjudged", "cutoff": 5, "judged": 1.0}
    assert len(document["judged"]) == 20
    assert document["warnings"] == []


def test_diversity_judgments_are_announced(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path, paths = collection.write("1 1 a 1\n1 2 a 0\n2 1 c 1\n")
    assert call(path, *paths, "-f", "json") == 0
    document = json.loads(capsys.readouterr().out)
    (notice,) = document["warnings"]
    assert notice["code"] == "flattened-subtopics"
    assert (document["read"]["qrels"]["subtopics"], document["read"]["qrels"]["covered_subtopics"]) == (3, 2)
    assert call(path, *paths) == 0
    shown = capsys.readouterr().out
    assert "the grade of a document is its highest over the subtopics" in shown
    assert "3 subtopics, 2 of them with a relevant document" in shown


@pytest.mark.parametrize(("form", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_separated_values(
    form: str, delimiter: str, collection: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    path, paths = collection.write(runs={"mine": DUPLICATE})
    assert call(path, *paths, "-f", form) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out), delimiter=delimiter)
    assert (row["code"], row["severity"], row["count"], row["line"]) == ("duplicate-documents", "error", "1", "5")


def test_markdown(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path, paths = collection.write(runs={"mine": DUPLICATE})
    assert call(path, *paths, "-f", "markdown") == 0
    shown = capsys.readouterr().out
    assert "| severity | code | where | example | next step |" in shown
    assert "| error | duplicate-documents | 1 of 1 run |" in shown
    assert "| run | as in | @5 | @10 | @20 | @100 | @1000 |" in shown


@pytest.mark.parametrize("form", ["table", "markdown", "tsv", "csv", "json"])
def test_output_file(form: str, collection: Collection, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, paths = collection.write()
    assert call(path, *paths, "-f", form, "-o", str(tmp_path / "out")) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out").read_text().endswith("\n")


def test_no_colour_and_80_columns_without_a_terminal(
    collection: Collection, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(collection.folder)
    names = [f"a-run-with-quite-a-long-name-{i:02}" for i in range(30)]
    runs = {name: RUN.replace("mine", name) for name in names}
    collection.write(QRELS[:-1] + "\n1 0 a 0\n", {**runs, "other": OTHER})
    assert call("qrels", *runs, "other", "--quiet") == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "The 10 of 31 runs with the lowest share" in " ".join(shown.split())
    assert call("qrels", *runs, "other", "--quiet", "--all-runs") == 0
    assert len(capsys.readouterr().out.splitlines()) > len(shown.splitlines()) + 15


def test_names_from_files_cannot_move_the_cursor(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path, paths = collection.write(runs={"mine": RUN.replace("mine", "m\x1b[2Jine")})
    assert call(path, *paths) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_ties_at_a_cutoff_of_ones_own(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path, paths = collection.write(runs={"mine": RUN.replace("b 2 1.0", "b 2 2.0")})
    assert call(path, *paths, "--cutoff", "1", "--jobs", "1") == 0
    assert "1 topic with a tie across rank 1: P@1" in capsys.readouterr().out
    assert call(path, *paths, "--cutoff", "0") == 2


def test_all_lines_that_are_there_again_are_listed(
    collection: Collection, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`score` names the first and says that doctor lists them."""
    monkeypatch.setattr("unjudged.reports.doctor.SHOWN_LINES", 3)
    rows = [f"1 Q0 {doc} 1 {9 - i} mine" for i, doc in enumerate("abacbba")]  # lines 3, 5, 6 and 7 are repeats
    path, paths = collection.write(QRELS + "1 0 b 0\n2 0 c 1\n", runs={"mine": "\n".join(rows) + "\n"})
    assert call(path, *paths) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "4 lines rank a document again; for example document 'a' of topic '1', first in line 1" in shown
    assert "first in line 1 in lines 3, 5, 6 and 1 more" in shown
    assert call(path, *paths, "-f", "json") == 0
    lines = {one["code"]: one["lines"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert lines["duplicate-documents"] == [3, 5, 6, 7]
    assert (lines["duplicate-judgments"], lines["conflicting-judgments"]) == ([5], [6])
    assert call(path, *paths, "-f", "tsv") == 0
    assert "\t3 5 6 7\n" in capsys.readouterr().out


def test_negative_grades_as_the_user_reads_them(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    path, paths = collection.write(QRELS.replace("b 0", "b -2"))
    for reading, judged in (("pooled", 3), ("judged", 4), ("drop", 3)):
        assert call(path, *paths, "--negative", reading, "-f", "json") == 0
        assert json.loads(capsys.readouterr().out)["read"]["qrels"]["judged"] == judged


def test_colour_is_for_terminals(collection: Collection) -> None:
    diagnosis = collection.diagnose(runs={"mine": DUPLICATE})
    assert "\x1b[1;31mERROR\x1b[0m duplicate-documents" in render_diagnosis(diagnosis, "table", colour=True)
    assert "\x1b" not in render_diagnosis(diagnosis, "table")


def test_a_run_from_standard_input(collection: Collection) -> None:
    path, _ = collection.write()
    command = [sys.executable, "-c", "from unjudged.cli import main; main()", "doctor", path, "-", "--strict"]
    done = subprocess.run(command, input=DUPLICATE, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "  -:5\n    1 line ranks a document again" in done.stdout
    assert done.stderr == ""
