"""How precisely do measures measure on this collection?"""

from __future__ import annotations

from unjudged.studies.properties.study import Shallow, properties

__all__ = ["Shallow", "properties"]
