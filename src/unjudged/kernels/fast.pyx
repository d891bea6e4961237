# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""The compiled core: the functions of :mod:`unjudged.kernels.reference`, with the same results.

The loops run without the GIL, so that threads can work on different chunks. Positions are checked once, before the
loops, which then trust them. Scratch memory is NumPy's, so that nothing leaks when an error is raised.
"""

import os
import re

import numpy as np
from libc.math cimport INFINITY, NAN, ldexp
from libc.stdint cimport INT32_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memmove, memset

from unjudged.kernels.reference import __all__

ctypedef const uint8_t[::1] Bytes
ctypedef const int64_t[::1] Ints
ctypedef const int64_t[:] Positions  # often one column of several, so not contiguous

cdef uint8_t IS_SPACE[256]
cdef enum: LAST_POWER = 64
cdef double POWERS[23]  # 10**i, exact
cdef uint64_t TENS[9]
cdef uint8_t POINTS[16]
# 10**(i - LAST_POWER) is FRACTIONS[i] * 2**EXPONENTS[i], cut (not rounded) to 64 bits.
cdef uint64_t FRACTIONS[2 * LAST_POWER + 1]
cdef int EXPONENTS[2 * LAST_POWER + 1]

def _fill_tables():
    cdef object i, power  # Python's integers, which do not overflow
    for i in range(256):
        IS_SPACE[i] = i in b" \t\n\v\f\r"
    for i in range(9):
        TENS[i] = 10**i
    for i in range(16):
        POINTS[i] = c"."
    for i in range(23):
        POWERS[i] = float(10**i)
    for i in range(2 * LAST_POWER + 1):
        power = (10 ** max(i - LAST_POWER, 0) << 512) // 10 ** max(LAST_POWER - i, 0)
        cut = power.bit_length() - 64
        FRACTIONS[i], EXPONENTS[i] = power >> cut, cut - 512

_fill_tables()

FIELD = re.compile(rb"\S+")

include "fast_lines.pxi"
include "fast_ids.pxi"
include "fast_images.pxi"
include "fast_draws.pxi"
include "fast_dicts.pxi"
include "fast_separated.pxi"
include "fast_walks.pxi"
