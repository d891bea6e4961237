"""The documentation as a site, and its command lines, which run as they are written."""

from __future__ import annotations

import gzip
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.cli import main
from unjudged.demo.collection import write_collection
from unjudged.judging import Project

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])

NOT_HERE = ("make ", "pip ", "jupyter ", "ir_datasets:", "tcp://")
"""Lines that set up a machine, need a network, or wait for somebody."""


WALK = "unjudged demo"
"""The line whose test is in tests/cli/test_app.py: it takes as long as a dozen others."""


def command_lines() -> Iterator[object]:
    seen = {WALK}  # a line that several pages have runs once
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            for line in re.sub(r"(\\|\|)\n\s*", lambda end: end[0][0].strip("\\") + " ", block).splitlines():
                command = " ".join(line.partition(" # ")[0].split())
                if command and command not in seen and not any(part in line for part in NOT_HERE):
                    long = [pytest.mark.slow] if "--repeat" in line else []
                    yield pytest.param(line, id=f"{page.stem}: {command}", marks=long)
                seen.add(command)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo collection, with more names for its files: those that the pages use."""
    demo = write_collection(tmp_path_factory.mktemp("site") / "demo")
    here = demo.directory
    keyword, neural = (here / "runs" / f"{name}.run" for name in ("birch-keyword", "later-neural-base"))
    for run, names in (
        (keyword, ("a.run", "bm25.run", "runs/bm25.run", "old.run", "runs/old.run", "theirs.run")),
        (neural, ("mine.run", "new.run", "runs/new.run")),
    ):
        for name in names:
            shutil.copy(run, here / name)
    for name in ("b.run.gz", "run.gz", "UNTIIA_DGES.gz"):
        (here / name).write_bytes(gzip.compress(neural.read_bytes()))
    for name, file in (
        ("early.qrels", demo.qrels),
        ("few.qrels", demo.sampled),
        *((name, demo.truth) for name in ("all.qrels", "complete.qrels", "pool.txt")),
    ):
        shutil.copy(file, here / name)
    shutil.copy(demo.truth, here / "gpt-4.qrels")
    (here / "empty.qrels").touch()
    (here / "labels").mkdir()
    shutil.copy(demo.truth, here / "labels" / "one.qrels")
    truth = [line.split() for line in demo.truth.read_text().splitlines()]
    (here / "monot5.txt").write_text("".join(f"{topic} {doc} {len(doc)}\n" for topic, _, doc, _ in truth))
    (here / "assessors.tsv").write_text("".join(f"{topic} {int(topic) % 3}\n" for topic in {row[0] for row in truth}))
    for name in ("labels.jsonl", "clicks.jsonl"):
        (here / name).write_text(
            "".join(f'{{"topic": "{topic}", "doc": "{doc}", "grade": {grade}}}\n' for topic, _, doc, grade in truth)
        )
    for name, people in (
        ("few-topics.qrels", [row for row in truth if int(row[0]) % 2]),
        ("tenth.qrels", random.Random(1).sample(truth, len(truth) // 10)),
    ):
        (here / name).write_text("".join(" ".join(row) + "\n" for row in people))
    rows = [line.split() for line in demo.qrels.read_text().splitlines()]
    lines = [f"{topic} 0 {doc} {i % 2} {grade}" for i, (topic, _, doc, grade) in enumerate(rows)]
    (here / "qrels-sampled.txt").write_text("\n".join(lines) + "\n")
    with demo.teams.open("a") as teams:
        teams.write("bm25\tbirch\nold\tbirch\nnew\tlater\n")
    lines = ["run\tgroup\ttype"]
    for run, group in map(str.split, demo.teams.read_text().splitlines()):
        lines.append(f"{run}\t{group}\t{'neural' if 'neural' in run else 'lexical'}")
    (here / "runs_meta.tsv").write_text("\n".join(lines) + "\n")
    shutil.copy(demo.qrels, here / "trec8.qrels")
    (here / "languages.tsv").write_text("".join(f"{topic} {topic[-1]}\n" for topic in {row[0] for row in truth}))
    (here / "how.md").write_text("# How to judge")
    for number, run in enumerate(("old.run", "new.run")):
        uj.add_release(here / "qrels.txt", here / run, here / "history.jsonl", "P@10", release=f"v{number}")
    Project.create(here / "work.unjudged", runs=here / "runs").close()
    return here


ANSWERS = {"next": {0, 3}, "gate": {0, 1, 3}}
"""Exit codes of commands that are answers."""


@pytest.mark.parametrize("line", list(command_lines()))
def test_every_command_line_of_the_pages_runs(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    if "|" in line:
        ours = f"{shlex.quote(sys.executable)} -m unjudged "
        done = subprocess.run(["bash", "-c", line.replace("unjudged ", ours, 1)], capture_output=True, text=True)
        assert (done.returncode, done.stderr.count("Error")) == (0, 0), done.stderr
        return
    program, *arguments = shlex.split(line, comments=True)
    assert program == "unjudged"
    if arguments[0] == "judge":
        monkeypatch.setattr("unjudged.judging.serving.serve", lambda *_, **__: None)  # which waits for people
        if "--runs" in arguments:
            Path(arguments[1]).unlink(missing_ok=True)
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    output = capsys.readouterr()
    assert ended.value.code in ANSWERS.get(arguments[0], {0}), output.err


class Outside(HTMLParser):
    """Gathers what a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        loads = {"script": "src", "img": "src", "link": "href", "iframe": "src"}
        address = dict(attributes).get(loads.get(tag, "")) or ""
        if re.match(r"(https?:)?//", address):
            self.addresses.append(address)


@pytest.mark.parametrize("run_notebooks", ["false", pytest.param("true", marks=pytest.mark.slow)])
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(
    tmp_path: Path, run_notebooks: str
) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    settings = os.environ | {"NO_MKDOCS_2_WARNING": "1", "RUN_NOTEBOOKS": run_notebooks}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    built = {path.stem for path in tmp_path.rglob("*.html")}
    shown = (tmp_path / "notebooks" / "scores.html").read_text(encoding="utf-8")
    assert ("0.7010</td>" in shown, "data:image/svg+xml" in shown) == (run_notebooks == "true",) * 2
    assert {page.stem for page in PAGES} - {"README"} <= built
    for page in tmp_path.rglob("*.html"):
        parser = Outside()
        parser.feed(page.read_text(encoding="utf-8"))
        assert parser.addresses == [], page.name
