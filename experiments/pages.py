"""Pages of results: how each is written, which are older than the code that they rest on, and how to make those again.

    python experiments/pages.py              # say which pages are older than their code, why, and how long they take
    python experiments/pages.py --make       # and make these again (`make experiments`)
    python experiments/pages.py --make --all
    python experiments/pages.py --make evidence table7

Beside a page, results/made/NAME.json says which script made it, at which commit, with which seeds, in which time, and
what each module was that its numbers come from: those of which a function ran. The command line, reports, comments and
modules that the page has no use for may change without its growing old. To know what ran takes a quarter of the time.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import cProfile
import hashlib
import inspect
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(__file__).parent
RESULTS = SCRIPTS / "results"
NUMBERS = ("arrays", "data", "engine", "holes", "io", "kernels", "labels", "measures", "results", "simulate", "studies")
NUMBERS += ("judging", "strategies", "uncertainty")
"""Parts of the package that numbers come from."""
UNKNOWN = "nothing says how it was made"
_ELSEWHERE = 2.0
"""Seconds of processor time of other processes that are work, and not a question to git."""
_watching: list[cProfile.Profile] = []
"""What each thread ran."""
_ran: set[CodeType] = set()
"""What any thread ran, from Python 3.12 on."""


@dataclass(frozen=True)
class Made:
    """How a page was made; *code* has a digest of each file that it rests on."""

    script: str
    commit: str
    seeds: str
    seconds: int
    code: dict[str, str]

    @classmethod
    def read(cls, page: str) -> Made | None:
        """That of a page, if it says."""
        path = _record(page)
        return cls(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None

    def older_than(self) -> list[str]:
        """The files that are not as they were."""
        return [name for name, digest in self.code.items() if digest != _digest(ROOT / name)]

    def __str__(self) -> str:
        time_taken = f"{self.seconds:,} s of processor time"
        return f"Made by `{self.script}` at commit {self.commit}, {self.seeds}, in {time_taken}; do not edit."


def save_page(page: str, text: str, *, seeds: str) -> None:
    """Write results/PAGE.md, with how it was made below its title. Called by the script, when all is computed."""
    script = Path(sys.argv[0]).resolve().relative_to(ROOT).as_posix()
    code = {name: _digest(ROOT / name) or "" for name in _rests_on()}
    made = Made(script, _commit(), seeds, round(_processor_time()), code)
    title, _, rest = text.partition("\n")
    (RESULTS / f"{page}.md").write_text(f"{title}\n\n{made}\n\n{rest.strip()}\n", encoding="utf-8")
    _record(page).parent.mkdir(exist_ok=True)
    _record(page).write_text(json.dumps(asdict(made), indent=1) + "\n", encoding="utf-8")


def is_as_made(page: str) -> bool:
    """Whether a page is the one that its record is about, and not an older one, or one of another branch."""
    made, path = Made.read(page), RESULTS / f"{page}.md"
    return made is None or (path.is_file() and str(made) in path.read_text(encoding="utf-8").splitlines())


def pages() -> dict[str, str]:
    """The script of every page there is or could be."""
    scripts = {}
    for path in sorted(SCRIPTS.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "save_page" and node.args:
                scripts[ast.literal_eval(node.args[0])] = path.relative_to(ROOT).as_posix()
    return scripts


def why_old(page: str) -> str | None:
    """Why a page is to be made again, in words; None if it is not."""
    made = Made.read(page)
    if made is None:
        return UNKNOWN
    if not is_as_made(page):
        return "the page is not the one that results/made is about"
    changed = made.older_than()
    if not changed:
        return None
    more = f" and {len(changed) - 3} more files" if len(changed) > 3 else ""
    return f"made at commit {made.commit}; since then changed: {', '.join(changed[:3])}{more}"


def make(names: Iterable[str]) -> int:
    """Run the scripts of pages, one after the other, what took least first; the number of those that failed.

    What is made is saved at once, so that an interrupted call goes on with the others when it is repeated. A script
    that fails, or that leaves its page as it was, does not keep the others from being made.
    """
    failed = []
    for name in sorted(names, key=_seconds):
        print(f"{name}: {pages()[name]} ...", end=" ", flush=True)
        begin, before = time.monotonic(), _written(name)
        done = subprocess.run([sys.executable, pages()[name]], cwd=ROOT, capture_output=True, text=True)
        made = Made.read(name)
        if done.returncode or made is None or _written(name) == before:
            failed.append(name)
            print(f"failed\n{done.stderr.strip() or 'the script wrote no page'}", flush=True)
        else:
            print(f"{made.seconds:,} s of processor time, {time.monotonic() - begin:,.0f} s in all", flush=True)
    if failed:
        print(f"not made: {', '.join(failed)}")
    return len(failed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="names of pages, without .md; all, if none is given")
    parser.add_argument("--make", action="store_true", help="make pages again")
    parser.add_argument("--all", action="store_true", help="also those that are not older than their code")
    given = parser.parse_args()
    if unknown := set(given.pages) - set(pages()):
        parser.error(f"there is no page {', '.join(sorted(unknown))}; there are {', '.join(pages())}")
    old = {name: why_old(name) for name in given.pages or pages()}
    chosen = [name for name, why in old.items() if why or given.all or given.pages]
    for name in sorted(chosen, key=_seconds):
        print(f"{name} ({_time(_seconds(name))}): {old[name] or 'as new as its code'}")
    if len(known := [_seconds(name) for name in chosen if math.isfinite(_seconds(name))]) > 1:
        print(f"{len(known)} of {len(chosen)} pages took {_time(sum(known))} of processor time when they were made")
    if given.make:
        sys.exit(make(chosen))


def _seconds(page: str) -> float:
    """Processor time that a page took; infinite where nothing says so."""
    made = Made.read(page)
    return math.inf if made is None else made.seconds


def _time(seconds: float) -> str:
    return f"{seconds:,.0f} s" if math.isfinite(seconds) else "time unknown"


def _written(page: str) -> int | None:
    """When a page's record was written."""
    return _record(page).stat().st_mtime_ns if _record(page).is_file() else None


