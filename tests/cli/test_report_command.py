"""unjudged report"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from unjudged.demo.collection import write_collection

from .conftest import Command


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return write_collection(tmp_path / "demo").directory


def data_of(page: Path) -> Any:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert match
    return json.loads(match.group(1))


def test_the_page_says_how_to_make_it_again(unjudged: Command, demo: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = ["report", str(demo / "qrels.txt"), str(demo / "runs"), "-o", str(page), "--groups"]
    command += [str(demo / "teams.tsv"), "--topics", str(demo / "topics.tsv"), "--texts", str(demo / "docs.jsonl")]
    command += ["--title", "a & b", "--depth", "5", "--seed", "7", "--jobs", "1", "-m", "nDCG@10", "--quiet"]
    done = unjudged(*command)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("12 runs and 1,070 judged documents for 25 topics were read.")
    assert done.out.endswith(f"{page}: open it in a browser\n")
    assert max(map(len, done.out.splitlines()[:-1])) <= 80
    data = data_of(page)
    assert data["origin"]["command"].startswith("unjudged report ")
    assert data["origin"]["command"].endswith("--title 'a & b' --depth 5 --seed 7 --jobs 1 -m nDCG@10 --quiet")
    assert data["origin"]["seed"] == 7
    assert [one["role"] for one in data["origin"]["inputs"]] == ["qrels", *["run"] * 12, "texts", "groups", "topics"]
    for one in data["origin"]["inputs"]:
        assert one["sha256"] == hashlib.sha256(Path(one["path"]).read_bytes()).hexdigest()
    assert data["rankings"]["depth"] == 5
    assert max(len(ranking) for topic in data["rankings"]["topics"] for ranking in topic["runs"]) == 5
    assert "<title>a &amp; b</title>" in page.read_text()
    first = page.read_bytes()
    unjudged(*command)
    assert page.read_bytes() == first


def test_other_corpora_are_asked_for(unjudged: Command, files: Path) -> None:
    page = files / "page.html"
    given = ("report", files / "qrels.txt", files / "runs", "-o", page, "-m", "P@2", "--no-reuse", "--quiet")
    done = unjudged(*given, "--corpus-size", "10", "--images", "9")
    assert "On other corpora from the same source, the difference of two runs on a topic\nmoves by " in done.out
    assert [data_of(page)["corpus"][name] for name in ("images", "corpus_size")] == [9, 10]
    done = unjudged(*given, "--corpus-size", "4")
    message = (
        "a corpus of 4 documents cannot hold the 6 distinct documents in the runs and judgments; give its true size"
    )
    assert (done.code, done.out, done.err) == (2, "", f"unjudged: {message}\n")


def test_warnings_are_said_and_are_on_the_page(unjudged: Command, files: Path) -> None:
    page = files / "page.html"
    done = unjudged("report", files / "qrels.txt", files / "runs", "-o", page, "-m", "P@2", "--no-reuse")
    assert done.code == 0
    assert "warning: new lacks 1 of 2 judged topics; they count as 0 [missing-topics]\n" in done.err
    data = data_of(page)
    messages = [one["message"] for one in data["origin"]["warnings"]]
    assert "new lacks 1 of 2 judged topics; they count as 0" in messages
    assert len(set(messages)) == len(messages)
    assert "new lacks 1 of 2 judged topics; they count as 0" in data["order"][0]["remarks"]
    assert data["reuse"]["skipped"] == "it was not asked for"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "no/such/page.html"), "no/such/page.html: cannot be written: No such file or directory"),
        (("-m", "nDGC@10"), "unknown measure 'nDGC'; did you mean 'nDCG'?"),
        (("--depth", "0"), "the number of documents to show must be a whole number of at least 1, not 0"),
        (("--groups", "none.tsv"), "none.tsv: no such file"),
        (("--topics", "none.tsv"), "none.tsv: no such file"),
        (("--texts", "none.tsv"), "none.tsv: no such file"),
        (("--test", "luck"), "unknown significance test 'luck'"),
    ],
)
def test_what_is_wrong_is_one_line(
    unjudged: Command, files: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(files)
    done = unjudged("report", "qrels.txt", "runs", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"unjudged: {message}")
    assert done.err.count("\n") == 1
    assert not Path("report.html").exists()


def test_without_a_name_the_page_takes_the_place_of_an_earlier_one_only(
    unjudged: Command, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    arguments = ("report", "qrels.txt", "runs", "-m", "P@2", "--no-reuse", "--quiet")
    for _ in range(2):
        done = unjudged(*arguments)
        assert (done.code, done.out.splitlines()[-1]) == (0, "report.html: open it in a browser")
    Path("report.html").write_text("<h1>Mine</h1>")
    done = unjudged(*arguments)
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "unjudged: report.html: this is no earlier report; say where the page goes with --output FILE\n",
    )
    assert Path("report.html").read_text() == "<h1>Mine</h1>"


def test_the_page_is_opened_where_there_is_a_browser(
    unjudged: Command, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import webbrowser

    browser = files / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {files}/opened\n')
    browser.chmod(0o755)
    monkeypatch.setattr(webbrowser, "_tryorder", [])
    monkeypatch.setattr(webbrowser, "_browsers", {})
    monkeypatch.chdir(files)
    arguments = ("report", "qrels.txt", "runs", "-m", "P@2", "--no-reuse", "--quiet", "--open", "-o", "page.html")
    assert (
        unjudged(*arguments).out.splitlines()[-1] == "page.html: written, but there is no browser here to open it with"
    )
    webbrowser.register("browser", None, webbrowser.GenericBrowser([str(browser), "%s"]), preferred=True)
    assert unjudged(*arguments).out.splitlines()[-1] == "page.html: opened in a browser"
    assert (files / "opened").read_text() == f"{(files / 'page.html').as_uri()}\n"


def test_a_run_that_cannot_be_read_stops_the_report(unjudged: Command, files: Path) -> None:
    (files / "runs" / "odd.run").write_text("1 Q0 a 1 3 odd\n1 Q0 a\n")
    done = unjudged("report", files / "qrels.txt", files / "runs")
    assert done.code == 2
    assert "odd.run:2: expected 6 columns, got 3" in done.err
