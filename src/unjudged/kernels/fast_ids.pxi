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

# A hash table of one ranking has two slots per row. A slot is -1, or holds a row in its lower 40 bits and 23 bits of the
# row's key above them, which spare nearly all look-ups of rows that are another pair.
cdef int64_t ROW_MASK = (1LL << 40) - 1

# The table of an index is made of shelves with 16 places, of which half are used on average: a byte of the key for each
# place (0 where it is free), which are compared all at once, and then the rows.
cdef enum: PLACES = 16
cdef enum: SHELF = 10  # words of 8 bytes: 2 of keys, 8 with two rows each
cdef enum: AHEAD = 32  # rows whose shelves are asked for together

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define unjudged_prefetch(address) __builtin_prefetch(address)
    #else
    #define unjudged_prefetch(address) ((void)0)
    #endif
    #if defined(__SSE2__)
    static inline unsigned unjudged_places(const int64_t* shelf, uint8_t part) {  /* those with this part of a key */
        __m128i parts = _mm_loadu_si128((const __m128i*)shelf);
        return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(parts, _mm_set1_epi8((char)part)));
    }
    #else
    static inline unsigned unjudged_places(const int64_t* shelf, uint8_t part) {
        unsigned bits = 0;
        for (int i = 0; i < 16; i++) bits |= (unsigned)(((const uint8_t*)shelf)[i] == part) << i;
        return bits;
    }
    #endif
    """
    void unjudged_prefetch(const void*) noexcept nogil
    unsigned int unjudged_places(const int64_t* shelf, uint8_t part) noexcept nogil

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

cdef inline uint64_t _with_group(uint64_t key, int64_t group) noexcept nogil:
    key = (key ^ <uint64_t>group) * 0xC4CEB9FE1A85EC53ULL
    return key ^ key >> 32

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
    return key if ids.groups is NULL else _with_group(key, ids.groups[row])

cdef inline int64_t _slot(uint64_t key, int64_t slots) noexcept nogil:
    # The upper half of the key chooses the slot; bits of the lower half are kept in it.
    return (key >> 32) * <uint64_t>slots >> 32

cdef inline bint _equal(const Ids* a, int64_t row_a, const Ids* b, int64_t row_b) noexcept nogil:
    cdef int64_t start_a = a.offsets[row_a], start_b = b.offsets[row_b], length = a.offsets[row_a + 1] - start_a
    if length != b.offsets[row_b + 1] - start_b:
        return False
    if length <= 16 and start_a + 16 <= a.size and start_b + 16 <= b.size:  # as most are
        return not ~unjudged_alike(a.blob + start_a, b.blob + start_b) & (<unsigned int>1 << length) - 1
    return memcmp(a.blob + start_a, b.blob + start_b, length) == 0

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

cdef struct Shelves:
    const int64_t* first
    int64_t number

cdef inline uint8_t _part(uint64_t key) noexcept nogil:
    """The byte of a key that a shelf holds; the upper half of the key chooses the shelf."""
    return max(key & 0xFF, 1)

cdef inline int64_t _row_at(const int64_t* shelf, int place) noexcept nogil:
    return (<const uint32_t*>(shelf + 2))[place]

cdef inline int64_t _find_row(
    Shelves shelves, const Ids* own, const Ids* ids, int64_t other, int64_t group, uint64_t key
) noexcept nogil:
    """The row of *own* with this group and the id in row *other* of *ids*, or -1."""
    cdef int64_t row, turn, at = _slot(key, shelves.number)
    cdef const int64_t* shelf
    cdef unsigned int places
    for turn in range(shelves.number):
        shelf = shelves.first + SHELF * at
        places = unjudged_places(shelf, _part(key))
        while places:
            row = _row_at(shelf, unjudged_lowest(places))
            if row < own.rows and _equal(own, row, ids, other):
                if own.groups is NULL or own.groups[row] == group:
                    return row
            places &= places - 1
        if unjudged_places(shelf, 0):
            return -1
        at = at + 1 if at + 1 < shelves.number else 0
    return -1

cdef inline int64_t _candidate(Shelves shelves, uint64_t key) noexcept nogil:
    """The only row that may have this key, -1 for none, -2 where one must look: without a branch nobody foresees."""
    cdef const int64_t* shelf = shelves.first + SHELF * _slot(key, shelves.number)
    cdef unsigned int places = unjudged_places(shelf, _part(key))
    if places & (places - 1) or not unjudged_places(shelf, 0):
        return -2
    return _row_at(shelf, unjudged_lowest(places | 1 << PLACES) & (PLACES - 1)) | -<int64_t>(places == 0)

cdef inline bint _is_surely(const Ids* own, int64_t row, const Ids* ids, int64_t other) noexcept nogil:
    """Whether two ids are equal, and short."""
    cdef int64_t start = own.offsets[row], length = own.offsets[row + 1] - start, start_other = ids.offsets[other]
    if length > 16 or start + 16 > own.size or start_other + 16 > ids.size:
        return False
    return (length == ids.offsets[other + 1] - start_other) & (
        (~unjudged_alike(own.blob + start, ids.blob + start_other) & (<unsigned int>1 << length) - 1) == 0
    )

def _regions(groups):
    """How many shelves stand before those of each group. Look-ups of one topic then stay in a small part of the table.

    Groups that are not in order share all shelves, and there is one region less.
    """
    groups = np.asarray(groups)
    highest = groups.max(initial=0)
    if groups.min(initial=0) < 0 or highest > 2 * len(groups) or (np.diff(groups) < 0).any():
        return np.zeros(0, np.int64), _shelves_for(len(groups))
    rows = np.diff(np.searchsorted(groups, np.arange(highest + 2)))
    regions = np.zeros(highest + 2, np.int64)
    np.cumsum(_shelves_for(rows), out=regions[1:])
    return regions, int(regions[len(regions) - 1])

def _shelves_for(rows):
    return (2 * rows + PLACES - 1) // PLACES

cdef inline Shelves _region(const int64_t* index, int64_t total, int64_t group) noexcept nogil:
    """The shelves where the rows of a group are.

    An index is: the secret of its keys, the number of regions, the regions, all shelves.
    """
    cdef int64_t regions = index[1]
    cdef const int64_t* first = index + 2 + regions
    if regions == 0:
        return Shelves(first, total)
    if not 0 <= group < regions - 1:
        return Shelves(first, 0)
    return Shelves(first + SHELF * index[2 + group], index[3 + group] - index[2 + group])

def index_ids(Ints groups, Bytes blob, Ints offsets):
    """An index over (group, id) pairs for :func:`find_ids`. Its content is the core's own business."""
    cdef Ids ids = _pairs(groups, blob, offsets)
    regions, number = _regions(groups)
    cdef int64_t[::1] index = np.concatenate([[0, len(regions)], regions, np.zeros(SHELF * number, np.int64)])
    cdef int64_t row, at, total = number
    cdef int place
    cdef Shelves shelves
    cdef uint64_t key
    cdef int64_t* shelf
    if ids.rows >> 32:
        raise ValueError(f"an index has room for {1 << 32} ids, not for {ids.rows}")
    _keyed(&ids, _drawn_secret())
    index[0] = <int64_t>ids.secret
    with nogil:
        for row in range(ids.rows):
            shelves, key = _region(&index[0], total, groups[row]), _key(&ids, row)
            if _find_row(shelves, &ids, &ids, row, groups[row], key) >= 0:
                continue
            at = _slot(key, shelves.number)
            while not unjudged_places(shelves.first + SHELF * at, 0):
                at = at + 1 if at + 1 < shelves.number else 0
            shelf = <int64_t*>shelves.first + SHELF * at
            place = unjudged_lowest(unjudged_places(shelf, 0))
            (<uint8_t*>shelf)[place], (<uint32_t*>(shelf + 2))[place] = _part(key), <uint32_t>row
    return np.asarray(index)

