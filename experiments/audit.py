"""Does an audit find wrong judgments, as many as it says? DL19, TREC-8, TREC-COVID round 1, and labels of 33 judges.

    python experiments/audit.py            # writes experiments/results/audit.md

Blind judgments are planted, many at once; then judgments of machines are audited, beside people's as truth.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from collections_at_hand import SHARED, markdown_table, need
from pages import save_page

import unjudged as uj
from unjudged.arrays import Flags, Floats, Ints
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.engine.numerics.evidence_about_judged import GradeEvidence
from unjudged.engine.preparation.document_occurrences import judged_occurrences
from unjudged.io.label_files import expand_labels, read_labels_of
from unjudged.labels.blind_judgments import BlindJudgments, topic_shares
from unjudged.studies.audit.assessor_tables import assessor_rows
from unjudged.studies.doctor.text_checks import compare_texts

RATES = (0.01, 0.03, 0.1)
REPEAT = 5
LOOKED_AT = (0.01, 0.05, 0.2)
RELEVANT = 2
"""From this grade on, passages are relevant to the Deep Learning track."""
ASSESSORS, TRIALS = 6, 20
SEED = 42

PAGE = """# Does an audit find wrong judgments?

## Planted ones

This share of the judgments is replaced by grades drawn blindly (as often as the topic has them), {repeat} times; some
are right by chance, the others are wrong. *said*: the share of wrong ones that the audit says one finds among the worst
1%, 5% and 20%; *found*: that was. *wrong*: how many of the worst 1% and 5% it says are wrong, if told how many are
blind, and how many were planted there (others may have been wrong before). *at most*: the share of blind judgments that
it says is the largest possible, the smallest of {repeat}: it must not be below what was planted.

{planted}

Without any planted ones, at most this share is blind, says the audit: {clean}.

## Machines audited beside people

Labels of machines are taken as the judgments of DL19, and audited by the 37 runs; passages on the wrong side of "grade
2 or more", by the track's judgments, are wrong. Then the track's judgments are audited, by the runs and by these
with Sun's labels, and those are counted whose grade UMBRELA puts on the other side: not all of them are wrong. Shares
of wrong ones among the worst 1%, 5%, 20%, and among all.

{machines}

Of the machines' errors the worst 5% have {machine_recall}; the audit says that of blind ones they have {machine_said}.

## Near-duplicates that people judged differently

{near} passages of DL19 have a near-duplicate on the same topic (90% of the words in common). Copies on both sides of
"grade 2 or more" cannot all be right. The track's judgments are audited by the runs alone, which do not know the
texts: of the passages with a copy, this share has one on the other side: {near_1} among those in the worst 1% of all
judgments, {near_5} in the worst 5%, {near_20} in the worst 20%, and {near_all} in all.

## 33 judges of DL23, without runs

Each judge's labels are taken as the judgments and audited by the 32 others' labels; wrong: the other side of "grade 2
or more" than the human grade. Means over judges: {judges_all:.0%} of all labels are wrong, {judges_1:.0%} of the worst
1%, {judges_5:.0%} of the worst 5% and {judges_20:.0%} of the worst 20%. For {judges_more} of {judges} judges the worst
5% have more errors than all; they have {judges_recall:.0%} of the errors on average.

## A lenient assessor

The judgments of DL19 are given to {assessors} assessors at random, passage by passage or topic by topic, and one of
them gives a grade more to this share of the passages below the highest; {trials} times. Found: the share of trials in
which the corrected p-value of this assessor is below .05; false: that of any other.

