"""Hole models: what to believe about unjudged documents. Modules are imported when a model of theirs is asked for.

`estimate(measure, view, settings)` gives a value and, where the model has them, bounds, draws and distributions for
each ranking. All models fill holes in one of two ways:

* `spend` (`holes/imputation/filling.py`) hands out the grades of judged documents that are not in the ranking
  (Algorithm 1 of the bootstrapped nDCG paper), so that the pool's counts per grade, R and the ideal ranking stay.
  `bounds` and `bootstrap` use it.
* `NewJudgments` (`holes/imputation/reestimated_ideal.py`) makes judgments for each labelling, so that R and the ideal
  ranking follow it. `joint` uses it.

`score_drawn` then scores all labellings of a ranking at once: as a sum of weights where the measure is `linear`,
else through a view with one ranking per labelling, which leaves out rows without gain where the measure allows it.

A draw is a hash of the seed, the topic, the document and the number of the draw. There is no generator to share or to
split, so the numbers do not depend on threads, blocks, the order of runs, or which other runs there are.

`Drawing` (`holes/imputation/scores_of_draws.py`) is the one loop that draws labels and scores them, for `bootstrap`
and `evidence`, and for `compare`, whose draws all runs share (`engine/numerics/joint_imputations.py`; `joint_draws`
says which models have such draws). A model is a specification; what `prepare` returns for certain judgments
(`PreparedBootstrap`) does the work. Studies ask a model what it is (`learns_from_runs`, `looks_below`,
`takes_as_nonrelevant`, `only_bounds`, `explains`), never for its class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unjudged.holes.base import Estimate, HoleModel, PreparedHoleModel, Settings, hole_models

if TYPE_CHECKING:
    from unjudged.holes.bootstrap import Bootstrap
    from unjudged.holes.bounds import Bounds, Guaranteed, Joint
    from unjudged.holes.discounted import Discounted
    from unjudged.holes.evidence import Evidence
    from unjudged.holes.labels import Labels
    from unjudged.holes.nonrelevant_and_condensed import Condensed, NonRelevant

__all__ = [
    "Bootstrap",
    "Bounds",
    "Condensed",
    "Discounted",
    "Estimate",
    "Evidence",
    "Guaranteed",
    "HoleModel",
    "Joint",
    "Labels",
    "NonRelevant",
    "PreparedHoleModel",
    "Settings",
    "hole_models",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in __all__:
            return next(cls for cls in hole_models.loaded() if cls.__name__ == name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
