"""The evidence model: what other groups' runs say about a hole, learned from unique contributions to the pool.

`evidence` asks where all runs of a study have a document. A study whose hole models learn from runs
(`learns_from_runs`) has `engine/preparation/document_occurrences.py` read its runs twice more: first for the documents
that are holes within what is measured, which get numbers after the rows of the judgments, then for where each run has
those and the judged ones. The result, `OccurrencesInRuns` (`data/run_occurrences.py`), is what the model is to `learn`
from, and stays true when `left` takes judgments away: rows keep their numbers. `reuse` makes one from its joined
runs, once for all degradations. Runs and groups are in the order of what they return, and
examples in the order of hashed names, so that sums do not depend on names or order.

`data/pool_depth.py` finds out how deep the pool is; `holes/evidence_model/pool_contributions.py` says
who has what within that depth, and describes holes and examples as they look without two groups;
`holes/evidence_model/ordinal.py` is the model and the variance components of groups, arrays in and out;
`EvidenceModel` (`holes/evidence_model/model.py`) fits a model when somebody asks about a group's holes. It gives the
grade probabilities and the random effects (shifts in log odds) of each hole (`GradeProbabilities`), in the same form
as `LabelledDiscountModel` (`holes/labelled_discount.py`), which knows what labels mean; the bootstrap takes either. A
number in [0, 1) is drawn for each hole as ever, and moved by the random effects before the grade is looked up
(`holes/imputation/grade_sampler.py`); so these cost nothing else, and `compare`'s worlds use them in the same way.

Grades that are drawn with evidence are new judgments (`holes/imputation/reestimated_ideal.py`): R and the ideal
ranking follow them. So that they are the same for all runs, what *other* runs have and nobody judged is drawn too,
once for each topic (`holes/imputation/holes_of_other_runs.py`). A draw belongs to a document, so it does not matter
who asks. `Measure.divisor` says what a weighted sum is divided by, which is all that changes for nDCG; other measures
are computed on rankings that are written out. A hole has one distribution for all runs: it is seen from the run that
has it at the best rank. Near copies are found in `data/groups.py`, for `doctor` and for whoever has no groups.
"""
