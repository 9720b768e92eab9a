"""The option --at: values of the columns of a model's facets, such as surface=clay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from ... import History, Ladder, Model
from ...errors import Error
from ...history.context.columns import column_at
from ...model.compose import find_column
from ...model.ladder.effects import shifts
from ...text import count, join_words
from .read_args import SPAN_PANEL, parse_pairs

AT_HELP = "Show ratings at a value of a facet's column, such as surface=clay; may be repeated."
MATCH_AT_HELP = (
    "The value of a facet's column in the match, such as surface=clay, or one value for each team, such as "
    "side=blue/red; may be repeated."
)
TEAMS_AT_HELP = "Use the ratings at a value of a facet's column, such as map=harbour; may be repeated."
METAVAR = "COLUMN=VALUE"

RatingsAt = Annotated[list[str] | None, typer.Option("--at", metavar=METAVAR, rich_help_panel=SPAN_PANEL, help=AT_HELP)]
MatchAt = Annotated[list[str] | None, typer.Option("--at", metavar=METAVAR, help=MATCH_AT_HELP)]
TeamsAt = Annotated[list[str] | None, typer.Option("--at", metavar=METAVAR, help=TEAMS_AT_HELP)]
Find = Callable[[str], str | float | None]


def parse_at(model: Model, texts: list[str] | None, known: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """Parse the values of --at for ratings; `known` has the values of each column, whose case need not be typed.

    An unknown column raises an `Error`; unknown values are kept, because only a ladder knows all values.

    >>> from prowess import TrueSkill, facet
    >>> parse_at(TrueSkill().replace(facets=(facet.By("surface"),)), ["surface=clay"], {"surface": ["Clay"]})
    {'surface': 'Clay'}
    """
    context = {}
    for name, text in parse_pairs("--at", texts).items():
        column = _find_column(model, name, text)
        context[column] = _find_value(model, column, text or "", known.get(column, ()))
    return context


def parse_match_at(ladder: Ladder, texts: list[str] | None, teams: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Parse the values of --at for a match between teams.

    "blue/red" or "blue,red" has a value for each team, and "a,b/c,d" one for each player. A missing value is unknown.
    """
    context: dict[str, Any] = {}
    known = ladder_values(ladder)
    for name, text in parse_pairs("--at", texts).items():
        column = _find_column(ladder.model, name, text)
        facets = [facet for facet in ladder.model.facets if facet.column == column]
        context[column] = _split(name, text or "", known[column], teams, partial(_find_known, ladder, column))
        one_value = not isinstance(context[column], list)
        if one_value and ladder.model.pipeline.levels_cancel and not all(facet.personal for facet in facets):
            values = "3/1" if facets[0].weighted else "/".join(known[column][:2])
            raise Error(
                f"--at {name}={text}: a value that is the same for both sides has no effect; give one for each team, "
                f"such as --at {column}={values}"
            )
    return context


def parse_teams_at(ladder: Ladder, texts: list[str] | None) -> dict[str, Any]:
    """Parse the values of --at for matches whose teams are not known yet: each is the same for the whole match."""
    context = parse_at(ladder.model, texts, ladder_values(ladder))
    check_at(ladder, context)
    for facet in ladder.model.facets:
        if facet.column in context and not facet.personal:
            raise Error(
                f"--at {facet.column}={context[facet.column]}: its effect is the same for all players; leave it out"
            )
    return context


def ladder_values(ladder: Ladder) -> dict[str, list[str]]:
    """Return the values of each column of a ladder's facets; there are none for columns of numbers."""
    facets = ladder.facets[: len(ladder.model.facets)]  # the rows of statistics follow
    return {rows.facet.column: [] if rows.facet.weighted else rows.values for rows in facets}


def history_values(model: Model, history: History, start: Ladder | None) -> dict[str, list[str]]:
    """Return the values of each column of a model's facets, in a history and in a ladder to continue from."""
    values = {} if start is None else ladder_values(start)
    for name in model.forecast_columns:
        column = column_at(history, name, "player")
        if column is not None and column.kind == "category":
            values[name] = [*values.get(name, []), *map(str, column.values)]
    return values


def check_at(ladder: Ladder, context: Mapping[str, Any]) -> None:
    """Raise an `Error` for a value that no match of a ladder has."""
    for column, value in context.items():
        try:
            shifts(ladder, {column: value}, [])
        except Error as error:
            raise error.within(f"--at {column}={value}: ") from None


def _find_column(model: Model, name: str, text: str | None) -> str:
    columns = model.forecast_columns
    if text is None:
        raise Error(f"--at {name}=: the value is missing; write --at {name}=VALUE")
    statistics = [statistic.column for statistic in model.statistics]
    if find_column(name, statistics) in statistics:
        message = f"{name!r} is a statistic, which is known only after a match; ratings and predictions never need it"
        raise Error(f"--at {name}={text}: {message}, so leave it out")
    if not columns:
        raise Error(f"--at {name}={text}: this model has no facets; rate the matches with --facet {name}")
    column = find_column(name, columns)
    if column not in columns:
        have = join_words(map(repr, columns))
        raise Error(f"--at {name}={text}: there is no facet {name!r}; this model has {have}")
    return column


def _find_known(ladder: Ladder, column: str, text: str) -> str | float | None:
    """Return a value of a match; None if it is empty. A value that no match of the ladder has raises an `Error`."""
    if not text.strip():
        return None
    value = _find_value(ladder.model, column, text.strip(), ladder_values(ladder)[column])
    check_at(ladder, {column: value})
    return value


def _find_value(model: Model, column: str, text: str, known: Iterable[str]) -> str | float:
    if any(facet.weighted for facet in model.facets if facet.column == column):
        try:
            return float(text)
        except ValueError:
            raise Error(f"--at {column}={text}: {column!r} needs a number, not {text!r}") from None
    return find_column(text, list(dict.fromkeys(known)))


def _split(name: str, text: str, known: Sequence[str], teams: Sequence[Sequence[str]], find: Find) -> Any:
    """Return one value, a list with a value for each team, or lists with one for each player."""
    if find_column(text, known) in known:  # a value may contain separators
        return find(text)
    sides = text.split("/") if "/" in text else text.split(",")
    if len(sides) == 1:
        return find(text)
    if len(sides) != len(teams):
        raise Error(f"--at {name}={text}: there are {len(sides)} values for {len(teams)} teams; give one for each team")
    players = [side.split(",") for side in sides]
    if "/" not in text or all(len(values) == 1 for values in players):
        return [find(side) for side in sides]
    # A single value counts for all players of a team.
    players = [values * len(team) if len(values) == 1 else values for values, team in zip(players, teams, strict=True)]
    for values, team in zip(players, teams, strict=True):
        if len(values) != len(team):
            have = f"there are {len(values)} values for a team of {count(len(team), 'player', 'players')}"
            raise Error(f"--at {name}={text}: {have}; give one for each player")
    return [[find(value) for value in values] for values in players]
