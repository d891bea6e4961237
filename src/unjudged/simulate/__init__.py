"""Taking judgments away, so that methods for incomplete judgments can be tried against a known truth.

Importing this package imports all its modules, which defines, and so registers, all degradations.
"""

from __future__ import annotations

from unjudged.registry import import_modules
from unjudged.simulate.base import Degradation, Left, degradations
from unjudged.simulate.halves import OtherHalf
from unjudged.simulate.leave_out import LeaveOutGroup, LeaveOutRun
from unjudged.simulate.pools import DepthCut, DepthPlusRandom
from unjudged.simulate.samples import KeepFraction, KeepHalf, KeepTopics, OneRelevant
from unjudged.simulate.sequence import Then, parse_degradations
from unjudged.simulate.stratified import Stratified

__all__ = [
    "Degradation",
    "DepthCut",
    "DepthPlusRandom",
    "KeepFraction",
    "KeepHalf",
    "KeepTopics",
    "LeaveOutGroup",
    "LeaveOutRun",
    "Left",
    "OneRelevant",
    "OtherHalf",
    "Stratified",
    "Then",
    "degradations",
    "parse_degradations",
]

import_modules(__name__, __path__)
