"""Coverage: how often intervals of what is believed hold the true skills, on leagues whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error
from ...model.fit.fit import Fit
from ...model.model import Model
from ...optional import import_extra
from ...validate import SMALLEST, number
from ..charts.series import line_encoding, unique_names
from ..charts.theme import LIGHT, Look, apply_look
from ..measures.tally import Floats
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
    """Nominal levels against the share of skills inside, on a league that follows the model, fitted by the same model.

    Everybody plays once a round; see `covered` for the columns. The model's own constants are the true ones.

    >>> import prowess as pw
    >>> coverage(pw.TrueSkill(tau=0), 2000, 200, levels=[0.5, 0.9])["covered"].round(1).to_list()
    [0.5, 0.9]
    """
    _check(model)
    league = simulate(model, matches, players, seed=seed, teams=teams, calendar=calendar, progress=progress)
    return covered(league, model.fit(league.history, progress=progress), levels)


def covered(league: Simulation, fit: Fit, levels: Sequence[float] = LEVELS) -> pl.DataFrame:
    """The share of true skills in the middle part of what is believed of them, for parts of these probabilities.

    Columns: `level`, `covered`, its binomial standard `error`, and `skills`, of how many. All traits count. With
    correct beliefs `covered` is `level`; below it, they are too sure.

    >>> import prowess as pw
    >>> from prowess.lab.simulate import simulate
    >>> league = simulate(pw.GaussianSD(gamma=6), 500, 50)
    >>> covered(league, league.model.fit(league.history), [0.9]).columns
    ['level', 'covered', 'error', 'skills']
    """
    import polars as pl

    wanted = [number("each of the levels", level) for level in np.atleast_1d(np.asarray(levels, object))]
    if not wanted or not all(0.0 < level < 1.0 for level in wanted):
        raise Error(
            f"levels must be probabilities between 0 and 1, such as 0.9, not {levels!r}", field="levels", value=levels
        )
    far = np.abs(standard_errors(league, fit)).ravel()
    share = np.array([float((far < NormalDist().inv_cdf(0.5 + 0.5 * level)).mean()) for level in wanted])
    error = np.sqrt(share * (1.0 - share) / len(far))
    return pl.DataFrame({"level": wanted, "covered": share, "error": error, "skills": len(far)})


def standard_errors(league: Simulation, fit: Fit) -> Floats:
    """(truth − mean)/sigma of every player and trait: N(0, 1) if beliefs are correct.

    The level of a league is not identified by its matches, so the mean error of each trait is subtracted first.

    >>> import prowess as pw
    >>> from prowess.lab.simulate import simulate
    >>> league = simulate(pw.TrueSkill(), 500, 50)
    >>> standard_errors(league, league.model.fit(league.history)).shape
    (50, 1)
    """
    _check(fit.model)
    pipeline = fit.model.pipeline
    if fit.history is not league.history:
        raise Error("the fit is of another history than the simulated one", field="fit")
    if league.skill.shape[1] != pipeline.traits:
        raise Error(
            f"the league has {league.skill.shape[1]} skills of a player, the model {pipeline.traits}", field="fit"
        )
    rows = [fit.ladder.rows[name] for name in league.history.players]
    beliefs = fit.ladder.settled[rows, : pipeline.layout.belief].reshape(len(rows), pipeline.traits, 2)
    error = league.skill - beliefs[:, :, 0]
    found: Floats = (error - error.mean(axis=0)) / np.sqrt(np.maximum(beliefs[:, :, 1], SMALLEST))
    return found


def _check(model: Model) -> None:
    """A model must have something to be sure of."""
    if isinstance(model, Model) and model.pipeline.kind.certain:
        raise Error(
            f"a rating of {model.absorb!r} has no uncertainty, so it has no intervals that could hold a skill",
            field="model",
        )


def coverage_curves(
    frames: Mapping[str, pl.DataFrame],
    *,
    title: str = "How sure is sure?",
    width: int = 460,
    height: int = 460,
    look: Look = LIGHT,
) -> alt.LayerChart:
    """Nominal level along, actual share up, a line for each model: on the diagonal sigma means what it says.

    `frames` are what `coverage` gives, by the names of the models.

    >>> import prowess as pw
    >>> from prowess.lab.simulate.coverage import coverage
    >>> chart = coverage_curves({"TrueSkill": coverage(pw.TrueSkill(), 500, 50)})
    >>> chart.to_dict()["layer"][1]["encoding"]["y"]["title"]
    'true skills inside the interval (%)'
    """
    altair = import_extra("altair", "Altair", "lab")
    names = unique_names(frames, "models")
    data = altair.InlineData(values=[point for name, frame in frames.items() for point in _points(name, frame)])
    # as the lines lie, from the top down
    order = sorted(names, key=lambda name: -float(frames[name]["covered"].sum()))
    base = altair.Chart(data, width=width, height=height)
    chart = _layers(altair, base, line_encoding(altair, "model", names, order, look), look)
    least = min(int(frame["skills"].min()) for frame in frames.values())  # type: ignore[arg-type]
    subtitle = [
        "simulated leagues: the share of true skills in the middle part of what is believed",
        f"below the diagonal a model is too sure; standard errors are at most {50 / least**0.5:.2g} %",
    ]
    finished: alt.LayerChart = apply_look(altair, chart, title, subtitle, look)
    return finished


def _points(name: str, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of the chart's data, in percent."""
    columns = ("level", "covered", "error")
    return [
        {"model": name} | {column: 100.0 * row[column] for column in columns}
        for row in frame.select(columns).iter_rows(named=True)
    ]


def _layers(alt: Any, base: Any, legend: dict[str, Any], look: Look) -> Any:
    """The diagonal, the lines, their points, and what a mouse finds."""
    ends = alt.Scale(domain=[0, 100])
    x = alt.X("level:Q", title="nominal probability of the interval (%)", scale=ends)
    y = alt.Y("covered:Q", title="true skills inside the interval (%)", scale=ends)
    diagonal = alt.Chart(alt.InlineData(values=[{"level": 0, "covered": 0}, {"level": 100, "covered": 100}]))
    found = [
        alt.Tooltip("model:N"),
        alt.Tooltip("level:Q", title="nominal (%)"),
        alt.Tooltip("covered:Q", title="inside (%)", format=".1f"),
        alt.Tooltip("error:Q", title="standard error (%)", format=".1f"),
    ]
    return alt.layer(
        diagonal.mark_line(color=look.ink, strokeWidth=1, strokeDash=[3, 3]).encode(x=x, y=y),
        base.mark_line(strokeWidth=2.5, strokeJoin="round").encode(x=x, y=y, **legend),
        base.mark_point(filled=True, size=40, opacity=1).encode(x=x, y=y, color=legend["color"], tooltip=found),
    )
