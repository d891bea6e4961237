"""What is known of all runs after a few hundred judgments, from an empty file, and how much of it is true?

    python experiments/five_hundred.py            # writes experiments/results/five-hundred.md

`decide` asks for 50 documents at a time; the complete judgments answer, and documents that nobody judged are not
relevant. A pair of runs counts from the first batch after which it is decided, whatever is said later.
"""

from __future__ import annotations

import warnings
from statistics import NormalDist

import numpy as np
from collections_at_hand import markdown_table
from deciding import SEED, Case, candidates_for, cases, grades_of, means_of
from pages import save_page
from scipy.stats import kendalltau

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.strategies.decide import Decide
from unjudged.strategies.score_posterior import Outlook

BATCH = 50
SHOWN = (100, 250, 500, 1000)
PREFACE = """# What a few hundred judgments say about all runs

From nothing, with `decide`, 50 documents at a time. *Decided*: pairs of runs that were decided until then (at a risk
of 2.5%, looking after every batch), and the share of these that the complete judgments confirm. Tau-b with the complete
scores is of the expected scores, and of the scores from the judged documents alone. *Held*: share of runs whose 95%
interval holds the score when all documents within the cut-off are judged, and the mean width of these; then the mean
error of scores from the judged documents alone, and of expected scores.
"""


def rows_of(case: Case) -> list[list[object]]:
    """One for each number of judgments that is shown."""
    candidates = candidates_for(case)
    grades, truth = grades_of(candidates, case.joined), means_of(case, candidates.runs)
    order, complete = (Decide(measure=case.measure).start(candidates, seed=SEED) for _ in range(2))
    complete.tell(np.arange(len(candidates)), grades)
    within = complete.state.outlook.expected
    first, second = np.triu_indices(len(truth), 1)
    decided = np.zeros(len(first))
    rows: list[list[object]] = []
    for number in range(BATCH, SHOWN[-1] + 1, BATCH):
        batch = order.ask(BATCH)
        order.tell(batch.pairs, grades[batch.pairs])
        outlook = order.state.outlook
        looked = order.weights.looked_at(order.judged)[first, second]
        signs = np.where(looked, _signs(outlook, first, second), 0.0)
        decided = np.where(decided == 0, signs, decided)
        if number in SHOWN:
            right = decided == np.sign(truth[first] - truth[second])
            rows.append([case.name, _labels(case), number, *_row(outlook, truth, within, decided, right)])
    return rows


def _labels(case: Case) -> str:
    return "-" if case.labels is None else "GPT-4 (UMBRELA)"


def _signs(outlook: Outlook, first: Floats, second: Floats) -> Floats:
    """Of the differences that are decided; 0 of others."""
    covariance = outlook.covariance()
    own = np.diag(covariance)
    variance = np.maximum(own[first] + own[second] - 2 * covariance[first, second], 1e-18)
    difference = outlook.expected[first] - outlook.expected[second]
    enough = np.abs(difference) >= NormalDist().inv_cdf(0.975) * np.sqrt(variance)
    return np.where(enough, np.sign(difference), 0.0)


def _row(outlook: Outlook, truth: Floats, within: Floats, decided: Floats, right: Floats) -> list[object]:
    half = NormalDist().inv_cdf(0.975) * outlook.deviations(outlook.covariance())
    held = np.abs(outlook.expected - within) <= half
    share, confirmed = float((decided != 0).mean()), float(right[decided != 0].mean())
    tau, alone = (float(kendalltau(one, truth).statistic) for one in (outlook.expected, outlook.judged))
    errors = [float(np.abs(one - within).mean()) for one in (outlook.judged, outlook.expected)]
    numbers = [f"{share:.0%}", f"{confirmed:.1%}", f"{tau:.3f}", f"{alone:.3f}", f"{held.mean():.0%}"]
    return [*numbers, f"{2 * half.mean():.3f}", *(f"{one:.3f}" for one in errors)]


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    rows = []
    for case in cases(1.0):
        rows += rows_of(case)
        print(*rows[-len(SHOWN) :], sep="\n", flush=True)
    head = ["collection", "labels", "judgments", "decided", "right", "tau expected", "tau alone"]
    head += ["held", "width", "error alone", "error expected"]
    table = markdown_table(head, rows, left=2)
    save_page("five-hundred", f"{PREFACE}\n{table}\n", seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
