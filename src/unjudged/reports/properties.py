"""How precisely measures measure, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.reports.cells import UNKNOWN, decimal, percent, probability, signed, span
from unjudged.reports.layout import Table, fits, render_tables, shorten
from unjudged.reports.whole_table import SEPARATED, render_one_table
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.properties import Properties
from unjudged.results.properties_rows import IntervalsAgainstTest, RunOnImages, ShallowPair
from unjudged.wording import counted

__all__ = ["properties_tables", "render_properties"]

_MOST_RUNS = 10
"""Runs that tables for readers show: those listed first."""
_MOST_PAIRS = 3
"""Pairs of runs of which tables for readers show what shallow pools do to them."""
_LONGEST = 22
"""Characters of a run's name in a title."""
_WHY_EMPTY = dict.fromkeys(("shallow", "shallow_pairs", "shallow_images"), "no --shallow was given")
"""Why tables may have no rows; the others always have some."""


def render_properties(
    result: Properties, form: str, *, per_topic: bool = False, table: str | None = None, colour: bool = False
) -> str:
    """A result in one of the formats ``table``, ``markdown``, ``latex``, ``html``, ``json``, ``tsv``, ``csv``.

    With *table*, one of those in ``Properties.row_types`` with all its rows; the last two have ``precision`` unless it
    is given.
    """
    if form == "json":
        return result.to_json(per_topic=per_topic)
    title = "How precisely do measures measure?"
    if table is not None or form in SEPARATED:
        why_empty = _WHY_EMPTY.get(table or "", "")
        return render_one_table(result, table, form, title=title, why_empty=why_empty, colour=colour)
    tables, words = properties_tables(result, form, per_topic=per_topic)
    return render_tables(tables, words, form, title=title, colour=colour)


def properties_tables(result: Properties, form: str, *, per_topic: bool = False) -> tuple[list[Table], list[str]]:
    """The tables of a form for readers, and what is said beside them."""
    tables = [
        _precision(result),
        _means(result),
        _runs(result),
        *([_topics(result)] if per_topic else []),
        _prediction(result),
        _tests(result),
        *_shallow(result),
        *_shallow_pairs(result, form),
    ]
    return tables, _words(result, form)


def _spread(value: float | None, spread: float | None) -> str:
    """A mean deviation, and how unequal deviations are."""
    return UNKNOWN if value is None else f"{decimal(value)} ± {decimal(spread)}"


def _images(result: Properties) -> str:
    return f"{counted(result.images, 'image')} of a corpus of {counted(result.corpus_size, 'document')}"


def _precision(result: Properties) -> Table:
    """Tables 3 and 4 of the paper, and what they are to be compared with."""
    rows = [
        [
            row.measure,
            decimal(row.difference),
            _spread(row.difference_sd, row.difference_spread),
            decimal(row.difference / row.difference_sd, 2) if row.difference and row.difference_sd else UNKNOWN,
            _spread(row.score_sd, row.score_spread),
        ]
        for row in result.precision()
    ]
    caption = (
        f"On single topics, over {_images(result)}: mean difference of two of {len(result.on_topics.runs)} runs on the"
        " corpus itself; its standard deviation over images (mean over pairs and topics ± standard deviation); the"
        " first in units of the second; and the standard deviation of a run's score."
    )
    header = ["measure", "|A - B|", "sd of A - B", "|A - B| / sd", "sd of A"]
    return Table(header, rows, 1, caption, f"On a topic: standard deviation over {_images(result)}", ".to_frame()")


def _means(result: Properties) -> Table:
    """Figures 3 to 5 of the paper, averaged."""
    rows = [
        [
            row.measure,
            decimal(row.mean_sd),
            decimal(row.mean_width),
            signed(row.mean_shift),
            f"{row.quartiles_apart:.1f}",
            f"{row.ranks_apart:.1f}",
        ]
        for row in result.precision()
    ]
    caption = (
        f"Means over {counted(len(result.on_topics.topics), 'topic')}, on average over runs: standard deviation over"
        " images, width of the middle 95%, mean over images less the mean on the corpus itself, and how far the"
        f" quartiles and the ends of a run's ranks among {len(result.on_topics.runs)} are apart."
    )
    topics = counted(len(result.on_topics.topics), "topic")
    header = ["measure", "sd of a mean", "95% within", "shift", "ranks: middle half", "all"]
    return Table(header, rows, 1, caption, f"Means over {topics}: how far they and ranks move", ".to_frame()")


