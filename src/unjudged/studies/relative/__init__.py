"""What does a run add to others?

A *browsing model* (`Measure.browsing`) is what somebody sees of each rank, the gain of each grade, and a divisor.
Measures with static weights have one without saying so; P, RR and ERR say it. `NRG` (`measures/relative.py`) needs
nothing else, so a new measure gets it for free.

A view may carry a `Residual` (`data/pairs.py`): for every (topic, document) pair what is left to somebody who read
other rankings, by a number that all runs of a study share. It travels with the rows through cutting, labelling and
completing, so hole models do not know about it; NRG multiplies gains by it, and without one NRG is its base exactly.
Three things are not the base measure with other gains, and have code of their own:

* Divisors follow the labels under all models, also under those that keep R and the ideal ranking for other measures:
  what prior runs leave of the judged documents can be next to nothing, and a new document over next to nothing is any
  number.
* `bounds` hands out grades by what they are worth to the measure, which is no longer the order of the ranks.
* `joint` cannot look at numbers of each grade only, since equal grades leave unequal gains.
  `measures/relative_bounds.py` has exact ways: the lowest ratio is in a corner of the box of gains; the highest by
  Dinkelbach's method, where found - r * ideal is supermodular, so that few labellings remain to be tried; cascades
  rank by rank from below.

`engine/numerics/normalized_residual_gain.py` numbers the pairs of all runs once. What a set of prior runs leaves is a
product over columns; scores of all runs after a set are one product of a matrix (runs x documents with gain) with a
column, which pairs and greedy choices use. What a cascade's reader saw of a *prior* run is 1/rank: would it depend on
grades, labels of one run would change what is left of another's documents, and no bound could be exact.
"""

from __future__ import annotations

from unjudged.studies.relative.parameters import Choosing, PriorRuns
from unjudged.studies.relative.study import relative

__all__ = ["Choosing", "PriorRuns", "relative"]
