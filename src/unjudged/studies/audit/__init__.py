"""Which judgments are probably wrong?"""

from __future__ import annotations

from unjudged.studies.audit.study import audit

__all__ = ["audit"]
