"""What holds for every hole model."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from unjudged.data.view import View
from unjudged.holes import Estimate, HoleModel, Settings, hole_models
from unjudged.measures import Measure
from unjudged.testing.collections import SEEDS, random_collection, view_for
from unjudged.testing.requirements import columns_of, explains, reads_back, require, untouched

__all__ = ["HOLE_MODEL_CHECKS"]


def _estimate(model: HoleModel, measure: Measure, view: View) -> Estimate:
    model.check(measure)
    return model.prepare(view.qrels).estimate(measure, view, Settings())


def model_reads_back(model: HoleModel, chosen: list[Measure]) -> None:
    """What it prints is what users type, and it has words for ``unjudged measures NAME``."""
    reads_back(model, hole_models.parse)
    explains(type(model), title=type(model).title)


def estimates_have_one_value_per_topic(model: HoleModel, chosen: list[Measure]) -> None:
    """A value for each topic, and an upper end that is not below the lower one."""
    for seed, measure in itertools.product(SEEDS, chosen):
        view = view_for(measure, *random_collection(seed))
        estimate = _estimate(model, measure, view)
        for part in (estimate.value, estimate.low, estimate.high):
            require(part is None or part.shape == (len(view),), f"{model} gives no value for each topic ({measure})")
        require(
            (estimate.low is None) == (estimate.high is None), f"{model} has only one end of an interval ({measure})"
        )
        if estimate.low is not None and estimate.high is not None:
            require(not (estimate.low > estimate.high + 1e-12).any(), f"{model}: low is above high ({measure})")


def without_holes_it_is_the_score(model: HoleModel, chosen: list[Measure]) -> None:
    """Where everything is judged, there is nothing to believe."""
    for seed, measure in itertools.product(SEEDS, chosen):
        run, qrels = random_collection(seed, negative=False)
        judged = {topic: {**dict.fromkeys(run.get(topic, {}), 0), **docs} for topic, docs in qrels.items()}
        view = view_for(measure, run, judged)
        estimate = _estimate(model, measure, view)
        message = f"{model} is not the plain score where all is judged ({measure})"
        np.testing.assert_allclose(estimate.value, measure.score(view), rtol=0, atol=1e-9, err_msg=message)


def estimates_ignore_blocks(model: HoleModel, chosen: list[Measure]) -> None:
    """Topics may come in any number of blocks; the same again gives the same, and the view stays as it was."""
    for measure in chosen:
        view = view_for(measure, *random_collection(1))
        before = columns_of(view)
        whole = _estimate(model, measure, view)
        untouched(view, before, model)
        parts = [_estimate(model, measure, block) for block in view.blocks(30)]
        for name in ("value", "low", "high"):
            if getattr(whole, name) is not None:
                joined = np.concatenate([getattr(part, name) for part in parts])
                message = f"{model}: {name} depends on other topics ({measure})"
                np.testing.assert_allclose(joined, getattr(whole, name), rtol=0, atol=1e-12, err_msg=message)


HOLE_MODEL_CHECKS: tuple[Callable[[HoleModel, list[Measure]], None], ...] = (
    model_reads_back,
    estimates_have_one_value_per_topic,
    without_holes_it_is_the_score,
    estimates_ignore_blocks,
)
