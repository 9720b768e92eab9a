"""Writing histories to frames and files, in layouts that reading recognises."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..atomic_files import file_extension, replace_file
from ..errors import Error, Option
from .history import History
from .ragged import Floats, owners, places

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".tsv", ".parquet", ".jsonl")
BETWEEN = ";"  # separates the names of a roster
EXACT = 2**53  # up to here a float represents every whole number
SIDES = 8  # with more teams in a match, the default layout is long

Shape = Literal["wide", "long"]


def to_frame(history: History) -> pl.DataFrame:
    """Return a frame with a row per entry."""
    import polars as pl

    team = owners(history.team_start)
    match = owners(history.match_start)[team]
    columns: dict[str, Any] = {"match": match}
    if history.ids is not None:
        columns["id"] = pl.Series(history.ids, dtype=pl.String).gather(match)
    if history.time is not None:
        columns["time"] = _time_column(history).gather(match)
    columns["team"] = team - history.match_start[match]
    columns["player"] = pl.Series(history.players, dtype=pl.String).gather(history.player)
    columns["place"] = history.place[team]
    if history.score is not None:
        columns["score"] = pl.Series(history.score[team]).fill_nan(None)
    columns["weight"] = history.weight
    columns["importance"] = None if history.importance is None else history.importance[match]
    columns["home"] = None if history.home is None else history.home[match] == columns["team"]
    return pl.DataFrame({name: column for name, column in columns.items() if column is not None})


def _time_column(history: History) -> pl.Series:
    """Return the match times as Polars times; times with a UTC offset become text."""
    import polars as pl

    series = pl.Series(history.time)
    if history.time_kind == "number":
        return series
    zone = history.time_zone
    if zone is None or zone[0] not in "+-":
        moments = series.cast(pl.Datetime("us", zone))
        return moments.cast(pl.Date) if history.time_kind == "date" else moments
    # Polars does not support offsets as zones, but text keeps them.
    local = series.cast(pl.Datetime("us")).dt.offset_by(f"{'-' * (zone[0] == '-')}{zone[1:3]}h{zone[4:]}m")
    return local.dt.strftime(f"%Y-%m-%dT%H:%M:%S%.6f{zone}")


def write(history: History, path: str | os.PathLike[str], layout: Shape | None = None) -> None:
    """Write a history to a file in the format of its extension, in a layout that `History.read` recognises.

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
    with replace_file(path) as temporary:
        if ending == ".jsonl":  # one match per line, in the form that `from_matches` accepts
            lines = (json.dumps(match, ensure_ascii=False, default=lambda time: time.isoformat()) for match in history)
            temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        elif ending == ".parquet":
            _layout_frame(history, layout).write_parquet(temporary)
        else:
            _layout_frame(history, layout).write_csv(temporary, separator="\t" if ending == ".tsv" else ",")


def text(history: History, layout: Shape | None = None) -> str:
    """Return the history as CSV.

    >>> print(text(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}])))
    player1,rank1,player2,rank2
    ann,1,bob,1
    <BLANKLINE>
    """
    return _layout_frame(history, layout).write_csv()


def _layout_frame(history: History, layout: Shape | None) -> pl.DataFrame:
    if layout not in (None, "wide", "long"):
        message = f"layout must be 'wide' (a row per match) or 'long' (a row per player), not {layout!r}"
        raise Error(message, field="layout", value=layout)
    if layout is None:
        many = len(history) and int(np.diff(history.match_start).max()) > SIDES
        layout = "long" if many or _not_wide(history) else "wide"
    return to_wide(history) if layout == "wide" else to_frame(history)


def _not_wide(history: History) -> str:
    """Return why a history cannot have a row per match; empty if it can."""
    alone, score, home = _is_alone(history), history.score, history.home
    if history.weight is not None:
        return "players have weights"
    if score is not None and not _follows(score, history):
        return "places do not follow from the scores"
    if home is not None and not alone:
        return "a home team has several players"
    if home is not None and ((np.diff(history.match_start) != 2).any() or (home > 0).any()):
        return "the home team is not the first of two"
    return f"a name contains {BETWEEN!r}" if not alone and any(BETWEEN in name for name in history.players) else ""


def _follows(score: Floats, history: History) -> bool:
    """Return whether every match has scores from which its places follow."""
    return not np.isnan(score).any() and bool((places(history.match_start, -score) == history.place).all())


def _is_alone(history: History) -> bool:
    """Return whether every team is a single player."""
    return history.entries == history.teams


def to_wide(history: History) -> pl.DataFrame:
    """Return a frame with a row per match; each team has a column for its players and one for its score or rank.

    >>> to_wide(History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1], "home": 0}])).columns
    ['home_team', 'home_score', 'away_team', 'away_score', 'neutral']
    """
    import polars as pl

    if reason := _not_wide(history):
        message = f"a row per match cannot hold this history, because {reason}; write it with "
        raise Error(message, Option("layout", "long"), field="layout", value="wide")
    columns: dict[str, Any] = {}
    if history.ids is not None:
        columns["id"] = pl.Series(history.ids, dtype=pl.String)
    if history.time is not None:
        columns["date" if history.time_kind == "date" else "time"] = _time_column(history)
    for number in range(int(np.diff(history.match_start).max()) if len(history) else 2):
        columns |= _side(history, number)
    if history.home is not None:
        if history.score is None:
            place = pl.Series(history.place[::2].astype(np.int64) - history.place[1::2])
            winners = {-1: "home", 0: "draw", 1: "away"}
            columns["winner"] = place.sign().replace_strict(winners, return_dtype=pl.String)
        columns["neutral"] = history.home < 0
    if history.importance is not None:
        columns["importance"] = history.importance
    return pl.DataFrame(columns)


def _side(history: History, number: int) -> dict[str, pl.Series]:
    """Return the columns for one team of every match; null if a match has fewer teams."""
    import polars as pl

    present = np.diff(history.match_start) > number
    team = pl.Series(np.where(present, history.match_start[:-1] + number, -1)).replace(-1, None)
    head, result = f"{'player' if _is_alone(history) else 'team'}{number + 1}", f"{{}}{number + 1}"
    if history.home is not None:
        side = ("home", "away")[number]
        head, result = f"{side}_team", f"{side}_{{}}"
    columns = {head: _rosters(history).gather(team)}
    if history.score is not None:
        whole = bool(((history.score == np.floor(history.score)) & (np.abs(history.score) < EXACT)).all())
        scores = pl.Series(history.score, dtype=pl.Float64).fill_nan(None)
        columns[result.format("score")] = (scores.cast(pl.Int64) if whole else scores).gather(team)
    elif history.home is None:
        columns[result.format("rank")] = pl.Series(history.place).gather(team)
    return columns


def _rosters(history: History) -> pl.Series:
    """Return the players of every team, joined in one cell."""
    import polars as pl

    names = pl.Series("name", history.players, dtype=pl.String).gather(history.player)
    if _is_alone(history):
        return names
    entries = pl.DataFrame({"team": owners(history.team_start), "name": names})
    return entries.group_by("team", maintain_order=True).agg(pl.col("name").str.join(BETWEEN))["name"]
