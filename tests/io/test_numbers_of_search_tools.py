"""Files of search tools give the numbers of these tools, to the digits that they print.

The files are ours, written as each tool documents them. The numbers are theirs: from their documentation and tests, or
computed by their own code (never part of this repository) on these files. ``docs/formats.md`` has the same table in
words: which measure of ours is which of theirs, and where they differ.
"""

from __future__ import annotations

import json
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from math import log2
from pathlib import Path
from typing import Any

import pytest
from small_files import write

import unjudged as uj

pytestmark = pytest.mark.filterwarnings("ignore:.*without a grade", "ignore:.*is undefined", "ignore:.*never judged")

Ratings = dict[str, dict[str, float]]
Hits = dict[str, list[str]]


def scored(qrels: Path, run: Path, measure: str) -> dict[str, float]:
    """The score of each topic, and of all."""
    scores = uj.score(qrels, run, measure)
    return {row.topic: row.value for row in (*scores.per_topic(), *scores.mean())}


# ---- Elasticsearch: modules/rank-eval/src/test of elastic/elasticsearch (commits 0066a27, 00203b9, 0b21011, 13ae154)


def requests(ratings: Ratings) -> str:
    """The body of a request to ``_rank_eval``."""
    content = [
        {"id": topic, "request": {}, "ratings": [{"_index": "i", "_id": doc, "rating": r} for doc, r in docs.items()]}
        for topic, docs in ratings.items()
    ]
    return json.dumps({"requests": content, "metric": {"dcg": {"k": 10}}})


def response(ratings: Ratings, hits: Hits) -> str:
    """What ``_rank_eval`` answers."""
    details = {
        topic: {
            "metric_score": 0,
            "unrated_docs": [{"_index": "i", "_id": doc} for doc in docs if doc not in ratings.get(topic, {})],
            "hits": [
                {"hit": {"_index": "i", "_id": doc, "_score": 1.0}, "rating": ratings.get(topic, {}).get(doc)}
                for doc in docs
            ],
        }
        for topic, docs in hits.items()
    }
    return json.dumps({"metric_score": 0, "details": details, "failures": {}})


def by_rank(*ratings: int | None, shown: int | None = None) -> tuple[Ratings, Hits]:
    """One query of which these are the ratings by rank, None for a document that nobody rated."""
    docs = [f"doc {place}" for place in range(len(ratings))]
    rated = {doc: rating for doc, rating in zip(docs, ratings, strict=True) if rating is not None}
    return {"q": rated}, {"q": docs[:shown]}


