"""unjudged judge"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from unjudged.cli import EXIT_ANSWERED, completing, options, streams
from unjudged.cli.declared import Ended, argument
from unjudged.cli.options import option
from unjudged.errors import FileError, InputError

if TYPE_CHECKING:
    from unjudged.judging import Project

__all__ = ["judge"]

PLACE = 48

_MAKING = "Options for a new project"


def judge(
    project: str = argument(metavar="PROJECT", help="The project: a file, which --runs makes."),
    runs: list[str] | None = option(
        "--runs RUN",
        "Make a project of what these runs have on top: files, a directory or a quoted glob; repeat for more.",
        rich_help_panel=_MAKING,
    ),
    qrels: str | None = option("--qrels QRELS", "Judgments that there are already.", rich_help_panel=_MAKING),
    topics: str | None = option(
        "--topics TOPICS",
        "What topics ask for: TREC's format, JSON lines, or 'topic TAB text'.",
        rich_help_panel=_MAKING,
    ),
    texts: list[str] | None = option(
        "--texts TEXTS", "What documents say; repeat for more. They are kept in the project.", rich_help_panel=_MAKING
    ),
    link: str | None = option(
        "--link ADDRESS", "Where documents can be looked at: 'https://.../{doc}'.", rich_help_panel=_MAKING
    ),
    strategy: str = option(
        "--strategy NAME",
        "What is judged first, as for next.",
        "decide",
        autocompletion=completing.strategies,
        rich_help_panel=_MAKING,
    ),
    measure: list[str] | None = options.measure(
        "What runs are compared by; one measure.", show_default="nDCG@10", rich_help_panel=_MAKING
    ),
    goal: list[str] | None = option(
        "--goal GOAL",
        "What is to be known, as for next; repeat for more.",
        show_default="order",
        rich_help_panel=_MAKING,
    ),
    labels: list[str] | None = option(
        "--labels LABELS",
        "Labels of other judges, such as language models: they order the work, and nobody sees them.",
        rich_help_panel=_MAKING,
    ),
    grades: str | None = option(
        "--grades SCALE",
        "Grades from 0 to 9, with their meaning, such as '0=not relevant,1=relevant'.",
        show_default="up to the highest in QRELS, or 1",
        rich_help_panel=_MAKING,
    ),
    depth: int | None = option(
        "--depth N",
        "The first N documents of every run may be judged.",
        show_default="the cut-off of the measure",
        rich_help_panel=_MAKING,
    ),
    overlap: str = option("--overlap P", "The share that two assessors judge.", "10%", rich_help_panel=_MAKING),
    seed: int = options.seed(rich_help_panel=_MAKING),
    assessor: list[str] | None = option("--assessor NAME", "Who judges; repeat for more. They can also come later."),
    lead: str | None = option(
        "--lead NAME",
        "Who also sees what the judgments say, and decides where assessors differ.",
        show_default="the only assessor, or 'lead'",
    ),
    guidelines: str | None = option(
        "--guidelines TEXT.md", "What assessors read beside the work; may be changed later."
    ),
    links: bool = option("--links", "Print new links for all who judge.", False),
    revoke: list[str] | None = option("--revoke NAME", "Make all links of an assessor useless; repeat for more."),
    host: str = option("--host ADDRESS", "Where to listen.", "127.0.0.1"),
    port: int | None = option("--port N", "The port to listen at.", show_default="8765, or a free one"),
    address: str | None = option(
        "--address ADDRESS", "Where others reach it, if that is elsewhere, as 'https://judge.example.org' of a proxy."
    ),
    no_browser: bool = option("--no-browser", "Do not open a browser.", False),
    import_: list[str] | None = option(
        "--import JUDGMENTS",
        "Bring in judgments: qrels, JSON lines, or an export of Label Studio, Argilla or Quepid; repeat for more.",
    ),
    merge: list[str] | None = option("--merge PROJECT", "Bring in what another project has; conflicts are listed."),
    export: list[str] | None = option(
        "--export OUT", "Write qrels, or .jsonl with who judged what, or the history as .csv; repeat for more."
    ),
    status: bool = option("--status", "Say how far the work is. Exit code 3 when the goals are reached.", False),
    quiet: bool = option("--quiet", "No warnings.", False, callback=options.silence, is_eager=True),
) -> None:
    """Judge documents in a browser, alone or with others; everything is kept in one file.

    With --import, --merge, --export or --status it does that, and serves nothing; others may be judging meanwhile.

    Examples:
        unjudged judge work.unjudged --runs runs/ --topics topics.tsv --texts docs.jsonl
        unjudged judge work.unjudged
        unjudged judge work.unjudged --export judged.qrels --export who.jsonl --export history.csv
    """
    works = import_ or merge or export or status
    if not works:
        from unjudged.judging.serving import serve  # now, so that what is missing is said before the work
    is_new = not os.path.lexists(project)
    making: dict[str, Any] = {
        "qrels": qrels, "topics": topics, "texts": texts, "link": link, "measure": measure, "goal": goal,
        "labels": labels, "depth": depth,
    }  # fmt: skip
    if not is_new:
        _refuse_making(project, {"runs": runs, **making})
    elif runs is None:
        raise FileError(project, "no such project; give --runs to make one")
    else:
        making |= {
            "measure": options.one_measure(measure) if measure else None,
            "goal": goal or (),
            "strategy": strategy,
            "grades": None if grades is None else _read_grades(grades),
            "overlap": _read_share(overlap),
            "seed": seed,
            "assessors": assessor or ["assessor"],
            "lead": lead,
        }
        _make(project, runs, making)
    from unjudged.judging import Project

    with Project(project) as opened:
        tokens = _people(opened, assessor or [], lead, revoke or [], everybody=is_new or links)
        _set_guidelines(opened, guidelines)
        if works:
            _do(opened, import_ or [], merge or [], export or [])
            if status and _say_status(opened):
                raise Ended(EXIT_ANSWERED)
            return
        if not tokens:
            print("Links that were given out are still good; --links prints new ones.")
        serve(opened, host=host, port=port, address=address, browser=not no_browser, tokens=tokens)
        _say_end(opened)


def _refuse_making(project: str, given: dict[str, Any]) -> None:
    """What a project is made of stays as it is: judgments would be about something else."""
    changed = [f"--{name}" for name, value in given.items() if value]
    if changed:
        options_words = ", ".join(changed)
        raise FileError(project, f"the project is there already; leave out {options_words}, or choose another name")


def _make(project: str, runs: list[str], making: dict[str, Any]) -> None:
    from unjudged.judging import Project

    Project.create(project, runs=runs, **making).close()


def _read_grades(text: str) -> dict[int, str]:
    """A scale such as ``0=no,1=yes``; a meaning may have an equals sign, but no comma."""
    scale: dict[int, str] = {}
    for part in text.split(","):
        grade, _, meaning = part.partition("=")
        if not grade.strip().isdecimal() or int(grade) in scale:
            raise InputError(f"--grades is a scale such as '0=not relevant,1=relevant', not {text!r}")
        scale[int(grade)] = meaning.strip() or grade.strip()
    return scale


def _read_share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise InputError(f"--overlap is a share such as 10% or 0.1, not {text!r}") from None


def _people(
    project: Project, names: list[str], lead: str | None, revoked: list[str], *, everybody: bool
) -> dict[str, str]:
    """Who judges; and tokens for links, of those who are new or of *everybody*."""
    known = {one.name for one in project.assessors}
    tokens = {name: project.add_assessor(name, lead=name == lead) for name in dict.fromkeys(names) if name not in known}
    if lead is not None and lead not in known and lead not in tokens:
        tokens[lead] = project.add_assessor(lead, lead=True)
    for name in revoked:
        project.revoke_tokens(name)
    if everybody:
        tokens |= {
            one.name: project.new_token(one.name) for one in project.assessors if one.person and one.name not in tokens
        }
    return tokens


def _set_guidelines(project: Project, path: str | None) -> None:
    if path is None:
        return
    from unjudged.io.sources import line_blocks

    text = b"".join(line_blocks(path)).decode()
    if text != project.guidelines().markdown:
        project.set_guidelines(text)


def _do(project: Project, imported: list[str], merged: list[str], exported: list[str]) -> None:
    from unjudged.wording import counted, visible

    for path in imported:
        done = project.import_judgments(path)
        known = f", {done.known:,} were known" if done.known else ""
        new = f", {counted(done.new_pairs, 'document')} new to the project" if done.new_pairs else ""
        print(visible(f"{path}: {counted(done.added, 'judgment')} imported{known}{new}"))
    for path in merged:
        both = project.merge(path)
        print(visible(f"{path}: {counted(both.added, 'judgment')} new, {counted(len(both.conflicts), 'conflict')}"))
        for one in both.conflicts:
            about = f"topic {one.topic}, {one.doc}" if one.topic else one.doc
            print(visible(f"  {about}: {one.what}: {one.here} here, {one.there} there; {one.counts} counts"))
    for path in exported:
        project.export(path)


def _say_status(project: Project) -> bool:
    """Show how far the work is; whether the goals are reached."""
    from unjudged.judging.status import status_text

    outlook, problem = None, None
    try:
        outlook = project.refresh()
    except InputError as error:
        problem = str(error)
    streams.emit(status_text(project, outlook, problem, colour=streams.in_colour(None)), None)
    return outlook is not None and outlook.answered


def _say_end(project: Project) -> None:
    progress = project.progress()
    print(f"{progress.judged:,} of {progress.pairs:,} documents are judged; unjudged judge {project.path} goes on.")
