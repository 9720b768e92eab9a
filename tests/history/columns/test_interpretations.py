"""Interpretations that are not obvious are reported, and an option changes each of them."""

from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from prowess import Error
from prowess.errors import Option
from prowess.history import History


def read(text: str, **options: Any) -> History:
    return History.from_frame(pl.read_csv(StringIO(text), infer_schema=False), **options)


def places(history: History) -> list[dict[str, int]]:
    """Return the place of the first player of each team, match by match."""
    found = []
    for match in history:
        order = match.get("ranks") or [-score for score in match["scores"]]
        place = [1 + sum(other < rank for other in order) for rank in order]
        found.append(dict(zip((team[0] for team in match["teams"]), place, strict=True)))
    return found


MONTHS = "Month,A,B,A wins,B wins,Draws\n2026-01,ann,bob,2,1,1\n2026-02,bob,ann,0,3,0\n"
FLAGS = "team1,team2,team1_win,team2_win,tie\nann,bob,1,0,0\nbob,ann,0,0,1\n"


def test_totals_of_a_period_are_matches_or_a_score_as_the_user_says() -> None:
    with pytest.raises(Error, match="'A wins' 2, 'B wins' 1, 'Draws' 1") as caught:
        read(MONTHS)
    assert caught.value.hint == Option("totals", "matches")
    assert [match["ranks"] for match in read(MONTHS, totals="matches")] == [[1, 2]] * 2 + [[1, 1]] + [[2, 1]] * 4
    assert [match["scores"] for match in read(MONTHS, totals="score")] == [[2, 1], [0, 3]]


def test_ones_and_zeros_are_results_or_scores() -> None:
    assert [match["ranks"] for match in read(FLAGS)] == [[1, 2], [1, 1]]
    assert "use `totals='score'`" in read(FLAGS).recognised
    mapped = {"score1": "team1_win", "score2": "team2_win"}
    assert [match["scores"] for match in read(FLAGS, columns=mapped)] == [[1, 0], [0, 0]]
    with pytest.raises(Error, match=r"row 1: .* only one of"):
        read(FLAGS.replace("1,0,0", "1,1,0", 1))
    assert [match["ranks"] for match in read("a,b,a_won,draw\nann,bob,0,0\nbob,ann,0,1\n")] == [[2, 1], [1, 1]]
    with pytest.raises(Error, match="are 0; if this is a draw"):
        read("player1,player2,win1,win2\nann,bob,1,0\nbob,ann,0,0\n")


def test_players_may_be_named_only_by_the_headers_of_their_wins() -> None:
    history = read("Day,Ann wins,Bob wins,Draws\n1,1,0,0\n2,0,0,1\n")
    assert places(history) == [{"Ann": 1, "Bob": 2}, {"Ann": 1, "Bob": 1}]


def test_late_scores_of_0_0_are_fixtures_or_draws_as_the_user_says() -> None:
    text = "date,home,away,hg,ag\n2026-05-01,a,b,2,1\n2026-05-08,b,a,0,0\n2026-05-15,a,b,0,0\n"
    with pytest.raises(Error, match=r"2 matches have the score 0-0, and the last other result is in row 1 .2026-05-01"):
        read(text)
    assert len(read(text, fixtures="skip")) == 1
    assert "2 matches to come" in read(text, fixtures="skip").recognised
    assert len(read(text, fixtures="count")) == 3
    single = text.rsplit("\n", 2)[0]
    assert "the last match is read as a draw" in read(single).recognised
    with pytest.raises(Error, match="1 match has the score 0-0"):
        read(single.replace("2,1", "88,79"))


def test_late_scores_of_0_0_are_results_if_another_column_says_so() -> None:
    rows = [("2024-01-06", "Ann", "Bob", 2, 1, "H"), ("2024-01-13", "Bob", "Ann", 0, 0, "D")]
    rows.append(("2024-01-20", "Ann", "Bob", 0, 0, "D"))
    text = "Date,Home,Away,HG,AG,Res\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    assert len(read(text)) == 3
    with pytest.raises(Error, match="fixtures='skip'"):
        read(text.replace(",D", ","))


def test_history_that_ends_with_draws_of_0_0_is_written_so_that_it_can_be_read(tmp_path: Path) -> None:
    scores = [[2, 1], [0, 0], [0, 0]]
    teams = [[["Ann"], ["Bob"]], [["Bob"], ["Ann"]], [["Ann"], ["Bob"]]]
    for home in ({}, {"home": 0}):
        found = [
            {"teams": team, "scores": score, "time": f"2024-01-0{day}"} | home
            for day, (team, score) in enumerate(zip(teams, scores, strict=True), 1)
        ]
        history = History.from_matches(found)
        history.write(tmp_path / "matches.csv")
        assert History.read(tmp_path / "matches.csv") == history
        assert History.from_frame(history.to_frame()) == history


