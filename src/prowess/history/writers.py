"""Write histories to frames and files, in layouts that the readers recognise.

A table is written in chunks of matches: a first pass determines the columns that the table needs, and a second pass
writes the rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..atomic_files import file_extension, replace_file
from ..errors import Error, Option
from ..frames import csv_cells
from .context.headers import Headers, choose_headers, context_cells, context_traits, join_traits
from .history import History
from .ragged import Floats, owners, places

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".tsv", ".parquet", ".jsonl")
BETWEEN = ";"  # separates the names of a roster
STATUS = ("status", "match_status", "game_status", "state")  # headers of a column that says which matches were played
EXACT = 2**53  # up to here a float represents every whole number
SIDES = 8  # with more teams in a match, the default layout is long
ROW_GROUP = 1 << 14  # rows of a Parquet file that are in memory at once

Shape = Literal["wide", "long"]


@dataclass(frozen=True)
class Contents:
    """A summary of the matches of a table, which determines the columns that the table needs.

    >>> duel = History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> trio = History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]], "scores": [1, 2, 3]}])
    >>> contents = Contents.of(duel) | Contents.of(trio)
    >>> contents.most_teams, contents.scores, contents.missing_scores
    (3, True, True)
    """

    most_teams: int
    ids: bool
    rosters: bool  # whether a team has several players
    scores: bool
    missing_scores: bool
    fractional_scores: bool
    other_places: bool  # whether places do not follow from the scores
    weights: bool
    importance: bool
    home: bool
    home_later: bool  # whether a home team is not the first team of its match
    other_than_pairs: bool
    separators: bool  # whether a name contains the separator of rosters
    player_context: bool  # whether players have context of their own
    ends_scoreless: bool  # whether the scores of the last match are 0

    @classmethod
    def of(cls, history: History) -> Contents:
        """Return the contents of a history."""
        score, teams = history.score, np.diff(history.match_start)
        missing = len(history) > 0 if score is None else bool(np.isnan(score).any())
        return cls(
            most_teams=int(teams.max(initial=0)),
            ids=history.ids is not None,
            rosters=history.entries != history.teams,
            scores=score is not None,
            missing_scores=missing,
            fractional_scores=score is not None and not _is_whole(score),
            other_places=score is not None and not missing and not _follows(score, history),
            weights=history.weight is not None,
            importance=history.importance is not None,
            home=history.home is not None,
            home_later=history.home is not None and bool((history.home > 0).any()),
            other_than_pairs=bool((teams != 2).any()),
            separators=any(BETWEEN in name for name in history.players),
            player_context=bool(history.entry_context),
            ends_scoreless=score is not None and len(history) > 0 and not score[history.match_start[-2] :].any(),
        )

    def __or__(self, other: Contents) -> Contents:
        """Combine the contents of two tables."""
        return Contents(*map(max, astuple(self), astuple(other)))

    @property
    def not_wide(self) -> str:
        """The reason why a table cannot have a row per match; empty if it can."""
        if self.weights:
            return "players have weights"
        if self.scores and (self.missing_scores or self.other_places):
            return "places do not follow from the scores"
        if self.home and self.rosters:
            return "a home team has several players"
        if self.home and (self.other_than_pairs or self.home_later):
            return "the home team is not always the first of two teams"
        if self.rosters and self.player_context:
            return "the players of a team have context of their own"
        return f"a name contains {BETWEEN!r}" if self.rosters and self.separators else ""

    def layout(self, layout: Shape | None) -> Shape:
        """Return `layout`, or the most readable layout for None; raise `Error` if `layout` cannot hold the matches."""
        if layout not in (None, "wide", "long"):
            message = f"layout must be 'wide' (a row per match) or 'long' (a row per player), not {layout!r}"
            raise Error(message, field="layout", value=layout)
        if layout == "wide" and self.not_wide:
            message = f"this history cannot be written with a row per match, because {self.not_wide}; use "
            raise Error(message, Option("layout", "long"), field="layout", value="wide")
        return layout or ("long" if self.most_teams > SIDES or self.not_wide else "wide")

    def fill(self, history: History) -> History:
        """Return a chunk of the matches with all columns of the table; missing columns get neutral values."""
        matches, absent = len(history), dict[str, Any]()
        if self.scores and history.score is None:
            absent["score"] = np.full(history.teams, np.nan)
        if self.weights and history.weight is None:
            absent["weight"] = np.ones(history.entries)
        if self.importance and history.importance is None:
            absent["importance"] = np.ones(matches)
        if self.home and history.home is None:
            absent["home"] = np.full(matches, -1, np.int16)
        if self.ids and history.ids is None:
            absent["ids"] = ("",) * matches
        return replace(history, **absent) if absent else history


def _is_whole(score: Floats) -> bool:
    return bool(((score == np.floor(score)) & (np.abs(score) < EXACT)).all())


def _follows(score: Floats, history: History) -> bool:
    return bool((places(history.match_start, -score) == history.place).all())


def to_frame(history: History) -> pl.DataFrame:
    """Return a frame with a row per entry."""
    [frame] = _frames(lambda: [history], "long")
    return frame


def _long_frame(history: History, first: int) -> pl.DataFrame:
    import polars as pl

    team = owners(history.team_start)
    match = owners(history.match_start)[team]
    columns: dict[str, Any] = {"match": match + np.int32(first)}
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
    import polars as pl

    series = pl.Series(history.time)
    if history.time_kind == "number":
        return series
    zone = history.time_zone
    if zone is None or zone[0] not in "+-":
        moments = series.cast(pl.Datetime("us", zone))
        return moments.cast(pl.Date) if history.time_kind == "date" else moments
    # Polars does not support offsets as zones, so the times become text.
    local = series.cast(pl.Datetime("us")).dt.offset_by(f"{'-' * (zone[0] == '-')}{zone[1:3]}h{zone[4:]}m")
    return local.dt.strftime(f"%Y-%m-%dT%H:%M:%S%.6f{zone}")


def write(
    history: History, path: str | os.PathLike[str], layout: Shape | None = None, *, raw_names: bool = False
) -> None:
    """Write a history to a file in the format of its extension, in a layout that `History.read` recognises.

    >>> from tempfile import TemporaryDirectory
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
        if ending == ".jsonl":
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(map(json_line, history))
        else:
            write_table(lambda: [history], temporary, ending, layout, raw_names=raw_names)


