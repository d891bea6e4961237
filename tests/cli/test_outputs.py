"""Commands write what they were asked to write or fail; what was there before, and what they read, stays."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from typer.main import get_command

import unjudged as uj
from unjudged.cli.app import app
from unjudged.demo import walkthrough

from .conftest import Command, contents, make_files

if os.name == "nt":
    pytest.skip("links, descriptors and limits of POSIX", allow_module_level=True)

from tests.io.full_disk import full_disk

EVERY: dict[str, tuple[str, ...]] = {
    "doctor": ("qrels.txt", "runs"),
    "score": ("qrels.txt", "runs", "-m", "P@2", "--quiet"),
    "compare": ("qrels.txt", "runs", "-m", "P@2", "--draws", "10", "--quiet"),
    "gate": ("qrels.txt", "runs", "-m", "P@2", "--draws", "10", "--quiet"),
    "relative": ("qrels.txt", "runs", "-m", "P@2", "--quiet"),
    "judges": ("qrels.txt", "qrels.txt", "runs", "-m", "P@2", "--quiet"),
    "audit": ("qrels.txt", "runs", "-m", "P@2", "--quiet"),
    "reuse": (
        "qrels.txt",
        "runs",
        "-m",
        "P@2",
        "--holes",
        "nonrelevant",
        "--degrade",
        "LeaveOutRun(1)",
        "--jobs",
        "1",
        "--quiet",
    ),
    "next": ("qrels.txt", "runs", "-m", "P@2", "--quiet"),
    "properties": ("qrels.txt", "runs", "-m", "P@2", "--images", "5", "--shallow", "1", "--quiet"),
    "report": ("qrels.txt", "runs", "-m", "P@2", "--no-reuse", "--quiet"),
    "history add": ("qrels.txt", "runs/old.run", "-m", "P@2", "--release", "v1", "--history", "new.jsonl", "--quiet"),
    "history show": ("history.jsonl",),
    "judge": ("work.unjudged", "--runs", "runs", "--status"),
    "convert": ("qrels.txt", "-", "--to", "beir"),
    "measures": (),
    "trec_eval": ("qrels.txt", "runs/old.run"),
    "demo": (),
}
"""A call of each command that does little."""
PARAMETERS: dict[str, list[Any]] = {
    name: command.params
    for name, command in get_command(app).commands.items()  # type: ignore[attr-defined]
}
HINTS = {
    (one.name, name): str(hint)
    for one in app.registered_commands
    if one.callback is not None
    for name, hint in get_type_hints(one.callback).items()
}
ENDINGS = {"--output": ".json", "--plot": ".svg", "--methods": ".txt"}
OUTPUTS = [
    (command, parameter.opts[0])
    for command, parameters in PARAMETERS.items()
    for parameter in parameters
    if parameter.param_type_name == "option" and "Path" in HINTS[command, parameter.name]
]
"""Every option of every command that names a file to write; such options are paths."""
INPUTS = [
    (command, parameter.opts[0], parameter.metavar)
    for command, parameters in PARAMETERS.items()
    for parameter in parameters
    if parameter.param_type_name == "option"
    and parameter.metavar in ("FILE", "DIR")
    and (command, parameter.opts[0]) not in OUTPUTS
]
"""Every option of every command that names a file or folder to read; such options are text."""
full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


@pytest.fixture(autouse=True)
def here(files: Path, history: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    Path("history.jsonl").write_bytes(history)
    return files


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What `history show` reads, made once."""
    folder = tmp_path_factory.mktemp("history")
    make_files(folder)
    for release in ("v1", "v2"):
        uj.add_release(folder / "qrels.txt", folder / "runs" / "old.run", folder / "h", "P@2", release=release)
    return (folder / "h").read_bytes()


@pytest.fixture(autouse=True)
def _charts(request: pytest.FixtureRequest) -> None:
    if "--plot" in request.node.name:
        pytest.importorskip("altair")
        pytest.importorskip("vl_convert")


