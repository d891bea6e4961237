"""Installing the package: with nothing that compiles, it works and says so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .conftest import MadeOnce, copy_source, run


@pytest.fixture(scope="module")
def without_compiler(made_once: MadeOnce) -> Path:
    """The package installed where the C compiler always fails."""

    def install(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        done = run([*pip, "--target", folder / "site", copy_source(folder / "source")], CC="/bin/false")
        assert done.returncode == 0, done.stderr

    return made_once("without-compiler", install) / "site"


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
    assert "  unjudged report QRELS RUN... --open" in done.stdout
