# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""The compiled core: the functions of :mod:`unjudged.kernels.reference`, with the same results.

The loops run without the GIL, so that threads can work on different chunks. Positions are checked once, before the
loops, which then trust them. Scratch memory is NumPy's, so that nothing leaks when an error is raised.
"""

import os
import re

import numpy as np
from libc.math cimport INFINITY, ldexp
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from unjudged.kernels.reference import __all__

ctypedef const uint8_t[::1] Bytes
ctypedef const int64_t[::1] Ints
ctypedef const int64_t[:] Positions  # often one column of several, so not contiguous

cdef uint8_t IS_SPACE[256]
cdef enum: LAST_POWER = 64
cdef double POWERS[23]  # 10**i, exact
# 10**(i - LAST_POWER) is FRACTIONS[i] * 2**EXPONENTS[i], cut (not rounded) to 64 bits.
cdef uint64_t FRACTIONS[2 * LAST_POWER + 1]
cdef int EXPONENTS[2 * LAST_POWER + 1]

def _fill_tables():
    cdef object i, power  # Python's integers, which do not overflow
    for i in range(256):
        IS_SPACE[i] = i in b" \t\n\v\f\r"
    for i in range(23):
        POWERS[i] = float(10**i)
    for i in range(2 * LAST_POWER + 1):
        power = (10 ** max(i - LAST_POWER, 0) << 512) // 10 ** max(LAST_POWER - i, 0)
        cut = power.bit_length() - 64
        FRACTIONS[i], EXPONENTS[i] = power >> cut, cut - 512

_fill_tables()

FIELD = re.compile(rb"\S+")

# --- Lines and fields ------------------------------------------------------------------------------------------------
cdef int _check_fields(Bytes text, Positions starts, Positions ends) except -1:
    cdef int64_t i, size = len(text)
    cdef bint bad = len(starts) != len(ends)
    with nogil:
        for i in range(0 if bad else len(starts)):
            bad |= (starts[i] < 0) | (ends[i] < starts[i]) | (ends[i] > size)
    if bad:
        raise ValueError(f"starts and ends must be pairs of positions in a text of {size} bytes")

cdef inline uint64_t _word(const uint8_t* at) noexcept nogil:
    # Compilers turn this into one load, and on big-endian machines into a load and a byte swap.
    return (<uint64_t>at[0] | <uint64_t>at[1] << 8 | <uint64_t>at[2] << 16 | <uint64_t>at[3] << 24
            | <uint64_t>at[4] << 32 | <uint64_t>at[5] << 40 | <uint64_t>at[6] << 48 | <uint64_t>at[7] << 56)

def pack_fields(Bytes text, Positions starts, Positions ends):
    """Copy fields into a packed column of ids: ``blob, offsets``."""
    _check_fields(text, starts, ends)
    cdef int64_t i, n = len(starts)
    cdef int64_t[::1] offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.subtract(ends, starts), out=np.asarray(offsets)[1:])
    cdef uint8_t[::1] blob = np.empty(offsets[n], np.uint8)
    with nogil:
        for i in range(n):
            memcpy(&blob[offsets[i]], &text[starts[i]], ends[i] - starts[i])
    return np.asarray(blob), np.asarray(offsets)

# --- Numbers: the loops read what is certain; Python reads the rest afterwards, under one hold of the GIL ------------
ctypedef fused Number:
    double
    int64_t

cdef inline bint _minus(const uint8_t** at, const uint8_t* end) noexcept nogil:
    """Step over a sign; True if it is a minus."""
    cdef uint8_t sign = at[0][0] if at[0] < end else 0
    at[0] += sign == c"-" or sign == c"+"
    return sign == c"-"

cdef inline int64_t _digits(const uint8_t** at, const uint8_t* end, uint64_t* value) noexcept nogil:
    """Step over digits and append them to *value*; how many there are."""
    cdef const uint8_t* first = at[0]
    while at[0] < end and <uint8_t>(at[0][0] - c"0") < 10:
        value[0] = value[0] * 10 + (at[0][0] - c"0")
        at[0] += 1
    return at[0] - first

cdef inline uint64_t _high_half(uint64_t a, uint64_t b) noexcept nogil:
    """The upper 64 bits of a product of 128 bits."""
    cdef uint64_t low = 0xFFFFFFFFULL
    cdef uint64_t cross = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32)
    return (a >> 32) * (b >> 32) + (cross >> 32) + ((cross & low) + (a & low) * (b >> 32) >> 32)

cdef inline bint _scale(uint64_t mantissa, int64_t power, double* value) noexcept nogil:
    """``mantissa * 10**power``, correctly rounded; False if that is not certain."""
    cdef uint64_t product, shift = 0
    if mantissa < 1ULL << 53 and -22 <= power <= 22:
        # Both numbers are exact, so the one operation rounds as it must (Clinger 1990).
        value[0] = <double>mantissa / POWERS[-power] if power < 0 else <double>mantissa * POWERS[power]
        return True
    if mantissa == 0 or power < -LAST_POWER or power > LAST_POWER:
        return False
    while not mantissa >> 63:
        mantissa <<= 1
        shift += 1
    # The true product lies in [product, product + 2): when both ends round to the same double, so does it. About one
    # number in 700 fails. This pays, because 17 digits are usual in runs (float32 scores printed by Python).
    product = _high_half(mantissa, FRACTIONS[power + LAST_POWER])
    value[0] = ldexp(<double>product, 64 + EXPONENTS[power + LAST_POWER] - <int>shift)
    return <double>product == <double>(product + 2)

cdef inline bint _read(const uint8_t* at, const uint8_t* end, Number* value) noexcept nogil:
    """Read a plain number; False leaves the field to Python."""
    cdef uint64_t mantissa = 0, exponent = 0
    cdef int64_t n_digits, n_fraction = 0, power
    cdef bint negative = _minus(&at, end), small
    n_digits = _digits(&at, end, &mantissa)
    if Number is double:
        if at < end and at[0] == c".":
            at += 1
            n_fraction = _digits(&at, end, &mantissa)
        power = -n_fraction
        if at < end and at[0] | 32 == c"e":
            at += 1
            small = _minus(&at, end)
            if not 0 < _digits(&at, end, &exponent) <= 4:
                return False
            power += -<int64_t>exponent if small else <int64_t>exponent
        # 20 digits may not fit in 64 bits.
        if at != end or not 0 < n_digits + n_fraction < 20 or not _scale(mantissa, power, value):
            return False
    else:
        if at != end or not 0 < n_digits < 19:
            return False
        value[0] = <int64_t>mantissa
    if negative:
        value[0] = -value[0]
    return True

# --- Lines into columns ----------------------------------------------------------------------------------------------
# One pass over the bytes that does everything. A loop over bytes is enough: bit masks over 64 of them were no faster.
cdef enum: MOST_COLUMNS = 64

cdef struct Column:
    uint8_t kind  # a letter; see the reference
    int64_t number  # in the file
    uint8_t* blob  # of text
    int64_t* offsets
    int64_t n_heads  # of codes
    int64_t* heads
    int64_t* ends
    int64_t* starts  # of codes and numbers
    double* numbers
    int64_t* integers

cdef struct Lines:
    const uint8_t* text
    int64_t size, columns, n_kept, n_rows, n_gaps, found
    int64_t* gap_rows
    int64_t* gap_lines

cdef inline void _copy_id(const uint8_t* text, int64_t start, int64_t end, int64_t size, uint8_t* to) noexcept nogil:
    # A copy of known length is one instruction; *to* has room for it. Few ids are longer.
    if end - start <= 16 and start + 16 <= size:
        memcpy(to, text + start, 16)
    else:
        memcpy(to, text + start, end - start)

cdef inline void _keep(Column* column, const Lines* lines, int64_t start, int64_t end) noexcept nogil:
    """Store a field of the row at hand."""
    cdef int64_t row = lines.n_rows, head = column.n_heads - 1
    if column.kind == c"t":
        _copy_id(lines.text, start, end, lines.size, column.blob + column.offsets[row])
        column.offsets[row + 1] = column.offsets[row] + end - start
    elif column.kind == c"c":
        if head < 0 or end - start != column.ends[head] - column.starts[head] or memcmp(
            lines.text + start, lines.text + column.starts[head], end - start
        ) != 0:
            column.heads[head + 1], column.starts[head + 1], column.ends[head + 1] = row, start, end
            column.n_heads += 1
    elif column.kind == c"n":
        column.starts[row] = start
        if not _read(lines.text + start, lines.text + end, &column.numbers[row]):
            column.numbers[row] = -INFINITY
    else:
        column.starts[row] = start
        if not _read(lines.text + start, lines.text + end, &column.integers[row]):
            column.integers[row] = INT64_MIN

cdef inline int64_t _after_spaces(const uint8_t* text, int64_t at) noexcept nogil:
    while IS_SPACE[text[at]] and text[at] != c"\n":
        at += 1
    return at

cdef inline int64_t _after_field(const uint8_t* text, int64_t at) noexcept nogil:
    while not IS_SPACE[text[at]]:
        at += 1
    return at

cdef void _cut(Lines* lines, Column* columns) noexcept nogil:
    """Cut a text that ends with a line feed: every loop in here stops there."""
    cdef const uint8_t* text = lines.text
    cdef int64_t[2 * MOST_COLUMNS + 2] edges  # where the fields of a line start and end, alternating
    cdef int64_t i, found, at = 0, most = 2 * lines.columns
    while at < lines.size:
        at = _after_spaces(text, at)
        if text[at] == c"\n" or text[at] == c"#":
            while text[at] != c"\n":
                at += 1
            if lines.n_gaps == 0 or lines.gap_rows[lines.n_gaps - 1] != lines.n_rows:
                lines.gap_rows[lines.n_gaps], lines.gap_lines[lines.n_gaps] = lines.n_rows, 0
                lines.n_gaps += 1
            lines.gap_lines[lines.n_gaps - 1] += 1
        else:
            # First all edges of the line, then all fields: mixed, it takes half as long again, because the processor
            # cannot foresee the way.
            found = 0
            while text[at] != c"\n":
                edges[min(found, most)] = at
                at = _after_field(text, at)
                edges[min(found, most) + 1] = at
                at = _after_spaces(text, at)
                found += 2
            if found != most:
                lines.found = found // 2
                return
            for i in range(lines.n_kept):
                _keep(&columns[i], lines, edges[2 * columns[i].number], edges[2 * columns[i].number + 1])
            lines.n_rows += 1
        at += 1

cdef tuple _arrays(Column* column, str kind, int64_t number, int64_t size, int64_t rows):
    """Make room for what :func:`_keep` stores."""
    cdef uint8_t[::1] blob
    cdef int64_t[::1] offsets, heads, starts, ends, integers
    cdef double[::1] numbers
    column.kind, column.number = ord(kind), number
    if kind == "t":
        blob, offsets = np.empty(size + 16, np.uint8), np.empty(rows + 1, np.int64)
        column.blob, column.offsets = &blob[0], &offsets[0]
        offsets[0] = 0
        return np.asarray(blob), np.asarray(offsets)
    if kind == "c":
        heads, starts, ends = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
        column.heads, column.starts, column.ends = &heads[0], &starts[0], &ends[0]
        return np.asarray(heads), np.asarray(starts), np.asarray(ends)
    if kind == "n":
        numbers, starts = np.empty(rows, np.float64), np.empty(rows, np.int64)
        column.numbers, column.starts = &numbers[0], &starts[0]
        return np.asarray(numbers), np.asarray(starts)
    if kind == "i":
        integers, starts = np.empty(rows, np.int64), np.empty(rows, np.int64)
        column.integers, column.starts = &integers[0], &starts[0]
        return np.asarray(integers), np.asarray(starts)
    raise ValueError(f"a column is t, c, n, i or ., not {kind!r}")

cdef object _numbers(Bytes text, values, starts, mark, number):
    """Read the numbers that were left to Python; the values end at the first field that is none."""
    for row in np.flatnonzero(values == mark).tolist():
        field = FIELD.match(text, starts[row])[0]
        # Python reads "1_000" as a number; nobody who writes that in a run file means one thousand.
        if b"_" in field:
            return values[:row]
        try:
            values[row] = number(field)
        except (ValueError, OverflowError):
            return values[:row]
    return values

def cut_rows(Bytes text, str kinds):
    """Cut whole lines into columns."""
    if len(text) and text[len(text) - 1] != c"\n":
        text = np.append(text, np.uint8(c"\n"))
    cdef int64_t i, rows = np.count_nonzero(np.equal(text, c"\n"))
    cdef int64_t[::1] gap_rows = np.empty(rows + 1, np.int64), gap_lines = np.empty(rows + 1, np.int64)
    cdef Column[MOST_COLUMNS] columns
    kept = [i for i, kind in enumerate(kinds) if kind != "."]
    if len(kinds) > MOST_COLUMNS:
        raise ValueError(f"{len(kinds)} columns, but at most {MOST_COLUMNS} can be cut")
    cdef Lines lines = Lines(&text[0], len(text), len(kinds), len(kept), 0, 0, 0, &gap_rows[0], &gap_lines[0])
    memset(columns, 0, sizeof(columns))
    arrays = [_arrays(&columns[i], kinds[number], number, len(text), rows) for i, number in enumerate(kept)]
    with nogil:
        _cut(&lines, columns)
    parts, rows = [()] * len(kinds), lines.n_rows
    for i, number in enumerate(kept):
        if kinds[number] == "t":
            blob, offsets = arrays[i]
            # A copy, so that the room that was left over is not kept.
            parts[number] = blob[: offsets[rows]].copy(), offsets[: rows + 1]
        elif kinds[number] == "c":
            parts[number] = tuple(array[: columns[i].n_heads] for array in arrays[i])
        else:
            values, starts = (array[:rows] for array in arrays[i])
            mark, kind = (-INFINITY, float) if kinds[number] == "n" else (INT64_MIN, int)
            parts[number] = _numbers(text, values, starts, mark, kind), starts
    return parts, rows, np.array(gap_rows[: lines.n_gaps]), np.array(gap_lines[: lines.n_gaps]), lines.found

# --- Hashes and look-ups ---------------------------------------------------------------------------------------------
cdef struct Ids:
    const uint8_t* blob
    const int64_t* offsets
    const int64_t* groups  # NULL where they do not matter
    int64_t size, rows
    uint64_t secret, first, second  # of keys; see _keyed

cdef Ids _ids(Bytes blob, Ints offsets) except *:
    cdef int64_t i, rows = len(offsets) - 1
    cdef bint bad = rows < 0 or offsets[0] < 0 or offsets[rows] > len(blob)
    with nogil:
        for i in range(rows):
            bad |= offsets[i + 1] < offsets[i]
    if bad:
        raise ValueError(f"offsets must ascend from 0 to at most {len(blob)}")
    return Ids(&blob[0], &offsets[0], NULL, len(blob), rows, 0, 0, 0)

cdef Ids _pairs(Ints groups, Bytes blob, Ints offsets) except *:
    cdef Ids ids = _ids(blob, offsets)
    if len(groups) != ids.rows:
        raise ValueError(f"{len(groups)} groups, but {ids.rows} ids")
    ids.groups = &groups[0]
    return ids

cdef inline uint64_t _word_of(const Ids* ids, int64_t at, int64_t end) noexcept nogil:
    """The 8 bytes from *at* on, those from *end* on as zeros."""
    cdef int64_t i
    cdef uint64_t word = 0
    if at + 8 <= ids.size:
        return _word(ids.blob + at) & ~0ULL >> (64 - 8 * min(end - at, 8))
    for i in range(at, end):  # fewer than 8 bytes remain in the blob
        word |= <uint64_t>ids.blob[i] << (8 * (i - at))
    return word

cdef inline uint64_t _hash(const Ids* ids, int64_t row) noexcept nogil:
    cdef int64_t at, start = ids.offsets[row], end = ids.offsets[row + 1]
    cdef uint64_t value = <uint64_t>(end - start) * 0x9E3779B97F4A7C15ULL
    for at in range(start, end, 8):
        value = (value ^ _word_of(ids, at, end)) * 0xD6E8FEB86659FD93ULL
        value ^= value >> 29
    value *= 0xFF51AFD7ED558CCDULL
    return value ^ value >> 32

cdef inline int _compare(const Ids* a, int64_t row_a, const Ids* b, int64_t row_b) noexcept nogil:
    """Less than, equal to or greater than 0, by bytes; an id comes after its own beginnings."""
    cdef int64_t start_a = a.offsets[row_a], length_a = a.offsets[row_a + 1] - start_a
    cdef int64_t start_b = b.offsets[row_b], length_b = b.offsets[row_b + 1] - start_b
    cdef int sign = memcmp(a.blob + start_a, b.blob + start_b, min(length_a, length_b))
    return sign if sign != 0 else (length_a > length_b) - (length_a < length_b)

def hash_ids(Bytes blob, Ints offsets):
    """A 64-bit hash of each id, over its length and its 8-byte little-endian words (the last one padded with zeros)."""
    cdef Ids ids = _ids(blob, offsets)
    cdef uint64_t[::1] hashes = np.empty(ids.rows, np.uint64)
    cdef int64_t row
    with nogil:
        for row in range(ids.rows):
            hashes[row] = _hash(&ids, row)
    return np.asarray(hashes)

# A hash table has two slots per row. A slot is -1, or holds a row in its lower 40 bits and 23 bits of the row's key above
# them, which spare nearly all look-ups of rows that are another pair.
cdef int64_t ROW_MASK = (1LL << 40) - 1
cdef enum: AHEAD = 32  # rows whose slots are asked for together

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define unjudged_prefetch(address) __builtin_prefetch(address)
    #else
    #define unjudged_prefetch(address) ((void)0)
    #endif
    """
    void unjudged_prefetch(const void*) noexcept nogil

