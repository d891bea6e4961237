"""Tables of trials in which one team was left out after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from collections_at_hand import markdown_table
from team_trials import (
    CHOSEN,
    DEFAULT,
    INTERVALS,
    POINTS,
    PRIORS,
    SCOPES,
    TOLERANCE,
    Trial,
    bootstrap,
    covered,
    covered_means,
    errors,
    methods,
    rankings,
    rms,
    run_errors,
    wins,
)


def short(name: str) -> str:
    """A method's name as the tables print it."""
    for scope in SCOPES:
        for prior in PRIORS:
            name = name.replace(bootstrap(prior, scope), f"bootstrap {prior}" + (", all topics" * (scope != "topic")))
    return name.replace(" mean", ", mean").replace(" median", ", median").replace(" mode", ", mode")


def point_table(trial: Trial) -> str:
    """RMSE and its variants, bias, ranking: one row per method; the best of a column in bold."""
    head = ["method", "RMSE", "lower", "upper", "MAE", "bias", "RMSE of means", "tau", "worst tau", "tau, same pool"]
    head += ["rank error", "worst"]
    cells: list[list[float]] = []
    for method in methods(trial):
        off = errors(trial, method)
        taus, same_pool, wrong = rankings(trial, method)
        cells.append(
            [
                rms(off),
                rms(np.maximum(off, 0)),
                rms(np.minimum(off, 0)),
                float(np.abs(off).mean()),
                float(off.mean()),
                rms(run_errors(trial, method)),
                float(np.mean(taus)),
                min(taus),
                float(np.mean(same_pool)),
                float(wrong.mean()),
                float(wrong.max()),
            ]
        )
    best: dict[int, Callable[..., float]] = {0: min, 3: min, 5: min, 6: max, 7: max, 8: max, 9: min, 10: min}
    winners = {column: choose(row[column] for row in cells) for column, choose in best.items()}
    rows = []
    for method, row in zip(methods(trial), cells, strict=True):
        shown = [f"{value:+.3f}" if i == 4 else f"{value:.3f}" for i, value in enumerate(row)]
        shown[9], shown[10] = f"{row[9]:.2f}", f"{row[10]:g}"
        rows.append([short(method), *(mark(text, winners.get(i) == row[i]) for i, text in enumerate(shown))])
    return markdown_table(head, rows)


def mark(text: str, best: bool) -> str:
    """Bold for the best."""
    return f"**{text}**" if best else text


def interval_table(trial: Trial) -> str:
    """Coverage and width of the intervals."""
    head = ["interval", "nominal", "observed", "truth below", "truth above", "width", "means: observed", "means: width"]
    rows = []
    for hole in INTERVALS:
        inside, below, above, width = covered(trial, hole)
        of_means, mean_width = covered_means(trial, hole)
        nominal = "90%" if hole.startswith("bootstrap") else "all"
        shares = [f"{100 * share:.0f}%" for share in (inside, below, above)]
        rows.append([short(hole), nominal, *shares, f"{width:.3f}", f"{100 * of_means:.0f}%", f"{mean_width:.3f}"])
    return markdown_table(head, rows)


def summary(trials: list[tuple[str, Trial]]) -> str:
    """Which method wins where, and how far the default is from it."""
    head = ["collection, measure", "pairs", "lowest RMSE", "nonrelevant", "condensed", "bootstrap mean"]
    head += ["median", "mode", "mean beats mode", "mean beats condensed"]
    rows = []
    for where, trial in trials:
        names = [f"{bootstrap('pool+run', 'topic')} {point}" for point in POINTS]
        errors_of = {method: rms(errors(trial, method)) for method in methods(trial)}
        winner = min(errors_of, key=lambda method: errors_of[method])
        cells = [f"{errors_of[method]:.3f}" for method in ("nonrelevant", "condensed", *names)]
        beats = [f"{100 * wins(trial, names[0], other):.0f}%" for other in (names[2], "condensed")]
        rows.append(
            [
                f"{where}, {trial.measure}",
                int(trial.holes.sum()),
                f"{short(winner)} {errors_of[winner]:.3f}",
                *cells,
                *beats,
            ]
        )
    return markdown_table(head, rows)


