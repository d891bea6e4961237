"""The NumPy core: what each kernel means, in the plainest vectorised form.

The compiled core (``fast.pyx``) has the same functions and must give the same arrays. See the package docstring
for the vocabulary (text, fields, ids, row_offsets).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.arrays import Bytes, Flags, Floats, Hashes, Ints, SmallInts
from unjudged.kernels.reference_draws import count_marked, draw_levels, draw_reached, sum_precisions
from unjudged.kernels.reference_separated import separated_columns
from unjudged.kernels.reference_walks import found_grades, ready_sums, sum_rankings
from unjudged.kernels.splitmix import GOLDEN, mixed, to_unit

__all__ = [
    "copies_above",
    "count_marked",
    "count_repeats",
    "cut_rows",
    "draw_copies",
    "draw_levels",
    "draw_reached",
    "find_duplicates",
    "find_ids",
    "found_grades",
    "hash_ids",
    "index_ids",
    "match_rankings",
    "order_rankings",
    "pack_fields",
    "pack_rankings",
    "ready_sums",
    "separated_columns",
    "sum_precisions",
    "sum_rankings",
    "weigh_copies",
]


_NEWLINE = 10
_COMMENT = ord("#")
_IS_SPACE = np.zeros(256, dtype=bool)
_IS_SPACE[list(b" \t\n\v\f\r")] = True

_IS_PLAIN = np.zeros(256, dtype=bool)
_IS_PLAIN[list(b"0123456789+-.eE\n")] = True

# Odd 64-bit constants with well spread bits; both cores use the same ones, so that hashes can be compared.
_LENGTH = np.uint64(0x9E3779B97F4A7C15)
_WORD = np.uint64(0xD6E8FEB86659FD93)
_FINAL = np.uint64(0xFF51AFD7ED558CCD)
_GROUP = np.uint64(0xC4CEB9FE1A85EC53)
_S29, _S32 = np.uint64(29), np.uint64(32)
_HASH_BLOCK = 1 << 16


def cut_rows(text: Bytes, kinds: str) -> tuple[list[tuple[NDArray[Any], ...]], int, Ints, Ints, int]:
    r"""Cut whole lines into columns, one for each letter of *kinds*.

    Fields are separated by any run of spaces, tabs, carriage returns, vertical tabs and form feeds. Lines without
    a field, and lines whose first field begins with ``#``, are skipped. A last line without a line feed counts.

    Returns the columns; the number of rows; the rows that have skipped lines right above them, and how many; and 0,
    or the number of fields in the first line that has too few or too many, where the rows end. A column is

    * ``t``, text: ids (``blob, offsets``);
    * ``c``, codes: the rows where a field differs from the one above it, and the ``starts`` and ``ends`` of these;
    * ``n``, decimal numbers (``-1.5e3``, also ``nan`` and ``inf``): the values, up to the first field that is none, and
      the ``starts`` of all fields;
    * ``i``, whole numbers that fit in 64 bits: likewise;
    * ``.``, left out: nothing.
    """
    starts, ends, skipped, width = _split_fields(text, len(kinds))
    gap_rows, gap_lines = np.unique(skipped - np.arange(len(skipped)), return_counts=True)
    parts: list[tuple[NDArray[Any], ...]] = []
    for kind, first, last in zip(kinds, starts.T, ends.T, strict=True):
        if kind == "t":
            parts.append(pack_fields(text, first, last))
        elif kind == "c":
            heads = _group_heads(text, first, last)
            parts.append((heads, first[heads], last[heads]))
        elif kind in "ni":
            number, dtype = (float, np.float64) if kind == "n" else (int, np.int64)
            parts.append((_parse(text, first, last, number, dtype), first))
        else:
            parts.append(())
    return parts, len(starts), gap_rows, gap_lines, width


def _split_fields(text: Bytes, columns: int) -> tuple[Ints, Ints, Ints, int]:
    """Where fields start and end (rows, columns), the skipped lines, and the number of fields in the line at fault."""
    space = _IS_SPACE[text]
    edges = np.flatnonzero(np.diff(space, prepend=True, append=True))
    starts, ends = edges[0::2], edges[1::2]
    line_ends = np.flatnonzero(text == _NEWLINE)
    if len(text) and text[-1] != _NEWLINE:
        line_ends = np.append(line_ends, len(text))
    last = np.searchsorted(starts, line_ends)
    first = np.concatenate([np.zeros(1, dtype=last.dtype), last[:-1]])[: len(last)]
    widths = last - first
    is_data = widths > 0
    is_data[is_data] = text[starts[first[is_data]]] != _COMMENT
    wrong = np.flatnonzero(is_data & (widths != columns))
    limit, wrong_width = (int(wrong[0]), int(widths[wrong[0]])) if len(wrong) else (len(line_ends), 0)
    rows = first[:limit][is_data[:limit]][:, None] + np.arange(columns)
    return starts[rows], ends[rows], np.flatnonzero(~is_data[:limit]), wrong_width


def _parse(text: Bytes, starts: Ints, ends: Ints, number: type, dtype: type) -> NDArray[Any]:
    # All at once, as lines of plain numbers; what is not plain is looked at one by one, until the first fault.
    lengths = ends - starts + 1
    offsets = np.cumsum(lengths)
    source = np.arange(offsets[-1] if len(offsets) else 0) + np.repeat(starts - offsets + lengths, lengths)
    lines = np.append(text, np.uint8(_NEWLINE))[source]
    lines[offsets - 1] = _NEWLINE
    fields = lines.tobytes().split(b"\n")[:-1]
    if _IS_PLAIN[lines].all() and len(fields) == len(starts):
        try:
            return np.array(list(map(number, fields)), dtype=dtype)
        except (ValueError, OverflowError):
            pass
    return _parse_one_by_one(text, starts, ends, number, dtype)


def _parse_one_by_one(text: Bytes, starts: Ints, ends: Ints, number: type, dtype: type) -> NDArray[Any]:
    data = text.tobytes()
    out: NDArray[Any] = np.zeros(len(starts), dtype=dtype)
    for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        field = data[start:end]
        # Python reads "1_000" as a number; nobody who writes that in a run file means one thousand.
        if b"_" in field:
            return out[:i]
        try:
            out[i] = number(field)
        except (ValueError, OverflowError):
            return out[:i]
    return out


def _group_heads(text: Bytes, starts: Ints, ends: Ints) -> Ints:
    """Rows at which a field differs from the one above it (0 is one of them)."""
    n = len(starts)
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    lengths = ends - starts
    differs = np.ones(n, dtype=bool)
    differs[1:] = lengths[1:] != lengths[:-1]
    same = np.flatnonzero(~differs)
    # Compare byte by byte, all rows at once; rows leave the race as soon as they are known to differ.
    at = 0
    live = same
    while len(live):
        live = live[lengths[live] > at]
        unequal = text[starts[live] + at] != text[starts[live - 1] + at]
        differs[live[unequal]] = True
        live = live[~unequal]
        at += 1
    return np.flatnonzero(differs).astype(np.int64)


def pack_fields(text: Bytes, starts: Ints, ends: Ints) -> tuple[Bytes, Ints]:
    """Copy fields into a packed column of ids: ``blob, offsets``."""
    lengths = ends - starts
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    source = np.arange(offsets[-1], dtype=np.int64) + np.repeat(starts - offsets[:-1], lengths)
    return text[source], offsets


def _words(blob: Bytes) -> Hashes:
    """The 8 bytes that begin at each position, as little-endian numbers; zeros follow the end."""
    padded = np.concatenate([blob, np.zeros(8, dtype=np.uint8)])
    return np.ndarray(len(blob) + 1, dtype="<u8", buffer=padded, strides=(1,))


def _word_masks(left: Ints) -> Hashes:
    """Masks that keep the first *left* bytes of a word (all 8 of them where more are left)."""
    bits = 64 - 8 * np.minimum(left, 8)
    return np.uint64(2**64 - 1) >> bits.astype(np.uint64)


def hash_ids(blob: Bytes, offsets: Ints) -> Hashes:
    """A 64-bit hash of each id, over its length and its 8-byte little-endian words (the last one padded with zeros)."""

    def take_in(value: Hashes) -> Hashes:
        value = value * _WORD
        return value ^ (value >> _S29)

    hashes = _over_words(blob, offsets, np.uint64(0), take_in) * _FINAL
    return hashes ^ (hashes >> _S32)


def _over_words(blob: Bytes, offsets: Ints, start: np.uint64, take_in: Callable[[Hashes], Hashes]) -> Hashes:
    """A number for each id: one from its length, then *take_in* of that and of each of its words in turn."""
    words = _words(blob)
    n = len(offsets) - 1
    out = np.empty(n, dtype=np.uint64)
    for begin in range(0, n, _HASH_BLOCK):
        block = offsets[begin : begin + _HASH_BLOCK + 1]
        out[begin : begin + _HASH_BLOCK] = _over_words_of_block(words, block, start, take_in)
    return out


def _over_words_of_block(words: Hashes, offsets: Ints, start: np.uint64, take_in: Callable[[Hashes], Hashes]) -> Hashes:
    lengths = np.diff(offsets)
    hashes: Hashes = lengths.astype(np.uint64) * _LENGTH ^ start
    live = np.flatnonzero(lengths > 0)
    at = 0
    while len(live):
        word = words[offsets[live] + at] & _word_masks(lengths[live] - at)
        hashes[live] = take_in(hashes[live] ^ word)
        at += 8
        live = live[lengths[live] > at]
    return hashes


# Whoever knows a hash can choose ids that all have the same one, and each look-up would go through all of them. So they
# do not use the hash above, on which draws rest, but one with a secret that is drawn for each index.


def _secret() -> np.uint64:
    return np.uint64(int.from_bytes(os.urandom(8), "little"))


def _keys(groups: Ints, blob: Bytes, offsets: Ints, secret: np.uint64) -> Hashes:
    """A number for each (group, id) pair that nobody can foresee."""
    first, second = mixed(secret + np.arange(2, dtype=np.uint64) * GOLDEN) | np.uint64(1)

    def take_in(value: Hashes) -> Hashes:
        # Twice: the highest bits of a word stay the highest ones through one product, whatever it is multiplied by, and
        # the next word could take them back.
        value = value * first
        value = (value ^ (value >> _S29)) * second
        return value ^ (value >> _S32)

    product = (_over_words(blob, offsets, secret, take_in) ^ groups.astype(np.uint64)) * _GROUP
    return product ^ (product >> _S32)


def index_ids(groups: Ints, blob: Bytes, offsets: Ints) -> Ints:
    """An index over (group, id) pairs for :func:`find_ids`. Its content is the core's own business."""
    secret = _secret()
    keys = _keys(groups, blob, offsets, secret)
    order = np.argsort(keys, kind="stable")
    return np.concatenate([[secret.astype(np.int64), len(order)], order, keys[order].view(np.int64)])


