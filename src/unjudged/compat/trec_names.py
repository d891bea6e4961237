"""What trec_eval's front ends share: the order in which it prints measures, and its one level of relevance."""

from __future__ import annotations

from unjudged.measures import TREC_GROUPS, Measure
from unjudged.measures.parsing import find_trec_name

__all__ = ["at_level", "trec_position"]

_ORDER = {name: i for i, name in enumerate(TREC_GROUPS["all_trec"])}


def trec_position(name: str) -> tuple[int, float]:
    """Sorts printed names as trec_eval does: by measure, then by cut-off. Names that it does not have come last.

    >>> sorted(["P_10", "indAP", "P_7", "map"], key=trec_position)
    ['map', 'P_7', 'P_10', 'indAP']
    """
    match = find_trec_name(name)
    if match is None or match[1].name not in _ORDER:
        return len(_ORDER), 0.0
    _, trec, arguments = match
    return _ORDER[trec.name], float(arguments) if trec.at and arguments else 0.0


def at_level(measure: Measure, level: int) -> Measure:
    """trec_eval's ``-l``: the lowest relevant grade, for every measure that knows one and was not given another."""
    return measure.replace(rel=level) if measure.rel == 1 else measure
