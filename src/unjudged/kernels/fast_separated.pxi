# --- Text with separators --------------------------------------------------------------------------------------------
from unjudged.kernels import reference_separated as _marks

cdef extern from *:
    """
    #if defined(__SSE2__)
    /* Bit i says whether byte i of the 16 from *at* on is a space, below it, or *stop*. */
    static inline unsigned unjudged_stops(const uint8_t* at, uint8_t stop) {
        __m128i bytes = _mm_loadu_si128((const __m128i*)at);
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(32)), bytes);
        return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)stop))));
    }
    #else
    static inline unsigned unjudged_stops(const uint8_t* at, uint8_t stop) {
        unsigned bits = 0;
        for (int i = 0; i < 16; i++) bits |= (unsigned)(at[i] <= 32 || at[i] == stop) << i;
        return bits;
    }
    #endif
    """
    unsigned int unjudged_stops(const uint8_t* at, uint8_t stop) noexcept nogil

cdef uint8_t EMPTY_FIELD = _marks.EMPTY[0], BREAK_MARK = _marks.LINE_BREAK[0], SPACE_MARK = _marks.SPACE[0]
cdef uint8_t TAB_MARK = _marks.TAB[0], COMMENT_MARK = _marks.COMMENT[0]
cdef int UNFINISHED = _marks.UNFINISHED, TEXT_AFTER_QUOTE = _marks.TEXT_AFTER_QUOTE
cdef int BAD_CHARACTER = _marks.BAD_CHARACTER

cdef inline bint _is_taken(uint8_t byte) noexcept nogil:
    return 0x1a <= byte <= 0x1f and byte != 0x1e or byte == 0x0b or byte == 0x0c

cdef inline bint _ends_line(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Whether a line, or the text, ends here, perhaps after a carriage return."""
    return at == end or at[0] == c"\n" or (at[0] == c"\r" and (at + 1 == end or at[1] == c"\n"))

cdef int _copy_field(
    const uint8_t** source, const uint8_t* end, uint8_t** target, uint8_t separator, bint is_quoted, int64_t* lines
) noexcept nogil:
    """Copy a field up to what ends it (a separator, a line end; or its closing quote, which is stepped over).

    *lines* counts line feeds that are stepped over.
    """
    cdef const uint8_t* at = source[0]
    cdef uint8_t* to = target[0]
    cdef uint8_t stop = c'"' if is_quoted else separator, byte
    cdef unsigned int stops
    cdef int problem = UNFINISHED if is_quoted else 0
    while at < end:
        if end - at >= 16:
            stops = unjudged_stops(at, stop)
            memcpy(to, at, 16)  # there is room for more than there is to copy
            if not stops:
                at += 16
                to += 16
                continue
            at += unjudged_lowest(stops)
            to += unjudged_lowest(stops)
        byte = at[0]
        if byte == stop:
            if not is_quoted:
                break
            at += 1
            if at == end or at[0] != c'"':
                problem = 0
                break
        elif byte == c"\n" and not is_quoted:
            break
        elif byte == c" ":
            byte = SPACE_MARK
        elif byte == c"\t":
            byte = TAB_MARK
        elif is_quoted and (byte == c"\n" or byte == c"\r"):
            lines[0] += byte == c"\n"
            byte = BREAK_MARK
        elif byte == c"\r" and _ends_line(at, end):
            break
        elif _is_taken(byte):
            problem = BAD_CHARACTER
            break
        to[0] = byte
        to += 1
        at += 1
    source[0], target[0] = at, to
    return problem

cdef int _copy_record(
    const uint8_t** source, const uint8_t* end, uint8_t** target, uint8_t separator, int64_t* lines
) noexcept nogil:
    """Copy the fields of a record up to the end of its last line; *lines* counts line feeds."""
    cdef const uint8_t* at = source[0]
    cdef uint8_t* first = target[0]
    cdef uint8_t* to = first
    cdef uint8_t* field
    cdef uint8_t* inner
    cdef int64_t fields = 0
    cdef bint is_quoted
    cdef int problem
    while True:
        field = to
        is_quoted = at < end and at[0] == c'"'
        at += is_quoted
        if not is_quoted and separator != c" ":
            while at < end and at[0] == c" ":
                at += 1
        problem = _copy_field(&at, end, &to, separator, is_quoted, lines)
        if not problem and is_quoted and not (_ends_line(at, end) or at[0] == separator):
            problem = TEXT_AFTER_QUOTE
        if problem:
            source[0] = at
            return problem
        while to > field and to[-1] == SPACE_MARK:
            to -= 1
        inner = field
        while inner < to and inner[0] == SPACE_MARK:
            inner += 1
        if inner > field:
            memmove(field, inner, to - inner)
            to -= inner - field
        if to == field:
            to[0] = EMPTY_FIELD
            to += 1
        fields += 1
        if at == end or at[0] != separator:
            break
        to[0] = c"\t"
        to += 1
        at += 1
    if fields == 1:
        to = first
    elif first[0] == c"#":
        first[0] = COMMENT_MARK
    if at < end and at[0] == c"\r":
        at += 1
    if at < end:
        at += 1
        lines[0] += 1
    source[0], target[0] = at, to
    return 0

def separated_columns(Bytes text, uint8_t separator):
    """Whole lines with fields between *separator* as columns between tabs."""
    cdef int64_t size = len(text), lines = 0, here
    if not size:
        return b"", 0, 0, 0
    out = np.empty(2 * size + 32, np.uint8)
    cdef uint8_t[::1] room = out
    cdef const uint8_t* start = &text[0]
    cdef const uint8_t* end = start + size
    cdef const uint8_t* at = start
    cdef const uint8_t* begins
    cdef uint8_t* to = &room[0]
    cdef uint8_t* first
    cdef int problem = 0
    with nogil:
        while at < end:
            begins, first = at, to
            here = 0
            problem = _copy_record(&at, end, &to, separator, &here)
            if problem:
                to = first
                if problem == BAD_CHARACTER:
                    lines += here
                else:
                    at = begins
                break
            lines += here
            while here:
                to[0] = c"\n"
                to += 1
                here -= 1
    return out[:to - &room[0]].tobytes(), at - start, lines, problem
