"""The example package, installed as users install it, and used from the command line, from Python and in workers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from unjudged.demo.collection import Collection, write_collection
from unjudged.version import __version__

from .conftest import EXAMPLE, Python


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return write_collection(tmp_path_factory.mktemp("plugins") / "demo")


def sliding_ratio(demo: Collection, run: Path, cutoff: int) -> float:
    """The measure of the example in plain Python."""
    judged: dict[str, dict[str, int]] = {}
    for line in demo.qrels.read_text().splitlines():
        topic, _, doc, grade = line.split()
        judged.setdefault(topic, {})[doc] = max(0, int(grade))
    rows = [line.split() for line in run.read_text().splitlines()]
    total = 0.0
    for topic, grades in judged.items():
        ranked = sorted(((float(row[4]), row[2]) for row in rows if row[0] == topic), reverse=True)
        best = sum(sorted(grades.values(), reverse=True)[:cutoff])
        total += sum(grades.get(doc, 0) for _, doc in ranked[:cutoff]) / best if best else 0.0
    return total / len(judged)


def test_the_command_line_says_what_comes_from_the_plugin(python: Python, example_site: Path) -> None:
    line = "plugin 'example' of unjudged-example-plugin 1.0: measure SlidingRatio, hole model hurwicz"
    version = python("-m", "unjudged", "--version", site=example_site).stdout.splitlines()
    assert version[0].startswith(f"unjudged {__version__} (")
    assert version[1:] == [line]
    listed = python("-m", "unjudged", "measures", site=example_site).stdout
    assert "\nSlidingRatio[@k]    Share of the gain that could be found\n" in listed
    assert line in listed.replace("\n  ", " ")
    assert max(map(len, listed.splitlines())) <= 80
    rows = json.loads(python("-m", "unjudged", "measures", "-f", "json", site=example_site).stdout)
    origins = {row["measure"]: row["plugin"] for row in rows}
    assert origins["SlidingRatio[@k]"] == "unjudged-example-plugin 1.0"
    assert origins["nDCG[@k]"] == ""
    explained = python("-m", "unjudged", "measures", "hurwicz", site=example_site).stdout
    assert "Plugin      unjudged-example-plugin 1.0\n" in explained


def test_the_doctor_names_plugins(python: Python, example_site: Path, demo: Collection) -> None:
    output = python("-m", "unjudged", "doctor", demo.qrels, demo.runs[0], site=example_site).stdout
    assert output.splitlines()[1] == "plugin 'example' of unjudged-example-plugin 1.0: measure SlidingRatio, hole"
    markdown = python("-m", "unjudged", "doctor", demo.qrels, demo.runs[0], "-f", "markdown", site=example_site).stdout
    assert "\\* plugin" not in markdown
    assert "* plugin 'example' of unjudged-example-plugin 1.0: measure SlidingRatio" in markdown


def test_scoring_on_the_command_line(python: Python, example_site: Path, demo: Collection, tmp_path: Path) -> None:
    arguments = ["-m", "SlidingRatio@10", "--holes", "nonrelevant", "--holes", "hurwicz(optimism=0.25)", "-f", "json"]
    runs = [run for run in demo.runs if run.stem in {"birch-keyword", "later-neural-base"}]
    command = ["-m", "unjudged", "score", demo.qrels, *runs, *arguments, "--methods", "methods.txt"]
    done = python(*command, site=example_site)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["unjudged"]["plugins"] == ["unjudged-example-plugin 1.0"]
    rows = {(row["run"], row["holes"]): row for row in result["rows"]}
    for run in runs:
        plain = rows[run.stem, "nonrelevant"]
        assert plain["value"] == pytest.approx(sliding_ratio(demo, run, 10), abs=1e-12)
        between = rows[run.stem, "hurwicz(optimism=0.25)"]
        assert between["value"] == pytest.approx(0.75 * between["low"] + 0.25 * between["high"])
        assert between["low"] == pytest.approx(plain["value"])
    text = (tmp_path / "methods.txt").read_text()
    assert "SlidingRatio@10 from the plugin unjudged-example-plugin 1.0 (Pollack, 1968) over 25 topics." in text
    assert "* L. Hurwicz. Optimality criteria for decision making under ignorance. Cowles Commission, 1951." in text


def test_using_it_from_python(python: Python, example_site: Path) -> None:
    code = """
        import unjudged as uj
        from unjudged.plugins import find_plugins
        qrels, run = {"1": {"a": 2, "b": 1}}, {"1": {"b": 2.0, "x": 1.0}}
        print(uj.score(qrels, run, uj.SlidingRatio @ 1, holes="hurwicz").mean()[0].value)
        print(uj.score(qrels, run, ["SlidingRatio@2", "nDCG"], holes="hurwicz(optimism=1)").mean()[0].value)
        print([(plugin.package, [cls.name for cls in plugin.classes]) for plugin in find_plugins()])
    """
    done = python("-c", "\n".join(line.strip() for line in code.splitlines()), site=example_site)
    assert done.stdout.splitlines() == [
        "0.5",
        "1.0",
        "[('unjudged-example-plugin', ['SlidingRatio', 'hurwicz'])]",
    ], done.stderr


def test_who_imports_the_package_by_hand_gets_the_same_classes(python: Python, example_site: Path) -> None:
    code = "from unjudged_example_plugin import SlidingRatio as S; import unjudged as uj; print(uj.SlidingRatio is S)"
    assert python("-c", code, site=example_site).stdout == "True\n"
    code = (
        "from unjudged_example_plugin import Hurwicz as H; from unjudged.registry import plugin_of; print(plugin_of(H))"
    )
    assert python("-c", code, site=example_site).stdout == "unjudged-example-plugin 1.0\n"


def test_nobody_looks_for_plugins_before_they_are_needed(python: Python, example_site: Path) -> None:
    code = (
        "import sys, unjudged as uj; uj.score({'1': {'a': 1}}, {'1': {'a': 1.0}}, ['nDCG@10', 'map'], holes='bounds');"
        "print([one for one in ('importlib.metadata', 'unjudged_example_plugin') if one in sys.modules])"
    )
    assert python("-c", code, site=example_site).stdout == "[]\n"
    code = (
        "import contextlib, sys; from unjudged.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['score', '--help'])\n"
        "print('unjudged_example_plugin' in sys.modules)"
    )
    assert python("-c", code, site=example_site).stdout.endswith("\nFalse\n")


def test_plugins_can_be_left_out(python: Python, example_site: Path) -> None:
    done = python("-m", "unjudged", "measures", "SlidingRatio", site=example_site, UNJUDGED_NO_PLUGINS="1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "unjudged: unknown measure 'SlidingRatio' (`unjudged measures` lists them all)\n"


@pytest.mark.parametrize(
    "engine",
    ["local", pytest.param("dask", marks=pytest.mark.slow), pytest.param("ray", marks=pytest.mark.slow)],
)
def test_workers_know_plugins(python: Python, example_site: Path, demo: Collection, engine: str) -> None:
    if engine != "local":
        pytest.importorskip({"dask": "distributed", "ray": "ray"}[engine])
    command = ["-m", "unjudged", "reuse", demo.truth, demo.runs[0].parent, "-m", "SlidingRatio@10"]
    command += ["--holes", "hurwicz", "--degrade", "DepthCut(2,8)", "-f", "csv", "--quiet"]
    here = python(*command, "--jobs", "1", site=example_site)
    there = python(*command, "--jobs", "2", "--engine", engine, site=example_site)
    assert here.returncode == there.returncode == 0, there.stderr
    assert "SlidingRatio@10,hurwicz" in here.stdout
    assert there.stdout == here.stdout


def test_a_store_keeps_versions_of_a_plugin_apart(
    python: Python, example_site: Path, demo: Collection, tmp_path: Path
) -> None:
    site = shutil.copytree(example_site, tmp_path / "site")
    command = ["-m", "unjudged", "reuse", demo.truth, demo.runs[0].parent, "-m", "SlidingRatio@10"]
    command += ["--holes", "nonrelevant", "--degrade", "DepthCut(2,8)", "--store", "store", "--jobs", "1", "--quiet"]

    def stored() -> set[Path]:
        done = python(*command, site=site)
        assert done.returncode == 0, done.stderr
        return set((tmp_path / "store").glob("??/*"))

    first = stored()
    assert stored() == first
    (about,) = site.glob("*.dist-info/METADATA")
    about.write_text(about.read_text().replace("\nVersion: 1.0\n", "\nVersion: 1.1\n"))
    assert len(stored() - first) == len(first) > 0


def test_its_own_tests_pass(python: Python, example_site: Path) -> None:
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLE / "tests", site=example_site)
    assert done.returncode == 0, done.stdout