GRADED = by_rank(3, 2, 3, 0, 1, 2)
SOME_UNRATED = by_rank(3, 2, 3, None, 1, None)
FOUR_HITS = by_rank(3, 2, 3, None, 1, None, shown=4)
CASCADE, CASCADE_UNRATED = by_rank(3, 2, 0, 1), by_rank(3, None, 0, 1)
BINARY, STEPS, UNLABELED = by_rank(1, 1, 1, 1, 0), by_rank(0, 1, 2, 3, 4), by_rank(1, 1, None)
TWO_QUERIES = (
    {"amsterdam": {"doc4": 1}, "berlin": {"doc4": 1}},
    {"amsterdam": ["doc2", "doc3", "doc4"], "berlin": ["doc1", "doc4"]},
)
REVERSED = (
    {"there": GRADED[0]["q"], "back": GRADED[0]["q"]},
    {"there": GRADED[1]["q"], "back": GRADED[1]["q"][::-1]},
)
DCG, NDCG = "DCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')"
ELASTICSEARCH = [
    ("dcg", GRADED, f"{DCG}@10", 13.84826362927298),
    ("dcg, normalize", GRADED, f"{NDCG}@10", 13.84826362927298 / 14.595390756454922),
    ("dcg, unrated", SOME_UNRATED, f"{DCG}@10", 12.779642067948913),
    ("dcg, unrated, normalize", SOME_UNRATED, f"{NDCG}@10", 12.779642067948913 / 13.347184833073591),
    ("dcg, four hits", FOUR_HITS, f"{DCG}@10", 12.392789260714371),
    ("dcg, four hits, normalize", FOUR_HITS, f"{NDCG}@10", 12.392789260714371 / 13.347184833073591),
    ("precision", BINARY, "SetP", 4 / 5),
    ("precision, relevant_rating_threshold 2", STEPS, "P(rel=2)@5", 3 / 5),
    ("precision, unlabeled", UNLABELED, "SetP", 2 / 3),
    ("precision, ignore_unlabeled", UNLABELED, "SetP(judged_only=true)", 2 / 2),
    ("recall, relevant_rating_threshold 2", by_rank(0, 1, 2, 3, 4, shown=3), "R(rel=2)@5", 1 / 3),
    ("mean_reciprocal_rank, relevant_rating_threshold 2", STEPS, "RR(rel=2)@10", 1 / 3),
    ("mean_reciprocal_rank", TWO_QUERIES, "RR@10", (1 / 3 + 1 / 2) / 2),
    ("expected_reciprocal_rank, maximum_relevance 3, k 3", CASCADE, "ERR(max_grade=3)@3", 0.8984375),
    ("expected_reciprocal_rank, k 4", CASCADE, "ERR(max_grade=3)@4", 0.8984375 + 0.00244140625),
    ("expected_reciprocal_rank, unrated", CASCADE_UNRATED, "ERR(max_grade=3)@4", 0.875 + 0.00390625),
    ("expected_reciprocal_rank, maximum_relevance 1", TWO_QUERIES, "ERR(max_grade=1)@5", (1 / 6 + 1 / 4) / 2),
]


@pytest.mark.parametrize(("name", "example", "measure", "value"), ELASTICSEARCH, ids=[one[0] for one in ELASTICSEARCH])
def test_elasticsearch(name: str, example: tuple[Ratings, Hits], measure: str, value: float, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "request", requests(example[0])), write(tmp_path / "response", response(*example))
    assert scored(qrels, run, measure)["all"] == pytest.approx(value, abs=1e-12)


def test_elasticsearch_over_rest(tmp_path: Path) -> None:
    """Its test 20_dcg.yml says between which six digits the scores lie."""
    qrels, run = write(tmp_path / "request", requests(REVERSED[0])), write(tmp_path / "response", response(*REVERSED))
    found = scored(qrels, run, f"{DCG}@10")
    assert 13.848263 < found["there"] < 13.848264
    assert 10.299674 < found["back"] < 10.299675
    assert 12.073969 < found["all"] < 12.073970


def test_elasticsearch_has_an_ideal_ranking_as_long_as_the_hits(tmp_path: Path) -> None:
    """Where fewer than k documents are found and more are rated, theirs is nDCG at the number of hits."""
    example = by_rank(1, 3, 3, 2, shown=2)
    qrels, run = write(tmp_path / "request", requests(example[0])), write(tmp_path / "response", response(*example))
    theirs = (1 + 7 / log2(3)) / (7 + 7 / log2(3))  # DiscountedCumulativeGain takes as many ratings as there are hits
    assert scored(qrels, run, f"{NDCG}@2")["all"] == pytest.approx(theirs, abs=1e-12)
    assert scored(qrels, run, f"{NDCG}@10")["all"] < theirs


# ---- OpenSearch's Search Relevance Workbench: EvaluationTests of opensearch-project/search-relevance (commit d8be5d1)


def judgments_of_opensearch(ratings: Ratings) -> str:
    content = [
        {"query": topic, "ratings": [{"docId": doc, "rating": f"{rating:.1f}"} for doc, rating in docs.items()]}
        for topic, docs in ratings.items()
    ]
    return json.dumps({"name": "mine", "type": "IMPORT_JUDGMENT", "judgmentRatings": content})


def searches(hits: Hits) -> str:
    """Saved searches, a line for each query."""
    return "\n".join(
        json.dumps({"query_id": topic, "response": {"hits": {"hits": [{"_id": doc} for doc in docs]}}})
        for topic, docs in hits.items()
    )


