"""Descriptions of the rating systems and their parameters, for the API and the pages."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from ...model.components.statistic import Statistic
from ...model.model import Model
from ...model.presets import PRESETS
from ...model.registry import facet_addresses
from ...store.leagues import Settings
from ...text import capitalise, join_words
from .dependencies import checked_service
from .responses import json_response
from .schemas import leagues as schemas

router = APIRouter(tags=["models"])

_UNCERTAIN = "It tracks each player's skill and how certain it is: new players' ratings move fast, others move slowly."
_PLACES = "For tournaments in which many teams play and teams can share places."
_TS2B = f"{_PLACES} A team is as strong as its average player, and weaker if players are missing. {_UNCERTAIN}"
SUMMARIES: Mapping[str, str] = {
    "Harkness": "After each rating period, a rating is the mean of the opponents' ratings, plus a step for every win "
    "and minus a step for every loss.",
    "Elo": "The winner takes points from the loser: many after a surprise, few if the favourite wins. A draw moves "
    "both ratings towards each other. It does not track how certain a rating is.",
    "GaussianElo": "Elo with a normal curve of win probabilities. The winner takes points from the loser, more after a "
    "surprise.",
    "Glicko": f"Like Elo, with uncertainty. {_UNCERTAIN} Ratings of inactive players become less certain. The matches "
    "of a rating period are rated together.",
    "Glicko2": f"Glicko that also learns how consistent each player is. {_UNCERTAIN} The ratings of inconsistent "
    "players move more.",
    "TrueSkill": f"{_UNCERTAIN} The greater the surprise, the more a match moves a rating. It handles draws, and "
    "matches of two or more players or teams (a team is as strong as the sum of its players).",
    "TSa": f"TrueSkill on a larger scale, without drift of skills. {_UNCERTAIN}",
    "TSb": f"TrueSkill on a larger scale, where a team is as strong as its average player. {_UNCERTAIN}",
    "TS2": _TS2B,
    "TS2a": f"{_PLACES} A team is as strong as the sum of its players. {_UNCERTAIN}",
    "TS2b": _TS2B,
    "TS2c": f"{_PLACES} A team is as strong as its average player. All ratings always move at the same speed.",
    "TS3": f"{_PLACES} It finds the skills that make the observed places most likely. {_UNCERTAIN}",
    "GaussianOD": "It uses scores, not only the winner. Every player has an offence, which scores, and a defence, "
    "which prevents scores.",
    "GaussianSD": "It uses the score difference, not only the winner.",
    "PoissonOD": "It uses scores that are counts, such as goals. Every player has an offence, which scores, and a "
    "defence, which prevents scores. Its defaults come from its paper and are very uncertain about scores; for "
    "football, sigma 0.3 and beta 0.1 are better.",
}
USUAL: Mapping[str, str] = {  # choices in the form for a new league, most common first
    "TrueSkill": "players or teams, two or many per match, with draws",
    "Elo": "two players, as in chess; no uncertainty",
    "Glicko2": "two players, rated by periods, with uncertainty and volatility",
    "Glicko": "two players, rated by periods, with uncertainty",
    "TS2b": "many teams of different sizes per match, often with ties, as in quizzes",
    "PoissonOD": "games with goals: rates offence and defence, and predicts scores",
    "GaussianOD": "games with many points: rates offence and defence, and predicts scores",
}
PARAMETERS: Mapping[str, tuple[str, str]] = {
    "mu": ("Start", "the rating of a new player"),
    "sigma": (
        "Uncertainty at the start",
        "how uncertain a new rating is: two thirds of new players have a skill within this distance of it",
    ),
    "beta": ("Form on the day", "how far one performance may be from the skill; a larger value means more luck"),
    "tau": ("Drift", "how far a skill may move between matches; a larger value makes ratings move faster"),
    "draw_probability": (
        "Draws",
        'how often two equally strong teams draw; enter "learnt" to learn it from the matches',
    ),
    "draw_start": ("Draws at the start", "how often two equally strong teams draw, while few matches have been played"),
    "draw_memory": (
        "Memory for draws",
        "the number of matches from which the share of draws is learnt; older matches lose weight",
    ),
    "k": ("Speed", "the most points by which a match can change a rating"),
    "alpha": ("Speed", "how fast ratings move: the weight of a match relative to earlier matches"),
    "scale": ("Scale", "a favourite who leads by this many points wins 10 of 11 matches"),
    "c": ("Drift", "how fast the rating of an inactive player becomes uncertain"),
    "cap": ("Maximum uncertainty", "no rating becomes less certain than this"),
    "volatility": ("Volatility at the start", "how erratic a new player is assumed to be"),
    "period": ("Rating period", "the time span whose matches are rated together, in days or units of time"),
    "span": (
        "Span",
        "the largest rating difference that counts; opponents further away are treated as if they were this far away",
    ),
    "step": ("Step", "the points gained for each win or lost for each defeat"),
    "leader_bonus": ("Leader bonus", "how much more the best player of a team counts"),
    "size": ("Full team", "the number of players in a full team"),
    "discount": ("Missing players", "the share of its strength that a team loses for each missing player"),
    "larger": ("Larger teams", "which players count if a team has more players than a full team"),
    "gamma": ("Luck in scores", "how far a score may be from what the skills predict"),
    "prediction": ("Score prediction", "whether forecasts include all uncertainty, or use the most likely skills"),
    "rounding": ("Step of scores", "scores are multiples of this number, so a smaller difference is a draw"),
    "base_rate": ("Usual score", "the mean score of a team in a match of equal teams"),
    "base_score": ("Usual score", "the mean score of a team in a match of equal teams"),
    "unscored": (
        "Matches without scores",
        "whether a missing score is an error, or the model uses only the order of the teams",
    ),
    "draw_factor": ("Draws", "how much more likely draws are than independent scores would make them"),
    "home_mu": ("Home advantage", "how much the home team gains"),
    "home_sigma": ("Home uncertainty", "how uncertain the home advantage is at the start; 0 if it is not learnt"),
    "home_tau": ("Home drift", "how far the home advantage may move between matches"),
    "gap": ("Break between seasons", "a season begins after more than this many days without a match"),
    "carry": ("Carry-over", "the share of a skill's distance from the mean that is left after a break"),
    "season_tau": ("Drift between seasons", "how far a skill may move during a break"),
    "level_sigma": ("Uncertain level", "how uncertain the level of new players is at the start"),
    "level_tau": ("Drift of the level", "how far the level of new players may move from one new player to the next"),
    "matches": ("First matches", "after this many matches, a new player's rating updates the level of new players"),
    "caution": ("Caution", "how many times the uncertainty is subtracted from the skill in the cautious rating"),
    "tolerance": ("Precision", "the iterations for a match stop when values change by less than this"),
    "sweeps": ("Maximum sweeps", "the maximum number of iterations for a match"),
    "least": ("Smallest margin", "the lower limit of the margin within which two teams share a place"),
    "printed": ("As printed", "whether a formula is used as the paper prints it"),
}
FACET_PARAMETERS: Mapping[str, tuple[str, str]] = {  # of facets and statistics, without the name of the column
    "sigma": ("spread", "how much the values of this column typically matter; 0 if they do not matter"),
    "tau": ("drift", "how far a difference or an effect may move between matches"),
    "mu": ("effect at the start", "the effect of a value or a unit before anything is known"),
    "omega": ("weight", "how much the statistic grows with the performance"),
    "gamma": ("noise", "how far the statistic may be from what the performance predicts; if larger, it counts less"),
    "eta": ("opponents", "how much the statistic shrinks if the opponents play well"),
    "margin": ("margin", "by how much a player who quits has played worse than the opponents, at least"),
}
FACET_SENTENCES = {
    "by": "Each player's skill may differ by {}.",
    "slope": "The effect of {} may differ between players.",
    "shared": "All players share the effect of {}.",
    "experience": "All players share a learning curve.",
}
EXCEPTIONS = {("Glicko2", "tau"): ("Change of volatility", "how fast the volatility of a player may change")}
TECHNICAL = ("tolerance", "sweeps", "least", "printed", "prediction", "larger")
# Types of parameters that JSON can represent; other parameters are components of the model.
SIMPLE = (bool, int, float, str)


@router.get(
    "/api/models", summary="List models", response_model=schemas.Models, dependencies=[Depends(checked_service)]
)
async def list_models() -> Response:
    """All rating systems, with descriptions, parameters and their defaults."""
    return json_response({"models": _models()})


@cache
def _models() -> list[dict[str, Any]]:
    return [describe_preset(name) for name in PRESETS]


def describe_preset(name: str) -> dict[str, Any]:
    """Return a preset as plain data; its description is the first paragraph of its docstring.

    >>> describe_preset("Elo")["traits"]
    ['skill']
    """
    model = PRESETS[name]()
    ranges = {parameter: {"low": span.low, "high": span.high} for parameter, span in model.tunable.items()}
    paragraph = inspect.cleandoc(PRESETS[name].__doc__ or "").partition("\n\n")[0]
    return {
        "name": name,
        "description": " ".join(paragraph.replace("`", "").split()),
        "parameters": [
            {"name": parameter, "default": default} | ranges.get(parameter, {})
            for parameter, default in model.params.items()
            if isinstance(default, SIMPLE)
        ],
        "traits": list(model.outcome.traits),
        "uncertainty": not model.absorb.certain,
    }


def summary_of(name: str) -> str:
    """Describe a preset in a few plain sentences; for a plugin's preset, return the first paragraph of its docstring.

    >>> summary_of("GaussianSD")
    'It uses the score difference, not only the winner.'
    """
    return SUMMARIES.get(name) or str(describe_preset(name)["description"])


def describe_facets(model: Model) -> str:
    """Say in plain sentences which columns of the context a model uses; the text is empty if it uses none.

    >>> import prowess as pw
    >>> facets = (pw.facet.By("surface"), pw.facet.By("round"), pw.facet.Covariate("rest"))
    >>> describe_facets(pw.TrueSkill().replace(facets=facets))
    "Each player's skill may differ by surface and round. All players share the effect of rest."
    """
    columns: dict[str, list[str]] = {kind: [] for kind in FACET_SENTENCES}
    for facet in model.facets:
        columns["shared" if facet.kind == "covariate" else facet.kind].append(facet.column)
    return " ".join(FACET_SENTENCES[kind].format(join_words(names)) for kind, names in columns.items() if names)


def describe_statistics(model: Model) -> str:
    """Say which individual statistics count besides the result; the text is empty if there are none.

    >>> import prowess as pw
    >>> deaths = pw.statistic.Points("deaths", lower=True, per=None)
    >>> describe_statistics(pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", per="mode"), deaths)))
    "Besides the result, each player's statistics count: kills (relative to other matches with the same mode) and \
deaths (less is better)."
    """
    if not model.statistics:
        return ""
    return f"Besides the result, each player's statistics count: {join_words(map(_statistic_text, model.statistics))}."


def _statistic_text(statistic: Statistic) -> str:
    notes = []
    if statistic.kind == "quit":
        notes.append("a player who quits has played worse than the opponents")
    elif statistic.lower:
        notes.append("less is better")
    elif statistic.kind == "times":
        notes.append("more is better")
    if statistic.per:
        notes.append(f"relative to other matches with the same {join_words(statistic.per)}")
    if statistic.bounded:
        notes.append("no rating moves against the result")
    return f"{statistic.column} ({'; '.join(notes)})" if notes else statistic.column


def parameter_payloads(preset: str, model: Model, usual: Model) -> list[dict[str, Any]]:
    """Return the parameters of a model: their values, their meanings, and their defaults in the model `usual`.

    >>> import prowess as pw
    >>> parameter_payloads("Elo", pw.Elo(k=20), pw.Elo())[-1]["title"]
    'Speed'
    """
    payloads = []
    facets = facet_addresses(vars(model))
    for name, value in model.params.items():
        unused = (name == "caution" and model.absorb.certain) or (name == "beta" and not value)
        if unused or not isinstance(value, SIMPLE):
            continue
        title, meaning = EXCEPTIONS.get((preset, name)) or PARAMETERS.get(name) or (name, "")
        if name in facets:
            index, key = facets[name]
            word, meaning = FACET_PARAMETERS[key]
            title = f"{capitalise(model.additions[index].column)}: {word}"
        payloads.append(
            {
                "name": name,
                "value": value if isinstance(value, (bool, str)) or isfinite(value) else None,
                "default": usual.params.get(name),
                "title": title,
                "meaning": meaning,
                "technical": name in TECHNICAL,
            }
        )
    return payloads


def explain_shown_rating(model: Model, settings: Settings) -> str:
    """Explain in a few sentences what the number in the standings means, which also ranks the players.

    >>> import prowess as pw
    >>> explain_shown_rating(pw.Elo(), Settings(scale=None))
    'The standings show the rating itself.'
    >>> explain_shown_rating(pw.Elo(), Settings())
    'Ratings are in points: newcomers have 1500 points, and a lead of 400 points means win odds of 10:1.'
    """
    scale = settings.scale
    by_mean = model.absorb.certain or settings.ranked_by == "mean"
    points = [] if scale is None else [f"{'Ratings' if by_mean else 'Skills'} are in points: {scale.meaning}."]
    if model.absorb.certain:
        return "The standings show the rating itself." if scale is None else points[0]
    if by_mean:
        text = "The standings show μ, the estimated skill." if scale is None else _INTERVAL
        return " ".join((*points, text, _PROVISIONAL))
    traits = " The skill is the sum of offence and defence." if len(model.outcome.traits) > 1 else ""
    cautious = (
        f"The standings show μ − {model.caution:g}σ: the estimated skill (μ) minus {model.caution:g} times its "
        "uncertainty (σ). The true skill is almost certainly higher than this, so new players start low and rise as "
        f"the model learns more about them.{traits}"
    )
    return " ".join((*points, cautious))


_INTERVAL = "The number after ± is half the 95 % interval."
_PROVISIONAL = (
    "Players with few matches are provisional: they come after all others, and their ratings have a question mark."
)
