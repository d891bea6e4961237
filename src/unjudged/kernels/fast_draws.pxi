# --- Drawn grades ----------------------------------------------------------------------------------------------------
# All draws of a hole, one hole after the other: without a branch, eight at once where the processor has AVX-512. Each
# operation rounds in the same way there, so the numbers are the same.
cdef extern from *:
    """
    #define UNJUDGED_ODDS(name)                                                                                 \\
    static void name(uint64_t key, const double* factors, double* odds, int64_t draws) {                       \\
        for (int64_t draw = 0; draw < draws; draw++) {                                                          \\
            uint64_t x = key + (uint64_t)(draw + 1) * 0x9E3779B97F4A7C15ULL;  /* SplitMix64 */                   \\
            double unit;                                                                                        \\
            x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;                                                         \\
            x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;                                                         \\
            x ^= x >> 31;                                                                                       \\
            unit = (double)(int64_t)(x >> 11) * (1.0 / 9007199254740992.0);                                     \\
            odds[draw] = unit / ((1.0 - unit) * factors[draw]);                                                 \\
        }                                                                                                       \\
    }
    UNJUDGED_ODDS(unjudged_narrow_odds)
    #if defined(__GNUC__) && defined(__x86_64__)
    __attribute__((target("avx512f,avx512dq,avx512vl"))) UNJUDGED_ODDS(unjudged_wide_odds)
    static int unjudged_is_wide(void) {
        return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    }
    #else
    #define unjudged_wide_odds unjudged_narrow_odds
    static int unjudged_is_wide(void) { return 0; }
    #endif
    """
    void unjudged_narrow_odds(uint64_t key, const double* factors, double* odds, int64_t draws) noexcept nogil
    void unjudged_wide_odds(uint64_t key, const double* factors, double* odds, int64_t draws) noexcept nogil
    bint unjudged_is_wide() noexcept nogil

cdef int _check_draws(int64_t holes, int64_t distributions, Ints which, int64_t columns, Ints moved) except -1:
    if len(which) != holes or len(moved) != holes:
        raise ValueError(f"{holes} keys, {len(which)} distributions and {len(moved)} factors do not fit together")
    if holes and not (0 <= np.min(which) <= np.max(which) < distributions):
        raise ValueError(f"which must be rows of odds, which has {distributions}")
    if holes and not (0 <= np.min(moved) <= np.max(moved) < columns):
        raise ValueError(f"moved must be rows of factors, which has {columns}")
    return 0

cdef void _odds_of(uint64_t key, const double* factors, double* odds, int64_t draws, bint is_wide) noexcept nogil:
    """Odds of the number in [0, 1) that a hole has in each draw, divided by its factor."""
    if is_wide:
        unjudged_wide_odds(key, factors, odds, draws)
    else:
        unjudged_narrow_odds(key, factors, odds, draws)

def draw_levels(const uint64_t[::1] keys, const double[:, ::1] odds, Ints which, const double[:, ::1] factors, Ints moved):
    """Levels drawn for holes, as many times as *factors* has columns: (holes, draws)."""
    cdef int64_t holes = len(keys), draws = factors.shape[1], limits = odds.shape[1], draw, hole, low, high, middle
    cdef bint is_wide = unjudged_is_wide()
    cdef double ratio
    cdef const double* own
    cdef int32_t* to
    _check_draws(holes, odds.shape[0], which, factors.shape[0], moved)
    cdef int32_t[:, ::1] out = np.zeros((holes, draws), np.int32)
    cdef double[::1] drawn = np.empty(draws)
    if holes == 0 or limits == 0 or draws == 0:
        return np.asarray(out)
    with nogil:
        for hole in range(holes):
            _odds_of(keys[hole], &factors[moved[hole], 0], &drawn[0], draws, is_wide)
            own, to = &odds[which[hole], 0], &out[hole, 0]
            if limits == 1:
                for draw in range(draws):
                    to[draw] = drawn[draw] >= own[0]
                continue
            for draw in range(draws):
                ratio = drawn[draw]
                if ratio < own[0]:
                    continue  # most holes are not relevant
                low, high = 1, limits
                while low < high:  # the first level that it has not reached
                    middle = (low + high) // 2
                    if ratio >= own[middle]:
                        low = middle + 1
                    else:
                        high = middle
                to[draw] = <int32_t>low
    return np.asarray(out)

