"""Real judges, where the data is there."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

SHARED = Path(os.environ.get("UNJUDGED_SHARED", Path(__file__).parents[3] / "shared" / "data"))
DL23 = SHARED / "judges" / "llmjudge-dl23"


def grades_of(path: Path) -> dict[tuple[str, str], float]:
    with gzip.open(path, "rt") as lines:
        rows = [line.split() for line in lines]
    return {(row[0], row[2]): float(row[3]) for row in rows}


@pytest.fixture(scope="session")
def dl23() -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Labels of 33 judges (judges, pairs), the human grades, the topic of each pair, and the judges' names."""
    if not DL23.exists():
        pytest.skip(f"no {DL23}")
    human = grades_of(DL23 / "human.qrels.gz")
    files = sorted((DL23 / "labels").glob("*"))
    labels = np.full((len(files), len(human)), np.nan)
    place = {pair: i for i, pair in enumerate(human)}
    for row, file in enumerate(files):
        for pair, grade in grades_of(file).items():
            if pair in place:
                labels[row, place[pair]] = grade
    topics = np.unique([topic for topic, _ in human], return_inverse=True)[1]
    return labels, np.array(list(human.values())), topics, [file.name for file in files]
