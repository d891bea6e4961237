"""The command line as a whole: help, version, exit codes, start-up."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.main import get_command

from unjudged import cli
from unjudged.cli.app import app
from unjudged.demo import walkthrough
from unjudged.version import __version__

from .conftest import Command

COMMANDS = sorted(get_command(app).commands)  # type: ignore[attr-defined]


def test_every_command_explains_itself_within_80_columns(unjudged: Command) -> None:
    for command in COMMANDS:
        done = unjudged(command, "--help")
        assert done.code == 0
        assert "Usage" in done.out
        assert max(map(len, done.out.splitlines())) <= 80, command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_help(command: str) -> None:
    for parameter in get_command(app).commands[command].params:  # type: ignore[attr-defined]
        assert parameter.help, f"{command}: {parameter.name} says nothing about itself"
        assert "[" not in parameter.help, f"{command}: {parameter.name}: help in brackets is not shown (rich markup)"


def test_defaults_that_follow_from_other_options_are_shown(unjudged: Command) -> None:
    text = " ".join(unjudged("compare", "--help-all").out.split())
    assert "[holm; none for tukey_hsd]" in text
    assert "[1000 with --corpus-size, otherwise none]" in text


def test_version_says_which_core_is_active(unjudged: Command) -> None:
    assert unjudged("--version").out.startswith(f"unjudged {__version__} (")


def test_an_unknown_command_is_an_error(unjudged: Command) -> None:
    assert unjudged("scroe").code == 2


def test_measures_are_listed_and_explained(unjudged: Command) -> None:
    listed = unjudged("measures").out
    assert "nDCG[@k]" in listed
    assert max(map(len, listed.splitlines())) <= 80
    explained = unjudged("measures", "nDCG").out
    assert explained.startswith("nDCG[@k]: Normalised discounted cumulative gain\n")
    for part in ("Formula", "Unjudged", "Reference", "Parameters", "cutoff"):
        assert part in explained
    assert max(map(len, explained.splitlines())) <= 80
    assert unjudged("measures", "ndgc").code == 2
    assert unjudged("measures", "bootstrap").out.startswith("bootstrap: Draws of grades")


def in_short(monkeypatch: pytest.MonkeyPatch, *, walk: bool = False) -> None:
    """Let the demo's report, which takes longest, leave out what takes longest; of the whole walk take the ends."""
    tell, every = walkthrough.story, walkthrough.steps

    def shorter(step: walkthrough.Step) -> walkthrough.Step:
        more = ("--no-reuse", "-m", "P@10") if step.arguments[0] == "report" else ()
        return replace(step, arguments=(*step.arguments, *more))

    monkeypatch.setattr(walkthrough, "story", lambda collection: map(shorter, tell(collection)))
    if walk:
        monkeypatch.setattr(
            walkthrough, "steps", lambda collection: [*every(collection)][:: len([*every(collection)]) - 1]
        )


def test_the_demo_tells_its_story_on_one_screen(
    unjudged: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    in_short(monkeypatch)
    done = unjudged("demo")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    assert (tmp_path / "unjudged-demo" / "README.md").exists()
    assert (tmp_path / "unjudged-demo" / "scores.svg").read_text().startswith("<svg")
    # The page says which command makes it again: the step's, not that of the whole demo.
    assert '"command":"unjudged report unjudged-demo/qrels.txt' in (tmp_path / "unjudged-demo/report.html").read_text()
    assert " ".join(lines[-7:-5]).startswith("-> Open unjudged-demo/report.html in a browser.")
    assert lines[-4:] == [
        "Now your own files:",
        "  unjudged doctor QRELS RUN...  # are they sound?",
        "  unjudged score QRELS RUN... -m nDCG@10  # the table of step 2",
        "  unjudged report QRELS RUN... --open  # the page of step 4",
    ]
    again = unjudged("demo")
    assert (again.code, again.err) == (2, "unjudged: unjudged-demo: the directory is not empty; give a new one\n")


def test_the_demo_can_walk_through_all_commands(
    unjudged: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    in_short(monkeypatch, walk=True)
    done = unjudged("demo", "--all")
    assert done.code == 0
    assert "== 1. Are the files sound?\n$ unjudged doctor unjudged-demo/qrels.txt unjudged-demo/runs\n" in done.out
    assert "\nnDCG[@k]: Normalised discounted cumulative gain\n" in done.out


@pytest.mark.slow
def test_every_step_of_the_walk_through_all_commands_works(
    unjudged: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = unjudged("demo", "--all")
    assert done.code == 0
    assert all(f"\n$ unjudged {name}" in done.out for name in ("doctor", "score", "next", "reuse", "report"))


def test_without_charts_the_demo_says_so_and_goes_on(
    unjudged: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "altair", None)
    in_short(monkeypatch)
    done = unjudged("demo")
    assert done.code == 0
    assert "\ndrawing a chart needs altair and vl-convert-python: pip install 'unjudged[report]'\nrun " in done.out
    assert "likely" in done.out.partition("== 3.")[0], "the step goes on without its picture"
    assert (tmp_path / "unjudged-demo" / "report.html").exists()


def run_python(code: str) -> str:
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    return done.stdout


def test_importing_is_free() -> None:
    heavy = ["pandas", "polars", "pyarrow", "scipy", "rich", "typer", "altair", "joblib", "narwhals"]
    loaded = run_python(f"import sys, unjudged; print([name for name in {heavy} if name in sys.modules])")
    assert loaded == "[]\n"


def test_scoring_loads_nothing_heavy_either() -> None:
    code = (
        "import sys, unjudged as uj; uj.score({'1': {'a': 1}}, {'1': {'a': 1.0}}, ['nDCG@10', 'AP', 'RBP']);"
        "print([name for name in ['pandas', 'scipy', 'rich', 'narwhals'] if name in sys.modules])"
    )
    assert run_python(code) == "[]\n"


def test_a_reader_that_goes_away_is_no_error(files: Path) -> None:
    command = f"{sys.executable} -m unjudged measures | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("core", ["nonsense"])
def test_a_core_that_does_not_exist(core: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "unjudged", "--version"],
        capture_output=True,
        text=True,
        env={**os.environ, "UNJUDGED_CORE": core},
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "unjudged: UNJUDGED_CORE is 'fast' or 'reference', not 'nonsense'\n")


def test_memory_that_is_not_there(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def no_memory(_: object) -> int:
        raise MemoryError

    monkeypatch.setattr(cli, "run", no_memory)
    with pytest.raises(SystemExit) as left:
        cli.main(["score"])
    assert left.value.code == 2
    assert capsys.readouterr().err == (
        "unjudged: there is not enough memory to compute this;"
        " give fewer runs at a time, or ask for fewer draws or images, or for a lower cut-off\n"
    )