def json_line(match: Mapping[str, Any]) -> str:
    """Return a match, in the form that `from_matches` accepts, as a line of JSON.

    >>> json_line({"teams": [["ann"], ["bob"]], "ranks": [1, 2]})
    '{"teams": [["ann"], ["bob"]], "ranks": [1, 2]}\\n'
    """
    return json.dumps(match, ensure_ascii=False, default=lambda time: time.isoformat()) + "\n"


def write_table(
    chunks: Callable[[], Iterable[History]],
    path: Path,
    ending: str,
    layout: Shape | None = None,
    *,
    raw_names: bool = False,
) -> None:
    """Write the matches of all chunks as CSV, TSV or Parquet.

    `chunks` is called twice; it must yield at least one chunk, and the same chunks each time. Only one chunk is in
    memory at a time. In text files, names that a spreadsheet would run as formulas are escaped, unless `raw_names` is
    true.
    """
    table = _frames(chunks, layout)
    if ending == ".parquet":
        _write_parquet(table, path)
        return
    separator = "\t" if ending == ".tsv" else ","
    with path.open("wb") as file:
        for number, frame in enumerate(table):
            csv_cells(frame, raw_names).write_csv(file, separator=separator, include_header=number == 0)


def _write_parquet(table: Iterator[pl.DataFrame], path: Path) -> None:
    import polars as pl
    from polars.io.plugins import register_io_source

    first = next(table)
    source = register_io_source(lambda *_: chain([first], table), schema=first.schema)
    try:
        source.sink_parquet(path, row_group_size=ROW_GROUP, maintain_order=True)
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error)) from error


