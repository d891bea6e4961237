from unjudged.kernels.reference import (
    find_duplicates,
    find_ids,
    group_heads,
    hash_ids,
    index_ids,
    order_rankings,
    pack_fields,
    parse_integers,
    parse_numbers,
    split_fields,
)

__all__ = [
    "find_duplicates",
    "find_ids",
    "group_heads",
    "hash_ids",
    "index_ids",
    "order_rankings",
    "pack_fields",
    "parse_integers",
    "parse_numbers",
    "split_fields",
]
