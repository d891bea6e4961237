# --- Measures: what they sum down rankings ---------------------------------------------------------------------------
cdef enum: WAS_JUDGED = 2  # states, as unjudged.data.qrels.State
cdef enum: NOT_POOLED = 0

def found_grades(Ints rows, const int32_t[::1] grades, Bytes states):
    """Grades and states in these rows; grade 0 and state 0 (not pooled) for those that were not found."""
    cdef int64_t i, n = len(rows), size = min(len(grades), len(states))
    cdef int32_t[::1] found = np.empty(n, np.int32)
    cdef uint8_t[::1] known = np.empty(n, np.uint8)
    cdef bint bad = False
    with nogil:
        for i in range(n):
            bad |= rows[i] >= size
            if 0 <= rows[i] < size:
                found[i], known[i] = grades[rows[i]], states[rows[i]]
            else:
                found[i], known[i] = 0, NOT_POOLED
    if bad:
        raise ValueError(f"rows must be below {size}")
    return np.asarray(found), np.asarray(known)

cdef struct Sum:
    uint8_t kind  # a letter; see the reference
    double rel, first, second
    int64_t depth
    const double* weights  # by rank
    const double* gains  # by grade
    int64_t grades
    const double* divisors  # by topic
    const int64_t* limits  # by topic

cdef struct Ranking:
    int64_t length, limit
    # Its documents that the judgments list, from the top: where they are (from 0), their grades, whether they are judged.
    int64_t listed
    int64_t* places
    int32_t* grades
    uint8_t* judged

cdef inline void _list(Ranking* r, const int32_t* grades, const uint8_t* states) noexcept nogil:
    """Measures look at listed documents only, and these are few: the others are looked at once."""
    cdef int64_t i, listed = 0
    for i in range(r.length):
        r.places[listed], r.grades[listed], r.judged[listed] = i, grades[i], states[i] == WAS_JUDGED
        listed += states[i] != NOT_POOLED
    r.listed = listed

cdef inline int64_t _within(const Ranking* r, int64_t depth) noexcept nogil:
    """How many listed documents are above this depth."""
    cdef int64_t low = 0, high = r.listed, middle
    if depth >= r.length:
        return high
    while low < high:
        middle = (low + high) >> 1
        if r.places[middle] < depth:
            low = middle + 1
        else:
            high = middle
    return low

cdef inline bint _is_relevant(const Ranking* r, int64_t i, double rel) noexcept nogil:
    return (r.grades[i] >= rel) & r.judged[i]

