"""properties: what is undefined, and what cannot be asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

import unjudged as uj
from unjudged.errors import InputError, UnjudgedWarning

# ---- what is undefined

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1}, "3": {"a": 1, "c": 0}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}, "3": {"c": 2.0, "a": 1.0}},
    "two": {"1": {"b": 3.0, "a": 2.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"a": 2.0, "c": 1.0}},
}
SMALL = uj.CorpusBootstrap(images=30, corpus_size=9)


def test_a_measure_that_is_undefined_on_images() -> None:
    """Accuracy needs a relevant and another judged document; few images of so small a corpus have both everywhere."""
    with pytest.warns(UnjudgedWarning, match="^Accuracy is undefined for some run or image on 3 of 3 topics; what is"):
        result = uj.properties(QRELS, RUNS, "Accuracy", corpus=SMALL, shallow=1)
    (row,) = result.precision()
    assert (row.difference_sd, row.difference_spread) == (None, None)
    assert row.difference is not None
    document = json.loads(result.to_json(per_topic=True))
    assert document["prediction"][0]["inside"] is None
    assert "NaN" not in result.to_json(per_topic=True)
    assert result.summary().startswith(
        "On other corpora from the same source, the difference of two runs on a topic moves by nothing that is known"
    )


def test_runs_that_lack_topics_are_named_and_score_0() -> None:
    runs = {"one": RUNS["one"], "two": {"1": RUNS["two"]["1"]}}
    with pytest.warns(UnjudgedWarning, match="two lacks 2 of 3 judged topics; they count as 0"):
        result = uj.properties(QRELS, runs, "P@1", corpus=SMALL)
    assert {row.score for row in result.scores() if row.run == "two" and row.topic != "1"} == {0.0}


def test_the_size_of_the_corpus_is_guessed_with_a_warning() -> None:
    with pytest.warns(UnjudgedWarning, match=r"the size of the corpus was not given; 3 is taken"):
        result = uj.properties(QRELS, RUNS, "P@1", corpus=uj.CorpusBootstrap(images=3))
    assert result.corpus_size == 3


# ---- what is refused


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measures": "GMAP"}, "GMAP is not a mean over topics; use a measure that is, such as nDCG@10"),
        ({"measures": []}, "no measure was given; for example nDCG@10"),
        ({"measures": "ABSRB"}, "ABSRB@20 needs subtopics, which the corpus bootstrap does not have"),
        ({"by": "alpha_nDCG@5"}, None),
        ({"top": 1}, "properties compares runs, so it needs at least two, not the top 1"),
        ({"top": "3"}, "top must be a whole number, not '3'"),
        ({"corpus": SMALL.replace(images=2)}, "properties needs at least 3 images of the corpus, not 2"),
        ({"corpus": SMALL.replace(corpus_size=2)},
         "a corpus of 2 documents cannot hold the 3 distinct documents in the runs and judgments; give its true size"),
        ({"shallow": 0}, "the depth of a shallow pool must be a whole number of at least 1, not 0"),
        ({"shallow": "ten"}, "the depth of a shallow pool must be a whole number of at least 1, not 'ten'"),
        ({"shallow": 5, "shallow_runs": 1}, "a shallow pool is made of two runs, so the best 1 are not enough"),
        ({"test": "tukey_hsd", "correction": "holm"},
         "tukey_hsd needs no correction: its p-values allow for all comparisons; use 'none'"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(asked: dict[str, Any], message: str | None) -> None:
    with pytest.raises(InputError) as caught:
        uj.properties(QRELS, RUNS, **{"measures": "P@1", "corpus": SMALL, **asked})
    assert message is None or str(caught.value) == message
    assert "\n" not in str(caught.value)


def test_one_run_is_too_few() -> None:
    with pytest.raises(InputError, match=r"^properties compares runs, so it needs at least two, not 1$"):
        uj.properties(QRELS, {"one": RUNS["one"]}, "P@1", corpus=SMALL)


def test_a_measure_that_is_undefined_everywhere_cannot_be_compared() -> None:
    with pytest.raises(InputError) as caught:
        uj.properties({"1": {"a": 1}}, {name: {"1": {"a": 1.0}} for name in "xy"}, "Accuracy", corpus=SMALL)
    assert str(caught.value) == ("on every topic Accuracy is undefined for some run: there is nothing to compare")


def test_more_pairs_than_can_be_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unjudged.studies.properties.study.MOST_PAIRS", 20)
    runs = {str(i): RUNS["one"] for i in range(6)}
    with pytest.raises(InputError) as caught:
        uj.properties(QRELS, runs, ["P@1", "RR"], corpus=SMALL)
    assert str(caught.value) == (
        "all pairs of 6 runs with 2 measures are 30, and properties takes up to 20: use --top 5"
    )
    assert len(uj.properties(QRELS, runs, ["P@1", "RR"], corpus=SMALL, top=5).runs()) == 10


def test_more_scores_than_fit_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unjudged.studies.properties.study.MOST_CELLS", 200)
    with pytest.raises(InputError) as caught:
        uj.properties(QRELS, RUNS, ["P@1", "RR"], corpus=SMALL)
    assert str(caught.value) == (
        "2 runs on 3 topics and 30 images have 360 scores with 2 measures, and properties keeps up to 200: use"
        " --images 16, --top N or fewer measures"
    )
    assert uj.properties(QRELS, RUNS, ["P@1", "RR"], corpus=SMALL.replace(images=16)).images == 16
    runs = {str(i): RUNS["one"] for i in range(4)}
    with pytest.raises(InputError) as caught:
        uj.properties(QRELS, runs, "P@1", corpus=SMALL.replace(images=15), shallow=[1, 2], shallow_runs=9)
    assert str(caught.value) == (
        "shallow pools of every two of 4 runs have 810 differences, and properties keeps up to 200: use"
        " --shallow-runs 2 or fewer --images"
    )