def draw_reached(const uint64_t[::1] keys, const double[::1] odds, Ints which, const double[:, ::1] factors, Ints moved,
                 const uint8_t[::1] counted):
    """Whether holes reach one level, in each draw: bits (holes, bytes), and how many that are counted do so."""
    cdef int64_t holes = len(keys), draws = factors.shape[1], draw, hole, last
    cdef bint is_wide = unjudged_is_wide()
    cdef double limit
    cdef uint8_t own
    _check_draws(holes, len(odds), which, factors.shape[0], moved)
    if len(counted) != holes:
        raise ValueError(f"{holes} keys and {len(counted)} counts do not fit together")
    cdef uint8_t[:, ::1] bits = np.zeros((holes, (draws + 7) // 8), np.uint8)
    cdef int64_t[::1] counts = np.zeros(draws, np.int64)
    cdef double[::1] drawn = np.empty(draws)
    cdef uint8_t[::1] reached = np.zeros(8 * bits.shape[1], np.uint8)
    if holes == 0 or draws == 0:
        return np.asarray(bits), np.asarray(counts)
    with nogil:
        for hole in range(holes):
            _odds_of(keys[hole], &factors[moved[hole], 0], &drawn[0], draws, is_wide)
            limit = odds[which[hole]]
            for draw in range(draws):
                reached[draw] = drawn[draw] >= limit
            if counted[hole]:
                for draw in range(draws):
                    counts[draw] += reached[draw]
            for draw in range(0, draws, 8):
                own = 0
                for last in range(8):
                    own |= <uint8_t>(reached[draw + last] << last)
                bits[hole, draw >> 3] = own
    return np.asarray(bits), np.asarray(counts)

def count_marked(Ints row_offsets, Ints items, const uint8_t[::1] marks):
    """How many items of each ranking are marked."""
    cdef int64_t rows = len(items), size = len(marks), ranking, row, count
    cdef uint64_t outside = 0
    _longest(row_offsets, rows)
    cdef int64_t[::1] counts = np.empty(len(row_offsets) - 1, np.int64)
    with nogil:
        for row in range(rows):
            outside |= <uint64_t>items[row] >= <uint64_t>size
        if not outside:
            for ranking in range(len(row_offsets) - 1):
                count = 0
                for row in range(row_offsets[ranking], row_offsets[ranking + 1]):
                    count += marks[items[row]]
                counts[ranking] = count
    if outside:
        raise ValueError(f"items must be rows of marks, which has {size}")
    return np.asarray(counts)

cdef inline uint32_t _four_bytes(const uint8_t* at, int64_t size) noexcept nogil:
    """As many bytes as there are, up to four, as a number: the lowest first."""
    cdef uint32_t out = 0
    cdef int64_t i
    if size >= 4:
        return at[0] | <uint32_t>at[1] << 8 | <uint32_t>at[2] << 16 | <uint32_t>at[3] << 24
    for i in range(size):
        out |= <uint32_t>at[i] << 8 * i
    return out

def sum_precisions(Ints row_offsets, Ints ranks, Ints holes, const uint8_t[::1] apart, const uint8_t[:, ::1] relevant,
                   int64_t draws):
    """Sums of the precisions at relevant rows, in each draw: (rankings, draws); and how many of those apart there are."""
    cdef int64_t rows = len(ranks), width = (draws + 7) // 8, ranking, row, draw, byte, known
    cdef double rank, sum_of_known
    cdef const uint8_t* own
    cdef uint32_t bits
    cdef bint is_apart
    _longest(row_offsets, rows)
    if len(holes) != rows or len(apart) != rows or relevant.shape[1] < width:
        raise ValueError("ranks, holes, apart and the bits of draws do not fit together")
    if rows and not (-1 <= np.min(holes) <= np.max(holes) < relevant.shape[0]):
        raise ValueError(f"holes must be rows of relevant, which has {relevant.shape[0]}, or -1")
    cdef double[:, ::1] sums = np.zeros((len(row_offsets) - 1, draws))
    cdef int64_t[:, ::1] counts = np.zeros((len(row_offsets) - 1, draws), np.int64)
    cdef double[::1] drawn = np.empty(draws)  # relevant so far; as floats, which divide at once
    cdef double[::1] below = np.zeros(rows)
    if draws == 0:
        return np.asarray(sums), np.asarray(counts)
    with nogil:
        for ranking in range(len(row_offsets) - 1):
            # What is relevant in all draws is summed once. A row that is relevant in some adds its precision there, and
            # one document to the precisions of all of those below it.
            known, sum_of_known = 0, 0
            for row in range(row_offsets[ranking], row_offsets[ranking + 1]):
                if holes[row] < 0:
                    known += 1
                    sum_of_known += <double>known / <double>ranks[row]
                    if apart[row]:
                        for draw in range(draws):
                            counts[ranking, draw] += 1
            for row in range(row_offsets[ranking + 1] - 1, row_offsets[ranking], -1):
                below[row - 1] = below[row] + (1.0 / <double>ranks[row] if holes[row] < 0 else 0.0)
            sums[ranking, :] = sum_of_known
            drawn[:], known = 0, 0
            for row in range(row_offsets[ranking], row_offsets[ranking + 1]):
                if holes[row] < 0:
                    known += 1
                    continue
                rank, is_apart, own = <double>ranks[row], apart[row], &relevant[holes[row], 0]
                for byte in range(0, width, 4):
                    bits = _four_bytes(own + byte, width - byte)
                    while bits:
                        draw = 8 * byte + unjudged_lowest(bits)
                        bits &= bits - 1
                        if draw >= draws:
                            break
                        drawn[draw] += 1
                        sums[ranking, draw] += (<double>known + drawn[draw]) / rank + below[row]
                        counts[ranking, draw] += is_apart
    return np.asarray(sums), np.asarray(counts)
