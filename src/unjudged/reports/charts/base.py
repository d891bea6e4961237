"""What all charts have in common: columns that can be tested without pixels, words, and a way to draw them."""

from __future__ import annotations

import sys
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeVar

from unjudged.errors import MissingExtraError
from unjudged.io.writing import write_file
from unjudged.notebook_repr import Bundle
from unjudged.reports.charts import theme
from unjudged.reports.charts.writing import altair, check_file, content
from unjudged.wording import visible

__all__ = ["Chart", "ChartFunction", "Columns", "DeclaredChart", "chart", "columns_of", "declared"]

Columns = dict[str, list[Any]]

_LINE = 88
"""Characters of a line below the title."""


@dataclass(frozen=True, eq=False, repr=False)
class Chart(ABC):
    """A picture of a result. What it shows are ``columns``; what it leaves out, ``remarks`` say.

    Names from files are values in the columns, never part of an expression or the name of a field.
    """

    columns: Columns
    title: str
    remarks: tuple[str, ...] = ()
    inputs: tuple[str, ...] = field(default=(), kw_only=True)
    """Files that the result was made of, which the chart is not saved over."""

    @abstractmethod
    def marks(self, alt: Any, data: Any) -> Any:
        """The drawing, with Altair, without title and theme."""

    def to_altair(self) -> Any:
        """An Altair chart, to change or to combine with others."""
        alt = altair()
        lines = [line for remark in self.remarks for line in textwrap.wrap(visible(remark), _LINE)]
        title = alt.TitleParams(text=visible(self.title), subtitle=lines)
        about = visible(" ".join([self.title + ".", *self.remarks]))  # what a screen reader says
        drawn = self.marks(alt, alt.InlineData(values=self._values()))
        return drawn.properties(title=title, description=about).configure(**theme.CONFIG)

    def to_dict(self) -> dict[str, Any]:
        """The Vega-Lite specification.

        Altair would check it against the schema of Vega-Lite, part by part and as a whole, which takes most of the
        time. Tests have it do so for every chart.
        """
        with altair().utils.schemapi.debug_mode(False):
            specification: dict[str, Any] = self.to_altair().to_dict(validate=False)
        return specification

    def save(self, path: str | PathLike[str]) -> None:
        """Write the chart to a file that ends in .png, .svg, .pdf, .html or .json, but not over the result's inputs."""
        write_file(path, content(self.to_dict(), check_file(path), self.title), inputs=self.inputs)

    def _repr_mimebundle_(self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None) -> Bundle:
        """What notebooks show: a picture, so that nothing is loaded from elsewhere and no name can be a script.

        Altair's own would write names into a script, and load Vega from a server. Without Altair, there are words.
        """
        try:
            return {"text/plain": repr(self), "image/svg+xml": content(self.to_dict(), "svg", self.title).decode()}
        except MissingExtraError as problem:
            return {"text/plain": f"{self!r}\n{problem}"}

    def _repr_svg_(self) -> str | None:
        return self._repr_mimebundle_().get("image/svg+xml")

    def __repr__(self) -> str:
        rows = len(next(iter(self.columns.values()), []))
        return f"{type(self).__name__}({self.title!r}, {rows:,} rows of {', '.join(self.columns)})"

    def _values(self) -> list[dict[str, Any]]:
        """The columns row by row. What would reorder or hide text is shown as an escape."""
        shown: Sequence[list[Any]] = [
            [visible(cell) if isinstance(cell, str) else cell for cell in column] for column in self.columns.values()
        ]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*shown, strict=True)]

    def distinct(self, column: str) -> list[Any]:
        """What a column has, in its order, as it is shown: the domain of a scale."""
        return list(dict.fromkeys(row[column] for row in self._values() if row[column] is not None))


ChartFunction = Callable[..., Chart]
"""Makes a chart of a result, which is its first argument."""

F = TypeVar("F", bound=ChartFunction)


@dataclass(frozen=True)
class DeclaredChart:
    """A chart and where it belongs."""

    command: str
    name: str
    """What ``--chart`` takes."""
    function: ChartFunction
    is_default: Callable[[Any], bool]
    """Whether it says most about this result, so that it is drawn without ``--chart``."""
    words: str
    """What it shows, in one line."""


declared: dict[str, DeclaredChart] = {}
"""Charts by the names of their modules."""


def chart(*, is_default: Callable[[Any], bool] = lambda _: False) -> Callable[[F], F]:
    """Declare the chart that a module COMMAND_NAME is; the first line of the module says what it shows."""

    def declare(function: F) -> F:
        module = function.__module__.rpartition(".")[2]
        command, _, name = module.partition("_")
        words = (sys.modules[function.__module__].__doc__ or "").partition("\n")[0].removesuffix(".")
        declared[module] = DeclaredChart(command, name.replace("_", "-"), function, is_default, words)
        return function

    return declare


def columns_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    """Rows as columns."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}
