"""unjudged trec_eval: the text trec_eval prints."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from .conftest import Command


def test_prints_what_trec_eval_prints(unjudged: Command, files: Path) -> None:
    done = unjudged(
        "trec_eval", "-q", "-m", "map", "-m", "P.2", "-m", "num_ret", files / "qrels.txt", files / "runs" / "old.run"
    )
    assert done.out == (
        "num_ret               \t1\t2\n"
        "map                   \t1\t0.5000\n"
        "P_2                   \t1\t0.5000\n"
        "num_ret               \t2\t2\n"
        "map                   \t2\t0.5000\n"
        "P_2                   \t2\t0.5000\n"
        "num_ret               \tall\t4\n"
        "map                   \tall\t0.5000\n"
        "P_2                   \tall\t0.5000\n"
    )


@pytest.mark.parametrize(
    ("flags", "value"),
    [
        ((), "0.2500"),  # over the one topic that both files have
        (("-c",), "0.1250"),  # over both judged topics
        (("-l", "2"), "0.5000"),  # only a is relevant
        (("-J",), "0.5000"),  # x is dropped, a moves up to rank 1
        (("-M", "1"), "0.0000"),  # only x is looked at
    ],
)
def test_flags(unjudged: Command, files: Path, flags: tuple[str, ...], value: str) -> None:
    done = unjudged("trec_eval", *flags, "-m", "map", files / "qrels.txt", files / "runs" / "new.run")
    assert done.out == f"map                   \tall\t{value}\n"


def test_with_c_the_number_of_relevant_documents_is_that_of_all_grades_above_0(unjudged: Command, files: Path) -> None:
    """As trec_eval 9 and 10 count it (te_calc_avg_num_rel); without -c, and for each topic, -l counts."""
    arguments = ("-l", "2", "-m", "num_rel", files / "qrels.txt", files / "runs" / "old.run")
    grades = [int(line.split()[3]) for line in (files / "qrels.txt").read_text().splitlines()]
    assert unjudged("trec_eval", *arguments).out == f"num_rel               \tall\t{sum(g > 1 for g in grades)}\n"
    assert unjudged("trec_eval", "-c", *arguments).out == f"num_rel               \tall\t{sum(g > 0 for g in grades)}\n"


def test_a_document_that_is_there_twice_is_refused_unless_a_line_is_chosen(unjudged: Command, files: Path) -> None:
    twice = files / "twice.run"
    twice.write_text("1 Q0 x 1 2 r\n1 Q0 a 2 1 r\n1 Q0 a 3 3 r\n")
    asked = ("trec_eval", "-m", "recip_rank", files / "qrels.txt", twice)
    refused = unjudged(*asked)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.endswith("`unjudged doctor` lists them, --duplicates best keeps one of each\n")
    for duplicates, value in (("best", "1.0000"), ("first", "0.5000"), ("last", "1.0000")):
        done = unjudged(*asked, "--duplicates", duplicates)
        assert done.out == f"recip_rank            \tall\t{value}\n"


def test_no_summary(unjudged: Command, files: Path) -> None:
    assert unjudged("trec_eval", "-n", "-m", "map", files / "qrels.txt", files / "runs" / "old.run").out == ""


def test_groups_begin_with_the_run_id(unjudged: Command, files: Path) -> None:
    lines = unjudged("trec_eval", files / "qrels.txt", files / "runs" / "old.run").out.splitlines()
    assert lines[:3] == [
        "runid                 \tall\told",
        "num_q                 \tall\t2",
        "num_ret               \tall\t4",
    ]
    assert len(lines) == 30


def test_cutoffs_that_are_not_usual_are_printed_in_their_measures_place(unjudged: Command, files: Path) -> None:
    done = unjudged("trec_eval", "-m", "ndcg", "-m", "P.7,5", files / "qrels.txt", files / "runs" / "old.run")
    assert [line.split()[0] for line in done.out.splitlines()] == ["P_5", "P_7", "ndcg"]


def test_our_measures_come_after_trec_evals(unjudged: Command, files: Path) -> None:
    done = unjudged("trec_eval", "-m", "Compat", "-m", "map", files / "qrels.txt", files / "runs" / "old.run")
    assert [line.split()[0] for line in done.out.splitlines()] == ["map", "Compat"]


def test_an_unknown_measure_is_named(unjudged: Command, files: Path) -> None:
    done = unjudged("trec_eval", "-m", "mapp", files / "qrels.txt", files / "runs" / "old.run")
    assert done.code == 2
    assert done.err == "unjudged: unknown measure 'mapp'; did you mean 'map'? (`unjudged measures` lists them all)\n"


@pytest.mark.shared
def test_trec8_text_equals_the_official_text(unjudged: Command, shared_data: Path) -> None:
    """Except interpolated precision, where the official output follows trec_eval 10's rounding (docs/trec_eval.md)."""
    with tarfile.open(shared_data / "trec8" / "eval.tar.xz") as archive:
        file = archive.extractfile("eval/eval.ok8alx")
        assert file is not None
        official = file.read().decode().splitlines()
    names = ["official", "infAP", "ndcg", "ndcg_cut", "recall"]
    flags = [argument for name in names for argument in ("-m", name)]
    run = shared_data / "trec8" / "runs" / "input.ok8alx.gz"
    ours = unjudged("trec_eval", "-q", *flags, shared_data / "trec8" / "trec8.qrels", run).out.splitlines()
    printed = {line for line in ours if not line.startswith("iprec_at_recall")}
    assert len(printed) > 1800
    assert printed <= set(official)