cdef uint64_t _drawn_secret() except? 0:
    """Whoever knew it could choose ids that all have the same key, and each look-up would go through all of them."""
    return int.from_bytes(os.urandom(8), "little")

cdef inline uint64_t _multiplier(uint64_t x) noexcept nogil:
    """An odd number with well spread bits, as those of :mod:`unjudged.kernels.splitmix`."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL
    return x ^ (x >> 31) | 1

cdef inline void _keyed(Ids* ids, uint64_t secret) noexcept nogil:
    """Have the keys of these ids depend on a secret. Hashes do not, because draws rest on them."""
    ids.secret = secret
    ids.first, ids.second = _multiplier(secret), _multiplier(secret + 0x9E3779B97F4A7C15ULL)

cdef inline uint64_t _key(const Ids* ids, int64_t row) noexcept nogil:
    """A number for a (group, id) pair, or for an id alone, that nobody can foresee."""
    cdef int64_t at, start = ids.offsets[row], end = ids.offsets[row + 1]
    cdef uint64_t key = <uint64_t>(end - start) * 0x9E3779B97F4A7C15ULL ^ ids.secret
    for at in range(start, end, 8):
        # Two products: the highest bits of a word stay the highest ones through one, whatever it is multiplied by, and
        # the next word could take them back.
        key = (key ^ _word_of(ids, at, end)) * ids.first
        key = (key ^ key >> 29) * ids.second
        key ^= key >> 32
    if ids.groups is not NULL:
        key = (key ^ <uint64_t>ids.groups[row]) * 0xC4CEB9FE1A85EC53ULL
        key ^= key >> 32
    return key

cdef inline int64_t _slot(uint64_t key, int64_t slots) noexcept nogil:
    # The upper half of the key chooses the slot; bits of the lower half are kept in it.
    return (key >> 32) * <uint64_t>slots >> 32

cdef inline bint _equal(const Ids* a, int64_t row_a, const Ids* b, int64_t row_b) noexcept nogil:
    cdef int64_t start_a = a.offsets[row_a], start_b = b.offsets[row_b], length = a.offsets[row_a + 1] - start_a
    return length == b.offsets[row_b + 1] - start_b and memcmp(a.blob + start_a, b.blob + start_b, length) == 0

cdef inline int64_t _find(
    const int64_t* table, int64_t slots, const Ids* ids, const Ids* others, int64_t other, uint64_t key,
    int64_t* slot, int64_t* entry
) noexcept nogil:
    """The row of *ids* with the pair in row *other* of *others*; if -1, *entry* may be put in the free *slot*."""
    cdef int64_t row
    entry[0] = <int64_t>(key & 0x7FFFFF) << 40 | other
    slot[0] = _slot(key, slots)
    while table[slot[0]] >= 0:
        row = table[slot[0]] & ROW_MASK
        if (table[slot[0]] ^ entry[0]) <= ROW_MASK and row < ids.rows and _equal(ids, row, others, other):
            if ids.groups is NULL or ids.groups[row] == others.groups[other]:
                return row
        slot[0] += 1
        if slot[0] == slots:
            slot[0] = 0
    return -1

def _regions(groups):
    """Where the rows of each group start. Look-ups of one topic then stay in a small part of the table, in the cache.

    Groups that are not in order share one region.
    """
    groups = np.asarray(groups)
    highest = groups.max(initial=0)
    if groups.min(initial=0) < 0 or highest > 2 * len(groups) or (np.diff(groups) < 0).any():
        return np.zeros(0, np.int64)
    return np.searchsorted(groups, np.arange(highest + 2)).astype(np.int64)

cdef inline (int64_t, int64_t) _region(Ints index, int64_t group, int64_t rows) noexcept nogil:
    """First and last slot of a group's part of the table.

    An index is: the secret of its keys, the number of regions, the regions, the table.
    """
    cdef int64_t regions = index[1]
    if regions == 0:
        return 2, 2 + 2 * rows
    if not 0 <= group < regions - 1:
        return 0, 0
    return 2 + regions + 2 * index[2 + group], 2 + regions + 2 * index[3 + group]

def index_ids(Ints groups, Bytes blob, Ints offsets):
    """An index over (group, id) pairs for :func:`find_ids`. Its content is the core's own business."""
    cdef Ids ids = _pairs(groups, blob, offsets)
    regions = _regions(groups)
    cdef int64_t[::1] index = np.concatenate([[0, len(regions)], regions, np.full(2 * ids.rows, -1, np.int64)])
    cdef int64_t row, first, last, slot = 0, entry = 0
    _keyed(&ids, _drawn_secret())
    index[0] = <int64_t>ids.secret
    with nogil:
        for row in range(ids.rows):
            first, last = _region(index, groups[row], ids.rows)
            if _find(&index[first], last - first, &ids, &ids, row, _key(&ids, row), &slot, &entry) < 0:
                index[first + slot] = entry
    return np.asarray(index)

