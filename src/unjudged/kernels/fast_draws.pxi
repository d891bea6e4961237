# --- Drawn grades ----------------------------------------------------------------------------------------------------
cdef inline double _odds_of(uint64_t x, double factor) noexcept nogil:
    """Odds of the number in [0, 1) that SplitMix64 makes of a state, divided by a factor."""
    cdef double unit
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL
    x ^= x >> 31
    unit = <double><int64_t>(x >> 11) * (1.0 / 9007199254740992.0)
    return unit / ((1.0 - unit) * factor)

cdef int _check_draws(int64_t holes, int64_t distributions, Ints which, int64_t columns, Ints moved) except -1:
    if len(which) != holes or len(moved) != holes:
        raise ValueError(f"{holes} keys, {len(which)} distributions and {len(moved)} factors do not fit together")
    if holes and not (0 <= np.min(which) <= np.max(which) < distributions):
        raise ValueError(f"which must be rows of odds, which has {distributions}")
    if holes and not (0 <= np.min(moved) <= np.max(moved) < columns):
        raise ValueError(f"moved must be columns of factors, which has {columns}")
    return 0

def draw_levels(const uint64_t[::1] keys, const double[:, ::1] odds, Ints which, const double[:, ::1] factors, Ints moved):
    """Levels drawn for holes, as many times as *factors* has rows: (draws, holes)."""
    cdef int64_t holes = len(keys), draws = factors.shape[0], limits = odds.shape[1], draw, hole, low, high, middle
    cdef uint64_t step
    cdef double ratio
    cdef const double* own
    _check_draws(holes, odds.shape[0], which, factors.shape[1], moved)
    cdef int32_t[:, ::1] out = np.zeros((draws, holes), np.int32)
    if holes == 0 or limits == 0:
        return np.asarray(out)
    with nogil:
        for draw in range(draws):
            step = <uint64_t>(draw + 1) * 0x9E3779B97F4A7C15ULL
            for hole in range(holes):
                ratio = _odds_of(keys[hole] + step, factors[draw, moved[hole]])
                own = &odds[which[hole], 0]
                if ratio < own[0]:
                    continue  # most holes are not relevant
                low, high = 1, limits
                while low < high:  # the first level that it has not reached
                    middle = (low + high) // 2
                    if ratio >= own[middle]:
                        low = middle + 1
                    else:
                        high = middle
                out[draw, hole] = <int32_t>low
    return np.asarray(out)

def draw_reached(const uint64_t[::1] keys, const double[::1] odds, Ints which, const double[:, ::1] factors, Ints moved,
                 const uint8_t[::1] counted):
    """Whether holes reach one level, in each draw: bits (holes, bytes), and how many that are counted do so."""
    cdef int64_t holes = len(keys), draws = factors.shape[0], draw, hole
    cdef uint64_t step
    cdef bint reached
    _check_draws(holes, len(odds), which, factors.shape[1], moved)
    if len(counted) != holes:
        raise ValueError(f"{holes} keys and {len(counted)} counts do not fit together")
    cdef uint8_t[:, ::1] bits = np.zeros((holes, (draws + 7) // 8), np.uint8)
    cdef int64_t[::1] counts = np.zeros(draws, np.int64)
    with nogil:
        for draw in range(draws):
            step = <uint64_t>(draw + 1) * 0x9E3779B97F4A7C15ULL
            for hole in range(holes):
                reached = _odds_of(keys[hole] + step, factors[draw, moved[hole]]) >= odds[which[hole]]
                bits[hole, draw >> 3] |= <uint8_t>(reached << (draw & 7))
                counts[draw] += reached & counted[hole]
    return np.asarray(bits), np.asarray(counts)

def sum_precisions(Ints row_offsets, Ints ranks, Ints holes, const uint8_t[::1] apart, const uint8_t[:, ::1] relevant,
                   int64_t draws):
    """Sums of the precisions at relevant rows, in each draw: (rankings, draws); and how many of those apart there are."""
    cdef int64_t rows = len(ranks), ranking, row, draw, byte, width = relevant.shape[1]
    cdef double rank
    cdef uint8_t bits
    cdef bint is_apart
    _longest(row_offsets, rows)
    if len(holes) != rows or len(apart) != rows or 8 * width < draws:
        raise ValueError("ranks, holes, apart and the bits of draws do not fit together")
    if rows and not (-1 <= np.min(holes) <= np.max(holes) < relevant.shape[0]):
        raise ValueError(f"holes must be rows of relevant, which has {relevant.shape[0]}, or -1")
    cdef double[:, ::1] sums = np.zeros((len(row_offsets) - 1, draws))
    cdef int64_t[:, ::1] counts = np.zeros((len(row_offsets) - 1, draws), np.int64)
    cdef double[::1] found = np.empty(draws)  # so far; as floats, which divide at once
    if draws == 0:
        return np.asarray(sums), np.asarray(counts)
    with nogil:
        for ranking in range(len(row_offsets) - 1):
            found[:] = 0
            for row in range(row_offsets[ranking], row_offsets[ranking + 1]):
                rank, is_apart = <double>ranks[row], apart[row]
                if holes[row] < 0:
                    for draw in range(draws):
                        found[draw] += 1
                        sums[ranking, draw] += found[draw] / rank
                    if is_apart:
                        for draw in range(draws):
                            counts[ranking, draw] += 1
                    continue
                for byte in range(width):
                    bits, draw = relevant[holes[row], byte], 8 * byte
                    while bits and draw < draws:
                        if bits & 1:
                            found[draw] += 1
                            sums[ranking, draw] += found[draw] / rank
                            counts[ranking, draw] += is_apart
                        bits >>= 1
                        draw += 1
    return np.asarray(sums), np.asarray(counts)