def find_ids(
    index: Ints, groups: Ints, blob: Bytes, offsets: Ints, other_groups: Ints, other_blob: Bytes, other_offsets: Ints
) -> Ints:
    """For each pair (other group, other id) the first row of the indexed column with the same pair, or -1."""
    matches = np.full(len(other_groups), -1, dtype=np.int64)
    if not len(groups) or not len(other_groups):
        return matches
    rows = index[1]
    order, keys = index[2 : rows + 2], index[rows + 2 :].view(np.uint64)
    wanted = _keys(other_groups, other_blob, other_offsets, index[0].astype(np.uint64))
    at = np.searchsorted(keys, wanted)
    words, other_words = _words(blob), _words(other_blob)
    open_rows = np.arange(len(other_groups))
    # Equal keys are almost always equal pairs; the loop takes a second turn only for a true collision.
    while len(open_rows):
        inside = at[open_rows] < len(keys)
        open_rows = open_rows[inside]
        open_rows = open_rows[keys[at[open_rows]] == wanted[open_rows]]
        rows = order[at[open_rows]]
        equal = groups[rows] == other_groups[open_rows]
        equal &= _same_ids(words, offsets, rows, other_words, other_offsets, open_rows)
        matches[open_rows[equal]] = rows[equal]
        open_rows = open_rows[~equal]
        at[open_rows] += 1
    return matches


