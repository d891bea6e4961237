"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unjudged.errors import FileError, InputError, MissingExtraError
from unjudged.io.compression import refuse_bomb
from unjudged.io.sources import explain
from unjudged.io.table_columns import known_columns

__all__ = ["PARQUET", "open_parquet", "read_parquet"]

PARQUET = ".parquet"
"""How their names end."""

_BYTES_OF_VALUE = 8


@contextmanager
def open_parquet(path: str) -> Iterator[Any]:
    """A pyarrow ``ParquetFile``. What goes wrong while it is open becomes a message."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "reading Parquet files") from None
    try:
        # A file object, because pyarrow takes parts of a path (``year=2019/``) for columns.
        with Path(path).open("rb") as stream:
            file = pyarrow.parquet.ParquetFile(stream)
            refuse_bomb(path, os.fstat(stream.fileno()).st_size, _size_in_memory(file.metadata))
            yield file
    except InputError:
        raise
    except UnicodeDecodeError:
        raise FileError(path, "a column has text that is not UTF-8") from None
    except (pyarrow.ArrowException, ValueError):
        raise FileError(path, "this is not a Parquet file, or it is damaged") from None
    except OSError as problem:
        if problem.errno is None:  # pyarrow's way to say that the content is wrong
            raise FileError(path, "this is not a Parquet file, or it is damaged") from None
        raise explain(path, problem) from None


def _size_in_memory(metadata: Any) -> int:
    """About how many bytes the columns take, as the file says: a billion rows with the same value take some on disk."""
    # Of row groups, not of their columns: pyarrow ends the process where what a file says about a column is damaged.
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    width = _BYTES_OF_VALUE * metadata.num_columns
    return sum(max(group.total_byte_size, width * group.num_rows) for group in groups)


def read_parquet(path: str, *, values: bool = True) -> Any:
    """A Parquet file as a pyarrow table, with only the columns that are known here; a pool needs no *values*."""
    with open_parquet(path) as file:
        columns = known_columns(file.schema_arrow.names, values=values)
        # Without them, names are enough to say which column is missing.
        return file.read(columns=columns) if columns else file.schema_arrow.empty_table()
