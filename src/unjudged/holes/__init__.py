"""Hole models: what to believe about unjudged documents. Importing this package registers all of them."""

from __future__ import annotations

from unjudged.holes.base import HoleModel, hole_models
from unjudged.holes.fixed import Condensed, NonRelevant

__all__ = ["Condensed", "HoleModel", "NonRelevant", "hole_models"]
