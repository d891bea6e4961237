"""Plans of independent blocks, where they are executed, and the store that survives a kill.

`reuse` joins all runs with the judgments once (`data/joined.py`): each retrieved document is a row of the judgments,
or none. A degradation gives masks over these rows (`Left`: still judged, still pooled; topics that count; runs that
are new to the pool), so taking judgments away costs two look-ups in an array and no second join. Random ones are
hashes of seed, repetition, topic and document.

`engine/execution/plan.py`: a plan is a function, what all blocks share, and blocks; a block's result is arrays by
name. Its key is a hash of everything it follows from. `engine/execution/execute.py` sends blocks through joblib to
processes (`engine/execution/worker_processes.py`), Dask or Ray; errors of the work travel as results, so whatever
joblib raises is about workers, and their blocks are tried again. `engine/execution/result_store.py` keeps results as
checksum and arrays, never as pickles. Results are put in order by the plan, so engine and workers change nothing.
`engine/numerics/estimates_on_degraded_qrels.py` has the estimates and the truth, `engine/numerics/reuse_tallies.py`
one block of `reuse`: counts and sums that can be added up.

Three things about joblib that shaped this: on a cluster with one worker it would work in the calling process; Ray's
backend gives no result before it has all, so blocks go out in waves; and it hands what blocks share to every task
anew, so `engine/execution/worker_processes.py` lays it out once, in memory without a name that workers map and keep. A
fresh process gives freed memory back to the system, which cost a fifth of its time until `unjudged/threads.py`.
"""
