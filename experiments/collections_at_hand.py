"""The real collections the experiments use: where they are, and how one team's judgments are taken out of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import unjudged as uj
from unjudged.data.groups import Groups
from unjudged.data.joined import Joined, join_runs
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.simulate import LeaveOutGroup

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("UNJUDGED_SHARED", ROOT.parent / "shared" / "data"))


@dataclass(frozen=True)
class Collection:
    """Judgments, the runs that were submitted, and the team of each run."""

    name: str
    qrels: Qrels
    runs: tuple[Run, ...]
    team_of: dict[str, str]

    @cached_property
    def teams(self) -> list[str]:
        """Teams in alphabetical order."""
        return sorted({self.team_of[run.name] for run in self.runs})

    def runs_of(self, team: str) -> list[Run]:
        """The runs of one team."""
        return [run for run in self.runs if self.team_of[run.name] == team]

    def without(self, team: str, depth: int) -> Qrels:
        """The judgments as they were if the team had not taken part: documents only it has in its top are gone."""
        return LeaveOutGroup(depth=depth).leave(self._joined, seed=0, case=team).of(self.qrels)

    @cached_property
    def _joined(self) -> Joined:
        return join_runs(self.qrels, self.runs).in_groups(Groups(self.team_of))


def judged_part(run: Run, qrels: Qrels) -> Run:
    """The run without the documents that nobody judged."""
    topics = np.repeat([qrels.topic_rows.get(topic, -1) for topic in run.topics], np.diff(run.offsets))
    kept = qrels.pairs.find(topics.astype(np.int64), run.docs) >= 0
    offsets = np.concatenate([[0], np.cumsum(kept)])[run.offsets].astype(np.int64)
    rows = np.flatnonzero(kept)
    return Run(run.name, run.topics, offsets, run.docs.take(rows), run.scores[rows], run.source)


def dl19() -> Collection:
    """TREC 2019 Deep Learning, passages: 37 runs of 12 teams, grades 0 to 3, complete to depth 10."""
    folder = need(SHARED / "dl19")
    team_of = dict(line.split("\t")[:2] for line in lines(folder / "runs_teams.tsv")[1:])
    runs = uj.read_runs(folder / "runs", scores="float32")
    return Collection("DL19", uj.read_qrels(folder / "2019qrels-pass.txt"), tuple(runs), team_of)


def trec8() -> Collection:
    """TREC-8 ad hoc: 129 runs of 41 teams, binary judgments, pooled to depth 100."""
    folder = need(SHARED / "trec8")
    team_of = dict(line.split()[:2] for line in lines(folder / "runs-pids"))
    runs = uj.read_runs(folder / "runs", scores="float32")
    return Collection("TREC-8", uj.read_qrels(folder / "trec8.qrels"), tuple(runs), team_of)


def need(folder: Path) -> Path:
    """The folder, or a message that says where it was looked for."""
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not there; set UNJUDGED_SHARED to the folder of the real collections")
    return folder


def lines(path: Path) -> list[str]:
    """The lines of a text file that are not empty."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1) -> str:
    """A table; all but the first *left* columns are right-aligned."""
    rule = ["---" if i < left else "---:" for i in range(len(head))]
    body = [[str(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [list(head), rule, *body])
