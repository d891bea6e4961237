"""What `--help` says can be read on a terminal of 80 columns."""

from __future__ import annotations

import pytest
from typer.main import get_command

from tests.cli.conftest import Command
from unjudged.cli.app import app

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
