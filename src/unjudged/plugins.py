"""What packages with measures or hole models of their own import. These names stay; others may move without notice.

A plugin defines classes, and names its module in the entry point group ``unjudged.plugins``::

    [project.entry-points."unjudged.plugins"]
    my-measures = "my_package"

:mod:`unjudged.testing` checks such classes. Strategies (:mod:`unjudged.strategies`), degradations
(:mod:`unjudged.simulate`) and significance tests, corrections and interval methods (:mod:`unjudged.uncertainty`) are
added in the same way; they are imported from there.
"""

from __future__ import annotations

from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels, State
from unjudged.data.view import View, ideal_view
from unjudged.errors import InputError, Notice, SpecError
from unjudged.holes import Estimate, HoleModel, PreparedHoleModel, Settings, hole_models
from unjudged.measures import Measure, TrecName, measures
from unjudged.measures.base import (
    Browsing,
    Linear,
    Need,
    Normaliser,
    Static,
    Summary,
    cutoff_param,
    judged_only_param,
    rel_param,
    share,
)
from unjudged.registry import Plugin, find_plugins
from unjudged.spec import Choice, Flag, Gains, Limit, Real, Whole, param

__all__ = [
    "Browsing",
    "Choice",
    "Estimate",
    "Flag",
    "Floats",
    "Gains",
    "HoleModel",
    "InputError",
    "Limit",
    "Linear",
    "Measure",
    "Need",
    "Normaliser",
    "Notice",
    "Plugin",
    "PreparedHoleModel",
    "Qrels",
    "Real",
    "Settings",
    "SpecError",
    "State",
    "Static",
    "Summary",
    "TrecName",
    "View",
    "Whole",
    "cutoff_param",
    "find_plugins",
    "hole_models",
    "ideal_view",
    "judged_only_param",
    "measures",
    "param",
    "rel_param",
    "share",
]
