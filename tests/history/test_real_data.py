"""Real files from the data folder are read correctly."""

from pathlib import Path

import polars as pl
import pytest

from prowess.history import History


def test_premier_league_file_is_read(data: Path) -> None:
    history = History.read(data / "premier_league_1995_2009.csv")
    assert repr(history) == "History(5,320 matches, 40 players, 1995-08-19 … 2009-05-24, scores)"
    assert history[0]["teams"] == [["Aston Villa"], ["Manchester United"]]
    assert (history[0]["scores"], history[0]["home"]) == ([3, 1], 0)
    assert "context: season (match); id (team)" in history.recognised


def test_australian_football_file_is_read(data: Path) -> None:
    history = History.read(data / "afl_1999_2009.csv")
    assert repr(history) == "History(2,035 matches, 16 players, 1999-03-25 … 2009-09-26, scores)"
    assert len(history.between("2000-01-01", "2001-01-01")) == 185


def test_matches_on_neutral_grounds_have_no_home_team(data: Path) -> None:
    history = History.read(data / "international_football.csv")
    rows = pl.read_csv(data / "international_football.csv", infer_schema=False)
    assert history.home is not None
    assert (history.home == -1).sum() == (rows["neutral"] == "TRUE").sum() > 0
    assert len(history) == len(rows)
    assert History.from_frame(history.to_frame()) == history


def test_votes_comparing_language_models_are_read(data: Path) -> None:
    history = History.read(data / "llm_comparisons.csv")
    winner = pl.read_csv(data / "llm_comparisons.csv", infer_schema=False)["winner"]
    place = history.place.reshape(-1, 2)
    assert ((place[:, 0] < place[:, 1]).sum(), (place[:, 0] > place[:, 1]).sum()) == (
        (winner == "left").sum(),
        (winner == "right").sum(),
    )
    assert (place[:, 0] == place[:, 1]).mean() == pytest.approx(0.39, abs=0.005)


def test_tournaments_of_hundreds_of_teams_are_read(data: Path) -> None:
    path = data / "chgk_team_results.csv.gz"
    history = History.read(path)
    assert "4 matches with a single team left out (first: " in history.recognised
    assert "line 42609" in history.recognised
    rows = pl.read_csv(path, infer_schema=False)
    assert (len(history), history.entries) == (1684, len(rows) - 4)
    first = history[0]
    assert (first["id"], first["teams"][:3], first["ranks"][:4]) == ("2", [["312"], ["510"], ["195"]], [1, 2, 3, 3])


def test_drivers_who_did_not_finish_share_the_last_place(data: Path) -> None:
    history = History.read(data / "f1_race_results.csv")
    rows = pl.read_csv(data / "f1_race_results.csv", infer_schema=False)
    place = pl.col("position").cast(pl.Int32, strict=False)
    absent = pl.col("position").is_in(["DNS", "DNQ", "DNPQ", "DNP"])
    rows, number = rows.filter(~absent), rows.filter(absent).height
    best = rows.select("race_id", "driverId", place=place).group_by("race_id", "driverId").agg(pl.col("place").min())
    placed = pl.col("place").rank("min").over("race_id")
    last = pl.col("place").count().over("race_id") + 1
    expected = best.with_columns(pl.coalesce(placed, last).cast(pl.Int32).alias("place")).sort("race_id", "driverId")
    found = history.to_frame().select("id", "player", "place").sort("id", "player")
    assert found.rows() == expected.rows()
    assert f"{number:,} absent entries (DNQ, …) left out" in history.recognised
    assert f"{len(rows) - len(expected)} repeated entries left out" in history.recognised
