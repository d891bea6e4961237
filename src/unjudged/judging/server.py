"""What the page asks and is answered: a Starlette application around a project.

Whatever writes goes through the :class:`Writer`, so that it is durable before it is confirmed; what reads does so in
another thread, of the last state that is on disk. Assessors are told nothing of runs, ranks, labels or each other.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from unjudged.errors import FileError, UnjudgedError
from unjudged.judging.access import Access, Guard, RefusedError, json_of
from unjudged.judging.exporting import ExportFormat
from unjudged.judging.outlook import OutlookWorker
from unjudged.judging.project import Project
from unjudged.judging.records import JudgmentRow, Task
from unjudged.judging.writer import Writer
from unjudged.results.next_judgments import NextJudgments
from unjudged.version import __version__
from unjudged.wording import visible

__all__ = ["make_app"]

_PAGES = {"/": "judge.html", "/adjudicate": "judge.html", "/lead": "lead.html", "/join": "join.html"}
_KINDS = {".css": "text/css", ".html": "text/html", ".js": "text/javascript"}
_SHARED = ("theme.css", "elements.js")
"""Files of the report that these pages use, too."""
_MOST_TASKS = 10
_MOST_LISTED = 50
_PAIRS_SHOWN = 200
_EXPORTS: dict[ExportFormat, str] = {"qrels": "qrels.txt", "jsonl": "judgments.jsonl", "csv": "judgments.csv"}
_FIELDS = ("grade", "note", "flagged", "seconds", "text_sha256", "guidelines", "key")


def make_app(
    project: Project, writer: Writer, access: Access, worker: OutlookWorker, *, names: Iterable[str] = ()
) -> ASGIApp:
    """The application of a project; *names*: hosts by which this machine may be asked for beside its loopback."""
    desk = _Desk(project, writer, access, worker)
    routes = [
        *(Route(path, _file(files(__package__).joinpath("page", name), name)) for path, name in _PAGES.items()),
        *(Route(f"/page/{name}", _file(where.joinpath(name), name)) for where, name in _page_files()),
        Route("/api/join", desk.join, methods=["POST"]),
        Route("/api/me", desk.me),
        Route("/api/next", desk.next, methods=["POST"]),
        Route("/api/record", desk.record, methods=["POST"]),
        Route("/api/undo", desk.undo, methods=["POST"]),
        Route("/api/progress", desk.progress),
        Route("/api/lead/outlook", desk.outlook),
        Route("/api/lead/disagreements", desk.disagreements),
        Route("/api/lead/adjudicate", desk.adjudicate, methods=["POST"]),
        Route("/api/lead/export", desk.export),
    ]
    handlers: dict[Any, Callable[..., Any]] = {
        RefusedError: lambda _, problem: _error(problem.status, str(problem)),
        FileError: lambda _, problem: _error(503, str(problem)),
        UnjudgedError: lambda _, problem: _error(400, str(problem)),
        HTTPException: lambda _, problem: _error(problem.status_code, "there is nothing here that answers this"),
        Exception: lambda _, __: _error(500, "the server failed on this; its own output says why"),
    }
    return Guard(Starlette(routes=routes, exception_handlers=handlers), names)


def _page_files() -> list[tuple[Any, str]]:
    own, report = files(__package__).joinpath("page"), files("unjudged.reports").joinpath("page")
    mine = sorted(one.name for one in own.iterdir() if Path(one.name).suffix in (".css", ".js"))
    return [*((own, name) for name in mine), *((report, name) for name in _SHARED)]


def _file(where: Any, name: str) -> Callable[[Request], Response]:
    """Answers with a file, which is read once; no path is ever made of what was asked."""
    content = where.read_bytes()
    kind = f"{_KINDS[Path(name).suffix]}; charset=utf-8"
    return lambda _: Response(content, headers={"content-type": kind})


def _error(status: int, line: str) -> JSONResponse:
    return JSONResponse({"error": visible(line)}, status)


class _Desk:
    """The answers."""

    def __init__(self, project: Project, writer: Writer, access: Access, worker: OutlookWorker) -> None:
        self._project = project
        self._writer = writer
        self._access = access
        self._worker = worker

    async def join(self, request: Request) -> Response:
        """Exchange the token of a link for a cookie."""
        return await self._access.join(request, (await json_of(request)).get("token"))

    async def me(self, request: Request) -> Response:
        """Who is asking, and what they need to know once."""
        who = await self._access.who(request)
        guidelines = await asyncio.to_thread(self._project.guidelines)
        return JSONResponse(
            {
                "project": visible(Path(self._project.path).stem),
                "made": self._project.settings["made"],
                "assessor": who.name,
                "lead": who.lead,
                "grades": [{"grade": grade, "meaning": words} for grade, words in self._project.grades.items()],
                "guidelines": {"version": guidelines.version, "markdown": guidelines.markdown},
                "version": __version__,
            }
        )

    async def next(self, request: Request) -> Response:
        """The documents to judge next."""
        who = await self._access.who(request)
        number = _number((await json_of(request)).get("number", 2))
        tasks = await self._writer.do(lambda: self._project.next(who, number))
        return JSONResponse({"tasks": [_task(one) for one in tasks]})

    async def record(self, request: Request) -> Response:
        """Keep a judgment, and give the documents to judge after it."""
        who = await self._access.who(request)
        sent = await json_of(request)
        pair, kind, number = sent.get("pair"), sent.get("kind"), _number(sent.get("number", 2))
        given = {name: sent[name] for name in _FIELDS if name in sent}

        def work() -> tuple[Any, tuple[Task, ...]]:
            recorded = self._project.record(who, pair, kind, **given)  # type: ignore[arg-type]  # it checks them
            return recorded, self._project.next(who, number)

        recorded, tasks = await self._writer.do(work)
        self._worker.judged()
        return JSONResponse({"recorded": recorded._asdict(), "tasks": [_task(one) for one in tasks]})

    async def undo(self, request: Request) -> Response:
        """Take the last judgment back, and give its document again."""
        who = await self._access.who(request)
        key = (await json_of(request)).get("key")
        task = await self._writer.do(lambda: self._project.undo(who, key=key))
        return JSONResponse({"task": None if task is None else _task(task)})

    async def progress(self, request: Request) -> Response:
        """How far all of it is, some topics, and whoever asks."""
        who = await self._access.who(request)
        topics = set(request.query_params.getlist("topic"))
        found = await asyncio.to_thread(self._project.progress, who)
        outlook = self._project.outlook()
        mine = found.assessors[0]
        return JSONResponse(
            {
                "judged": found.judged,
                "pairs": found.pairs,
                "mine": mine.judged,
                "seconds": mine.seconds,
                "topics": {row.topic: [row.judged, row.pairs] for row in found.topics if row.topic in topics},
                "stop": outlook is not None and bool(outlook.goals()) and outlook.answered,
                "disputed": found.disputed if who.lead else None,
            }
        )

    async def outlook(self, request: Request) -> Response:
        """What the judgments say so far, and how the work goes: the lead's view."""
        await self._access.who(request, lead=True)
        return JSONResponse(await asyncio.to_thread(self._outlook))

    def _outlook(self) -> dict[str, Any]:
        progress, agreement, outlook = self._project.progress(), self._project.agreement(), self._project.outlook()
        return {
            "progress": _plain(vars(progress)),
            "agreement": _plain(vars(agreement)),
            "outlook": None if outlook is None else _outlook_shown(outlook),
            "problem": self._worker.problem,
        }

    async def disagreements(self, request: Request) -> Response:
        """What waits for the lead's decision; with texts, the first few."""
        await self._access.who(request, lead=True)
        texts = "texts" in request.query_params
        most = _MOST_TASKS if texts else _MOST_LISTED
        tasks = await asyncio.to_thread(self._project.disagreements, most)
        return JSONResponse({"tasks": [_task(one, text=texts) for one in tasks]})

    async def adjudicate(self, request: Request) -> Response:
        """Keep the lead's decision."""
        who = await self._access.who(request, lead=True)
        sent = await json_of(request)
        pair, grade, note, key = (sent.get(name) for name in ("pair", "grade", "note", "key"))
        recorded = await self._writer.do(
            lambda: self._project.adjudicate(who, pair, grade, "" if note is None else note, key=key)  # type: ignore[arg-type]
        )
        self._worker.judged()
        return JSONResponse({"recorded": recorded._asdict()})

    async def export(self, request: Request) -> Response:
        """All judgments as a file."""
        await self._access.who(request, lead=True)
        form = next((one for one in _EXPORTS if one == request.query_params.get("format", "qrels")), None)
        if form is None:
            raise RefusedError(400, f"judgments are exported as {', '.join(_EXPORTS)}")
        text = await asyncio.to_thread(self._project.exported, form)
        saved_as = f'attachment; filename="{_EXPORTS[form]}"'
        return Response(text, media_type="application/octet-stream", headers={"content-disposition": saved_as})


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise RefusedError(400, "a number of documents is a whole number from 1")
    return min(value, _MOST_TASKS)


