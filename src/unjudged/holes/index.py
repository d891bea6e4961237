"""Which module has which name, so that only those are imported that are asked for."""

# Generated from the code by `make docs`; do not edit.

from __future__ import annotations

__all__ = ["MODULES"]

MODULES = {
    "bootstrap": "bootstrap",
    "bounds": "bounds",
    "condensed": "nonrelevant_and_condensed",
    "discounted": "discounted",
    "evidence": "evidence",
    "guaranteed": "bounds",
    "joint": "bounds",
    "labels": "labels",
    "nonrelevant": "nonrelevant_and_condensed",
    "rbp_bounds": "rbp_bounds",
}
