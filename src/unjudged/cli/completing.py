"""What a shell offers when somebody presses the tab key (``unjudged --install-completion``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unjudged.measures import Measure
    from unjudged.registry import Registry

__all__ = [
    "corrections",
    "degradations",
    "fusions",
    "hole_models",
    "intervals",
    "measures",
    "names",
    "significance_tests",
]

Offers = list[tuple[str, str]]
"""What can be typed, and what it is: most shells show both."""


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


def hole_models(incomplete: str) -> Offers:
    """Hole models."""
    from unjudged.holes import hole_models

    return _named(incomplete, hole_models)


def names(incomplete: str) -> Offers:
    """What ``unjudged measures`` explains."""
    from unjudged.holes import hole_models
    from unjudged.measures import measures

    return _named(incomplete, measures) + _named(incomplete, hole_models)


def degradations(incomplete: str) -> Offers:
    """Ways to take judgments away."""
    from unjudged.simulate import degradations

    return _named(incomplete, degradations)


def fusions(incomplete: str) -> Offers:
    """Ways to put runs together."""
    from unjudged.engine.numerics.fusion import fusions

    return _named(incomplete, fusions)


def significance_tests(incomplete: str) -> Offers:
    """Significance tests."""
    from unjudged.uncertainty import significance_tests

    return _named(incomplete, significance_tests)


def corrections(incomplete: str) -> Offers:
    """Corrections for the number of comparisons."""
    from unjudged.uncertainty import corrections

    return _named(incomplete, corrections)


def intervals(incomplete: str) -> Offers:
    """Methods for confidence intervals."""
    from unjudged.uncertainty import interval_methods

    return _named(incomplete, interval_methods)


def _named(incomplete: str, registry: Registry[Any]) -> Offers:
    return _beginning(incomplete, ((cls.name, cls.title) for cls in registry))


def _beginning(incomplete: str, offers: Iterable[tuple[str, str]]) -> Offers:
    return [(name, title) for name, title in offers if name.startswith(incomplete)]
