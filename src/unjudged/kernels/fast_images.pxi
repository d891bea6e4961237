# --- Images of a corpus ----------------------------------------------------------------------------------------------
# The copies of a document in many images lie side by side, so that the innermost loops run over images and vectorise.
# The same loops for processors with AVX-512, which round as others do.
cdef extern from *:
    """
    #define UNJUDGED_DRAWN(name)  /* documents drawn in some draws of an image: SplitMix64 */                    \
    static void name(uint64_t key, int64_t first, int64_t draws, int64_t documents, int32_t* drawn) {           \
        for (int64_t i = 0; i < draws; i++) {                                                                   \
            uint64_t x = key + (uint64_t)(first + i) * 0x9E3779B97F4A7C15ULL;                                   \
            x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;                                                         \
            x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;                                                         \
            x ^= x >> 31;                                                                                       \
            int64_t doc = (int64_t)((double)(int64_t)(x >> 11) * (1.0 / 9007199254740992.0) * (double)documents); \
            drawn[i] = (int32_t)(doc < documents - 1 ? doc : documents - 1);                                    \
        }                                                                                                       \
    }
    UNJUDGED_DRAWN(unjudged_narrow_drawn)
    static void unjudged_narrow_add(const uint8_t* copies, int64_t images, const int64_t* docs, int64_t rows,
                                    uint16_t* sums) {
        for (int64_t row = 0; row < rows; row++) {
            const uint8_t* own = copies + docs[row] * images;
            for (int i = 0; i < 64; i++) sums[i] = (uint16_t)(sums[i] + own[i]);
        }
    }
    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    __attribute__((target("avx512f,avx512dq,avx512vl"))) UNJUDGED_DRAWN(unjudged_wide_drawn)
    __attribute__((target("avx512f,avx512bw")))
    static void unjudged_wide_add(const uint8_t* copies, int64_t images, const int64_t* docs, int64_t rows,
                                  uint16_t* sums) {
        __m512i left = _mm512_loadu_si512(sums), right = _mm512_loadu_si512(sums + 32);
        for (int64_t row = 0; row < rows; row++) {
            const uint8_t* own = copies + docs[row] * images;
            left = _mm512_add_epi16(left, _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i*)own)));
            right = _mm512_add_epi16(right, _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i*)(own + 32))));
        }
        _mm512_storeu_si512(sums, left);
        _mm512_storeu_si512(sums + 32, right);
    }
    static int unjudged_has_bytes(void) {
        return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512bw");
    }
    #else
    #define unjudged_wide_drawn unjudged_narrow_drawn
    #define unjudged_wide_add unjudged_narrow_add
    static int unjudged_has_bytes(void) { return 0; }
    #endif
    """
    void unjudged_narrow_drawn(uint64_t, int64_t, int64_t, int64_t, int32_t*) noexcept nogil
    void unjudged_wide_drawn(uint64_t, int64_t, int64_t, int64_t, int32_t*) noexcept nogil
    void unjudged_narrow_add(const uint8_t*, int64_t, const int64_t*, int64_t, uint16_t*) noexcept nogil
    void unjudged_wide_add(const uint8_t*, int64_t, const int64_t*, int64_t, uint16_t*) noexcept nogil
    bint unjudged_has_bytes() noexcept nogil

cdef void _draw(uint64_t key, int64_t draws, int64_t documents, uint8_t* copies, bint is_wide) noexcept nogil:
    """Draws of one image: the numbers of :mod:`unjudged.kernels.splitmix`."""
    cdef int64_t first, number, i
    cdef int32_t[1024] drawn  # which is known before it is counted
    for first in range(1, draws + 1, 1024):
        number = min(1024, draws + 1 - first)
        if is_wide:
            unjudged_wide_drawn(key, first, number, documents, drawn)
        else:
            unjudged_narrow_drawn(key, first, number, documents, drawn)
        for i in range(number):
            copies[drawn[i]] += 1

def draw_copies(const uint64_t[::1] keys, Ints draws, int64_t documents):
    """Draw documents with replacement, ``draws[i]`` times for image ``i``: copies of each, (documents, images)."""
    cdef int64_t images = len(keys), first, doc, i, width
    cdef bint is_wide = unjudged_has_bytes()
    cdef uint8_t[8] eight
    cdef uint8_t[:, ::1] copies = np.empty((documents, images), np.uint8), drawn = np.empty((8, documents), np.uint8)
    if len(draws) != images or not 1 <= documents <= INT32_MAX or (np.asarray(draws) < 0).any():
        raise ValueError(f"{len(draws)} numbers of draws from {documents} documents for {images} images")
    with nogil:
        # One image after the other, because counting is quick where it stays in the cache; eight are put in place at once.
        for first in range(0, images, 8):
            width = min(8, images - first)
            memset(&drawn[0, 0], 0, 8 * documents)
            for i in range(width):
                _draw(keys[first + i], draws[first + i], documents, &drawn[i, 0], is_wide)
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

cdef void _add(uint16_t* sums, const uint8_t* copies, int64_t images, const int64_t* docs, int64_t rows, int64_t width,
               bint is_wide) noexcept nogil:
    """Add the copies of some rows; the panel begins where *copies* do."""
    cdef int64_t row, i
    if width < PANEL:
        for row in range(rows):
            for i in range(width):
                sums[i] += copies[docs[row] * images + i]
    elif is_wide:
        unjudged_wide_add(copies, images, docs, rows, sums)
    else:
        unjudged_narrow_add(copies, images, docs, rows, sums)

def copies_above(Ints row_offsets, Ints docs, Ints rows, const uint8_t[:, ::1] copies):
    """How many copies of documents are ranked above each of *rows* (ascending), in each image: (rows, images)."""
    cdef int64_t images = copies.shape[1], wanted = len(rows), panel, first, width, ranking, row, last, at, i
    cdef bint is_wide = unjudged_has_bytes()
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
                        _add(sums, &copies[0, first], images, &docs[row], last - row, width, is_wide)
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