def find_ids(Ints index, Ints groups, Bytes blob, Ints offsets,
             Ints other_groups, Bytes other_blob, Ints other_offsets):
    """For each pair (other group, other id) the first row of the indexed column with the same pair, or -1."""
    cdef Ids ids = _pairs(groups, blob, offsets), others = _pairs(other_groups, other_blob, other_offsets)
    cdef int64_t[::1] found = np.full(others.rows, -1, np.int64)
    cdef int64_t row, end, first, last, begin = 0, slot = 0, entry = 0
    cdef uint64_t keys[AHEAD]
    _check_index(index, ids.rows)
    _keyed(&others, <uint64_t>index[0])
    if index[1]:
        ids.groups = NULL  # each group has a region of its own, so that looking at them would only cost time
    with nogil:
        # A table does not fit in the nearest cache: ask for the slots of some rows before looking at the first.
        while begin < others.rows:
            end = min(begin + AHEAD, others.rows)
            for row in range(begin, end):
                keys[row - begin] = _key(&others, row)
                first, last = _region(index, other_groups[row], ids.rows)
                if first < last:
                    unjudged_prefetch(&index[first + _slot(keys[row - begin], last - first)])
            for row in range(begin, end):
                first, last = _region(index, other_groups[row], ids.rows)
                if first < last:
                    entry = index[first + _slot(keys[row - begin], last - first)]
                    unjudged_prefetch(&offsets[max(entry, 0) & ROW_MASK])  # also where it is free: a branch costs more
            for row in range(begin, end):
                first, last = _region(index, other_groups[row], ids.rows)
                if first < last:
                    found[row] = _find(
                        &index[first], last - first, &ids, &others, row, keys[row - begin], &slot, &entry
                    )
            begin = end
    return np.asarray(found)

