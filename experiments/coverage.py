"""Does everything that the tool prints with an interval or a probability hold what it promises?

    python experiments/coverage.py                      # writes experiments/results/coverage.md
    python experiments/coverage.py --kept DIR           # and keeps each section there, so as to go on after a break
    python experiments/coverage.py --kept DIR --only 'P(A>B);Subtopics'

Judgments of a team, or of all runs of a type, are left out; `score` and `compare` are asked as users ask them, and the
truth is what they say under all judgments.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from collections_at_hand import SHARED, markdown_table, need
from coverage_trials import DRAWS, EDGES, SEED, Said, Tried, share, teams_left_out, together, try_case, types_left_out
from diverse_collections import dl19 as dl19_subtopics
from left_out_teams import Outcome, World, rms, worlds
from pages import save_page

import unjudged as uj
from unjudged.holes import HoleModel
from unjudged.holes.base import hole_models

TOGETHER = ("evidence",)
ALONE = ("discounted", "bootstrap", "bounds", "joint")
PROMISED = {"evidence": "90%", "discounted": "90%"}
CHOSEN = {"TREC-8": slice(0, None, 6)}
"""Which teams are left out, in alphabetical order, where not every one is: each costs up to 15 s of processor time. Ten
of TREC-COVID's 56 are too few: every sixth had 77% of means of nDCG@10 held, the other five such sets 91 to 100%."""
LEFT_OUT = ("TREC-8, depth 100",)
"""Collections that take too long here; discounted.py has them."""
COMPARED = {
    "DL19": "nDCG@10",
    "DL19, best answer": "P(rel=4)@10",
    "TREC-8": "P@10",
    "TREC-COVID round 1": "nDCG@5",
}
OTHERS = 10
"""Runs that each run left out is compared with: those whose scores by what is judged are nearest to its estimate. Pairs
that are chosen by their truth would be in the wrong order more often than any P(A>B) can know."""
TYPES = {"DL19": ("nDCG@10",), "TREC-8": ("nDCG@10",), "TREC-COVID round 1": ("nDCG@5",)}
REAL = {
    "ANCE": "ance-09-01-2023-run.txt.gz",
    "ColBERT": "colbert-ranking-26-12-2022-run.txt.gz",
    "TAS-B": "tas-b-09-01-2023-run.txt.gz",
}


def drawn(name: str) -> HoleModel:
    """A hole model with as many draws as trials have."""
    model = hole_models.parse(name)
    return model.replace(draws=DRAWS) if any(one.name == "draws" for one in model.parameters()) else model


def row(one: Outcome) -> list[str]:
    """Errors, and what intervals hold."""
    off, held, width = one.topics()
    mean_off, mean_held, _ = one.means()
    own, own_width = one.intervals()
    teams = len(set(one.group))
    return [
        f"{len(off):,}",
        f"{rms(off):.3f}",
        share(held),
        f"{width:.3f}",
        f"{len(mean_off)} / {teams}",
        f"{rms(mean_off):.4f}",
        *([f"{share(own)} of {len(own)}", f"{own_width:.3f}"] if len(own) else ["-", "-"]),
        f"{share(mean_held)} ({one.held_by_group():.0%})",
    ]


HEAD = ["topics", "RMSE", "held", "width", "runs / teams", "RMSE", "means held", "width", "with bounds"]


def tried(one: World, kept: Path) -> Tried:
    """All cases of a collection; each is kept in a file, so that a break costs one."""
    together, single = ({name: drawn(name) for name in names} for names in (TOGETHER, ALONE))
    compared = (COMPARED[one.name], OTHERS) if one.name in COMPARED else None
    out = Tried()
    for case in teams_left_out(one, CHOSEN.get(one.name, slice(None))):
        path = kept / "cases" / f"{one.name} {case.name}.pickle".replace("/", "-")
        if not path.is_file():
            say(f"{one.name}: {case.name}")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(pickle.dumps(try_case(one, case, together, single, compared)))
        out.add(pickle.loads(path.read_bytes()))
    return out


def scores_table(one: World, kept: Path) -> str:
    """All models and measures."""
    by_model = tried(one, kept).outcomes
    rows = [
        [measure, model, PROMISED.get(model, "-"), *row(of_model[m])]
        for m, measure in enumerate(one.measures)
        for model, of_model in by_model.items()
    ]
    return markdown_table(["measure", "model", "promised", *HEAD], rows, left=3)


def types_table(one: World) -> str:
    """All runs of a type left out at once."""
    rows, world = [], replace(one, measures=TYPES[one.name])
    models = ("evidence", "discounted")
    for case in types_left_out(world):
        for name, of_model in zip(models, together(world, [drawn(model) for model in models], [case]), strict=True):
            rows.append([one.name, case.name, world.measures[0], name, *row(of_model[0])])
    return markdown_table(["collection", "type left out", "measure", "model", *HEAD], rows, left=4)