cdef void _find_some(
    Shelves shelves, const Ids* own, const Ids* ids, int64_t begin, int64_t end, const int64_t* groups,
    const uint64_t* keys, int64_t* found
) noexcept nogil:
    """Look up at most AHEAD rows of one group, or of any groups where there are no regions."""
    cdef int64_t row, other
    cdef int64_t[AHEAD] rows
    for row in range(begin, end):
        rows[row - begin] = _candidate(shelves, keys[row - begin])
        unjudged_prefetch(&own.offsets[max(rows[row - begin], 0)])
    for row in range(begin, end):
        other = rows[row - begin]
        if other >= 0 and (other >= own.rows or not _is_surely(own, other, ids, row) or (
            own.groups is not NULL and own.groups[other] != groups[row - begin]
        )):
            other = -2
        if other == -2:
            other = _find_row(shelves, own, ids, row, groups[row - begin], keys[row - begin])
        found[row] = other

def find_ids(Ints index, Ints groups, Bytes blob, Ints offsets,
             Ints other_groups, Bytes other_blob, Ints other_offsets):
    """For each pair (other group, other id) the first row of the indexed column with the same pair, or -1."""
    cdef Ids ids = _pairs(groups, blob, offsets), others = _pairs(other_groups, other_blob, other_offsets)
    cdef int64_t[::1] found = np.empty(others.rows, np.int64)
    cdef int64_t row, end, begin = 0, total = _check_index(index, ids.rows)
    cdef uint64_t[AHEAD] keys
    cdef Shelves shelves
    _keyed(&others, <uint64_t>index[0])
    if index[1]:
        ids.groups = NULL  # each group has a region of its own, so that looking at them would only cost time
    with nogil:
        while begin < others.rows:
            # Some rows of the same group, whose shelves are asked for before the first is looked at: a table does not
            # fit in the nearest cache.
            end, shelves = begin, _region(&index[0], total, other_groups[begin])
            while end < min(begin + AHEAD, others.rows) and (
                index[1] == 0 or other_groups[end] == other_groups[begin]
            ):
                keys[end - begin] = _key(&others, end)
                if shelves.number:
                    unjudged_prefetch(shelves.first + SHELF * _slot(keys[end - begin], shelves.number))
                end += 1
            if shelves.number:
                _find_some(shelves, &ids, &others, begin, end, &other_groups[begin], keys, &found[0])
            else:
                for row in range(begin, end):
                    found[row] = -1
            begin = end
    return np.asarray(found)

