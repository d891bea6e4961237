"""Some topics only: every question gives what it gives for judgments and runs that were cut down by hand."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.errors import FileError, InputError, UnjudgedError
from unjudged.io.topics import choose_topics

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

CHOSEN = ["t7", "t2", "t3", "t5"]
NONE_OF_THEM = "two.run: this run has none of the topics that were chosen (it has '401', '402' was chosen)"
THERE = "there are some for 401, 402, 403"
GROUPS = {f"r{i}": f"g{i % 4}" for i in range(8)}
Judged = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, dict[str, float]]]


def collection(seed: int = 1) -> tuple[Judged, Ranked]:
    """Nine topics, of which the chosen ones have no grade above 2, and runs that lack some and have others."""
    rng = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(40)]
    qrels = {
        f"t{t}": {doc: rng.choice([-1, 0, 0, 1, 2, 2 if f"t{t}" in CHOSEN else 3]) for doc in rng.sample(docs, 22)}
        for t in range(9)
    }
    runs = {
        run: {
            topic: {doc: float(rng.randrange(90)) for doc in rng.sample(docs, 12)}
            for topic in [*qrels, "unjudged"]
            if (run, topic) not in {("r0", "t7"), ("r1", "t0")}
        }
        for run in GROUPS
    }
    return qrels, runs


def by_hand(table: dict[str, Any]) -> dict[str, Any]:
    return {topic: docs for topic, docs in table.items() if topic in CHOSEN}


def document(result: Any) -> dict[str, Any]:
    """What a result says, but for how the whole file's grades below 0 were read."""
    parsed: dict[str, Any] = json.loads(result.to_json())
    parsed["warnings"] = [one for one in parsed["warnings"] if one["code"] != "negative-grades"]
    return parsed


