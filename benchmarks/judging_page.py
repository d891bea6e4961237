"""Twenty assessors at once: how long "record and next" takes, how much memory the server has, and that nothing is lost.

    python -B benchmarks/judging_page.py

A project of 100,000 pairs with texts is made (not timed), and served by a process of its own, with the outlook that is
computed beside the work. Twenty assessors, who share one other process, judge 20,000 documents over the loopback; each
sends a judgment and waits until it is confirmed, which is when it is on disk and the next documents are there. First
they do so as fast as they are answered, then as people who judge for a moment. Afterwards the file is asked whether it
has each confirmed judgment once, and no document twice. Prints tables as Markdown; benchmarks/JUDGING_PAGE.md keeps
what was measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

TOPICS, DOCS, RUNS = 100, 1000, 5
WORDS = 200
"""Words of a document."""


def make(path: Path, folder: Path, assessors: list[str]) -> dict[str, str]:
    """A project in which each of 100 topics has 1,000 documents, and the tokens of its assessors."""
    from unjudged.judging import Project

    rng = np.random.default_rng(1)
    words = np.array([f"word{i}" for i in range(5000)])
    (folder / "runs").mkdir()
    for run in range(RUNS):
        with (folder / "runs" / f"run{run}").open("w") as lines:
            for topic in range(TOPICS):
                for rank, doc in enumerate(rng.permutation(DOCS), start=1):
                    lines.write(f"{topic} Q0 {topic}-{doc} {rank} {DOCS - rank} run{run}\n")
    texts = {f"{t}-{d}": " ".join(rng.choice(words, WORDS)) for t in range(TOPICS) for d in range(DOCS)}
    topics = {str(topic): "word1 word2" for topic in range(TOPICS)}
    given: dict[str, Any] = {"topics": topics, "texts": texts, "depth": DOCS, "assessors": assessors, "overlap": 0.0}
    with Project.create(path, runs=folder / "runs", **given) as project:
        return {name: project.new_token(name) for name in assessors}


def serve(path: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-B", "-m", "unjudged", "judge", str(path), "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in process.stdout or ():
        if found := re.search(r" at (http://\S+);", line):
            return process, found[1]
    raise SystemExit("the server did not start")


def largest_memory(process: int) -> float:
    """The highest resident memory of a process, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024


def children(process: subprocess.Popen[str]) -> list[int]:
    """Processes that it started: the one that computes what the judgments say."""
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    return [int(one) for thread in threads for one in (thread / "children").read_text().split()]


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Asking:
    """A connection that is kept. Libraries take longer to ask than the server to answer, and all share a core."""

    def __init__(self, address: str) -> None:
        self.host, _, port = address.removeprefix("http://").partition(":")
        self.port = int(port)
        self.cookie = ""

    async def post(self, path: str, sent: dict[str, Any]) -> Any:
        if not self.cookie:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        body = json.dumps(sent).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nContent-Type: application/json\r\n"
        self.writer.write(f"{head}Cookie: {self.cookie}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answered = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(line.lower().split(": ", 1) for line in answered.split("\r\n")[1:] if line)
        found = json.loads(await self.reader.readexactly(int(fields["content-length"])))
        if " 200 " not in answered[:20]:
            raise SystemExit(f"{answered[:20]}: {found}")
        if set_cookie := re.search(r"set-cookie: ([^;]+)", answered, re.IGNORECASE):
            self.cookie = set_cookie[1]
        return found


async def judge(address: str, token: str, name: str, number: int, pause: float) -> tuple[list[float], dict[str, int]]:
    """What one assessor waits for each judgment, in seconds, and the pairs that were confirmed, by key."""
    waits, confirmed = [], {}
    rng, asking = np.random.default_rng(sum(map(ord, name))), Asking(address)
    await asking.post("/api/join", {"token": token})
    tasks = (await asking.post("/api/next", {"number": 2}))["tasks"]
    for i in range(number):
        await asyncio.sleep(rng.exponential(pause))
        task, key = tasks[0], f"{name}-{pause}-{i}"
        said = {"pair": task["pair"], "kind": "grade", "grade": i % 2, "seconds": pause, "note": "", "key": key}
        began = time.perf_counter()
        found = await asking.post("/api/record", {**said, "text_sha256": task["text_sha256"], "number": 2})
        waits.append(time.perf_counter() - began)
        confirmed[key] = found["recorded"]["pair"]
        tasks = found["tasks"]
    asking.writer.close()
    return waits, confirmed


async def together(address: str, tokens: dict[str, str], number: int, pause: float) -> Any:
    return await asyncio.gather(*(judge(address, token, name, number, pause) for name, token in tokens.items()))


def check(path: Path, confirmed: dict[str, int]) -> str:
    with closing(sqlite3.connect(path)) as file:
        rows = file.execute("SELECT key, pair FROM judgments").fetchall()
    twice = sum(number > 1 for number in Counter(pair for _, pair in rows).values())
    lost = sum(dict(rows).get(key) != pair for key, pair in confirmed.items())
    return f"{len(confirmed):,} confirmed, {len(rows):,} in the file, {lost} lost, {twice} documents judged twice"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assessors", type=int, default=20)
    parser.add_argument("--judgments", type=int, default=20_000)
    parser.add_argument("--pause", type=float, default=0.2, help="mean seconds of people who judge for a moment")
    given = parser.parse_args()
    names = [f"assessor{i:02d}" for i in range(given.assessors)]
    half = given.judgments // 2 // given.assessors
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "project.unjudged"
        tokens = make(path, Path(scratch), names)
        process, address = serve(path)
        confirmed: dict[str, int] = {}
        print("| assessors | judgments | a second | p50, ms | p90, ms | p99, ms | longest, ms | processor, ms each |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for words, pause in (("without a pause", 0.0), (f"a pause of {given.pause:g} s", given.pause)):
            began, spent = time.perf_counter(), cpu_seconds(process)
            found = asyncio.run(together(address, tokens, half, pause))
            wall, spent = time.perf_counter() - began, cpu_seconds(process) - spent
            waits = 1000 * np.concatenate([own for own, _ in found])
            confirmed |= {key: pair for _, own in found for key, pair in own.items()}
            p50, p90, p99 = np.percentile(waits, (50, 90, 99))
            print(
                f"| {given.assessors}, {words} | {len(waits):,} | {len(waits) / wall:.0f} | {p50:.1f} | {p90:.1f} |"
                f" {p99:.1f} | {waits.max():.0f} | {1000 * spent / len(waits):.2f} |"
            )
        memory = [largest_memory(one) for one in (process.pid, *children(process))]
        process.terminate()
        process.wait(60)
        size = path.stat().st_size / 1e6
        beside = " and ".join(f"{one:.0f} MB" for one in memory[1:])
        print(f"\nHighest memory: {memory[0]:.0f} MB of the server, {beside} of the process beside it.", end=" ")
        print(f"The file: {size:.0f} MB.")
        print(f"{check(path, confirmed)}. Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
