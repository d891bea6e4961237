"""What `--help` says can be read on a terminal of 80 columns."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command

COMMANDS = ("doctor", "score", "compare", "relative", "reuse", "report", "measures", "trec_eval", "demo")


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_cut_off(unjudged: Command, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = unjudged(command, "--help")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "…" not in done.out
