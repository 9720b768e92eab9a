"""Read the JSON of sites for chess and football: Lichess, Chess.com, football.json, football-data.org and OpenLigaDB.

Each of their games becomes a row of a table with both sides and the result in one cell, which is read like any table.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, compress, islice
from typing import Any

import numpy as np

from ....errors import Option, Remark
from ...read_context import Problems, Table, left_out
from ...read_options import Choices
from .exports import JsonObject

Row = dict[str, Any]
_FIRST = 50  # games that show which site wrote the file
_DEEPEST = 9  # depth at which games are searched
_DAMAGED = "damaged"  # marks a row that could not be read
_NOT_PLAYED = "-"  # a result cell without a result
_SIDES = (("white", "black"), ("home", "away"), ("team1", "team2"))
_ROLES = ("result", "date", "id", "round")
_UNDECIDED = frozenset(("created", "started", "aborted", "noStart", "unknownFinish"))  # states of games of Lichess
_DRAWN = frozenset(("agreed", "repetition", "stalemate", "insufficient", "50move", "timevsinsufficient"))
_AFTER_EXTRA_TIME, _AFTER_PENALTIES, _AT_THE_END = 4, 5, 2  # kinds of results of OpenLigaDB
_KINDS = {"nach verlä": _AFTER_EXTRA_TIME, "nach elfme": _AFTER_PENALTIES}  # some leagues number them otherwise


def read_games(objects: Iterable[tuple[int, Any]], title: str, choices: Choices, unit: str) -> Table | None:
    """Read the games of a site, given as numbered JSON values; None if the first value has no game of a known site."""
    site = ""
    rows: list[Row] = []
    lines: list[int] = []
    for number, value in objects:
        games = find_games(value)
        first = list(islice(games, _FIRST))
        site = site or next(filter(None, map(_site, first)), "")
        if not site:
            return None
        for game in chain(first, games) if first else [{_DAMAGED: True}]:
            lines.append(number if unit == "line" else len(lines) + 1)
            rows.append(_read(game, site))
    return _table(rows, lines, title, choices, site, unit) if rows else None


def _read(game: JsonObject, site: str) -> Row:
    _, read, columns = _SITES[site]
    try:
        row = {name: game.get(name) for name in columns.split()} | read(game)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, OSError):
        row = {_DAMAGED: True}
    return {name: str(value) for name, value in row.items() if isinstance(value, (str, int, float))}


def find_games(value: Any, round: object = None, depth: int = 0) -> Iterator[JsonObject]:
    """Yield the objects in a JSON value that have the keys of a game, in the order of the file.

    The keys are in lower case. A game in the list of a round gets the name of the round.
    """
    if isinstance(value, dict):
        keys = {key.lower() for key in value}
        if any(known <= keys for known in _KEYS.values()):
            yield {"round": round, "rounds": round is not None, **_lower(value)}
            return
        name = value.get("name") if "matches" in value else None
        round = name if isinstance(name, str) else round
        value = list(value.values())
    for item in value if isinstance(value, list) and depth < _DEEPEST else ():
        yield from find_games(item, round, depth + 1)


def _lower(value: Any, depth: int = 0) -> Any:
    # OpenLigaDB once wrote keys with capitals.
    if isinstance(value, dict) and depth < _DEEPEST:
        return {key.lower(): _lower(item, depth + 1) for key, item in value.items()}
    return [_lower(item, depth + 1) for item in value] if isinstance(value, list) and depth < _DEEPEST else value


def _site(game: JsonObject) -> str:
    """Return the site whose format a game has; "" if it may be a row of another table."""
    score, teams = game.get("score"), {"team1", "team2"}
    nested = [site for site, keys in _KEYS.items() if keys <= game.keys()]
    objects = ("players", "white", "hometeam", "team1", "score")
    is_row = not (game["rounds"] or any(isinstance(game.get(key), dict) for key in objects))
    return "" if not nested or (is_row and not (teams <= game.keys() and isinstance(score, list))) else nested[0]


def _table(rows: list[Row], lines: list[int], title: str, choices: Choices, site: str, unit: str) -> Table:
    import polars as pl

    choices.read_limits.check_table(title, len(rows), 10)
    sides = next((pair for pair in _SIDES if any(pair[0] in row for row in rows)), _SIDES[0])
    known = [_DAMAGED in row or all(row.get(side) for side in sides) for row in rows]
    home = Option("columns", {"home": "team1", "away": "team2"})
    more = ("; use ", home, " if the first team plays at home") if sides[0] == "team1" else ()
    remarks = [Remark("export", (f"a file from {site}", *more))]
    if not all(known):
        number, first = known.count(False), lines[known.index(False)]
        words = "with a computer or an unknown name"
        text = left_out(number, f"game {words}", f"games {words}", f"{unit} {first}")
        remarks.append(Remark("unknown-players", (text,), count=number, line=first))
    numbers, rows = np.array(lines, np.int64)[known], list(compress(rows, known))
    problems = Problems()
    damaged = [index for index, row in enumerate(rows) if _DAMAGED in row]
    problems.add(damaged, None, None, f"this is not a game as {site} writes it; correct it, or remove it")
    clocks = all("clock" in row for row in rows)
    for row in rows:
        row["date"] = " ".join(filter(None, (row.get("date"), row.pop("clock", "")[: 5 * clocks])))
    names = dict.fromkeys([*sides, "result", *(name for row in rows for name in row if name != _DAMAGED)])
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String))
    choices = choices if choices.rosters is not None else replace(choices, rosters="")
    reserved = dict.fromkeys((name for name in names if name not in (*sides, *_ROLES)), True)
    # Results such as 1-0 and 0-1 are scores in football.
    decided = {} if sides[0] == "white" else {"whether result holds scores": True}
    table = Table(frame, title, numbers.__getitem__, choices, remarks, problems, unit=unit, reserved=reserved)
    return replace(table, decided=decided)


def _lichess(game: JsonObject) -> Row:
    sides = {colour: game["players"].get(colour) or {} for colour in ("white", "black")}
    row: Row = {colour: (player.get("user") or player).get("name") for colour, player in sides.items()}
    row |= {f"{colour}_rating": player.get("rating") for colour, player in sides.items()}
    result = {"white": "1-0", "black": "0-1"}.get(game.get("winner", ""), "1/2-1/2")
    row["result"] = _NOT_PLAYED if game.get("status") in _UNDECIDED else result
    return row | {"date": _time(game["createdat"] / 1000)}


def _chess_com(game: JsonObject) -> Row:
    sides = {colour: game[colour] for colour in ("white", "black")}
    row: Row = {}
    for colour, player in sides.items():
        row[colour] = player.get("username") or str(player.get("@id", "")).rpartition("/")[2]
        row[f"{colour}_rating"] = player.get("rating")
    won = [player.get("result") == "win" for player in sides.values()]
    drawn = all(player.get("result") in _DRAWN for player in sides.values())
    row["result"] = "1/2-1/2" if drawn else ("1-0" if won[0] else "0-1") if won[0] != won[1] else _NOT_PLAYED
    return row | {"id": game.get("uuid"), "date": _time(game["end_time"])}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace(".000", "")


def _openfootball(game: JsonObject) -> Row:
    row: Row = {"team1": _name(game["team1"]), "team2": _name(game["team2"]), "clock": game.get("time")}
    score = game.get("score")
    score = score if isinstance(score, dict) else {"ft": score}
    # The older format has score1, score1et and score1p.
    older = [[game.get(f"score{side}{kind}") for side in (1, 2)] for kind in ("", "et", "p")]
    row["result"] = _score(*(score.get(kind) or pair for kind, pair in zip(("ft", "et", "p"), older, strict=True)))
    return row


def _football_data(game: JsonObject) -> Row:
    row: Row = {"home": _name(game["hometeam"]), "away": _name(game["awayteam"])}
    final, penalties = (_pair(game["score"].get(kind)) for kind in ("fulltime", "penalties"))
    if penalties and final and final[0] != final[1]:  # version 4 of the API adds the goals of the shoot-out
        final = [goals - more for goals, more in zip(final, penalties, strict=True)]
    row |= {"date": game["utcdate"], "round": game.get("matchday")}
    status = game.get("status", "FINISHED")
    awarded = " awarded" * (status == "AWARDED")
    row["result"] = _score(final, None, penalties) + awarded if status in ("FINISHED", "AWARDED") else _NOT_PLAYED
    return row


def _openligadb(game: JsonObject) -> Row:
    row: Row = {side: (game[side] or {}).get("teamname") for side in ("team1", "team2")}
    results = {
        _KINDS.get(str(one.get("resultname"))[:10].casefold(), one.get("resulttypeid")): [
            one.get("pointsteam1"),
            one.get("pointsteam2"),
        ]
        for one in game["matchresults"] or ()
    }
    parts = [results.get(kind) for kind in (_AT_THE_END, _AFTER_EXTRA_TIME, _AFTER_PENALTIES)]
    row["result"] = _score(*parts) if game.get("matchisfinished", True) else _NOT_PLAYED
    row["date"] = game.get("matchdatetime") or game.get("matchdatetimeutc")
    return row | {"id": game.get("matchid"), "round": (game.get("group") or {}).get("groupname")}


def _name(team: Any) -> object:
    return team.get("name") if isinstance(team, dict) else team


def _pair(score: Any) -> list[Any] | None:
    # Version 2 of the API of football-data.org has homeTeam and awayTeam instead of home and away.
    goals = [score.get(side, score.get(f"{side}team")) for side in ("home", "away")] if isinstance(score, dict) else []
    return goals if goals and None not in goals else None


def _score(final: Any, extra: Any, penalties: Any) -> str:
    """Return the cell for a result: the final score, after extra time if there was any, and the shoot-out in brackets.

    >>> _score([1, 1], [2, 2], [4, 3]), _score([2, 0], None, None), _score(None, None, None)
    ('2-2 (4-3 p)', '2-0', '-')
    """
    pairs = [pair for pair in (extra, final) if isinstance(pair, list) and len(pair) == 2 and None not in pair]
    if not pairs:
        return _NOT_PLAYED
    shoot_out = f" ({penalties[0]}-{penalties[1]} p)" if isinstance(penalties, list) and None not in penalties else ""
    return f"{int(pairs[0][0])}-{int(pairs[0][1])}{shoot_out}"


# For each site: the keys of a game in lower case, the function that reads a game, and the keys kept as columns.
_SITES: dict[str, tuple[str, Callable[[JsonObject], Row], str]] = {
    "Lichess": ("players createdat variant", _lichess, "id speed variant rated"),
    "Chess.com": ("white black end_time", _chess_com, "time_class time_control rules rated"),
    "football-data.org": ("hometeam awayteam score utcdate", _football_data, "id stage group"),
    "OpenLigaDB": ("team1 team2 matchresults", _openligadb, "leaguename"),
    "football.json": ("team1 team2", _openfootball, "date round group ground"),
}
_KEYS = {site: frozenset(keys.split()) for site, (keys, *_) in _SITES.items()}
