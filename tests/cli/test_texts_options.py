"""Measures of texts on the command line: what is shown, what is refused, what is warned about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.errors import UnjudgedWarning

from .conftest import Command

QRELS = "1 1 a 1\n1 2 a 0\n1 2 b 1\n1 2 silent 1\n1 1 c 0\n2 1 silent 1\n2 2 c 2\n2 2 silent 0\n"
TEXTS = "a\tant bee\nb\tcat dog\nc\teel fox ant\nx\tbee gnu\nunseen\tmore words\n"


@pytest.fixture
def text_collection(tmp_path: Path) -> Path:
    """Judgments of subtopics, texts of most documents, and two runs."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "docs.tsv").write_text(TEXTS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "old").write_text("1 Q0 a 1 3 old\n1 Q0 lost 2 2 old\n2 Q0 c 1 2 old\n2 Q0 gone 2 1 old\n")
    (tmp_path / "runs" / "new").write_text("1 Q0 x 1 3 new\n1 Q0 b 2 2 new\n2 Q0 c 1 2 new\n3 Q0 far 1 2 new\n")
    return tmp_path


LOST = (
    "warning: 2 of 6 documents within rank 20 of the runs have no text, such as 'lost', 'gone'; they add nothing"
    " (in old, 50% of the ranks, the most of all runs) [missing-texts]\n"
)
SILENT = (
    "warning: 1 of 4 subtopics have relevant documents but no text of them, such as '1' of topic '2';"
    " they are left out [subtopics-without-text]\n"
)
DROWNED = (
    "warning: ABSRB@20: mu = 2,500 drowns these short texts (2 words on average); on short texts a mu near their length"
    " ranked systems better; ABSRB(mu='fitted')@20 chooses one [mu-far-above-length]\n"
)


def test_the_table_says_what_the_models_rest_on(unjudged: Command, text_collection: Path) -> None:
    done = unjudged(
        "score",
        text_collection / "qrels.txt",
        text_collection / "runs",
        "-m",
        "ABSRB",
        "--texts",
        text_collection / "docs.tsv",
    )
    assert done.code == 0
    assert done.out == (
        "run  ABSRB@20  judged@20\n"
        "---  --------  ---------\n"
        "old    0.3600      50.0%\n"
        "new    0.1245      75.0%\n"
        "\n"
        "Subtopics are known by the text judged 1 or higher: 3 of 4 subtopics have some,\n"
        "in 2 topics. Each rests on 1 document and 2 to 3 words (median 2); JSON output\n"
        "has them one by one.\n"
    )
    # Documents of topics without judgments are nobody's loss: 'far' is not among the missing ones.
    beyond = "warning: new has 1 topic without judgments; left out [unjudged-topics]\n"
    assert done.err == LOST + SILENT + DROWNED + beyond


def test_a_mu_that_suits_the_texts_is_no_matter(unjudged: Command, text_collection: Path) -> None:
    command = (
        "score",
        text_collection / "qrels.txt",
        text_collection / "runs",
        "--texts",
        text_collection / "docs.tsv",
        "-m",
    )
    assert "[mu-far-above-length]" not in unjudged(*command, "DELTARB(mu=22)").err
    assert "[mu-far-above-length]" in unjudged(*command, "DELTARB(mu=23)").err


def test_json_has_the_models_and_the_files(unjudged: Command, text_collection: Path) -> None:
    arguments = ("-m", "DELTANB(rel=2)", "-m", "ABSNB", "--texts", text_collection / "docs.tsv", "-f", "json")
    document = json.loads(unjudged("score", text_collection / "qrels.txt", text_collection / "runs", *arguments).out)
    assert [one["role"] for one in document["inputs"]] == ["qrels", "run", "run", "texts"]
    assert document["subtopic_models"] == [
        {"topic": "1", "subtopic": "1", "rel": 1, "relevant": 1, "documents": 1, "tokens": 2},
        {"topic": "1", "subtopic": "2", "rel": 1, "relevant": 2, "documents": 1, "tokens": 2},
        {"topic": "2", "subtopic": "1", "rel": 1, "relevant": 1, "documents": 0, "tokens": 0},
        {"topic": "2", "subtopic": "2", "rel": 1, "relevant": 1, "documents": 1, "tokens": 3},
        {"topic": "2", "subtopic": "2", "rel": 2, "relevant": 1, "documents": 1, "tokens": 3},
    ]


def test_without_measures_of_texts_there_are_no_models(unjudged: Command, text_collection: Path) -> None:
    done = unjudged(
        "score", text_collection / "qrels.txt", text_collection / "runs" / "old", "-m", "StRecall@5", "-f", "json"
    )
    assert "subtopic_models" not in json.loads(done.out)
    done = unjudged(
        "score",
        text_collection / "qrels.txt",
        text_collection / "runs" / "old",
        "-m",
        "P@5",
        "--texts",
        text_collection / "docs.tsv",
    )
    assert "warning: nothing that was asked for looks at the texts; they were not read [unused-texts]\n" in done.err


