"""Predicted judgments of subtopics inside diversity measures: DL19's exam questions, few documents judged.

    python experiments/subtopic_labels.py            # writes experiments/results/subtopic-labels.md

A share of the documents is judged, drawn at random. For the others, a language model's grade of the whole document
(UMBRELA) predicts which questions it answers: those that more than half of the topic's judged documents with the same
grade answer, or a higher one where fewer than five have it. What is predicted goes in as `labels(FILE)`.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from collections_at_hand import SHARED, markdown_table, need
from diverse_collections import dl19
from pages import save_page
from scipy.stats import kendalltau

import unjudged as uj
from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.qrels import Qrels
from unjudged.data.subtopics import Subtopics
from unjudged.errors import InputError
from unjudged.holes import HoleModel, Labels

MEASURES = ["alpha_nDCG(rel=4)@10", "ERR_IA(rel=4)@10", "NRBP(rel=4)", "ABSNB(rel=4)@10", "DELTANB(rel=4)@10"]
SHARES = [0.05, 0.1, 0.2]
FEW = 5
"""Judged documents with a label, or a higher one, that it takes to predict from them."""
SEED = 42


def predicted(qrels: Qrels, judged: Flags, labels: Ints, rel: int) -> Qrels:
    """The judgments with predicted subtopics for all documents; *labels* are of whole documents."""
    subtopics = qrels.subtopics
    assert subtopics is not None
    answers = np.zeros((len(qrels), len(subtopics.names)), dtype=bool)
    answers[subtopics.docs, subtopics.numbers] = subtopics.relevant(rel)
    lines: list[tuple[Ints, Ints]] = []
    for topic in range(len(qrels.topics)):
        here = np.flatnonzero(qrels.topic_of_row == topic)
        own = slice(int(subtopics.offsets[topic]), int(subtopics.offsets[topic + 1]))
        for label in np.unique(labels[here]).tolist():
            alike = here[judged[here] & (labels[here] == label)]
            if len(alike) < FEW:
                alike = here[judged[here] & (labels[here] >= label)]
            if not len(alike):
                continue
            numbers = own.start + np.flatnonzero(answers[alike, own].mean(axis=0) > 0.5)
            docs = here[labels[here] == label]
            lines.append((np.repeat(docs, len(numbers)), np.tile(numbers, len(docs))))
    docs, numbers = (np.concatenate(one) for one in zip(*lines, strict=True))
    order = np.lexsort((numbers, docs))
    ones = np.ones(len(docs), dtype=bool)
    grades = np.full(len(docs), rel, dtype=np.int32)
    own_grades = np.where(np.bincount(docs, minlength=len(qrels)) > 0, rel, 0).astype(np.int32)
    columns = (docs[order], numbers[order], grades, ones)
    guessed = Subtopics(subtopics.offsets, subtopics.names, subtopics.weights, *columns)
    return Qrels(
        qrels.topics, qrels.offsets, qrels.docs, own_grades, qrels.states, subtopics=guessed, source="predicted"
    )


def row(measure: str, share: float, name: str, found: Floats, truth: Floats) -> list[str]:
    off = found - truth
    tau = np.mean([kendalltau(one, truth).statistic for one in found])
    numbers = f"{off.mean():+.3f}", f"{np.sqrt((off**2).mean()):.3f}", f"{tau:.2f}"
    return [measure, f"{share:.0%}", name, *numbers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    data = dl19()
    qrels, rows = data.qrels, []
    umbrela = uj.read_qrels(need(SHARED) / "dl19" / "llm_labels" / "umbrella_gpt-4_zeroshot_dl19.txt.gz")
    position = np.array([umbrela.topic_rows[topic] for topic in qrels.topics])
    found = umbrela.pairs.find(position[qrels.topic_of_row], qrels.docs)
    labels = np.where(found >= 0, umbrela.grades[found], 0).astype(np.int64)
    for measure in MEASURES:
        truth = uj.score(qrels, list(data.runs), measure, jobs=1).means[0, 0]
        for share in SHARES:
            by_model: dict[str, list[Floats]] = {}
            for repetition in range(given.repeat):
                judged = np.random.default_rng([SEED, repetition]).random(len(qrels)) < share
                models: dict[str, str | HoleModel] = {
                    "nonrelevant": "nonrelevant",
                    "condensed": "condensed",
                    "bootstrap": "bootstrap(draws=100)",
                    "labels(predicted)": Labels(file=predicted(qrels, judged, labels, data.rel)),
                }
                for name, model in models.items():
                    try:
                        scores = uj.score(qrels.left(judged), list(data.runs), measure, holes=model, jobs=1)
                    except InputError:
                        continue  # not for this measure
                    by_model.setdefault(name, []).append(scores.means[0, 0])
            rows += [row(measure, share, name, np.array(means), truth) for name, means in by_model.items()]
            print(measure, share, flush=True)
    head = ["measure", "judged", "model", "bias", "RMSE of means", "tau"]
    save_page(
        "subtopic-labels",
        "# Predicted judgments of subtopics: DL19's exam questions\n\n"
        f"`python experiments/subtopic_labels.py --repeat {given.repeat}`\n\n"
        f"{data.words} So many of the documents are judged, drawn at random, {given.repeat} times; the truth is the"
        " score with all of them. *predicted*: the questions that more than half of the topic's judged documents with"
        " the same grade by UMBRELA answer. Models that a measure refuses are left out.\n\n"
        f"{markdown_table(head, rows, left=3)}\n",
        seeds=f"seed {SEED}",
    )


if __name__ == "__main__":
    main()
