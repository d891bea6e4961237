"""What a block of a study leaves behind in its worker: nothing."""

from __future__ import annotations

import gc
import pickle
import weakref

from small_collection import GROUPS, collection

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.engine.numerics.estimates_on_degraded_qrels import prepare_trial
from unjudged.engine.numerics.reuse_tallies import PoolCase, try_pool
from unjudged.holes import Settings, hole_models
from unjudged.measures import measures
from unjudged.simulate import degradations
from unjudged.uncertainty.base import corrections, significance_tests


def test_a_finished_block_holds_on_to_no_judgments() -> None:
    """They map files that joblib waits for a second to remove at the end; Python's collector comes too late."""
    qrels, runs = collection()
    wanted = [measures.parse("nDCG@5"), measures.parse("AP")]
    trial = prepare_trial(
        join_runs(uj.read_qrels(qrels), [uj.read_run(run, name=name) for name, run in runs.items()]).in_groups(GROUPS),
        None,
        wanted,
        wanted,
        [hole_models.parse(one) for one in ("nonrelevant", "condensed", "bounds", "bootstrap(draws=50)")],
        [degradations.parse("LeaveOutGroup(5)")],
        settings=Settings(),
        test=significance_tests.parse("t"),
        correction=corrections.parse("holm"),
    )
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
