"""The measures. Modules are imported when a measure of theirs is asked for, which defines, and so registers, it.

A new one needs no entry here: ``uj.nDCG`` and names that users type are looked up in the registry. The names below are
for code that imports them, and for type checkers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unjudged.measures.base import Measure, TrecName, measures
from unjudged.measures.requested import TREC_GROUPS, parse_measures, parse_trec_name

if TYPE_CHECKING:
    from unjudged.measures.agreement import Accuracy, Compat
    from unjudged.measures.browsing import INSQ, INST, RBP, RBPresid
    from unjudged.measures.cascades import ERR_IA, NRBP, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
    from unjudged.measures.counts import Judged, NumNonrelJudgedRet, NumQ, NumRel, NumRelRet, NumRet, Unjudged
    from unjudged.measures.divergence import ABSNB, ABSRB, DELTANB, DELTARB
    from unjudged.measures.diversity import AP_IA, P_IA, StRecall
    from unjudged.measures.gain import DCG, ERR, SDCG, Q, nDCG, nERR
    from unjudged.measures.incomplete import Bpref, indAP, infAP, subAP
    from unjudged.measures.precision import AP, GMAP, RR, IPrec, P, R, Rprec, Success
    from unjudged.measures.relative import NRG
    from unjudged.measures.sampled import infNDCG, infNDCG_se, xinfAP, xinfAP_se
    from unjudged.measures.sets import SetAP, SetF, SetP, SetR
    from unjudged.measures.stopping import BPM, NERR8, NERR9, NERR10, NERR11
    from unjudged.measures.trec_legacy import AvgIPrec, BinG, G, GMBpref, RnDCG, RprecMult, Utility, nDCGrel

__all__ = [
    "ABSNB",
    "ABSRB",
    "AP",
    "AP_IA",
    "BPM",
    "DCG",
    "DELTANB",
    "DELTARB",
    "ERR",
    "ERR_IA",
    "GMAP",
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NRBP",
    "NRG",
    "P_IA",
    "RBP",
    "RR",
    "SDCG",
    "TREC_GROUPS",
    "Accuracy",
    "AvgIPrec",
    "BinG",
    "Bpref",
    "Compat",
    "G",
    "GMBpref",
    "IPrec",
    "Judged",
    "Measure",
    "NumNonrelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "R",
    "RBPresid",
    "RnDCG",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "StRecall",
    "Success",
    "TrecName",
    "Unjudged",
    "Utility",
    "alpha_DCG",
    "alpha_nDCG",
    "indAP",
    "infAP",
    "infNDCG",
    "infNDCG_se",
    "measures",
    "nDCG",
    "nDCGrel",
    "nERR",
    "nERR_IA",
    "nNRBP",
    "parse_measures",
    "parse_trec_name",
    "subAP",
    "xinfAP",
    "xinfAP_se",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in __all__:
            return measures[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
