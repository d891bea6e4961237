"""The wheel and what it depends on, in a new environment without anything else (`make test-wheel`)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from unjudged.version import __version__

from .conftest import ROOT, project, run
from .extras import ROWS, UNREAD, Row
from .test_missing_extras import check_message
from .test_types import USER_CODE

pytestmark = pytest.mark.slow

Environment = Callable[..., Path]


@pytest.fixture(scope="module")
def alone(environment: Environment, wheel: Path) -> Path:
    return environment("alone", wheel)


@pytest.fixture(scope="module")
def demo(alone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    done = run([alone / "unjudged", "demo", "demo"], cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "pip install 'unjudged[report]'" in done.stdout  # charts are an extra, and the walk goes on without them
    assert done.stdout.endswith("unjudged report QRELS RUN... --open  # the page of step 4\n")
    for name, content in UNREAD.items():
        (folder / "demo" / name).write_bytes(content)
    return folder / "demo"


def test_only_what_it_depends_on_is_installed(alone: Path) -> None:
    code = "import importlib.metadata as m; print(*sorted(d.name.lower() for d in m.distributions()))"
    installed = set(run([alone / "python", "-c", code]).stdout.split())
    extras = project()["optional-dependencies"]
    declared = {requirement.partition(">")[0] for requirement in project()["dependencies"]}
    assert declared <= installed
    optional = {one.partition(">")[0].lower() for name in extras.keys() - {"all"} for one in extras[name]}
    assert not installed & (optional | {"pandas", "polars"})
    assert run([alone / "python", "-m", "pip", "check"]).returncode == 0


def test_the_version_and_the_compiled_core(alone: Path) -> None:
    assert run([alone / "unjudged", "--version"]).stdout == f"unjudged {__version__} (compiled core)\n"


def test_the_page_of_a_report_has_what_it_is_made_of(alone: Path, demo: Path) -> None:
    done = run([alone / "unjudged", "report", "qrels.txt", "runs", "-o", "page.html", "--quiet"], cwd=demo)
    assert done.returncode == 0, done.stderr
    assert "</html>" in (demo / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.extra)
def test_a_missing_extra_is_one_line_with_the_install_command(row: Row, alone: Path, demo: Path) -> None:
    done = run([alone / "python", *row.arguments], cwd=demo)
    check_message(row, done.returncode, done.stdout, done.stderr)


def test_without_a_frame_library_the_message_says_what_to_do(alone: Path) -> None:
    code = "import unjudged as uj; uj.score({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'AP').to_frame()"
    done = run([alone / "python", "-c", code])
    assert done.stderr.splitlines()[-1].startswith("unjudged.errors.")
    assert "pip install" in done.stderr.splitlines()[-1]


def test_a_type_checker_knows_the_installed_package(alone: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "user_code.py").write_text(USER_CODE.read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(alone / "python"), "user_code.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_example_plugin_is_found_beside_it(alone: Path, tmp_path: Path) -> None:
    example = ROOT / "examples" / "unjudged-example-plugin"
    source = shutil.copytree(example, tmp_path / "plugin", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    assert run([alone / "python", "-m", "pip", "install", "-q", "--no-deps", "-t", tmp_path, source]).returncode == 0
    output = run([alone / "unjudged", "--version"], PYTHONPATH=str(tmp_path)).stdout
    assert output.endswith(": measure SlidingRatio, hole model hurwicz\n")
