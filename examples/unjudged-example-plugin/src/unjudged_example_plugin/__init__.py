"""A measure and a hole model for unjudged. Importing this package registers them."""

from __future__ import annotations

from unjudged_example_plugin.hurwicz import Hurwicz
from unjudged_example_plugin.sliding_ratio import SlidingRatio

__all__ = ["Hurwicz", "SlidingRatio"]
