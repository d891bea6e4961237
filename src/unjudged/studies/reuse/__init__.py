"""Can this collection judge new systems, and which method should I trust on it?"""

from __future__ import annotations

from unjudged.studies.reuse.judgments_needed import Target, parse_target
from unjudged.studies.reuse.protocol import Protocol
from unjudged.studies.reuse.study import reuse

__all__ = ["Protocol", "Target", "parse_target", "reuse"]
