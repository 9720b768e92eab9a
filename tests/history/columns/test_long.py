from typing import Any

import polars as pl
import pytest

from prowess.errors import Error
from prowess.history import History

from .rows import read


def test_each_player_is_a_team_if_there_is_no_team_column() -> None:
    history = read("race_id driver position date\n r1 a 1 2026-02-01\n r1 b 3 2026-02-01\n r2 a 1.5 2026-01-01\n"
                   " r1 c 3 2026-02-01\n r2 b 1.5 2026-01-01")  # fmt: skip
    assert [match["teams"] for match in history] == [[["a"], ["b"]], [["a"], ["b"], ["c"]]]
    assert history.place.tolist() == [1, 1, 1, 2, 2]
    assert history.ids == ("r2", "r1")


def test_rows_of_a_team_need_not_be_adjacent() -> None:
    history = read("match team player rank\n 1 x a 1\n 2 y d 2\n 1 y b 2\n 2 x a 1\n 1 x c 1")
    assert [match["teams"] for match in history] == [[["a", "c"], ["b"]], [["d"], ["a"]]]
    assert history.place.tolist() == [1, 2, 2, 1]


def test_each_team_is_a_player_if_there_is_no_player_column() -> None:
    history = read("tournament_id team_id position\n 2 312 1.0\n 2 510 2.0")
    assert history.players == ("312", "510")
    assert "each team one player" in history.recognised


def test_row_with_a_roster_is_read_as_a_team() -> None:
    history = read("match players score\n 1 a,b 3\n 2 c 1\n 1 c 5\n 2 a,b 0")
    assert list(history) == [
        {"teams": [["a", "b"], ["c"]], "scores": [3, 5]},
        {"teams": [["c"], ["a", "b"]], "scores": [1, 0]},
    ]


def test_score_repeated_in_all_rows_of_a_team_is_the_team_score() -> None:
    history = read("match team player score\n 1 x a 3\n 1 x b 3\n 1 y c 4")
    assert history[0]["scores"] == [3, 4]


def test_different_scores_within_a_team_are_summed() -> None:
    history = read("game_id team player_id score\n 1 x a 3\n 1 x b 3\n 1 y c 4\n 2 x a -1\n 2 x b 2\n 2 y c 0")
    assert [match["scores"] for match in history] == [[6, 4], [1, 0]]
    assert "the team's score is their sum" in history.recognised


def test_weight_home_and_importance_columns_are_read() -> None:
    history = read(
        "match team player rank weight home importance\n 1 x a 2 1 no 3\n 1 x b 2 0.5 no 3\n 1 y c 1 1 yes 3"
    )
    assert history[0] == {
        "teams": [["a", "b"], ["c"]], "ranks": [2, 1], "weights": [[1, 0.5], [1]], "home": 1, "importance": 3,
    }  # fmt: skip


def test_some_matches_of_a_file_may_have_ranks_and_others_scores() -> None:
    history = read("match player rank score\n 1 a 1 -\n 1 b 2 -\n 2 a - 0\n 2 b - 5")
    assert list(history) == [{"teams": [["a"], ["b"]], "ranks": [1, 2]}, {"teams": [["a"], ["b"]], "scores": [0, 5]}]


def test_order_of_rows_is_the_result_if_the_user_maps_match_and_player_columns() -> None:
    history = read("heat swimmer\n 1 a\n 1 b\n 2 b\n 2 a", columns={"match": "heat", "player": "swimmer"})
    assert history.place.tolist() == [1, 2, 1, 2]
    assert "so the first row of a match is the winner" in history.recognised


def test_id_that_differs_within_a_match_is_ignored_by_default_and_refused_if_mapped() -> None:
    assert read("id match player rank\n 1 1 a 1\n 2 1 b 2").ids is None
    assert read("id match player rank\n 1 1 a 1\n 1 1 b 2").ids == ("1",)
    with pytest.raises(Error, match=r"row 2: column 'id' holds '2': row 1 has '1', and all rows of a match"):
        read("id match player rank\n 1 1 a 1\n 2 1 b 2", columns={"id": "id"})


