"""From an empty project to a decided comparison, with assessors who are wrong now and then.

    python experiments/judging_session.py            # writes experiments/results/judging-session.md

Two assessors share the demo collection, whose whole truth is known; a tenth of the documents goes to both. An assessor
who errs gives one of the other grades; so does their lead, who decides where they differ. After every ten judgments the
project is asked what they say, and judging stops once the comparison is decided.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from pages import save_page

import unjudged as uj
from unjudged.demo.collection import Collection, write_collection
from unjudged.judging import Project

GRADES = {0: "not relevant", 1: "touches it", 2: "about it", 3: "all about it"}
BATCH = 10
COMPARISONS = (
    ("later-neural-large", "dogwood-fused"),
    ("dogwood-fused", "cedar-fused"),
    ("later-neural-base", "dogwood-fused"),
)
ERRORS = (0.0, 0.1, 0.2)
SEEDS = (1, 2, 3, 4, 5, 6)
PREFACE = """# From an empty project to a decided comparison

The demo collection (seed 42), judged by two simulated assessors from nothing until nDCG@10 of two runs is decided at a
risk of 2.5%, asked after every {batch} judgments; {seeds} sessions each. *Errors*: the share of grades that are one of
the others instead of the true one. *Judgments*: of documents, of the {pool:,} that may be judged, the median and the
range; *grades given*: with those of the tenth that both judged and of the lead. *Right*: sessions whose conclusion is
that of the complete truth; a session that judged everything without a decision is none. *Alpha*: Krippendorff's, of
what both graded, the median.
"""


class Session(NamedTuple):
    """How a session ended."""

    decided: bool
    right: bool
    answer: str
    judgments: int
    given: int
    pool: int
    alpha: float | None


def session(
    collection: Collection,
    path: Path,
    *,
    runs: tuple[str, str] = COMPARISONS[0],
    errors: float = 0.1,
    seed: int = 1,
) -> Session:
    """Judge until it is decided which of two runs is better."""
    folder = collection.directory
    truth = _truth(folder / "truth.qrels")
    rng = random.Random(seed)

    def grade(topic: str, doc: str) -> int:
        true = truth.get((topic, doc), 0)
        others = [one for one in GRADES if one != true]
        return rng.choice(others) if rng.random() < errors else true

    with Project.create(
        path,
        runs=str(folder / "runs"),
        topics=folder / "topics.tsv",
        texts=folder / "docs.jsonl",
        goal=">".join(runs),
        grades=GRADES,
        assessors=("ann", "bob"),
    ) as project:
        while True:
            result = project.refresh()
            if result.answered or not _judge(project, grade):
                break
        (row,) = result.pairs()
        means = uj.score(folder / "truth.qrels", [folder / "runs" / f"{name}.run" for name in runs], "nDCG@10").mean()
        better = max(runs, key=lambda name: means[name, "nDCG@10"])
        said = row.run if row.difference > 0 else row.other
        progress = project.progress()
        return Session(
            result.answered,
            result.answered and said == better,
            result.goals()[0].answer,
            progress.judged,
            len(project.history()),
            progress.pairs,
            project.agreement().alpha,
        )


def _judge(project: Project, grade: object) -> int:
    """A batch of both assessors, and of the lead where they differ; how many judgments that were."""
    assert callable(grade)
    done = 0
    while done < BATCH:
        before = done
        for who in ("ann", "bob"):
            for task in project.next(who):
                project.record(who, task.pair, "grade", grade=grade(task.topic, task.doc))
                done += 1
        if done == before:
            break
    for task in project.disagreements():
        project.adjudicate("lead", task.pair, grade(task.topic, task.doc))
    return done


def _truth(path: Path) -> dict[tuple[str, str], int]:
    lines = (line.split() for line in path.read_text().splitlines())
    return {(topic, doc): int(grade) for topic, _, doc, grade in lines}


def main() -> None:
    """Write the page."""
    rows, pool = [], 0
    with tempfile.TemporaryDirectory() as folder:
        collection = write_collection(Path(folder) / "demo", 42)
        for runs in COMPARISONS:
            for errors in ERRORS:
                started = time.process_time()
                path = Path(folder) / f"{runs[0]}-{runs[1]}-{errors}"
                ended = [
                    session(collection, Path(f"{path}-{seed}"), runs=runs, errors=errors, seed=seed) for seed in SEEDS
                ]
                pool = ended[0].pool
                print(runs, errors, *ended, f"{time.process_time() - started:.0f} s", sep="\n  ", flush=True)
                rows.append([" and ".join(runs), f"{errors:.0%}", *_row(ended)])
    head = ["runs", "errors", "decided", "right", "judgments", "range", "grades given", "alpha"]
    preface = PREFACE.format(batch=BATCH, seeds=len(SEEDS), pool=pool)
    text = f"{preface}\n{_table(head, rows)}\n"
    save_page("judging-session", text, seeds=f"seeds {', '.join(map(str, SEEDS))}")


def _row(ended: list[Session]) -> list[str]:
    judgments = sorted(one.judgments for one in ended)
    given = sorted(one.given for one in ended)
    alphas = sorted(one.alpha for one in ended if one.alpha is not None)
    middle = len(ended) // 2
    counts = [f"{sum(getattr(one, name) for one in ended)} of {len(ended)}" for name in ("decided", "right")]
    alpha = f"{alphas[len(alphas) // 2]:.2f}" if alphas else "-"
    between = f"{judgments[0]:,} to {judgments[-1]:,}"
    return [*counts, f"{judgments[middle]:,}", between, f"{given[middle]:,}", alpha]


def _table(head: list[str], rows: list[list[str]]) -> str:
    from collections_at_hand import markdown_table

    return markdown_table(head, rows, left=1)


if __name__ == "__main__":
    main()
