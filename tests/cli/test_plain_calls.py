"""Calls that are read without typer mean what they mean to typer, and whatever is not plain is left to it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from unjudged import cli
from unjudged.cli.app import app_for, whole_app
from unjudged.cli.declared import argument, read_plainly
from unjudged.cli.options import option

PLAIN = [
    "score qrels.txt a.run",
    "score qrels.txt a.run b.run -m nDCG@10 -m AP --holes nonrelevant --quiet",
    "score -m nDCG@10 qrels.txt - --measure P@5",
    "score qrels.txt runs/ --missing skip --per-topic --long --format csv --jobs 3 --seed 0",
    "score qrels.txt runs/ -o {tmp}/out.txt -q --scores float32 --pool-depth 10 --feature f.tsv",
    "compare qrels.txt runs/ --baseline bm25 --test t --top 3",
    "compare qrels.txt runs/ -m AP --corpus-size 500 --images 10",
    "doctor qrels.txt runs/ --strict",
    "judges qrels.txt labels.jsonl runs/",
    "trec_eval -q -c -l 2 -m map -m ndcg qrels.txt a.run",
    "relative qrels.txt runs/ --rel 2",
    "report qrels.txt runs/",
    "report qrels.txt runs/ -o {tmp}/page.html --title Ours",
    "history add qrels.txt a.run --release v2 --date today",
    "history show h.jsonl -f csv --table changes",
    "reuse qrels.txt runs/ --degrade LeaveOutGroup --jobs 1",
]
LEFT_TO_TYPER = [
    "score",
    "score qrels.txt",
    "doctor qrels.txt",
    "score --help",
    "score --help-all",
    "score qrels.txt a.run -mAP",
    "score qrels.txt a.run --measure=AP",
    "score qrels.txt a.run --meas AP",
    "score qrels.txt a.run --format yaml",
    "score qrels.txt a.run -m",
    "score qrels.txt a.run --jobs 0",
    "score qrels.txt a.run --jobs two",
    "score qrels.txt a.run --seed -1",
    "score qrels.txt a.run --interval 5 95",
    "score qrels.txt a.run --explain a 1",
    "score qrels.txt a.run --min-judged 0.5",
    "score qrels.txt a.run -m --quiet",
    "score qrels.txt -- -odd-name.run",
    "score qrels.txt a.run --plot chart.svg",
    "score qrels.txt a.run --no-quiet",
    "trec_eval qrels.txt a.run b.run",
    "convert qrels.txt out.txt",
]


def plainly(words: list[str]) -> dict[str, Any] | None:
    called = cli.command_called(words)
    assert called is not None
    return read_plainly(called, words[2 if words[0] == "history" else 1 :])


@pytest.mark.parametrize("call", PLAIN)
def test_a_plain_call_means_what_it_means_to_typer(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = call.format(tmp=tmp_path).split()
    called, taken = cli.command_called(words), {}
    assert called is not None

    def listening(**given: Any) -> None:
        taken.update(given)

    for name in ("__name__", "__doc__", "__module__"):
        setattr(listening, name, getattr(called, name))
    listening.__signature__ = inspect.signature(called, eval_str=True)  # type: ignore[attr-defined]
    monkeypatch.setattr(sys.modules[called.__module__], called.__name__, listening)
    app_for(words)(args=words, prog_name="unjudged", standalone_mode=False)
    given = plainly(words)
    assert given is not None
    assert {**given, "help_all": None} == {**taken, "help_all": None}  # what its callback returns, and nobody reads


@pytest.mark.parametrize("call", LEFT_TO_TYPER)
def test_whatever_is_not_plain_is_left_to_typer(call: str) -> None:
    assert plainly(call.split()) is None


def test_every_command_declares_its_parameters_so_that_plain_calls_can_be_read() -> None:
    for name in get_command(whole_app()).commands:  # type: ignore[attr-defined]
        called = cli.command_called(name.split())
        assert called is not None
        undeclared = [one for one in inspect.signature(called).parameters.values() if one.default is one.empty]
        assert not undeclared, name


def test_a_plain_call_does_not_import_typer(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 1.0 a\n")
    code = (
        "import sys, unjudged.cli\n"
        "try: unjudged.cli.main(['score', 'qrels.txt', 'a.run', '-m', 'nDCG@10', '--holes', 'nonrelevant'])\n"
        "except SystemExit as end: print(end.code)\n"
        "print([name for name in ('typer', 'click', 'rich', 'scipy', 'hashlib', 'unjudged.holes.evidence_model',"
        " 'unjudged.measures.cascades') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-2:] == ["0", "[]"]


def test_an_option_that_must_be_given_is_left_to_typer_where_it_is_missing() -> None:
    def command(file: str = argument(), to: str = option("--to", "Where to.", ...)) -> None:
        """A command."""

    assert read_plainly(command, ["a", "--to", "b"]) == {"file": "a", "to": "b"}
    assert read_plainly(command, ["a"]) is None
    assert read_plainly(command, ["--to", "b"]) is None