def _runs(result: Properties) -> Table:
    """The first runs, with the first measure."""
    measure = result.measures[0]
    every = [row for row in result.runs() if row.measure == measure]

    def cells(row: RunOnImages) -> list[str]:
        half, ends = _ranks(row.lower, row.upper), _ranks(row.best, row.worst)
        about = [decimal(row.mean), span(row.low, row.high), _spread(row.score_sd, row.score_spread)]
        return [row.run, *about, str(row.rank), half, ends]

    caption = (
        f"{measure} of the best runs by {result.by}: mean, 95% of its means on images, standard deviation of its"
        " scores on a topic (mean ± standard deviation over topics), rank, and the middle half and all of its ranks on"
        " images."
    )
    header = ["run", measure, "95% of images", "sd on a topic", "rank", "half", "all"]
    shown = list(map(cells, every[:_MOST_RUNS]))
    title = f"{'Runs' if len(shown) == len(every) else f'The best {len(shown)} runs'} by {result.by}, and their ranks"
    return Table(header, shown, 1, caption, title, ".to_frame(table='runs')", len(result.runs()) - len(shown))


def _ranks(low: float, high: float) -> str:
    """Between which ranks; quartiles may be between two."""
    first, last = (f"{round(one, 1):g}" for one in (low, high))
    return first if first == last else f"{first}-{last}"


def _topics(result: Properties) -> Table:
    """Figure 1 of the paper."""
    by_topic = {(row.topic, row.measure): row for row in result.topics()}
    rows = [
        [
            topic,
            str(by_topic[topic, result.measures[0]].relevant),
            *(decimal(by_topic[topic, measure].score_sd_high) for measure in result.measures),
        ]
        for topic in result.on_topics.topics
    ]
    caption = "Standard deviation over images of the score of a run on each topic, 95th percentile over runs."
    title = "Standard deviation of a score on each topic: 95th percentile over runs"
    return Table(["topic", "relevant", *result.measures], rows, 1, caption, title, ".to_frame(table='topics')")


def _prediction(result: Properties) -> Table:
    """Table 2 of the paper."""
    rows = [
        [
            row.measure,
            row.interval,
            *(percent(one) for one in (row.below, row.inside, row.above)),
            UNKNOWN if row.lowest is None else f"{percent(row.lowest)} to {percent(row.highest)}",
        ]
        for row in result.prediction()
    ]
    caption = (
        "Differences of two runs on a topic, on each image: share below, inside and above the 95% interval made of all"
        " other images (averages over images), and the lowest and the highest share inside."
    )
    header = ["measure", "interval", "below", "inside", "above", "worst to best"]
    title = "Is an image inside of the 95% interval that all others give?"
    return Table(header, rows, 2, caption, title, ".to_frame(table='prediction')")


_RULES = {"outside": "outside", "disjoint": "disjoint", "difference": "A - B", "scaled": "scaled"}


def _tests(result: Properties) -> Table:
    """The question at the end of the paper."""

    def cells(row: IntervalsAgainstTest) -> list[str]:
        rule = _RULES[row.rule]
        if row.rule == "scaled" and row.factor is not None:
            rule += f" {row.factor:.2f}x"
        shares = [(row.both, row.apart), (row.both, row.significant), (row.both_corrected, row.apart)]
        return [row.measure, rule, f"{row.apart:,}", *(percent(part / of if of else None) for part, of in shares)]

    header = ["measure", "rule", "pairs apart", "significant", "of all", result.correction]
    caption = (
        f"Pairs of {counted(len(result.on_topics.runs), 'run')} that a rule about 95% intervals over images takes for"
        f" different; how many of these are significant (p < {SIGNIFICANT}, {result.test}); which share of all"
        f" significant pairs that is; and how many are significant after the correction ({result.correction}). Outside:"
        " each mean is outside of the other's interval. Disjoint: the intervals have nothing in common. A - B: the"
        " interval of the difference does not hold 0. Scaled: outside, with intervals so many times as wide."
    )
    title = f"95% intervals over images are apart: is the difference significant ({result.test})?"
    return Table(header, list(map(cells, result.tests())), 2, caption, title, ".to_frame(table='tests')")


