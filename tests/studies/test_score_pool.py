"""Scoring with a pool: from -1 rows, from a file, from the runs; the same numbers, and notices where there is none."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import sys
import threading
import warnings
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.cli import main
from unjudged.data.run import Run
from unjudged.engine.preparation import pooling
from unjudged.errors import InputError, UnjudgedWarning

MEASURES = ["indAP", "subAP", "infAP", "AP", "Bpref"]
QRELS = {"1": {"a": 1, "b": 0}, "2": {"d": 1}}
RUNS = {
    "one": {"1": {"x": 4.0, "b": 3.0, "y": 2.0, "a": 1.0}, "2": {"x": 2.0, "d": 1.0}},
    "two": {"1": {"y": 3.0, "a": 2.0, "z": 1.0}, "2": {"d": 3.0}},
}
POOL = {"1": ["x", "y", "a"], "2": ["x"]}
NO_POOL = (
    "indAP, subAP: the judgments list no document that was pooled but not judged, so every unjudged document counts as"
    " not pooled; if that is wrong, give a pool or a pool depth"
)


def with_minus_1() -> dict[str, dict[str, int]]:
    return {topic: dict.fromkeys(POOL[topic], -1) | grades for topic, grades in QRELS.items()}


def test_a_pool_is_the_same_as_rows_with_minus_1() -> None:
    expected = uj.score(with_minus_1(), RUNS, MEASURES, negative="pooled")
    assert uj.score(QRELS, RUNS, MEASURES, pool=POOL).mean() == expected.mean()
    assert uj.score(QRELS, RUNS, MEASURES, pool=uj.read_pool(POOL)).mean() == expected.mean()
    assert expected.mean()["one", "indAP"] == pytest.approx((1 / 2 + 1) / 2)


def test_a_depth_pools_the_first_documents_of_all_runs() -> None:
    """Of topic 1: x, b, y, a; of topic 2: x, d. So z alone is outside the pool."""
    expected = uj.score(QRELS, RUNS, MEASURES, pool=POOL)
    assert uj.score(QRELS, RUNS, MEASURES, pool_depth=2).mean() == expected.mean()
    first = uj.score(QRELS, RUNS, MEASURES, pool={"1": ["x", "y"], "2": ["x", "d"]})
    assert uj.score(QRELS, RUNS, MEASURES, pool_depth=1).mean() == first.mean()


def test_without_a_pool_every_hole_is_outside_and_a_notice_says_so() -> None:
    with pytest.warns(UnjudgedWarning) as warned:
        scores = uj.score(QRELS, RUNS, ["indAP", "subAP", "AP"])
    assert [str(one.message) for one in warned] == [NO_POOL]
    assert [(notice.code, notice.count) for notice in scores.warnings] == [("no-pool", 2)]
    for run in RUNS:
        assert scores.mean()[run, "indAP"] == scores.mean()[run, "subAP"] == scores.mean()[run, "AP"]


def test_no_notice_where_it_does_not_matter() -> None:
    assert uj.score(QRELS, RUNS, ["AP", "Bpref", "indAP(pool=False)", "infAP(pool=False)"]).warnings == ()
    assert uj.score(QRELS, RUNS, ["infAP"], pool={"1": ["a"], "2": ["d"]}).warnings == ()
    assert uj.score(QRELS, RUNS, ["infAP"], pool_depth=1).warnings == ()


@pytest.mark.parametrize("measure", ["indAP", "subAP", "infAP"])
@pytest.mark.parametrize(
    ("ranking", "said"),
    [
        (["a", "b"], 0),  # everything judged
        (["a", "b", "x"], 0),  # nothing relevant below the hole
        (["b", "x"], 0),  # nothing relevant at all
        (["x", "a"], 1),
    ],
)
def test_no_notice_where_the_pool_would_change_no_score(measure: str, ranking: list[str], said: int) -> None:
    run = {"1": {doc: -float(rank) for rank, doc in enumerate(ranking)}, "2": {"d": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        scores = uj.score(QRELS, {"mine": run}, measure)
        every = {topic: list(docs) for topic, docs in run.items()}
        pooled = uj.score(QRELS, {"mine": run}, measure, pool=every)
    assert len(scores.warnings) == said
    same = math.isclose(scores.mean()["mine", measure], pooled.mean()["mine", measure], abs_tol=1e-12)
    assert same is (said == 0)


def test_topics_that_only_the_pool_or_only_the_judgments_have() -> None:
    with pytest.warns(UnjudgedWarning):
        scores = uj.score(QRELS, RUNS, ["AP"], pool={"1": ["x"], "7": ["x"], "8": ["x"]})
    assert [(notice.code, notice.count, notice.message) for notice in scores.warnings] == [
        ("unjudged-pool-topics", 2, "pool has 2 topics without judgments; left out"),
        ("missing-pool-topics", 1, "pool lacks 1 of 2 judged topics; nothing is added to their pool"),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pool": POOL, "pool_depth": 3}, "give a pool or a pool depth, not both"),
        ({"pool_depth": 0}, "the pool depth must be a whole number of at least 1, not 0"),
        ({"pool_depth": 2.5}, "the pool depth must be a whole number of at least 1, not 2.5"),
        ({"pool_depth": True}, "the pool depth must be a whole number of at least 1, not True"),
        ({"pool": {"9": ["a"]}}, "pool: no topic of this pool is judged (the pool has '9', the judgments have '1')"),
        ({"pool": 5}, "cannot read a pool from int; give a path, a dict of dicts or a frame"),
    ],
)
def test_mistakes_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        uj.score(QRELS, RUNS, ["AP"], **options)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_judgments_with_strata_have_their_pool(tmp_path: Path) -> None:
    path = tmp_path / "strata.qrels"
    path.write_text("1 0 a 1 1\n1 0 b 2 -1\n")
    with pytest.raises(InputError, match="judgments with strata list their pool; another cannot be added"):
        uj.score(path, RUNS, ["AP"], pool_depth=1)


@pytest.mark.filterwarnings("ignore:these are diversity judgments")
def test_diversity_judgments_are_flattened_first() -> None:
    rows = [("1", "1", "a", 1), ("1", "2", "a", 0), ("2", "1", "d", 1)]
    frame = [dict(zip(("query_id", "subtopic_id", "doc_id", "relevance"), row, strict=True)) for row in rows]
    import pandas as pd

    scores = uj.score(pd.DataFrame(frame), RUNS, ["indAP"], pool={"1": ["x", "y", "b"], "2": ["x"]})
    assert scores.mean()["one", "indAP"] == 1.0


# ---- files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 d 1\n")
    (tmp_path / "pool.txt").write_text("1 x\n1 y\n1 a\n2 x\n")
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        lines = [f"{t} Q0 {doc} 0 {score} {name}\n" for t, docs in run.items() for doc, score in docs.items()]
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    return tmp_path


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        main(["score", *map(str, arguments)])
        code = 0
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    return code, *capsys.readouterr()


def test_the_command_takes_a_pool_or_a_depth(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = (folder / "qrels.txt", folder / "runs", "-m", "indAP", "-m", "subAP")
    expected = "run   indAP   subAP  judged\n---  ------  ------  ------\ntwo  1.0000  1.0000   66.7%\n"
    for options in (("--pool", folder / "pool.txt"), ("--pool-depth", 2)):
        code, out, err = command(capsys, *inputs, *options)
        assert (code, err) == (0, "")
        assert out.startswith(expected)
    code, _, err = command(capsys, *inputs)
    assert (code, err) == (0, f"warning: {NO_POOL} [no-pool]\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pool", "pool.txt", "--pool-depth", "3"), "give a pool or a pool depth, not both"),
        (("--pool-depth", "0"), "the pool depth must be a whole number of at least 1, not 0"),
        (("--pool", "none.txt"), "none.txt: no such file"),
        (
            ("--pool", "runs/one.run"),
            "runs/one.run:1: expected 2 columns (topic doc) or those of judgments, got 6 (is this a run? --pool-depth"
            " pools runs): '1 Q0 x 0 4.0 one'",
        ),
        (
            ("--pool", "other.txt"),
            "other.txt: no topic of this pool is judged (the pool has '301', the judgments have '1')",
        ),
    ],
)
def test_mistakes_are_one_line(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    (folder / "other.txt").write_text("301 x\n")
    code, out, err = command(capsys, "qrels.txt", "runs", "-m", "indAP", *options)
    assert (code, out, err) == (2, "", f"unjudged: {message}\n")


def test_the_pool_is_among_the_inputs_in_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = folder / "pool.txt"
    _, out, _ = command(capsys, folder / "qrels.txt", folder / "runs", "-m", "AP", "-f", "json", "--pool", pool)
    inputs = json.loads(out)["inputs"]
    assert [one["role"] for one in inputs] == ["qrels", "run", "run", "pool"]
    assert inputs[-1]["path"] == str(pool)
    assert len(inputs[-1]["sha256"]) == 64


def test_runs_that_can_be_read_only_once_are_pooled_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = uj.score(QRELS, RUNS["one"], ["indAP"], pool_depth=1).mean()["run", "indAP"]
    text = (folder / "runs" / "one.run").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(text))))
    assert uj.score(QRELS, "-", ["indAP"], pool_depth=1).mean()["one", "indAP"] == expected
    rows = ((topic, doc, score) for topic, docs in RUNS["one"].items() for doc, score in docs.items())
    assert uj.score(QRELS, {"mine": rows}, ["indAP"], pool_depth=1).mean()["mine", "indAP"] == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    text = (folder / "runs" / "one.run").read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    scores = uj.score(QRELS, pipe, ["indAP"], pool_depth=1)
    writer.join()
    assert scores.mean()["one", "indAP"] == uj.score(QRELS, RUNS["one"], ["indAP"], pool_depth=1).mean()["run", "indAP"]


def test_pooling_keeps_only_the_first_documents_of_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []

    def watch(runs: list[Run], depth: int) -> object:
        kept.extend(runs)
        return original(iter(kept), depth)

    original = pooling.depth_pool
    monkeypatch.setattr(pooling, "depth_pool", watch)
    given = uj.Collection(QRELS, folder / "runs", pool_depth=1)
    again, _ = pooling.add_pool(given)
    assert again.runs == given.runs
    assert [len(run) for run in kept] == [2, 2]
