"""The progress bar: on a terminal, for what takes a while, and not with --quiet."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import pytest

from unjudged.reports import bars

from .conftest import Command

T = TypeVar("T")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bars, "_SECONDS_BEFORE_A_BAR", -1.0)


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *step: str) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    assert list(bars.progress_bar(iter("abc"), 3, *step)) == ["a", "b", "c"]
    return stream.getvalue()


@pytest.mark.usefixtures("slow")
def test_a_bar_says_what_is_done_and_how_much_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(Terminal(), monkeypatch, "scoring runs")
    assert "scoring runs" in text
    assert "100%" in text
    assert "0:00:00" in text


@pytest.mark.usefixtures("slow")
def test_steps_need_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "working" in shown(Terminal(), monkeypatch)


def test_what_is_done_soon_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bars, "_SECONDS_BEFORE_A_BAR", 60.0)  # soon, also on a busy machine
    assert shown(Terminal(), monkeypatch) == ""


@pytest.mark.usefixtures("slow")
def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(io.StringIO(), monkeypatch) == ""


@pytest.mark.usefixtures("slow")
def test_no_bar_for_a_command_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown(Terminal(), monkeypatch)
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    assert not bars.on_terminal(), "a terminal, but one that keeps what should be overwritten"
    assert list(bars.progress_bar("ab", 2)) == ["a", "b"]


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("score", "scoring runs"),
        ("compare", "reading runs"),
        ("doctor", "examining runs"),
        ("relative", "reading runs"),
        ("properties", "reading runs"),
    ],
)
def test_quiet_turns_it_off(
    command: str, first: str, unjudged: Command, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every step says what it does."""
    output = []

    def progress(items: Iterable[T], total: int, words: str = "", /) -> Iterable[T]:
        output.append(words)
        return items

    monkeypatch.setattr(bars, "progress_bar", progress)
    assert unjudged(command, files / "qrels.txt", files / "runs", "--quiet").code == 0
    assert output == []
    assert unjudged(command, files / "qrels.txt", files / "runs").code == 0
    assert output[0] == first
    assert all(output)