def _frames(chunks: Callable[[], Iterable[History]], layout: Shape | None) -> Iterator[pl.DataFrame]:
    summaries = ((Contents.of(chunk), context_traits(chunk)) for chunk in chunks())
    contents, context = reduce(lambda one, other: (one[0] | other[0], join_traits(one[1], other[1])), summaries)
    wide = contents.layout(layout) == "wide"
    sides, matches = (contents.most_teams or 2) if wide else 0, 0
    headers: Headers = {}
    for chunk in chunks():
        history = contents.fill(chunk)
        frame = _wide_frame(history, contents) if wide else _long_frame(history, matches)
        if context:
            headers = headers or choose_headers(context, frame.columns, sides, history.time is not None)
            frame = frame.with_columns(context_cells(history, context, headers, sides))
        yield frame
        matches += len(history)


def text(history: History, layout: Shape | None = None) -> str:
    """Return the history as CSV.

    >>> print(text(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}])))
    player1,rank1,player2,rank2
    ann,1,bob,1
    <BLANKLINE>
    """
    [frame] = _frames(lambda: [history], layout)
    return csv_cells(frame).write_csv()


def to_wide(history: History) -> pl.DataFrame:
    """Return a frame with a row per match; each team has a column for its players and one for its score or rank.

    >>> to_wide(History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1], "home": 0}])).columns
    ['home_team', 'home_score', 'away_team', 'away_score', 'neutral']
    """
    [frame] = _frames(lambda: [history], "wide")
    return frame


def _wide_frame(history: History, contents: Contents) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, Any] = {}
    if history.ids is not None:
        columns["id"] = pl.Series(history.ids, dtype=pl.String)
    if history.time is not None:
        columns["date" if history.time_kind == "date" else "time"] = _time_column(history)
    for number in range(contents.most_teams or 2):
        columns |= _side(history, number, contents)
    if history.home is not None:
        if history.score is None:
            place = pl.Series(history.place[::2].astype(np.int64) - history.place[1::2])
            winners = {-1: "home", 0: "draw", 1: "away"}
            columns["winner"] = place.sign().replace_strict(winners, return_dtype=pl.String)
        columns["neutral"] = history.home < 0
    if contents.ends_scoreless:  # otherwise the reader would ask whether scores of 0-0 are results or matches to come
        columns[next((name for name in STATUS if name not in history.context), STATUS[0])] = ["played"] * len(history)
    if history.importance is not None:
        columns["importance"] = history.importance
    return pl.DataFrame(columns)


def _side(history: History, number: int, contents: Contents) -> dict[str, pl.Series]:
    import polars as pl

    # A match with fewer teams has null.
    present = np.diff(history.match_start) > number
    team = pl.Series(np.where(present, history.match_start[:-1] + number, -1)).replace(-1, None)
    head, result = f"{'team' if contents.rosters else 'player'}{number + 1}", f"{{}}{number + 1}"
    if history.home is not None:
        side = ("home", "away")[number]
        head, result = f"{side}_team", f"{side}_{{}}"
    names = pl.Series(history.players, dtype=pl.String).gather(history.player)
    columns = {head: (_rosters(history, names) if contents.rosters else names).gather(team)}
    if history.score is not None:
        scores = pl.Series(history.score, dtype=pl.Float64).fill_nan(None)
        columns[result.format("score")] = (scores if contents.fractional_scores else scores.cast(pl.Int64)).gather(team)
    elif history.home is None:
        columns[result.format("rank")] = pl.Series(history.place).gather(team)
    return columns


def _rosters(history: History, names: pl.Series) -> pl.Series:
    import polars as pl

    entries = pl.DataFrame({"team": owners(history.team_start), "name": names})
    return entries.group_by("team", maintain_order=True).agg(pl.col("name").str.join(BETWEEN))["name"]
