"""What users type for measures: our names, those of trec_eval, and those of its groups."""

from __future__ import annotations

from unjudged.errors import SpecError
from unjudged.measures.base import Measure, measures
from unjudged.measures.trec_names import TrecName
from unjudged.registry import find_plugins
from unjudged.wording import shortened

__all__ = ["NEW_IN_TREC_EVAL_10", "TREC_GROUPS", "find_trec_name", "parse_measures", "parse_trec_name"]

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
    match = find_trec_name(text)
    if match is None or measures.is_loaded(text):  # "Rprec" is a name of ours, too
        try:
            return [measures.parse(text)]
        except SpecError as error:
            problem = error
        match = match or find_trec_name(text)  # perhaps of a plugin, which has been looked for now
    if match is not None:
        cls, trec, arguments = match
        return cls.from_trec(trec, arguments)
    if text[:1].isdigit() and text not in measures:  # "11pt_avgg" is no name of ours, but nearly one of trec_eval's
        measures[text]
    raise problem


def find_trec_name(text: str) -> tuple[type[Measure], TrecName, str] | None:
    """The measure class behind a trec_eval name, which of its names that is, and the arguments after it.

    Among those that are loaded: trec_eval's names are mostly those of our measures, and looking for plugins takes time.
    """
    for cls in measures.loaded():
        for trec in cls.trec_names:
            arguments = _arguments(trec, text)
            if text == trec.name or arguments:
                return cls, trec, arguments
    return None


def parse_trec_name(text: str) -> list[Measure]:
    """Measures that a trec_eval name stands for: ``map``, ``P_10``, ``ndcg_cut.5,10``, ``P`` (all its cut-offs)."""
    match = find_trec_name(text)
    if match is None and find_plugins():
        match = find_trec_name(text)
    if match is None:
        raise SpecError(f"unknown trec_eval measure {shortened(text)}")
    cls, trec, arguments = match
    return cls.from_trec(trec, arguments)


def _arguments(trec: TrecName, text: str) -> str:
    """What follows the name: after a dot as on trec_eval's command line, or after ``_`` as in its output."""
    head, rest = text[: len(trec.name)], text[len(trec.name) :]
    if head != trec.name or not (trec.at or trec.arguments) or len(rest) < 2:
        return ""
    is_value = rest[1].isdigit() or rest[1] in ".-"
    return rest[1:] if rest[0] == "." or (rest[0] == "_" and is_value) else ""
