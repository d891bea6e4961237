"""Warnings call runs as tables do, also where files have the same name inside."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Command


def test_runs_of_one_name_are_told_apart(unjudged: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 1 a 1\n1 2 a 0\n1 2 b 1\n")
    (tmp_path / "docs.tsv").write_text("a\tant bee\nb\tcat dog\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2 same\n1 Q0 b 2 1 same\n")
    (tmp_path / "two.run").write_text("1 Q0 a 1 2 same\n1 Q0 lost 2 1 same\n")
    files = (tmp_path / "qrels.txt", tmp_path / "one.run", tmp_path / "two.run", "--texts", tmp_path / "docs.tsv")
    done = unjudged("score", *files, "-m", "ABSRB(mu=2)")
    assert done.code == 0
    assert "(in two, 50% of the ranks, the most of all runs) [missing-texts]\n" in done.err
    assert {line.split()[0] for line in done.out.splitlines()[2:4]} == {"one", "two"}
