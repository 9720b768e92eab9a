"""What the Tab key offers: models, their parameters, and the roles of columns."""

from __future__ import annotations

import typer

from ...errors import Error
from ...history.columns.aliases import COMMON, HOME_AWAY, LONG, WINNER_LOSER
from ...model.presets import PRESETS, preset

__all__ = ["models", "parameters", "roles"]

SIDES = ("team1", "team2", "player1", "player2", "score1", "score2", "rank1", "rank2")


def models(incomplete: str) -> list[str]:
    """The presets whose names begin so, in whatever case that is written: shells keep what was typed.

    >>> models("ts2"), models("GL")
    (['ts2', 'ts2a', 'ts2b', 'ts2c'], ['GLicko', 'GLicko2'])
    """
    return [
        incomplete + name[len(incomplete) :] for name in PRESETS.names if name.lower().startswith(incomplete.lower())
    ]


def parameters(ctx: typer.Context, incomplete: str) -> list[str]:
    """The parameters of the model that is named before, each with its value."""
    try:
        model = preset(ctx.params.get("model") or "TrueSkill")()
    except Error:
        return []
    plain = {name: value for name, value in model.params.items() if isinstance(value, (bool, int, float, str))}
    name, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{name}={plain[name]}"] if name in plain else []
    return [f"{one}=" for one in plain if one.startswith(name)]


def roles(incomplete: str) -> list[str]:
    """The roles of columns that begin so.

    >>> roles("home_")
    ['home_score=']
    """
    known = dict.fromkeys((*LONG, *COMMON, *HOME_AWAY, *WINNER_LOSER, "winner", *SIDES))
    return [f"{role}=" for role in known if role.startswith(incomplete)]