def _same_ids(
    words: Hashes, offsets: Ints, rows: Ints, other_words: Hashes, other_offsets: Ints, other_rows: Ints
) -> Flags:
    starts, other_starts = offsets[rows], other_offsets[other_rows]
    lengths = offsets[rows + 1] - starts
    same: Flags = lengths == other_offsets[other_rows + 1] - other_starts
    live = np.flatnonzero(same & (lengths > 0))
    at = 0
    while len(live):
        mask = _word_masks(lengths[live] - at)
        differs = (words[starts[live] + at] ^ other_words[other_starts[live] + at]) & mask != 0
        same[live[differs]] = False
        at += 8
        live = live[~differs & (lengths[live] > at)]
    return same


def order_rankings(row_offsets: Ints, scores: Floats, blob: Bytes, offsets: Ints) -> Ints | None:
    """THE tie rule of this package: score descending, then id descending by bytes (as trec_eval).

    Returns the rows in ranked order, ranking by ranking, or None when they already are in that order.
    Scores must not be NaN. Equal ids with equal scores keep their order.
    """
    ranking = np.repeat(np.arange(len(row_offsets) - 1), np.diff(row_offsets))
    if np.all((scores[1:] < scores[:-1]) | (ranking[1:] != ranking[:-1])):
        return None
    order = np.lexsort((-scores, ranking))
    tied = np.zeros(len(scores) + 1, dtype=bool)
    tied[1:-1] = (scores[order[1:]] == scores[order[:-1]]) & (ranking[order[1:]] == ranking[order[:-1]])
    # All tied rows are sorted by id at once, and then brought back to their ties.
    places = np.flatnonzero(tied[:-1] | tied[1:])
    tie = np.cumsum(~tied)[places]
    rows = order[places]
    data = blob.tobytes()
    ids = [data[start:end] for start, end in zip(offsets[rows].tolist(), offsets[rows + 1].tolist(), strict=True)]
    by_id = np.array(sorted(range(len(ids)), key=ids.__getitem__, reverse=True), dtype=np.int64)
    order[places] = rows[by_id[np.argsort(tie[by_id], kind="stable")]]
    if np.array_equal(order, np.arange(len(order))):
        return None
    return order.astype(np.int64)


