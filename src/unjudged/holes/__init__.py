"""Hole models: what to believe about unjudged documents. Importing it imports its modules, which registers all."""

from __future__ import annotations

from unjudged.discovery import import_modules
from unjudged.holes.base import Belief, Estimate, HoleModel, Settings, hole_models
from unjudged.holes.bootstrap import Bootstrap
from unjudged.holes.bounds import Bounds, Guaranteed, Joint
from unjudged.holes.evidence import Evidence
from unjudged.holes.fixed import Condensed, NonRelevant
from unjudged.holes.labels import Labels

__all__ = [
    "Belief",
    "Bootstrap",
    "Bounds",
    "Condensed",
    "Estimate",
    "Evidence",
    "Guaranteed",
    "HoleModel",
    "Joint",
    "Labels",
    "NonRelevant",
    "Settings",
    "hole_models",
]

import_modules(__name__, __path__)
