"""What documents say, as evidence about holes."""

from __future__ import annotations

import math
import random
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from grouped_runs import DEPTH, Judgments, as_runs, collection, pooled

import unjudged as uj
from unjudged.api import read_holes
from unjudged.data.ids import Ids
from unjudged.data.texts import with_texts
from unjudged.data.view import join
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.evidence_model.text_similarity import TextSimilarity

EVIDENCE = "evidence"
WORDS = ["ash", "birch", "cedar", "dogwood", "elm", "fir", "the"]


def wrote(seed: int, docs: list[str]) -> dict[str, str]:
    rng = random.Random(seed)
    return {doc: " ".join(rng.choices([*WORDS, "the", "the"], k=rng.randrange(1, 9))) for doc in docs}


def telling(truth: Judgments) -> dict[str, str]:
    """Texts that name the topics to which a document is relevant."""
    return {doc: " ".join(["the", *(topic for topic in truth if truth[topic][doc])]) for doc in truth["t0"]}


def slow_cosine(left: Counter[str], right: Counter[str], every: Counter[str]) -> float:
    tokens = every.total()

    def weight(counts: Counter[str], word: str) -> float:
        return (1 + math.log(counts[word])) * -math.log(every[word] / tokens) if counts[word] else 0.0

    dot = sum(weight(left, word) * weight(right, word) for word in left)
    return dot / math.prod(math.sqrt(sum(weight(one, word) ** 2 for word in one)) for one in (left, right))


@pytest.mark.parametrize("seed", range(5))
def test_cosines_with_what_others_found_relevant(seed: int) -> None:
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(14)]
    texts = wrote(seed, docs)
    del texts["d3"]
    counts = {doc: Counter(text.split()) for doc, text in texts.items()}
    every = sum(counts.values(), Counter())
    topics = np.array([i % 2 for i in range(14)])
    grades = np.array([rng.randrange(3) for _ in docs], dtype=np.int32)
    brought_by = np.array([rng.randrange(-1, 3) for _ in docs])
    owners = np.array([rng.randrange(3) for _ in docs])
    places = np.arange(14)
    cosines = TextSimilarity(uj.read_texts(texts), topics, Ids.of(docs), grades).to_relevant(
        places, brought_by, np.stack([owners, np.full(14, 2)])
    )
    for i, doc in enumerate(docs):
        counted = [
            j
            for j, other in enumerate(docs)
            if j != i
            and topics[j] == topics[i]
            and grades[j]
            and other in texts
            and brought_by[j] not in (owners[i], 2)
        ]
        if doc not in texts or not counted:
            assert np.isnan(cosines[i])
            continue
        total = sum(grades[j] * slow_cosine(counts[doc], counts[docs[j]], every) for j in counted)
        assert cosines[i] == pytest.approx(total / sum(grades[j] for j in counted))


def group_probabilities(judged: Judgments, texts: dict[str, str] | None) -> np.ndarray:
    """Grade probabilities of the holes of a group, seen by a model that has learned from the others."""
    _, rankings, group_of = collection(1, groups=7)
    given = uj.read_qrels(judged)
    if texts is not None:
        given = with_texts(given, uj.read_texts(texts))
    collected = uj.Collection(given, as_runs(rankings), groups=group_of)
    occurrences = collect_occurrences(collected, read_holes(EVIDENCE), depth=DEPTH + 4)[0].occurrences
    assert occurrences is not None
    others = EvidenceModel(given, occurrences, DEPTH)
    view = join(uj.read_run(as_runs({"one": rankings["g4r0"]})["one"]), given, depth=DEPTH + 4)
    rows = np.flatnonzero(~view.judged)
    pairs = occurrences.find(given, view.topics[view.ranking[rows]], view.doc_ids().take(rows))
    seen_from, counts = np.unique(others.contributions.group_of_holes[pairs], return_counts=True)
    own = seen_from[counts.argmax()]  # others have some of the holes at a better rank, and are asked about those
    return others.grade_probabilities(view, rows[others.contributions.group_of_holes[pairs] == own]).probabilities


def test_what_a_group_alone_brought_says_nothing_about_its_own_holes() -> None:
    """Its grades are exchanged with each other, so that the pool as a whole has the same."""
    truth, rankings, group_of = collection(1, groups=7)
    judged = pooled(truth, rankings, list(rankings))
    others = pooled(truth, rankings, [run for run in rankings if group_of[run] != "g4"])
    texts = telling(truth)
    alone = [(t, d) for t in judged for d in judged[t] if d not in others[t]]
    values = [judged[t][d] for t, d in alone]
    random.Random(1).shuffle(values)
    changed = {t: dict(grades) for t, grades in judged.items()}
    for (t, d), grade in zip(alone, values, strict=True):
        changed[t][d] = grade
    assert changed != judged
    first = group_probabilities(judged, texts)
    assert (first.sum(axis=1) > 0.99).mean() > 0.5  # there is a model
    # Other documents are relevant, so that sums may be rounded in another way.
    np.testing.assert_allclose(group_probabilities(changed, texts), first, rtol=0, atol=1e-12)
    assert np.abs(group_probabilities(judged, None) - first).max() > 0.01


def test_score_hands_texts_to_the_evidence() -> None:
    truth, rankings, group_of = collection(1, groups=7)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] != "g4"])
    texts = telling(truth)
    plain, informed = (
        uj.score(judged, as_runs(rankings), f"nDCG@{DEPTH}", holes=EVIDENCE, groups=group_of, texts=given)
        for given in (None, texts)
    )
    assert plain.mean()["g4r0", f"nDCG@{DEPTH}"] != informed.mean()["g4r0", f"nDCG@{DEPTH}"]


def test_reuse_and_relative_hand_texts_to_the_evidence_too(tmp_path: Path) -> None:
    truth, rankings, group_of = collection(1, groups=7)
    whole, texts = pooled(truth, rankings, list(rankings)), telling(truth)
    left = pooled(truth, rankings, [run for run in rankings if group_of[run] != "g4"])
    given, runs = with_texts(uj.read_qrels(left), uj.read_texts(texts)), as_runs(rankings)

    def relative(qrels: object, texts: object) -> list[float]:
        result = uj.relative(qrels, runs, f"nDCG@{DEPTH}", holes=EVIDENCE, groups=group_of, texts=texts)
        return [row.nrg for row in result.run_rows]

    assert relative(left, texts) == relative(given, None) != relative(left, None)

    def reuse(texts: object) -> list[float]:
        # With one store for all: what was found without texts is not what is found with them.
        how = {"degrade": f"LeaveOutGroup({DEPTH})", "holes": EVIDENCE, "groups": group_of, "jobs": 1}
        result = uj.reuse(whole, runs, f"nDCG@{DEPTH}", texts=texts, store=tmp_path / "store", **how)
        return [row.estimate for row in result.leaveout()]

    plain, informed = reuse(None), reuse(texts)
    assert plain == reuse(None) != informed == reuse(texts)


@pytest.mark.shared
def test_texts_help_on_dl19(shared_data: Path) -> None:
    folder = shared_data / "dl19"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        result = uj.reuse(
            folder / "2019qrels-pass.txt",
            folder / "runs",
            "nDCG@10",
            degrade="LeaveOutGroup(10)",
            holes=EVIDENCE,
            groups=folder / "runs_teams.tsv",
            texts=folder / "qrels_text.dl19.gz",
        )
    (row,) = result.correlations()
    assert row.topic_rmse < 0.042  # without texts it is .048
    assert row.rmse < 0.0065
    assert abs(row.topic_bias) < 0.005
