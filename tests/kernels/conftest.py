"""The cores that tests of kernels run over."""

from __future__ import annotations

import importlib
import os
import shutil
from types import ModuleType

import pytest

from unjudged.kernels import reference


def load_fast() -> ModuleType:
    """The compiled core. It may be missing only where it was left out on purpose or nothing can compile it."""
    try:
        return importlib.import_module("unjudged.kernels.fast")
    except ImportError:
        has_compiler = any(map(shutil.which, ("cc", "gcc", "clang")))
        if os.environ.get("UNJUDGED_NO_COMPILE") == "1" or not has_compiler:
            pytest.skip("the compiled core is not built: no C compiler, or UNJUDGED_NO_COMPILE=1")
        raise


@pytest.fixture(scope="module", params=["reference", "fast"])
def core(request: pytest.FixtureRequest) -> ModuleType:
    return reference if request.param == "reference" else load_fast()


@pytest.fixture(scope="module")
def fast() -> ModuleType:
    return load_fast()