def find_duplicates(row_offsets: Ints, blob: Bytes, offsets: Ints) -> Ints:
    """Ids that occur again in the same ranking: an array of (row, first row with that id), by row."""
    ranking = np.repeat(np.arange(len(row_offsets) - 1), np.diff(row_offsets))
    keys = _keys(ranking, blob, offsets, _secret())
    ordered = np.sort(keys)
    if np.all(ordered[1:] != ordered[:-1]):
        return np.zeros((0, 2), dtype=np.int64)
    data = blob.tobytes()
    seen: dict[tuple[int, bytes], int] = {}
    pairs = []
    for row, in_ranking in enumerate(ranking.tolist()):
        first = seen.setdefault((in_ranking, data[offsets[row] : offsets[row + 1]]), row)
        if first != row:
            pairs.append((row, first))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def match_rankings(
    row_offsets: Ints,
    ranking_groups: Ints,
    scores: Floats,
    blob: Bytes,
    offsets: Ints,
    index: Ints,
    groups: Ints,
    own_blob: Bytes,
    own_offsets: Ints,
) -> tuple[Ints | None, Ints, bool]:
    """Rank ids, look them up and look for duplicates: what scoring a run takes.

    *ranking_groups* has the group of each ranking, for pairs with its ids; *index* and what follows are a column that
    :func:`index_ids` has seen. Returns what :func:`order_rankings` does; for each row, *in ranked order*, what
    :func:`find_ids` finds; and whether an id occurs twice in a ranking.
    """
    order = order_rankings(row_offsets, scores, blob, offsets)
    of_row = np.repeat(ranking_groups, np.diff(row_offsets))
    rows = find_ids(index, groups, own_blob, own_offsets, of_row, blob, offsets)
    is_repeated = len(find_duplicates(row_offsets, blob, offsets)) > 0
    return order, rows if order is None else rows[order], is_repeated


