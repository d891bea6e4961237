"""Later judgments of other kinds: with subtopics, after samples of strata, and what does not go together."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from small_collection import GROUPS, TOPICS, collection

import unjudged as uj

LATER, RUNS = collection()
RNG = random.Random(3)
POOL = {(t, doc) for t, docs in LATER.items() for doc in docs if RNG.random() < 0.6}

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*have another grade in", "ignore:.*never judged", "ignore:.*deeper than"
)


def diversity(labels: dict[tuple[str, str, str], int]) -> pd.DataFrame:
    rows = [(t, subtopic, doc, grade) for (t, subtopic, doc), grade in labels.items()]
    return pd.DataFrame(rows, columns=["query_id", "subtopic", "doc_id", "relevance"])


LABELS = {(t, s, d): int(RNG.random() < 0.4) for t, docs in LATER.items() for d in docs for s in ("1", "2", "3")}
BEFORE = {(t, s, d): grade for (t, s, d), grade in LABELS.items() if (t, d) in POOL and (grade == 0 or s != "1")}
"""Nothing had been judged relevant to subtopic 1."""


def test_subtopics_of_a_document_are_those_that_were_judged_before() -> None:
    result = uj.reuse(
        diversity(BEFORE),
        RUNS,
        "alpha_nDCG@5",
        truth_qrels=diversity(LABELS),
        holes=["nonrelevant", "condensed"],
        jobs=1,
    )
    for h, holes in enumerate(["nonrelevant", "condensed"]):
        before = uj.score(diversity(BEFORE), RUNS, "alpha_nDCG@5", holes=holes).means[0, 0]
        rows = [row for row in result.tables.runs if row.holes == holes]
        assert [row.estimate for row in rows] == pytest.approx(before), h
    after = uj.score(diversity(LABELS), RUNS, "alpha_nDCG@5").means[0, 0]
    assert [row.true_score for row in rows] == pytest.approx(after)


def test_more_subtopics_of_the_same_documents_are_more_judgments() -> None:
    before = {key: grade for key, grade in LABELS.items() if grade == 0 or key[1] != "1"}
    result = uj.reuse(
        diversity(before), RUNS, "alpha_nDCG@5", truth_qrels=diversity(LABELS), holes="nonrelevant", jobs=1
    )
    assert all(row.share == 1.0 for row in result.correlations())
    with pytest.raises(uj.UnjudgedError, match=r"^the truth: adds no judgment to those in the judgments; "):
        uj.reuse(diversity(LABELS), RUNS, "alpha_nDCG@5", truth_qrels=diversity(LABELS), holes="nonrelevant")


def strata() -> pd.DataFrame:
    """A pool in two strata, of which every second document was judged."""
    rows = [
        (t, doc, 1 + i % 2, LATER[t][doc] if i % 4 < 2 else -1)
        for t in TOPICS
        for i, doc in enumerate(sorted(doc for topic, doc in POOL if topic == t))
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "stratum", "relevance"])


def test_a_sample_of_strata_is_compared_with_all_judgments() -> None:
    result = uj.reuse(
        strata(), RUNS, ["xinfAP", "infNDCG", "infAP"], truth="AP", truth_qrels=LATER, negative="pooled", jobs=1
    )
    before = uj.score(strata(), RUNS, ["xinfAP", "infNDCG", "infAP"], negative="pooled").means[0]
    for m, measure in enumerate(["xinfAP", "infNDCG", "infAP"]):
        rows = [row for row in result.tables.runs if row.measure == measure]
        assert [row.estimate for row in rows] == pytest.approx(before[m])
    assert [row.true_score for row in rows] == pytest.approx(uj.score(LATER, RUNS, "AP").means[0, 0])


def test_what_was_not_yet_pooled_is_in_no_stratum() -> None:
    """Rows of later judgments counted as documents of the second stratum, and each judged one stood for too many."""
    earlier = {t: {doc: grade for doc, grade in docs.items() if (t, doc) in POOL} for t, docs in LATER.items()}
    asked = {"degrade": "Stratified(50%,depth=3)", "repeat": 1, "jobs": 1}
    later = uj.reuse(earlier, RUNS, "xinfAP", truth="AP", truth_qrels=LATER, **asked)
    alone = uj.reuse(earlier, RUNS, "xinfAP", truth="AP", never_judged="nonrelevant", **{**asked, "seed": 43})
    estimates = [[row.estimate for row in result.tables.runs] for result in (later, alone)]  # Then draws with seed + 1
    assert estimates[0] == pytest.approx(estimates[1])


@pytest.mark.parametrize(
    ("qrels", "measure", "options", "message"),
    [
        (
            diversity(BEFORE),
            "alpha_nDCG@5",
            {"truth_qrels": LATER},
            "alpha_nDCG@5 needs subtopics, which qrels does not have: if its second column holds them, say"
            " --qrels-format diversity (in Python read_qrels(..., format='diversity'); in a frame, a column named"
            " 'subtopic')",
        ),
        (
            strata(),
            "xinfAP",
            {"truth_qrels": LATER, "negative": "pooled"},
            "xinfAP needs strata, which qrels does not have: give 5 columns, 'topic 0 doc stratum grade' (in a frame, a"
            " column named 'stratum')",
        ),
        (
            pd.concat([strata(), pd.DataFrame([(TOPICS[0], "new", 1, -1)], columns=strata().columns)]),
            "xinfAP",
            {"truth_qrels": LATER, "truth": "AP", "negative": "pooled"},
            f"the truth: lacks 1 of the {len(POOL) + 1} pooled documents, from which rates of strata follow, in the"
            f" judgments, such as 'new' for topic {TOPICS[0]!r}; the truth must have them all",
        ),
        (
            {t: {d: g for d, g in docs.items() if (t, d) in POOL} for t, docs in LATER.items()},
            "P@5",
            {"truth_qrels": LATER, "bands": (0.25, 0.5), "degrade": "KeepFraction(50%)"},
            "earlier judgments then KeepFraction(0.5) leaves other topics unjudged each time; ask for --bands"
            " without it",
        ),
        (
            {t: {d: g for d, g in docs.items() if (t, d) in POOL} for t, docs in LATER.items()},
            "P@5",
            {"truth_qrels": LATER, "bands": (0.25, 0.5), "degrade": "LeaveOutGroup(3)", "groups": GROUPS},
            "earlier judgments then LeaveOutGroup(3) leaves other topics unjudged each time; ask for --bands"
            " without it",
        ),
    ],
    ids=["subtopics", "strata", "pool", "drawn", "left out"],
)
def test_what_does_not_go_together_is_one_line(qrels: object, measure: str, options: dict, message: str) -> None:
    with pytest.raises(uj.UnjudgedError) as error:
        uj.reuse(qrels, RUNS, measure, holes="nonrelevant", **options)
    assert str(error.value) == message


def test_that_subtopics_are_not_looked_at_is_said() -> None:
    with pytest.warns(uj.UnjudgedWarning) as said:
        uj.reuse(diversity(BEFORE), RUNS, "P@5", truth_qrels=LATER, holes="nonrelevant", jobs=1)
        uj.reuse(diversity(LABELS), RUNS, "P@5", holes="nonrelevant", jobs=1)
        uj.relative(diversity(LABELS), RUNS, "P@5")
    assert sum("these are diversity judgments" in str(one.message) for one in said) == 3
