"""A project that is served, and a browser that looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from unjudged.judging import Project
from unjudged.judging.serving import Serving

from .pages import NETWORK, Browser, forget, wide
from .served import served, small_project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with small_project(tmp_path / "p.unjudged") as project:
        yield project


@pytest.fixture
def serving(project: Project) -> Iterator[Serving]:
    with served(project) as serving:
        yield serving


@pytest.fixture
def page(browser: Browser) -> Iterator[Browser]:
    """A browser that knows nobody."""
    wide(browser, 1400, 900)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    yield browser
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", NETWORK | {"offline": False})
    forget(browser)
    browser.get("about:blank")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
