"""Can this collection judge new systems, and which method should I trust on it?"""

from __future__ import annotations

from unjudged.studies.reuse.study import reuse
from unjudged.studies.reuse.targets import Target, parse_target

__all__ = ["Target", "parse_target", "reuse"]
