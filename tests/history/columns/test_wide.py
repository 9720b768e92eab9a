import polars as pl
import pytest

from prowess.errors import Error
from prowess.history import History

from .rows import read


def test_table_with_home_away_and_score_columns_is_read() -> None:
    history = read("""
        date       home_team away_team home_score away_score neutral
        2026-01-02 Brighton_&_Hove A/B 2 1 FALSE
        2026-01-01 A/B Brighton_&_Hove 3 3 true
    """)
    assert [match["teams"] for match in history] == [[["A/B"], ["Brighton & Hove"]], [["Brighton & Hove"], ["A/B"]]]
    assert [match["scores"] for match in history] == [[3, 3], [2, 1]]
    assert [match.get("home") for match in history] == [None, 0]
    assert history.recognised.startswith("wide, a row per match, home/away: home=home_team")


def test_table_with_home_away_and_result_columns_is_read() -> None:
    history = read("home away ftr\n a b H\n a b D\n a b A")
    assert history.place.reshape(-1, 2).tolist() == [[1, 2], [1, 1], [2, 1]]
    assert history.home is not None


def test_table_with_winner_and_loser_columns_is_read() -> None:
    history = read("winner loser winner_score loser_score draw\n ann bob 3 1 no\n cat ann 2 2 no\n bob cat 1 1 yes")
    assert history.place.reshape(-1, 2).tolist() == [[1, 2], [1, 2], [1, 1]]
    assert history[1] == {"teams": [["cat"], ["ann"]], "ranks": [1, 2], "scores": [2, 2]}
    assert history.home is None


def test_table_with_a_roster_column_for_each_side_is_read() -> None:
    history = read("team1 team2 team3 score1 score2 score3\n a;b c;d e 1 2 3\n a&c d - 2 2 -")
    assert [match["teams"] for match in history] == [[["a", "b"], ["c", "d"], ["e"]], [["a&c"], ["d"]]]
    assert [match["scores"] for match in history] == [[1, 2, 3], [2, 2]]
    assert "rosters are split at ';'" in history.recognised


@pytest.mark.parametrize(
    ("cell", "players"),
    [("a;b", "ab"), ("a_|_b", "ab"), ("a+b", "ab"), ("a&b", "ab"), ("a/b", "ab"), ("a,b", "ab"), ("_a_", "a")],
)
def test_rosters_are_split_at_common_separators(cell: str, players: str) -> None:
    assert read(f"team1 team2 score1 score2\n {cell} c 1 2")[0]["teams"] == [list(players), ["c"]]


def test_separator_that_occurs_in_few_names_is_part_of_the_name() -> None:
    history = read("team1 team2 score1 score2\n Hove&Albion Arsenal 1 2\n Arsenal Chelsea 2 0")
    assert history.players == ("Hove&Albion", "Arsenal", "Chelsea")


def test_comma_separates_names_only_if_there_is_no_other_separator() -> None:
    assert read("team1 team2 score1 score2\n x,y;b c 1 2")[0]["teams"] == [["x,y", "b"], ["c"]]


def test_list_cells_are_read_as_rosters() -> None:
    frame = pl.DataFrame({"team1": [["a", "b"]], "team2": [["c;d"]], "winner": ["team2"]})
    assert History.from_frame(frame)[0] == {"teams": [["a", "b"], ["c;d"]], "ranks": [2, 1]}


def test_cells_of_columns_such_as_player1_are_not_split_into_names() -> None:
    history = read("player1 player2 player3 rank1 rank2 rank3\n a&b c d 1 2 3\n a c - 2 1 -")
    assert [match["teams"] for match in history] == [[["a&b"], ["c"], ["d"]], [["a"], ["c"]]]
    assert history.place.tolist() == [1, 2, 3, 2, 1]


