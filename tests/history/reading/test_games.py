"""Exports of sites for chess and football, and tournament reports, are read with their options and problems."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from prowess import Error
from prowess.history import History
from tests.history.strangers.case import CASES, case

FOLDERS = ("lichess", "chess_com", "football_json", "football_data_org", "openligadb", "trf16")
EXPORTS = [path for path in CASES if path.parent.name in FOLDERS]


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_streamed_export_gives_the_same_matches_as_the_whole_file(path: Path, tmp_path: Path) -> None:
    stranger = case(path)
    if stranger.matches is None:
        return
    file = stranger.write(tmp_path)
    assert [match for part in History.stream(file) for match in part] == list(History.read(file))
    assert "a file from" in History.read(file).recognised or path.parent.name == "trf16"


def game(number: int, **values: Any) -> dict[str, Any]:
    players = {"white": {"user": {"name": "Ann"}, "rating": 1500}, "black": {"user": {"name": "Bob"}}}
    common = {"id": str(number), "variant": "standard", "speed": "blitz", "createdAt": 1_700_000_000_000 + number}
    return common | {"players": players, "status": "mate", "winner": "white"} | values


def write(folder: Path, *games: object) -> Path:
    path = folder / "games.ndjson"
    path.write_text("\n".join(map(json.dumps, games)))
    return path


def test_damaged_games_are_problems_on_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path, game(1), game(2, players=None), {"other": 1}, game(4, createdAt="today"), game(5))
    with pytest.raises(Error, match=r"line 2: this is not a game as Lichess writes it.*2 more problems"):
        History.read(path)
    assert len(History.read(path, skip_problems=True)) == 2
    path.write_text(json.dumps(game(1)) + "\n{broken\n")
    with pytest.raises(Error, match="line 2: invalid JSON"):
        History.read(path)


def test_games_against_computers_and_anonymous_players_are_left_out(tmp_path: Path) -> None:
    computer = {"white": {"aiLevel": 3}, "black": {"user": {"name": "Bob"}}}
    history = History.read(write(tmp_path, game(1), game(2, players=computer), game(3, status="aborted", winner=None)))
    assert len(history) == 1
    assert "1 game with a computer or an unknown name left out (line 2)" in history.recognised
    assert "1 unplayed match left out (line 3)" in history.recognised


def test_first_team_of_football_json_is_at_home_on_request(tmp_path: Path) -> None:
    path = tmp_path / "league.json"
    matches = [
        {"date": "2024-08-10", "team1": "Ayr", "team2": "Bo/ness & Co", "score": [2, 1]},
        {"date": "2024-08-17", "team1": "Bo/ness & Co", "team2": "Ayr"},
    ]
    path.write_text(json.dumps({"name": "League", "matches": matches}))
    history = History.read(path)
    assert history.home is None
    assert history.players == ("Ayr", "Bo/ness & Co")
    assert "`columns={'home': 'team1', 'away': 'team2'}`" in history.recognised
    assert History.read(path, columns={"home": "team1", "away": "team2"})[0]["home"] == 0


def test_rows_of_a_table_in_json_are_read_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"team1": "Ann", "team2": "Bob", "score1": 1, "score2": 0}]))
    history = History.read(path)
    assert "a file from" not in history.recognised
    assert len(history) == 1
    path.write_text(json.dumps({"a": {"createdAt": 1}, "b": [[[[[[[[[[[[[{}]]]]]]]]]]]]]}))
    with pytest.raises(Error):
        History.read(path)


def test_errors_about_objects_name_no_types_of_the_frame() -> None:
    frame = pl.DataFrame([{"winner": "Bob", "loser": "Ann", "date": {"day": 1}}])
    with pytest.raises(Error, match="column 'date' holds objects: times must be"):
        History.from_frame(frame)


def test_football_results_of_one_goal_are_scores(tmp_path: Path) -> None:
    path = tmp_path / "league.json"
    path.write_text(json.dumps([{"date": "2024-08-10", "team1": "Ayr", "team2": "Bo", "score": {"ft": [1, 0]}}]))
    assert History.read(path)[0]["scores"] == [1, 0]


REPORT = """012 Club Open
042 2024/02/03
052 2024/02/10
001    1 m    Lee, Ann                          1811 POL     1199501 1987/02/10  2.0    1     2 w 1     3 b +
001    2 w    Ray, Bob                          1790 POL     1199502 1994/05/06  1.0    2     1 b 0  0000 - F
001    3 m    Fox, Cat                             0 POL     1199503 2002/09/01  0.0    3  0000 - Z     1 w -
"""


def test_tournament_report_leaves_out_byes_and_walkovers(tmp_path: Path) -> None:
    path = tmp_path / "open.trf"
    path.write_text(REPORT)
    history = History.read(path)
    assert [match["teams"] for match in history] == [[["Lee, Ann"], ["Ray, Bob"]]]
    for remark in ("2 byes left out (first: line 5)", "1 walkover left out", "every game has the first day"):
        assert remark in history.recognised, remark
    assert len(History.read(path, walkovers="count")) == 2
    path.write_text(REPORT.replace("1 b 0", "1 b 1"))
    with pytest.raises(Error, match="line 4: round 1: the line of Ray, Bob has another result for this game"):
        History.read(path)


def test_unknown_opponent_of_a_tournament_report_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "open.trf"
    path.write_text(REPORT.replace("3 b +", "7 b 1"))
    with pytest.raises(Error, match="line 4: round 2: player 7 has no line in this report"):
        History.read(path)


def test_game_that_both_players_lost_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "open.trf"
    path.write_text(REPORT.replace("3 b +", "3 b -"))
    history = History.read(path)
    assert len(history) == 1
    assert "1 unplayed match left out" in history.recognised
