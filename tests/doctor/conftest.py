from __future__ import annotations

from pathlib import Path

import pytest
from doctor_collection import Collection


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection(tmp_path)
