"""Probabilities of subtopics: what is read, what is refused, and what they do to scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import unjudged as uj
from unjudged.data.qrels import Qrels
from unjudged.errors import InputError

LINES = "1 1 a 1\n1 2 b 1\n1 2 a 0\n1 3 c 1\n2 1 a 1\n2 2 a 1\n"


@pytest.fixture
def qrels(tmp_path: Path) -> Qrels:
    path = tmp_path / "q"
    path.write_text(LINES)
    return uj.read_qrels(path)


def weights(tmp_path: Path, text: str) -> list[float]:
    judged, intents = tmp_path / "q", tmp_path / "intents"
    judged.write_text(LINES)
    intents.write_text(text)
    subtopics = uj.read_qrels(judged, intents=intents).subtopics
    assert subtopics is not None
    return subtopics.weights.tolist()


def test_all_subtopics_are_equally_likely_unless_given(qrels: Qrels) -> None:
    assert qrels.subtopics is not None and qrels.subtopics.weights.tolist() == [1.0] * 5


def test_files_and_dicts(tmp_path: Path) -> None:
    """A subtopic that is not listed has probability 0; a topic that is not listed keeps equal ones."""
    expected = [0.7, 0.3, 0.0, 1.0, 1.0]
    assert weights(tmp_path, "# who means what\n1 1 0.7\n1 2 0.3\n1 unknown 9\n77 1 1\n") == expected
    given = {"1": {"1": 0.7, "2": 0.3}}
    subtopics = uj.read_qrels(tmp_path / "q", intents=given).subtopics
    assert subtopics is not None and subtopics.weights.tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1\n", "{path}:1: expected 3 columns (topic subtopic probability), got 2: '1 1'"),
        ("1 1 0.5\n1 2 -1\n", "{path}:2: the probability is not a number of at least 0: -1"),
        ("1 1 0.5\n1 1 0.5\n", "{path}:2: subtopic '1' of topic '1' is listed twice"),
        ("9 1 0.5\n", "no topic of the probabilities is judged (they have '9', the judgments have '1')"),
        ("1 1 0\n", "the probabilities of all judged subtopics of topic '1' are 0"),
    ],
)
def test_errors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        weights(tmp_path, text)
    assert str(error.value) == message.format(path=tmp_path / "intents")


def test_a_probability_that_is_no_number(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=":1: the probability is not a number"):
        weights(tmp_path, "1 1 often\n")


def test_plain_judgments_have_no_intents() -> None:
    with pytest.raises(InputError, match="probabilities are for subtopics, which these judgments do not have"):
        uj.read_qrels({"1": {"a": 1}}, intents={"1": {"1": 1.0}})


def test_what_cannot_be_probabilities(tmp_path: Path) -> None:
    (tmp_path / "q").write_text(LINES)
    for given, message in (
        ([1], "cannot read probabilities from list"),
        ({"1": {"1": "x"}}, "intents: a probability is not a number"),
        ({"1": {"1": 10**400}}, "intents: a probability is not a number"),
    ):
        with pytest.raises(InputError, match=message):
            uj.read_qrels(tmp_path / "q", intents=given)


def test_scores_are_means_weighted_by_them(qrels: Qrels, tmp_path: Path) -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"a": 1.0}}
    given = uj.read_qrels(tmp_path / "q", intents={"1": {"1": 3, "2": 1, "3": 1}})
    scores = uj.score(given, run, ["StRecall@1", "StRecall@2", "P_IA@2", "AP_IA"])
    # Subtopic 1 (a at rank 1) counts 3/5, subtopics 2 (b at rank 2) and 3 (c, not there) 1/5 each.
    np.testing.assert_allclose(scores.values[0, :, 0, 0], [0.6, 0.8, 0.8 * 0.5, 0.6 + 0.2 * 0.5])
    np.testing.assert_allclose(scores.values[0, :, 0, 1], [1.0, 1.0, 0.5, 1.0])


def test_the_ideal_ranking_puts_what_users_mean_first(qrels: Qrels, tmp_path: Path) -> None:
    given = uj.read_qrels(tmp_path / "q", intents={"1": {"1": 0.1, "2": 0.1, "3": 0.8}})
    for ideal in ("greedy", "exact"):
        scores = uj.score(given, {"1": {"c": 1.0}, "2": {"a": 1.0}}, f"alpha_nDCG(ideal='{ideal}')@1")
        np.testing.assert_allclose(scores.values[0, 0, 0], [1.0, 1.0])
