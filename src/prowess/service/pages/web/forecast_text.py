"""What pages about matches that may come have in common: words for what is expected, and who is new to the league."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ....errors import Error
from ....model.prediction import Prediction
from ....store.read.standings import Snapshot
from ....text import capital, listed
from ...api.schemas.forecasts import PredictionAsked
from ...api.serialize import rating, ratings
from .filters import percent

__all__ = ["asked_of", "called", "headline", "new_ones", "number_of", "rated", "sides", "worded"]

New = dict[str, str | None]  # somebody who is new to a league

NAMED = 3  # players of a team that is called by their names
LABELS = {"together": "In one team", "apart": "In different teams", "never": "Never paired"}
HINTS = 3  # newcomers for whom somebody else is looked for who may be meant


def worded(error: Error) -> str:
    """What is wrong, as a sentence: the field that a message begins with is called as on the page, or left out.

    >>> worded(Error("teams: at most 64 teams")), worded(Error("apart: zoe is not among the players"))
    ('At most 64 teams', 'In different teams: zoe is not among the players')
    """
    field, colon, rest = str(error).partition(": ")
    if colon and field in LABELS:
        return f"{LABELS[field]}: {rest}"
    return capital(rest if colon and field.isidentifier() else str(error))


def number_of(text: str, usual: int, least: int, most: int, field: str) -> int:
    """A whole number as it stands in an address; what is empty is the usual one.

    >>> number_of("", 2, 2, 64, "teams"), number_of("3", 2, 2, 64, "teams")
    (2, 3)
    """
    plain = text.strip()
    if not plain:
        return usual
    number = int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 10 else -1
    if not least <= number <= most:
        raise Error(f"{field}: give a whole number from {least} to {most}, not {plain[:20]!r}")
    return number


def asked_of(
    teams: Sequence[Sequence[str]], home: int | None = None, time: str | float | None = None
) -> PredictionAsked:
    """A match to be predicted; pages have checked it already, in words for people.

    >>> asked_of([["ann"], ["bob"]]).newcomers
    True
    """
    names = [list(team) for team in teams]
    return PredictionAsked.model_construct(teams=names, weights=None, home=home, newcomers=True, time=time)


def called(names: Sequence[str], number: int) -> str:
    """How a team is called in a sentence: by its players if they are few.

    >>> called(["ann"], 1), called(["ann", "bob", "cat"], 1), called(list("abcd"), 2)
    ('ann', 'ann, bob and cat', 'Team 2')
    """
    return f"Team {number}" if len(names) > NAMED else listed(names)


def headline(teams: Sequence[Sequence[str]], found: Prediction) -> dict[str, str]:
    """What is expected of a match in a sentence: who, if anybody, and what of them.

    >>> import prowess as pw
    >>> headline([["ann"], ["bob"]], pw.Elo().predict([[pw.Rating(1700)], [pw.Rating(1600)]]))
    {'who': 'ann', 'what': 'wins with 64\\xa0%'}
    """
    best = int(found.win.argmax())
    chance = float(found.win[best])
    if found.draw > chance:
        shared = "A draw" if len(teams) == 2 else "A shared first place"
        return {"who": "", "what": f"{shared} is the likeliest: {percent(found.draw)}"}
    if percent(chance) == percent(float(found.win.min())):
        return {"who": "", "what": f"All have the same chance: {percent(chance)} each"}
    many = 1 < len(teams[best]) <= NAMED
    verb = ("win" if many else "wins") if len(teams) == 2 else ("come first" if many else "comes first")
    return {"who": called(teams[best], best + 1), "what": f"{verb} with {percent(chance)}"}


def rated(now: Snapshot, names: Sequence[str]) -> list[dict[str, Any]]:
    """Players with what is believed of them; who is new to the league is rated as who joins now."""
    newcomer = rating(now.ladder.newcomer)
    found = ratings(now.ladder, names)
    return [
        {"player": name, "new": one is None} | (one or newcomer or {}) for name, one in zip(names, found, strict=True)
    ]


def sides(now: Snapshot, teams: Sequence[Sequence[str]], found: Prediction) -> list[dict[str, Any]]:
    """The teams of a match, each with its players, their ratings, and its chances."""
    everybody = iter(rated(now, [name for team in teams for name in team]))
    scores = found.scores
    return [
        {
            "number": number,
            "called": called(team, number),
            "plural": 1 < len(team) <= NAMED,
            "players": [next(everybody) for _ in team],
            "win": float(found.win[number - 1]),
            "mean": float(found.mean[number - 1]),
            "sigma": float(found.sigma[number - 1]),
            "score": None if scores is None else float(scores[number - 1]),
        }
        for number, team in enumerate(teams, 1)
    ]


def new_ones(now: Snapshot, newcomers: Iterable[str], instead: Callable[[str, str], str]) -> list[New]:
    """Names that the league does not know, the first of them with who may be meant, and the address that says so."""
    found: list[New] = []
    for name in newcomers:
        near = next(iter(now.roll.near(name)), None) if len(found) < HINTS else None
        found.append({"name": name, "near": near, "address": None if near is None else instead(name, near)})
    return found