cdef int _check_index(Ints index, int64_t rows) except -1:
    cdef int64_t regions = index[1] if len(index) > 1 else -1
    if not 0 <= regions <= 2 * rows + 2 or len(index) != 2 + regions + 2 * rows or (
        regions and (index[2] != 0 or index[1 + regions] != rows or (np.diff(index[2 : 2 + regions]) < 0).any())
    ):
        raise ValueError(f"this is no index of {rows} ids made by the compiled core")
    return 0

# --- Rankings --------------------------------------------------------------------------------------------------------
cdef int64_t _longest(Ints row_offsets, int64_t rows) except -1:
    """The length of the longest ranking."""
    lengths = np.diff(row_offsets)
    if lengths.sum() != rows or (lengths < 0).any() or (rows and row_offsets[0] != 0):
        raise ValueError(f"row_offsets must ascend from 0 to {rows}")
    return lengths.max(initial=0)

def find_duplicates(Ints row_offsets, Bytes blob, Ints offsets):
    """Ids that occur again in the same ranking: an array of (row, first row with that id), by row."""
    cdef Ids ids = _ids(blob, offsets)
    cdef int64_t[::1] table = np.empty(2 * _longest(row_offsets, ids.rows), np.int64)
    cdef int64_t[::1] first = np.empty(ids.rows, np.int64)
    cdef int64_t ranking, row, slots, slot = 0, entry = 0
    _keyed(&ids, _drawn_secret())
    with nogil:
        for ranking in range(len(row_offsets) - 1):
            slots = 2 * (row_offsets[ranking + 1] - row_offsets[ranking])
            if slots:
                memset(&table[0], 0xFF, slots * sizeof(int64_t))  # all -1
            for row in range(row_offsets[ranking], row_offsets[ranking + 1]):
                first[row] = _find(&table[0], slots, &ids, &ids, row, _key(&ids, row), &slot, &entry)
                if first[row] < 0:
                    table[slot] = entry
    rows = np.flatnonzero(np.asarray(first) >= 0)
    return np.column_stack([rows, np.asarray(first)[rows]])

