"""Histories as frames and as files, in layouts that reading recognises."""

from __future__ import annotations

import json
import os
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..atomic_files import file_extension, replace_file
from ..errors import Error, Option
from .history import History
from .ragged import Floats, owners, places

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".tsv", ".parquet", ".jsonl")
BETWEEN = ";"  # the names of a roster
EXACT = 2**53  # below it a float holds every whole number
SIDES = 8  # teams of a match that have a column each, unless a row per match is asked for

Shape = Literal["wide", "long"]


def to_frame(history: History) -> pl.DataFrame:
    """Give a frame with a row per entry."""
    import polars as pl

    team = owners(history.team_start)
    match = owners(history.match_start)[team]
    columns: dict[str, Any] = {"match": match}
    if history.ids is not None:
        columns["id"] = pl.Series(history.ids, dtype=pl.String).gather(match)
    if history.time is not None:
        columns["time"] = time_column(history).gather(match)
    columns["team"] = team - history.match_start[match]
    columns["player"] = pl.Series(history.players, dtype=pl.String).gather(history.player)
    columns["place"] = history.place[team]
    if history.score is not None:
        columns["score"] = pl.Series(history.score[team]).fill_nan(None)
    if history.weight is not None:
        columns["weight"] = history.weight
    if history.importance is not None:
        columns["importance"] = history.importance[match]
    if history.home is not None:
        columns["home"] = history.home[match] == columns["team"]
    return pl.DataFrame(columns)


def time_column(history: History) -> pl.Series:
    """Give the times of the matches as Polars has them; those with an offset as text."""
    import polars as pl

    series = pl.Series(history.time)
    if history.time_kind == "number":
        return series
    zone = history.time_zone
    if zone is None or zone[0] not in "+-":
        moments = series.cast(pl.Datetime("us", zone))
        return moments.cast(pl.Date) if history.time_kind == "date" else moments
    # Polars has no zones that are offsets: text keeps them.
    local = series.cast(pl.Datetime("us")).dt.offset_by(f"{'-' * (zone[0] == '-')}{zone[1:3]}h{zone[4:]}m")
    return local.dt.strftime(f"%Y-%m-%dT%H:%M:%S%.6f{zone}")


def write(history: History, path: str | os.PathLike[str], layout: Shape | None = None) -> None:
    """Write a history to a file as its ending says, in a layout that `History.read` recognises.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> history = History.from_matches([{"teams": [["ann", "bob"], ["cat"]], "scores": [3, 1], "time": "2026-01-31"}])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "games.csv")
    ...     write(history, path)
    ...     print(path.read_text(), History.read(path) == history)
    date,team1,score1,team2,score2
    2026-01-31,ann;bob,3,cat,1
     True
    """
    ending = file_extension(path, ENDINGS)
    if ending == ".jsonl":
        with replace_file(path) as place:
            place.write_text(_lines(history), encoding="utf-8")
        return
    frame = layout_frame(history, layout)
    with replace_file(path) as place:
        if ending == ".parquet":
            frame.write_parquet(place)
        else:
            frame.write_csv(place, separator="\t" if ending == ".tsv" else ",")


def text(history: History, layout: Shape | None = None) -> str:
    """The history as CSV.

    >>> print(text(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}])))
    player1,rank1,player2,rank2
    ann,1,bob,1
    <BLANKLINE>
    """
    return layout_frame(history, layout).write_csv()


def layout_frame(history: History, layout: Shape | None) -> pl.DataFrame:
    """A frame with a row per match, or with one per player: as was asked for, or else as is easier to read."""
    if layout not in (None, "wide", "long"):
        message = f"layout must be 'wide' (a row per match) or 'long' (a row per player), not {layout!r}"
        raise Error(message, field="layout", value=layout)
    if layout is None:
        many = len(history) and int(np.diff(history.match_start).max()) > SIDES
        layout = "long" if many or _refused(history) else "wide"
    return to_wide(history) if layout == "wide" else to_frame(history)