def compared(trials: list[tuple[str, Trial]], names: dict[str, str]) -> str:
    """Several methods by six criteria, each relative to the best of them and averaged over collections and measures.

    100% is a method that is best everywhere; 110% is 10% more error than the best on average.
    """
    criteria: dict[str, Callable[[Trial, str], float]] = {
        "RMSE per topic": lambda trial, name: rms(errors(trial, name)),
        "MAE per topic": lambda trial, name: float(np.abs(errors(trial, name)).mean()),
        "RMSE of means": lambda trial, name: rms(run_errors(trial, name)),
        "1 - tau": lambda trial, name: 1 - float(np.mean(rankings(trial, name)[0])),
        "rank error": lambda trial, name: float(rankings(trial, name)[2].mean()),
    }
    rows = {label: [label] for label in names}
    for value in criteria.values():
        values = np.array([[value(trial, name) for name in names.values()] for _, trial in trials])
        relative = (values / values.min(axis=1, keepdims=True)).mean(axis=0)
        for label, one in zip(names, relative, strict=True):
            rows[label].append(mark(f"{100 * one:.0f}%", one == relative.min()))
    for label, name in names.items():
        biases = [float(errors(trial, name).mean()) for _, trial in trials]
        rows[label].append(f"{min(biases):+.3f} to {max(biases):+.3f}")
    return markdown_table(["method", *criteria, "bias per topic"], rows.values())


def outside_own_interval(trials: list[tuple[str, Trial]]) -> str:
    """How often the mean of the points of a run lies outside the 90% interval of its mean score."""
    shares = []
    for point in POINTS:
        out = []
        for _, trial in trials:
            rows = trial.holes.any(axis=1)
            value = trial.points[f"{DEFAULT} {point}"].mean(axis=1)[rows]
            low, high = trial.mean_low[DEFAULT][rows], trial.mean_high[DEFAULT][rows]
            out += ((value < low - TOLERANCE) | (value > high + TOLERANCE)).tolist()
        shares.append(f"{point} {100 * np.mean(out):.0f}%")
    return (
        f"A run's mean of points lies outside the 90% interval of its mean score: {', '.join(shares)} of the runs. (The"
        " mean of means is the middle of that interval; the mean of medians is not the median of the mean.)"
    )


def by_share_table(trial: Trial) -> str:
    """RMSE and bias by how much of the top 10 is unjudged."""
    head = ["unjudged", "pairs", "mean truth", *(f"{short(method)}" for method in CHOSEN)]
    rows = []
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 1)):
        inside = trial.holes & (trial.unjudged > low + TOLERANCE) & (trial.unjudged <= high + TOLERANCE)
        off = [(trial.points[method] - trial.truth)[inside] for method in CHOSEN]
        cells = [f"{rms(one):.3f} ({one.mean():+.3f})" for one in off]
        name = f"{100 * low:.0f}% < U <= {100 * high:.0f}%"
        rows.append([name, int(inside.sum()), f"{trial.truth[inside].mean():.3f}", *cells])
    return markdown_table(head, rows)


def by_team_table(trial: Trial) -> str:
    """Bias of the mean score of each team's runs."""
    head = ["team", "runs", "unjudged", "mean truth", *(f"{short(method)}" for method in CHOSEN)]
    rows = []
    for team in trial.teams():
        mine = trial.of(team)
        off = [float((trial.points[method] - trial.truth)[mine].mean()) for method in CHOSEN]
        unjudged = f"{100 * trial.unjudged[mine].mean():.0f}%"
        rows.append([team, int(mine.sum()), unjudged, f"{trial.truth[mine].mean():.3f}", *(f"{x:+.3f}" for x in off)])
    rows.sort(key=lambda row: float(row[2].rstrip("%")), reverse=True)
    return markdown_table(head, rows)


def prior_summary(trials: list[tuple[str, Trial]]) -> str:
    """RMSE and coverage of each prior, at the mean."""
    keys = [(prior, scope) for scope in SCOPES for prior in PRIORS]
    names = [short(bootstrap(prior, scope)).removeprefix("bootstrap ") for prior, scope in keys]
    rows = []
    for where, trial in trials:
        cells = []
        for prior, scope in keys:
            hole = bootstrap(prior, scope)
            cells.append(f"{rms(errors(trial, f'{hole} mean')):.3f} ({100 * covered(trial, hole)[0]:.0f}%)")
        rows.append([f"{where}, {trial.measure}", *cells])
    return markdown_table(["collection, measure", *names], rows)