cdef int64_t _check_index(Ints index, int64_t rows) except -1:
    """How many shelves an index has."""
    cdef int64_t regions = index[1] if len(index) > 1 else -1, words = len(index) - 2 - regions
    if regions < 0 or words < 0 or words % SHELF or words // SHELF > 2 * rows or (
        regions and (index[2] != 0 or SHELF * index[1 + regions] != words or (np.diff(index[2 : 2 + regions]) < 0).any())
    ):
        raise ValueError(f"this is no index of {rows} ids made by the compiled core")
    return words // SHELF

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

cdef bint _may_repeat(const uint64_t* keys, int64_t n, uint32_t* table, int64_t size) noexcept nogil:
    """Whether two keys look the same. A table of *size*, at least four times as many, is nearly empty."""
    cdef int64_t i, at
    cdef uint32_t part
    memset(table, 0, size * sizeof(uint32_t))
    for i in range(n):
        at, part = <int64_t>(keys[i] >> 32) & (size - 1), <uint32_t>keys[i] | 1
        while table[at]:
            if table[at] == part:
                return True
            at = (at + 1) & (size - 1)
        table[at] = part
    return False

def match_rankings(Ints row_offsets, Ints ranking_groups, const double[::1] scores, Bytes blob, Ints offsets,
                   Ints index, Ints groups, Bytes own_blob, Ints own_offsets):
    """Rank, look up and look for duplicates in one pass, which hashes each id once."""
    cdef Ids ids = _ids(blob, offsets), own = _pairs(groups, own_blob, own_offsets)
    cdef int64_t longest = _longest(row_offsets, ids.rows), ranking, n = len(row_offsets) - 1
    cdef int64_t begin, end, row, chunk, last, size = 1, total = _check_index(index, own.rows)
    cdef int64_t[::1] found = np.empty(ids.rows, np.int64), order = np.empty(ids.rows, np.int64)
    cdef int64_t[::1] spare = np.empty(longest, np.int64)
    cdef int64_t[AHEAD] same
    cdef uint64_t[::1] keys = np.empty(longest, np.uint64)
    cdef Shelves shelves
    cdef bint is_moved = False, may_repeat = False
    if len(scores) != ids.rows or len(ranking_groups) != n:
        raise ValueError(f"{len(scores)} scores for {ids.rows} ids, {len(ranking_groups)} groups for {n} rankings")
    while size < 4 * longest:
        size *= 2
    cdef uint32_t[::1] table = np.empty(size, np.uint32)
    _keyed(&ids, <uint64_t>index[0])
    if index[1]:
        own.groups = NULL  # as in find_ids
    with nogil:
        for ranking in range(n):
            begin, end = row_offsets[ranking], row_offsets[ranking + 1]
            if begin == end:
                continue
            shelves = _region(&index[0], total, ranking_groups[ranking])
            for row in range(AHEAD):
                same[row] = ranking_groups[ranking]
            last = begin
            while last < end:
                chunk, last = last, min(last + AHEAD, end)
                for row in range(chunk, last):
                    keys[row - begin] = _with_group(_key(&ids, row), ranking_groups[ranking])
                    if shelves.number:
                        unjudged_prefetch(shelves.first + SHELF * _slot(keys[row - begin], shelves.number))
                if shelves.number:
                    _find_some(shelves, &own, &ids, chunk, last, same, &keys[chunk - begin], &found[0])
                else:
                    for row in range(chunk, last):
                        found[row] = -1
            if not may_repeat:
                may_repeat = _may_repeat(&keys[0], end - begin, &table[0], min(size, _power_above(4 * (end - begin))))
            for row in range(begin, end):
                order[row] = row
            if _first_out_of_order(&ids, &scores[0], begin, end) < end:
                is_moved = True
                _rank(&ids, &scores[0], &order[0], begin, end, &spare[0])
                memcpy(&spare[0], &found[begin], (end - begin) * sizeof(int64_t))
                for row in range(begin, end):
                    found[row] = spare[order[row] - begin]
    is_repeated = may_repeat and len(find_duplicates(row_offsets, blob, offsets)) > 0
    return np.asarray(order) if is_moved else None, np.asarray(found), is_repeated

cdef inline int64_t _power_above(int64_t n) noexcept nogil:
    cdef int64_t power = 1
    while power < n:
        power *= 2
    return power
