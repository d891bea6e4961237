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

cdef extern from *:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>
    /* Bit i says something about byte i of the 16 from *at* on. */
    static inline unsigned unjudged_blanks(const uint8_t* at) {  /* it is a space, or below it */
        __m128i bytes = _mm_loadu_si128((const __m128i*)at);
        return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(32)), bytes));
    }
    static inline unsigned unjudged_alike(const uint8_t* a, const uint8_t* b) {  /* it is the same in both */
        __m128i left = _mm_loadu_si128((const __m128i*)a), right = _mm_loadu_si128((const __m128i*)b);
        return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(left, right));
    }
    #else
    static inline unsigned unjudged_blanks(const uint8_t* at) {
        unsigned bits = 0;
        for (int i = 0; i < 16; i++) bits |= (unsigned)(at[i] <= 32) << i;
        return bits;
    }
    static inline unsigned unjudged_alike(const uint8_t* a, const uint8_t* b) {
        unsigned bits = 0;
        for (int i = 0; i < 16; i++) bits |= (unsigned)(a[i] == b[i]) << i;
        return bits;
    }
    #endif
    #if defined(__GNUC__)
    #define unjudged_lowest(bits) __builtin_ctz(bits)
    #else
    static inline int unjudged_lowest(unsigned bits) {
        int i = 0;
        while (!(bits >> i & 1)) i++;
        return i;
    }
    #endif
    """
    unsigned int unjudged_blanks(const uint8_t* at) noexcept nogil
    unsigned int unjudged_alike(const uint8_t* a, const uint8_t* b) noexcept nogil
    int unjudged_lowest(unsigned int bits) noexcept nogil

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

cdef bint _scale_long(const uint8_t* at, int64_t power, double* value) noexcept nogil:
    """Digits, perhaps with a point among them, times ``10**power``; False if the first 19 do not make it certain.

    Nothing is lost with zeros, which some systems fill up their scores with. Otherwise the number lies between two
    that these digits begin, and is what both of them are rounded to.
    """
    cdef uint64_t mantissa = 0
    cdef int64_t kept = 0, left_out = 0
    cdef bint is_cut = False
    cdef double above = 0
    while <uint8_t>(at[0] - c"0") < 10 or at[0] == c".":
        if at[0] != c".":
            if kept < 19:
                mantissa = mantissa * 10 + (at[0] - c"0")
                kept += mantissa != 0
            else:
                left_out += 1
                is_cut |= at[0] != c"0"
        at += 1
    if not _scale(mantissa, power + left_out, value):
        return False
    return not is_cut or (_scale(mantissa + 1, power + left_out, &above) and above == value[0])

cdef inline bint _read(const uint8_t* at, const uint8_t* end, Number* value) noexcept nogil:
    """Read a plain number; False leaves the field to Python."""
    cdef uint64_t mantissa = 0, exponent = 0
    cdef int64_t n_digits, n_fraction = 0, power
    cdef bint negative = _minus(&at, end), small
    cdef const uint8_t* digits = at
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
        if at != end or n_digits + n_fraction == 0:
            return False
        if n_digits + n_fraction < 20:
            if not _scale(mantissa, power, value):
                return False
        # 20 digits may not fit in 64 bits.
        elif not _scale_long(digits, power, value):
            return False
    else:
        if at != end or not 0 < n_digits < 19:
            return False
        value[0] = <int64_t>mantissa
    if negative:
        value[0] = -value[0]
    return True

cdef inline bint _chunk(const uint8_t* end, int64_t digits, uint64_t* value) noexcept nogil:
    """Append up to 8 digits that end at *end* to *value*, all at once; False if they are something else."""
    cdef uint64_t word = _word(end - 8), before
    if digits == 0:
        return True
    before = ~0ULL >> 8 * digits if digits < 8 else 0  # what stands before them is taken as zeros
    word = (word & ~before) | (0x3030303030303030ULL & before)
    if (word & 0xF0F0F0F0F0F0F0F0ULL | (word + 0x0606060606060606ULL & 0xF0F0F0F0F0F0F0F0ULL) >> 4) != 0x3333333333333333ULL:
        return False
    word = (word & 0x0F0F0F0F0F0F0F0FULL) * 2561 >> 8
    word = (word & 0x00FF00FF00FF00FFULL) * 6553601 >> 16
    word = (word & 0x0000FFFF0000FFFFULL) * 42949672960001ULL >> 32
    value[0] = value[0] * TENS[digits] + word
    return True

cdef inline bint _read_short(const uint8_t* text, int64_t start, int64_t end, int64_t size, Number* value) noexcept nogil:
    """Read the number of a field as :func:`_read` does; most have few digits, and these without a loop."""
    cdef int64_t first = start + (text[start] == c"-"), digits = end - first, fraction = 0, point
    cdef uint64_t mantissa = 0
    cdef unsigned int points
    if digits < 1 or digits > 16 or first < 8 or first + 16 > size:
        return _read(text + start, text + end, value)
    if Number is double:
        points = unjudged_alike(text + first, POINTS) & ((<unsigned int>1 << digits) - 1)
        if points:
            point = unjudged_lowest(points)
            digits, fraction = point, digits - point - 1
    if digits > 8 or fraction > 8 or digits + fraction == 0 or not (
        _chunk(text + first + digits, digits, &mantissa) and _chunk(text + end, fraction, &mantissa)
    ):
        return _read(text + start, text + end, value)
    if Number is double:
        # Below 2**53, so that the one division rounds as it must, as in _scale.
        value[0] = <double>mantissa / POWERS[fraction] if fraction else <double>mantissa
    else:
        value[0] = <int64_t>mantissa
    if first > start:
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
    bint is_plain  # of numbers: whether none is left to Python
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
        if not _read_short(lines.text, start, end, lines.size, &column.numbers[row]):
            column.numbers[row], column.is_plain = -INFINITY, False
    else:
        column.starts[row] = start
        if not _read_short(lines.text, start, end, lines.size, &column.integers[row]):
            column.integers[row], column.is_plain = INT64_MIN, False

cdef inline int64_t _after_spaces(const uint8_t* text, int64_t at) noexcept nogil:
    while IS_SPACE[text[at]] and text[at] != c"\n":
        at += 1
    return at

cdef inline int64_t _after_field(const uint8_t* text, int64_t at, int64_t size) noexcept nogil:
    cdef unsigned int blanks
    while at + 16 <= size:
        blanks = unjudged_blanks(text + at)
        if blanks:
            at += unjudged_lowest(blanks)
            if IS_SPACE[text[at]]:
                return at
            at += 1  # another control character, which belongs to the field
        else:
            at += 16
    while not IS_SPACE[text[at]]:
        at += 1
    return at

cdef inline bint _is_repeated(const uint8_t* text, int64_t at, int64_t above, int64_t length, int64_t size) noexcept nogil:
    """Whether the next *length* bytes, at most 16, are those of the line above, which begin at *above*."""
    cdef unsigned int wanted = (<unsigned int>1 << length) - 1
    return at + 16 <= size and unjudged_alike(text + at, text + above) & wanted == wanted

cdef void _cut(Lines* lines, Column* columns) noexcept nogil:
    """Cut a text that ends with a line feed: every loop in here stops there."""
    cdef const uint8_t* text = lines.text
    cdef int64_t[2 * MOST_COLUMNS + 2] edges  # where the fields of a line start and end, alternating
    cdef int64_t i, found, start, length, at = 0, most = 2 * lines.columns
    for i in range(most + 2):
        edges[i] = 16 * i  # above the first line there is none: these are too long to be repeated
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
                i = min(found, most)
                # Topics and tags are mostly those of the line above, with what follows them. Then nobody has to look
                # for their end, and the processor, which foresees that, need not wait for it.
                length = edges[i + 1] - edges[i] + 1
                if length <= 16 and _is_repeated(text, at, edges[i], length, lines.size):
                    edges[i], edges[i + 1] = at, at + length - 1
                else:
                    edges[i] = at
                    edges[i + 1] = _after_field(text, at, lines.size)
                at = edges[i + 1]
                if text[at] != c"\n":
                    at = _after_spaces(text, at + 1)
                found += 2
            if found != most:
                lines.found = found // 2
                return
            for i in range(lines.n_kept):
                _keep(&columns[i], lines, edges[2 * columns[i].number], edges[2 * columns[i].number + 1])
            lines.n_rows += 1
        at += 1

cdef int64_t _count_lines(const uint8_t* text, int64_t size) noexcept nogil:
    """How many line feeds there are. Counts of a few bytes stay small, so that many are made at once."""
    cdef int64_t total = 0, first, i
    cdef uint16_t count
    for first in range(0, size, 32768):
        count = 0
        for i in range(first, min(first + 32768, size)):
            count += text[i] == c"\n"
        total += count
    return total

cdef tuple _arrays(Column* column, str kind, int64_t number, int64_t size, int64_t rows):
    """Make room for what :func:`_keep` stores."""
    cdef uint8_t[::1] blob
    cdef int64_t[::1] offsets, heads, starts, ends, integers
    cdef double[::1] numbers
    column.kind, column.number, column.is_plain = ord(kind), number, True
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
    cdef int64_t i, rows = _count_lines(&text[0], len(text))
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
            parts[number] = values if columns[i].is_plain else _numbers(text, values, starts, mark, kind), starts
    return parts, rows, np.array(gap_rows[: lines.n_gaps]), np.array(gap_lines[: lines.n_gaps]), lines.found
