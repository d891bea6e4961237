"""The documentation is true: generated pages are up to date, examples run, everything is mentioned."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import io
import pkgutil
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.main import get_command

import unjudged
from unjudged.cli.app import app
from unjudged.demo.collection import write_collection
from unjudged.errors import UnjudgedWarning
from unjudged.holes import hole_models
from unjudged.measures import measures

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
SOURCE = Path(unjudged.__file__).parent
ALL_TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def generators() -> dict[str, Callable[[], str]]:
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: dict[str, Callable[[], str]] = module.PAGES
    return pages


@pytest.mark.parametrize(("page", "generate"), list(generators().items()))
def test_the_reference_pages_are_up_to_date(page: str, generate: Callable[[], str]) -> None:
    assert (ROOT / "docs" / page).read_text(encoding="utf-8") == generate(), "run `make docs`"


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("docs") / "demo").directory


@pytest.mark.usefixtures("forgotten_afterwards")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_python_example_runs(page: Path, demo_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo_folder)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for block in blocks:
        for peer in re.findall(r"^import (pyterrier)", block, flags=re.MULTILINE):
            pytest.importorskip(peer, reason=f"{peer} is not installed")
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("error", UnjudgedWarning)
            exec(compile(block, str(page), "exec"), {})


MODULES = sorted(
    one.name for one in pkgutil.walk_packages(unjudged.__path__, "unjudged.") if "__main__" not in one.name
)


def test_every_example_in_a_docstring_gives_what_it_says() -> None:
    tried = 0
    for name in MODULES:
        if name == "unjudged.kernels.fast":  # not there without a compiler, and without examples
            continue
        result = doctest.testmod(importlib.import_module(name))
        assert not result.failed, name
        tried += result.attempted
    assert tried


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_files_that_contributors_are_sent_to_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?|plots\.py)`", prose))
    assert len(named) > 20
    made = {"fuzz-failures/"}
    assert [name for name in sorted(named - made) if not any((at / name).exists() for at in (ROOT, SOURCE))] == []


def test_every_command_and_option_is_documented() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        assert f"unjudged {name}" in ALL_TEXT, name
        for parameter in command.params:
            options = [option for option in parameter.opts if option.startswith("-") and not parameter.hidden]
            assert not options or any(option in ALL_TEXT for option in options), f"{name} {options}"


def test_every_measure_and_hole_model_is_documented() -> None:
    for cls in [*measures, *hole_models]:
        assert f"\n## {cls.name}\n" in ALL_TEXT


def test_the_readme_shows_the_two_commands_that_set_themselves_up() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme


def test_the_citation_names_the_version() -> None:
    assert f"\nversion: {unjudged.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
