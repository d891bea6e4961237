"""Every check on a small file that has exactly its problem: severity, count, place, message and example."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from doctor_collection import OTHER, QRELS, RUN, Collection, lines

import unjudged as uj
from unjudged.results.diagnosis import SEVERITIES
from unjudged.studies.doctor import CHECKS, run_checks
from unjudged.studies.doctor import checked_inputs as evidence

DOCS = Path(__file__).parents[2] / "docs" / "doctor.md"


@dataclass(frozen=True)
class Case:
    """Files, and the findings of one code that they must give."""

    code: str
    expected: list[str]
    qrels: str = QRELS
    runs: Mapping[str, str] = field(default_factory=lambda: {"mine": RUN})
    cutoffs: tuple[int, ...] = ()
    texts: Mapping[str, str] | None = None


def many(topic: str, docs: str, *, tag: str = "mine") -> str:
    """One line for each letter, scores descending."""
    return "".join(f"{topic} Q0 {doc} {i} {100 - i} {tag}\n" for i, doc in enumerate(docs, start=1))


WORDS = "the same twenty words or a few less in every one of these texts but for those at either end"

CASES = [
    Case(
        "unreadable-file",
        ["error 1 broken:2 | expected 6 columns, got 5: '1 Q0 b 2 1.0' | "],
        runs={"mine": RUN, "broken": "1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0\n"},
    ),
    Case(
        "unreadable-file",
        ["error 1 mine:4 | the score is not a number: 'high' | "],
        runs={"mine": RUN.replace("2 Q0 c 2 1.0", "2 Q0 c 2 high"), "other": OTHER},
    ),
    Case("unreadable-file", ["error 1 mine | the file is empty | "], runs={"mine": ""}),
    Case(
        "unreadable-file",
        ["error 1 qrels:3 | expected 4 columns, got 3: '2 0 c' | "],
        qrels="# judged by hand\n1 0 a 1\n2 0 c\n",
    ),
    Case(
        "no-newline-at-end",
        [
            "note 1 qrels:4 | the last line has no line feed | document 'd' of topic '2'",
            "note 1 mine:4 | the last line has no line feed | document 'c' of topic '2'",
        ],
        qrels=QRELS[:-1],
        runs={"mine": RUN[:-1]},
    ),
    Case(
        "duplicate-judgments",
        ["error 1 qrels:6 | 1 line repeats an earlier judgment | document 'a' of topic '1' has grade 1, as in line 1"],
        qrels=QRELS + "\n1 0 a 1\n",
    ),
    Case(
        "duplicate-judgments",
        [
            "error 1 qrels:5 | 1 line repeats an earlier judgment"
            " | document 'a' of topic '1' has grade +01, as in line 1"
        ],
        qrels=QRELS + "1 0 a +01\n",
    ),
    Case(
        "conflicting-judgments",
        [
            "error 2 qrels:5 | 2 lines contradict an earlier judgment"
            " | document 'a' of topic '1' has grade 0, but 1 in line 1"
        ],
        qrels=QRELS + "1 0 a 0\n2 0 d 1\n",
    ),
    Case(
        "grades-that-are-no-numbers",
        ["error 1 qrels:3 | 1 grade is not a number: yes | document 'c' of topic '2' has grade yes"],
        qrels="1 0 a 1\n1 0 b 2\n2 0 c yes\n2 0 d 0\n",
    ),
    Case(
        "fractional-grades",
        ["note 2 qrels:2 | 2 grades are not a whole number: 0.5, .25 | document 'b' of topic '1' has grade 0.5"],
        qrels="1 0 a 1\n1 0 b 0.5\n2 0 c .25\n2 0 d 0\n",
    ),
    Case(
        "grades-below-rel",
        ["warning 4 qrels | the highest grade is 0.5 | "],
        qrels="1 0 a 0\n1 0 b 0.5\n2 0 c .25\n2 0 d 0\n",
    ),
    Case(
        "huge-grades",
        ["error 1 qrels:1 | 1 grade beyond 100,000 | document 'a' of topic '1' has grade 99999999999999999999"],
        qrels=QRELS.replace("a 1", "a 99999999999999999999"),
    ),
    Case(
        "huge-grades",  # more digits than Python turns into a number
        [f"error 1 qrels:1 | 1 grade beyond 100,000 | document 'a' of topic '1' has grade {'9' * 5000}"],
        qrels=QRELS.replace("a 1", "a " + "9" * 5000),
    ),
    Case(
        "negative-grades",
        [
            "note 1 qrels:2 | 1 grade below 0: -1 (1 time); taken as pooled but not judged"
            " | document 'b' of topic '1' has grade -1"
        ],
        qrels=QRELS.replace("b 0", "b -1"),
    ),
    Case(
        "negative-grades",
        [
            "note 2 qrels:4 | 2 grades below 0: -1 (1 time), -2 (1 time); taken as judged, with grade 0"
            " | document 'd' of topic '2' has grade -2"
        ],
        qrels=QRELS.replace("b 0", "b -1").replace("d 0", "d -2"),
    ),
    Case(
        "topics-without-relevant",
        ["note 1 qrels:3 | 1 of 2 judged topics has no document with grade 1 or more | topic '2'"],
        qrels=QRELS.replace("c 2", "c 0"),
    ),
    Case(
        "duplicate-documents",
        ["error 2 mine:5 | 2 lines rank a document again | document 'a' of topic '1', first in line 1"],
        runs={"mine": RUN + "1 Q0 a 3 9.0 mine\n1 Q0 b 4 0.5 mine\n"},
    ),
    Case(
        "non-finite-scores",
        ["error 2 mine:2 | 2 scores are not a finite number | document 'b' of topic '1' has score nan"],
        runs={"mine": RUN.replace("b 2 1.0", "b 2 NaN").replace("d 1 2.0", "d 1 inf")},
    ),
    Case(
        "no-common-topics",
        ["error 1 mine:1 | none of the run's 1 topic is judged | the run has topic 'x', the judgments '1'"],
        runs={"mine": many("x", "abc")},
    ),
    Case(
        "no-common-documents",
        [
            "error 3 mine:1 | none of the 3 documents for judged topics is judged"
            " | document 'x' of topic '2', the judgments have 'c'"
        ],
        runs={"mine": many("2", "xyz")},
    ),
    Case(
        "topics-missing-in-run",
        ["warning 1 mine | 1 of 2 judged topics is not in the run | topic '2'"],
        runs={"mine": many("1", "ab")},
    ),
    Case(
        "topics-without-judgments",
        ["note 4 mine:5 | 4 of 6 topics are not judged | topics '3', '4', '5' and 1 more"],
        runs={"mine": RUN + many("3", "a") + many("4", "a") + many("5", "a") + many("6", "a")},
    ),
    Case(
        "ids-of-another-type",
        ["error 2 mine:1 | 2 topics would match if ids were written alike | the run has topic '01', the judgments '1'"],
        runs={"mine": many("01", "ab") + many("2.0", "cd")},
    ),
    Case(
        "ids-of-another-type",
        [
            "error 3 mine:1 | 3 documents would match if ids were written alike"
            " | document 'DOC-7' of topic '1', the judgments have 'doc-007'"
        ],
        qrels="1 0 doc-007 1\n1 0 12 1\n1 0 Abc 1\n",
        runs={"mine": "1 Q0 DOC-7 1 3 m\n1 Q0 12.0 2 2 m\n1 Q0 ABC 3 1 m\n1 Q0 other 4 0 m\n"},
    ),
    Case(
        "mixed-run-names",
        ["warning 2 mine:3 | the run has 2 names | 'yours' follows 'mine'"],
        runs={"mine": RUN.replace("2 Q0 d 1 2.0 mine", "2 Q0 d 1 2.0 yours")},
    ),
    Case(
        "all-scores-equal",
        ["warning 1 mine:1 | in 1 of 2 topics all documents have the same score | topic '1', 2 documents with score 1"],
        runs={"mine": RUN.replace("a 1 2.0", "a 1 1.0").replace("1 Q0 a", "1 Q0 bb")},
    ),
    Case(
        "few-judged",
        ["warning 3 mine | 62.5% of the documents in the top 10 are judged, less than 80% | topic '1', 2 unjudged"],
        qrels=QRELS + "2 0 e 0\n",
        runs={"mine": many("1", "axyb") + many("2", "cdez")},
    ),
    Case(
        "deeper-than-judged",
        ["note 28 mine | 58% of 48 documents for judged topics were never judged | "],
        qrels="".join(f"{topic} 0 {doc} 1\n" for topic in "12" for doc in "abcdefghij"),
        runs={"mine": many("1", "abcdefghijklmnopqrstuvwx") + many("2", "abcdefghijklmnopqrstuvwx")},
    ),
    Case(
        "ties-at-cutoff",
        [
            "warning 1 mine:2 | 1 topic with a tie across rank 1: P@1 is 0.0000 (0.0000 to 0.5000 in other orders),"
            " nDCG@1 is 0.0000 (0.0000 to 0.5000 in other orders) | topic '1', 2 documents with score 2"
        ],
        runs={"mine": "1 Q0 b 1 2 m\n1 Q0 a 2 2 m\n2 Q0 d 1 2 m\n2 Q0 c 2 1 m\n"},
        cutoffs=(1,),
    ),
    Case(
        "ties-at-cutoff",
        [
            "note 1 mine:2 | 1 topic with a tie across rank 1: P@1 stays 0.5000, nDCG@1 stays 0.5000 |"
            " topic '2', 2 documents with score 2"
        ],
        qrels="1 0 a 1\n1 0 b 0\n2 0 c 0\n2 0 d 0\n2 0 e 1\n",
        runs={"mine": "2 Q0 d 1 2 m\n2 Q0 c 2 2 m\n1 Q0 a 1 2 m\n1 Q0 b 2 1 m\n"},
        cutoffs=(1,),
    ),
    Case(
        "single-precision-ties",
        ["note 1 mine:2 | in 1 of 2 topics single precision changes the order | topic '1', scores 1.00000001 and 1.0"],
        runs={"mine": RUN.replace("a 1 2.0", "a 1 1.00000001")},
    ),
    Case(
        "rank-column-disagrees",
        [
            "warning 1 mine:1 | in 1 of 2 topics ranks and scores order documents differently"
            " | topic '1': rank 2 has score 3, rank 1 only 2"
        ],
        runs={"mine": RUN.replace("b 2 1.0", "b 2 3.0")},
    ),
    Case(
        "rank-column-unusual",
        ["note 2 mine:1 | in 2 of 2 topics ranks start at 0 | topic '1'"],
        runs={"mine": RUN.replace(" 1 2.0", " 0 2.0").replace(" 2 1.0", " 1 1.0")},
    ),
    Case(
        "rank-column-unusual",
        ["note 1 mine:4 | in 1 of 2 topics ranks repeat or leave gaps | topic '2', rank 1 after 1"],
        runs={"mine": RUN.replace("c 2 1.0", "c 1 1.0")},
    ),
    Case(
        "rank-column-unusual",
        ["note 2 mine:2 | 2 ranks are not a whole number | document 'b'"],
        runs={"mine": RUN.replace("b 2 1.0", "b - 1.0").replace("c 2 1.0", "c 1.5 1.0")},
    ),
    Case(
        "unsorted-lines",
        ["note 1 mine:2 | in 1 of 2 topics a score is higher than the one before it | topic '1', 3 after 2"],
        runs={"mine": RUN.replace("b 2 1.0", "b 1 3.0").replace("a 1", "a 2")},
    ),
    Case(
        "copied-runs",
        ["warning 2 mine | 2 runs rank the same documents in the same order | mine, copy"],
        runs={"mine": RUN, "other": OTHER, "copy": RUN.replace("2.0 mine", "7.5 copy").replace("mine", "copy")},
    ),
    Case(
        "near-copies",
        ["note 1 mine | 95.0% of the top 10 in common over 2 common topics | mine and near"],
        runs={
            "mine": many("1", "abefghijkl") + many("2", "abcdefghij") + many("3", "a"),
            "near": many("1", "baefghijkx", tag="near") + many("2", "abcdefghij", tag="near"),
            "far": many("1", "tuvw", tag="far") + many("2", "a", tag="far"),
        },
    ),
    Case(
        "near-duplicate-judgments",
        [
            "warning 2 - | 2 of 3 judged documents with a text have at least 90% of the words in common with another of"
            " the topic; 1 pair has different grades | 'a' (grade 1) and 'b' (grade 0) of topic '1' have 95% of their"
            " words in common"
        ],
        texts={"a": f"{WORDS} more", "b": f"even {WORDS}", "c": WORDS},  # c is of another topic, and d has no text
    ),
    Case(
        "near-duplicate-judgments",
        [
            "note 3 - | 3 of 4 judged documents with a text have at least 90% of the words in common with another of"
            " the topic | 'b' (grade 0) and 'e' (grade 0) of topic '1' have 100% of their words in common"
        ],
        qrels=QRELS.replace("1 0 a 1", "1 0 a 0") + "1 0 e 0\n",
        texts={"a": WORDS, "b": f"even {WORDS}", "e": f"even {WORDS}", "c": WORDS},
    ),
    Case(
        "unjudged-near-duplicates",
        [
            "note 2 - | 2 of 3 unjudged documents with a text in the top 10 of runs have at least 90% of the words in"
            " common with a judged one of the topic | 'a' (grade 1) and 'x' of topic '1' have 100% of their words in"
            " common"
        ],
        runs={"mine": many("1", "axbyz") + many("2", "cx"), "other": many("1", "xy" + "ghijklmn" + "q", tag="other")},
        texts={"a": WORDS, "x": WORDS, "y": f"even {WORDS}", "q": WORDS, "c": "something else"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}-{i}" for i, case in enumerate(CASES)])
def test_check(case: Case, collection: Collection) -> None:
    diagnosis = collection.diagnose(case.qrels, case.runs, cutoffs=case.cutoffs, texts=case.texts)
    assert lines(diagnosis, case.code) == case.expected
    assert all(one.next_step == CHECKS[case.code].next_step for one in diagnosis.findings if one.code == case.code)


def test_a_sound_collection_has_no_findings(collection: Collection) -> None:
    diagnosis = collection.diagnose()
    assert diagnosis.findings == ()
    assert diagnosis.ok


def test_every_code_has_a_test() -> None:
    assert {case.code for case in CASES} == CHECKS.keys()


def test_every_code_is_explained_in_the_docs() -> None:
    text = DOCS.read_text(encoding="utf-8")
    described = re.findall(r"^### `([a-z-]+)` \((error|warning|note)", text, flags=re.MULTILINE)
    assert dict(described) == {code: check.severity for code, check in CHECKS.items()}
    assert len(described) == len(CHECKS)


@pytest.mark.parametrize("code", CHECKS)
def test_codes_and_words_have_one_form(code: str) -> None:
    check = CHECKS[code]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert check.severity in SEVERITIES
    assert check.title and not check.title[0].isupper()
    assert check.next_step.endswith(".")
    assert check.find.__doc__


def test_findings_come_with_the_worst_first(collection: Collection) -> None:
    diagnosis = collection.diagnose(QRELS[:-1] + "\n1 0 a 0\n", {"mine": many("1", "ab")})
    severities = [one.severity for one in diagnosis.findings]
    assert severities == sorted(severities, key=SEVERITIES.index)
    assert {"error", "warning"} <= set(severities)


def test_a_broken_file_does_not_hide_the_others(collection: Collection) -> None:
    diagnosis = collection.diagnose(runs={"broken": "1 2\n", "mine": RUN + "1 Q0 a 3 0.5 mine\n"})
    assert [one.code for one in diagnosis.findings] == ["unreadable-file", "duplicate-documents"]
    assert [one.name for one in diagnosis.runs] == ["mine"]


def test_without_judgments_runs_are_still_checked(collection: Collection) -> None:
    diagnosis = collection.diagnose("1 0 a\n", {"mine": RUN + "1 Q0 a 3 0.5 mine\n"})
    assert [one.code for one in diagnosis.findings] == ["unreadable-file", "duplicate-documents"]
    assert diagnosis.qrels is None
    assert diagnosis.judged == ()


def test_a_different_document_is_not_a_misspelled_one(collection: Collection) -> None:
    """The run has 'a' and 'A', the judgments 'a': so 'A' is another document."""
    diagnosis = collection.diagnose(runs={"mine": RUN + "1 Q0 A 3 0.5 mine\n"})
    assert lines(diagnosis, "ids-of-another-type") == []


def test_ties_may_have_any_rank(collection: Collection) -> None:
    tied = "1 Q0 a 1 2 m\n1 Q0 b 2 2 m\n1 Q0 c 3 1 m\n2 Q0 c 2 1 m\n2 Q0 d 1 1 m\n"
    assert lines(collection.diagnose(runs={"mine": tied}), "rank-column-disagrees") == []


def test_missing_files_are_findings(tmp_path: Path, collection: Collection) -> None:
    qrels, runs = collection.write()
    diagnosis = uj.doctor(qrels, [str(tmp_path / "absent"), *runs])
    assert lines(diagnosis, "unreadable-file") == ["error 1 absent | no such file | "]
    assert len(diagnosis.runs) == 1


def test_block_size_changes_nothing(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "qrels": "".join(f"{topic} 0 doc-{i:03} {i % 2}\n" for topic in range(8) for i in range(6)),
        "mine": "".join(f"{topic} Q0 DOC-{i} {i} {-i} mine\n" for topic in range(9) for i in range(1, 12, 2)),
    }
    whole = collection.diagnose(texts["qrels"], {"mine": texts["mine"]})
    assert lines(whole, "ids-of-another-type")[0].startswith("error 24 mine:1 | 24 documents would match")
    monkeypatch.setattr(evidence, "BLOCK_ROWS", 7)
    monkeypatch.setattr(run_checks, "BLOCK_ROWS", 7)
    pieces = collection.diagnose(texts["qrels"], {"mine": texts["mine"]})
    assert pieces.findings == whole.findings
    assert pieces.judged == whole.judged


def test_dropping_all_judgments_is_a_finding(collection: Collection) -> None:
    path, paths = collection.write("1 0 a -1\n2 0 c -1\n")
    diagnosis = uj.doctor(path, paths, negative="drop")
    assert lines(diagnosis, "unreadable-file") == [
        "error 1 qrels | all grades are below 0, so dropping them leaves no judgment | "
    ]
    assert len(diagnosis.findings) == 1


def test_judged_documents_below_the_top_do_not_hide_the_holes(collection: Collection) -> None:
    diagnosis = collection.diagnose(runs={"mine": many("1", "klmnopqrstab") + many("2", "klmnopqrstcd")})
    assert lines(diagnosis, "no-common-documents") == []
    assert lines(diagnosis, "few-judged") == [
        "warning 20 mine | 0.0% of the documents in the top 10 are judged, less than 80% | topic '1', 10 unjudged"
    ]
