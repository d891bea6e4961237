"""unjudged measures"""

from __future__ import annotations

from unjudged.cli import completing, options, streams
from unjudged.cli.declared import argument

__all__ = ["measures"]

PLACE = 70


def measures(
    name: str | None = argument(
        None, metavar="[NAME]", autocompletion=completing.names, help="A measure or hole model to explain."
    ),
    format: options.Format = options.FORMAT,  # noqa: A002
) -> None:
    """List the measures, or explain one: formula, parameters, treatment of unjudged documents, reference.

    Examples:
        unjudged measures
        unjudged measures nDCG
        unjudged measures discounted
    """
    from unjudged.reports.reference import explain, list_measures

    streams.emit(list_measures(format) if name is None else explain(name), None)
