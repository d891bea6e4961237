"""A project that is served in this process, and whoever asks it: what tests of the server and of the page share."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from unjudged.judging import Project
from unjudged.judging.serving import Serving

SECONDS = 60
"""Longer than a busy machine takes for anything here."""
PEOPLE = ("lead", "ann", "bob")


def small_project(path: Path, docs: int = 6, **given: Any) -> Project:
    """Two topics with so many documents each, which have texts."""
    topics = {"t1": "solar power", "t2": "wind power"}
    run = {topic: {f"{topic}-d{i}": float(docs - i) for i in range(docs)} for topic in topics}
    texts = {doc: f"Document {doc} about {topics[topic]}." for topic, ranked in run.items() for doc in ranked}
    options = {"topics": topics, "texts": texts, "assessors": PEOPLE, "lead": "lead", "overlap": 0.0} | given
    return Project.create(path, None, {"secret-run-name": run, "other-run-name": run}, measure="P@5", **options)


@contextmanager
def served(project: Project, **given: Any) -> Iterator[Serving]:
    """The project at an address of this machine."""
    serving, ready = Serving(project, port=0, **given), threading.Event()
    thread = threading.Thread(target=serving.run, args=(ready.set,))
    thread.start()
    try:
        assert ready.wait(SECONDS)
        yield serving
    finally:
        serving.stop()
        thread.join(SECONDS)
        assert not thread.is_alive()


def client(serving: Serving, token: str | None = None, headers: Mapping[str, str] | None = None) -> httpx.Client:
    """Somebody who asks, with the cookie that the token is exchanged for."""
    asking = httpx.Client(base_url=f"http://127.0.0.1:{serving.port}", headers=headers, timeout=SECONDS)
    if token is not None:
        assert asking.post("/api/join", json={"token": token}).status_code == 200
    return asking
