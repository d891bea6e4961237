"""What `--help` says can be read on a terminal of 80 columns."""

from __future__ import annotations

import pytest
from typer.main import get_command

from tests.cli.conftest import Command
from tests.test_site import command_lines
from unjudged.cli.app import app
from unjudged.cli.help import examples

COMMANDS = list(get_command(app).commands)  # type: ignore[attr-defined]


def test_commands_are_listed_in_the_order_in_which_they_are_used() -> None:
    ours = [
        "doctor",
        "score",
        "compare",
        "relative",
        "judges",
        "reuse",
        "properties",
        "report",
        "measures",
        "trec_eval",
        "demo",
    ]
    assert [name for name in COMMANDS if name in ours] == ours


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_cut_off(unjudged: Command, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = unjudged(command, "--help")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "…" not in done.out
    every = unjudged(command, "--help-all").out if "--help-all" in done.out else done.out
    assert max(map(len, every.splitlines())) <= 80


LONGEST = 65
"""Lines of the longest help: that of judge, which has its own kinds of options."""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_short_and_says_what_is_to_be_given(unjudged: Command, command: str) -> None:
    text = unjudged(command, "--help").out
    assert len(text.splitlines()) <= LONGEST
    assert not any(kind in text for kind in ("<bool>", "<str>", "<int", "list["))
    options = {name for one in get_command(app).commands[command].params if not one.hidden for name in one.opts}  # type: ignore[attr-defined]
    long = {name for name in options if name.startswith("--")}
    words = set(text.replace(",", " ").split())
    assert sorted(long - words) == [], "what is not explained is named"
    if "--help-all" in words:
        every = unjudged(command, "--help-all").out
        assert sorted(long - set(every.replace(",", " ").split())) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_three_examples_that_run(command: str) -> None:
    lines = examples(get_command(app).commands[command].help)  # type: ignore[attr-defined]
    assert len(lines) == 3
    assert all(line.startswith(f"unjudged {command}") for line in lines)
    if command == "demo":  # whose lines are run by tests/cli/test_app.py
        return
    run = {" ".join(one.values[0].partition(" # ")[0].split()) for one in command_lines()}  # type: ignore[attr-defined]
    assert [line for line in lines if line not in run] == [], "tests/test_site.py runs the lines of the docs only"
