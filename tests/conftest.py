"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine must not fail a test: what is slow is found by looking at durations, not by a deadline per example.
settings.register_profile("unjudged", deadline=None)
settings.load_profile("unjudged")

# Tests are about this package, whatever else is installed beside it; those of plugins start processes of their own.
os.environ["UNJUDGED_NO_PLUGINS"] = "1"

SHARED = Path(os.environ.get("UNJUDGED_SHARED", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real collections; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"real collections not found at {SHARED}")
    return SHARED