LABELS = collection(seed=2)[0]
QUESTIONS: dict[str, Callable[[uj.Collection], Any]] = {
    "score": lambda one: document(one.score(["nDCG@5", "AP", "ERR"], holes=["bounds", "bootstrap(draws=20)"])),
    "score evidence": lambda one: document(one.score("nDCG@5", holes="evidence(draws=20,depth=5)")),
    "compare": lambda one: document(one.compare("nDCG@5", draws=20)),
    "compare images": lambda one: document(one.compare("P@5", draws=20, corpus=uj.CorpusBootstrap(images=5))),
    "relative": lambda one: document(one.relative("P@5", rareness="collection")),
    "reuse": lambda one: document(one.reuse("P@5", degrade="LeaveOutGroup(5)", holes=["nonrelevant", "condensed"])),
    "audit": lambda one: document(one.audit("P@5", top=5)),
    "judges": lambda one: document(one.judges(LABELS, "P@5")),
    "properties": lambda one: document(one.properties("P@5", corpus=uj.CorpusBootstrap(images=5), shallow=3)),
    "doctor": lambda one: document(one.doctor()),
    "report": lambda one: one.report("P@5", reuse=False).sentences,
    "resample": lambda one: one.resample("P@5", uj.CorpusBootstrap(images=3)).summary(),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("pool_depth", [None, 3])
def test_numbers_and_warnings_are_those_of_files_cut_down_by_hand(question: str, pool_depth: int | None) -> None:
    qrels, runs = collection()
    ask, how = QUESTIONS[question], {"groups": GROUPS, "pool_depth": pool_depth}
    chosen = ask(uj.Collection(qrels, runs, only_topics=CHOSEN, **how))
    assert chosen == ask(uj.Collection(by_hand(qrels), {run: by_hand(ranked) for run, ranked in runs.items()}, **how))
    assert chosen != ask(uj.Collection(qrels, runs, **how))


def test_prior_runs_have_the_chosen_topics_too() -> None:
    qrels, runs = collection()
    some, prior = {run: runs[run] for run in ("r1", "r2")}, {"r3": runs["r3"]}
    chosen = uj.relative(qrels, some, "P@5", prior_runs=prior, only_topics=CHOSEN)
    cut = uj.relative(
        by_hand(qrels),
        {run: by_hand(ranked) for run, ranked in some.items()},
        "P@5",
        prior_runs={"r3": by_hand(prior["r3"])},
    )
    assert document(chosen) == document(cut)


def test_topics_that_were_not_chosen_are_no_mistake_of_runs_or_pool() -> None:
    qrels, runs = collection()
    pool = {topic: dict.fromkeys(docs, 0) for topic, docs in qrels.items()}
    every = uj.score(qrels, runs, "infAP", pool=pool)
    assert {"unjudged-topics"} <= {one.code for one in every.warnings}
    chosen = uj.score(qrels, runs, "infAP", pool=pool, only_topics=CHOSEN)
    messages = [one.message for one in chosen.warnings if one.code != "negative-grades"]
    assert messages == ["r0 lacks 1 of 4 judged topics; they count as 0"]


@given(st.sets(st.sampled_from([f"t{i}" for i in range(9)]), min_size=2), st.integers(0, 3))
def test_scores_of_topics_do_not_depend_on_other_topics(topics: set[str], seed: int) -> None:
    qrels, runs = collection(seed)
    every = uj.score(qrels, runs, "P@5")
    some = uj.score(qrels, runs, "P@5", only_topics=topics)
    assert some.topics == tuple(topic for topic in every.topics if topic in topics)
    places = [every.topics.index(topic) for topic in some.topics]
    np.testing.assert_array_equal(some.values, every.values[..., places])


def test_subtopics_and_strata_follow_their_topics() -> None:
    rng = random.Random(2)
    docs = [f"d{i}" for i in range(20)]
    subtopics = [(f"t{t}", f"s{s}", d, rng.randrange(2)) for t in range(9) for d in docs[:9] for s in range(t % 4 + 1)]
    strata = [(f"t{t}", str(i % 3 + 1), d, rng.choice([-1, 0, 1])) for t in range(9) for i, d in enumerate(docs)]
    run = {f"t{t}": {d: float(rng.randrange(50)) for d in docs} for t in range(9)}
    for rows, second, measures in (
        (subtopics, "subtopic_id", ["alpha_nDCG@5", "StRecall@5", "nERR_IA@5"]),
        (strata, "stratum", ["xinfAP", "infNDCG"]),
    ):
        frame = pandas.DataFrame(rows, columns=["query_id", second, "doc_id", "relevance"])
        frame = frame.astype({second: int}) if second == "stratum" else frame
        intents = {"t3": {"s0": 0.7, "s2": 0.3}} if second == "subtopic_id" else None
        how: dict[str, Any] = {"intents": intents, "holes": ["nonrelevant"]}
        chosen = uj.score(frame, {"r": run}, measures, only_topics=CHOSEN, **how)
        cut = uj.score(frame[frame.query_id.isin(CHOSEN)], {"r": by_hand(run)}, measures, **how)
        assert document(chosen) == document(cut)
        assert chosen.topics == ("t2", "t3", "t5", "t7")
        assert document(uj.doctor(frame, {"r": run}, only_topics=CHOSEN)) == document(
            uj.doctor(frame[frame.query_id.isin(CHOSEN)], {"r": by_hand(run)})
        )


def test_measures_of_texts_look_at_the_chosen_topics() -> None:
    rows = [(f"t{t}", "1", doc, 1) for t in range(9) for doc in ("a", "b")]
    frame = pandas.DataFrame(rows, columns=["query_id", "subtopic_id", "doc_id", "relevance"])
    run = {f"t{t}": {"a": 2.0, "c": float(t)} for t in range(9)}
    texts = {"a": "ant bee", "b": "bee cat", "c": "dog"}
    how: dict[str, Any] = {"texts": texts, "format": "diversity"}
    chosen = uj.score(frame, {"r": run}, "ABSNB(mu=5)", only_topics=CHOSEN, **how)
    cut = uj.score(frame[frame.query_id.isin(CHOSEN)], {"r": by_hand(run)}, "ABSNB(mu=5)", **how)
    assert document(chosen) == document(cut)


# ---- how topics are given


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments and a run whose last line does not end, with topics as they come."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("401 0 a 1\n402 0 a 0\n403 0 b 1\n")
    Path("one.run").write_text("401 Q0 a 1 2.0 one\n403 Q0 b 1 2.0 one\n402 Q0 b 1 1.0 one\n402 Q0 a 2 3.0 one")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "402\n403\n",
        "# two of them\n\n403\tminorities\n402\tEl Niño\n",
        "402,x\n 403 , y\n402",
        "403 0 b 1\r\n402 0 a 0\r\n",
    ],
)
def test_a_file_has_a_topic_at_the_beginning_of_each_line(folder: Path, text: str) -> None:
    Path("some.txt").write_text(text, encoding="utf-8", newline="")
    for given_ in ("some.txt", Path("some.txt")):
        assert uj.score("qrels.txt", "one.run", "P@1", only_topics=given_).topics == ("402", "403")


