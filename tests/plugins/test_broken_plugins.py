"""Plugins that cannot be used: one line each that names the package, and everything else works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Python

Install = Callable[..., Path]

GOOD = """
    from unjudged.plugins import Measure

    class Good(Measure):
        "Always one."
        name = "Good"
        title = "One"

        def compute(self, view):
            return [1.0] * len(view)
"""

BROKEN = {
    "imports-what-is-missing": (
        "import surely_not_installed",
        None,
        "ModuleNotFoundError: No module named 'surely_not_installed'",
    ),
    "raises": ("raise RuntimeError('no\\nluck')", None, "RuntimeError: no luck"),
    "exits": ("import sys; sys.exit()", None, "SystemExit"),
    "not-there": ("", "not_there:Measure", "AttributeError: module 'not_there' has no attribute 'Measure'"),
    "defines-nothing": (
        "x = 1",
        None,
        "defines_nothing defines no measure, hole model or other class with a name",
    ),
    "no-class": (
        GOOD.replace("Good", "Other") + "\n    thing = 3",
        "no_class:thing",
        "no_class:thing is neither a module nor a measure, hole model or other class with a name",
    ),
    "takes-a-name": (
        GOOD.replace('name = "Good"', 'name = "Mine"; aliases = ("AP",)'),
        None,
        "two measures are called 'AP', in unjudged.measures.precision and in takes_a_name",
    ),
    "takes-a-plugin-s-name": (
        GOOD,
        None,
        "two measures are called 'Good', in good and in takes_a_plugin_s_name",
    ),
    "takes-a-hole-model-s-name": (
        "from unjudged.plugins import HoleModel\nclass Mine(HoleModel):\n    name = 'bounds'",
        None,
        "two hole models are called 'bounds', in unjudged.holes.bounds and in takes_a_hole_model_s_name",
    ),
    "cannot-be-typed": (
        GOOD.replace('name = "Good"', 'name = "my measure"'),
        None,
        "a measure cannot be called 'my measure'; names look like nDCG or alpha_nDCG",
    ),
    "half-way": (
        GOOD.replace("Good", "Half") + "\n    raise ValueError('too late')",
        None,
        "ValueError: too late",
    ),
}


@pytest.fixture
def site(install: Install) -> Path:
    for package, (code, entry, _) in BROKEN.items():
        install(package, code, entry)
    return install("good", GOOD)


def lines(prefix: str = "") -> list[str]:
    return [f"{prefix}plugin 'mine' of {package} 1.0 is left out: {BROKEN[package][2]}" for package in sorted(BROKEN)]


def test_each_is_one_line_and_the_rest_works(python: Python, site: Path, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 mine\n")
    command = ["-m", "unjudged", "score", "qrels", "run", "-m", "Good", "-m", "AP", "--holes", "bounds", "-f", "csv"]
    done = python(*command, site=site)
    assert done.returncode == 0
    assert done.stderr.splitlines() == lines("warning: ")
    assert [row.split(",")[2:5] for row in done.stdout.splitlines()[1:]] == [
        ["Good", "bounds", "1.0"],
        ["AP", "bounds", "1.0"],
    ]
    assert python(*command, "--quiet", site=site).stderr == ""


def test_the_version_lists_them(python: Python, site: Path) -> None:
    done = python("-m", "unjudged", "--version", site=site)
    assert done.stderr == ""
    lines_out = done.stdout.splitlines()[1:]
    assert [line for line in lines_out if "left out" in line] == lines()
    assert "plugin 'mine' of good 1.0: measure Good" in lines_out


def test_those_who_use_the_library_are_warned_once(python: Python, site: Path) -> None:
    code = "import unjudged as uj; uj.Good; len(uj.measures.measures); uj.Good; print('Half' in uj.measures.measures)"
    done = python("-W", "always", "-c", code, site=site)
    assert done.stdout == "False\n"
    assert done.stderr.count("UnjudgedWarning: plugin 'mine' of raises 1.0 is left out: RuntimeError: no luck") == 1


def test_without_a_source_the_methods_say_so(python: Python, site: Path) -> None:
    code = (
        "import unjudged as uj; scores = uj.score({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'Good');"
        "print(uj.methods(scores).to_text().splitlines()[0])"
    )
    text = python("-c", code, site=site).stdout
    assert text.startswith("Effectiveness is Good from the plugin good 1.0, which names no source for it over 1 topic.")


def test_an_unknown_name_is_compared_with_those_of_plugins(python: Python, site: Path) -> None:
    done = python("-m", "unjudged", "measures", "Goood", site=site)
    assert done.stderr.splitlines()[-1] == (
        "unjudged: unknown measure 'Goood'; did you mean 'Good'? (`unjudged measures` lists them all)"
    )


def test_a_plugin_may_look_names_up_while_it_is_imported(python: Python, install: Install) -> None:
    site = install("curious", GOOD + "\n    from unjudged.plugins import measures\n    'Unknown' in measures")
    done = python("-m", "unjudged", "measures", "Good", site=site)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Plugin      curious 1.0" in done.stdout


def test_a_package_may_have_several_entry_points(python: Python, install: Install) -> None:
    site = install("several", GOOD, "several\nother = several:Good")
    assert python("-m", "unjudged", "--version", site=site).stdout.splitlines()[1:] == [
        "plugin 'mine' of several 1.0: measure Good",
        "plugin 'other' of several 1.0: nothing more",
    ]
