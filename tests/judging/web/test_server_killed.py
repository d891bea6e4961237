"""The server's process is killed, at any moment, while several judge: what was confirmed is there, once."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from unjudged.judging import Project

from .served import SECONDS, small_project

NAMES = [f"a{i}" for i in range(4)]
PER_MOMENT = 40
"""Documents of each topic, so that there is work until the last moment."""
LATEST = 0.2
"""Seconds after the first confirmed judgment at which a server is killed."""
READING = 0.01
"""Seconds that a document is read."""


class Server:
    """A process that serves a project; after it was killed, another one."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.address = ""
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "unjudged", "judge", str(self.project), "--no-browser", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r" at (http://\S+);", line):
                self.address = found[1]
                return
        raise AssertionError(self.process.communicate()[1])

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


class Judging(threading.Thread):
    """Somebody who judges until nothing is left, and sends again what was not answered, with the same key."""

    def __init__(self, server: Server, token: str, name: str) -> None:
        super().__init__(daemon=True)
        self.server, self.token, self.who = server, token, name
        self.confirmed: dict[str, tuple[int, int]] = {}
        """What the page would call saved: pair and grade by key."""
        self.client = httpx.Client()
        self.sent = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        tasks = self.asked("/api/next", {"number": 2})["tasks"]
        while tasks:
            time.sleep(READING)
            pair, grade, key = tasks[0]["pair"], self.sent % 2, f"{self.who}-{self.sent}"
            self.sent += 1
            sent = {"pair": pair, "kind": "grade", "grade": grade, "key": key, "number": 2}
            answer = self.asked("/api/record", sent)
            self.confirmed[key] = answer["recorded"]["pair"], answer["recorded"]["grade"]
            if self.confirmed[key] != (pair, grade):
                self.wrong.append(f"{key}: {answer['recorded']}")
            tasks = answer["tasks"]

    def asked(self, path: str, sent: dict[str, Any]) -> Any:
        while True:
            try:
                if str(self.client.base_url).rstrip("/") != self.server.address:
                    self.client = httpx.Client(base_url=self.server.address, timeout=SECONDS)
                    self.client.post("/api/join", json={"token": self.token}).raise_for_status()
                answer = self.client.post(path, json=sent)
            except httpx.TransportError:
                time.sleep(READING)  # it was killed, or is not there again
                self.client = httpx.Client()
                continue
            assert answer.status_code == 200, answer.text
            return answer.json()


def check(path: Path, people: list[Judging]) -> None:
    """What holds at any moment."""
    confirmed = {key: said for one in people for key, said in dict(one.confirmed).items()}
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = file.execute("SELECT key, pair, grade FROM judgments").fetchall()
    assert {key: said for key, *said in rows if key in confirmed} == {key: [*said] for key, said in confirmed.items()}
    assert max(Counter(key for key, _, _ in rows).values(), default=1) == 1
    assert max(Counter(pair for _, pair, _ in rows).values(), default=1) == 1, "nobody judges what another one did"
    # A judgment that is not confirmed may be there: one each, whose answer was lost.
    assert len(rows) - len(confirmed) <= len(people)


@pytest.mark.parametrize("moments", [3, pytest.param(30, marks=pytest.mark.slow)])
def test_what_was_confirmed_is_in_the_file_whenever_the_server_is_killed(tmp_path: Path, moments: int) -> None:
    path, rng, docs = tmp_path / "p.unjudged", random.Random(moments), PER_MOMENT * moments
    with small_project(path, docs=docs, depth=docs, assessors=NAMES) as project:
        tokens = {name: project.new_token(name) for name in NAMES}
    server = Server(path)
    people = [Judging(server, token, name) for name, token in tokens.items()]
    for one in people:
        one.start()
    for _ in range(moments):
        before = sum(len(one.confirmed) for one in people)
        began = time.monotonic()
        while sum(len(one.confirmed) for one in people) == before and time.monotonic() - began < SECONDS:
            time.sleep(0.005)
        time.sleep(rng.random() * LATEST)
        server.kill()
        check(path, people)
        with Project(path) as project:
            assert project.progress().judged >= before
        server.start()
    for one in people:
        one.join(4 * SECONDS)
    server.kill()
    check(path, people)
    assert not [wrong for one in people for wrong in one.wrong]
    assert sum(len(one.confirmed) for one in people) == sum(one.sent for one in people) == 2 * docs
    with Project(path) as project:
        assert len(project.judgments()) == len(project.history()) == 2 * docs
