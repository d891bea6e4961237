"""How precisely do measures measure on this collection?"""

from __future__ import annotations

from unjudged.studies.properties.study import Shallow, check_measure, properties

__all__ = ["Shallow", "check_measure", "properties"]
