"""Charts of results. A module COMMAND_NAME is the chart NAME of a command's result: a function and a class that draws.

So names are known without importing anything, which ``--help`` has no time for. The function is declared with
:func:`unjudged.reports.charts.base.chart`, and is in ``uj.plots`` by its own name. Nothing here loads Altair until
something is drawn.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from unjudged.errors import InputError
from unjudged.registry import import_modules, module_names

if TYPE_CHECKING:
    from unjudged.reports.charts.base import ChartFunction, DeclaredChart

__all__ = ["all_charts", "chart_names", "choose", "default_name"]


def chart_names(command: str) -> list[str]:
    """The charts of a command's result, by the names that ``--chart`` takes."""
    start = f"{command}_"
    return [_typed(name.removeprefix(start)) for name in _modules() if name.startswith(start)]


def all_charts() -> list[DeclaredChart]:
    """All charts, by command and name."""
    import_modules(__name__, __path__)
    from unjudged.reports.charts.base import declared

    return [declared[name] for name in sorted(declared)]


def choose(command: str, name: str) -> ChartFunction:
    """The chart of a command with this name."""
    names = chart_names(command)
    if name not in names:
        raise InputError(f"unjudged {command} has no chart {name!r}; there is {', '.join(names)}")
    return _declared(command, name).function


def default_name(command: str, result: Any) -> str:
    """The chart that says most about this result."""
    names = chart_names(command)
    return next((name for name in names if _declared(command, name).is_default(result)), names[0])


@cache
def _modules() -> list[str]:
    return module_names(__path__)


def _typed(name: str) -> str:
    """How a name is typed on the command line."""
    return name.replace("_", "-")


def _declared(command: str, name: str) -> DeclaredChart:
    from unjudged.reports.charts.base import declared

    module = f"{command}_{name.replace('-', '_')}"
    importlib.import_module(f"{__name__}.{module}")
    return declared[module]