def test_numbers_of_games_give_the_order() -> None:
    text = "game,winner,loser\n3,ann,bob\n2,bob,cat\n1,cat,ann\n"
    assert [match["teams"][0] for match in read(text)] == [["cat"], ["bob"], ["ann"]]
    assert [match["teams"][0] for match in read(text, columns={"order": None})] == [["ann"], ["bob"], ["cat"]]
    assert [match["teams"][0] for match in read(text.replace("game", "x"), columns={"order": "x"})] == [
        ["cat"],
        ["bob"],
        ["ann"],
    ]


def test_partners_are_a_team_unless_the_user_says_otherwise() -> None:
    rows = "1,A,ann,3\n1,A,bob,3\n1,B,cat,1\n1,B,dan,1\n2,A,ann,2\n2,A,cat,2\n2,B,bob,5\n2,B,dan,5\n"
    for header in ("match,pair,player,score\n", "match,seat,player,score\n"):
        history = read(header + rows)
        assert history[1]["teams"] == [["ann", "cat"], ["bob", "dan"]]
        assert "are a team" in history.recognised
        assert len(read(header + rows, columns={"team": None})[0]["teams"]) == 4
    own = rows.replace("bob,3", "bob,2").replace("dan,5", "dan,4").replace("cat,2", "cat,1").replace("dan,1", "dan,0")
    assert "`columns={'team': 'seat'}`" in read("match,seat,player,score\n" + own).recognised


@pytest.mark.parametrize("header", ["strokes", "throws", "Schläge", "pénalités", "To Par", "faults"])
def test_lowest_score_wins_if_the_header_says_so(header: str) -> None:
    text = f"match,player,{header}\n1,ann,4\n1,bob,-1\n1,cat,7\n"
    assert places(read(text)) == [{"bob": 1, "ann": 2, "cat": 3}]
    assert "lowest score wins" in read(text).recognised
    assert places(read(text, lowest_wins=False)) == [{"cat": 1, "ann": 2, "bob": 3}]


def test_lowest_score_wins_in_every_layout_if_the_user_says_so() -> None:
    long = "match,player,score\n1,ann,4\n1,bob,3\n"
    wide = "player1,player2,score1,score2\nann,bob,4,3\n"
    sheet = "Date,ann,bob\n2026-05-01,4.5,3.5\n"
    for text in (long, wide, sheet):
        assert places(read(text)) == [{"ann": 1, "bob": 2}]
        assert places(read(text, lowest_wins=True)) == [{"bob": 1, "ann": 2}]


def test_net_scores_count_beside_handicaps() -> None:
    text = "round,player,handicap,gross,net\n1,ann,10,90,80\n1,bob,2,84,82\n2,ann,10,91,81\n2,bob,2,81,79\n"
    assert places(read(text)) == [{"ann": 1, "bob": 2}, {"bob": 1, "ann": 2}]
    assert places(read(text, columns={"rank": "gross"}))[0] == {"bob": 1, "ann": 2}
    with pytest.raises(Error, match="'net' does not follow from 'handicap'"):
        read(text.replace("80\n", "70\n").replace("82\n", "72\n").replace("81\n", "66\n"))
    wrong = read(text.replace("80\n", "8O\n"), skip_problems=True)
    assert "does not agree with 'gross' and 'handicap'" in wrong.recognised


@pytest.mark.parametrize(
    ("label", "value"), [("Total", 12), ("Summe:", 12), ("Moyenne", 6), ("Best", 7), ("min", 5), ("итого", 12)]
)
def test_rows_that_sum_up_others_are_left_out(label: str, value: int) -> None:
    text = f"match,player,score\n1,ann,5\n1,bob,7\n1,{label},{value}\n2,ann,5\n2,bob,7\n2,{label},{value}\n"
    history = read(text)
    assert history.players == ("ann", "bob")
    assert "row 3: 2 rows sum up others and are left out" in history.recognised
    assert label in read(text.replace(f"{label},{value}", f"{label},3")).players


def test_columns_that_sum_up_others_are_not_players() -> None:
    history = read("Game,ann,bob,Total\n1,5,7,12\n2,8,3,11\n")
    assert history.players == ("ann", "bob")
    assert "Total: these columns sum up the others" in history.recognised


def test_season_grid_has_a_match_per_race_and_laps_are_no_races() -> None:
    grid = "Pos,Driver,Team,Monza,Spa,Imola,Points\n1,ann,x,1P,2,Ret,43\n2,bob,x,2,(1),1F,68\n3,cat,y,3,DSQ,2,33\n"
    assert places(read(grid)) == [
        {"ann": 1, "bob": 2, "cat": 3}, {"bob": 1, "ann": 2, "cat": 3}, {"bob": 1, "cat": 2, "ann": 3}
    ]  # fmt: skip
    laps = grid.replace("Monza,Spa,Imola", "Lap 1,Lap 2,Lap 3")
    assert places(read(laps)) == [{"ann": 1, "bob": 2, "cat": 3}]