@pytest.mark.parametrize(
    ("sides", "winner", "place"),
    [
        ("team1 team2", "team1", [1, 2]),
        ("team1 team2", "Team_2", [2, 1]),
        ("team1 team2", "1", [1, 2]),
        ("team1 team2", "ann", [1, 2]),
        ("team1 team2", "bob", [2, 1]),
        ("team_a team_b", "b", [2, 1]),
        ("team_a team_b", "2", [2, 1]),
        ("model_a model_b", "model_a", [1, 2]),
        ("model_a model_b", "tie_(bothbad)", [1, 1]),
        ("model_x model_y", "x", [1, 2]),
        ("left right", "right", [2, 1]),
        ("white black", "White", [1, 2]),
        ("white black", "0-1", [2, 1]),
        ("white black", "1/2-1/2", [1, 1]),
        ("left right", "0.5", [1, 1]),
        *(("left right", word, [1, 1]) for word in ("draw", "Tie", "tied", "both")),
    ],
)
def test_cell_of_a_winner_column_may_be_a_side_or_a_name_or_a_word_for_a_draw(
    sides: str, winner: str, place: list[int]
) -> None:
    assert read(f"{sides} winner\n ann bob {winner}").place.tolist() == place


def test_ambiguous_winner_is_read_as_a_name_if_all_winners_are_names_of_players() -> None:
    assert read("player1 player2 winner\n 2 1 1\n 7 3 3\n 1 2 draw").place.tolist() == [2, 1, 2, 1, 1, 1]
    assert read("player1 player2 winner\n 2 1 1\n 7 3 2").place.tolist() == [1, 2, 2, 1]


def test_id_and_importance_columns_are_read() -> None:
    history = read("match_id winner loser importance\n x a b 2\n - b a 1")
    assert history.ids == ("x", "")
    assert history[0]["importance"] == 2


def test_id_column_with_duplicates_is_ignored_by_default_and_refused_if_mapped() -> None:
    history = read("id winner loser\n 0 a b\n 0 b a")
    assert history.ids is None
    assert "not kept as context: id (always the same)" in history.recognised
    with pytest.raises(Error, match="row 2: the id '0' is also used by the frame, row 1"):
        read("id winner loser\n 0 a b\n 0 b a", columns={"id": "id"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("home away hg ag\n a b 1 0\n a - 1 2", "row 2: column 'away' is empty: fill it in, or drop the row"),
        ("home away hg ag\n a b 1 0\n a b NA 2", "row 2: column 'hg' holds 'NA': another side has a score"),
        ("home away hg ag\n a b 1 0\n a b 1 -", "row 2: column 'ag' is empty: another side has a score"),
        ("home away hg ag\n a b 1 0\n a b x 1", "row 2: column 'hg' holds 'x': this is not a number"),
        ("home away hg ag\n a b 1 0\n a b inf 1", "row 2: column 'hg' holds 'inf': this is not a number"),
        ("home away hg ag\n a b 1 0\n a a 1 0", "row 2: a is listed in team 1 and in team 2"),
        ("home away hg ag neutral\n a b 1 0 maybe", "row 1: column 'neutral' holds 'maybe': true or false is needed"),
        ("home away hg ag neutral\n a b 1 0 -", "row 1: column 'neutral' is empty"),
        ("winner loser importance\n a b 1\n a b -2", "row 2: importance must be .* not -2.0"),
        ("winner loser importance\n a b 1\n a b -", "row 2: importance must be .* not nan"),
        ("winner loser date\n a b 2026-01-31\n a b 2026-31-01", "row 2: column 'date' holds '2026-31-01'"),
        ("winner loser date\n a b 2026-01-31\n a b 5", "row 2: column 'date' holds '5': plain numbers and dates"),
        ("winner loser date\n a b 2026-01-31\n a b -", "row 2: column 'date' is empty: give a time to every match"),
        ("winner loser date\n a b 2026-01-31T10:00Z\n a b 2026-01-31T10:00", "row 2: .*mixed time zones"),
        ("team1 team2 score1 score2\n a b 1 2\n a;;b c 1 2", "row 2: column 'team1' holds 'a;;b': one of the names"),
        ("team1 team2 score1 score2\n a b 1 2\n a;a c 1 2", "row 2: a is listed twice in team 1"),
        ("team1 team2 score1 score2\n a b 1 2\n - c 1 2", "row 2: column 'team1' is empty: a match needs at least two"),
        (
            "left right winner\n a b left\n a b c",
            "row 2: column 'winner' holds 'c': write the name of the winner, 'left'",
        ),
        ("team1 team2 team3 winner\n a b c 1", "'winner' names one winner among 3 sides.*; add a column with"),
    ],
)
def test_error_for_an_invalid_row_names_the_row_and_the_value(text: str, message: str) -> None:
    with pytest.raises(Error, match=f"^the frame.*{message}"):
        read(text)


