"""``make test`` as root installs a browser for the tests of pages, and says so before it does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("user", [0, 1000])
def test_what_is_installed_on_the_system_is_said_first(tmp_path: Path, user: int) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("make", "sh", "touch"):  # and no chromedriver
        (tools / name).symlink_to(str(shutil.which(name)))
    for name, does in (("id", f"echo {user}"), ("apt-get", f"echo apt-get $1 >> {tmp_path}/log")):
        (tools / name).write_text(f"#!/bin/sh\n{does}\n")
        (tools / name).chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", f"VENV={tmp_path}", "-o", f"{tmp_path}/installed-test", f"{tmp_path}/browser"],
        cwd=ROOT,
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=True,
    )
    output = "Installing chromium and chromium-driver on this system with apt-get, for the tests of pages (root only)\n"
    assert (done.stdout, done.stderr) == (output if user == 0 else "", "")
    log = tmp_path / "log"
    assert (log.read_text() if log.exists() else "") == ("apt-get update\napt-get install\n" if user == 0 else "")
