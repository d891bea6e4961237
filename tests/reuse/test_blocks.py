"""What a block of a study leaves behind in its worker: nothing."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
from small_collection import GROUPS, collection

import unjudged as uj
from unjudged.data.groups import Groups
from unjudged.data.joined import join_runs
from unjudged.engine.numerics.reuse_tallies import PoolCase, try_pool
from unjudged.engine.numerics.reuse_trial import Methods, Trial, truth_of
from unjudged.holes import Settings, hole_models
from unjudged.measures import measures
from unjudged.simulate import degradations
from unjudged.uncertainty.base import corrections, significance_tests


def test_a_finished_block_holds_on_to_no_judgments() -> None:
    """They map files that joblib waits for a second to remove at the end; Python's collector comes too late."""
    qrels, runs = collection()
    wanted = (measures.parse("nDCG@5"), measures.parse("AP"))
    joined = join_runs(uj.read_qrels(qrels), [uj.read_run(run, name=name) for name, run in runs.items()])
    joined = joined.in_groups(Groups(GROUPS))
    methods = Methods(
        wanted,
        wanted,
        tuple(hole_models.parse(one) for one in ("nonrelevant", "condensed", "bounds", "bootstrap(draws=50)")),
        Settings(),
        significance_tests.parse("t"),
        corrections.parse("holm"),
    )
    places, ways = np.arange(len(joined.runs)), (degradations.parse("LeaveOutGroup(5)"),)
    trial = Trial(joined, joined, places, None, ways, methods, truth_of(joined, methods))
    received = pickle.loads(pickle.dumps(trial))
    held = [weakref.ref(received), weakref.ref(received.joined.qrels), weakref.ref(received.joined.qrels.docs.blob)]
    gc.collect()
    gc.disable()
    try:
        try_pool(received, PoolCase(0, "a", 0))
        del received
        assert [one() for one in held] == [None, None, None]
    finally:
        gc.enable()
