"""Experiments and benchmarks are run by hand, and rarely; that they still load is seen to here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted([*(ROOT / "experiments").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")])


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) > 20


@pytest.mark.parametrize("folder", ["experiments", "benchmarks"])
def test_every_script_finds_what_it_imports(folder: str) -> None:
    """All of a folder in one process: most of the time goes into loading the same packages."""
    names = [script.stem for script in SCRIPTS if script.parent.name == folder]
    code = "\n".join(
        [
            "import importlib, sys, traceback",
            f"sys.path[:0] = [{str(ROOT / 'experiments')!r}, {str(ROOT / folder)!r}]",
            "broken = 0",
            f"for name in {names!r}:",
            "    try:",
            "        importlib.import_module(name)",
            "    except ImportError as problem:",
            "        missing = getattr(problem, 'name', None) or ''",
            "        ours = missing.split('.')[0] in {'unjudged', *sys.stdlib_module_names} or missing in sys.modules",
            "        if isinstance(problem, ModuleNotFoundError) and not ours:",
            "            continue  # a peer that is installed for this experiment alone",
            "        broken += 1",
            "        traceback.print_exc()",
            "sys.exit(broken)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("page", "section", "results"),
    [
        ("few-judgments", "How well they do: TREC-8", "few-judgments-trec8"),
        ("machine-labels", "How well do machines and assessors agree?", "machine-labels"),
    ],
)
def test_tables_of_the_docs_are_those_that_a_script_made(page: str, section: str, results: str) -> None:
    def rows(text: str) -> list[list[str]]:
        return [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("|")]

    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").partition(f"\n## {section}\n")[2]
    shown = [row for row in rows(text.partition("\n## ")[0]) if not any("--" in cell for cell in row)]
    made = rows((ROOT / "experiments" / "results" / f"{results}.md").read_text(encoding="utf-8"))
    assert len(shown) > 10
    assert [row for row in shown if row not in made] == []