TWENTY = {f"d{i}": i % 3 for i in range(1, 21)}
OPENSEARCH = [
    ("Precision@20", 20, "SetP", 0.7),
    ("Precision@5", 5, "SetP", 0.8),
    ("MAP@20", 20, "AP@20", 0.76),
    ("MAP@5", 5, "AP@5", 0.25),
    ("MAP@8, five hits", 5, "AP@8", 0.25),
    ("MAP@5, eight hits", 8, "AP@5", 0.25),
    ("NDCG@20", 20, f"{NDCG}@20", 0.76),
    ("NDCG@5", 5, f"{NDCG}@5", 0.51),
    ("NDCG@8, five hits", 5, f"{NDCG}@8", 0.40),
    ("NDCG@5, eight hits", 8, f"{NDCG}@5", 0.51),
]


@pytest.mark.parametrize(("name", "shown", "measure", "value"), OPENSEARCH, ids=[one[0] for one in OPENSEARCH])
def test_opensearch(name: str, shown: int, measure: str, value: float, tmp_path: Path) -> None:
    qrels = write(tmp_path / "judgments", judgments_of_opensearch({"query": TWENTY}))
    run = write(tmp_path / "searches", searches({"query": list(TWENTY)[:shown]}))
    ours = Decimal(scored(qrels, run, measure)["all"])
    assert float(ours.quantize(Decimal("0.01"), ROUND_HALF_UP)) == value


# ---- Quepid: its communal scorers (db/scorers of o19s/quepid, commit f80322f), run with Node.js on these ratings

CASE: Ratings = {
    "red dress": {"p01": 3, "p02": 0, "p03": 2, "p05": 1, "p40": 3, "p41": 1},
    "shoes, size 7": {
        "p01": 0,
        "p11": 2,
        "p12": 3,
        "p13": 1,
        "p14": 2,
        "p15": 3,
        "p16": 1,
        "p17": 2,
        "p18": 3,
        "p19": 1,
        "p20": 2,
        "p21": 3,
        "p22": 0,
    },
    "socks": {"p31": 0, "p32": 1},
}
FOUND: Hits = {
    "red dress": ["p02", "p01", "p99", "p05", "p98", "p03"],
    "shoes, size 7": ["p11", "p97", "p14", "p22", "p15", "p96", "p17", "p20", "p21", "p95"],
    "socks": ["p94", "p31", "p32"],
}
QUEPID = {
    "AP@10": ("AP@10", [0.3, 0.37543290043290045, 0.3333333333333333]),
    "DCG@10": (f"{DCG}@10", [5.915806394397662, 11.261574250646847, 0.5]),
    "ERR@10": ("ERR(max_grade=3)@10", [0.4482421875, 0.5273850456116692, 0.041666666666666664]),
    "NDCG@10": (NDCG, [0.4307405112270345, 0.4901481788066087, 0.5]),
    "NDCG_CUT@10": (f"{NDCG}@10", [0.4307405112270345, 0.4961720540836493, 0.5]),
    "P@10": ("SetP", [0.5, 0.6, 0.3333333333333333]),
    "RR@10": ("RR@10", [0.5, 1, 0.3333333333333333]),
}


