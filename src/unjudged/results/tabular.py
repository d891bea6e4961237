"""Results that are tables: as columns, as data frames, as JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from unjudged.errors import InputError
from unjudged.notebook_repr import NotebookRepr

__all__ = ["Tabular", "columns_of", "number_or_none", "to_frame"]

_BACKENDS = ("pandas", "polars", "pyarrow")


def number_or_none(value: float) -> float | None:
    """A number as a table has it: None where it is NaN or infinite, which JSON cannot say."""
    return float(value) if math.isfinite(value) else None


def columns_of(rows: Sequence[tuple[Any, ...]], kind: type[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Rows of one *kind* of named tuple as columns by name."""
    names: Sequence[str] = kind._fields  # type: ignore[attr-defined]
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def to_frame(columns: dict[str, list[Any]], backend: str | None) -> Any:
    """Columns as a native data frame of an installed package."""
    import importlib.util

    if backend is not None and backend not in _BACKENDS:
        raise InputError(f"backend must be one of {', '.join(_BACKENDS)}, not {backend!r}")
    wanted = _BACKENDS if backend is None else (backend,)
    for name in wanted:
        if importlib.util.find_spec(name) is not None:
            import narwhals as nw

            return nw.from_dict(columns, backend=name).to_native()  # type: ignore[arg-type]
    which = "pandas, polars or pyarrow" if backend is None else backend
    raise InputError(f"a data frame needs {which}: pip install {backend or 'pandas'}")


class Tabular(NotebookRepr):
    """A result with several tables, whose rows are named tuples."""

    row_types: ClassVar[Mapping[str, type[tuple[Any, ...]]]]
    """The tables, in order, and what their rows are; the method of a table's name gives them."""
    main_table: ClassVar[str] = "rows"

    def tables_by_name(self) -> Mapping[str, Sequence[Any]]:
        """The rows of all tables."""
        return {name: getattr(self, name)() for name in self.row_types}

    def table(self, name: str) -> Sequence[Any]:
        """The rows of one table."""
        if name not in self.row_types:
            raise InputError(f"table must be one of {', '.join(self.row_types)}, not {name!r}")
        return self.tables_by_name()[name]

    def to_dict(self, table: str | None = None) -> dict[str, list[Any]]:
        """Columns of one table by name; of the main one, unless another is named."""
        name = table or self.main_table
        return columns_of(self.table(name), self.row_types[name])

    def to_frame(self, backend: str | None = None, *, table: str | None = None) -> Any:
        """One table as a data frame (pandas, polars or pyarrow: the one named, or the first installed)."""
        return to_frame(self.to_dict(table), backend)

    def tables_as_dicts(self, *, without: Collection[str] = ()) -> dict[str, list[dict[str, Any]]]:
        """All tables, or all but some, as JSON has them."""
        return {name: [row._asdict() for row in self.table(name)] for name in self.row_types if name not in without}
