"""Folders with installed packages, and processes that find them: this one must not, or all tests would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import unjudged

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "unjudged-example-plugin"
SOURCE = Path(unjudged.__file__).parents[1]

Done = subprocess.CompletedProcess[str]
Python = Callable[..., Done]


@pytest.fixture
def python(tmp_path: Path) -> Python:
    """Runs Python with packages of a folder beside ours."""

    def run(*arguments: object, site: Path, **environment: str) -> Done:
        kept = {name: value for name, value in os.environ.items() if name != "UNJUDGED_NO_PLUGINS"}
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**kept, "PYTHONPATH": f"{SOURCE}{os.pathsep}{site}", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def example_site(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A folder in which the example package is installed, as pip does it."""
    return made_once("example-plugin", _install_example) / "site"


def _install_example(folder: Path) -> None:
    source, site = folder / "source", folder / "site"
    # A copy, since building writes beside the sources.
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(source)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    """Writes a package with an entry point to a folder, as an installer would."""

    def write(package: str, code: str, entry: str | None = None) -> Path:
        module = package.replace("-", "_")
        site = tmp_path / "site"
        info = site / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(textwrap.dedent(code))
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[unjudged.plugins]\nmine = {entry or module}\n")
        return site

    return write