def pack_rankings(rankings: list[Any]) -> tuple[Bytes, Ints, Floats, Ints] | None:
    """Columns of dicts ``{id: score}``: the ids (``blob, offsets``), the scores, and where each dict begins.

    None where something in them needs a closer look: what is no dict, ids that are no text, are empty, or begin or end
    with anything but a visible character of ASCII, and scores that are no finite floats or whole numbers.
    """
    ids: list[Any] = []
    scores: list[Any] = []
    for inner in rankings:
        if type(inner) is not dict:
            return None
        ids += inner
        scores += inner.values()
    if not all(type(one) is str and one and 32 < ord(one[0]) < 128 and 32 < ord(one[-1]) < 128 for one in ids):
        return None
    if not all(isinstance(one, float) or type(one) is int for one in scores):
        return None
    try:
        parts = [one.encode() for one in ids]
        values = np.array(scores, dtype=np.float64)
    except (UnicodeEncodeError, OverflowError):
        return None
    if not np.isfinite(values).all():
        return None
    offsets, row_offsets = (np.cumsum([0, *map(len, columns)], dtype=np.int64) for columns in (parts, rankings))
    return np.frombuffer(b"".join(parts), dtype=np.uint8), offsets, values, row_offsets


# ---- images of a corpus: how many copies of each document there are in each of several images, side by side


def draw_copies(keys: Hashes, draws: Ints, documents: int) -> Bytes:
    """Draw documents with replacement, ``draws[i]`` times for image ``i``: copies of each, (documents, images).

    Draw ``j`` of an image is the number that SplitMix64 makes of ``keys[i]`` and ``j``, and of nothing else. A document
    is drawn once on average, so that 255 copies, the most that can be counted, do not occur by chance.
    """
    out = np.empty((documents, len(keys)), dtype=np.uint8)
    for i, (key, number) in enumerate(zip(keys, draws.tolist(), strict=True)):
        uniform = to_unit(mixed(key + np.arange(1, number + 1, dtype=np.uint64) * GOLDEN))
        drawn = np.minimum((uniform * documents).astype(np.int64), documents - 1)
        out[:, i] = np.bincount(drawn, minlength=documents)
    return out


def copies_above(row_offsets: Ints, docs: Ints, rows: Ints, copies: Bytes) -> SmallInts:
    """How many copies of documents are ranked above each of *rows* (ascending), in each image: (rows, images).

    *docs* says which document each row of the rankings is.
    """
    out = np.zeros((len(rows), copies.shape[1]), dtype=np.int32)
    ends = np.searchsorted(rows, row_offsets)
    for ranking in np.flatnonzero(np.diff(ends)).tolist():
        first, last = int(ends[ranking]), int(ends[ranking + 1])
        start = int(row_offsets[ranking])
        above = np.cumsum(copies[docs[start : int(rows[last - 1])]], axis=0, dtype=np.int32)
        inside = rows[first:last] - start
        out[first:last][inside > 0] = above[inside[inside > 0] - 1]
    return out


def weigh_copies(
    row_offsets: Ints, above: SmallInts, own: Bytes, gains: Floats, table: Floats, times: SmallInts
) -> Floats:
    """Sum over the rows of each ranking of gain * (table[above + own] - table[above]): (rankings, images).

    ``table[n]`` is what the first n ranks weigh; what lies below its end weighs nothing. *above* must not descend
    within a ranking. Where *times* has rows, each term is multiplied by it.
    """
    last = len(table) - 1
    terms = table[np.minimum(above + own, last)] - table[np.minimum(above, last)]
    if len(times):
        terms *= times
    terms *= gains[:, None]
    out = np.zeros((len(row_offsets) - 1, above.shape[1]))
    for ranking in np.flatnonzero(np.diff(row_offsets)).tolist():
        # One row after the other, as the compiled core does: the order of a sum is part of its result.
        for row in range(row_offsets[ranking], row_offsets[ranking + 1]):
            out[ranking] += terms[row]
    return out


# ---- subtopics


def count_repeats(groups: Ints, items: Ints) -> Ints:
    """How often each item was there before in its group; *groups* must be sorted, *items* are small numbers from 0."""
    order = np.lexsort((items, groups))
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (np.diff(groups[order]) == 0) & (np.diff(items[order]) == 0)
    first = np.flatnonzero(~same)
    out = np.empty(len(order), dtype=np.int64)
    out[order] = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return out