cdef double _found(const Sum* s, const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i, count = 0
    for i in range(within):
        count += _is_relevant(r, i, s.rel)
    return <double>count

cdef double _judged(const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i, count = 0
    for i in range(within):
        count += r.judged[i]
    return <double>count

cdef double _judged_first(const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i = 0
    while i < within and r.judged[i] and r.places[i] == i:
        i += 1
    return <double>i

cdef double _first(const Sum* s, const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i
    for i in range(within):
        if _is_relevant(r, i, s.rel):
            return 1.0 / <double>(r.places[i] + 1)
    return 0.0

cdef double _precisions(const Sum* s, const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i, count = 0
    cdef double total = 0.0
    for i in range(within):
        if _is_relevant(r, i, s.rel):
            count += 1
            total += <double>count / <double>(r.places[i] + 1)
    return total

cdef double _gains(const Sum* s, const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i
    cdef double total = 0.0
    for i in range(within):
        if r.judged[i]:
            if not 0 <= r.grades[i] < s.grades:
                return NAN
            total += s.gains[r.grades[i]] * s.weights[r.places[i]]
    return total

cdef double _preferences(const Sum* s, const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i, above = 0
    cdef double total = 0.0
    for i in range(within):
        if not r.judged[i]:
            continue
        if r.grades[i] < s.rel:
            above += 1
        else:
            total += 1.0 - <double>min(above, r.limit) / <double>r.limit if r.limit else 1.0
    return total

cdef double _inferred(const Sum* s, const Ranking* r, int64_t within) noexcept nogil:
    cdef int64_t i, relevant = 0, others = 0, pooled
    cdef double total = 0.0, chance
    for i in range(within):
        if not r.judged[i]:
            continue
        if r.grades[i] < s.rel:
            others += 1
        else:
            pooled = i if s.kind == c"i" else r.places[i]
            chance = (<double>relevant + s.first) / (<double>(relevant + others) + s.second)
            total += (1.0 + <double>pooled * chance) / <double>(r.places[i] + 1)
            relevant += 1
    return total

cdef double _sum(const Sum* s, const Ranking* r) noexcept nogil:
    cdef int64_t within = _within(r, min(s.depth, r.limit) if s.kind == c"r" else s.depth)
    if s.kind == c"p":
        return _precisions(s, r, within)
    if s.kind == c"g":
        return s.first * _gains(s, r, within)
    if s.kind == c"n" or s.kind == c"r":
        return _found(s, r, within)
    if s.kind == c"f":
        return _first(s, r, within)
    if s.kind == c"s":
        return <double>(_found(s, r, within) > 0)
    if s.kind == c"b":
        return _preferences(s, r, within)
    if s.kind == c"i" or s.kind == c"I":
        return _inferred(s, r, within)
    return _judged(r, within) if s.kind == c"j" else _judged_first(r, within)

cdef class ReadySums:
    """Sums as the loops take them; what they point to stays as long as this."""

    cdef Sum[MOST_COLUMNS] sums
    cdef int64_t number, topics, ranks
    cdef object kept

def ready_sums(sums):
    """Sums for :func:`sum_rankings`, looked through once."""
    cdef ReadySums ready = ReadySums()
    cdef const double[::1] weights, gains, divisors
    cdef const int64_t[::1] limits
    if len(sums) > MOST_COLUMNS:
        raise ValueError(f"{len(sums)} sums, but at most {MOST_COLUMNS} are made at once")
    ready.number, ready.kept, ready.topics, ready.ranks = len(sums), list(sums), 1LL << 62, 1LL << 62
    for j, one in enumerate(ready.kept):
        weights, gains, divisors, limits = one.weights, one.gains, one.divisors, one.limits
        ready.sums[j] = Sum(
            ord(one.kind), one.rel, one.first, one.second, one.depth, &weights[0], &gains[0], len(gains), &divisors[0],
            &limits[0],
        )
        ready.topics = min(ready.topics, min(len(divisors), len(limits)))
        if one.kind == "g" and one.depth > len(weights):
            ready.ranks = min(ready.ranks, len(weights))
    return ready

def sum_rankings(ReadySums sums, Ints topics, Ints offsets, const int32_t[::1] grades, Bytes states):
    """What measures sum down each ranking."""
    cdef int64_t n = len(topics), i, j, longest = 0
    cdef bint bad = len(offsets) != n + 1 or len(grades) != len(states)
    cdef Ranking ranking
    cdef const Sum* one
    cdef double total
    if not bad:
        bad = offsets[0] < 0 or offsets[n] > len(grades)
        for i in range(n):
            longest = max(longest, offsets[i + 1] - offsets[i])
            bad |= (offsets[i] > offsets[i + 1]) | (topics[i] < 0) | (topics[i] >= sums.topics)
    if bad or longest > sums.ranks:
        raise ValueError("rankings and their columns do not fit each other, or these sums")
    cdef int64_t[::1] places = np.empty(longest + 1, np.int64)
    cdef int32_t[::1] listed = np.empty(longest + 1, np.int32)
    cdef uint8_t[::1] judged = np.empty(longest + 1, np.uint8)
    out = np.empty((sums.number, n), np.float64)
    cdef double[:, ::1] to = out
    with nogil:
        for i in range(n):
            ranking = Ranking(offsets[i + 1] - offsets[i], 0, 0, &places[0], &listed[0], &judged[0])
            _list(&ranking, &grades[0] + offsets[i], &states[0] + offsets[i])
            for j in range(sums.number):
                one = &sums.sums[j]
                ranking.limit = one.limits[topics[i]]
                total = _sum(one, &ranking)
                to[j, i] = total / one.divisors[topics[i]] if one.divisors[topics[i]] != 0 else 0.0
    return out
