"""Hypothesis strategies for matches that `History.from_matches` accepts."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from prowess.history.context.columns import clean_name

letters = st.sampled_from("aAbé漢😀 ;,&|/+\"'\\\n\t\0012")
texts = st.text(letters, min_size=1, max_size=4).map(str.strip).filter(bool)
# Names such as "2/2" are not drawn, because in a row with a missing cell they look like a result.
names = st.one_of(st.sampled_from("abcdefgh"), texts.filter(lambda text: not re.fullmatch(r"\d+\s*/.*\d", text, re.S)))
numbers = st.one_of(st.integers(-3, 3), st.floats(-1e9, 1e9))
zones = st.sampled_from(
    [UTC, timezone(timedelta(hours=2)), timezone(-timedelta(hours=3, minutes=30)), ZoneInfo("Europe/Berlin")]
)
early, late = datetime(1, 1, 3), datetime(9999, 12, 29)


def clocks() -> st.SearchStrategy[st.SearchStrategy[Any]]:
    """Draw one type of times for a history, so that all its times are comparable."""
    aware = zones.map(lambda zone: st.datetimes(early, late, timezones=st.just(zone)))
    plain = st.sampled_from(
        [st.none(), st.dates(date(1, 1, 3), date(9999, 12, 29)), st.datetimes(early, late), numbers]
    )
    return st.one_of(plain, aware)


# Names of context columns, some of which look like a role, like a column of one side, or like a header with a level.
column_names = st.one_of(
    st.sampled_from(["surface", "side", "kills", "map", "round", "date", "score", "player", "team", "id", "venue"]),
    st.sampled_from(["seed1", "seed", "seed2", "home_age", "away_age", "winner", "set 1", "3", "a [team]", "=1+1"]),
    texts.map(clean_name),
)
categories = st.one_of(
    st.sampled_from(["clay", "grass", "hard"]),
    st.sampled_from(["1", "2.5", "1,5", "NA", "-", "=1+1", "'x", "2026-01-31", "6-4 6-3", "true", "ann", "1e3", "007"]),
    texts,
)


@st.composite
def contexts(draw: st.DrawFn) -> Callable[[list[list[str]]], dict[str, Any]]:
    """Draw the context columns of a history; return a function that draws the context of a match with given teams."""
    shapes = st.tuples(st.sampled_from(["match", "team", "player"]), st.sampled_from([categories, numbers]))
    columns = draw(st.dictionaries(column_names, shapes, max_size=4))

    def context(teams: list[list[str]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, (level, kind) in columns.items():
            cell = st.one_of(st.none(), kind)
            if level == "match":
                values[name] = draw(cell)
            elif level == "team":
                values[name] = [draw(cell) for _ in teams]
            else:
                values[name] = [[draw(cell) for _ in team] for team in teams]
        return values

    return context


@st.composite
def matches(draw: st.DrawFn, max_size: int = 6, context: bool = False) -> list[dict[str, Any]]:
    """Draw matches of one history; with `context`, they may have context columns of every level."""
    clock = draw(clocks())
    make_context = draw(contexts()) if context else None
    found = []
    for index in range(draw(st.integers(0, max_size))):
        players = draw(st.lists(names, min_size=2, max_size=7, unique=True))
        cuts = sorted(draw(st.sets(st.integers(1, len(players) - 1), min_size=1)))
        teams = [players[a:b] for a, b in zip([0, *cuts], [*cuts, len(players)], strict=True)]
        match: dict[str, Any] = {"teams": teams}
        for key in ("ranks", "scores"):
            if draw(st.booleans()):
                match[key] = draw(st.lists(numbers, min_size=len(teams), max_size=len(teams)))
        time = draw(clock)
        if time is not None:
            match["time"] = time
        if draw(st.booleans()):
            weight = st.floats(0.001, 2)
            match["weights"] = [draw(st.lists(weight, min_size=len(t), max_size=len(t))) for t in teams]
        if draw(st.booleans()):
            match["importance"] = draw(st.floats(0, 3))
        if draw(st.booleans()):
            match["home"] = draw(st.integers(0, len(teams) - 1))
        if draw(st.booleans()):
            match["id"] = f"m{index}"
        if make_context is not None and draw(st.booleans()):
            match["context"] = make_context(teams)
        found.append(match)
    return found
