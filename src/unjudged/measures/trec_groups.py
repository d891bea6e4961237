"""Groups of measures by trec_eval's names, and the one function that reads what users type for measures."""

from __future__ import annotations

from unjudged.errors import SpecError
from unjudged.measures.base import Measure, find_trec_name, measures, parse_trec_name

__all__ = ["NEW_IN_TREC_EVAL_10", "TREC_GROUPS", "parse_measures"]

TREC_GROUPS: dict[str, list[str]] = {
    "official": [
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
        "iprec_at_recall", "P",
    ],
    "set": [
        "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P", "set_recall", "set_map",
        "set_F",
    ],
    "all_trec": [
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
        "iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg",
        "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall",
        "set_map", "set_F", "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj",
    ],
}  # fmt: skip
"""trec_eval's groups (``-m official``) in the order in which it prints them.

``runid`` and ``relstring`` are text, not measures, and left out.
"""

NEW_IN_TREC_EVAL_10 = frozenset({"rbp", "rbp_resid", "unj"})

measures.groups = tuple(TREC_GROUPS)


def parse_measures(text: str) -> list[Measure]:
    """Measures that users ask for by our name (``nDCG@10``), trec_eval's (``ndcg_cut.5,10``, ``P``) or a group's.

    >>> parse_measures("nDCG@10"), parse_measures("ndcg_cut.5,10"), len(parse_measures("official"))
    ([nDCG@10], [nDCG@5, nDCG@10], 29)
    """
    text = text.strip()
    if text in TREC_GROUPS:
        return [measure for name in TREC_GROUPS[text] for measure in parse_trec_name(name)]
    found = find_trec_name(text)
    if found is None or measures.is_loaded(text):  # "Rprec" is a name of ours, too
        try:
            return [measures.parse(text)]
        except SpecError as error:
            problem = error
        found = found or find_trec_name(text)  # perhaps of a plugin, which has been looked for now
    if found is not None:
        cls, trec, arguments = found
        return cls.from_trec(trec, arguments)
    if text[:1].isdigit() and text not in measures:  # "11pt_avgg" is no name of ours, but nearly one of trec_eval's
        measures[text]
    raise problem
