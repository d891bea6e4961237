"""Installing the package: with nothing that compiles, it works and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.fixture(scope="module")
def without_compiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package installed where the C compiler always fails."""
    folder = tmp_path_factory.mktemp("install")
    source = folder / "source"
    tracked = run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "src", "setup.py"])
    for name in [*tracked.stdout.split(), "pyproject.toml", "README.md", "LICENSE"]:
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    done = run([*pip, "--target", str(folder / "site"), str(source)], CC="/bin/false")
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_the_install_succeeds_and_the_version_says_which_core_is_active(without_compiler: Path) -> None:
    assert not list(without_compiler.glob("unjudged/kernels/fast*.so"))
    done = run([sys.executable, "-m", "unjudged", "--version"], PYTHONPATH=str(without_compiler), UNJUDGED_CORE="")
    assert done.stdout.endswith("(NumPy core, slower: no compiled core is installed)\n"), done.stderr


def test_asking_for_the_compiled_core_is_one_clear_line(without_compiler: Path) -> None:
    done = run([sys.executable, "-m", "unjudged", "--version"], PYTHONPATH=str(without_compiler), UNJUDGED_CORE="fast")
    assert done.returncode == 2
    assert done.stderr == (
        "unjudged: UNJUDGED_CORE=fast, but the compiled core is not installed;"
        " reinstall unjudged where a C compiler is available\n"
    )


def test_the_demo_runs_on_it(without_compiler: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unjudged", "demo", str(tmp_path / "demo")]
    done = run(command, PYTHONPATH=str(without_compiler), UNJUDGED_CORE="")
    assert done.returncode == 0, done.stderr
    assert "NumPy core" in done.stdout
