"""Archives of this package, and new environments in which they are installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EPOCH = "1700000000"

Done = subprocess.CompletedProcess[str]
MadeOnce = Callable[[str, Callable[[Path], None]], Path]


def run(command: Sequence[object], *, cwd: Path | None = None, **environment: str) -> Done:
    ours = {"PYTHONPATH", "UNJUDGED_CORE", "UNJUDGED_NO_PLUGINS"}  # what is installed decides by itself
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, env={**kept, **environment})


def project() -> dict[str, Any]:
    content: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return content


def source_files(*wanted: str) -> list[str]:
    """What git knows or would add, without what was built in this checkout."""
    listed = run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *wanted]).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).exists()]


def copy_source(folder: Path) -> Path:
    """A clean checkout, as far as building looks at it."""
    for name in source_files("src", "tests", "setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def build(source: Path, out: Path, *, umask: int = 0o022) -> None:
    """The sdist, and the wheel that is made from it."""
    if importlib.util.find_spec("build") is None:
        pytest.skip("building archives needs the package 'build'")
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(source)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
        umask=umask,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def archives(made_once: MadeOnce) -> Path:
    """A folder with a wheel and an sdist."""
    return made_once("archives", lambda folder: build(copy_source(folder / "source"), folder / "out")) / "out"


@pytest.fixture(scope="session")
def wheel(archives: Path) -> Path:
    (archive,) = archives.glob("*.whl")
    return archive


@pytest.fixture(scope="session")
def sdist(archives: Path) -> Path:
    (archive,) = archives.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="session")
def environment(made_once: MadeOnce) -> Callable[..., Path]:
    """The folder of programs of a new environment in which something is installed, and nothing else."""

    def make(name: str, *requirements: object, **variables: str) -> Path:
        def fill(folder: Path) -> None:
            assert run([sys.executable, "-m", "venv", folder]).returncode == 0
            done = run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *requirements], **variables)
            assert done.returncode == 0, done.stderr

        return made_once(f"environment-{name}", fill) / "bin"

    return make