def comparisons_table(one: World, kept: Path) -> str:
    """P(A>B), differences, ranks and verdicts."""
    rows = [[one.name, COMPARED[one.name], name, *said_of(said)] for name, said in tried(one, kept).said.items()]
    bins = [f"P {low:.1f} to {min(1, high):.1f}" for low, high in pairwise(EDGES)]
    head = ["collection", "measure", "model", *bins, "within worst, best", "certain", "likely", "ranks held", "width"]
    return markdown_table(head, rows, left=3)


def all_comparisons_table(every: Sequence[World], kept: Path) -> str:
    """How often P(A>B) is right, over all collections."""
    together = Tried()
    for one in every:
        if one.name in COMPARED:
            together.add(Tried(said=tried(one, kept).said))
    bins = [f"P {low:.1f} to {min(1, high):.1f}" for low, high in pairwise(EDGES)]
    rows = [[name, *said.curve()] for name, said in together.said.items()]
    return markdown_table(["model", *bins], rows)


def said_of(said: Said) -> list[str]:
    """Shares of what was right."""
    return [
        *said.curve(),
        share(said.bounds_held),
        f"{share(said.certain)} of {len(said.certain):,}",
        f"{share(said.likely)} of {len(said.likely):,}",
        share(said.rank_held),
        f"{np.mean(said.rank_width):.1f}",
    ]


def real_table() -> str:
    """Systems that came after the pool, and were judged later."""
    folder, rows = need(SHARED / "trec-covid"), []
    runs = {name: folder / path for name, path in REAL.items()}
    truth = uj.score(folder / "complete-annotation-trec-covid.txt.gz", runs, "nDCG@10", negative="drop")
    for model in ALONE:
        for name, path in runs.items():
            scores = uj.score(
                folder / "incomplete-beir-trec-covid.txt.gz", {name: path}, "nDCG@10", holes=model, negative="drop"
            )
            true = truth.values[0, 0, truth.runs.index(name)]
            low, high = scores.low[0, 0, 0], scores.high[0, 0, 0]
            holes = scores.judged[0, 0, 0] < 1
            held = (low[holes] <= true[holes] + 1e-9) & (true[holes] <= high[holes] + 1e-9)
            mean, ends = float(true.mean()), (scores.mean_low[0, 0, 0], scores.mean_high[0, 0, 0])
            rows.append(
                [
                    model,
                    name,
                    f"{1 - scores.judged[0, 0, 0].mean():.0%}",
                    f"{share(held)} of {holes.sum()}",
                    f"{scores.means[0, 0, 0]:.3f}",
                    f"{ends[0]:.3f} to {ends[1]:.3f}",
                    f"{mean:.3f}",
                    "yes" if ends[0] <= mean <= ends[1] else "no",
                ]
            )
    head = ["model", "run", "unjudged", "topics held", "estimate", "interval of the mean", "truth", "held"]
    return markdown_table(head, rows, left=2)


def subtopics_table() -> str:
    """Measures of subtopics, for which only the bootstrap and bounds say anything of holes."""
    measures, rows = ("alpha_nDCG(rel=4)@10", "ERR_IA(rel=4)@10", "P_IA(rel=4)@10"), []
    diverse = dl19_subtopics()
    (passages,) = (one for one in worlds() if one.name == "DL19")
    qrels = uj.read_qrels(SHARED / "dl19" / "exam-questions-as-subtopics.diversity-qrels.gz")
    kept = {run.name: run for run in passages.collection.runs}
    truth = uj.score(qrels, list(kept.values()), measures, jobs=1)
    outcomes = {model: [Outcome() for _ in measures] for model in ("bootstrap", "bounds")}
    for case in teams_left_out(passages):
        gone = {
            (topic, doc)
            for topic, doc, before, after in zip(
                (passages.collection.qrels.topics[t] for t in passages.collection.qrels.topic_of_row.tolist()),
                passages.collection.qrels.docs,
                passages.collection.qrels.judged.tolist(),
                case.qrels.judged.tolist(),
                strict=True,
            )
            if before and not after
        }
        left = qrels.left(
            np.array(
                [
                    (qrels.topics[t], doc) not in gone
                    for t, doc in zip(qrels.topic_of_row.tolist(), qrels.docs, strict=True)
                ]
            )
            & qrels.judged
        )
        world = replace(passages, measures=measures)
        world.__dict__["truth"] = truth
        for model, of_model in outcomes.items():
            scores = uj.score(left, [kept[run] for run in case.runs], measures, holes=drawn(model), jobs=1)
            for m, run in ((m, run) for m in range(len(measures)) for run in case.runs):
                of_model[m].add(world, scores, 0, m, run, (case.name, case.name))
    for m, measure in enumerate(measures):
        for model, of_model in outcomes.items():
            rows.append([diverse.name, measure, model, *row(of_model[m])])
    return markdown_table(["collection", "measure", "model", *HEAD], rows, left=3)


# ---- the page

