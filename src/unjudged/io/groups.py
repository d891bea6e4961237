"""Who made which run, and in which order runs came: small files with a line for each run, or dictionaries."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from unjudged.errors import FileError, InputError
from unjudged.io.sources import as_path, plain_lines, show
from unjudged.wording import shortened

__all__ = ["as_date", "by_name", "read_groups", "read_order", "read_types"]

_HEADERS = (["run"], ["run", "group"], ["run", "team"], ["run", "type"], ["run", "runtype"], ["run", "date"])
"""How a first line begins that names the columns of runs. One may be called "run", but not be of the group "team"."""
_TOPIC_COLUMNS = ("topic", "query", "query_id", "query-id", "qid")
"""What the first column is called where a first line names the columns of topics."""
_TYPES = ("type", "runtype")
"""What a column with types of runs is called."""


def read_groups(source: Any) -> dict[str, str]:
    """The group of each run: lines ``run group``, or a dict. What follows on a line is ignored.

    >>> read_groups({"bm25": "baselines"})
    {'bm25': 'baselines'}
    """
    return by_name(source, "group")


def read_types(source: Any) -> dict[str, str]:
    """What kind of run each is: lines ``run type``, or a dict; or a file whose first line calls a column ``type``.

    >>> read_types({"bm25": "automatic"})
    {'bm25': 'automatic'}
    """
    return by_name(source, "type", _TYPES)


def by_name(source: Any, what: str, called: Sequence[str] = (), *, key: str = "run") -> dict[str, str]:
    """The second column of each run (or other *key*), or the one that is *called* so."""
    if isinstance(source, Mapping):
        return {str(name): str(one) for name, one in source.items()}
    path = as_path(source)
    if path is None:
        raise InputError(f"cannot read {what}s from {type(source).__name__}; give a path or a dict of {what}s by {key}")
    rows = _rows(path, () if key == "run" else called)
    _, header = next(rows)
    at = next((header.index(name) for name in called if name in header), 1)
    out: dict[str, str] = {}
    for line, fields in rows:
        if len(fields) <= at:
            wanted = f"2 columns ({key} {what})" if at == 1 else f"{at + 1} columns, the last one for the {what}"
            raise FileError(path, f"expected {wanted}, got {len(fields)}: {shortened(fields[0])}", line=line)
        if not fields[at]:
            raise FileError(path, f"a column is empty: {shortened(fields[0])} has no {what}", line=line)
        _once(path, line, fields[0], out)
        out[fields[0]] = fields[at]
    return out


def read_order(source: Any) -> dict[str, int]:
    """When each run came, as a number; runs with the same number came together.

    Lines ``run``, in order, or ``run date`` (year-month-day) in any order; also a list of runs or a dict of dates.

    >>> read_order({"bert": "2020-06-01", "bm25": "1994-01-01", "ance": "2020-06-01"})
    {'bert': 1, 'bm25': 0, 'ance': 1}
    """
    if isinstance(source, Mapping):
        return _by_date({str(run): as_date(day) for run, day in source.items()})
    path = as_path(source)
    if path is None:
        if not isinstance(source, Sequence):
            raise InputError(f"cannot read an order from {type(source).__name__}; give a path, a list or a dict")
        places: dict[str, int] = {}
        for run in map(str, source):
            _once("order", None, run, places)
            places[run] = len(places)
        return places
    days: dict[str, date] = {}
    places = {}
    rows = _rows(path)
    next(rows)  # what the columns are called does not matter
    for line, fields in rows:
        _once(path, line, fields[0], places)
        if bool(days) != (len(fields) > 1) and places:
            raise FileError(path, "some lines have a date and some have none", line=line)
        if len(fields) > 1:
            try:
                days[fields[0]] = as_date(fields[1])
            except InputError as problem:
                raise FileError(path, str(problem), line=line) from None
        places[fields[0]] = len(places)
    return _by_date(days) if days else places


def _rows(path: str, of_topics: Sequence[str] = ()) -> Iterator[tuple[int, list[str]]]:
    """First the header (empty, if there is none), then lines that are neither blank nor comments.

    In a header about topics one column is called as one of these words. Lines are cut at tabs, commas or spaces,
    whichever they have.
    """
    any_row = False
    for number, raw, line in plain_lines(path):
        separator = next((one for one in ("\t", ",") if one in line), None)
        fields = [field.strip() for field in _cut(path, number, line, separator)]
        if not all(fields[:2]):
            raise FileError(path, f"a column is empty: {show(raw)}", line=number)
        if not any_row and not _is_header(fields, of_topics):
            yield 0, []
        any_row = True
        yield number, fields
    if not any_row:
        raise FileError(path, "the file is empty")


def _cut(path: str, number: int, line: str, separator: str | None) -> list[str]:
    """The fields of a line; between commas they may be quoted, as CSV has them."""
    if separator != "," or '"' not in line:
        return line.split(separator)
    try:
        return next(csv.reader([line], strict=True, skipinitialspace=True))
    except csv.Error as problem:
        raise FileError(path, f"a quoted field is wrong ({problem}): {shortened(line)}", line=number) from None


def _is_header(fields: Sequence[str], of_topics: Sequence[str]) -> bool:
    if of_topics:
        return fields[0] in _TOPIC_COLUMNS and any(field in of_topics for field in fields[1:])
    return list(fields[:2]) in _HEADERS


def _once(path: str, line: int | None, run: str, earlier: Mapping[str, object]) -> None:
    if run in earlier:
        raise FileError(path, f"{shortened(run)} is listed twice", line=line)


def as_date(day: object) -> date:
    """A day, however it is given."""
    if isinstance(day, datetime):  # also those of pandas; as in files, the time of day does not count
        return day.date()
    if isinstance(day, date):
        return day
    try:
        return date.fromisoformat(str(day))
    except ValueError:
        raise InputError(f"{shortened(day)} is not a date such as 2024-12-09") from None


def _by_date(days: Mapping[str, date]) -> dict[str, int]:
    places = {day: place for place, day in enumerate(sorted(set(days.values())))}
    return {run: places[day] for run, day in days.items()}