def test_empty_frame_gives_an_empty_history() -> None:
    for header in (
        "home away hg ag date",
        "winner loser",
        "team1 team2 score1 score2",
        "match player rank",
        "left right winner",
    ):
        assert read(header) == History.from_matches([])


def test_unplayed_matches_are_left_out_with_a_remark() -> None:
    history = read("home away hg ag\n a b 1 0\n b a - -\n a c - -")
    assert len(history) == 1
    assert "2 unplayed matches left out (first: row 2)" in history.recognised
    assert len(read("left right winner\n a b left\n a b -")) == 1
    assert len(read("home away hg ag status\n a b 1 0 FINISHED\n b a 0 0 SCHEDULED")) == 1


@pytest.mark.parametrize(
    ("text", "places", "scores"),
    [
        ("home away result\n a b 3-1\n b a 2:2\n a b 0–4", [1, 2, 1, 1, 2, 1], [3, 1, 2, 2, 0, 4]),
        ("white black result\n a b 1-0\n b a ½-½\n a b 0-1", [1, 2, 1, 1, 2, 1], None),
        ("home away ftr\n a b H\n b a D\n a b A", [1, 2, 1, 1, 2, 1], None),
        ("player opponent result\n a b W\n b a D\n a b L", [1, 2, 1, 1, 2, 1], None),
        ("player1 player2 result\n a b 1\n b a 0.5\n a b 0", [1, 2, 1, 1, 2, 1], None),
        ("player1 player2 result\n a b 1\n b a X\n a b 2", [1, 2, 1, 1, 2, 1], None),
        ("team opponent pf pa\n a b 3 1\n b a 2 2\n a b 0 4", [1, 2, 1, 1, 2, 1], [3, 1, 2, 2, 0, 4]),
        ("home away hg ag\n a b 3,5 1\n b a 2 2\n a b 0 4", [1, 2, 1, 1, 2, 1], [3.5, 1, 2, 2, 0, 4]),
        ("1st 2nd 3rd\n a b c\n c a -", [1, 2, 3, 1, 2], None),
        ("winner1 winner2 loser1 loser2\n a b c d\n a c b -", [1, 2, 1, 2], None),
    ],
)
def test_common_result_notations_are_read_from_wide_tables(
    text: str, places: list[int], scores: list[float] | None
) -> None:
    history = read(text)
    assert history.place.tolist() == places
    assert (None if history.score is None else history.score.tolist()) == scores


def test_byes_and_walkovers_are_left_out() -> None:
    history = read("white black result\n a b 1-0\n a BYE 1-0\n b a w/o\n b a 0-1")
    assert len(history) == 2
    assert "1 bye left out (row 2)" in history.recognised
    assert "1 walkover left out (row 3); use `walkovers='count'`" in history.recognised
    tennis = "winner_name loser_name score\n a b 6-4\n b a W/O\n a b 6-0RET"
    assert (len(read(tennis)), len(read(tennis, walkovers="count"))) == (2, 3)


def test_walkovers_marked_in_a_status_column_count_if_the_walkovers_option_is_set() -> None:
    text = "home away hg ag status\n a b 2 1 played\n b c 3 0 walkover\n c a 1 1 postponed"
    assert [len(read(text, walkovers=choice)) for choice in (None, "skip", "count")] == [1, 1, 2]


