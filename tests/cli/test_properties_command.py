"""``unjudged properties``: every format, what is asked for, and every mistake in one line."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.demo.collection import write_collection

from .conftest import Command

STUDY = ("--corpus-size", "1500", "--images", "20", "-m", "AP", "-m", "P@10")
TABLES = list(uj.Properties.row_types)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("properties") / "demo").directory


@pytest.fixture(scope="module")
def result(demo: Path) -> uj.Properties:
    how = uj.CorpusBootstrap(images=20, corpus_size=1500)
    return uj.properties(demo / "qrels.txt", demo / "runs", ["AP", "P@10"], corpus=how, shallow=[3, 5], shallow_runs=4)


SHALLOW = ("--shallow", "3", "--shallow", "5", "--shallow-runs", "4")


def test_tables_and_words_fit_a_terminal_of_80_columns(unjudged: Command, demo: Path, result: uj.Properties) -> None:
    done = unjudged("properties", demo / "qrels.txt", demo / "runs", *STUDY, *SHALLOW, "-q")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "On a topic: standard deviation over 20 images of a corpus of 1,500 documents"
    for title in (
        "Means over 25 topics: how far they and ranks move",
        "The best 10 runs by AP, and their ranks",
        "Standard deviation of a score on each topic: 95th percentile over runs",
        "Is an image inside of the 95% interval that all others give?",
        "95% intervals over images are apart: is the difference significant (t)?",
        "Pairs of runs in which a shallow pool leads to more than all judgments",
    ):
        assert title in lines
    row = result.measure("AP")
    first = lines.index("measure  |A - B|      sd of A - B  |A - B| / sd          sd of A")
    assert lines[first + 2].split() == [
        *("AP", f"{row.difference:.4f}", f"{row.difference_sd:.4f}", "±", f"{row.difference_spread:.4f}"),
        *(f"{row.difference / row.difference_sd:.2f}", f"{row.score_sd:.4f}", "±", f"{row.score_spread:.4f}"),  # type: ignore[operator]
    ]
    best = result.runs()[0]
    shown = next(line for line in lines if line.startswith(f"{best.run} ")).split()
    assert shown[1:4] == [f"{best.mean:.4f}", f"{best.low:.4f}", f"{best.high:.4f}"]
    topic = result.topics()[0]
    assert [topic.topic, str(topic.relevant), f"{topic.score_sd_high:.4f}"] in [line.split()[:3] for line in lines]
    words = " ".join(done.out.split())
    assert "The table of runs has the first 10 with AP; --table NAME has all. The first" in words
    assert words.endswith("The first 3 of 6 pairs are shown; --table NAME has all.")


def test_without_topics_and_shallow_pools_their_tables_are_not_there(unjudged: Command, demo: Path) -> None:
    done = unjudged("properties", demo / "qrels.txt", demo / "runs", *STUDY)
    assert "percentile over runs" not in done.out
    assert "shallow" not in done.out


def test_json_is_that_of_the_library(unjudged: Command, demo: Path, result: uj.Properties) -> None:
    given = ("properties", demo / "qrels.txt", demo / "runs", *STUDY, *SHALLOW, "-f", "json")
    for per_topic in (False, True):
        done = unjudged(*given, *(["-q"] if per_topic else []))
        document, expected = json.loads(done.out), json.loads(result.to_json(per_topic=per_topic))
        assert len(document["inputs"]) == 13
        for one in (document, expected):
            del one["unjudged"], one["inputs"]
        assert document == expected


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("table", TABLES)
def test_one_table_with_all_its_rows(
    unjudged: Command, demo: Path, result: uj.Properties, form: str, table: str
) -> None:
    done = unjudged("properties", demo / "qrels.txt", demo / "runs", *STUDY, *SHALLOW, "-f", form, "--table", table)
    rows = list(csv.reader(io.StringIO(done.out), delimiter="," if form == "csv" else "\t"))
    assert rows[0] == list(uj.Properties.row_types[table]._fields)
    expected = [["" if cell is None else str(cell) for cell in row] for row in result.table(table)]
    assert rows[1:] == expected


def test_the_main_table_is_that_of_measures(unjudged: Command, demo: Path) -> None:
    done = unjudged("properties", demo / "qrels.txt", demo / "runs", *STUDY, "-f", "csv")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["measure", "AP", "P@10"]


class Tables(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.tables = 0
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tables += tag == "table"
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside == "h1":
            self.headings.append(data.strip())


def test_pages_markdown_and_latex_have_all_tables(unjudged: Command, demo: Path) -> None:
    given = ("properties", demo / "qrels.txt", demo / "runs", *STUDY, *SHALLOW, "-f")
    page = Tables(unjudged(*given, "html").out)
    assert page.headings[0] == "How precisely do measures measure?"
    latex, markdown = unjudged(*given, "latex").out, unjudged(*given, "markdown").out
    assert page.tables == latex.count(r"\begin{tabular}") == markdown.count("\n| :--") == 9
    assert latex.count(r"\caption{") == 9
    assert "On single topics, over 20 images of a corpus of 1,500 documents" in markdown
    assert unjudged(*given, "html").out.count('<p class="caption">') == 9


def test_the_measures_of_the_paper_are_the_default(unjudged: Command, demo: Path) -> None:
    run = (demo / "runs" / "elm-weak.run", demo / "runs" / "cedar-fused.run")
    done = unjudged("properties", demo / "qrels.txt", *run, "--images", "3", "--corpus-size", "1500", "-f", "csv")
    names = [row[0] for row in csv.reader(io.StringIO(done.out))]
    assert names == ["measure", "AP", "INSQ(T=5.0)", "nDCG@1000", "P@10", "RBP(p=0.95)@1000", "RR"]


def test_the_best_runs_by_another_measure(unjudged: Command, demo: Path) -> None:
    given = ("properties", demo / "qrels.txt", demo / "runs", *STUDY, "--top", "3", "--by", "RBP(p=0.95)")
    document = json.loads(unjudged(*given, "-f", "json").out)
    means = uj.score(demo / "qrels.txt", demo / "runs", "RBP(p=0.95)").mean()
    best = sorted((row.run for row in means), key=lambda run: -means[run, "RBP(p=0.95)"])[:3]
    assert [row["run"] for row in document["runs"]] == [*best, *best]
    assert (document["properties"]["by"], document["properties"]["top"]) == ("RBP(p=0.95)", 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-m", "nDGC"), "unknown measure 'nDGC'"),
        (("-m", "GMAP"), "GMAP is not a mean over topics; use a measure that is, such as nDCG@10"),
        (("--by", "nDGC"), "unknown measure 'nDGC'"),
        (("--by", "official"), "'official' stands for"),
        (("--top", "1"), "properties compares runs, so it needs at least two, not the top 1"),
        (("--images", "2"), "properties needs at least 3 images of the corpus, not 2"),
        (("--images", "0"), "corpus: images must be a whole number of at least 1, not 0"),
        (("--corpus-size", "7"), "a corpus of 7 documents cannot hold the 1,500 distinct documents in the runs and"),
        (("--shallow", "0"), "the depth of a shallow pool must be a whole number of at least 1, not 0"),
        (("--shallow", "5", "--shallow-runs", "1"), "a shallow pool is made of two runs, so the best 1 are not enough"),
        (("--test", "tt"), "unknown significance test 'tt'"),
        (("--test", "tukey_hsd", "--correction", "holm"), "tukey_hsd needs no correction"),
        (("--shallow-runs", "3"), "shallow pools of several runs have no depth yet: give --shallow N, too"),
    ],
)
def test_every_mistake_is_one_line(unjudged: Command, demo: Path, options: tuple[str, ...], message: str) -> None:
    done = unjudged("properties", demo / "qrels.txt", demo / "runs", "--images", "5", *options)
    assert (done.code, done.out) == (2, "")
    notes = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
    assert len(notes) == 1
    assert notes[0].startswith(f"unjudged: {message}")


def test_one_run_is_too_few(unjudged: Command, demo: Path) -> None:
    done = unjudged("properties", demo / "qrels.txt", demo / "runs" / "elm-weak.run", "--images", "5")
    assert done.err == "unjudged: properties compares runs, so it needs at least two, not 1\n"