def _task(task: Task, *, text: bool = True) -> dict[str, Any]:
    """A document for the page. What cannot be seen in a name is shown as an escape; a text stays as it is."""
    return {
        "pair": task.pair,
        "topic": visible(task.topic),
        "doc": visible(task.doc),
        "title": task.title,
        "description": task.description,
        "narrative": task.narrative,
        "doc_title": task.doc_title,
        "text": task.text if text else None,
        "link": task.link,
        "text_sha256": task.text_sha256,
        "guidelines": task.guidelines,
        "adjudicate": task.adjudicate,
        "earlier": [_said(row) for row in task.earlier],
    }


def _said(row: JudgmentRow) -> dict[str, Any]:
    return {
        "assessor": row.assessor,
        "kind": row.kind,
        "grade": row.grade,
        "note": row.note,
        "flagged": row.flagged,
        "at": row.at,
    }


def _outlook_shown(outlook: NextJudgments) -> dict[str, Any]:
    """What the lead sees of an outlook; not the order of documents."""
    pairs = sorted(outlook.pairs(), key=lambda row: row.verdict != "undecided")
    return {
        "strategy": outlook.strategy,
        "measure": outlook.measure,
        "risk": outlook.risk,
        "judged": outlook.judged,
        "left": outlook.left,
        "answered": bool(outlook.goals()) and outlook.answered,
        "runs": _plain(outlook.runs()),
        "goals": _plain(outlook.goals()),
        "recall": _plain(outlook.recall()),
        "counts": {verdict: outlook.count(verdict) for verdict in ("certain", "likely", "undecided")},
        "pairs": _plain(pairs[:_PAIRS_SHOWN]),
        "warnings": [one.message for one in outlook.warnings],
    }


def _plain(value: Any) -> Any:
    """Rows as objects; numbers that are not defined are null, as JSON has none."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
