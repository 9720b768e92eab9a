"""Coverage: how often intervals of beliefs contain the true skills, on simulated leagues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error
from ...history.ragged import Floats
from ...model.fit.fit import Fit
from ...model.model import Model
from ...optional import import_extra
from ...validate import SMALLEST, probability
from ..charts.theme import LIGHT, Look, apply_look, line_encoding, unique_names
from .calendar import Calendar
from .simulation import Simulation, simulate

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def coverage(
    model: Model,
    matches: int = 30_000,
    players: int = 4_000,
    *,
    levels: Sequence[float] = LEVELS,
    teams: int = 2,
    calendar: Calendar | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> pl.DataFrame:
    """Simulate a league with a model, rate the league with the same model, and return the coverage (see `covered`).

    Every player plays once per round.

    >>> import prowess as pw
    >>> coverage(pw.TrueSkill(tau=0), 2000, 200, levels=[0.5, 0.9])["covered"].round(1).to_list()
    [0.5, 0.9]
    """
    _check(model)
    league = simulate(model, matches, players, seed=seed, teams=teams, calendar=calendar, progress=progress)
    return covered(league, model.fit(league.history, progress=progress), levels)


def covered(league: Simulation, fit: Fit, levels: Sequence[float] = LEVELS) -> pl.DataFrame:
    """Return a table of the share of true skills inside the central intervals of the beliefs, by probability.

    The columns are `level` (the probability), `covered` (the share), its binomial standard `error`, and the number of
    `skills`. Every trait of a player counts as a skill. If the beliefs are correct, `covered` equals `level`; if
    `covered` is lower, the model is overconfident.

    >>> import prowess as pw
    >>> league = pw.simulate(pw.GaussianSD(gamma=6), 500, 50)
    >>> covered(league, league.model.fit(league.history), [0.9]).columns
    ['level', 'covered', 'error', 'skills']
    """
    import polars as pl

    chosen = [probability("levels", level, ends=False) for level in np.atleast_1d(np.asarray(levels, object))]
    if not chosen:
        raise Error("levels must have at least one probability, such as 0.9", field="levels", value=levels)
    errors = np.abs(standard_errors(league, fit)).ravel()
    share = np.array([float((errors < NormalDist().inv_cdf(0.5 + 0.5 * level)).mean()) for level in chosen])
    error = np.sqrt(share * (1.0 - share) / len(errors))
    return pl.DataFrame({"level": chosen, "covered": share, "error": error, "skills": len(errors)})


def standard_errors(league: Simulation, fit: Fit) -> Floats:
    """Return the errors (truth − mean)/sigma of every player and trait. Correct beliefs give errors that are N(0, 1).

    Matches do not determine the overall level of a league, so the mean error of each trait is subtracted first.

    >>> import prowess as pw
    >>> league = pw.simulate(pw.TrueSkill(), 500, 50)
    >>> standard_errors(league, league.model.fit(league.history)).shape
    (50, 1)
    """
    _check(fit.model)
    pipeline = fit.model.pipeline
    if fit.history is not league.history:
        raise Error("fit must be a fit of the simulated league's own history", field="fit")
    skills = league.skill.shape[1]
    if skills != pipeline.traits:
        raise Error(f"the league has {skills} skills per player, but the model rates {pipeline.traits}", field="fit")
    rows = [fit.ladder.rows[name] for name in league.history.players]
    beliefs = fit.ladder.settled[rows, : pipeline.layout.belief].reshape(len(rows), pipeline.traits, 2)
    error = league.skill - beliefs[:, :, 0]
    # Results determine only differences of skills, so a shift that all players share is not an error.
    return np.asarray((error - error.mean(axis=0)) / np.sqrt(np.maximum(beliefs[:, :, 1], SMALLEST)))


def _check(model: Model) -> None:
    if isinstance(model, Model) and model.pipeline.kind.certain:
        message = "this model has no uncertainty, so its ratings have no intervals; use a model such as TrueSkill"
        raise Error(message, field="model")


def coverage_curves(
    frames: Mapping[str, pl.DataFrame],
    *,
    title: str = "How sure is sure?",
    width: int = 460,
    height: int = 460,
    look: Look = LIGHT,
) -> alt.LayerChart:
    """Chart the actual against the nominal coverage, with a line per model. Correct beliefs lie on the diagonal.

    `frames` maps model names to frames from `coverage`.

    >>> import prowess as pw
    >>> from prowess.lab.simulate.coverage import coverage
    >>> chart = coverage_curves({"TrueSkill": coverage(pw.TrueSkill(), 500, 50)})
    >>> chart.to_dict()["layer"][1]["encoding"]["y"]["title"]
    'true skills inside the interval (%)'
    """
    altair = import_extra("altair", "Altair", "lab")
    names = unique_names(frames, "models")
    columns = ("level", "covered", "error")
    points = [
        {"model": name} | {column: 100.0 * row[column] for column in columns}
        for name, frame in frames.items()
        for row in frame.select(columns).iter_rows(named=True)
    ]
    # The legend lists the lines from top to bottom.
    order = sorted(names, key=lambda name: -float(frames[name]["covered"].sum()))
    base = altair.Chart(altair.InlineData(values=points), width=width, height=height)
    chart = _layers(altair, base, line_encoding(altair, "model", names, order, look), look)
    least = min(int(frame["skills"].min()) for frame in frames.values())  # type: ignore[arg-type]
    subtitle = [
        "simulated leagues: the share of true skills inside the central intervals of the beliefs",
        f"below the diagonal a model is overconfident; standard errors are at most {50 / least**0.5:.2g} %",
    ]
    finished: alt.LayerChart = apply_look(altair, chart, title, subtitle, look)
    return finished


def _layers(alt: Any, base: Any, legend: dict[str, Any], look: Look) -> Any:
    ends = alt.Scale(domain=[0, 100])
    x = alt.X("level:Q", title="nominal probability of the interval (%)", scale=ends)
    y = alt.Y("covered:Q", title="true skills inside the interval (%)", scale=ends)
    diagonal = alt.Chart(alt.InlineData(values=[{"level": 0, "covered": 0}, {"level": 100, "covered": 100}]))
    tooltip = [
        alt.Tooltip("model:N"),
        alt.Tooltip("level:Q", title="nominal (%)"),
        alt.Tooltip("covered:Q", title="inside (%)", format=".1f"),
        alt.Tooltip("error:Q", title="standard error (%)", format=".1f"),
    ]
    return alt.layer(
        diagonal.mark_line(color=look.ink, strokeWidth=1, strokeDash=[3, 3]).encode(x=x, y=y),
        base.mark_line(strokeWidth=2.5, strokeJoin="round").encode(x=x, y=y, **legend),
        base.mark_point(filled=True, size=40, opacity=1).encode(x=x, y=y, color=legend["color"], tooltip=tooltip),
    )