{lenient}
"""


@dataclass(frozen=True)
class Audited:
    """Judgments in the order in which an audit puts them; positions are those of judged documents."""

    evidence: GradeEvidence
    blind: BlindJudgments

    @property
    def order(self) -> Ints:
        return np.argsort(self.blind.own, kind="stable")

    def worst(self, share: float) -> Ints:
        return self.order[: max(1, round(share * len(self.order)))]


def audited(qrels: uj.Qrels, occurrences: OccurrencesInRuns | None, labels: tuple = ()) -> Audited:
    evidence = GradeEvidence(qrels, occurrences, labels, SEED)
    shares = topic_shares(evidence.topics, evidence.levels, number=len(evidence.grades))
    return Audited(evidence, BlindJudgments(evidence.levels, evidence.chances, shares))


def collections() -> Iterator[tuple[str, uj.Collection]]:
    dl19, covid, trec8 = (need(SHARED / name) for name in ("dl19", "trec-covid-round1", "trec8"))
    yield "DL19", uj.Collection(dl19 / "2019qrels-pass.txt", dl19 / "runs", groups=dl19 / "runs_teams.tsv")
    round1 = covid / "qrels.covid-round1.txt.gz"
    yield "TREC-COVID round 1", uj.Collection(round1, covid / "runs", groups=covid / "groups.tsv")
    yield "TREC-8", uj.Collection(trec8 / "trec8.qrels", trec8 / "runs", groups=trec8 / "runs-pids")


def with_blind(qrels: uj.Qrels, rate: float, rng: np.random.Generator) -> tuple[uj.Qrels, Flags]:
    """Judgments of which a share is blind, and which of the judged ones are wrong because of that."""
    rows = np.flatnonzero(qrels.judged)
    topics, grades = qrels.topic_of_row[rows], qrels.grades.copy()
    for topic in np.unique(topics):
        mine = rows[topics == topic]
        blind = mine[rng.random(len(mine)) < rate]
        grades[blind] = rng.choice(qrels.grades[mine], size=len(blind))
    changed = replace(qrels, grades=grades, given_scale=qrels.scale)
    return changed, (grades != qrels.grades)[rows]


def planted(name: str, collection: uj.Collection) -> tuple[list[list[str]], float]:
    """A row for each rate; and the largest share that the audit says is possible without any."""
    _, occurrences = judged_occurrences(collection)
    clean = audited(collection.qrels, occurrences).blind.most
    rows, rng = [], np.random.default_rng(SEED)
    for rate in RATES:
        said, found, expected, there, most = [], [], [], [], []
        for _ in range(REPEAT):
            changed, wrong = with_blind(collection.qrels, rate, rng)
            one = audited(changed, occurrences)
            looked = [one.worst(share) for share in LOOKED_AT]
            said.append(one.blind.planted(np.array([len(some) for some in looked]))[0])
            found.append([wrong[some].sum() / wrong.sum() for some in looked])
            expected.append([one.blind.wrong(rate)[some].sum() for some in looked[:2]])
            there.append([wrong[some].sum() for some in looked[:2]])
            most.append(one.blind.most)
        shares = [cell for pair in zip(mean(said), mean(found), strict=True) for cell in pair]
        counts = [cell for pair in zip(mean(expected), mean(there), strict=True) for cell in pair]
        rows.append([name, f"{rate:.0%}", *(f"{one:.0%}" for one in shares), *(f"{one:.0f}" for one in counts)])
        rows[-1].append(f"{min(most):.1%}")
        print(*rows[-1], flush=True)
    return rows, clean


def mean(values: list) -> Floats:
    return np.mean(values, axis=0)


def machines(collection: uj.Collection) -> tuple[str, str, str]:
    """Audits of machines' labels and of the track's judgments, of the same passages; what is found of the errors."""
    _, occurrences = judged_occurrences(collection)
    qrels, folder = collection.qrels, need(SHARED / "dl19" / "llm_labels")
    topics, docs = qrels.topic_of_row, qrels.docs
    files = {"UMBRELA": "umbrella_gpt-4_zeroshot_dl19.txt.gz", "Sun": "TREMA_Sun.qrel.gz"}
    rows, people, recalls, said = [], [], [], []
    for name, file in files.items():
        (labels,) = read_labels_of(expand_labels(folder / file), qrels)
        grades = labels.of(topics, docs).astype(np.int32)
        one = audited(replace(qrels, grades=grades), occurrences)
        side = grades >= (1 if name == "Sun" else RELEVANT)
        wrong = side != (qrels.grades >= RELEVANT)
        rows.append(shares_of(f"labels of {name}", one, wrong))
        recalls.append(f"{wrong[one.worst(0.05)].sum() / wrong.sum():.0%} ({name})")
        said.append(f"{one.blind.planted(np.array([len(one.worst(0.05))]))[0][0]:.0%} ({name})")
        if name == "UMBRELA":
            otherwise = wrong
            people.append(shares_of("the track's, UMBRELA otherwise", audited(qrels, occurrences), wrong))
        else:
            one = audited(qrels, occurrences, (labels,))
            people.append(shares_of("... audited by runs and Sun", one, otherwise))
    head = ["judgments", *(f"worst {share:.0%}" for share in LOOKED_AT), "all"]
    return markdown_table(head, rows + people), " and ".join(recalls), " and ".join(said)


def shares_of(name: str, one: Audited, wrong: Flags) -> list[str]:
    return [name, *(f"{wrong[one.worst(share)].mean():.0%}" for share in LOOKED_AT), f"{wrong.mean():.0%}"]


def near_duplicates(collection: uj.Collection) -> dict[str, str]:
    """How often copies of passages are on the other side, among the worst judgments and among all."""
    qrels = collection.qrels
    _, occurrences = judged_occurrences(collection)
    one = audited(qrels, occurrences)
    texts = compare_texts(qrels, uj.read_texts(SHARED / "dl19" / "qrels_text.dl19.gz"), [])
    rows = [qrels.pairs.find(texts.topics[at], texts.docs.take(at)) for at in texts.judged_pairs[:2]]
    relevant = qrels.grades >= RELEVANT
    other_side = relevant[rows[0]] != relevant[rows[1]]
    copied, apart = np.zeros((2, len(qrels)), dtype=bool)
    copied[np.concatenate(rows)] = True
    apart[np.concatenate([some[other_side] for some in rows])] = True
    found = {"near": f"{copied.sum():,}", "near_all": f"{apart.sum() / copied.sum():.0%}"}
    for share in LOOKED_AT:
        worst = one.evidence.rows[one.worst(share)]
        number, of = apart[worst].sum(), copied[worst].sum()
        found[f"near_{share * 100:.0f}"] = f"{number / max(1, of):.0%} ({number} of {of})"
    return found


def judges() -> dict[str, float]:
    """Each judge of DL23, audited by the others."""
    folder = need(SHARED / "judges" / "llmjudge-dl23")
    human = uj.read_qrels(folder / "human.qrels.gz")
    labels = read_labels_of(expand_labels(folder / "labels"), human)
    shares = []
    for i, judge in enumerate(labels):
        given = judge.of(human.topic_of_row, human.docs)
        known = ~np.isnan(given)
        grades = np.where(known, np.round(given), 0).astype(np.int32).clip(0)
        as_judged = replace(human, grades=grades, states=np.where(known, human.states, 1).astype(np.uint8))
        one = audited(as_judged, None, tuple(labels[:i] + labels[i + 1 :]))
        rows = one.evidence.rows
        wrong = ((grades >= RELEVANT) != (human.grades >= RELEVANT))[rows]
        worst = [wrong[one.worst(share)].mean() for share in LOOKED_AT]
        shares.append([wrong.mean(), *worst, wrong[one.worst(0.05)].sum() / max(1, wrong.sum())])
    table = np.array(shares)
    names = ("judges_all", "judges_1", "judges_5", "judges_20", "judges_recall")
    found = dict(zip(names, table.mean(axis=0).tolist(), strict=True))
    return {**found, "judges": len(labels), "judges_more": int((table[:, 2] > table[:, 0]).sum())}


def lenient(collection: uj.Collection) -> str:
    """Whether a lenient assessor is found, and others are not."""
    _, occurrences = judged_occurrences(collection)
    qrels, rows, rng = collection.qrels, [], np.random.default_rng(SEED)
    names = [f"assessor {i}" for i in range(ASSESSORS)]
    nobody = np.zeros(0, dtype=np.int64)
    for by_topic in (False, True):
        for share in (0.0, 0.2, 0.4):
            found = false = 0
            for _ in range(TRIALS):
                of_topic = rng.permutation(np.arange(len(qrels.topics)) % ASSESSORS)
                who = of_topic[qrels.topic_of_row] if by_topic else rng.integers(ASSESSORS, size=len(qrels))
                raised = (who == 0) & (rng.random(len(qrels)) < share) & (qrels.grades < qrels.max_grade)
                changed = replace(qrels, grades=(qrels.grades + raised).astype(np.int32))
                one = GradeEvidence(changed, occurrences, (), SEED)
                grades = changed.grades.astype(np.float64)
                table = assessor_rows(names, who, one.topics, grades, one.expected_elsewhere, nobody)
                low = {row.assessor for row in table if row.corrected_p is not None and row.corrected_p < 0.05}
                found, false = found + ("assessor 0" in low), false + bool(low - {"assessor 0"})
            given = "topic by topic" if by_topic else "passage by passage"
            rows.append([given, f"{share:.0%}", f"{found / TRIALS:.0%}", f"{false / TRIALS:.0%}"])
            print(*rows[-1], flush=True)
    return markdown_table(["given", "raised", "found", "false"], rows)


def main() -> None:
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    rows, clean = [], []
    at_hand = dict(collections())
    for name, collection in at_hand.items():
        more, most = planted(name, collection)
        rows += more
        clean.append(f"{name} {most:.1%}")
    head = ["collection", "blind", *(f"{what} {share:.0%}" for share in LOOKED_AT for what in ("said", "found"))]
    head += ["said wrong 1%", "planted", "said wrong 5%", "planted", "at most"]
    table, recall, said = machines(at_hand["DL19"])
    print(table, recall, said, flush=True)
    near = near_duplicates(at_hand["DL19"])
    print(near, flush=True)
    of_judges = judges()
    print(of_judges, flush=True)
    text = PAGE.format(
        repeat=REPEAT,
        planted=markdown_table(head, rows, left=2),
        clean=", ".join(clean),
        machines=table,
        machine_recall=recall,
        machine_said=said,
        assessors=ASSESSORS,
        trials=TRIALS,
        lenient=lenient(at_hand["DL19"]),
        **near,
        **of_judges,
    )
    save_page("audit", text, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