def test_every_command_and_every_output_is_looked_at_here() -> None:
    assert set(EVERY) == set(PARAMETERS)
    assert {option for _, option in OUTPUTS} == set(ENDINGS)
    assert {command for command, _ in OUTPUTS} >= {
        "doctor",
        "score",
        "compare",
        "relative",
        "judges",
        "reuse",
        "report",
    }
    assert {("report", "--topics", "FILE"), ("relative", "--order", "FILE"), ("reuse", "--store", "DIR")} <= set(INPUTS)
    assert len(INPUTS) > 20


@pytest.mark.parametrize("way", ["link", "hard link"])
@pytest.mark.parametrize("read", ["qrels.txt", "runs/old.run"])
@pytest.mark.parametrize(("command", "option"), [one for one in OUTPUTS if one[0] != "history show"])
def test_an_input_is_not_written_over(
    unjudged: Command, here: Path, command: str, option: str, read: str, way: str
) -> None:
    output = Path(f"out{ENDINGS[option]}")
    output.hardlink_to(read) if way == "hard link" else output.symlink_to(read)
    before = contents(here)
    done = unjudged(command, *EVERY[command], option, output)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"unjudged: {output}: this is the same file as the input {here / read}; write to another file\n"
    assert contents(here) == before


@pytest.mark.parametrize("option", ["--output", "--plot"])
def test_nor_is_a_history(unjudged: Command, here: Path, option: str) -> None:
    output = Path(f"out{ENDINGS[option]}")
    output.symlink_to("history.jsonl")
    before = contents(here)
    done = unjudged("history show", "history.jsonl", option, output)
    said = f"unjudged: {output}: this is the same file as the input {here}/history.jsonl; write to another file\n"
    assert (done.code, done.out, done.err) == (2, "", said)
    done = unjudged("history add", "qrels.txt", "runs/old.run", "--history", "runs/old.run")
    said = f"unjudged: runs/old.run: this is the same file as the input {here}/runs/old.run; write to another file\n"
    assert (done.code, done.out, done.err) == (2, "", said)
    assert contents(here) == before


@pytest.mark.parametrize("command", ["doctor", "score", "compare", "relative", "reuse", "properties", "report"])
def test_nor_under_its_own_name(unjudged: Command, here: Path, command: str) -> None:
    before = contents(here)
    for read in ("qrels.txt", "runs/new.run"):
        for runs in ("runs", "runs/*.run", "runs/new.run"):
            done = unjudged(command, "qrels.txt", runs, *EVERY[command][2:], "-o", read)
            assert done.err == (
                f"unjudged: {read}: this is the same file as the input {here / read}; write to another file\n"
            )
    assert contents(here) == before


@pytest.mark.parametrize(("command", "option", "kind"), INPUTS)
def test_nothing_that_any_option_names_is_written_over(
    unjudged: Command, here: Path, command: str, option: str, kind: str
) -> None:
    Path("groups").write_text("old\nnew\n" if option == "--order" else "old a\nnew b\n")
    Path("docs.tsv").write_text("a\tsome words\n")
    options = [option, "kept" if kind == "DIR" else "groups"]
    if option in ("--stem", "--stop-words", "--term-counts", "--text-cache"):
        options += ["--texts", "docs.tsv"]
    output = "groups"
    if kind == "DIR":
        Path("kept").mkdir()
        output = "kept/x"
        Path(output).write_text("something")
    before = contents(here)
    done = unjudged(command, *EVERY[command], *options, "--history" if command == "history add" else "-o", output)
    assert (done.code, done.out) == (2, "")
    assert (
        done.err
        == {
            "FILE": f"unjudged: groups: this is the same file as the input {here}/groups; write to another file\n",
            "DIR": f"unjudged: kept/x: what is in {here}/kept is read and written by the tool; write elsewhere\n",
        }[kind]
    )
    assert contents(here) == before


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("score", ("--holes", "labels(other)")),
        ("score", ("--holes", "bootstrap(prior=labels,labels=other)")),
        ("reuse", ("--holes", "labels(other)")),
        ("relative", ("--holes", "labels(other)")),
        ("report", ("--holes", "labels(other)")),
        ("relative", ("--prior-run", "other")),
    ],
)
def test_nor_the_files_inside_of_names(unjudged: Command, here: Path, command: str, options: tuple[str, ...]) -> None:
    Path("other").write_bytes(Path("runs/old.run" if "--prior-run" in options else "qrels.txt").read_bytes())
    before = contents(here)
    done = unjudged(command, *EVERY[command], *options, "-o", "other")
    assert done.err == f"unjudged: other: this is the same file as the input {here}/other; write to another file\n"
    assert contents(here) == before


