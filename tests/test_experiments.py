"""Experiments and benchmarks are run by hand, and rarely: do they load, and which results are older than the code?"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

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


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    return importlib.import_module("pages")


def test_every_page_of_results_is_made_by_a_script(pages: Any) -> None:
    assert {path.stem for path in pages.RESULTS.glob("*.md")} == set(pages.pages())


def test_every_page_is_the_one_that_its_record_is_about(pages: Any) -> None:
    """A page that was edited by hand, or a record of another branch, would be believed."""
    assert [name for name in pages.pages() if not pages.is_as_made(name)] == []
    assert {path.stem for path in (pages.RESULTS / "made").glob("*.json")} <= set(pages.pages())


def test_a_warning_says_which_pages_are_older_than_their_code(pages: Any) -> None:
    """Older is said, not failed: to make all takes half an hour, and not every change of code changes a number."""
    if old := [name for name in pages.pages() if pages.why_old(name)]:
        words = (
            f"older than their code are {', '.join(old)} in experiments/results; `make experiments` makes them again"
        )
        warnings.warn(words, stacklevel=1)


def test_a_page_grows_old_with_what_its_code_does(pages: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    code = tmp_path / "weights.py"
    code.write_text('"""Weights."""\n\nHALF = 0.5\n', encoding="utf-8")
    made = pages.Made("weights.py", "c0ffee", "seed 42", 1, {"weights.py": pages._digest(code)})
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "page.json").write_text(json.dumps(asdict(made)), encoding="utf-8")
    assert pages.why_old("page") == "the page is not the one that results/made is about"
    assert not pages.is_as_made("page")
    (tmp_path / "page.md").write_text(f"# Page\n\n{made}\n", encoding="utf-8")
    assert pages.is_as_made("page")
    assert pages.why_old("page") is None
    code.write_text('"""Other words."""\n# and a remark\nHALF = 0.5\n', encoding="utf-8")
    assert pages.why_old("page") is None
    code.write_text('"""Weights."""\n\nHALF = 0.4\n', encoding="utf-8")
    assert pages.why_old("page") == "made at commit c0ffee; since then changed: weights.py"
    code.unlink()
    assert pages.why_old("page") == "made at commit c0ffee; since then changed: weights.py"
    assert pages.why_old("other") == pages.UNKNOWN


def test_pages_are_made_from_the_quickest_on_and_one_that_fails_stops_no_other(
    pages: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    (tmp_path / "made").mkdir()
    writes = "import pathlib, time\npath = pathlib.Path('made/{0}.json')\npath.write_text(path.read_text())\n"
    scripts = {"long": writes, "idle": "", "quick": writes, "broken": "raise SystemExit('no data')"}
    for name, code in scripts.items():
        (tmp_path / f"{name}.py").write_text(code.format(name))
        made = pages.Made(f"{name}.py", "c0ffee", "seed 42", 9 if name == "long" else 2, {})
        (tmp_path / "made" / f"{name}.json").write_text(json.dumps(asdict(made)))
    monkeypatch.setattr(pages, "pages", lambda: {name: f"{name}.py" for name in scripts})
    assert pages.make(["long", "idle", "quick", "broken"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "idle", "the script wrote no page", "quick", "broken", "no data", "long", "not made"
    ]  # fmt: skip
    assert lines[-1] == "not made: idle, broken"
    monkeypatch.setattr(sys, "argv", ["pages.py", "long", "quick"])
    pages.main()
    assert capsys.readouterr().out == (
        "quick (2 s): the page is not the one that results/made is about\n"
        "long (9 s): the page is not the one that results/made is about\n"
        "2 of 2 pages took 11 s of processor time when they were made\n"
    )


def test_a_page_rests_on_the_modules_that_did_something_for_it() -> None:
    """In this thread or another; evidence is loaded with all hole models, but has no part in a score."""
    code = f"""
import sys, threading
sys.path.insert(0, {str(ROOT / "experiments")!r})
sys.argv = [{str(ROOT / "experiments" / "table7.py")!r}]
import pages
import unjudged as uj
from unjudged.holes import hole_models
list(hole_models)
ask = lambda: uj.score({{"1": {{"a": 1}}}}, {{"r": {{"1": {{"a": 1.0}}}}}}, "RBP", holes="bounds")
thread = threading.Thread(target=ask)
thread.start()
thread.join()
print(*pages._rests_on(), sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    files = {line.removeprefix("src/unjudged/") for line in done.stdout.splitlines()}
    assert {"measures/browsing.py", "holes/bounds.py", "studies/score.py", "kernels/fast.pyx"} <= files
    idle = {"holes/evidence_model/model.py", "holes/discounted.py", "measures/cascades.py", "cli/score.py"}
    assert idle & files == set()


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
