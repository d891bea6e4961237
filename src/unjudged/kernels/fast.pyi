from unjudged.kernels.reference import (
    copies_above,
    count_repeats,
    cut_rows,
    draw_copies,
    find_duplicates,
    find_ids,
    hash_ids,
    index_ids,
    order_rankings,
    pack_fields,
    weigh_copies,
)

__all__ = [
    "copies_above",
    "count_repeats",
    "cut_rows",
    "draw_copies",
    "find_duplicates",
    "find_ids",
    "hash_ids",
    "index_ids",
    "order_rankings",
    "pack_fields",
    "weigh_copies",
]
