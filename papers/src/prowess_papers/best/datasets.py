"""Reads the files of the data sets: forms the teams, sets the home team, and notes what was left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from prowess.errors import Error
from prowess.history import History

if TYPE_CHECKING:
    import polars as pl

ABSENT = ("DNQ", "DNPQ", "DNS", "DNP", "EX")  # results of drivers who did not start the race
LAST = 1000  # the rank of drivers who started but were not placed


@dataclass(frozen=True, eq=False)
class Reading:
    """A history, with notes for the report: how the file was read, and what was left out.

    >>> Reading(History.from_matches([{"teams": [["ann"], ["bob"]]}]), "Nothing was left out.").history
    History(1 match, 2 players, places)
    """

    history: History
    notes: str


def premier_league(path: Path) -> Reading:
    """Read the 14 seasons of Guo et al. (2012), with clubs identified by name.

    >>> premier_league(Path("no such file.csv"))
    Traceback (most recent call last):
    ...
    prowess.Error: no such file.csv: file not found
    """
    return Reading(
        History.read(path), "Clubs are identified by name, as Middlesbrough has two ids. Nothing was left out."
    )


def international_football(path: Path) -> Reading:
    """Read all matches between nations. On neutral ground no team is at home.

    >>> international_football(Path("no such file.csv"))
    Traceback (most recent call last):
    ...
    prowess.Error: no such file.csv: file not found
    """
    history = History.read(path)
    neutral = 0 if history.home is None else int(np.count_nonzero(history.home < 0))
    return Reading(history, f"{neutral:,} matches were on neutral ground, without a home team. Nothing was left out.")


def australian_football(path: Path) -> Reading:
    """Read eleven AFL seasons. The first club of a match is at home, unless the second club shares the ground.

    A club shares a ground if it was listed first there in an earlier match. In that case, the first club has no
    advantage: −1 ± 2.5 points in the seasons used for tuning, instead of 14 ± 2. Only earlier matches count, so that no
    forecast knows the future.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "afl.csv")
    ...     _ = path.write_text("date,home,away,home_points,away_points,venue\\n"
    ...         "1999-03-25,Carlton,Essendon,71,110,M.C.G.\\n1999-04-01,Essendon,Carlton,90,80,M.C.G.\\n")
    ...     australian_football(path).history.home
    array([ 0, -1], dtype=int16)
    """
    import polars as pl

    history = History.read(path)
    rows = _rows(path, ("date", "home", "away", "venue")).sort("date", maintain_order=True).with_row_index()
    # Find the first match in which each club was listed first on each ground.
    first = rows.group_by("venue", away="home").agg(first=pl.col("index").min())
    known = rows.join(first, on=["venue", "away"], how="left", maintain_order="left")
    stranger = known.select((pl.col("first") >= pl.col("index")).fill_null(True))["first"].to_numpy()
    home = np.where(stranger, 0, -1).astype(np.int16)
    notes = (
        f"The club listed first is at home in {np.count_nonzero(stranger):,} matches: those in which the other club "
        "had never been listed first on the same ground. Nothing was left out."
    )
    return Reading(replace(history, home=home), notes)


def formula_one(path: Path) -> Reading:
    """Read every race as a free-for-all of teams of two: a driver and a car.

    A constructor enters several cars in a race, but a player cannot be in two teams of a match. So each car is a
    separate player, numbered by how long its driver has been with the constructor. Drivers who started but were not
    placed share the last place.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "races.csv")
    ...     _ = path.write_text("race_id,date,position,driverId,constructorId\\n1,1950-05-13,1,nino,alfa\\n"
    ...         "1,1950-05-13,DNF,luigi,alfa\\n1,1950-05-13,DNS,reg,alfa\\n")
    ...     formula_one(path).history[0]["teams"]
    [['nino', 'alfa 2'], ['luigi', 'alfa 1']]
    """
    import polars as pl

    rows = _rows(path, ("race_id", "date", "position", "driverId", "constructorId"))
    absent = rows["position"].is_in(ABSENT)
    place = pl.col("position").cast(pl.Int32, strict=False).fill_null(LAST)
    started = rows.filter(~absent).with_columns(pl.col("race_id").cast(pl.Int64), place=place)
    started = started.sort("race_id", "place", maintain_order=True)
    # Some early drivers drove two cars in a race; only their best result counts.
    once = started.unique(["race_id", "driverId"], keep="first", maintain_order=True)
    joined = pl.col("race_id").min().over("driverId", "constructorId")
    once = once.with_columns(since=joined).with_columns(
        number=pl.struct("since", "driverId").rank("ordinal").over("race_id", "constructorId")
    )
    car = pl.concat_str("constructorId", "number", separator=" ")
    roles = [once.select("race_id", "date", "place", "driverId", player=role) for role in ("driverId", car)]
    frame = pl.concat(roles).sort("race_id", "place", maintain_order=True)
    columns = {"match": "race_id", "team": "driverId", "player": "player", "rank": "place", "time": "date"}
    notes = (
        f"Left out: {int(absent.sum()):,} entries who did not start ({', '.join(ABSENT)}), and "
        f"{len(started) - len(once)} rows of drivers with a better row in the same race (shared cars). "
        f"{int((once['place'] == LAST).sum()):,} drivers who started but were not placed (DNF, NC, DSQ) share the last "
        "place of their race."
    )
    return Reading(History.from_frame(frame, columns=columns), notes)


def votes(path: Path) -> Reading:
    """Read votes between language models as scores: 1 to 0 for the preferred model, 0 to 0 for a tie.

    Each side is a team of three players: the model, its answer to the prompt, and the side (left or right) for this
    prompt. The left side is the home team. The file has no times and is sorted by prompt, so later votes are about
    other prompts.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text("prompt,winner,left,right\\n8,right,Claude v1,Alpaca\\n")
    ...     votes(path).history[0]["teams"], votes(path).history[0]["scores"]
    ([['Claude v1', 'Claude v1, prompt 8', 'left, prompt 8'], ['Alpaca', 'Alpaca, prompt 8', 'right, prompt 8']], \
[0.0, 1.0])
    """
    import polars as pl

    rows = _rows(path, ("prompt", "winner", "left", "right")).with_row_index("vote")
    parts = []
    for side in ("left", "right"):
        answer = pl.concat_str(side, pl.lit(", prompt "), "prompt")
        place = pl.concat_str(pl.lit(f"{side}, prompt "), "prompt")
        score = (pl.col("winner") == side).cast(pl.Int32)
        parts += [
            rows.select("vote", pl.lit(side).alias("side"), score.alias("score"), player=role)
            for role in (side, answer, place)
        ]
    frame = pl.concat(parts).sort("vote", "side", maintain_order=True)
    columns = {"match": "vote", "team": "side", "player": "player", "score": "score"}
    history = History.from_frame(frame, columns=columns)
    notes = "A vote is a score of 1 to 0, a tie is 0 to 0. Voters are not distinguished. Nothing was left out."
    return Reading(replace(history, home=np.zeros(len(history), np.int16)), notes)


def tournaments(path: Path) -> Reading:
    """Read the tournaments of "What? Where? When?". Every team counts as one player.

    >>> tournaments(Path("no such folder") / "chgk_team_results.csv.gz")
    Traceback (most recent call last):
    ...
    prowess.Error: no such folder: chgk_team_results.csv.gz not found
    """
    from ..tournaments.data import read

    return Reading(read(path.parent), "Four tournaments with only one team were left out.")


def _rows(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    import polars as pl

    if not path.is_file():
        raise Error(f"{path}: file not found")
    try:
        return pl.read_csv(path, columns=list(columns), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise Error(f"{path}: the file must have the columns {', '.join(columns)}: {error}") from error