cdef inline bint _before(const Ids* ids, const double* scores, int64_t a, int64_t b) noexcept nogil:
    """THE tie rule: whether row *a* must stand before row *b*; False for equal rows, which keep their order."""
    return scores[a] > scores[b] or (scores[a] == scores[b] and _compare(ids, a, ids, b) > 0)

cdef int64_t _first_out_of_order(const Ids* ids, const double* scores, int64_t begin, int64_t end) noexcept nogil:
    """The first row that must stand before the row above it; *end* if there is none."""
    cdef int64_t row
    for row in range(begin + 1, end):
        if _before(ids, scores, row, row - 1):
            return row
    return end

cdef void _sort(const Ids* ids, const double* scores, int64_t* rows, int64_t n, int64_t* spare) noexcept nogil:
    """Stable merge sort; *spare* has room for half of the rows."""
    cdef int64_t half = n // 2, i = 0, j = half
    if n < 2:
        return
    _sort(ids, scores, rows, half, spare)
    _sort(ids, scores, rows + half, n - half, spare)
    memcpy(spare, rows, half * sizeof(int64_t))
    while i < half:  # then the rest is in its place
        if j < n and _before(ids, scores, rows[j], spare[i]):
            rows[i + j - half] = rows[j]
            j += 1
        else:
            rows[i + j - half] = spare[i]
            i += 1