def test_duplicate_row_is_left_out_unless_the_same_players_meet_often() -> None:
    once = read("home away hg ag date\n a b 1 0 2026-01-01\n a b 1 0 2026-01-01\n b a 1 0 2026-01-02")
    assert len(once) == 2
    assert "1 duplicate row left out (row 2)" in once.recognised
    dotted = read("home away hg ag date\n a b 1 0 13.01.2026\n a b 1 0 13.01.2026\n b a 1 0 14.01.2026")
    assert len(dotted) == 2
    often = "winner loser date\n a b 2026-01-01\n a b 2026-01-01\n a c 2026-01-02\n c a 2026-01-03"
    assert len(read(often)) == 4
    assert "1 duplicate row; each is counted as a match; use `duplicates='once'`" in read(often).recognised
    blitz = "home away hg ag date\n a b 1 0 2026-01-01\n a b 1 0 2026-01-01\n a b 0 1 2026-01-01"
    assert len(read(blitz)) == 3  # players who meet twice a day may have the same result twice
    assert len(read(often, duplicates="once")) == 3
    assert len(read("winner loser\n a b\n a b")) == 2  # without a date, both rows may be matches


def test_remark_on_a_row_that_equals_the_row_above_names_the_lower_row() -> None:
    remarks = {one.code: one for one in read("winner loser\n a b\n c d\n c d\n e f").remarks}
    assert (remarks["repeated-rows-counted"].count, remarks["repeated-rows-counted"].line) == (1, 3)


def test_match_listed_once_for_each_team_counts_once() -> None:
    rows = (
        "team opponent pf pa date\n a b 3 1 2026-01-01\n b a 1 3 2026-01-01\n c a 2 2 2026-01-02\n a c 2 2 2026-01-02"
    )
    history = read(rows)
    assert list(history) == [
        {"teams": [["a"], ["b"]], "scores": [3, 1], "time": history[0]["time"]},
        {"teams": [["c"], ["a"]], "scores": [2, 2], "time": history[1]["time"]},
    ]
    assert len(read(rows, duplicates="keep")) == 4


def test_mirrored_rows_without_dates_are_left_out_from_three_matches_on() -> None:
    rows = "team opponent pf pa\n a b 3 1\n b a 1 3\n c a 2 0\n a c 0 2"  # fewer may be matches and return matches
    assert len(read(rows)) == 4
    assert len(read(rows + "\n b c 5 4\n c b 4 5")) == 3


def test_unfamiliar_columns_are_inferred_from_their_contents() -> None:
    history = read("wann wer mit ausgang\n 2026-01-01 a b 3-1\n 2026-01-02 b a 0-0")
    assert (history.place.tolist(), history.time_kind) == ([1, 2, 1, 1], "date")
    assert "guessed from the contents" in history.recognised
    sheet = read("day ann bob cat\n 2026-01-01 10 20 -\n 2026-01-02 5 4 9")
    assert sheet.players == ("ann", "bob", "cat")
    assert sheet.place.tolist() == [2, 1, 2, 3, 1]


def test_german_headers_of_the_away_side_are_recognised() -> None:
    history = read("Heimmannschaft Auswärtsmannschaft Ergebnis\n Köln Bayern 1:2\n Bayern HSV 3:0")
    assert (history.players, history.score.tolist()) == (("Köln", "Bayern", "HSV"), [1, 2, 3, 0])


def test_bye_without_a_result_is_not_also_counted_as_an_unplayed_match() -> None:
    history = read("white black result\n ann bob 1-0\n cat bye -\n bob cat -\n cat ann 0-1")
    assert len(history) == 2
    assert "1 bye left out" in history.recognised
    assert "1 unplayed match left out" in history.recognised


def test_sheet_with_a_column_per_player_may_have_a_game_column() -> None:
    sheet = read("Date Game Ann Bob Cat\n 2026-01-01 Catan 10 8 -\n 2026-01-02 Azul 50 61 47\n 2026-01-09 Catan 9 - 10")
    assert (len(sheet), sheet.players) == (3, ("Ann", "Bob", "Cat"))
    assert sheet.place.tolist() == [1, 2, 2, 1, 3, 2, 1]


def test_rows_of_unplayed_matches_may_be_incomplete() -> None:
    history = read("round white black result\n 1 a b 1-0\n 2 c - -\n 2 b a 0-1")
    assert len(history) == 2
    assert "1 unplayed match left out" in history.recognised
