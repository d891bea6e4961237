"""What becomes of estimates of a new kind of system? All runs of a kind leave the pool, then its teams come back.

python experiments/new_kinds.py            # writes experiments/results/new-kinds.md
python experiments/new_kinds.py DL19       # prints one collection
"""

from __future__ import annotations

import gzip
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from collections_at_hand import SHARED, dl19, lines, markdown_table, trec8
from evidence import TRADITIONAL
from left_out_teams import Outcome, World, rms, trec_covid_round_1, world
from pages import save_page

import unjudged as uj
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run

MOST_TEAMS, SEED = 10, 42
PREFACE = f"""# A new kind of system

All runs of a kind leave the pool: judgments of documents that no run of another kind has within the pool depth are
gone. Then the teams of that kind (at most {MOST_TEAMS} of them, by a random order) are scored one after the other,
each with the pool's runs only, as somebody would whose system is the first of its kind. Documents that nobody ever
judged are taken out of the new runs, so that the truth is known. Errors are those of run means, and intervals promise
90%.

DL19: teams that mostly match terms against teams with neural models. TREC-8 and TREC-COVID: manual runs against all
others.

*feature* is what `--feature` is given: labels are UMBRELA's of GPT-4, monoT5 is a later run's scores of BM25's first
100, BM25 the scores of a later run.

Before new kinds were told apart (commit ddfe3f256d), evidence had for manual runs on TREC-8 an RMSE of means of 0.0891
and held 15% (nDCG@10), 0.0900 and 8% (P@10); on TREC-COVID round 1 0.0335 and 82% (nDCG@5), 0.0450 and 77% (P@5). All
other rows were as they are. Where evidence cannot speak (fewer than 5 teams in the pool, or than 100 examples), it is
discounted, which looks at no feature.
"""


@dataclass(frozen=True)
class Kinds:
    """A collection and the kind of each of its runs."""

    world: World
    kind_of: Mapping[str, str]
    features: Mapping[str, object]

    def cases(self, kind: str) -> Iterator[tuple[str, Qrels, list[Run], list[Run]]]:
        """Team, judgments that are left, the pool's runs, the team's new ones."""
        collection = self.world.collection
        joined = collection._joined
        inside = [i for i, run in enumerate(joined.runs) if self.kind_of[run] != kind]
        left = collection.qrels.left(collection.qrels.judged & joined.reached(inside, self.world.depth))
        pool = [run for run in collection.runs if self.kind_of[run.name] != kind]
        new = sorted({collection.team_of[run.name] for run in collection.runs if self.kind_of[run.name] == kind})
        for team in np.random.default_rng(SEED).permutation(new)[:MOST_TEAMS].tolist():
            yield team, left, pool, [run for run in collection.runs_of(team) if self.kind_of[run.name] == kind]

    def outcomes(self, kind: str) -> dict[str, list[Outcome]]:
        """By what was asked, an outcome for each measure."""
        out: dict[str, list[Outcome]] = {}
        measures, teams = self.world.measures, self.world.collection.team_of
        for team, left, pool, new in self.cases(kind):
            for name, feature in {"": None, **self.features}.items():
                models = ["nonrelevant", "discounted", "evidence"] if feature is None else ["discounted", "evidence"]
                scores = uj.score(left, [*pool, *new], measures, holes=models, groups=teams, feature=feature)
                for h, model in enumerate(models):
                    asked = model + (f", {name}" if name else "")
                    for m in range(len(measures)):
                        for run in new:
                            outcome = out.setdefault(asked, [Outcome() for _ in measures])[m]
                            outcome.add(self.world, scores, h, m, run.name, (kind, team))
        return out


def collections() -> Iterator[Kinds]:
    """Those whose runs are of several kinds."""
    passages = dl19()
    kind_of = {
        run.name: "traditional" if passages.team_of[run.name] in TRADITIONAL else "neural" for run in passages.runs
    }
    yield Kinds(world("DL19", passages, 10, ("nDCG@10", "P(rel=2)@10"), "dl19"), kind_of, _features())
    meta = [line.split("\t") for line in lines(SHARED / "trec8" / "runs_meta.tsv")[1:]]
    kind_of = {row[0]: "manual" if row[3] == "manual" else "automatic" for row in meta}
    yield Kinds(world("TREC-8", trec8(), 10, ("nDCG@10", "P@10"), "trec8"), kind_of, {})
    rows = [line.split(",") for line in lines(SHARED / "trec-covid-round1" / "leaderboard.csv")[1:]]
    kind_of = {row[0]: "manual" if row[2] == "manual" else "automatic" for row in rows}
    covid = world("TREC-COVID round 1", trec_covid_round_1(), 7, ("nDCG@5", "P@5"), "trec-covid")
    yield Kinds(covid, kind_of, {})


def _features() -> dict[str, object]:
    """What may be known about DL19's documents."""
    folder = SHARED / "dl19"
    with gzip.open(folder / "llm_labels" / "umbrella_gpt-4_zeroshot_dl19.txt.gz", "rt") as file:
        labels = [(topic, doc, float(grade)) for topic, _, doc, grade in map(str.split, file)]
    later = folder / "later_runs"
    return {
        "feature: labels": labels,
        "feature: monoT5": str(later / "run-msmarco-passage-bm25-monot5-0.8-0.5.txt.gz"),
        "feature: BM25": str(later / "__bm25__msmarco-passage-trec-dl-2019-judged.run.gz"),
    }


def table(kinds: Kinds) -> str:
    """A row for each kind, measure and estimate."""
    head = ["new", "measure", "estimate", "runs", "RMSE of means", "bias", "held", "width"]
    rows = []
    for kind in dict.fromkeys(kinds.kind_of[run.name] for run in kinds.world.collection.runs):
        for asked, by_measure in kinds.outcomes(kind).items():
            for measure, outcome in zip(kinds.world.measures, by_measure, strict=True):
                off, held, width = outcome.means()
                shown = ["-", "-"] if np.isnan(width) else [f"{held.mean():.0%}", f"{width:.3f}"]
                rows.append([kind, measure, asked, len(off), f"{rms(off):.4f}", f"{off.mean():+.4f}", *shown])
    rows.sort(key=lambda row: (row[0], row[1]))
    return markdown_table(head, rows, left=3)


def main(names: Sequence[str]) -> None:
    """Write the page, or print some collections."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    parts = []
    for kinds in collections():
        if not names or kinds.world.name in names:
            parts += [f"## {kinds.world.name}", table(kinds)]
            sys.stderr.write(f"{kinds.world.name}\n")
    if names:
        sys.stdout.write("\n\n".join(parts) + "\n")
    else:
        save_page("new-kinds", "\n\n".join([PREFACE, *parts]), seeds=f"seed {SEED}")


if __name__ == "__main__":
    main(sys.argv[1:])
