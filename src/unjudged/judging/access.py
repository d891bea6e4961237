"""Who may ask the server what: hosts, origins, sizes, tokens and cookies, and the headers that every answer has.

Three things keep other pages of the same browser out: the name in ``Host`` must be this server's (a page of somebody
else whose name was made to lead here keeps its own name), ``Origin`` must be the same, and the cookie is not sent with
what other pages ask (``SameSite=Strict``). Scripts cannot read it, and it is the only place where a token is after the
first load: the link that an assessor is given has it behind ``#``, which no browser sends to a server.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import secrets
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unjudged.judging.records import Assessor

if TYPE_CHECKING:
    from unjudged.judging.project import Project

__all__ = ["LONGEST_BODY", "Access", "Guard", "RefusedError", "is_loopback", "json_of"]

LONGEST_BODY = 64 * 1024
"""Bytes of a request."""
_LONGEST_ADDRESS = 16 * 1024
_BODY_SECONDS = 30.0
_REMEMBERED_SECONDS = 5.0
"""A token that was taken back is refused after this time at the latest."""
_COOKIE_DAYS = 30
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class RefusedError(Exception):
    """What is not answered, with the status and the line that say why."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server there."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Answers only what is meant for this server; goes around the whole application."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names} | _LOOPBACK

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_ENCODED]
            await send(message)

        try:
            self._check(Request(scope))
        except RefusedError as refusal:
            answer = JSONResponse({"error": str(refusal)}, refusal.status)
            await answer(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _check(self, request: Request) -> None:
        if len(request.scope["path"]) + len(request.scope["query_string"]) > _LONGEST_ADDRESS:
            raise RefusedError(414, "there is nothing at an address this long")
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0], request.scope):
            raise RefusedError(
                421, "this server is asked for under a name that is not its own; use the link that it printed"
            )
        for origin in request.headers.getlist("origin"):
            if origin not in (f"http://{hosts[0]}", f"https://{hosts[0]}"):
                raise RefusedError(403, "another page may not ask this server")
        # Links may lead here from elsewhere; data is asked for by this server's own pages.
        asked_by = request.headers.get("sec-fetch-site", "same-origin")
        if request.url.path.startswith("/api/") and asked_by not in ("same-origin", "none"):
            raise RefusedError(403, "another page may not ask this server")

    def _is_ours(self, host: str, scope: Scope) -> bool:
        """Whether a name is this server's. Ports differ where it is reached through a tunnel."""
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if name is None or parts.netloc != host or parts.username is not None or parts.path:
            return False
        own = (scope.get("server") or ("",))[0]  # the address at which the connection came in
        return name in self._names or name == own


_ENCODED = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]


async def json_of(request: Request) -> dict[str, Any]:
    """The JSON object that was sent, or a refusal; never more than is allowed is read."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(415, "send JSON, with Content-Type: application/json")
    try:
        body = await asyncio.wait_for(_body(request), _BODY_SECONDS)
    except TimeoutError:
        raise RefusedError(408, "the request did not end") from None
    try:
        found = json.loads(body.decode("utf-8"), parse_constant=_no_number)
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # half a character of \ud800 is in no UTF-8
    except (ValueError, RecursionError):
        raise RefusedError(400, "this is no JSON in UTF-8") from None
    if not isinstance(found, dict):
        raise RefusedError(400, "send a JSON object")
    return found


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise RefusedError(413, f"a request has at most {LONGEST_BODY // 1024} kB; make the note shorter")
    return bytes(body)


def _no_number(name: str) -> None:
    raise ValueError(name)


class Access:
    """Who is asking, by the token in their cookie."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._tickets: dict[bytes, str] = {}
        self._remembered: dict[bytes, tuple[float, Assessor]] = {}

    def ticket(self, name: str) -> str:
        """A token for one use, for the browser that is opened here: others on this machine may see its start."""
        ticket = secrets.token_urlsafe(32)
        self._tickets[_hash(ticket)] = name
        return ticket

    async def join(self, request: Request, token: Any) -> Response:
        """Keep a token in a cookie."""
        if not isinstance(token, str) or len(token) > 1000:
            raise RefusedError(400, "a token is text")
        name = self._used(token)
        if name is not None:
            token = await asyncio.to_thread(self._project.new_token, name)
        if await self._assessor(token) is None:
            raise RefusedError(401, "this link is not valid (any more); ask whoever gave it to you for a new one")
        answer = JSONResponse({"joined": True})
        answer.set_cookie(
            _cookie(request),
            token,
            max_age=_COOKIE_DAYS * 86400,
            path="/",
            httponly=True,
            samesite="strict",
            secure=request.headers.get("origin", "").startswith("https:"),
        )
        return answer

    async def who(self, request: Request, *, lead: bool = False) -> Assessor:
        """Who is asking, or a refusal."""
        token = request.cookies.get(_cookie(request), "")
        assessor = await self._assessor(token) if token else None
        if assessor is None:
            raise RefusedError(401, "this page does not know you; open the link that you were given")
        if lead and not assessor.lead:
            raise RefusedError(403, "only the lead may see this")
        return assessor

    def _used(self, ticket: str) -> str | None:
        """Whose ticket it is; it is none any more."""
        asked = _hash(ticket)
        found = [one for one in self._tickets if hmac.compare_digest(one, asked)]
        return self._tickets.pop(found[0]) if found else None

    async def _assessor(self, token: str) -> Assessor | None:
        # Hashes are looked up, so that times say nothing of a token; the project compares in constant time.
        asked, now = _hash(token), time.monotonic()
        if asked in self._remembered and now - self._remembered[asked][0] < _REMEMBERED_SECONDS:
            return self._remembered[asked][1]
        self._remembered.pop(asked, None)
        found = await asyncio.to_thread(self._project.assessor_of, token)
        if found is not None:
            self._remembered[asked] = now, found
        return found


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _cookie(request: Request) -> str:
    """Its name. Browsers give cookies of one port to all others of a machine; two projects must not mix them up."""
    return f"unjudged-{request.url.port or 80}"
