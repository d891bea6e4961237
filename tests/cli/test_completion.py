"""Shell completion, in a real bash: what the tab key offers."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from unjudged.cli import completing

Offered = Callable[..., list[str]]


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory) -> Offered:
    """What bash has to offer after some words, the last of which is being typed."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    folder = tmp_path_factory.mktemp("bin")
    (folder / "unjudged").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m unjudged "$@"\n')
    (folder / "unjudged").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    script = subprocess.run(
        ["unjudged", "--show-completion", "bash"], env=environment, capture_output=True, text=True, check=True
    ).stdout

    def press_tab(*words: str) -> list[str]:
        line = " ".join(map(shlex.quote, ("unjudged", *words)))
        ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _unjudged_completion unjudged"
        code = f'{script}\n{ask}\nprintf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return press_tab


def offers(names: list[str], wanted: list[str], typed: str) -> bool:
    """Whether these are offered, in this order; there may be more that begin so, and nothing else."""
    return [name for name in names if name in wanted] == wanted and all(name.startswith(typed) for name in names)


def test_commands(offered: Offered) -> None:
    assert offers(offered("re"), ["relative", "reuse", "report"], "re")


def test_options(offered: Offered) -> None:
    assert offered("score", "--per") == ["--per-topic"]
    assert offered("score", "-f", "ma") == ["markdown"]


def test_measures_come_with_a_cutoff(offered: Offered) -> None:
    assert offers(offered("score", "qrels", "-m", "nDC"), ["nDCG", "nDCG@10", "nDCGrel"], "nDC")
    assert offered("score", "qrels", "-m", "ndcg_cut_1") == [f"ndcg_cut_{k}" for k in (10, 15, 100, 1000)]


def test_hole_models(offered: Offered) -> None:
    assert offers(offered("score", "--holes", "bo"), ["bootstrap", "bounds"], "bo")


def test_files_are_left_to_the_shell(offered: Offered, tmp_path: Path) -> None:
    """Nothing of ours, so that ``complete -o default`` offers files."""
    assert offered("score", str(tmp_path)) == []


@pytest.mark.parametrize(
    ("offer", "typed", "names"),
    [
        (completing.measures, "P@", ["P@10"]),  # its cut-off must be given
        (completing.measures, "IPr", ["IPrec@0.5"]),
        (completing.measures, "NDC", ["nDCG", "nDCG@10", "nDCGrel"]),
        (completing.measures, "map_cut_5", ["map_cut_5", "map_cut_500"]),
        (completing.measures, "zzz", []),
        (completing.names, "G", ["G", "GMAP", "GMBpref"]),
        (completing.names, "boo", ["bootstrap"]),
        (completing.degradations, "Keep", ["KeepFraction", "KeepHalf", "KeepTopics"]),
        (completing.significance_tests, "t", ["t", "tukey_hsd"]),
        (completing.corrections, "b", ["bh", "bonferroni"]),
        (completing.intervals, "b", ["basic", "bca"]),
    ],
)
def test_what_is_offered(offer: Callable[[str], list[tuple[str, str]]], typed: str, names: list[str]) -> None:
    offered = offer(typed)
    begin = "nDC" if typed == "NDC" else typed  # nothing is called so, but for capitals
    assert offers([name for name, _ in offered], names, begin)
    assert all(words for _, words in offered)


def test_with_nothing_typed_all_measures_are_offered() -> None:
    names = [name for name, _ in completing.measures("")]
    assert {"nDCG@10", "AP", "StRecall@10"} <= set(names)
    assert "map" not in names
    assert len(names) == len(set(names))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-m", "unjudged", "--show-completion", shell]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert f"_UNJUDGED_COMPLETE=complete_{shell}" in done.stdout
