"""unjudged gate"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from unjudged.demo.collection import write_collection

from .conftest import Command


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("gate") / "demo").directory


def given(demo: Path, baseline: str, candidate: str) -> tuple[object, ...]:
    runs = demo / "runs"
    return ("gate", demo / "qrels.txt", runs / f"{baseline}.run", runs / f"{candidate}.run", "--draws", "100")


def test_exit_codes_say_worse_not_worse_or_undecided(unjudged: Command, demo: Path) -> None:
    clear = given(demo, "cedar-fused", "acorn-keyword")
    assert unjudged(*clear, "-f", "line").code == 1
    turned = given(demo, "acorn-keyword", "cedar-fused")
    assert unjudged(*turned, "-f", "line").code == 0
    assert unjudged(*given(demo, "cedar-fused", "later-neural-base"), "-f", "line").code == 3
    assert unjudged(*clear, "--margin", "2").code == 2


def test_one_line(unjudged: Command, demo: Path) -> None:
    done = unjudged(*given(demo, "cedar-fused", "acorn-keyword"), "-f", "line")
    number = r"[+-]0\.\d{4}"
    line = rf"worse: acorn-keyword against cedar-fused: nDCG@10 {number} \({number} to {number}\), margin 0.01\n"
    assert re.fullmatch(line, done.out)


def test_what_to_judge_and_the_command_that_lists_it(unjudged: Command, demo: Path, tmp_path: Path) -> None:
    call = given(demo, "cedar-fused", "later-neural-base")
    done = unjudged(*call, "--quiet")
    last = done.out.splitlines()[-1]
    assert last == " ".join(["unjudged", *map(str, call), "--quiet -f tsv --table judgments -o judge.tsv"])
    count = re.search(r"To decide: judge (\d+) of \d+ unjudged documents\. To list them:", done.out)
    assert count is not None
    assert unjudged(*call, "-f", "tsv", "--table", "judgments", "-o", tmp_path / "judge.tsv").code == 3
    header, *rows = (tmp_path / "judge.tsv").read_text().splitlines()
    assert header.split("\t") == ["place", "topic", "doc", "rank_in_baseline", "rank_in_candidate", "effect"]
    assert len(rows) == int(count[1])


def test_junit_has_a_case_for_each_measure_and_guard(unjudged: Command, demo: Path, tmp_path: Path) -> None:
    (tmp_path / "segments.tsv").write_text(
        "topic\tsegment\n" + "".join(f"{t}\tt<&\"'{t % 2}\n" for t in range(101, 126))
    )
    call = given(demo, "cedar-fused", "later-neural-base")
    done = unjudged(*call, "-m", "nDCG@10", "-m", "bpref", "--segments", tmp_path / "segments.tsv", "-f", "junit")
    suites = ElementTree.fromstring(done.out)
    cases = suites.findall("testsuite/testcase")
    assert [case.get("name") for case in cases] == [
        "nDCG@10",
        "Bpref",
        "nDCG@10 in t<&\"'1",
        "nDCG@10 in t<&\"'0",
        "Bpref in t<&\"'1",
        "Bpref in t<&\"'0",
    ]
    errors = [case for case in cases if case.find("error") is not None]
    assert suites.get("errors") == str(len(errors))
    assert suites.get("tests") == "6"


def test_markdown_is_for_a_pull_request(unjudged: Command, demo: Path) -> None:
    out = unjudged(*given(demo, "acorn-keyword", "cedar-fused"), "-f", "markdown").out
    assert out.startswith("### ✅ not worse: cedar-fused against acorn-keyword\n\n")
    assert "| measure | answer | baseline | candidate | difference | 95% interval | judged |" in out


def test_json_has_the_decision_and_all_tables(unjudged: Command, demo: Path) -> None:
    found = json.loads(unjudged(*given(demo, "acorn-keyword", "cedar-fused"), "-f", "json").out)
    assert found["gate"]["answer"] == "not worse"
    assert [found["gate"][name] for name in ("baseline", "candidate", "margin", "confidence", "draws")] == [
        "acorn-keyword",
        "cedar-fused",
        0.01,
        0.95,
        100,
    ]
    assert (len(found["measures"]), found["segments"], found["judgments"]) == (1, [], [])
    assert [one["role"] for one in found["inputs"]] == ["qrels", "run", "run"]


def test_segments_are_an_input(unjudged: Command, demo: Path, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({str(topic): "all" for topic in range(101, 126)}))
    call = given(demo, "acorn-keyword", "cedar-fused")
    found = json.loads(unjudged(*call, "--segments", tmp_path / "s.json", "-f", "json").out)
    assert found["inputs"][-1]["role"] == "segments"
    assert [(row["segment"], row["topics"], row["failed"]) for row in found["segments"]] == [("all", 25, False)]


def test_a_table_goes_with_separated_values(unjudged: Command, demo: Path) -> None:
    done = unjudged(*given(demo, "acorn-keyword", "cedar-fused"), "--table", "judgments")
    assert (done.code, done.err) == (2, "unjudged: --table judgments goes with --format tsv or csv\n")