def _record(page: str) -> Path:
    return RESULTS / "made" / f"{page}.json"


def _processor_time() -> float:
    """Of this process and of those that it started and waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _commit() -> str:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = " with changes" if git("status", "--porcelain", "--", "src", "experiments/*.py") else ""
    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + changed


def _watch(*_: object) -> None:
    """Note which functions run from now on; in 3.11 those of this thread, whose first function calls this."""
    if sys.version_info >= (3, 12):  # one tool for all threads; a second profiler would be an error
        sys.monitoring.use_tool_id(sys.monitoring.PROFILER_ID, "pages of results")
        sys.monitoring.register_callback(sys.monitoring.PROFILER_ID, sys.monitoring.events.PY_START, _began)
        sys.monitoring.set_events(sys.monitoring.PROFILER_ID, sys.monitoring.events.PY_START)
        return
    sys.setprofile(None)
    profiler = cProfile.Profile()
    with contextlib.suppress(ValueError):  # since Python 3.12 there can be one only, which sees all threads
        profiler.enable(subcalls=False, builtins=False)
        _watching.append(profiler)


def _began(code: CodeType, _: int) -> object:
    _ran.add(code)
    return sys.monitoring.DISABLE  # once is enough


def _rests_on() -> list[str]:
    """The files of this repository that numbers come from, and the compiled core's source.

    Of the package, modules with a function that ran, and loaded ones without any, which are constants; all that are
    loaded where other processes did some of the work.
    """
    stats = [entry.code for profiler in _watching for entry in profiler.getstats()]  # type: ignore[attr-defined]
    ran = {
        Path(code.co_filename)
        for code in [*stats, *_ran]
        if inspect.iscode(code) and code.co_flags & inspect.CO_OPTIMIZED
    }
    seen = (_watching or _ran) and os.times().children_user < _ELSEWHERE
    files = {Path(module.__file__) for module in sys.modules.values() if getattr(module, "__file__", None)}
    package = ROOT / "src" / "unjudged"
    ours = {path for path in files if path.suffix == ".py" and path.parent == SCRIPTS and path.name != "pages.py"}
    for path in files:
        if path.suffix == ".py" and path.is_relative_to(package) and path.relative_to(package).parts[0] in NUMBERS:
            ours |= {path} if not seen or path in ran or _has_no_functions(path) else set()
    return sorted(path.relative_to(ROOT).as_posix() for path in {*ours, *(package / "kernels").glob("fast*.p[yx][xi]")})


def _has_no_functions(path: Path) -> bool:
    return not any(
        isinstance(node, ast.FunctionDef | ast.Lambda) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def _digest(path: Path) -> str | None:
    """Of what the code does: lines of comments and docstrings do not count. None if there is no such file."""
    if not path.is_file():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".py":
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
                lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    kept = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
elif Path(sys.argv[0]).resolve().parent == SCRIPTS:  # a script makes its page, and not a test
    if sys.version_info < (3, 12):
        threading.setprofile(_watch)
    _watch()
