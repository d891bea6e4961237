"""``Qrels`` and ``Run`` objects of ranx, known without importing ranx (which takes 2 s) and read without compiling."""

from __future__ import annotations

from typing import Any

__all__ = ["is_ranx", "ranx_dicts", "ranx_name"]


def is_ranx(source: object) -> bool:
    """Whether *source* is judgments or a run of ranx."""
    return type(source).__module__.split(".")[0] == "ranx" and hasattr(source, "to_dict")


def ranx_dicts(source: Any) -> dict[str, dict[str, Any]]:
    """The content as {topic: {doc: value}}. ``to_dict`` makes new dicts, so the object stays as it is."""
    return dict(source.to_dict())


def ranx_name(source: object) -> str | None:
    """The name that a run of ranx brings along, if it has one."""
    return getattr(source, "name", None) or None if is_ranx(source) else None