INTRODUCTION = (
    "Judgments are left out, `score` and `compare` are asked as users ask them (calibration included,"
    f" {DRAWS} draws), and the truth is what they say under all judgments. Documents that nobody ever judged are taken"
    " out of the runs first, so that the truth is known. Only runs and topics count that have something to estimate."
    " *evidence* knows all runs and their teams; the other models know one run and the judgments. Of DL19"
    " and TREC-COVID every team is left out in turn, of TREC-8 every sixth in alphabetical order"
    " ([all](intervals.md), where less is computed again for each; AP with TREC-8's pool of depth 100 is in"
    " [discounted.md](discounted.md))."
    " *held* is the share of topics, or of means of runs, whose truth is inside. Where nothing says how wide an"
    " interval of a mean has to be, bounds are printed instead: *means held* is about the means that have intervals,"
    " *with bounds* about all, in brackets with teams counting alike."
)
COMPARE = (
    f"Each run that is left out is compared with the {OTHERS} other runs whose scores by what is judged are nearest to"
    " its estimate, so that many pairs are hard; nothing about the choice depends on the truth. *discounted* is asked"
    " for all runs at once here. *P 0.7 to 0.8*: of the pairs with a run that was left out for which P(A>B) (of the"
    " better one) is there, so many are in the right order; it should be about 75%. *within worst, best*: the true"
    " difference is between the bounds that `compare` prints. *certain*, *likely*: such verdicts that are right. *ranks"
    " held*: the true rank is within the range, which promises 95% over holes **and** topics, so it should hold more"
    " than 95%."
)
TYPES_LEFT = (
    "What only runs of the type have within the depth of the pool loses its judgments, and all of them are new at once."
    " Traditional on DL19: teams BASELINE, TREMA-UNH, srchvrs. All runs and their teams are known, with either model."
)
REAL_LEFT = "TREC-COVID, paper 1's Table 7: three systems that came after the pool, nDCG@10, judged later."
SUBTOPICS = (
    "DL19 with its exam questions as subtopics, each team left out. (Of the Web track's collections one or two runs of"
    " a year are at hand, none of which contributed to the pool, so nothing can be left out.)"
)


def say(words: str) -> None:
    """How far it is."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {words}\n")


def sections(every: Sequence[World], kept: Path) -> dict[str, tuple[str, Callable[[], str]]]:
    """What the page has: headings, what is said below, and the table."""
    out: dict[str, tuple[str, Callable[[], str]]] = {}
    for one in every:
        out[one.name] = ("", lambda one=one: scores_table(one, kept))
    for one in every:
        if one.name in COMPARED:
            words = COMPARE if not any("P(A>B)" in name for name in out) else ""
            out[f"P(A>B), differences, ranks and verdicts: {one.name}"] = (
                words,
                lambda one=one: comparisons_table(one, kept),
            )
    out["P(A>B) over all of these"] = ("", lambda: all_comparisons_table(every, kept))
    for one in every:
        if one.name in TYPES:
            words = TYPES_LEFT if not any("of a type" in name for name in out) else ""
            out[f"All runs of a type left out: {one.name}"] = (words, lambda one=one: types_table(one))
    out["Real holes"] = (REAL_LEFT, real_table)
    out["Subtopics"] = (SUBTOPICS, subtopics_table)
    return out


def write(kept: Path, only: Sequence[str]) -> None:
    """The page, again after each section; those that are kept are not computed again."""
    every, begin = sections([one for one in worlds() if one.name not in LEFT_OUT], kept), time.process_time()
    for name, (_, table) in every.items():
        path = kept / f"{name.replace(' ', '-').replace(':', '')}.md"
        if not path.is_file() and (not only or any(part in name for part in only)):
            say(name)
            path.write_text(table(), encoding="utf-8")
            save(every, kept)
    say(f"{time.process_time() - begin:.0f} s of processor time")
    save(every, kept)


def save(every: dict[str, tuple[str, Callable[[], str]]], kept: Path) -> None:
    """The page of the sections that there are."""
    text, missing = [TITLE, INTRODUCTION], []
    for name, (words, _) in every.items():
        path = kept / f"{name.replace(' ', '-').replace(':', '')}.md"
        if path.is_file():
            text += [f"## {name}", *([words] if words else []), path.read_text(encoding="utf-8").strip()]
        else:
            missing.append(name)
    if missing:
        text.append(f"Not measured here: {'; '.join(missing)}.")
    save_page("coverage", "\n\n".join(text), seeds=f"seed {SEED}")


TITLE = "# Everything with an interval: what it promises, and what it holds"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kept", type=Path, help="folder in which each section is kept when it is done")
    parser.add_argument("--only", default="", help="parts of the names of sections to compute, with ; between")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    with tempfile.TemporaryDirectory() as folder:
        kept = given.kept or Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        write(kept, [part for part in given.only.split(";") if part])


if __name__ == "__main__":
    main()