def _shallow(result: Properties) -> list[Table]:
    """Where several pairs were tried, in how many."""
    if not any(row.pairs > 1 for row in result.shallow()):
        return []
    rows = [
        [row.measure, f"first {row.depth}", *(str(one) for one in row[3:]), str(row.pairs)] for row in result.shallow()
    ]
    caption = (
        "Pairs of runs in which judging only the first documents of the two leads to a larger difference than all"
        " judgments, to differences that spread wider over topics, to a smaller p-value, and to a p-value below"
        f" {SIGNIFICANT} with the shallow pool only or with all judgments only."
    )
    header = ["measure", "judged", "larger", "wider", "smaller p", "only here", "only all", "of"]
    title = "Pairs of runs in which a shallow pool leads to more than all judgments"
    return [Table(header, rows, 2, caption, title, ".to_frame(table='shallow')")]


def _shallow_pairs(result: Properties, form: str) -> list[Table]:
    """The first pairs; with the range of p-values where there is room."""
    tables = []
    for run, other in result.shallow_pools.pairs[:_MOST_PAIRS]:
        rows = [row for row in result.shallow_pairs() if (row.run, row.other) == (run, other)]
        full = _shallow_pair(result, run, other, rows, full=True)
        tables.append(full if form != "table" or fits(full) else _shallow_pair(result, run, other, rows, full=False))
    return tables


def _shallow_pair(result: Properties, run: str, other: str, rows: Sequence[ShallowPair], *, full: bool) -> Table:
    def cells(row: ShallowPair) -> list[str]:
        mean = UNKNOWN if row.images_mean is None else f"{signed(row.images_mean)} ± {decimal(row.images_sd, 3)}"
        ends = [_p(row.p_low) + " to " + _p(row.p_high)] if full else []
        judged = "all" if row.depth is None else f"first {row.depth}"
        numbers = [signed(row.difference), _p(row.p), mean, _p(row.p_median), *ends, decimal(row.spread, 3)]
        return [row.measure, judged, *numbers]

    caption = (
        f"{run} less {other} when only their first documents are judged: difference and p-value ({result.test}) on the"
        " corpus itself; mean and standard deviation of the difference over images, median p-value"
        f"{' and 95% of them' if full else ''}; standard deviation of the difference over topics."
    )
    header = ["measure", "judged", "A - B", "p", "on images", "p", *(["95% of p"] if full else []), "sd over topics"]
    title = f"A: {shorten(run, _LONGEST)}, B: {shorten(other, _LONGEST)}: shallow pools of the two"
    return Table(header, list(map(cells, rows)), 2, caption, title, ".to_frame(table='shallow_pairs')")


def _p(value: float | None) -> str:
    return UNKNOWN if value is None else probability(value)


# ---- words


def _words(result: Properties, form: str) -> list[str]:
    words = [result.summary()]
    if form == "table":  # others have captions
        words += [
            "±: how unequal deviations are, over topics (and pairs of runs). |A - B|: mean size on the corpus itself."
            " shift: mean over images less the mean on the corpus itself.",
            "outside: each mean is outside of the other's interval; disjoint: the intervals have nothing in common;"
            " A - B: that of the difference does not hold 0; scaled: outside, with intervals so many times as wide."
            f" of all: share of the significant pairs that are apart; {result.correction}: significant after this"
            " correction.",
        ]
    there = ".to_frame(table=...) has" if form == "notebook" else "--table NAME has"
    shown = min(_MOST_RUNS, len(result.on_topics.runs))
    if len(result.runs()) > shown:
        words.append(f"The table of runs has the first {shown} with {result.measures[0]}; {there} all.")
    if len(result.shallow_pools.pairs) > _MOST_PAIRS:
        words.append(f"The first {_MOST_PAIRS} of {len(result.shallow_pools.pairs)} pairs are shown; {there} all.")
    return words