cdef void _rank(
    const Ids* ids, const double* scores, int64_t* order, int64_t begin, int64_t end, int64_t* spare
) noexcept nogil:
    cdef int64_t tie, row = _first_out_of_order(ids, scores, begin, end)
    if row == end:
        return
    while row < end and scores[row] <= scores[row - 1]:
        row += 1
    if row < end:
        _sort(ids, scores, order + begin, end - begin, spare)
        return
    # Most runs are written in the order of their scores; then only ties need sorting.
    tie = begin
    for row in range(begin + 1, end + 1):
        if row == end or scores[row] != scores[tie]:
            _sort(ids, scores, order + tie, row - tie, spare)
            tie = row

def order_rankings(Ints row_offsets, const double[::1] scores, Bytes blob, Ints offsets):
    """THE tie rule of this package: score descending, then id descending by bytes (as trec_eval)."""
    cdef Ids ids = _ids(blob, offsets)
    cdef int64_t ranking = 0, n = len(row_offsets) - 1
    cdef int64_t[::1] order, spare = np.empty(_longest(row_offsets, ids.rows) // 2, np.int64)
    if len(scores) != ids.rows:
        raise ValueError(f"{len(scores)} scores, but {ids.rows} ids")
    with nogil:
        while ranking < n and _first_out_of_order(
            &ids, &scores[0], row_offsets[ranking], row_offsets[ranking + 1]
        ) == row_offsets[ranking + 1]:
            ranking += 1
    if ranking >= n:
        return None
    order = np.arange(ids.rows, dtype=np.int64)
    with nogil:
        for ranking in range(ranking, n):
            _rank(&ids, &scores[0], &order[0], row_offsets[ranking], row_offsets[ranking + 1], &spare[0])
    return np.asarray(order)

# --- Images of a corpus ----------------------------------------------------------------------------------------------
# The copies of a document in many images lie side by side, so that the innermost loops run over images and vectorise.
cdef void _draw(uint64_t key, int64_t draws, int64_t documents, uint8_t* drawn) noexcept nogil:
    """Draws of one image: the numbers of :mod:`unjudged.kernels.splitmix`."""
    cdef int64_t draw, doc
    cdef uint64_t x
    for draw in range(1, draws + 1):
        x = key + <uint64_t>draw * 0x9E3779B97F4A7C15ULL
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL
        x ^= x >> 31
        doc = <int64_t>(<double><int64_t>(x >> 11) * (1.0 / 9007199254740992.0) * <double>documents)
        drawn[min(doc, documents - 1)] += 1

def draw_copies(const uint64_t[::1] keys, Ints draws, int64_t documents):
    """Draw documents with replacement, ``draws[i]`` times for image ``i``: copies of each, (documents, images)."""
    cdef int64_t images = len(keys), first, doc, i, width
    cdef uint8_t[8] eight
    cdef uint8_t[:, ::1] copies = np.empty((documents, images), np.uint8), drawn = np.empty((8, documents), np.uint8)
    if len(draws) != images or documents < 1 or (np.asarray(draws) < 0).any():
        raise ValueError(f"{len(draws)} numbers of draws from {documents} documents for {images} images")
    with nogil:
        # One image after the other, because counting is quick where it stays in the cache; eight are put in place at once.
        for first in range(0, images, 8):
            width = min(8, images - first)
            memset(&drawn[0, 0], 0, 8 * documents)
            for i in range(width):
                _draw(keys[first + i], draws[first + i], documents, &drawn[i, 0])
            if width == 8:
                for doc in range(documents):
                    for i in range(8):
                        eight[i] = drawn[i, doc]
                    memcpy(&copies[doc, first], eight, 8)
            else:
                for doc in range(documents):
                    for i in range(width):
                        copies[doc, first + i] = drawn[i, doc]
    return np.asarray(copies)

cdef int _check_rows(Ints row_offsets, int64_t size, Ints rows, int64_t limit) except -1:
    """Bounds ascend from 0 to *size*; rows do not descend, and lie between 0 and *limit*."""
    _longest(row_offsets, size)
    values = np.asarray(rows)
    if len(values) and (values[0] < 0 or values[len(values) - 1] >= limit or (np.diff(values) < 0).any()):
        raise ValueError(f"rows must ascend from 0 to {limit}")
    return 0

cdef enum: PANEL = 64  # images whose sums are kept in registers, or close to them

cdef inline void _add(uint16_t* sums, const uint8_t* own, int64_t width) noexcept nogil:
    cdef int64_t i
    if width == PANEL:  # a length that the compiler knows
        for i in range(PANEL):
            sums[i] += own[i]
    else:
        for i in range(width):
            sums[i] += own[i]

def copies_above(Ints row_offsets, Ints docs, Ints rows, const uint8_t[:, ::1] copies):
    """How many copies of documents are ranked above each of *rows* (ascending), in each image: (rows, images)."""
    cdef int64_t images = copies.shape[1], wanted = len(rows), panel, first, width, ranking, row, last, at, i
    _check_rows(row_offsets, len(docs), rows, len(docs))
    if len(docs) and not 0 <= np.min(docs) <= np.max(docs) < copies.shape[0]:
        raise ValueError(f"docs must be rows of copies, which has {copies.shape[0]}")
    cdef int32_t[:, ::1] out = np.empty((wanted, images), np.int32)
    cdef int32_t[PANEL] total
    cdef uint16_t[PANEL] sums  # half as wide, so twice as quick; moved to the total before they can overflow
    cdef int32_t* to
    with nogil:
        for panel in range((images + PANEL - 1) // PANEL):
            first, at = PANEL * panel, 0
            width = min(PANEL, images - first)
            for ranking in range(len(row_offsets) - 1):
                memset(total, 0, sizeof(total))
                row = row_offsets[ranking]
                while at < wanted and rows[at] < row_offsets[ranking + 1]:
                    while row < rows[at]:
                        last = min(rows[at], row + 257)  # 257 * 255 is the highest number that fits
                        memset(sums, 0, sizeof(sums))
                        for row in range(row, last):
                            _add(sums, &copies[docs[row], first], width)
                        row = last
                        for i in range(width):
                            total[i] += sums[i]
                    to = &out[at, first]
                    for i in range(width):
                        to[i] = total[i]
                    at += 1
    return np.asarray(out)

cdef inline bint _all_at_least(const int32_t* numbers, int64_t size, uint32_t least) noexcept nogil:
    cdef int64_t i
    cdef bint all_are = True
    for i in range(size):
        all_are &= <uint32_t>numbers[i] >= least
    return all_are

def weigh_copies(Ints row_offsets, const int32_t[:, ::1] above, const uint8_t[:, ::1] own, const double[::1] gains,
                 const double[::1] table, const int32_t[:, ::1] times):
    """Sum over the rows of each ranking of gain * (table[above + own] - table[above]): (rankings, images)."""
    cdef int64_t rows = above.shape[0], images = above.shape[1], ranking, row, i
    cdef uint32_t last = <uint32_t>(len(table) - 1), start, end
    cdef bint is_times = times.shape[0] > 0
    _longest(row_offsets, rows)
    if (own.shape[0], own.shape[1], len(gains)) != (rows, images, rows) or len(table) == 0 or (
        is_times and (times.shape[0], times.shape[1]) != (rows, images)
    ):
        raise ValueError("above, own, gains and times do not fit together, or the table is empty")
    cdef double[:, ::1] out = np.zeros((len(row_offsets) - 1, images))
    cdef const double* weights = &table[0]
    cdef const int32_t* a
    cdef const int32_t* t
    cdef const uint8_t* c
    cdef double* sums
    cdef double gain
    if images == 0 or rows == 0:
        return np.asarray(out)
    with nogil:
        for ranking in range(len(row_offsets) - 1):
            sums = &out[ranking, 0]
            for row in range(row_offsets[ranking], row_offsets[ranking + 1]):
                gain, a, c = gains[row], &above[row, 0], &own[row, 0]
                if <uint32_t>a[0] >= last and _all_at_least(a, images, last):
                    break  # and so are the rows below
                if gain == 0:
                    continue
                if is_times:
                    t = &times[row, 0]
                    for i in range(images):
                        start, end = min(<uint32_t>a[i], last), min(<uint32_t>a[i] + c[i], last)
                        sums[i] += (weights[end] - weights[start]) * t[i] * gain
                else:
                    for i in range(images):
                        start, end = min(<uint32_t>a[i], last), min(<uint32_t>a[i] + c[i], last)
                        sums[i] += (weights[end] - weights[start]) * gain
    return np.asarray(out)

include "fast_draws.pxi"

# ---- subtopics

def count_repeats(Ints groups, Ints items):
    """How often each item was there before in its group; groups must be sorted, items are small numbers from 0."""
    cdef int64_t rows = len(groups), row, item, size = 0
    if len(items) != rows:
        raise ValueError("groups and items do not fit together")
    for row in range(rows):
        if items[row] < 0:
            raise ValueError("items must not be below 0")
        size = max(size, items[row] + 1)
    cdef int64_t[::1] out = np.empty(rows, dtype=np.int64)
    cdef int64_t[::1] counts = np.zeros(size, dtype=np.int64)
    cdef int64_t[::1] counted_in = np.zeros(size, dtype=np.int64)  # the group that a count is about
    with nogil:
        for row in range(rows):
            item = items[row]
            if counted_in[item] != groups[row]:
                counted_in[item], counts[item] = groups[row], 0
            out[row] = counts[item]
            counts[item] += 1
    return np.asarray(out)
