"""Time this project beside its peers and write RESULTS.md. See README.md for what is measured."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import generate
import history
import results
import targets
from environments import HERE, Environments, Finished, say

CASES = ("a", "b", "c", "linear", "import")
REPEAT = {"a": 7, "b": 3, "c": 3, "linear": 3, "import": 9}
FORBIDDEN = ("pandas", "scipy.stats", "rich", "altair")


@dataclass(frozen=True)
class Tool:
    """A contestant: its script, its environment, and whether it reads while it scores."""

    script: str
    ours: bool = False
    lazy: bool = False
    compiles: bool = False
    env: dict[str, str] = field(default_factory=dict)


TOOLS = {
    "unjudged": Tool("run_unjudged.py", ours=True, lazy=True),
    "unjudged-reference": Tool("run_unjudged.py", ours=True, lazy=True, env={"UNJUDGED_CORE": "reference"}),
    "pytrec_eval": Tool("run_pytrec_eval.py"),
    "ir_measures": Tool("run_ir_measures.py", lazy=True),
    "ranx": Tool("run_ranx.py", compiles=True),
}
LINEAR = ("unjudged", "unjudged-reference", "pytrec_eval")


@dataclass
class Bench:
    """One session: environments, the tools that take part, and what they said."""

    environments: Environments
    tools: dict[str, Tool]
    repeat: int | None

    def run_tool(self, name: str, files: list[str], *options: str) -> Finished:
        tool = self.tools[name]
        python = self.environments.ours if tool.ours else self.environments.peers
        script = HERE / "contestants" / tool.script
        return self.environments.start([str(python), str(script), *options, *files], tool.env)

    def warm_up(self) -> None:
        """A first start on a tiny collection, so that nothing is left to byte-compile. ranx warms up in each case."""
        qrels, runs = generate.ensure(self.environments.work, "tiny")
        for name in [n for n, tool in self.tools.items() if not tool.compiles]:
            for options in ([], ["--phases"]) if self.tools[name].lazy else ([],):
                done = self.run_tool(name, [str(qrels), *map(str, runs)], *options)
                if done.code:
                    say(f"{' '.join([name, *options])} does not run: {done.complaint()}")

    def measure(self, case: str, collection: str, names: list[str]) -> dict[str, results.Outcome]:
        """Interleaved repetitions of one collection: every tool once, then all again."""
        say(f"case {collection}: generating")
        qrels, runs = generate.ensure(self.environments.work, collection)
        for path in (qrels, *runs):
            read_once(path)
        files = [str(qrels), *map(str, runs)]
        outcomes = {name: results.Outcome() for name in names}
        for name in names:
            if self.tools[name].compiles:
                done = self.run_tool(name, files)
                outcomes[name].first_use = done.seconds
                say(f"case {collection}: {name} first use {done.seconds:.1f} s")
        for number in range(self.repeat or REPEAT[case]):
            for name in names:
                self.measure_once(outcomes[name], name, files)
                say(f"case {collection}, repetition {number + 1}: {name} {outcomes[name].latest()}")
        return outcomes

    def measure_once(self, outcome: results.Outcome, name: str, files: list[str]) -> None:
        if outcome.error:
            return
        done = self.run_tool(name, files)
        if done.code:
            outcome.error = done.complaint()
            return
        printed = json.loads(done.out)
        outcome.cold.append(done.seconds)
        outcome.cpu.append(printed["cpu"])
        outcome.peak_mb.append(printed["peak_mb"])
        outcome.means = printed["means"]
        if self.tools[name].lazy:
            outcome.add_phases({k: v for k, v in printed["seconds"].items() if k in ("import", "parse and score")})
            apart = self.run_tool(name, files, "--phases")
            if apart.code:
                outcome.phases_error = apart.complaint()
            else:
                printed = json.loads(apart.out)
                outcome.add_phases({k: v for k, v in printed["seconds"].items() if k in ("parse", "score")})
        else:
            outcome.add_phases(printed["seconds"])

    def measure_imports(self) -> dict[str, list[float]]:
        """Cold starts: an empty program, NumPy, each tool, and the command line."""
        ours, peers = str(self.environments.ours), str(self.environments.peers)
        script = self.environments.ours.parent / "unjudged"
        commands = {
            "python -c pass": [ours, "-c", "pass"],
            "import numpy": [ours, "-c", "import numpy"],
            "import unjudged": [ours, "-c", "import unjudged"],
            "unjudged --help": [str(script), "--help"] if script.exists() else [ours, "-m", "unjudged", "--help"],
            "import pytrec_eval": [peers, "-c", "import pytrec_eval"],
            "import ir_measures": [peers, "-c", "import ir_measures"],
            "import ranx": [peers, "-c", "import ranx"],
        }
        times: dict[str, list[float]] = {}
        for number in range(-1, self.repeat or REPEAT["import"]):
            for label, command in commands.items():
                done = self.environments.start(command)
                if number < 0 and done.code:
                    say(f"{label} fails: {done.complaint()}")
                elif number >= 0 and not done.code:
                    times.setdefault(label, []).append(done.seconds)
        return times

    def forbidden_modules(self) -> list[str] | None:
        code = f"import sys, unjudged; print(*[name for name in {FORBIDDEN} if name in sys.modules])"
        done = self.environments.start([str(self.environments.ours), "-c", code])
        return None if done.code else done.out.split()


def read_once(path: Path) -> None:
    """Bring a file into the page cache: the disk is not a contestant."""
    with path.open("rb") as handle:
        while handle.read(1 << 24):
            pass


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default=",".join(CASES), help="comma-separated, of: %(default)s")
    parser.add_argument("--repeat", type=int, help=f"repetitions of every case (default: {REPEAT})")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "unjudged-bench")
    parser.add_argument("--only", nargs="+", choices=list(TOOLS), metavar="TOOL", help=f"of: {', '.join(TOOLS)}")
    parser.add_argument("--output", type=Path, default=HERE / "RESULTS.md")
    options = parser.parse_args()
    options.cases = options.cases.split(",")
    if unknown := set(options.cases) - set(CASES):
        parser.error(f"unknown case: {', '.join(sorted(unknown))} (choose from {', '.join(CASES)})")
    return options


def main() -> None:
    options = arguments()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    environments = Environments(work)
    notes = environments.prepare()
    environments.byte_compile()
    shutil.rmtree(environments.numba_cache, ignore_errors=True)  # so that ranx's first use is a first use
    absent = {note.split("==")[0].replace("pytrec-eval-terrier", "pytrec_eval") for note in notes}
    tools = {name: tool for name, tool in TOOLS.items() if name in (options.only or TOOLS) and name not in absent}
    bench = Bench(environments, tools, options.repeat)
    bench.warm_up()
    measured = results.Results(versions=environments.versions(), notes=notes)
    for case in [c for c in options.cases if c in "abc"]:
        measured.cases[case] = bench.measure(case, case, list(tools))
    if "linear" in options.cases:
        names = [name for name in LINEAR if name in tools]
        for factor in (1, 2, 4, 8):
            measured.linear[factor] = bench.measure("linear", f"linear-{factor}", names)
    if "import" in options.cases:
        measured.imports = bench.measure_imports()
        measured.forbidden = bench.forbidden_modules()
    history.add(measured)
    options.output.write_text(f"{results.render(measured)}\n{history.section()}\n", encoding="utf-8")
    say(f"wrote {options.output}, and a line of {history.FILE.name}")
    if missed := [label for label, _, said in targets.rows(measured) if said == targets.MISSED]:
        raise SystemExit(f"missed: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
