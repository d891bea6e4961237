"""What hole models are called where people look: short, as long as that says which is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unjudged.holes import hole_models

__all__ = ["short_model_names"]


def short_model_names(names: Sequence[str]) -> list[str]:
    """Names without parameters: ``evidence``, ``bootstrap``, ``bounds``. Those that would be alike stay whole.

    >>> short_model_names(["bounds", "bootstrap(prior=evidence)", "bootstrap(draws=50)", "discounted(sd=0.5)"])
    ['bounds', 'evidence', 'bootstrap', 'discounted']
    >>> short_model_names(["bootstrap(draws=50)", "bootstrap(prior=run)"])
    ['bootstrap(draws=50)', 'bootstrap(prior=run)']
    """
    short = [_short(name) for name in names]
    counts = Counter(short)
    return [name if counts[one] > 1 else one for name, one in zip(names, short, strict=True)]


def _short(name: str) -> str:
    """What a model draws from, where there is a model of that name; else its name alone."""
    model = hole_models.parse(name)
    prior = getattr(model, "prior", model.name)
    return prior if prior in hole_models else model.name
