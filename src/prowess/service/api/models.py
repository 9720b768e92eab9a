"""Rating systems and their parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from ...model.model import Model
from ...model.presets import PRESETS
from .responses import json_response
from .schemas import leagues as schemas

router = APIRouter(tags=["models"])


@router.get("/api/models", summary="All models", response_model=schemas.Models)
async def list_models() -> Response:
    """The rating systems that a league can have, each with its parameters, their defaults and what it is."""
    return json_response({"models": _models()})


@cache
def _models() -> list[dict[str, Any]]:
    return [describe_preset(name) for name in PRESETS]


def describe_preset(name: str) -> dict[str, Any]:
    """A preset as it is shown.

    >>> describe_preset("Elo")["traits"]
    ['skill']
    """
    model = PRESETS[name]()
    ranges = model.tunable
    parameters: list[dict[str, Any]] = []
    for parameter, default in model.params.items():
        if not isinstance(default, (bool, int, float, str)):
            continue  # a part of the model, which is no value of JSON
        one: dict[str, Any] = {"name": parameter, "default": default}
        if parameter in ranges:
            one |= {"low": ranges[parameter].low, "high": ranges[parameter].high}
        parameters.append(one)
    words, _, _ = inspect.cleandoc(PRESETS[name].__doc__ or "").partition("\n\n")
    return {
        "name": name,
        "description": re.sub(r"\s+", " ", words).replace("`", ""),
        "parameters": parameters,
        "traits": list(model.outcome.traits),
        "uncertainty": not model.absorb.certain,
    }


_SURE = "It knows for each player a skill, and how sure it is of it: newcomers move fast, those it knows well slowly."
_PLACES = "Made for tournaments of many teams that share places."
_TS2B = f"{_PLACES} A team is as strong as its players on average, and weaker if some are missing. {_SURE}"
MODELS: Mapping[str, str] = {
    "Harkness": "After each rating period a rating is the mean of the opponents' ratings, with a step up for every win "
    "more than losses, or down for every one less.",
    "Elo": "Every match takes points from the loser and gives them to the winner: many after a surprise, few when the "
    "favourite has won. Draws move both towards each other. It does not know how sure it is of a rating.",
    "GaussianElo": "Elo with another curve of chances: every match moves points from the loser to the winner, more "
    "after a surprise.",
    "Glicko": f"Like Elo, and more. {_SURE} Who has not played for long is less sure again. The matches of a rating "
    "period are rated together.",
    "Glicko2": f"Glicko that also learns how steady each player is. {_SURE} Who surprises again and again moves more.",
    "TrueSkill": f"{_SURE} A match moves a skill more the greater the surprise. It rates single players and teams (a "
    "team is as strong as its players together), two or many in a match, and draws.",
    "TSa": f"TrueSkill on a larger scale, with skills that stay as they are. {_SURE}",
    "TSb": f"TrueSkill on a larger scale, where a team is as strong as its players on average. {_SURE}",
    "TS2": _TS2B,
    "TS2a": f"{_PLACES} A team is as strong as its players together. {_SURE}",
    "TS2b": _TS2B,
    "TS2c": f"{_PLACES} A team is as strong as its players on average, and everybody moves equally fast for ever.",
    "TS3": f"{_PLACES} It looks for the skills that make the places seen most likely. {_SURE}",
    "GaussianOD": "It looks at scores, not only at who won. Everybody has an offence, which scores, and a defence, "
    "which keeps the others from scoring.",
    "GaussianSD": "It looks at by how much a match was won, not only at who won it.",
    "PoissonOD": "It looks at scores that are counted one by one, such as goals. Everybody has an offence, which "
    "scores, and a defence, which keeps the others from scoring. With its usual settings, those of its paper, it is "
    "very unsure of scores: for football a sigma of 0.3 and a beta of 0.1 are better.",
}


def summary_of(name: str) -> str:
    """A preset in a few plain sentences; what its docstring says, where a plugin adds it.

    >>> summary_of("GaussianSD")
    'It looks at by how much a match was won, not only at who won it.'
    """
    return MODELS.get(name) or str(describe_preset(name)["description"])


USUAL: Mapping[str, str] = {  # for whom each is, in the order in which somebody looks who chooses for the first time
    "TrueSkill": "players or teams, two or many at once, with draws; the usual choice",
    "Elo": "two players, as in chess; no uncertainty",
    "Glicko2": "two players, rated by periods, with uncertainty and volatility",
    "Glicko": "two players, rated by periods, with uncertainty",
    "TS2b": "many teams of different sizes in a match, often with ties, as in quizzes",
    "PoissonOD": "games with goals: rates attack and defence, and predicts scores",
    "GaussianOD": "games with many points: rates attack and defence, and predicts scores",
}

PARAMETERS: Mapping[str, tuple[str, str]] = {
    "mu": ("Start", "the skill that a newcomer is taken for"),
    "sigma": ("Uncertainty at the start", "how far off that may be: about two thirds of newcomers are within it"),
    "beta": ("Form of the day", "how far one performance may be from the skill; the more, the more luck there is"),
    "tau": ("Drift", "how far a skill may have moved since the match before; the more, the faster ratings move"),
    "draw_probability": ("Draws", "how often two equally strong teams draw"),
    "k": ("Speed", "how many points a rating moves for a whole surprise"),
    "alpha": ("Speed", "how fast ratings move: what a match weighs against those before"),
    "scale": ("Scale", "with a lead of so many points the favourite wins 10 of 11"),
    "c": ("Drift", "how fast a rating becomes unsure while its player does not play"),
    "cap": ("Most uncertainty", "no rating becomes less sure than this"),
    "volatility": ("Unsteadiness at the start", "how erratic a newcomer is taken for"),
    "period": ("Rating period", "the span of time whose matches are rated together, in days or units of time"),
    "span": ("Span", "opponents further away than this count as if they were so far away"),
    "step": ("Step", "how much every win more than losses is worth"),
    "leader_bonus": ("Bonus of the best", "how much more the best player of a team counts"),
    "size": ("Full team", "how many players a team has when all are there"),
    "discount": ("Missing players", "which share of its strength a team loses for every player missing"),
    "larger": ("Larger teams", "who counts in a team that has more players than that"),
    "gamma": ("Luck in scores", "how far a score may be from what the skills say"),
    "prediction": ("How scores are predicted", "with all that is unsure, or from the likeliest skills"),
    "draw_factor": ("Draws", "how many times as likely as independent scores say a draw is"),
    "home_mu": ("Home advantage", "what the team at home gains"),
    "home_sigma": ("Uncertainty of home", "how unsure the home advantage is at the start; 0: it is not learnt"),
    "home_tau": ("Drift of home", "how far the home advantage may move from match to match"),
    "caution": ("Caution", "how many times the uncertainty is taken off for the standings"),
    "tolerance": ("Exactness", "when the calculation of a match is taken for finished"),
    "sweeps": ("Patience", "how often a match is calculated again at most"),
    "least": ("Least margin", "how close two teams must be at least to share a place"),
    "printed": ("As printed", "whether a formula is taken as the paper prints it"),
}
TECHNICAL = ("tolerance", "sweeps", "least", "printed", "prediction", "larger")
OTHERWISE = {("Glicko2", "tau"): ("Change of steadiness", "how fast the unsteadiness of a player may change")}


def parameter_meaning(preset: str, parameter: str) -> tuple[str, str]:
    """What a parameter is called, and what it means.

    >>> parameter_meaning("Elo", "k")
    ('Speed', 'how many points a rating moves for a whole surprise')
    """
    return OTHERWISE.get((preset, parameter)) or PARAMETERS.get(parameter) or (parameter, "")


def parameter_payloads(preset: str, model: Model, usual: Model) -> list[dict[str, Any]]:
    """The parameters of a model with their values, what is usual, and what they mean.

    >>> import prowess as pw
    >>> parameter_payloads("Elo", pw.Elo(k=20), pw.Elo())[-1]["title"]
    'Speed'
    """
    found = []
    for name, value in model.params.items():
        if not isinstance(value, (bool, int, float, str)) or (name == "caution" and model.absorb.certain):
            continue
        if name == "beta" and not value:
            continue  # the outcome has all of the noise
        title, meaning = parameter_meaning(preset, name)
        plain = isinstance(value, (bool, str)) or isfinite(value)
        found.append(
            {"name": name, "value": value if plain else None, "default": usual.params.get(name)}
            | {"title": title, "meaning": meaning, "technical": name in TECHNICAL}
        )
    return found


def explain_shown_rating(model: Model) -> str:
    """What the number in the standings is.

    >>> import prowess as pw
    >>> explain_shown_rating(pw.Elo())
    'The standings show the rating itself.'
    """
    if model.absorb.certain:
        return "The standings show the rating itself."
    traits = " Offence and defence together make the skill." if len(model.outcome.traits) > 1 else ""
    return (
        f"The standings show μ − {model.caution:g}σ: the skill that it believes in (μ), less {model.caution:g} times "
        "how unsure it is (σ). We are nearly sure that the skill is at least this, so newcomers begin low and rise as "
        f"they become known.{traits}"
    )