@pytest.mark.parametrize(
    "ids", ["402, 403", "402,403,", ["402", "403"], {"403", "402"}, (402, 403), np.array([402, 403])]
)
def test_topics_can_be_given_by_id(folder: Path, ids: Any) -> None:
    assert uj.score("qrels.txt", "one.run", "P@1", only_topics=ids).topics == ("402", "403")


def test_standard_input_can_list_topics(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"402\n")))
    assert uj.score("qrels.txt", "one.run", "P@1", only_topics="-").topics == ("402",)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["402", "4O1", "9"], f"--only-topics: no judgments for '4O1', '9'; {THERE}"),
        (
            "topics.txt",
            f"--only-topics: no judgments for 'topics.txt', and no file of this name; {THERE}",
        ),
        ("some.txt", f"some.txt: no judgments for '9'; {THERE}"),
        ("comments.txt", "comments.txt: no topic is listed"),
        ([], "--only-topics: no topic is listed"),
        (" , ", "--only-topics: no topic is listed"),
        ({"402": 1}, "cannot read topics from dict; give a path or a list of topics"),
        (402, "cannot read topics from int; give a path or a list of topics"),
    ],
)
def test_mistakes_are_said_in_one_line(folder: Path, ids: Any, message: str) -> None:
    Path("some.txt").write_text("402\n9\n")
    Path("comments.txt").write_text("# none\n")
    with pytest.raises(InputError) as problem:
        uj.score("qrels.txt", "one.run", "P@1", only_topics=ids)
    assert str(problem.value) == message


def test_an_empty_file_and_one_that_is_not_there(folder: Path) -> None:
    Path("empty.txt").write_text("\n")
    for path, message in ((Path("empty.txt"), "empty.txt: the file is empty"), (Path("gone"), "gone: no such file")):
        with pytest.raises(FileError, match=f"^{message}"):
            choose_topics(path)


@pytest.mark.parametrize(
    "ask", [lambda one: one.score("P@1"), lambda one: one.compare("P@1"), lambda one: one.relative("P@1")]
)
def test_a_run_without_any_of_them_is_refused(folder: Path, ask: Callable[[uj.Collection], Any]) -> None:
    Path("two.run").write_text("401 Q0 a 1 2.0 two\n")
    with pytest.raises(UnjudgedError) as problem:
        ask(uj.Collection("qrels.txt", ["one.run", "two.run"], only_topics="402"))
    assert str(problem.value) == NONE_OF_THEM


def test_the_doctor_names_lines_of_the_whole_file(folder: Path) -> None:
    Path("two.run").write_text("401 Q0 a 1 2.0 two\n")
    whole = uj.doctor("qrels.txt", ["one.run", "two.run"], only_topics="402")
    lines = {(one.code, one.file): one.line for one in whole.findings}
    assert lines["no-newline-at-end", "one.run"] == 4
    assert lines["unsorted-lines", "one.run"] == 4
    assert [one.message for one in whole.findings if one.file == "two.run"] == [NONE_OF_THEM]
    other = uj.doctor("qrels.txt", "one.run", only_topics="403")
    assert not {"no-newline-at-end", "unsorted-lines"} & {one.code for one in other.findings}
    unknown = uj.doctor("qrels.txt", "one.run", only_topics="9")
    assert f"--only-topics: no judgments for '9', and no file of this name; {THERE}" in [
        one.message for one in unknown.findings
    ]


def test_the_file_is_an_input_and_is_not_overwritten(folder: Path) -> None:
    Path("some.txt").write_text("402\n")
    collection_ = uj.Collection("qrels.txt", "one.run", only_topics="some.txt", hashes=True)
    assert [(one["path"], one["role"]) for one in document(collection_.score("P@1"))["inputs"]] == [
        ("qrels.txt", "qrels"),
        ("one.run", "run"),
        ("some.txt", "only_topics"),
    ]
    with pytest.raises(InputError, match=r"some\.txt"):
        uj.Collection("qrels.txt", "one.run", only_topics="some.txt", outputs=["some.txt"]).score("P@1")
    typed = uj.Collection("qrels.txt", "one.run", only_topics="402", hashes=True)
    assert [one["role"] for one in document(typed.score("P@1"))["inputs"]] == ["qrels", "run"]