def test_ids_of_16_digits_are_not_rounded() -> None:
    frame = pl.DataFrame({"game_id": [1, 1], "player_id": [2726956381513258, 2726956381513259], "rank": [1, 2]})
    assert History.from_frame(frame).players == ("2726956381513258", "2726956381513259")
    with pytest.raises(Error, match=r"column 'player_id' holds Float64: .*16 digits"):
        History.from_frame(frame.with_columns(pl.col("player_id").cast(pl.Float64)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("match player rank\n 1 a 1\n 1 b Xyz", "row 2: column 'rank' holds 'Xyz': this is not a place"),
        ("match team player rank\n 1 x a 1\n 1 y b 2\n 1 y a 2", "row 3: a is listed in team 1 and in team 2"),
        (
            "match team player rank\n 1 x a 1\n 1 y b 2\n 1 x c 3\n 2 x a 1\n 2 x c 1\n 2 y b 2",
            "row 3: column 'rank' holds '3': row 1 has '1', and all rows of a team must have the same value",
        ),
        ("match player rank\n 1 a 1\n 1 b 2\n 2 a 1", r"row 3: a match needs at least two teams, not 1 \(a\)"),
        ("match player rank\n 1 a 1\n - b 2", "row 2: column 'match' is empty"),
        ("match player rank\n 1 a 1\n 1 - 2", "row 2: column 'player' is empty"),
        (
            "match player rank date\n 1 a 1 2026-01-01\n 1 b 2 2026-01-02\n 2 a 1 2026-01-03\n 2 b 2 2026-01-03",
            "row 2: column 'date' holds '2026-01-02': row 1 has '2026-01-01', and all rows of a match must have",
        ),
        ("match player rank weight\n 1 a 1 1\n 1 b 2 -1", "row 2: b has the weight -1.0"),
        ("match player rank weight\n 1 a 1 1\n 1 b 2 0", "row 2: team 2 has only weights of 0"),
        ("match player rank weight\n 1 a 1 1\n 1 b 2 -", "row 2: b has the weight nan"),
        (
            "match player rank home\n 1 a 1 yes\n 1 b 2 yes",
            "row 2: column 'home' holds 'yes': this match has two home teams",
        ),
        ("match players rank\n 1 a;b 1\n 1 b 2", "row 2: b is listed in team 1 and in team 2"),
        ("match players rank\n 1 a;b 1\n 1 - 2", "row 2: column 'players' is empty: a team needs"),
    ],
)
def test_error_for_an_invalid_row_names_the_row_and_the_value(text: str, message: str) -> None:
    with pytest.raises(Error, match=f"^the frame, {message}"):
        read(text)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("player", [True, False], "column 'player' holds Boolean: names must be text or whole numbers"),
        ("player", [["a"], ["b"]], r"column 'player' holds List\(String\)"),
        ("match", [[1], [1]], r"column 'match' holds List\(Int64\): each cell must hold one text or number"),
        ("time", [True, True], "column 'time' holds Boolean: times must be"),
        ("time", [float("inf")] * 2, "row 1: column 'time' holds inf: a time must be a finite number"),
    ],
)
def test_column_of_an_unsupported_type_raises_an_error(column: str, values: list[Any], message: str) -> None:
    frame = pl.DataFrame({"match": [1, 1], "player": ["a", "b"], "rank": [1, 2], "time": [0, 0]} | {column: values})
    with pytest.raises(Error, match=f"^the frame.*{message}"):
        History.from_frame(frame)


def test_few_matches_with_a_single_team_are_left_out_but_many_raise_an_error() -> None:
    pairs = [f" {match} a 1\n {match} b 2\n" for match in range(9)]
    history = read("match player rank\n" + "".join(pairs) + " bye cat 1\n")
    assert (len(history), history.players) == (9, ("a", "b"))
    assert "1 match with a single team left out (the frame, row 19)" in history.recognised
    with pytest.raises(Error, match="at least two teams"):
        read("match player rank\n" + "".join(pairs[:8]) + " bye cat 1\n")


