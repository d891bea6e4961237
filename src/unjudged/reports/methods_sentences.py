"""The sentences about how a result of each kind was made, and what is cited after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from typing import Any

from unjudged.engine.numerics.fusion import fusions
from unjudged.errors import InputError
from unjudged.holes import Bootstrap, Discounted, hole_models
from unjudged.measures import measures as all_measures
from unjudged.registry import Registry, plugin_of
from unjudged.reports.citations import SOFTWARE, Reference, read_references
from unjudged.results.assisted import Assisted
from unjudged.results.comparison import Comparison
from unjudged.results.judges import Judges
from unjudged.results.properties import Properties
from unjudged.results.provenance import Provenance
from unjudged.results.relative import Relative
from unjudged.results.reuse import Reuse
from unjudged.results.scores import Scores
from unjudged.simulate.base import degradations
from unjudged.simulate.earlier import EarlierJudgments
from unjudged.spec import split_spec
from unjudged.strategies import strategies as all_strategies
from unjudged.uncertainty import CorpusBootstrap
from unjudged.uncertainty.base import corrections, interval_methods, significance_tests
from unjudged.wording import counted

__all__ = ["Part", "parts_of"]

Part = str | tuple[Reference, ...]
"""Words, or what is cited after them."""
_NAMES = ("student", "wilcoxon")
"""Words that keep their capital inside of a sentence."""


@singledispatch
def parts_of(result: object) -> Iterator[Part]:
    """What is said about how a result was made."""
    raise InputError(f"there is no description of how {type(result).__name__} was made")


@parts_of.register
def _of_scores(result: Scores) -> Iterator[Part]:
    yield "Effectiveness is "
    yield from _cited(all_measures, result.measures)
    yield f" over {counted(len(result.topics), 'topic')}."
    yield from _about_holes(result.holes)
    yield from _about_labels(result.assisted)
    yield from _made_with(result.provenance)


_WORLDS: dict[str, str] = {
    "pool+run": "the average of the pool's grades and of those of the judged documents that the runs show",
    "evidence": (
        f"{Bootstrap(prior='evidence').origin}, and the number of relevant documents and the ideal ranking follow them"
    ),
    "discounted": (f"{Discounted().origin}, and the number of relevant documents and the ideal ranking follow them"),
}
"""Where ``compare`` draws grades from."""


@parts_of.register
def _of_comparison(result: Comparison) -> Iterator[Part]:
    yield f"{len(result.rows())} runs are compared by "
    yield from _cited_name(all_measures, result.measure)
    yield f" over {counted(result.topics, 'topic')}"
    yield f", each with {result.baseline}" if result.baseline else ", all with each other"
    yield ". p-values: "
    yield from _about_test(result.test, result.correction)
    yield ". 95% intervals over topics: "
    yield from _cited_title(interval_methods, result.interval_method)
    if any(pair.verdict is not None for pair in result.pairs()):
        yield (
            f". Grades of unjudged documents are drawn {result.draws:,} times, one grade for each document in all runs,"
            f" from {_WORLDS[result.prior]}. A difference is certain if no grades change its sign, likely if one run"
            " is better in at least 95% of the draws, and otherwise undetermined"
        )
    if result.images is not None:
        yield f". {result.images:,} images of the corpus"
        yield "" if result.corpus_size is None else f" of {result.corpus_size:,} documents"
        yield " are drawn with replacement"
        yield tuple(read_references(CorpusBootstrap.reference))
    yield "."
    yield from _about_labels(result.assisted)
    yield from _made_with(result.provenance)


@parts_of.register
def _of_relative(result: Relative) -> Iterator[Part]:
    yield "What a run adds is "
    yield from _cited_name(all_measures, result.measure)
    yield f" over {counted(result.topics_count, 'topic')}, beside "
    yield from _cited_name(all_measures, result.absolute)
    yield f". Prior sets: {result.priors}. {result.reading()}"
    if result.choice():
        per_judgment = result.settings["choose_by"] == "gain-per-judgment"
        cost = f", for each new judgment within the top {result.pool_depth}" if per_judgment else ""
        number = counted(len(result.choice()), "run is", "runs are")
        yield f" {number} chosen, each adding most to those before it{cost}"
        if result.fusion():
            yield ", and fused by "
            yield from _cited_name(fusions, str(result.settings["fusion"]))
        yield "."
    yield from _about_holes(tuple(dict.fromkeys(row.holes for row in result.rows())))
    yield from _made_with(result.provenance)


@parts_of.register
def _of_reuse(result: Reuse) -> Iterator[Part]:
    rows = result.correlations()
    # "A then B" is two degradations in succession.
    ways = [one for row in rows for one in row.degradation.split(" then ")]
    followed = {f"{row.strategy} to {row.judgments:.0f}": row.strategy for row in result.strategies()}
    ways = [one for one in dict.fromkeys(ways) if one != EarlierJudgments.called and one not in followed]
    of = f"{counted(result.judgments, 'judgment')} on {counted(result.topics, 'topic')}"
    if result.truth_qrels is not None:
        yield f"Of {of}, {rows[0].share:.1%} are earlier ones"
    if ways:
        yield ", of which some are taken away by " if result.truth_qrels else f"Of {of}, some are taken away by "
        yield from _cited(degradations, ways)
    if followed:
        yield ", and others" if ways else f"Of {of}, those"
        yield " are taken away that would not have been made yet at some budgets, judging in the order of "
        yield from _cited(all_strategies, dict.fromkeys(followed.values()))
    yield f". Scores of {counted(result.runs, 'run')} are estimated from what is left with "
    yield from _cited(all_measures, dict.fromkeys(row.measure for row in rows))
    yield ", and compared with "
    yield from _cited(all_measures, dict.fromkeys(row.truth for row in rows))
    yield f" under all judgments. {_NEVER_JUDGED[result.never_judged]}"
    yield from _about_holes(tuple(dict.fromkeys(row.holes for row in rows)))
    yield " Decisions about significance: "
    yield from _about_test(result.test, result.correction)
    yield "."
    yield from _made_with(result.provenance)


_PPI = "A. N. Angelopoulos, J. C. Duchi and T. Zrnic. PPI++: efficient prediction-powered inference. arXiv, 2023."
_SKEWNESS = "P. Hall. The bootstrap and Edgeworth expansion. Springer, 1992."
_MODERATION = (
    "G. K. Smyth. Linear models and empirical Bayes methods for assessing differential expression in microarray"
    " experiments. Statistical Applications in Genetics and Molecular Biology 3(1), 2004."
)
_MODEL_ASSISTED = "C. E. Särndal, B. Swensson and J. Wretman. Model assisted survey sampling. Springer, 1992."
_COHEN = "J. Cohen. A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960."
_KRIPPENDORFF = "K. Krippendorff. Content analysis: an introduction to its methodology. Sage, 2004."
_MANTEL = "N. Mantel. Chi-square tests with one degree of freedom. JASA 58(303), 1963."


@parts_of.register
def _of_judges(result: Judges) -> Iterator[Part]:
    judges, judgments = counted(len(result.judges()), "label source"), counted(result.judgments, "judgment")
    topics = counted(result.topics_count, "topic")
    yield f"The labels of {judges} are compared with {judgments} on {topics} by Cohen's kappa"
    yield tuple(read_references(_COHEN))
    yield ", plain and weighted by squared distance, and by Krippendorff's alpha"
    yield tuple(read_references(_KRIPPENDORFF))
    yield "; whether labels go with grades within topics by Mantel's statistic"
    yield tuple(read_references(_MANTEL))
    yield "."
    if result.orders():
        yield f" {counted(result.orders()[0].runs, 'run')} are ordered by "
        yield from _cited_name(all_measures, result.measure)
        yield " by labels alone and by judgments. Decisions about significance, and about whom labels favour: "
        yield from _about_test(result.test, result.correction)
        yield "."
    yield from _made_with(result.provenance)


_NEVER_JUDGED = {
    "removed": "Documents that were never judged are taken out of the runs first.",
    "nonrelevant": "Documents that were never judged count as not relevant in the truth, and as unjudged in estimates.",
}
"""What ``reuse`` does with them."""


@parts_of.register
def _of_properties(result: Properties) -> Iterator[Part]:
    runs = counted(len(result.on_topics.runs), "run")
    best = runs if result.top is None else f"the best {runs} by {result.by}"
    yield f"{counted(result.images, 'image')} of the corpus of {result.corpus_size:,} documents"
    yield " are drawn with replacement"
    yield tuple(read_references(CorpusBootstrap.reference))
    yield f", and {best} over {counted(len(result.on_topics.topics), 'topic')} are scored on them by "
    yield from _cited(all_measures, result.measures)
    yield ". Unjudged documents count as not relevant. Intervals are percentiles of images. p-values: "
    yield from _about_test(result.test, result.correction)
    yield "."
    depths = [str(depth) for depth in result.shallow_pools.depths if depth is not None]
    if depths:
        yield " Shallow pools have the first "
        yield from _listed([[depth] for depth in depths])
        yield " documents of two runs in each image."
    yield from _made_with(result.provenance)


def _about_labels(assisted: Assisted | None) -> Iterator[Part]:
    """Estimates from a few human and many machine judgments."""
    if assisted is not None and assisted.sampled == "documents":
        yield f" With the labels of {assisted.judge}, scores on these topics are estimated from a random sample of"
        yield " judged documents by the difference estimator"
        yield tuple(read_references(_MODEL_ASSISTED))
        if assisted.linearised:
            yield f", linearised for {' and '.join(assisted.linearised)}"
        if assisted.second_order:
            yield f", with terms of second order for {' and '.join(assisted.second_order)}"
        yield "; what labels make one expect is learned by cross-fitted logistic regressions."
    elif assisted is not None:
        yield f" With the labels of {assisted.judge}, means over all topics with labels are estimated by"
        yield " prediction-powered inference"
        yield tuple(read_references(_PPI))
        yield " from labels as they are or calibrated, which of them and lambda fitted out of fold, with t quantiles"
        yield " that the skewness of residuals widens"
        yield tuple(read_references(_SKEWNESS))
        if assisted.pairs:
            yield ", and variances of pairs of runs moved towards each other"
            yield tuple(read_references(_MODERATION))
        yield "; the judged topics are taken for a random sample of them."


def _about_test(test: str, correction: str) -> Iterator[Part]:
    yield from _cited_title(significance_tests, test)
    if correction == "none":
        yield ", not corrected for the number of comparisons"
    else:
        yield ", corrected for the number of comparisons by "
        yield from _cited_name(corrections, correction)


def _about_holes(names: Sequence[str]) -> Iterator[Part]:
    yield " Hole models, that is what is believed about unjudged documents: " if len(names) > 1 else " Hole model: "
    described = []
    for name in names:
        words = _in_a_sentence(hole_models.parse(name).described())
        described.append([f"{name} ({words})", *_sources(hole_models, name)])
    yield from _listed(described)
    yield "."


def _made_with(provenance: Provenance) -> Iterator[Part]:
    yield f" Computed with unjudged {provenance.version}"
    yield (SOFTWARE,)
    yield f", seed {provenance.seed}."


# ---- names with their sources


def _cited(registry: Registry[Any], names: Iterable[str]) -> Iterator[Part]:
    yield from _listed([_cited_name(registry, name) for name in names])


def _cited_name(registry: Registry[Any], name: str) -> list[Part]:
    return [name, *_sources(registry, name)]


def _cited_title(registry: Registry[Any], name: str) -> list[Part]:
    """What it is in words, instead of its name."""
    return [_in_a_sentence(registry[split_spec(name)[0]].title or name), *_sources(registry, name)]


def _in_a_sentence(title: str) -> str:
    """A title without its capital, unless that is a name's."""
    return title if title.lower().startswith(_NAMES) else title[0].lower() + title[1:]


def _sources(registry: Registry[Any], name: str) -> list[Part]:
    cls = registry[split_spec(name)[0]]
    references, plugin = tuple(read_references(cls.reference)), plugin_of(cls)
    words = (
        [] if plugin is None else [f" from the plugin {plugin}{'' if references else ', which names no source for it'}"]
    )
    return [*words, *([references] if references else [])]


def _listed(items: Sequence[Sequence[Part]]) -> Iterator[Part]:
    """a, b and c."""
    for i, item in enumerate(items):
        if i:
            yield " and " if i == len(items) - 1 else ", "
        yield from item
