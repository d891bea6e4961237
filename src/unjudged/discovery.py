"""Which modules a package has, so that a new module is found without a list to add it to."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType

__all__ = ["import_modules", "module_names"]


def module_names(path: Iterable[str]) -> list[str]:
    """Names of the modules at a package's *path*, sorted; nothing is imported, and folders are left out."""
    return sorted(one.name for one in pkgutil.iter_modules(path) if not one.ispkg)


def import_modules(package: str, path: Iterable[str]) -> list[ModuleType]:
    """Import all modules of a package: what they define is then registered.

    >>> import unjudged.simulate
    >>> [module.__name__ for module in import_modules("unjudged.simulate", unjudged.simulate.__path__)][0]
    'unjudged.simulate.base'
    """
    return [importlib.import_module(f"{package}.{name}") for name in module_names(path)]