def test_compare(unjudged: Command, text_collection: Path) -> None:
    done = unjudged(
        "compare",
        text_collection / "qrels.txt",
        text_collection / "runs",
        "-m",
        "ABSRB",
        "--texts",
        text_collection / "docs.tsv",
    )
    assert done.code == 0
    assert "old  new  +0.235" in done.out
    assert "No verdicts: ABSRB@20 takes no grades for unjudged documents." in done.out
    assert "undetermined" not in done.out
    assert "Subtopics are known by the text judged 1 or higher" in done.out
    assert done.err.startswith(f"{LOST}{SILENT}{DROWNED}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "ABSRB"], "ABSRB@20 needs texts: give what documents say with --texts FILE (in Python, texts=...)"),
        (["--stem", "english"], "--stem needs --texts FILE"),
        (["--stop-words", "english"], "--stop-words needs --texts FILE"),
        (["--term-counts", "x"], "--term-counts needs --texts FILE"),
        (["--text-cache", "x"], "--text-cache needs --texts FILE"),
        (["-m", "ABSRB", "--texts", "none.jsonl"], "none.jsonl: no such file"),
        (["-m", "ABSRB", "--texts", "docs.tsv", "--stop-words", "none"], "none: no such file"),
        (
            ["-m", "ABSRB", "--texts", "broken.jsonl"],
            "broken.jsonl:2: this line is not JSON (expecting value at column 1): 'oops'",
        ),
        (
            ["-m", "ABSRB", "--texts", "latin.tsv"],
            "latin.tsv:1: byte 0xe9 is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8",
        ),
        (["-m", "ABSRB", "--texts", "marks.tsv"], "marks.tsv: the texts hold no words"),
        (
            ["-m", "ABSRB", "--texts", "others.tsv"],
            "others.tsv: none of the wanted documents is in the texts"
            " (one that is there is 'other'; one that is wanted is 'a')",
        ),
        (
            ["-m", "ABSRB", "--texts", "retrieved.tsv"],
            "retrieved.tsv: there is no text of any document judged relevant to a subtopic"
            " (the texts have 'x', the judgments have 'a')",
        ),
    ],
)
def test_bad_input_is_one_line(
    unjudged: Command, text_collection: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(text_collection)
    (text_collection / "broken.jsonl").write_text('{"id": "a", "text": "b"}\noops\n')
    (text_collection / "latin.tsv").write_bytes(b"a\tcaf\xe9\n")
    (text_collection / "marks.tsv").write_text("a\t... -\nb\t!\n")
    (text_collection / "others.tsv").write_text("other\twords\n")
    (text_collection / "retrieved.tsv").write_text("x\twords\n")
    for command in ("score", "compare"):
        done = unjudged(command, "qrels.txt", "runs", *arguments)
        assert (done.code, done.out, done.err) == (2, "", f"unjudged: {message}\n")


def test_plain_judgments_have_no_subtopics(unjudged: Command, text_collection: Path) -> None:
    (text_collection / "plain.txt").write_text("1 0 a 1\n")
    done = unjudged(
        "score",
        text_collection / "plain.txt",
        text_collection / "runs" / "old",
        "-m",
        "ABSRB",
        "--texts",
        text_collection / "docs.tsv",
    )
    assert done.code == 2
    assert done.err.startswith(
        f"unjudged: ABSRB@20 needs subtopics, which {text_collection / 'plain.txt'} does not have"
    )


def test_the_cache_and_other_options_reach_the_reader(unjudged: Command, text_collection: Path) -> None:
    command = (
        "score",
        text_collection / "qrels.txt",
        text_collection / "runs",
        "-m",
        "ABSRB",
        "--texts",
        text_collection / "docs.tsv",
        "--quiet",
    )
    plain = unjudged(*command).out
    assert unjudged(*command, "--text-cache", text_collection / "cache").out == plain
    assert unjudged(*command, "--text-cache", text_collection / "cache").out == plain
    assert len(list((text_collection / "cache").iterdir())) == 1
    (text_collection / "stop").write_text("ant\n")
    assert unjudged(*command, "--stop-words", text_collection / "stop").out != plain
    (text_collection / "counts").write_text("ant 5\nbee 3\ncat 9\ndog 1\neel 2\nfox 7\ngnu 1\n")
    assert unjudged(*command, "--term-counts", text_collection / "counts").out != plain
    assert unjudged(*command, "--text-format", "tsv").out == plain


def test_the_library_is_the_same(text_collection: Path) -> None:
    with pytest.warns(UnjudgedWarning):
        by_path = uj.score(
            text_collection / "qrels.txt", text_collection / "runs", "ABSRB", texts=text_collection / "docs.tsv"
        )
        docs = dict(line.split("\t") for line in TEXTS.splitlines())
        by_dict = uj.score(text_collection / "qrels.txt", text_collection / "runs", "ABSRB", texts=docs)
        already = uj.score(text_collection / "qrels.txt", text_collection / "runs", "ABSRB", texts=uj.read_texts(docs))
    assert by_path.mean() == by_dict.mean() == already.mean()
    assert by_path.subtopic_models == already.subtopic_models


def test_runs_from_standard_input_are_read_once(text_collection: Path) -> None:
    rows = (row for row in [("1", "a", 2.0), ("1", "b", 1.0)])
    with pytest.warns(UnjudgedWarning):
        scores = uj.score(text_collection / "qrels.txt", {"mine": rows}, "ABSRB", texts=text_collection / "docs.tsv")
    assert scores.mean()["mine", "ABSRB@20"] > 0
