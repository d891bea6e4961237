"""The two Python environments (ours and the peers'), the machine, and how a child process is started in them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE / "peers.txt"


@dataclass(frozen=True)
class Finished:
    """A child process that has ended, with its wall-clock seconds."""

    seconds: float
    code: int
    out: str
    err: str

    def complaint(self) -> str:
        return (self.err.strip().splitlines() or [f"exit code {self.code}"])[-1]


@dataclass(frozen=True)
class Environments:
    """Where the children find their interpreter and keep what they compile: never in the source tree."""

    work: Path

    @property
    def ours(self) -> Path:
        return Path(sys.executable)

    @property
    def peers(self) -> Path:
        return self.work / "peers" / "bin" / "python"

    @property
    def numba_cache(self) -> Path:
        return self.work / "numba"

    def start(self, command: list[str], extra: dict[str, str] | None = None, timeout: float = 1800) -> Finished:
        """Run a command in a new process. Bytecode may be written: without it imports are 2 to 3 times slower."""
        dropped = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "UNJUDGED_CORE"}
        env = {name: value for name, value in os.environ.items() if name not in dropped}
        env |= {"PYTHONPYCACHEPREFIX": str(self.work / "pycache"), "NUMBA_CACHE_DIR": str(self.numba_cache)}
        begin = time.perf_counter()
        try:
            env |= extra or {}
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return Finished(timeout, -1, "", f"stopped after {timeout:.0f} s")
        return Finished(time.perf_counter() - begin, done.returncode, done.stdout, done.stderr)

    def prepare(self) -> list[str]:
        """Create the peers' environment and byte-compile both. Returns notes on what could not be installed."""
        stamp = self.work / "peers" / "installed.json"
        wanted = f"# Python {platform.python_version()}\n{PEERS.read_text()}"
        if stamp.exists() and json.loads(stamp.read_text())["wanted"] == wanted:
            return json.loads(stamp.read_text())["notes"]
        say("creating the peers' environment")
        check(self.start([sys.executable, "-m", "venv", "--clear", str(self.work / "peers")]))
        notes = []
        for line in (x for x in wanted.splitlines() if x and not x.startswith("#")):
            done = self.start([str(self.peers), "-m", "pip", "install", "--quiet", line])
            if done.code:
                notes.append(f"{line} did not install on Python {platform.python_version()}: {done.complaint()}")
                say(notes[-1])
        stamp.write_text(json.dumps({"wanted": wanted, "notes": notes}))
        return notes

    def byte_compile(self) -> None:
        """Compile the packages of both environments and ours, so that no contestant pays for it."""
        say("byte-compiling")
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        source = "import unjudged; print(*unjudged.__path__)"
        for python, code in ((self.ours, where), (self.peers, where), (self.ours, source)):
            folder = self.start([str(python), "-c", code]).out.strip()
            if folder:  # some packages ship templates that are not Python: the exit code says nothing
                self.start([str(python), "-m", "compileall", "-q", "-j", "0", folder])

    def versions(self) -> dict[str, str]:
        """Version of every package that matters, by name; absent ones are left out."""
        code = (
            "import sys, json, platform; from importlib.metadata import version, PackageNotFoundError\n"
            "found = {'Python': platform.python_version()}\n"
            "for name in sys.argv[1:]:\n"
            "    try: found[name] = version(name)\n"
            "    except PackageNotFoundError: pass\n"
            "print(json.dumps(found))"
        )
        ours = json.loads(check(self.start([str(self.ours), "-c", code, "unjudged", "numpy"])).out)
        core = self.start([str(self.ours), "-c", "from unjudged.kernels import CORE; print(CORE)"])
        ours["unjudged core"] = core.out.strip() or "unknown"
        names = ["pytrec-eval-terrier", "ir_measures", "ranx", "numpy", "numba"]
        theirs = json.loads(check(self.start([str(self.peers), "-c", code, *names])).out)
        return ours | {f"{name} (peers)" if name in ours else name: number for name, number in theirs.items()}


def machine() -> str:
    """One line: processor, cores, memory, system."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        model = next((x.split(":")[1].strip() for x in cpuinfo.read_text().splitlines() if "model name" in x), model)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {cores} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def check(done: Finished) -> Finished:
    if done.code:
        raise SystemExit(f"bench: {done.complaint()}")
    return done


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)
