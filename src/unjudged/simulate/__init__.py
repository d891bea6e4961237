"""Taking judgments away, so that methods for incomplete judgments can be tried against a known truth."""

from __future__ import annotations

from unjudged.simulate.base import Degradation, degradations
from unjudged.simulate.judgments import Half, Share, keep_percent

__all__ = ["Degradation", "Half", "Share", "degradations", "keep_percent"]
