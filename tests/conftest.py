"""Fixtures that all tests share."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest
from hypothesis import HealthCheck, settings

from unjudged.registry import Registry

# A busy machine must not fail a test: what is slow is found by looking at durations, not by a deadline per example.
# Nor must chance: examples are the same every time, but for `make test-all`, which looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("new", settings.get_profile("same"), derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("UNJUDGED_EXAMPLES", "same"))

# Tests are about this package, whatever else is installed beside it; those of plugins start processes of their own.
os.environ["UNJUDGED_NO_PLUGINS"] = "1"

SHARED = Path(os.environ.get("UNJUDGED_SHARED", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real collections; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"real collections not found at {SHARED}")
    return SHARED


@pytest.fixture
def forgotten_afterwards() -> Iterator[None]:
    """Forget measures, hole models and the like that a test defines."""
    before = {cls for registry in Registry.every for cls in registry.loaded()}
    yield
    for registry in Registry.every:
        for cls in registry.loaded():
            # Ours may have been imported by the test, and are imported only once.
            if cls not in before and not cls.__module__.startswith("unjudged."):
                registry.remove(cls)


if sys.platform == "win32":
    import msvcrt

    def _wait_for(lock: TextIO) -> None:
        while True:
            try:
                return msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
            except OSError:  # another worker has had it for ten seconds
                continue

else:
    import fcntl

    def _wait_for(lock: TextIO) -> None:
        fcntl.flock(lock, fcntl.LOCK_EX)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Makes a folder that takes long to make, once for all workers: the first one makes it, the others wait."""
    own = tmp_path_factory.getbasetemp()
    everybodys = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = everybodys / name, everybodys / f"{name}.done"
        with (everybodys / f"{name}.lock").open("w") as lock:
            _wait_for(lock)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a worker that failed
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window, with the logs of its console and of what it asks for."""
    webdriver = pytest.importorskip("selenium.webdriver")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no Chromium with chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for option in (
        "--headless",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        "--disable-gpu",
        "--disable-dev-shm-usage",  # which is small in containers
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--force-prefers-reduced-motion",
        "--window-size=1300,1000",
        f"--user-data-dir={tmp_path_factory.mktemp('browser')}",
    ):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    result = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    result.get("about:blank")
    yield result
    result.quit()