def test_nor_what_comes_through_standard_input(here: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m unjudged score - runs -o qrels.txt < qrels.txt",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        2,
        "unjudged: qrels.txt: this is the same file as the input -; write to another file\n",
    )
    assert Path("qrels.txt").read_text().startswith("1 0 a 2\n")


@pytest.mark.parametrize(("command", "option"), [one for one in OUTPUTS if one[1] != "--output"])
def test_two_outputs_are_two_files(unjudged: Command, here: Path, command: str, option: str) -> None:
    output = f"out{ENDINGS[option]}"
    done = unjudged(command, *EVERY[command], "-o", output, option, f"./{output}")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"unjudged: {output}: this is the same file as the output {output}; write to another file\n"
    done = unjudged(command, *EVERY[command], option, output, option, here / output)
    assert done.err == (
        f"unjudged: {here / output}: this is the same file as the output {output}; write to another file\n"
    )
    assert not Path(output).exists()


def test_devices_may_be_named_twice(unjudged: Command, here: Path) -> None:
    Path("null.tex").symlink_to("/dev/null")
    done = unjudged("score", *EVERY["score"], "-o", "/dev/null", "--methods", "null.tex", "--methods", "null.tex")
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("score qrels.txt runs >> qrels.txt", "standard output: this is the same file as the input {here}/qrels.txt"),
        ("report qrels.txt runs -o page.html > page.html", "standard output: this is the same file as the output page"),
        ("score qrels.txt runs --methods x.txt > x.txt", "x.txt: this is the same file as the output standard output"),
    ],
)
def test_standard_output_is_a_file_as_any_other(here: Path, arguments: str, said: str) -> None:
    before = contents(here)
    done = subprocess.run(
        f"{sys.executable} -m unjudged {arguments}", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"unjudged: {said.format(here=here)}")
    assert {name: held for name, held in contents(here).items() if held} == before


def test_standard_output_by_its_name_goes_on_where_it_is(here: Path) -> None:
    command = f"{sys.executable} -m unjudged score qrels.txt runs/old.run --quiet -m P@2 -o /dev/stdout"
    subprocess.run(f"(echo first; {command}; echo last) >> log", shell=True, check=True)
    lines = Path("log").read_text().splitlines()
    assert [lines[0], lines[1].split(), lines[-1]] == ["first", ["run", "P@2", "judged@2"], "last"]


# What cannot be written is an error, and what was there before stays.


@full_device
@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_a_full_device_is_an_error(unjudged: Command, here: Path, command: str, option: str) -> None:
    output = Path(f"full{ENDINGS[option]}")
    output.symlink_to("/dev/full")
    done = unjudged(command, *EVERY[command], option, output)
    assert done.code == 2
    assert done.err == f"unjudged: {output}: cannot be written: No space left on device\n"


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_a_full_disk_leaves_what_was_there(unjudged: Command, here: Path, command: str, option: str) -> None:
    output = Path(f"out{ENDINGS[option]}")
    output.write_text("the result of another day")
    before = contents(here)
    with full_disk():
        done = unjudged(command, *EVERY[command], option, output)
    assert done.code == 2
    assert done.err == f"unjudged: {output}: cannot be written: File too large\n"
    assert contents(here) == before


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_what_can_be_written_is_written(unjudged: Command, here: Path, command: str, option: str) -> None:
    output = Path(f"out{ENDINGS[option]}")
    output.write_text("the result of another day")
    done = unjudged(command, *EVERY[command], option, output)
    assert (done.code, done.err) == (3 if command == "gate" else 0, "")  # its answer is undecided
    assert output.stat().st_size > 0
    assert output.read_text() != "the result of another day"