def test_players_who_did_not_finish_share_the_last_place() -> None:
    history = read("race driver position\n 1 a 1\n 1 b DNF\n 1 c 2\n 1 d -\n 1 e DNS")
    assert history.place.tolist() == [1, 3, 2, 3]
    assert "share the last place of their match: 1 of 4 (DNF 1)" in history.recognised
    assert "1 absent entry (DNS) left out (row 5); use `unplaced=('DNS',)` to rank DNS last" in history.recognised
    assert "column 'position' is empty in 1 entry, which shares the last place of its match" in history.recognised
    absent = read("race driver position\n 1 a 1\n 1 b DNF\n 1 c 2\n 1 e DNS", columns=None, absent=("DNS",))
    assert absent.players == ("a", "b", "c")
    timed = read("event runner time\n 1 a 19:32\n 1 b DNF\n 1 c 20:01", columns=None, absent=("DNF",))
    assert timed.players == ("a", "c")
    assert "1 absent entry (DNF) left out (row 2)" in timed.recognised


def test_score_column_may_hold_a_word_such_as_dnf_for_unplaced_players() -> None:
    history = read("game player score\n 1 a 10\n 1 b DNF\n 1 c 30\n 2 a 1\n 2 b 5")
    assert history.place.tolist() == [2, 3, 1, 2, 1]
    assert history[1]["scores"] == [1, 5]


def test_best_result_counts_if_a_player_is_listed_twice_in_a_match() -> None:
    history = read("race driver position\n 1 a DNF\n 1 b 2\n 1 a 1\n 1 c 3\n 1 c 3")
    assert dict(zip(history.players, history.place.tolist(), strict=True)) == {"b": 2, "a": 1, "c": 3}
    assert "2 repeated entries left out (first: row 1)" in history.recognised


def test_match_without_any_result_is_left_out() -> None:
    history = read("match player rank\n 1 a 1\n 1 b 2\n 2 a -\n 2 b -")
    assert len(history) == 1
    assert "1 match without any result left out (row 3)" in history.recognised


def test_club_whose_players_have_different_places_is_not_a_team() -> None:
    history = read("race driver team position\n 1 a x 1\n 1 b y 2\n 1 c x 3\n 1 d y 4")
    assert history.place.tolist() == [1, 2, 3, 4]
    assert "same team have different places, so each player counts as a team of one" in history.recognised
    two = "race driver team position\n 1 a x 1\n 1 b x 2\n 1 c y 3\n 2 c y 1\n 2 a x DNF\n 2 b x DSQ\n 2 d y DNS"
    for unplaced in ((), ("DNS",)):  # two players who did not finish are not a team
        assert read(two, columns=None, unplaced=unplaced).team_start.tolist() == list(range(7 + len(unplaced)))


def test_match_name_that_recurs_every_season_names_several_matches() -> None:
    races = "race season driver position\n" + "".join(
        f" monza {season} {driver} {place}\n" for season in (2024, 2025) for place, driver in enumerate("abc", 1)
    )
    assert len(read(races)) == 2
    assert len(read(races.replace("race season", "gp season"))) == 2


def test_rows_of_one_day_form_a_match_if_no_column_identifies_matches() -> None:
    history = read("date player place\n 2026-01-01 a 1\n 2026-01-01 b 2\n 2026-01-08 b 1\n 2026-01-08 c 2")
    assert (len(history), history.place.tolist()) == (2, [1, 2, 1, 2])


def test_shorter_durations_rank_first() -> None:
    history = read("race runner finish_time\n 1 a 1:02:45\n 1 b 59:59.5\n 1 c DNF\n 1 d 1:02:45\n 1 e -")
    assert history.place.tolist() == [2, 1, 4, 2, 4]
    assert "column 'finish_time' is empty in 1 entry, which shares the last place" in history.recognised
    assert history.score is None
