"""Is a candidate worse than a baseline, whatever nobody judged?"""

from __future__ import annotations

from unjudged.studies.gate.study import gate

__all__ = ["gate"]
