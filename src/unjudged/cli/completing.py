"""What a shell offers when somebody presses the tab key (``unjudged --install-completion``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unjudged.measures import Measure

__all__ = [
    "corrections",
    "degradations",
    "fusions",
    "hole_models",
    "intervals",
    "measures",
    "names",
    "significance_tests",
    "strategies",
]

Offers = list[tuple[str, str]]
"""What can be typed, and what it is: most shells show both."""


def _names_in(*registries: str) -> Callable[[str], Offers]:
    """Names that registries have, each given as ``module.registry``; a module is imported when the key is pressed."""

    def offers(incomplete: str) -> Offers:
        places = (one.rpartition(".") for one in registries)
        every = (cls for module, _, name in places for cls in getattr(import_module(module), name))
        return _beginning(incomplete, ((cls.name, cls.title) for cls in every))

    return offers


hole_models = _names_in("unjudged.holes.hole_models")
degradations = _names_in("unjudged.simulate.degradations")
strategies = _names_in("unjudged.strategies.strategies")
fusions = _names_in("unjudged.engine.numerics.fusion.fusions")
significance_tests = _names_in("unjudged.uncertainty.significance_tests")
corrections = _names_in("unjudged.uncertainty.corrections")
intervals = _names_in("unjudged.uncertainty.interval_methods")
names = _names_in("unjudged.measures.measures", "unjudged.holes.hole_models")
"""What ``unjudged measures`` explains."""


def measures(incomplete: str) -> Offers:
    """Measures, with a cut-off where they have one; trec_eval's names where somebody types one."""
    from unjudged.measures import measures

    ours = [(name, cls.title) for cls in measures for name in _usual(cls)]
    trec = [(name, cls.title) for cls in measures for one in cls.trec_names for name in one.names()]
    # Not all of these together: a shell replaces what was typed by what all offers have in common.
    in_any_case = [(name, title) for name, title in ours if name.lower().startswith(incomplete.lower())]
    return _beginning(incomplete, ours) or _beginning(incomplete, trec) or in_any_case


def _usual(cls: type[Measure]) -> Iterator[str]:
    """The names that are likely meant."""
    field = next((field for field in cls.parameters() if field.name == cls.at), None)
    if field is None or field.default is None:
        yield cls.name
    if cls.at:
        yield f"{cls.name}@{10 if cls.at == 'cutoff' else 0.5}"


def _beginning(incomplete: str, offers: Iterable[tuple[str, str]]) -> Offers:
    return [(name, title) for name, title in offers if name.startswith(incomplete)]
