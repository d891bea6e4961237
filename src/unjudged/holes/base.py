"""What a hole model is: a belief about the documents nobody judged."""

from __future__ import annotations

from typing import ClassVar

from unjudged.data.view import View
from unjudged.spec import Registry, Spec

__all__ = ["HoleModel", "hole_models"]

hole_models: Registry[HoleModel] = Registry("hole model", "`unjudged score --help` lists them")


class HoleModel(Spec):
    """Completes a view: says what to believe about its unjudged documents, so that any measure can be computed.

    A subclass with a ``name`` is registered by being defined.
    """

    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__ and cls.name:
            hole_models.add(cls)

    def fill(self, view: View) -> View:
        """The view as this model sees it."""
        raise TypeError(f"{type(self).__name__} does not say how it completes a view")