@pytest.fixture(params=["CSV", "JSON", "case"])
def quepid(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Ratings in each form that Quepid exports, and a snapshot, which is what it exports of searches."""
    forms = {
        "CSV": "query,docid,rating\n" + _lines(CASE),
        "JSON": json.dumps({"queries": [{"query": query, "ratings": docs} for query, docs in CASE.items()]}),
        "case": json.dumps({"case_name": "shop", "queries": [_query_of_case(*one) for one in CASE.items()]}),
    }
    header = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\n"
    lines = [
        f'old,2026-01-02,7,"{query}",{doc},{rank},"Nice, isn\'t it"\n'
        for query, docs in FOUND.items()
        for rank, doc in enumerate(docs, 1)
    ]
    return write(tmp_path / "ratings", forms[request.param]), write(tmp_path / "snapshot.csv", header + "".join(lines))


def _lines(ratings: Ratings) -> str:
    return "".join(f'"{query}",{doc},{rating}\n' for query, docs in ratings.items() for doc, rating in docs.items())


def _query_of_case(query: str, docs: dict[str, float]) -> dict[str, Any]:
    ratings = [{"doc_id": doc, "rating": rating, "user_email": "a@example.com"} for doc, rating in docs.items()]
    return {"arranged_at": 1, "query_text": query, "information_need": None, "ratings": ratings}


@pytest.mark.parametrize("scorer", QUEPID)
def test_quepid(scorer: str, quepid: tuple[Path, Path]) -> None:
    measure, values = QUEPID[scorer]
    found = scored(*quepid, measure)
    assert [found[query] for query in CASE] == pytest.approx(values, abs=1e-15)
    assert found["all"] == pytest.approx(sum(values) / 3, abs=1e-15)


# ---- RRE: tests of SeaseLtd/rated-ranking-evaluator (commit e478aa7); each digit beyond the second is cut off

RRE = [
    *(("NDCG", range(5), f"{NDCG}@{k}", value) for k, value in enumerate((89, 81, 74, 69, 64), 6)),
    *(("NDCG", range(5, 10), f"{NDCG}@{k}", value) for k, value in enumerate((10, 18, 25, 30, 35), 6)),
    ("AP", range(5), "AP", 50),
    ("AP", range(5, 10), "AP", 17),
]


@pytest.mark.parametrize(("name", "ranks", "measure", "hundredths"), RRE)
def test_rre(name: str, ranks: range, measure: str, hundredths: int, tmp_path: Path) -> None:
    """Ten documents with rating 3, five of which are found, at these ranks of fifteen."""
    docs = {f"d{i}": {"gain": 3} for i in range(10)}
    ratings = {"index": "i", "queries": [{"placeholders": {"$query": "q"}, "relevant_documents": docs}]}
    qrels = write(tmp_path / "ratings.json", json.dumps({"topics": [{"query_groups": ratings["queries"]}]}))
    found = [f"d{rank - ranks.start}" if rank in ranks else f"other {rank}" for rank in range(15)]
    ours = Decimal(scored(qrels, write(tmp_path / "searches", searches({"q": found})), measure)["all"])
    assert int((100 * ours).to_integral_value(ROUND_FLOOR)) == hundredths


# ---- MTEB: what mteb.evaluate(..., prediction_folder=...) saves (mteb/abstasks/abstask.py, commit a905523)

MODEL = {"model_name": "intfloat/multilingual-e5-small", "revision": "fd1525a"}
RANKINGS = {"q1": {"d 2": 0.77, "d1": 0.12}, "q2": {"d1": 0.3}}


def test_predictions_of_mteb_are_a_run_with_the_name_of_the_model(tmp_path: Path) -> None:
    path = write(tmp_path / "Nano_predictions.json", json.dumps({"mteb_model_meta": MODEL, "en": {"test": RANKINGS}}))
    run = uj.read_run(path)
    assert run.name == "intfloat/multilingual-e5-small"
    assert {topic: dict(run.ranking(topic)) for topic in run.topics} == RANKINGS
    assert scored(write(tmp_path / "test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\n"), path, "RR") == {
        "q1": 0.5,
        "q2": 1.0,
        "all": 0.75,
    }


def test_several_splits_of_mteb_are_not_one_run(tmp_path: Path) -> None:
    content = {"mteb_model_meta": MODEL, "en-fr": {"dev": RANKINGS, "test": RANKINGS}}
    path = write(tmp_path / "p.json", json.dumps(content))
    with pytest.raises(uj.UnjudgedError) as caught:
        uj.read_run(path)
    assert str(caught.value) == (
        f'{path}: .["en-fr"].test: a run is of one subset and split, and this file has .["en-fr"].dev, .["en-fr"].test;'
        ' keep one: jq \'{mteb_model_meta, "en-fr": {"dev": .["en-fr"]["dev"]}}\''
    )
    with pytest.raises(uj.UnjudgedError, match="predictions saved by MTEB, which is a run"):
        uj.read_qrels(path)
