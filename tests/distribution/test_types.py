"""Types of the public surface, as a user's type checker sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

USER_CODE = Path(__file__).with_name("user_code.py")


def mypy(*arguments: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_script_that_uses_the_public_names_is_typed() -> None:
    done = mypy("--strict", str(USER_CODE))
    assert done.returncode == 0, done.stdout


def test_the_script_also_runs() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", str(USER_CODE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("uj.score({}, {}, 'AP').men()", '"Scores" has no attribute "men"'),
        ("nDCG(cutof=10)", 'Unexpected keyword argument "cutof" for "nDCG"'),
        ("x: str = uj.score({}, {}, 'AP').mean()[0].value", "Incompatible types in assignment"),
    ],
)
def test_mistakes_are_found(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mistaken.py").write_text(f"import unjudged as uj\nfrom unjudged.measures import nDCG\n{line}\n")
    assert message in mypy("--strict", str(tmp_path / "mistaken.py")).stdout
