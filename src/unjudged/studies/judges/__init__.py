"""How far can label sources be trusted? Agreement with people, and the order of runs that follows from labels alone."""

from __future__ import annotations

from unjudged.studies.judges.study import judges

__all__ = ["judges"]
