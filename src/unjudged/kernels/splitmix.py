"""Random numbers that belong to a key and a step, not to a generator (SplitMix64; Steele, Lea and Flood, 2014).

There is no state to share or to split, so results do not depend on threads, blocks or order, and NumPy may change its
generators without changing a result here.
"""

from __future__ import annotations

import numpy as np

from unjudged.arrays import Floats, Hashes

__all__ = ["GOLDEN", "mixed", "seeded", "to_unit"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""The step from one number of a stream to the next."""
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)


def mixed(x: Hashes) -> Hashes:
    """Scatter the bits of each number; different numbers stay different."""
    x = (x ^ (x >> _S30)) * _MIX1
    x = (x ^ (x >> _S27)) * _MIX2
    return x ^ (x >> _S31)


def seeded(seed: int) -> np.uint64:
    """A seed of any size as a place to start from."""
    return np.uint64(int(seed) * int(GOLDEN) % 2**64)


def to_unit(x: Hashes) -> Floats:
    """Random bits as numbers in [0, 1)."""
    return (x >> _S11).astype(np.float64) * 2.0**-53