def _refused(history: History) -> str:
    """Why a history cannot have a row per match."""
    alone = _alone(history)
    if history.weight is not None:
        return "players have weights"
    if history.score is not None and not _follows(history.score, history):
        return "places do not follow from the scores"
    if history.home is not None and not alone:
        return "there is a home team of several players"
    if history.home is not None and ((np.diff(history.match_start) != 2).any() or (history.home > 0).any()):
        return "the home team is not the first of two"
    if not alone and any(BETWEEN in name for name in history.players):
        return f"a name holds {BETWEEN!r}"
    return ""


def _follows(score: Floats, history: History) -> bool:
    """Whether every match has scores, and its places are those of them."""
    return not np.isnan(score).any() and bool((places(history.match_start, -score) == history.place).all())


def _alone(history: History) -> bool:
    """Whether every team is a single player."""
    return history.entries == history.teams


def to_wide(history: History) -> pl.DataFrame:
    """A frame with a row per match, and for each team a column of its players and one of its score or rank.

    >>> to_wide(History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1], "home": 0}])).columns
    ['home_team', 'home_score', 'away_team', 'away_score', 'neutral']
    """
    import polars as pl

    if why := _refused(history):
        message = f"a row per match cannot hold this history: {why}; write it with "
        raise Error(message, Option("layout", "long"), field="layout", value="wide")
    columns: dict[str, Any] = {}
    if history.ids is not None:
        columns["id"] = pl.Series(history.ids, dtype=pl.String)
    if history.time is not None:
        columns["date" if history.time_kind == "date" else "time"] = time_column(history)
    for number in range(int(np.diff(history.match_start).max()) if len(history) else 2):
        columns |= _side(history, number)
    if history.home is not None:
        columns |= {} if history.score is not None else {"winner": _winner(history)}
        columns["neutral"] = history.home < 0
    if history.importance is not None:
        columns["importance"] = history.importance
    return pl.DataFrame(columns)


def _side(history: History, number: int) -> dict[str, pl.Series]:
    """The columns of one team of every match; null where a match has fewer."""
    import polars as pl

    present = np.diff(history.match_start) > number
    team = pl.Series(np.where(present, history.match_start[:-1] + number, -1)).replace(-1, None)
    head, result = f"{'player' if _alone(history) else 'team'}{number + 1}", f"{{}}{number + 1}"
    if history.home is not None:
        head, result = (f"{('home', 'away')[number]}_team", f"{('home', 'away')[number]}_{{}}")
    columns = {head: _rosters(history).gather(team)}
    if history.score is not None:
        whole = bool(((history.score == np.floor(history.score)) & (np.abs(history.score) < EXACT)).all())
        scores = pl.Series(history.score, dtype=pl.Float64).fill_nan(None)
        columns[result.format("score")] = (scores.cast(pl.Int64) if whole else scores).gather(team)
    elif history.home is None:
        columns[result.format("rank")] = pl.Series(history.place).gather(team)
    return columns


def _rosters(history: History) -> pl.Series:
    """The players of every team, in one cell."""
    import polars as pl

    names = pl.Series("name", history.players, dtype=pl.String).gather(history.player)
    if _alone(history):
        return names
    entries = pl.DataFrame({"team": owners(history.team_start), "name": names})
    return entries.group_by("team", maintain_order=True).agg(pl.col("name").str.join(BETWEEN))["name"]


def _winner(history: History) -> pl.Series:
    """Who won of two teams, in words."""
    import polars as pl

    place = pl.Series(history.place[::2].astype(np.int64) - history.place[1::2])
    return place.sign().replace_strict({-1: "home", 0: "draw", 1: "away"}, return_dtype=pl.String)


def _lines(history: History) -> str:
    """A match a line, as `from_matches` takes it."""
    return "".join(json.dumps(match, ensure_ascii=False, default=_moment) + "\n" for match in history)


def _moment(time: date) -> str:
    return time.isoformat()
