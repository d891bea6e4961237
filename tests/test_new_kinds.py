"""A new thing of each kind is one module: nothing else has to be edited for it to be found by its name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import unjudged

NEW = {
    "measures/toy_measure.py": '''
import numpy as np
from unjudged.measures.base import Measure

class Toy(Measure):
    """Always a half."""

    name = "Toy"
    title = "A half"

    def compute(self, view):
        return np.full(len(view.lengths), 0.5)
''',
    "holes/toy_holes.py": '''
from unjudged.holes.nonrelevant_and_condensed import NonRelevant

class Toy(NonRelevant):
    """Unjudged documents are not relevant."""

    name = "toyholes"
    title = "As not relevant"
''',
    "simulate/toy_degradation.py": '''
import numpy as np
from unjudged.simulate.base import Degradation, Left

class KeepEven(Degradation):
    """Every second judgment is left."""

    name = "KeepEven"
    title = "Every second judgment"

    def leave(self, joined, *, seed, repetition=0, case=""):
        kept = np.arange(len(joined.qrels)) % 2 == 0
        return Left(kept & joined.qrels.judged, kept)
''',
    "strategies/toy_strategy.py": '''
import numpy as np
from unjudged.strategies.base import Strategy, TopicByTopic, first_by

class Popular(Strategy):
    """Documents that many runs have first."""

    name = "popular"
    title = "By the number of runs"

    def start(self, candidates, *, seed):
        return PopularOrder(candidates)

class PopularOrder(TopicByTopic):
    def ask_topic(self, topic, number):
        runs = np.bincount(self.candidates.ranked.pairs, minlength=len(self.candidates)).astype(float)
        mine = np.flatnonzero(self.open & (self.candidates.topic_of == topic))
        return first_by(self.candidates, mine, runs[mine], number)
''',
    "reports/charts/doctor_toy.py": '''"""How many findings there are."""

from dataclasses import dataclass
from unjudged.reports.charts.base import Chart, chart

@dataclass(frozen=True, eq=False, repr=False)
class Findings(Chart):
    """A bar."""

    def marks(self, alt, data):
        return alt.Chart(data).mark_bar().encode(x="findings:Q")

@chart()
def toy_findings(diagnosis):
    """The number of findings."""
    return Findings({"findings": [len(diagnosis.findings)]}, "Findings")
''',
    "cli/toy.py": '''"""unjudged toy"""

from pathlib import Path
from unjudged.cli.study_command import Answer, Collection, study_command

PLACE = 15

@study_command()
def toy(collection: Collection) -> Answer:
    """Say how many runs there are."""
    return Answer(None, lambda _: f"{len(collection.runs)} runs")
''',
}
"""Paths within the package, and what is in them."""

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}}
RUNS = {"one": {"1": {"a": 2.0, "x": 1.0}, "2": {"c": 2.0}}, "two": {"1": {"x": 2.0, "a": 1.0}, "2": {"a": 2.0}}}

Asked = Callable[[str], str]


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Runs code with a copy of the package that has the new modules."""
    folder = tmp_path_factory.mktemp("extended")
    source = Path(unjudged.__file__).parent
    shutil.copytree(source, folder / "unjudged")  # with what is compiled, so that nine processes need not do it again
    for name, text in NEW.items():
        (folder / "unjudged" / name).write_text(text)

    def run(code: str) -> str:
        start = f"import unjudged as uj\nqrels, runs = {QRELS!r}, {RUNS!r}\n"
        environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", start + code],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def test_a_measure(extended: Asked) -> None:
    assert extended("print(uj.score(qrels, runs, 'Toy').mean()['one', 'Toy'], uj.Toy.title)") == "0.5 A half"


def test_a_hole_model(extended: Asked) -> None:
    assert extended("print(uj.score(qrels, runs, 'P@1', holes='toyholes').holes)") == "('toyholes',)"


def test_a_degradation(extended: Asked) -> None:
    code = "print(uj.reuse(qrels, runs, 'P@1', degrade='KeepEven', holes='nonrelevant', jobs=1).correlations()[0])"
    assert "KeepEven" in extended(code)


def test_a_strategy(extended: Asked) -> None:
    tried = "uj.reuse(qrels, runs, 'P@1', strategy='popular', budget=2, jobs=1).strategies()"
    assert extended(f"print({tried}[0].strategy)") == "popular"
    chosen = "uj.next_judgments(qrels, runs, 'popular', measure='P@2', goal='width=0.01', budget=1).judgments()"
    assert extended(f"print({chosen}[0].doc)") == "x"


def test_a_chart(extended: Asked) -> None:
    assert extended("print(uj.plots.toy_findings(uj.doctor(qrels, runs)).title, 'toy_findings' in dir(uj.plots))") == (
        "Findings True"
    )
    code = "from unjudged.cli import main\nmain(['doctor', '--help-all'])"
    assert re.search(r"Which chart: (\S+, )*holes, (\S+, )*toy\.", " ".join(extended(code).replace("│", " ").split()))


def test_a_command(extended: Asked, tmp_path: Path) -> None:
    code = "from unjudged.cli.app import app\nfrom typer.main import get_command\nprint(*get_command(app).commands)"
    names = extended(code).split()
    assert names.index("doctor") < names.index("toy") < names.index("score")
    run = tmp_path / "run"
    run.write_text("1 Q0 a 1 1 r")
    assert extended(f"from unjudged.cli import main\nmain(['toy', *['{run}'] * 3])") == "2 runs"
