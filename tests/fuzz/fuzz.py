"""The fuzzer: tries cases until the time is over, saves what fails, made smaller, and tries saved cases again.

::

    make fuzz SECONDS=600                                          # both cores of the machine, a new seed
    python tests/fuzz/fuzz.py --seconds 60 --seed 7 --only run     # one kind, the same cases as ever
    python tests/fuzz/fuzz.py --replay fuzz-failures/run-1a2b3c4d

Workers are processes that this one watches: a case that takes the process down, or never ends, is a finding like any
other.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import binaries
import formats
import search_formats
import specifications
from kinds import Kind
from oracles import Finding, examine

__all__ = ["EVERY", "Case", "Worker", "cases", "finding", "main", "save", "smaller"]

EVERY = {kind.name: kind for kind in (*formats.KINDS, *search_formats.KINDS, *binaries.KINDS, *specifications.KINDS)}
FAILURES = Path("fuzz-failures")
LONGEST = 20.0
"""Seconds after which a case counts as one that never ends. Most take some milliseconds."""
MEMORY = 8 << 30
"""Bytes that a worker may ask for. What wants more is a finding, and no danger to the machine."""
TRIES = 400
"""Most cases that are tried to make one smaller."""


class Case(NamedTuple):
    """One input, which its seed, its kind and its number make again."""

    kind: str
    seed: str
    number: int

    def data(self) -> bytes:
        return EVERY[self.kind].make(Random(f"{self.seed}:{self.kind}:{self.number}"))


def cases(seed: str, only: str = "", first: int = 0, step: int = 1) -> Iterator[Case]:
    """All cases of a seed, each kind as often as it weighs; every *step*-th of them, without end."""
    kinds = [kind for kind in EVERY.values() if only in ("", kind.name) and _is_here(kind)]
    turn = [kind.name for kind in kinds for _ in range(kind.weight)]
    for number, name in enumerate(cycle(turn)):
        if number % step == first:
            yield Case(name, seed, number)


def _is_here(kind: Kind) -> bool:
    return not kind.needs or importlib.util.find_spec(kind.needs) is not None


def finding(kind: Kind, data: bytes, folder: Path) -> Finding | None:
    """What is wrong, if anything is."""
    try:
        examine(kind, data, folder)
    except Finding as result:
        return result
    return None


def smaller(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Fewer lines, then fewer bytes, that still fail in the same way."""
    tries = TRIES
    for cut in (lambda data: data.splitlines(keepends=True), lambda data: [data[i : i + 1] for i in range(len(data))]):
        pieces = cut(data)
        size = len(pieces) // 2
        while size and tries:
            at = 0
            while at < len(pieces) and tries:
                fewer = pieces[:at] + pieces[at + size :]
                tries -= 1
                if fails(b"".join(fewer)):
                    pieces = fewer
                else:
                    at += size
            size //= 2
        data = b"".join(pieces)
    return data


