"""The matches of Guo et al. (2012): two leagues with seasons, and head-to-head games of Halo 2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prowess.errors import Error
from prowess.history import History

LEAGUES = {"premier_league": "premier_league_1995_2009.csv", "afl": "afl_1999_2009.csv"}
HALO2 = "HeadToHead.csv"
FILES = (*LEAGUES.values(), HALO2)
TITLES = {"premier_league": "Premier League", "afl": "AFL", "halo2": "Halo 2"}


@dataclass(frozen=True, eq=False)
class League:
    """Matches of two teams in the order in which they were played, and the season of each match.

    >>> import numpy as np, prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 3)
    >>> League("friends", history, np.array([1, 1, 2])).seasons
    [1, 2]
    """

    name: str
    history: History
    season: NDArray[np.int64]

    @property
    def seasons(self) -> list[int]:
        """The seasons in ascending order."""
        return [int(season) for season in np.unique(self.season)]

    def matches(self, season: int) -> NDArray[np.intp]:
        """Return the indices of the matches of a season."""
        return np.flatnonzero(self.season == season)


@dataclass(frozen=True, eq=False)
class Games:
    """Matches between two players, without seasons. Scores are counts of at least 0.

    >>> import prowess as pw
    >>> Games("halo2", pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}])).name
    'halo2'
    """

    name: str
    history: History


def read_leagues(folder: Path) -> list[League]:
    """Read the leagues whose files are in a folder.

    >>> read_leagues(Path("no such folder"))
    []
    """
    return [_league(name, folder / file) for name, file in LEAGUES.items() if (folder / file).is_file()]


def _league(name: str, path: Path) -> League:
    import polars as pl

    history = History.read(path)
    try:
        rows = pl.read_csv(path, columns=["season", "date"], schema_overrides={"season": pl.Int64})
    except pl.exceptions.PolarsError as error:
        raise Error(f"{path}: every match needs a date and the year of its season: {error}") from error
    # A history is sorted by date, so the seasons must be sorted in the same way.
    season = rows.sort("date", maintain_order=True)["season"]
    if history.score is None or np.isnan(history.score).any() or not _head_to_head(history).all():
        raise Error(f"{path}: every match must have two teams, each with a single name and a score")
    if len(season) != len(history) or season.null_count() or not season.is_sorted():
        raise Error(f"{path}: every match must have a season, and each season must end before the next one begins")
    return League(name, history, season.to_numpy())


def read_games(folder: Path) -> Games | None:
    """Read the head-to-head games of Halo 2, if the file is in the folder.

    The lowest score is subtracted from all scores, as in section 5.1.

    >>> read_games(Path("no such folder")) is None
    True
    """
    path = folder / HALO2
    if not path.is_file():
        return None
    from ..halo2.reader import read

    history = read(path)
    history = history.take(_head_to_head(history))
    if not len(history) or history.score is None:
        raise Error(f"{path}: the file has no matches between two players with scores")
    # Poisson models need counts of at least 0, whatever the lowest score in the file is.
    return Games("halo2", replace(history, score=history.score - history.score.min()))


def _head_to_head(history: History) -> NDArray[np.bool_]:
    entries = np.diff(history.team_start[history.match_start])
    found: NDArray[np.bool_] = (np.diff(history.match_start) == 2) & (entries == 2)
    return found


def merge_players(games: Games) -> Games:
    """Merge players whose ids differ only in the last digit, which the authors' file lacks.

    Games between two players that are merged into one are left out.

    >>> import prowess as pw
    >>> matches = [{"teams": [["11"], ["12"]]}, {"teams": [["11"], ["21"]]}, {"teams": [["12"], ["22"]]}]
    >>> merge_players(Games("halo2", pw.History.from_matches(matches))).history
    History(2 matches, 2 players, places)
    """
    history = games.history
    names, at = np.unique([name[:-1] for name in history.players], return_inverse=True)
    player = at.astype(history.player.dtype)[history.player]
    pairs = player.reshape(-1, 2)
    whole = replace(history, players=tuple(map(str, names)), player=player)
    # Nobody can play against themselves, so games between merged players are left out.
    return Games(games.name, whole.take(pairs[:, 0] != pairs[:, 1]))
