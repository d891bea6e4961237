"""Reading texts: every format gives the same counts, and every way a file can be broken has its words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_datasets
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from small_files import PACK, write

import unjudged as uj
from unjudged.errors import FileError, InputError, MissingExtraError
from unjudged.io import documents

DOCS = {"d1": "One two", "d2": "two three & four", "d3": ""}
COUNTS = {"d1": {"one": 1, "two": 1}, "d2": {"four": 1, "three": 1, "two": 1}, "d3": {}}

JSONL = "\n".join(json.dumps({"id": doc, "text": text}) for doc, text in DOCS.items())
TSV = "\n".join(f"{doc}\t{text}" for doc, text in DOCS.items())
HEADED = "DocNo\turl\ttitle\tsnippet\nd1\thttp://x\tOne\ttwo\nd2\t-\ttwo three\t& four\nd3\t\t\t\n"
SGML = (
    "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>One <b>two</b></TEXT>\n</DOC>\n"
    "<doc id=2><docno>d2</docno><title>two</title><!-- not this --><text>three &amp; four"
    "<script>nor(this)</script></text></doc>\n<DOC><DOCNO>d3</DOCNO></DOC>"
)


def counts(texts: uj.Texts) -> dict[str, dict[str, int]]:
    return {doc: texts.counts_of(doc) for doc in texts.docs}


@pytest.mark.parametrize("text", [JSONL, TSV, HEADED, SGML], ids=["jsonl", "tsv", "tsv with a header", "sgml"])
@pytest.mark.parametrize("ending", PACK)
def test_formats_are_told_by_their_content(tmp_path: Path, text: str, ending: str) -> None:
    path = write(tmp_path / f"docs.txt{ending}", PACK[ending](text.encode()))
    assert counts(uj.read_texts(path)) == COUNTS


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "d1", "text": "One two"},
        {"doc_id": "d1", "contents": "One two"},
        {"_id": "d1", "title": "One", "text": "two", "metadata": {"url": "x"}},
        {"docno": "d1", "title": None, "body": "One two"},
        {"id": "d1", "title": "One two"},
        {"id": "d1", "title": "One", "text": "two", "contents": "only the first body counts"},
    ],
)
def test_names_of_json_fields(tmp_path: Path, fields: dict[str, Any]) -> None:
    path = write(tmp_path / "docs", json.dumps(fields))
    assert counts(uj.read_texts(path)) == {"d1": COUNTS["d1"]}


def test_numbers_as_ids_and_line_separators_inside_strings(tmp_path: Path) -> None:
    path = write(
        tmp_path / "docs", '{"id": 7, "text": "one\u2028two\\u2029three \\ud800"}\r\n\n{"id": 8, "text": null}\n'
    )
    assert counts(uj.read_texts(path)) == {"7": {"one": 1, "three": 1, "two": 1}, "8": {}}


def test_a_folder_of_plain_texts(tmp_path: Path) -> None:
    for doc, text in DOCS.items():
        write(tmp_path / f"{doc}.txt", f"{text}\nend")
    texts = uj.read_texts(tmp_path)
    assert counts(texts) == {doc: {**words, "end": 1} for doc, words in COUNTS.items()}
    assert counts(uj.read_texts([str(tmp_path / "d[12].txt")])).keys() == {"d1", "d2"}


def test_tables_and_python_objects(tmp_path: Path) -> None:
    columns = {"doc_id": list(DOCS), "text": list(DOCS.values()), "other": [1, 2, 3]}
    frame = polars.DataFrame(columns)
    frame.write_parquet(tmp_path / "docs.parquet")
    for source in (tmp_path / "docs.parquet", frame, pandas.DataFrame(columns), DOCS, list(DOCS.items()), [DOCS]):
        assert counts(uj.read_texts(source)) == COUNTS


@pytest.fixture
def dataset(tmp_path: Path) -> Iterator[str]:
    from ir_datasets.formats import TrecDocs, TrecQrels, TsvDocs
    from ir_datasets.util import LocalDownload

    docs = TsvDocs(LocalDownload(write(tmp_path / "docs.tsv", TSV)))
    broken = TrecDocs(LocalDownload(tmp_path / "none"))
    qrels = TrecQrels(LocalDownload(write(tmp_path / "q", "1 0 d1 1\n")), {})
    names = {"": docs, "/broken": broken, "/empty": qrels}
    for name, part in names.items():
        ir_datasets.registry.register(f"unjudged-texts{name}", ir_datasets.Dataset(part))
    yield "ir_datasets:unjudged-texts"
    for name in names:
        del ir_datasets.registry._registered[f"unjudged-texts{name}"]


def test_ir_datasets(dataset: str) -> None:
    assert counts(uj.read_texts(dataset)) == COUNTS
    with pytest.raises(InputError) as caught:
        uj.read_texts(f"{dataset}/empty")
    assert str(caught.value) == f"{dataset}/empty: this dataset has no docs"
    with pytest.raises(InputError) as caught:
        uj.read_texts(f"{dataset}/broken")
    assert str(caught.value).startswith(f"{dataset}/broken: ir_datasets could not load the docs: ")


# ---- what is kept, and the collection


def test_only_wanted_documents_keep_counts_and_all_of_them_make_the_collection() -> None:
    texts = uj.read_texts(DOCS, ["d2", "elsewhere"])
    assert counts(texts) == {"d2": COUNTS["d2"]}
    assert (texts.tokens, texts.documents) == (5, 3)
    assert dict(zip(texts.words, texts.collection.tolist(), strict=True)) == {"four": 1, "three": 1, "two": 2}
    assert texts.share.tolist() == [0.2, 0.2, 0.4]


def test_a_file_of_term_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "counts.gz", PACK[".gz"](b"two 70\nthree\t20\nelsewhere 10\ntwo 5\n"))
    texts = uj.read_texts(DOCS, ["d1", "d2"], term_counts=path)
    assert (texts.tokens, texts.documents) == (105, 0)
    assert counts(texts) == {"d1": {"two": 1}, "d2": {"three": 1, "two": 1}}
    assert dict(zip(texts.words, texts.collection.tolist(), strict=True)) == {"three": 20, "two": 75}
    [notice] = texts.notices
    assert (notice.code, notice.count) == ("unknown-terms", 2)
    assert notice.message == (
        f"2 of 5 words of the texts are not in {path} and are left out"
        " (it must have words as they are counted here: lower case, stemmed or not)"
    )


def test_stop_words(tmp_path: Path) -> None:
    path = write(tmp_path / "stop.txt", "Two\nfour\n")
    assert counts(uj.read_texts(DOCS, stop_words=str(path)))["d2"] == {"three": 1}
    assert counts(uj.read_texts({"a": "this is it now"}, stop_words="english")) == {"a": {"now": 1}}
    assert counts(uj.read_texts(DOCS, stop_words=["one"]))["d1"] == {"two": 1}


# ---- broken


@pytest.mark.parametrize(
    ("text", "how", "message"),
    [
        ("", {}, "{path}: the file is empty"),
        (" \n\n", {}, "{path}: the file is empty"),
        (
            '{"id": "d1", "text": "a"}\n{"id": "d2", text}\n',
            {},
            "{path}:2: this line is not JSON (expecting property name enclosed in double quotes at column 14):"
            ' \'{"id": "d2", text}\'',
        ),
        (
            '[{"id": 1}]',
            {},
            "{path}:1: this line is an array, not a document; one document per line is needed: jq -c '.[]'",
        ),
        ('{"id": ' + "1" * 5000 + "}", {}, "{path}:1: a number has too many digits: '" + '{"id": ' + "1" * 50 + "...'"),
        ('{"id": "a", "text": "b"}\n7', {}, "{path}:2: this line is not an object, not a document"),
        ('{"a":' * 100_000, {}, "{path}:1: the JSON is nested too deep: '" + '{"a":' * 11 + "{\"...'"),
        ('{"text": "a"}', {}, "{path}:1: the document has no id (one of id, doc_id, docid, docno, _id, pid)"),
        ('{"id": "", "text": "a"}', {}, "{path}:1: the document has no id (one of id, doc_id, docid, docno, _id, pid)"),
        ('{"id": 1.5, "text": "a"}', {}, "{path}:1: the id is no string: 1.5"),
        (r'{"id": "\ud800", "text": "a"}', {}, r"{path}:1: a document id cannot be written as UTF-8: '\ud800'"),
        (
            '{"id": "a", "url": "b"}',
            {},
            "{path}:1: document 'a' has no text (one of text, contents, body, passage, snippet, abstract, title)",
        ),
        ('{"id": "a", "text": ["b"]}', {}, "{path}:1: the text of document 'a' is no string: ['b']"),
        (
            "d1\ttext\nd2 text\n",
            {},
            "{path}:2: expected an id, a tab and a text: 'd2 text'"
            " (if the whole file is one document, say so with the text format 'plain')",
        ),
        ("id\ttext\nd1\ta\tb\n", {}, "{path}:2: expected 2 columns, got 3: 'd1\\ta\\tb'"),
        ("d1\ta\n\tb\n", {}, "{path}:2: the document has no id: 'b'"),
        ("id\ttext\n\ta\n", {}, "{path}:2: the document has no id (one of id, doc_id, docid, docno, _id, pid)"),
        ("<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\n<DOCNO>2\n", {}, "{path}:4: the document has no </DOC>"),
        ("<DOC>\n</DOC>\n\n<DOC>\n<DOCNO> </DOCNO></DOC>", {}, "{path}:1: the document has no <DOCNO>"),
        ("<html>\n</html>", {}, "{path}: there is no <DOC> in this file"),
        ("d1\ta\nd1\tb\n", {}, "{path}:2: document 'd1' is there twice, with different texts (first in {path}:1)"),
        ("d1\t- ... -\n", {}, "{path}: the texts hold no words"),
        ("d1\tthe\n", {"stop_words": "english"}, "{path}: the texts hold no words other than stop words"),
        (
            "d1\ta\n",
            {"docs": ["x"]},
            "{path}: none of the wanted documents is in the texts"
            " (one that is there is 'd1'; one that is wanted is 'x')",
        ),
        (b"d1\tcaf\xe9\n", {}, "{path}:1: byte 0xe9 is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8"),
        (
            "d1\tcafé\n".encode("utf-16"),
            {},
            "{path}:1: the text is UTF-16; convert the file with: iconv -f UTF-16 -t UTF-8",
        ),
        (b"d1\ta\nd2\t\0", {}, "{path}:2: this is binary data, not text (a NUL byte)"),
        (b"PAR1", {}, "{path}: this is a Parquet file; give it the suffix .parquet"),
        (b"\x1f\x8b\x08\0", {}, "{path}: the compressed file is cut short; copy it again"),
    ],
)
def test_broken_files(tmp_path: Path, text: str | bytes, how: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "docs", text)
    with pytest.raises(InputError) as caught:
        uj.read_texts(path, **how)
    assert str(caught.value) == message.replace("{path}", str(path))


def test_no_documents_at_all() -> None:
    with pytest.raises(InputError, match=r"^texts: there are no documents$"):
        uj.read_texts({})


@pytest.mark.parametrize(
    ("counts_file", "message"),
    [
        ("two\n", "{path}:1: expected 2 columns, got 1: 'two'"),
        ("two x\n", "{path}:1: the count is not a whole number: 'x'"),
        ("two 3\nthree -1\n", "{path}:2: the count is below 0: -1"),
        ("elsewhere 3\n", "{docs}: no word of the texts is in {path}"),
    ],
)
def test_broken_term_counts(tmp_path: Path, counts_file: str, message: str) -> None:
    path, docs = write(tmp_path / "counts", counts_file), write(tmp_path / "docs", TSV)
    with pytest.raises(InputError) as caught:
        uj.read_texts(docs, term_counts=path)
    assert str(caught.value) == message.replace("{path}", str(path)).replace("{docs}", str(docs))


def test_broken_tables(tmp_path: Path) -> None:
    write(tmp_path / "bad.parquet", b"PAR1 is not enough")
    with pytest.raises(FileError) as caught:
        uj.read_texts(tmp_path / "bad.parquet")
    assert caught.value.problem == "this is not a Parquet file, or it is damaged"
    with pytest.raises(FileError) as caught:
        uj.read_texts(tmp_path / "none.parquet")
    assert caught.value.problem == "no such file"
    polars.DataFrame({"a\n": [1]}).write_parquet(tmp_path / "odd.parquet")
    names = "id, doc_id, docid, docno, _id, pid"
    for source, label in (
        (tmp_path / "odd.parquet", tmp_path / "odd.parquet"),
        (polars.DataFrame({"a\n": [1]}), "texts"),
    ):
        with pytest.raises(InputError) as caught:
            uj.read_texts(source)
        assert str(caught.value) == rf"{label}: there is no column with an id (one of {names}); the columns are: a\n"
    with pytest.raises(InputError, match=r"^the text of document 'a' is not a string but int$"):
        uj.read_texts({"a": 1})
    with pytest.raises(InputError, match=r"^a document is an id and a text, not \('a', 'b', 'c'\)$"):
        uj.read_texts([("a", "b", "c")])
    with pytest.raises(InputError, match=r"^no texts were given$"):
        uj.read_texts([])


def test_a_missing_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs.parquet").touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        MissingExtraError, match=r"reading Parquet files needs pyarrow: pip install 'unjudged\[parquet\]'"
    ):
        uj.read_texts(tmp_path / "docs.parquet")


def test_documents_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "DOCUMENT_LIMIT", 1 << 20)
    long = "word " * 300_000
    cases = {
        f"d1\t{long}": "{path}:1: the line is longer than 1,048,576 bytes",
        "<DOC><DOCNO>1</DOCNO>" + long.replace(" ", "\n"): "{path}:1: the document is longer than 1,048,576 bytes",
        "plain\n" + long.replace(" ", "\n"): "{path}: the document is longer than 1,048,576 bytes",
    }
    for text, message in cases.items():
        path = write(tmp_path / "docs", text)
        with pytest.raises(FileError) as caught:
            uj.read_texts(path)
        assert str(caught.value) == message.replace("{path}", str(path))


def test_a_document_may_be_longer_than_a_block(tmp_path: Path) -> None:
    texts = uj.read_texts(write(tmp_path / "docs", "d1\t" + "word " * 500_000 + "\nd2\tend"))
    assert counts(texts) == {"d1": {"word": 500_000}, "d2": {"end": 1}}


@pytest.mark.parametrize("tag", ["<!--", "<script>", "<a ", "<docno>", "<"])
def test_open_tags_take_linear_time(tmp_path: Path, tag: str) -> None:
    """Quadratic time would be minutes here."""
    path = write(tmp_path / "docs", f"<DOC><DOCNO>d1</DOCNO>{tag * 200_000}</DOC>")
    assert len(uj.read_texts([path, write(tmp_path / "more", "d2\tword")]).docs) == 2


def test_parquet_with_text_that_is_not_utf8(tmp_path: Path) -> None:
    ends, text = pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0"), pyarrow.py_buffer(b"d\xff")
    column = pyarrow.Array.from_buffers(pyarrow.string(), 1, [None, ends, text])
    path = tmp_path / "texts.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"id": ["1"], "text": column}), path)
    with pytest.raises(FileError) as caught:
        uj.read_texts(str(path))
    assert str(caught.value) == f"{path}: a column has text that is not UTF-8"


def test_a_character_of_thousands_of_digits(tmp_path: Path) -> None:
    """Python's own reader of such references fails at 4,301 digits."""
    text = f"<DOC><DOCNO>1</DOCNO>one&#{'9' * 5000};two &#{'0' * 3000}65; &#x{'9' * 5000};</DOC>"
    [document] = documents.documents(str(write(tmp_path / "texts", text)))
    assert document.text.split() == ["one�two", "A", "�"]