def save(folder: Path, kind: str, data: bytes, words: str) -> Path:
    """Keep an input, and how to try it again."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{kind}-{hashlib.sha256(data).hexdigest()[:8]}"
    path.write_bytes(data)
    with (folder / "README.md").open("a", encoding="utf-8") as notes:
        notes.write(f"* `{sys.executable} {Path(__file__)} --replay {path}`: {ascii(words)[1:-1]}\n")
    return path


# ---- workers


def _work(seed: str, only: str, first: int, step: int, skip: int, now: Any, pipe: Any) -> None:
    """Try every *step*-th case from number *skip* on, and tell about each; ``now`` is (number, when it began)."""
    with suppress(ImportError):  # there is none on Windows
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory(prefix="unjudged-fuzz-") as name:
        folder, known = Path(name), set()
        for case in cases(seed, only, first, step):
            if case.number < skip:
                continue
            data = case.data()
            now[0], now[1] = case.number, time.monotonic()
            kind = EVERY[case.kind]
            result = finding(kind, data, folder)
            if result is not None and result.mark not in known:
                known.add(result.mark)
                now[1] = float("inf")  # making it smaller takes as long as it takes

                def fails(less: bytes, mark: str = result.mark, kind: Kind = kind) -> bool:
                    again = finding(kind, less, folder)
                    return again is not None and again.mark == mark

                less = smaller(data, fails)
                result = finding(kind, less, folder) or result
                pipe.send((case, result.mark, str(result), less))
            else:
                pipe.send((case, "" if result is None else result.mark, "", b""))


class Worker:
    """A process, and what it does now."""

    def __init__(self, seed: str, only: str, first: int, step: int) -> None:
        self._how = (seed, only, first, step)
        self._start(0)

    def _start(self, skip: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.now = context.Array("d", [-1.0, float("inf")])
        self.pipe, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(*self._how, skip, self.now, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def lost(self) -> tuple[Case, str] | None:
        """The case that it died of or cannot end, after which it goes on with the next."""
        number, began = int(self.now[0]), self.now[1]
        dead, stuck = not self.process.is_alive(), time.monotonic() - began > LONGEST
        if not dead and not stuck:
            return None
        code = self.process.exitcode
        self.end()
        seed, only, first, step = self._how
        case = next(case for case in cases(seed, only, first, step) if case.number >= number)
        self._start(case.number + 1)
        return case, f"{case.kind}: the process ended with {code}" if dead else f"{case.kind}: no end"

    def end(self) -> None:
        self.process.kill()
        self.process.join()


def hunt(seconds: float, seed: str, only: str, workers: int) -> int:
    """Try cases for so long. Prints what was tried and found; how many causes were found."""
    tried: Counter[str] = Counter()
    result: Counter[str] = Counter()
    began = time.monotonic()
    crew = [Worker(seed, only, first, workers) for first in range(workers)]

    def tell(case: Case, mark: str, words: str, data: bytes) -> None:
        result[mark] += 1
        if result[mark] == 1:
            path = save(FAILURES, case.kind, data, f"seed {case.seed}, case {case.number}: {words}")
            print(f"FOUND {words}\n      {data[:200]!r}\n      saved as {path}", flush=True)

    while time.monotonic() - began < seconds:
        multiprocessing.connection.wait([worker.pipe for worker in crew], timeout=0.5)
        for worker in crew:
            try:
                while worker.pipe.poll():
                    case, mark, words, data = worker.pipe.recv()
                    tried[case.kind] += 1
                    if mark:
                        tell(case, mark, words, data)
            except EOFError:
                worker.process.join()
            lost = worker.lost()
            if lost is not None:
                case, words = lost
                tell(case, words, words, case.data())
    for worker in crew:
        worker.end()
    _summary(tried, result, time.monotonic() - began)
    return len(result)


def _summary(tried: Counter[str], result: Counter[str], took: float) -> None:
    for name in sorted(tried):
        print(f"{name:20} {tried[name]:8,} cases  {tried[name] / took:8.1f} per second")
    print(f"{'in all':20} {tried.total():8,} cases  {tried.total() / took:8.1f} per second")
    print(f"{len(result)} causes of {result.total():,} failures" if result else "nothing was found")
    for mark, times in result.most_common():
        print(f"{times:6,} x {mark}")


def replay(path: Path) -> int:
    """Try a saved case again."""
    kind = EVERY.get(path.name.rpartition("-")[0])
    if kind is None:
        print(f"{path}: the name does not begin with a kind of case: {', '.join(EVERY)}")
        return 2
    with tempfile.TemporaryDirectory(prefix="unjudged-fuzz-") as folder:
        result = finding(kind, path.read_bytes(), Path(folder))
    print(f"{path}: {'nothing is wrong' if result is None else result}")
    return 0 if result is None else 1


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Try hostile input until the time is over.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="", help="to try the same cases again; a new one unless given")
    parser.add_argument("--only", default="", choices=("", *EVERY), metavar="KIND", help=f"one of {', '.join(EVERY)}")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try a saved case again")
    given = parser.parse_args()
    if given.replay is not None:
        return replay(given.replay)
    seed = given.seed or secrets.token_hex(4)
    print(f"seed {seed}, {given.workers} workers, {given.seconds:g} seconds", flush=True)
    return 1 if hunt(given.seconds, seed, given.only, given.workers) else 0


if __name__ == "__main__":
    sys.exit(main())
