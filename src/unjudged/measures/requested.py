"""Measures that users ask for: by our names or those of trec_eval and its groups, and whether the judgments will do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from unjudged.data.qrels import Qrels
from unjudged.errors import InputError, Notice, SpecError, some_of
from unjudged.measures.base import Measure, Need, measures
from unjudged.measures.trec_names import TrecName
from unjudged.registry import find_plugins
from unjudged.wording import shortened

__all__ = [
    "NEW_IN_TREC_EVAL_10",
    "TREC_GROUPS",
    "at_level",
    "check_needs",
    "find_trec_name",
    "ignored_subtopics",
    "nothing_relevant",
    "parse_measures",
    "parse_trec_name",
    "trec_position",
]

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

_END_OF_NAME = re.compile(r"[\s(@]")
"""Before it stands the name, after it parameters and the cut-off."""

_TREC_ORDER = {name: i for i, name in enumerate(TREC_GROUPS["all_trec"])}

_HOW: dict[Need, str] = {
    "subtopics": ": if its second column holds them, say --qrels-format diversity"
    " (in Python read_qrels(..., format='diversity'); in a frame, a column named 'subtopic')",
    "strata": ": give 5 columns, 'topic 0 doc stratum grade' (in a frame, a column named 'stratum')",
    "texts": ": give what documents say with --texts FILE (in Python, texts=...)",
}

measures.groups = tuple(TREC_GROUPS)


def parse_measures(text: str) -> list[Measure]:
    """Measures that users ask for by our name (``nDCG@10``), trec_eval's (``ndcg_cut.5,10``, ``P``) or a group's.

    >>> parse_measures("nDCG@10"), parse_measures("ndcg_cut.5,10"), len(parse_measures("official"))
    ([nDCG@10], [nDCG@5, nDCG@10], 29)
    """
    text = text.strip()
    if text in TREC_GROUPS:
        return [measure for name in TREC_GROUPS[text] for measure in parse_trec_name(name)]
    if measures.is_ours(
        _END_OF_NAME.split(text, 1)[0]
    ):  # then nobody has to look at all measures for a name of trec_eval
        with suppress(SpecError):
            return [measures.parse(text)]
    match = find_trec_name(text)
    if match is None or measures.is_ours(text):  # "Rprec" is a name of ours, too
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


measures.read = parse_measures


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


# ---- as trec_eval has them


def trec_position(name: str) -> tuple[int, float]:
    """Sorts printed names as trec_eval does: by measure, then by cut-off. Names that it does not have come last.

    >>> sorted(["P_10", "indAP", "P_7", "map"], key=trec_position)
    ['map', 'P_7', 'P_10', 'indAP']
    """
    match = find_trec_name(name)
    if match is None or match[1].name not in _TREC_ORDER:
        return len(_TREC_ORDER), 0.0
    _, trec, arguments = match
    return _TREC_ORDER[trec.name], float(arguments) if trec.at and arguments else 0.0


def at_level(measure: Measure, level: int) -> Measure:
    """trec_eval's ``-l``: the lowest relevant grade, for every measure that knows one and was not given another."""
    return measure.replace(rel=level) if measure.rel == 1 else measure


# ---- what they need


def check_needs(qrels: Qrels, measures: Sequence[Measure], *, texts: bool = False) -> None:
    """Raise an error that says which measure needs what, and how to give it. *texts*: whether there are any to read."""
    where = qrels.source or "qrels"
    has = {"subtopics": qrels.subtopics is not None, "strata": qrels.strata is not None, "texts": texts}
    if not texts and any("texts" in measure.needs for measure in measures):
        from unjudged.data.texts import texts_of  # which few look at

        has["texts"] = texts_of(qrels) is not None
    for measure in measures:
        if "priors" in measure.needs:
            raise InputError(f"{measure} needs runs that were read before, a prior set; use `unjudged relative`")
        for need in sorted(measure.needs):
            if not has.get(need, False):
                # Texts are no part of the judgments.
                lacks = "" if need == "texts" else f", which {where} does not have"
                raise InputError(f"{measure} needs {need}{lacks}{_HOW.get(need, '')}")
        if "strata" in measure.needs and not bool(qrels.judged.any()):
            raise InputError(f"{where}: all grades are below 0, so {measure} has no judged document to estimate from")


def ignored_subtopics(qrels: Qrels, measures: Sequence[Measure]) -> list[Notice]:
    """A remark where a measure that knows no subtopics looks at diversity judgments."""
    if qrels.subtopics is None or all("subtopics" in measure.needs for measure in measures):
        return []
    text = "these are diversity judgments; a document's grade is its highest over the subtopics"
    return [Notice("flattened-subtopics", len(qrels), text)]


def nothing_relevant(qrels: Qrels, measures: Sequence[Measure]) -> list[Notice]:
    """A remark where no grade is as high as measures ask for: with grades up to 1, ``rel=1`` may leave nothing."""
    top = float(qrels.grades[qrels.judged].max(initial=0))
    notices = []
    for rel in dict.fromkeys(measure.rel for measure in measures if measure.rel is not None and top < measure.rel):
        asked = [measure for measure in measures if measure.rel == rel]
        way_out = f"; the highest is {top:g}: say what counts, as in {asked[0].replace(rel=top)}" if top > 0 else ""
        text = f"no grade is {rel:g} or higher, so nothing is relevant to {some_of(list(map(str, asked)), 3)}{way_out}"
        notices.append(Notice("nothing-relevant", len(qrels.topics), text))
    return notices