PRINTING = {**{name: (name, *arguments) for name, arguments in EVERY.items()}, "--help": ("--help",)}
PRINTING |= {"score --help": ("score", "--help"), "--version": ("--version",), "measures nDCG": ("measures", "nDCG")}


@full_device
@pytest.mark.parametrize("name", PRINTING)
def test_a_full_standard_output_is_an_error(unjudged: Command, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name == "demo":
        monkeypatch.setattr(walkthrough, "steps", lambda _: [])
    with Path("/dev/full").open("w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        done = unjudged(*PRINTING[name])
    assert done.code == 2
    assert done.err.splitlines()[-1] == "unjudged: standard output: cannot be written: No space left on device"


def test_a_standard_output_that_python_does_not_buffer(unjudged: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with io.TextIOWrapper(open("/dev/full", "wb", buffering=0), write_through=True) as stream:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", stream)
        done = unjudged("--help")
        assert (done.code, done.err) == (2, "unjudged: standard output: cannot be written: No space left on device\n")


_CLOSED = """
import json, os, sys, tempfile
from pathlib import Path
from unjudged.cli import main
import unjudged.cli.app
found = {}
for name, arguments in json.loads(sys.argv[1]).items():
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            os.dup2(said.fileno(), 2)
            os.close(1)  # which is what was opened last: nothing else was there
            main(arguments)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        found[name] = code, said.read().decode()
Path("found.json").write_text(json.dumps(found))
"""
"""Runs commands as ``>&-`` does, each in a process of its own; all at once, since starting takes longest."""


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory, history: bytes) -> tuple[Path, dict[str, tuple[int, str]]]:
    """A folder in which all commands were tried with a standard output that is closed; their exit codes and errors."""
    folder = tmp_path_factory.mktemp("closed")
    make_files(folder)
    (folder / "history.jsonl").write_bytes(history)
    script = [sys.executable, "-c", _CLOSED, json.dumps(PRINTING)]
    subprocess.run(["sh", "-c", '"$@" >&-', "sh", *script], cwd=folder, check=True)
    return folder, json.loads((folder / "found.json").read_text())


def test_what_is_opened_in_place_of_a_closed_standard_output_is_not_written_to(here: Path) -> None:
    script = "import sys; from unjudged.cli import main; kept = open('kept', 'w'); main(sys.argv[1:])"
    command = ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-c", script, "--version"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "unjudged: standard output: cannot be written: it is closed\n")
    assert Path("kept").read_text() == ""


@pytest.mark.parametrize("name", PRINTING)
def test_a_closed_standard_output_is_an_error(closed: tuple[Path, dict[str, tuple[int, str]]], name: str) -> None:
    folder, result = closed
    if name == "report":  # the page is what it was asked for; whoever closes the screen does not want the sentences
        assert result[name] == [0, ""]
        assert (folder / "report.html").read_text().startswith("<!doctype html>")
    else:
        assert result[name] == [2, "unjudged: standard output: cannot be written: it is closed\n"]
        assert not (folder / "unjudged-demo").exists()


def test_with_a_file_to_write_to_standard_output_may_be_closed(here: Path) -> None:
    command = f"{sys.executable} -m unjudged score qrels.txt runs --quiet -m P@2 -o out.txt"
    done = subprocess.run(f"{command} >&- 0<&-", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path("out.txt").read_text().startswith("run")
    done = subprocess.run(f"{command[:-7]}/dev/stdout >&-", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "unjudged: /dev/stdout: cannot be written: it is closed\n")


def test_the_demo_writes_into_no_folder_that_has_something_in_it(unjudged: Command, here: Path) -> None:
    before = contents(here)
    for folder, problem in ((".", "the directory is not empty; give a new one"), ("qrels.txt", "this is a file")):
        done = unjudged("demo", folder)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"unjudged: {folder}: {problem}")
    assert contents(here) == before
