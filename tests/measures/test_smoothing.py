"""mu fitted to texts: against leave-one-out cross-validation in plain Python, word by word."""

from __future__ import annotations

import math
import random
from collections import Counter

import pandas as pd
import pytest

import unjudged as uj
from unjudged.data.texts import with_texts
from unjudged.measures.smoothing import fitted_mu


def texts_of_length(length: int, seed: int = 1, docs: int = 40) -> dict[str, str]:
    """Each text prefers a few words of its own."""
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(300)]
    out = {}
    for i in range(docs):
        own = rng.sample(words, 12)
        out[f"d{i}"] = " ".join(rng.choice(own if rng.random() < 0.5 else words) for _ in range(length))
    return out


def judged(texts: dict[str, str], listed: int = 30) -> uj.Qrels:
    rows = [("1", str(i % 3), doc, 1 if i % 2 else -1) for i, doc in enumerate(list(texts)[:listed])]
    rows.append(("1", "0", "without text", 0))
    qrels = uj.read_qrels(
        pd.DataFrame(rows, columns=["query_id", "subtopic_id", "doc_id", "relevance"]), negative="pooled"
    )
    return with_texts(qrels, uj.read_texts(texts))


def predicted(texts: dict[str, str], listed: list[str], mu: float) -> float:
    """Log probability of every word of the listed texts, given all other words of its text."""
    collection = Counter(word for text in texts.values() for word in text.split())
    tokens = sum(collection.values())
    total = 0.0
    for doc in listed:
        words = texts[doc].split()
        counts = Counter(words)
        for word in words:
            total += math.log((counts[word] - 1 + mu * collection[word] / tokens) / (len(words) - 1 + mu))
    return total


@pytest.mark.parametrize(("length", "seed"), [(15, 1), (60, 2), (200, 3)])
def test_no_other_number_of_words_predicts_texts_better(length: int, seed: int) -> None:
    texts = texts_of_length(length, seed)
    mu, listed = fitted_mu(judged(texts)), list(texts)[:30]
    assert mu == int(mu)
    best = predicted(texts, listed, mu)
    for other in (1, 2, mu - 2, mu + 2, mu / 2, mu * 2, 1000, 100_000):
        if other > 0:
            assert predicted(texts, listed, other) < best


def test_it_follows_the_texts_and_not_the_runs() -> None:
    """Nor the judgments that are left; what only runs return is not looked at."""
    texts = texts_of_length(60)
    qrels = judged(texts)
    assert fitted_mu(judged(texts_of_length(15))) != fitted_mu(qrels)
    assert fitted_mu(qrels.left(qrels.judged & False)) == fitted_mu(qrels)
    runs = [{"1": {doc: -float(i) for i, doc in enumerate(list(texts)[start:])}} for start in (0, 25)]
    values = []
    for run in runs:
        with pytest.warns(
            uj.UnjudgedWarning, match=rf"^ABSNB\(mu='fitted'\)@20: mu is {fitted_mu(qrels):.0f} for these"
        ):
            values.append(uj.score(qrels, {"run": run}, "ABSNB(mu=fitted)", texts=qrels.texts).values[0, 0, 0])
        same = uj.score(qrels, {"run": run}, f"ABSNB(mu={fitted_mu(qrels)})", texts=qrels.texts)
        assert values[-1].tolist() == same.values[0, 0, 0].tolist()


def test_what_mu_may_be_is_said() -> None:
    with pytest.raises(uj.UnjudgedError, match=r"^ABSNB: mu must be a number at least 1e-06, or 'fitted', not 'best'$"):
        uj.score({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}}, "ABSNB(mu=best)")
