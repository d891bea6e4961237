"""Every format of text that is read: made mostly valid, then mutated."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from random import Random

import peers
from hostile import HOSTILE_NUMBERS, HOSTILE_TEXTS, MANY_DIGITS, a_doc, a_grade, a_run, a_score, a_topic, a_word, one_of
from kinds import Kind, Make, in_file, joined, parts
from mutations import mutated, mutated_bytes

import unjudged as uj
from unjudged.io.groups import read_groups, read_order, read_types
from unjudged.io.raw import raw_qrels, raw_run
from unjudged.io.reading import RunSource
from unjudged.io.texts import read_stop_words
from unjudged.io.topics import read_titles

__all__ = ["KINDS", "qrels_text", "run_text"]

HOLES = ("nonrelevant", "condensed", "bounds", "guaranteed", "joint")
MEASURES = ("official", "nDCG@10", "ERR@5", "RBP", "infAP", "Q", "Judged@5", "NERR8@3", "INST", "Compat", "Accuracy")


# ---- what files hold


def _lines(rows: list[list[str]], separator: str = " ") -> bytes:
    return "".join(separator.join(row) + "\n" for row in rows).encode("utf-8", "surrogatepass")


def _pairs(rng: Random) -> list[tuple[str, str]]:
    """Different (topic, doc) pairs, mostly grouped by topic."""
    pairs = list(dict.fromkeys((a_topic(rng), a_doc(rng)) for _ in range(rng.randint(1, 24))))
    if rng.random() < 0.8:
        pairs.sort(key=lambda pair: pair[0])
    return pairs


def qrels_text(rng: Random) -> bytes:
    return _lines([[topic, "0", doc, a_grade(rng)] for topic, doc in _pairs(rng)])


def _strata(rng: Random) -> bytes:
    rows = [[topic, "0", doc, rng.choice(("0", "1", "2")), a_grade(rng)] for topic, doc in _pairs(rng)]
    return _lines(rows)


def _diversity(rng: Random) -> bytes:
    subtopics = [one_of(rng, ("1", "2", "10", "a"), HOSTILE_TEXTS) for _ in range(3)]
    pairs = _pairs(rng)
    return _lines([[topic, sub, doc, a_grade(rng)] for topic, doc in pairs for sub in dict.fromkeys(subtopics)])


def run_text(rng: Random) -> bytes:
    tag = a_run(rng)
    rows = [[topic, "Q0", doc, str(rank), a_score(rng), tag] for rank, (topic, doc) in enumerate(_pairs(rng))]
    if rng.random() < 0.3:
        rows = [[*row[:4], rng.choice(("1", "1.0", "0", "-0.0")), tag] for row in rows]  # ties
    return _lines(rows)


def _pool(rng: Random) -> bytes:
    return rng.choice((qrels_text, lambda rng: _lines([[*pair] for pair in _pairs(rng)])))(rng)


def _groups(rng: Random) -> bytes:
    rows = [[run, a_run(rng)] for run in dict.fromkeys(a_run(rng) for _ in range(6))]
    return _lines([["run", "group"], *rows] if rng.random() < 0.3 else rows, rng.choice("\t, "))


def _order(rng: Random) -> bytes:
    days = ("2020-06-01", "1994-01-01", "2020-W01-1", "20200601", "2020-02-30", "0000-00-00", "\u0662020-06-01")
    runs = list(dict.fromkeys(a_run(rng) for _ in range(6)))
    dated = rng.random() < 0.6
    return _lines([[run, one_of(rng, days[:2], days, 0.2)] if dated else [run] for run in runs], rng.choice("\t, "))


def _intents(rng: Random) -> bytes:
    rows = [
        [topic, sub, one_of(rng, ("0.5", "1", "0.25", "0"), HOSTILE_NUMBERS, 0.1)] for topic in "12" for sub in "12"
    ]
    return _lines(rows)


def _text(rng: Random) -> str:
    return " ".join(a_word(rng) for _ in range(rng.randint(0, 9)))


def _topics(rng: Random) -> bytes:
    if rng.random() < 0.5:
        return _lines([[a_topic(rng), _text(rng)] for _ in range(4)], "\t")
    top = "<top>\n<num> Number: {}\n<title> {}\n<desc>\n{}\n</top>\n"
    return "".join(top.format(a_topic(rng), _text(rng), _text(rng)) for _ in range(4)).encode()


def _jsonl(rng: Random) -> bytes:
    values = (3, -1, 1.5, None, [], {}, True, "", [1], {"a": {}}, 10**400, "\ud800", float("nan"))
    lines = []
    for _ in range(rng.randint(1, 6)):
        names = [one_of(rng, ("id", "doc_id", "_id"), ("", "\0", "ID"), 0.1), rng.choice(("text", "contents", "title"))]
        doc = {names[0]: one_of(rng, (a_doc(rng),), values, 0.1), names[1]: one_of(rng, (_text(rng),), values, 0.1)}
        lines.append(json.dumps(doc, ensure_ascii=rng.random() < 0.5))
    if rng.random() < 0.05:
        lines.append(one_of(rng, ("[" * 5000, "[" * 200_000, '{"id":' + "7" * 5000 + "}"), ("{}", "null", "[1]")))
    return "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n"


def _label_lines(rng: Random) -> bytes:
    values = (-1, 0.5, None, [], {}, True, "", "2", 10**400, 1e308, "\ud800", float("nan"), float("inf"), MANY_DIGITS)
    lines = []
    for topic, doc in _pairs(rng):
        label: dict[str, object] = {"topic": topic, "doc": doc, "grade": rng.choice((0, 1, 2, 3))}
        for name in ("source", "model", "prompt", "time"):
            if rng.random() < 0.3:
                label[name] = a_run(rng)
        if rng.random() < 0.2:
            label["text_sha256"] = rng.choice("ab01") * 64
        if rng.random() < 0.1:
            label[rng.choice((*label, "text_sha256", "time"))] = rng.choice((*values, *HOSTILE_TEXTS))
        lines.append(json.dumps(label, ensure_ascii=rng.random() < 0.5))
    return "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n"


def _tsv(rng: Random) -> bytes:
    heading = [["id", "title", "text"]] if rng.random() < 0.4 else []
    return _lines([*heading, *([a_doc(rng), _text(rng), _text(rng)] for _ in range(5))], "\t")


def _sgml(rng: Random) -> bytes:
    tags = [
        *[
            "<text>",
            "</TEXT>",
            "<!--",
            "-->",
            "<script>",
            "</script>",
            "<docno>",
            "</doc>",
            "&#0;",
            "&#x110000;",
            "&lt",
            "<",
        ],
        f"&#{MANY_DIGITS};",
    ]
    docs = []
    for _ in range(rng.randint(1, 4)):
        words = " ".join(one_of(rng, (_text(rng),), tags, 0.3) for _ in range(5))
        docs.append(f"<DOC>\n<DOCNO> {a_doc(rng)} </DOCNO>\n<TEXT>{words}</TEXT>\n</DOC>\n")
    return "".join(docs).encode()


def _term_counts(rng: Random) -> bytes:
    return _lines([[a_word(rng), one_of(rng, ("1", "7", "100"), HOSTILE_NUMBERS, 0.05)] for _ in range(6)])


_PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: peers.zstandard.compress(data),
}


def _packed(how: str) -> Make:
    def make(rng: Random) -> bytes:
        members = [_PACK[how](mutated(rng, qrels_text(rng))) for _ in range(rng.choice((1, 1, 2)))]
        return mutated_bytes(rng, b"".join(members))

    return make


# ---- what is done with them

_DIVERSE = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
_JUDGED = {"1": {"d0": 1, "d1": 0, "d2": 2, "d3": -1}, "2": {"d4": 1, "d5": 0}, "301": {"d1": 1}}
_RANKED = {"1": {"d0": 3.0, "d6": 2.0, "d2": 1.0}, "2": {"d7": 2.0, "d4": 1.5}}
_TEXTS = {"d1": "one two Three", "d2": "the x of x 1994 foo-bar"}


def _with_intents(path: str) -> object:
    row = namedtuple("row", "query_id doc_id relevance subtopic")
    rows = [
        row(topic, doc, grade, sub) for topic, docs in _DIVERSE.items() for doc, grade in docs.items() for sub in "12"
    ]
    return uj.read_qrels(rows, intents=path)


def _labelled(path: str) -> object:
    holes = [uj.Labels(file=path), f"bootstrap(prior='labels',labels={path!r},draws=20)"]
    return [uj.score(_JUDGED, {"mine": _RANKED}, ["AP", "nDCG@3"], holes=one, jobs=1) for one in holes]


def _scored(data: bytes, folder: Path) -> object:
    holes, qrels, run = parts(data, folder, "holes.txt", "qrels.txt", "run.txt")
    model = Path(holes).read_text().strip()
    return uj.score(qrels, run, MEASURES, holes=model if model in HOLES else HOLES[0], jobs=1)


def _examined(data: bytes, folder: Path) -> object:
    qrels, run = parts(data, folder, "qrels.txt", "run.txt")
    return uj.doctor(qrels, [run], jobs=1)


def _judged_by_machine(path: str) -> object:
    return uj.judges({"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d1": 0, "d4": 3}}, None, path)


def _labels_and_run(rng: Random) -> bytes:
    return joined(mutated(rng, qrels_text(rng)), mutated(rng, _label_lines(rng)), mutated(rng, run_text(rng)))


def _beside_people(data: bytes, folder: Path) -> object:
    qrels, labels, run = parts(data, folder, "qrels.txt", "labels.jsonl", "runs.txt")
    other = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d3": 1.0}, "10": {"d4": 1.0}, "301": {"d5": 1.0}}
    return uj.judges(qrels, {"run": run, "other": other}, labels, "P@2", jobs=1)


def _kind(name: str, make: Make, read: Callable[[str], object], file: str = "file.txt", weight: int = 1) -> Kind:
    return Kind(name, lambda rng: mutated(rng, make(rng)), in_file(read, file), weight=weight)


def _pair_of_files(rng: Random) -> bytes:
    return joined(mutated(rng, qrels_text(rng)), mutated(rng, run_text(rng)))


def _with_model(rng: Random) -> bytes:
    return joined(rng.choice(HOLES).encode() + b"\n", _pair_of_files(rng))


KINDS = [
    _kind("qrels", qrels_text, uj.read_qrels, weight=3),
    _kind("qrels-drop", qrels_text, lambda path: uj.read_qrels(path, negative="drop")),
    _kind("qrels-raw", qrels_text, raw_qrels),
    _kind("strata", _strata, uj.read_qrels, weight=2),
    _kind("diversity", _diversity, lambda path: uj.read_qrels(path, format="diversity"), weight=2),
    _kind("run", run_text, uj.read_run, weight=3),
    _kind("run-float32", run_text, lambda path: uj.read_run(path, scores="float32")),
    _kind("run-raw", run_text, lambda path: raw_run(RunSource(path))),
    _kind("pool", _pool, uj.read_pool),
    _kind("groups", _groups, read_groups),
    _kind("types", _groups, read_types),
    _kind("order", _order, read_order),
    _kind("intents", _intents, _with_intents),
    _kind("topics", _topics, read_titles),
    _kind("texts-jsonl", _jsonl, uj.read_texts, weight=2),
    _kind("texts-tsv", _tsv, uj.read_texts),
    _kind("texts-trec", _sgml, uj.read_texts, weight=2),
    _kind("texts-plain", _tsv, lambda path: uj.read_texts(path, format="plain")),
    _kind("stop-words", lambda rng: _text(rng).encode(), read_stop_words),
    _kind("term-counts", _term_counts, lambda path: uj.read_texts(_TEXTS, term_counts=path)),
    _kind("labels", qrels_text, _labelled),
    _kind("labels-jsonl", _label_lines, _judged_by_machine, weight=2),
    Kind("judges", _labels_and_run, _beside_people),
    Kind("scores", _with_model, _scored, weight=2),
    Kind("doctor", _pair_of_files, _examined),
    Kind("pytrec_eval", _pair_of_files, peers.scored, peers.check, needs="pytrec_eval", weight=3),
    *(Kind(how, _packed(how), in_file(uj.read_qrels)) for how in ("gzip", "bzip2", "xz")),
    Kind("zstd", _packed("zstd"), in_file(uj.read_qrels), needs="zstandard"),
]
