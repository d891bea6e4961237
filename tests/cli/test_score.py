"""unjudged score"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.version import __version__

from .conftest import Command


def test_the_table_lists_the_best_run_first_and_the_share_judged(unjudged: Command, files: Path) -> None:
    arguments = (files / "qrels.txt", files / "runs", "-m", "P@2", "-m", "RR", "--holes", "nonrelevant")
    done = unjudged("score", *arguments)
    assert done.code == 0
    assert done.out == (
        "run     P@2      RR  judged@2\n"
        "---  ------  ------  --------\n"
        "old  0.5000  0.7500    100.0%\n"
        "new  0.2500  0.2500     50.0%\n"
    )
    assert done.err == (
        "warning: new lacks 1 of 2 judged topics; they count as 0 [missing-topics]\n"
        "warning: new has 1 topic without judgments; left out [unjudged-topics]\n"
    )


def test_where_runs_have_holes_the_table_says_what_scores_could_be_and_are_likely(
    unjudged: Command, files: Path
) -> None:
    done = unjudged("score", files / "qrels.txt", files / "runs", "-m", "P@2", "-m", "RR")
    with pytest.warns(uj.UnjudgedWarning):
        likely = uj.score(files / "qrels.txt", files / "runs", "P@2", holes="discounted").mean()["new", "P@2"]
    assert done.out == (
        "run     P@2       could be  likely       interval  judged@2\n"
        "---  ------  -------------  ------  -------------  --------\n"
        "old  0.5000                 0.5000                   100.0%\n"
        f"new  0.2500  0.2500-0.5000  {likely:.4f}  0.2500-0.5000     50.0%\n"
        "\n"
        "run      RR  judged\n"
        "---  ------  ------\n"
        "old  0.7500  100.0%\n"
        "new  0.2500   50.0%\n"
        "\n"
        "could be: whatever grades a run's own unjudged documents have (joint).\n"
        "likely: draws of grades from the run's own judged documents, discounted\n"
        "(discounted); what other runs found counts in ideal rankings, so it can be lower\n"
        "than all that could be. interval: what holds it as often as --interval says.\n"
    )
    assert done.err == (
        "warning: new lacks 1 of 2 judged topics; they count as 0 [missing-topics]\n"
        "warning: new has 1 topic without judgments; left out [unjudged-topics]\n"
        "note: new: less than 75% of the first 10 documents are judged, so nothing says how far off estimates may be:"
        " intervals of means are bounds; runs that were in the pool and --groups would tell more"
        " [little-judged]\n"
    )


def test_where_all_is_judged_the_table_has_scores_only(unjudged: Command, files: Path) -> None:
    arguments = ("score", files / "qrels.txt", files / "runs" / "old.run", "-m", "P@2", "-m", "RR")
    done = unjudged(*arguments)
    assert done.out == "run     P@2      RR  judged@2\n---  ------  ------  --------\nold  0.5000  0.7500    100.0%\n"
    assert unjudged(*arguments, "--holes", "nonrelevant").out == done.out


def test_what_programs_read_has_estimates_only_where_these_are_asked_for(unjudged: Command, files: Path) -> None:
    arguments = ("score", files / "qrels.txt", files / "runs", "-m", "P@2", "--quiet", "-f", "csv")
    plain = unjudged(*arguments).out
    assert plain == unjudged(*arguments, "--holes", "nonrelevant").out
    rows = unjudged(*arguments, "--holes", "auto").out.splitlines()
    assert [row.split(",")[3] for row in rows[1:]] == ["nonrelevant"] * 2 + ["joint"] * 2 + ["discounted"] * 2
    assert rows[:3] == plain.splitlines()


def test_auto_stands_alone(unjudged: Command, files: Path) -> None:
    done = unjudged("score", files / "qrels.txt", files / "runs", "--holes", "auto", "--holes", "condensed")
    assert (done.code, done.err) == (
        2,
        "unjudged: auto chooses hole models itself; leave it out to ask for condensed\n",
    )


def test_hole_models_stand_side_by_side(unjudged: Command, files: Path) -> None:
    new = files / "runs" / "new.run"
    models = ("--holes", "nonrelevant", "--holes", "condensed", "--quiet")
    assert unjudged("score", files / "qrels.txt", new, "-m", "RR", *models).out == (
        "run      RR  condensed  judged\n---  ------  ---------  ------\nnew  0.2500     0.5000   50.0%\n"
    )
    assert unjudged("score", files / "qrels.txt", new, "-m", "RR", *models, "--long").out == (
        "run  holes            RR  judged\n"
        "---  -----------  ------  ------\n"
        "new  nonrelevant  0.2500   50.0%\n"
        "new  condensed    0.5000   50.0%\n"
    )


def test_ranges_have_a_column_of_their_own_so_that_decimals_stay_aligned(unjudged: Command, files: Path) -> None:
    where = (files / "qrels.txt", files / "runs", "-m", "P@2", "--holes", "bounds", "--holes", "bootstrap", "--quiet")
    assert unjudged("score", *where).out.split("\n\n")[0] == (
        "run     P@2         bounds  bootstrap        interval  judged@2\n"
        "---  ------  -------------  ---------  --------------  --------\n"
        "old  0.5000                    0.5000                    100.0%\n"
        "new  0.2500  0.2500-0.5000     0.4583  0.2500-0.5000*     50.0%"
    )


def test_colour_is_for_terminals_only(unjudged: Command, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = ("score", files / "qrels.txt", files / "runs", "-m", "P@2", "--quiet")
    assert "\x1b" not in unjudged(*where).out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1mrun\x1b[0m" in unjudged(*where).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in unjudged(*where).out


def test_per_topic_rows(unjudged: Command, files: Path) -> None:
    done = unjudged("score", files / "qrels.txt", files / "runs" / "old.run", "-m", "RR", "-q")
    assert done.out == (
        "run  topic      RR  judged\n"
        "---  -----  ------  ------\n"
        "old  1      1.0000  100.0%\n"
        "old  2      0.5000  100.0%\n"
        "old  all    0.7500  100.0%\n"
    )


def test_more_measures_than_fit_are_listed_below_each_other(unjudged: Command, files: Path) -> None:
    many = [argument for k in range(1, 15) for argument in ("-m", f"nDCG@{k}")]
    done = unjudged("score", files / "qrels.txt", files / "runs" / "old.run", *many)
    assert done.out.splitlines()[0].split() == ["run", "measure", "value", "judged"]
    assert max(map(len, done.out.splitlines())) <= 80


def test_tsv_and_csv_have_one_row_per_number_in_the_order_given(unjudged: Command, files: Path) -> None:
    arguments = ("score", files / "qrels.txt", files / "runs", "-m", "RR", "--quiet")
    assert unjudged(*arguments, "-f", "tsv").out == (
        "run\ttopic\tmeasure\tholes\tvalue\tlow\thigh\tjudged\tlabelled\trests_on_labels\trange\n"
        "new\tall\tRR\tnonrelevant\t0.25\t\t\t0.5\t\t\t\n"
        "old\tall\tRR\tnonrelevant\t0.75\t\t\t1.0\t\t\t\n"
    )
    assert unjudged(*arguments, "-f", "csv").out.splitlines()[1] == "new,all,RR,nonrelevant,0.25,,,0.5,,,"


def test_json_is_a_contract(unjudged: Command, files: Path) -> None:
    qrels, run = files / "qrels.txt", files / "runs" / "new.run"
    document = json.loads(unjudged("score", qrels, run, "-m", "RR", "-q", "-f", "json", "--seed", "7").out)
    assert list(document) == ["unjudged", "inputs", "rows", "warnings"]
    assert list(document["unjudged"]) == ["version", "command", "seed"]
    assert document["unjudged"]["version"] == __version__
    assert document["unjudged"]["seed"] == 7
    arguments = [str(qrels), str(run), "-m", "RR", "-q", "-f", "json", "--seed", "7"]
    assert document["unjudged"]["command"] == ["unjudged", "score", *arguments]
    assert document["inputs"] == [
        {"path": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "role": role}
        for path, role in ((qrels, "qrels"), (run, "run"))
    ]
    row = {"run": "new", "measure": "RR", "holes": "nonrelevant", "low": None, "high": None}
    row |= {"labelled": None, "rests_on_labels": None, "range": None}
    assert document["rows"] == [
        {**row, "topic": "all", "value": 0.25, "judged": 0.5},
        {**row, "topic": "1", "value": 0.5, "judged": 0.5},
        {**row, "topic": "2", "value": 0.0, "judged": None},
    ]
    assert document["warnings"] == [
        {"code": "missing-topics", "count": 1, "message": "new lacks 1 of 2 judged topics; they count as 0"},
        {"code": "unjudged-topics", "count": 1, "message": "new has 1 topic without judgments; left out"},
    ]


def test_undefined_values_are_null_and_counted(unjudged: Command, files: Path) -> None:
    document = json.loads(
        unjudged("score", files / "qrels.txt", files / "runs" / "new.run", "-m", "Accuracy", "-q", "-f", "json").out
    )
    assert [row["value"] for row in document["rows"]] == [0.0, 0.0, None]
    assert document["warnings"][-1] == {
        "code": "undefined",
        "count": 1,
        "message": "Accuracy is undefined for 1 (run, topic) pair; left out of its means",
    }


def test_markdown_and_latex_escape_what_comes_from_files(unjudged: Command, files: Path) -> None:
    run = files / "odd.run"
    run.write_text("1 Q0 a 1 3 my_run|50%<b>\n2 Q0 d 1 3 my_run|50%<b>\n")
    arguments = ("score", files / "qrels.txt", run, "-m", "P@1")
    assert unjudged(*arguments, "-f", "markdown").out == (
        "P@1 over 2 topics. Unjudged documents: nonrelevant. Judged: share of judged documents among the first 1.\n\n"
        "| run | P@1 | judged@1 |\n| :-- | --: | --: |\n| my\\_run\\|50%\\<b\\> | 1.0000 | 100.0% |\n"
    )
    assert (
        r"my\_run\textbar{}50\%\textless{}b\textgreater{} & 1.0000 & 100.0 \\"
        in unjudged(*arguments, "-f", "latex").out
    )


def test_control_characters_never_reach_the_terminal(unjudged: Command, files: Path) -> None:
    run = files / "evil.run"
    run.write_text("1 Q0 a 1 3 \x1b[31mred\u202e\n")
    assert "\\x1b[31mred\\u202e" in unjudged("score", files / "qrels.txt", run, "-m", "RR").out


def test_writes_to_a_file(unjudged: Command, files: Path) -> None:
    done = unjudged("score", files / "qrels.txt", files / "runs" / "old.run", "-m", "RR", "-o", files / "out.txt")
    assert done.out == ""
    assert "0.7500" in (files / "out.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-m", "nDGC@10"), "unknown measure 'nDGC'; did you mean 'nDCG'? (`unjudged measures` lists them all)"),
        (("-m", "P"), None),  # trec_eval's group of cut-offs
        (("-m", "P@0"), "P: cutoff must be a whole number from 1 to 1,000,000, not 0"),
        (("--holes", "ignore"), "unknown hole model 'ignore' (`unjudged score --help` lists them)"),
        (("-o", "/nowhere/x"), "/nowhere/x: cannot be written: No such file or directory"),
    ],
)
def test_mistakes_give_one_line_and_exit_2(
    unjudged: Command, files: Path, arguments: tuple[str, ...], message: str | None
) -> None:
    done = unjudged("score", files / "qrels.txt", files / "runs" / "old.run", *arguments)
    if message is None:
        assert done.code == 0
    else:
        assert (done.code, done.err) == (2, f"unjudged: {message}\n")


@pytest.mark.parametrize("command", ["score", "compare", "trec_eval"])
def test_a_run_for_other_topics_is_refused(command: str, unjudged: Command, files: Path) -> None:
    run = files / "other.run"
    run.write_text("301 Q0 a 1 3 other\n")
    beside = [files / "runs" / "old.run"] if command == "compare" else []
    done = unjudged(command, files / "qrels.txt", *beside, run)
    assert (done.code, done.err) == (
        2,
        f"unjudged: {run}: no topic of this run is judged (the run has '301', the judgments have '1')\n",
    )


def test_diversity_judgments_are_flattened_with_a_warning(unjudged: Command, files: Path) -> None:
    qrels = files / "diversity.qrels"
    qrels.write_text("1 1 a 1\n1 2 a 0\n1 2 b 1\n2 1 d 1\n")
    done = unjudged("score", qrels, files / "runs" / "old.run", "-m", "P@2", "--holes", "nonrelevant")
    assert "0.7500" in done.out
    assert done.err == (
        "warning: these are diversity judgments; a document's grade is its highest over the subtopics"
        " [flattened-subtopics]\n"
    )
