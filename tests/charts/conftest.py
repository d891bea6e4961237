"""Results of the demo collection, to be drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.demo.collection import CORPUS_SIZE, Collection, write_collection
from unjudged.reports.charts import choose
from unjudged.results.diagnosis import Diagnosis

RESULTS = {
    "doctor": "diagnosis",
    "score": "scores",
    "compare": "comparison",
    "compare segments": "compared_segments",
    "score segments": "scored_segments",
    "gate": "gate",
    "history": "history",
    "relative": "relative",
    "judges": "judges",
    "audit": "audited",
    "reuse": "reuse",
    "reuse strategies": "judged_again",
    "properties": "properties",
}
"""The fixture that charts of a command are drawn from, or a chart that needs one of its own."""


@pytest.fixture(scope="session")
def draw(request: pytest.FixtureRequest) -> Callable[[str, str], uj.Chart]:
    """Draws any chart, by its command and its name."""

    def make(command: str, name: str) -> uj.Chart:
        fixture = RESULTS.get(f"{command} {name}") or RESULTS[command]
        return choose(command, name)(request.getfixturevalue(fixture))

    return make


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return write_collection(tmp_path_factory.mktemp("charts") / "demo")


@pytest.fixture(scope="session")
def runs(demo: Collection) -> Path:
    return demo.runs[0].parent


@pytest.fixture(scope="session")
def scores(demo: Collection, runs: Path) -> uj.Scores:
    return uj.score(demo.qrels, runs, ["nDCG@10", "P@10"], holes=["bounds", "condensed", "bootstrap(draws=200)"])


@pytest.fixture(scope="session")
def comparison(demo: Collection, runs: Path) -> uj.Comparison:
    corpus = uj.CorpusBootstrap(images=64, corpus_size=CORPUS_SIZE)
    return uj.compare(demo.qrels, runs, "nDCG@10", draws=100, corpus=corpus, test="t")


@pytest.fixture(scope="session")
def against_baseline(demo: Collection, runs: Path) -> uj.Comparison:
    return uj.compare(demo.qrels, runs, "nDCG@10", draws=100, test="t", baseline="cedar-fused")


SEGMENTS = {f"{topic}": "even" if topic % 2 == 0 else "odd" for topic in range(101, 126)}


@pytest.fixture(scope="session")
def scored_segments(demo: Collection, runs: Path) -> uj.Scores:
    with pytest.warns(uj.UnjudgedWarning, match="and worse in 1 of 2 segments"):
        return uj.score(demo.qrels, runs, ["nDCG@10", "P@10"], holes=["nonrelevant", "discounted"], segments=SEGMENTS)


@pytest.fixture(scope="session")
def compared_segments(demo: Collection, runs: Path) -> uj.Comparison:
    two = [runs / "cedar-fused.run", runs / "later-neural-base.run"]
    return uj.compare(demo.qrels, two, draws=50, segments=SEGMENTS)


@pytest.fixture(scope="session")
def gate(demo: Collection, runs: Path) -> uj.Gate:
    two = [runs / "cedar-fused.run", runs / "later-neural-base.run"]
    segments = {f"{topic}": "even" if topic % 2 == 0 else "odd" for topic in range(101, 126)}
    return uj.gate(demo.qrels, two, ["nDCG@10", "P@10"], draws=100, segments=segments)


@pytest.fixture(scope="session")
def history(demo: Collection, runs: Path, tmp_path_factory: pytest.TempPathFactory) -> uj.History:
    path = tmp_path_factory.mktemp("history") / "history.jsonl"
    for qrels, run in ((demo.qrels, "cedar-fused"), (demo.qrels, "later-neural-base"), (demo.truth, "cedar-vector")):
        uj.add_release(qrels, runs / f"{run}.run", path, ["nDCG@10", "P@10"])
    return uj.history(path)


@pytest.fixture(scope="session")
def relative(demo: Collection, runs: Path) -> uj.Relative:
    return uj.relative(demo.qrels, runs, groups=demo.teams)


@pytest.fixture(scope="session")
def judges(demo: Collection, runs: Path) -> uj.Judges:
    truth = uj.read_qrels(demo.truth)
    grades = {topic: truth.judgments(topic) for topic in truth.topics}
    strict = {t: {doc: max(0, grade - 1) for doc, grade in docs.items()} for t, docs in grades.items()}
    moody = {t: {doc: (grade + len(doc + t)) % 4 for doc, grade in docs.items()} for t, docs in grades.items()}
    moody[truth.topics[0]]["new"] = strict[truth.topics[0]]["new"] = 0  # so that they can do more than be checked
    return uj.judges(demo.qrels, runs, {"strict": strict, "moody": moody}, groups=demo.teams)


@pytest.fixture(scope="session")
def audited(demo: Collection, runs: Path) -> uj.Audit:
    return uj.audit(demo.qrels, runs, groups=demo.teams, top=5)


@pytest.fixture(scope="session")
def reuse(demo: Collection, runs: Path) -> uj.Reuse:
    ways = ["LeaveOutGroup", "DepthCut(1,2,4)", "KeepFraction(20%,50%)"]
    holes = ["nonrelevant", "condensed"]
    return uj.reuse(demo.truth, runs, degrade=ways, groups=demo.teams, holes=holes, repeat=2, jobs=1)


@pytest.fixture(scope="session")
def judged_again(demo: Collection, runs: Path) -> uj.Reuse:
    with pytest.warns(uj.UnjudgedWarning, match="never judged"):
        return uj.reuse(demo.qrels, runs, ["P@5", "P@3"], strategy=["depth", "mtf"], budget=["10%", "40%"], jobs=1)


@pytest.fixture(scope="session")
def properties(demo: Collection, runs: Path) -> uj.Properties:
    corpus = uj.CorpusBootstrap(images=30, corpus_size=CORPUS_SIZE)
    some = [str(topic) for topic in range(101, 109)]
    how = {"corpus": corpus, "shallow": [3, 6], "shallow_runs": 3}
    return uj.properties(demo.qrels, runs, ["AP", "P@10"], **how, only_topics=some)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def diagnosis(demo: Collection, runs: Path) -> Diagnosis:
    return uj.doctor(demo.qrels, runs)
