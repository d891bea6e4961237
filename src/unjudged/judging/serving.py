"""Serving a project: an address, links for those who judge, a browser, and an end after which all is in the file."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import quote, urlsplit

from unjudged.errors import FileError, InputError, MissingExtraError
from unjudged.judging.outlook import OutlookWorker
from unjudged.judging.project import Project
from unjudged.wording import shortened, visible

try:
    import uvicorn

    from unjudged.judging.access import Access, is_loopback
    from unjudged.judging.server import make_app
    from unjudged.judging.writer import Writer
except ImportError as missing:
    package = (missing.name or "").partition(".")[0]
    if package not in ("starlette", "uvicorn"):
        raise
    raise MissingExtraError(package, "judge", "a page to judge on") from None

__all__ = ["PORT", "Serving", "serve"]

PORT = 8765
"""The port, where it is free and nobody asks for another."""
_LARGEST_HEADERS = 16 * 1024
_MOST_AT_ONCE = 1000
_PATIENCE = 3
"""Seconds that requests have to end once the server is stopped."""


class Serving:
    """A project at an address, which is taken before anything is said of it.

    *address*: where others reach it, if that is elsewhere, as behind a proxy.
    """

    def __init__(
        self, project: Project, host: str = "127.0.0.1", port: int | None = None, address: str | None = None
    ) -> None:
        if project.read_only:
            raise FileError(
                project.path,
                "cannot be judged where it is: the file or its folder is read-only; copy it to where you may write",
            )
        self.project = project
        self._elsewhere = None if address is None else _checked_address(address)
        self._socket = _bound(host, port)
        self.port: int = self._socket.getsockname()[1]
        self._host = host
        try:
            project.lock(self.address)
        except BaseException:
            self._socket.close()
            raise
        self.access = Access(project)
        self._server: _Server | None = None

    @property
    def address(self) -> str:
        """Where the page is, for a browser of this machine or, if the server listens to others, of another one."""
        if self._elsewhere is not None:
            return self._elsewhere
        host = self._host
        if host in ("0.0.0.0", "::", ""):  # noqa: S104  # listening everywhere was asked for; it is no address to go to
            host = socket.gethostname()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def link(self, token: str) -> str:
        """What an assessor opens; what stands behind # is not sent to the server as an address."""
        return f"{self.address}/join#{quote(token, safe='')}"

    def ticket(self, name: str) -> str:
        """A link that is good for one use, for the browser that is opened here."""
        return self.link(self.access.ticket(name))

    def run(self, started: Callable[[], Any] = lambda: None) -> None:
        """Serve until somebody stops it (Ctrl-C, SIGTERM, :meth:`stop`); then everything is in the file."""
        writer, worker = Writer(self.project), OutlookWorker(self.project)
        names = set() if is_loopback(self._host) else {self._host, socket.gethostname(), socket.getfqdn()}
        if self._elsewhere is not None:
            names.add(urlsplit(self._elsewhere).hostname or "")
        config = uvicorn.Config(
            make_app(self.project, writer, self.access, worker, names=names),
            log_config=None,
            access_log=False,  # addresses hold no secrets, and still nobody needs a list of them
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            limit_concurrency=_MOST_AT_ONCE,
            timeout_graceful_shutdown=_PATIENCE,
            h11_max_incomplete_event_size=_LARGEST_HEADERS,
            http="h11",
        )
        self._server = _Server(config, started)
        try:
            with _ended_by_sigterm(), suppress(KeyboardInterrupt):
                self._server.run(sockets=[self._socket])
        finally:
            writer.close()
            self._socket.close()
            worker.close()

    def stop(self) -> None:
        """End :meth:`run`, from another thread."""
        if self._server is not None:
            self._server.should_exit = True


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], Any]) -> None:
        super().__init__(config)
        self._ready = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """SIGTERM ends as Ctrl-C does; uvicorn sends itself what it got once it has stopped, which would end us at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def serve(
    project: Project,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    address: str | None = None,
    browser: bool = True,
    tokens: Mapping[str, str] | None = None,
    say: Callable[[str], Any] = print,
) -> None:
    """Serve a project until it is stopped. *tokens*: those that links are printed of, by name.

    Without one of the lead, a link for one use is printed; a browser that is opened here gets such a link, too.
    """
    serving = Serving(project, host, port, address)
    lead = next((one.name for one in project.assessors if one.lead), None)
    for name, token in (tokens or {}).items():
        say(f"{visible(name)}: {serving.link(token)}")
    if lead is not None and lead not in (tokens or {}):
        say(f"{visible(lead)}, for one use: {serving.ticket(lead)}")
    if not (is_loopback(host) or serving.address.startswith("https:")):
        say(
            "Others can reach this address, and nothing on the way is encrypted; docs/judge.md says how to change that."
        )

    def started() -> None:
        say(f"Judging {visible(project.path)} at {serving.address}; Ctrl-C stops it, and everything is in the file.")
        if browser and lead is not None:
            threading.Thread(target=webbrowser.open, args=(serving.ticket(lead),), daemon=True).start()

    serving.run(started)


def _checked_address(address: str) -> str:
    """Where a proxy stands: a name, perhaps with a port, and nothing else."""
    try:
        parts = urlsplit(address)
        name, _ = parts.hostname, parts.port
    except ValueError:
        name = None
    if name is None or address.rstrip("/") != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc:
        name = None
    if name is None or parts.scheme not in ("http", "https"):
        raise InputError(f"an address is one such as https://judge.example.org, not {shortened(address)}")
    return address.rstrip("/")


def _bound(host: str, port: int | None) -> socket.socket:
    """A socket at an address, or one line about why there is none."""
    try:
        found = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InputError(f"there is no address of this machine called {host!r}; give --host 127.0.0.1") from None
    family, _, _, _, where = found[0]
    for tried in (port,) if port is not None else (PORT, 0):
        # Named as TCP, so that asyncio sends what it has at once: the end of an answer waited 40 ms for the other side.
        taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":  # there it would let two servers have one port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind((where[0], tried, *where[2:]))
            taken.listen(128)
        except OSError as problem:
            taken.close()
            if port is not None:
                words = f"cannot listen at {host} port {port}: {problem.strerror}; give another --port, or none"
                raise InputError(words) from None
        except OverflowError:
            taken.close()
            raise InputError(f"a port is a number from 1 to 65535, not {port}") from None
        else:
            return taken
    raise InputError(f"cannot listen at {host}; give --host 127.0.0.1")
