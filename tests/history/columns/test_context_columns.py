"""Columns without a role become context: tests of their level, kind and name, and of the columns that are left out."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History
from prowess.history.columns.roles.layout import recognise
from prowess.history.columns.roles.side_pairs import find_side_columns
from prowess.history.context.columns import clean_text
from prowess.history.read_options import Besides, IfPresent


def read(text: str, **reading: Any) -> History:
    """Read a table whose cells are separated by commas."""
    header, *rows = [line.strip().split(",") for line in text.strip().splitlines()]
    return History.from_frame(pl.DataFrame(rows, schema=header, orient="row"), **reading)


def levels(history: History) -> dict[str, str]:
    contexts = {"match": history.context, "team": history.team_context, "player": history.entry_context}
    return {name: level for level, context in contexts.items() for name in context}


def remark(history: History, code: str) -> str:
    return next((str(found) for found in history.remarks if found.code == code), "")


PAIRS = {
    "home_seed away_seed": ("home away hg ag", "seed"),
    "HomeElo AwayElo": ("Home Away HG AG", "Elo"),
    "seed_home seed_away": ("home away hg ag", "seed"),
    "homeseed awayseed": ("home away hg ag", "seed"),
    "home_team_form away_team_form": ("home_team away_team home_score away_score", "form"),
    "HST AST": ("HomeTeam AwayTeam FTHG FTAG", "ST"),
    "HTHG HTAG": ("HomeTeam AwayTeam FTHG FTAG", "HTG"),
    "B365H B365A": ("HomeTeam AwayTeam FTHG FTAG", "B365"),
    "Heim_Ecken Gast_Ecken": ("Heim Gast Ergebnis", "Ecken"),
    "home_xg visitor_xg": ("home visitor hg ag", "xg"),
    "winner_age loser_age": ("winner loser", "age"),
    "w_ace l_ace": ("winner_name loser_name", "ace"),
    "WRank LRank": ("Winner Loser", "Rank"),
    "W1 L1": ("Winner Loser", "set 1"),
    "PSW PSL": ("Winner Loser", "PS"),
    "seed1 seed2": ("player1 player2 score1 score2", "seed"),
    "p1_age p2_age": ("player1 player2 score1 score2", "age"),
    "side1 side2": ("player1 player2 score1 score2", "side"),
    "odds_1 odds_2": ("home away hg ag", "odds"),
    "team1_region team2_region": ("team1 team2 winner", "region"),
    "EloA EloB": ("TeamA TeamB ScoreA ScoreB", "Elo"),
    "rating_a rating_b": ("player_a player_b winner", "rating"),
    "WhiteElo BlackElo": ("White Black Result", "Elo"),
    "w_title b_title": ("white black result", "title"),
    "red_weight blue_weight": ("red blue winner", "weight"),
    "elo opp_elo": ("team opponent team_score opponent_score", "elo"),
    "team_rest opp_rest": ("team opponent team_score opponent_score", "rest"),
    "1st_time 2nd_time 3rd_time": ("1st 2nd 3rd", "time"),
    "seed1 seed2 seed3": ("player1 player2 player3 rank1 rank2 rank3", "seed"),
    "winner1_age winner2_age loser1_age loser2_age": ("winner1 winner2 loser1 loser2", "age"),
}


@pytest.mark.parametrize("columns", PAIRS)
def test_columns_such_as_home_seed_and_away_seed_are_grouped_by_side(columns: str) -> None:
    sides, name = PAIRS[columns]
    layout = recognise([*sides.split(), *columns.split()])
    for order in (columns.split(), columns.split()[::-1]):
        [group] = find_side_columns(layout, order)
        assert (group.name, group.columns) == (name, tuple(columns.split()))


@pytest.mark.parametrize(
    ("sides", "columns"),
    [
        ("player1 player2 score1 score2", "set1 set2"),
        ("player1 player2 score1 score2", "q1 q2 q3 q4"),
        ("team1 team2 score1 score2", "referee1 referee2"),
        ("team1 team2 score1 score2", "map1 map2 map3"),
        ("home away hg ag", "home_seed"),
        ("winner loser", "odds1 odds2"),
        ("White Black Result", "Round Board"),
        ("home away hg ag", "surface round"),
    ],
)
def test_columns_not_named_after_a_side_are_not_grouped_by_side(sides: str, columns: str) -> None:
    assert find_side_columns(recognise([*sides.split(), *columns.split()]), columns.split()) == []


def test_file_with_a_row_per_match_gives_context_of_matches_and_teams() -> None:
    history = read(
        """winner,loser,surface,winner_seed,loser_seed
        ann,bob,clay,1,
        bob,cat,grass,2,7
        cat,ann,clay,,1"""
    )
    assert levels(history) == {"surface": "match", "seed": "team"}
    assert history.context["surface"].to_list() == ["clay", "grass", "clay"]
    assert history.team_context["seed"].to_list() == [1, None, 2, 7, None, 1]
    assert remark(history, "context") == "context: surface (match); seed (team)"


def test_context_level_is_the_coarsest_on_which_all_rows_of_a_match_or_team_agree() -> None:
    history = read(
        """match,team,player,score,map,side,kills
        m1,x,ann,3,dust,blue,5
        m1,x,bob,3,dust,blue,7
        m1,y,cat,1,dust,red,5
        m1,y,dan,1,dust,red,2
        m2,x,ann,0,mill,red,4
        m2,x,bob,0,mill,red,4
        m2,z,eve,2,mill,blue,9
        m2,z,dan,2,mill,blue,9
        m3,x,ann,0,mill,red,4
        m3,z,eve,2,mill,blue,9"""
    )
    assert levels(history) == {"map": "match", "team": "team", "side": "team", "kills": "player"}
    assert history.context["map"].to_list() == ["dust", "mill", "mill"]
    assert history.team_context["side"].to_list() == ["blue", "red", "red", "blue", "red", "blue"]
    assert history.entry_context["kills"].to_numpy().tolist() == [5, 7, 5, 2, 4, 4, 9, 9, 4, 9]


def test_context_of_players_who_play_alone_has_the_team_level() -> None:
    history = read("race,driver,position,car\nr1,a,1,x\nr1,b,2,y\nr2,b,1,y\nr2,a,2,x")
    assert levels(history) == {"car": "team"}


def test_players_listed_in_separate_columns_have_their_own_context() -> None:
    history = read(
        """winner1,winner2,loser1,loser2,winner1_age,winner2_age,loser1_age,loser2_age
        ann,bob,cat,dan,20,21,22,23
        cat,,ann,eve,22,99,20,25
        ann,bob,eve,dan,20,21,25,23"""
    )
    assert levels(history) == {"age": "player"}
    assert history.entry_context["age"].to_list() == [20, 21, 22, 23, 22, 20, 25, 20, 21, 25, 23]


def test_context_column_is_numeric_if_all_filled_cells_are_numbers() -> None:
    history = read("winner,loser,minutes,code,mark\na,b,90,1,1.5\nb,a,,x,-2\na,b,90,x,1.5")
    assert {name: column.kind for name, column in history.context.items()} == {
        "minutes": "number",
        "code": "category",
        "mark": "number",
    }
    assert history.context["mark"].to_list() == [1.5, -2, 1.5]


def test_few_cells_that_are_not_numbers_are_missing_in_a_numeric_context_column() -> None:
    rows = [f"p{row % 3},p{(row + 1) % 3},{row % 7}" for row in range(30)]
    rows[4] = "a,b,unknown"
    history = read("\n".join(["winner,loser,grid", *rows]))
    column = history.context["grid"]
    assert (column.kind, column[3], column[4]) == ("number", 3, None)
    expected = "row 5: column 'grid' holds 'unknown'; 1 cell is not a number and counts as missing"
    assert remark(history, "context-numbers") == expected


@pytest.mark.parametrize("few", [["unknown", "no idea"], ["007"], ["1-0"], ["90071992547409931"]])
def test_context_column_with_many_cells_that_are_not_numbers_is_text(few: list[str]) -> None:
    cells = [*few, *few, *few, "1", "2", "2"]
    history = read("\n".join(["winner,loser,grid", *(f"a,b,{cell}" for cell in cells)]))
    assert history.context["grid"].kind == "category"
    assert history.context["grid"].to_list() == cells


def test_decimal_commas_in_context_are_read_as_in_other_columns() -> None:
    frame = pl.DataFrame({"winner": ["a"] * 3, "loser": ["b"] * 3, "odds": ["1,75", "2,5", "1,75"]})
    assert History.from_frame(frame).context["odds"].to_list() == [1.75, 2.5, 1.75]
    frame = frame.with_columns(odds=pl.Series(["1,750", "2,500", "1,750"]))
    assert History.from_frame(frame).context["odds"].to_list() == [1750, 2500, 1750]
    assert History.from_frame(frame, decimal=",").context["odds"].to_list() == [1.75, 2.5, 1.75]


def test_context_column_of_numbers_and_missing_value_markers_is_numeric() -> None:
    history = read("winner,loser,rank\na,b,1\nb,a,NA\na,b,1\nb,a,NA\na,b,3")
    assert history.context["rank"].to_list() == [1, None, 1, None, 3]


def test_remark_names_constant_and_unique_columns_that_are_left_out_of_the_context() -> None:
    history = read("winner,loser,tour,url,nr,speed,note\na,b,x,u/1,1,1.5,\nb,a,x,u/2,2,2.25,\na,b,x,u/3,3,3.5,")
    assert levels(history) == {"speed": "match"}
    expected = "not kept as context: tour (always the same); url, nr (always different); note (empty)"
    assert remark(history, "context-left-out") == expected


def test_column_that_differs_in_every_match_is_left_out_even_if_matches_have_several_rows() -> None:
    history = read("race,url,driver,position\nr1,u1,a,1\nr1,u1,b,2\nr2,u2,a,2\nr2,u2,b,1")
    assert levels(history) == {}
    assert "url (always different)" in remark(history, "context-left-out")


def test_named_columns_can_be_kept_besides_those_that_are_kept_by_default() -> None:
    text = "winner,loser,tour,url,round,winner_age,loser_age\na,b,x,u/1,F,20,30\nb,a,x,u/2,SF,30,20\na,b,x,u/3,F,20,30"
    assert levels(read(text)) == {"round": "match", "age": "team"}
    assert levels(read(text, context=Besides(["URL", "loser"]))) == {
        "url": "match",
        "loser": "match",
        "round": "match",
        "age": "team",
    }
    assert levels(read(text, context=Besides(["winner_age"]))) == {"round": "match", "age": "team"}
    with pytest.raises(Error, match="no column 'surface'"):
        read(text, context=Besides(["surface"]))


def test_user_can_choose_the_context_columns() -> None:
    text = "winner,loser,tour,url,winner_age,loser_age\na,b,x,u/1,20,30\nb,a,x,u/2,30,20\na,b,x,u/3,20,30"
    assert levels(read(text, context=["tour", "url"])) == {"tour": "match", "url": "match"}
    assert levels(read(text, context=["Age"])) == levels(read(text, context=["winner_age"])) == {"age": "team"}
    assert levels(read(text, context=("winner",))) == {"winner": "match"}
    chosen = read(text, context=["tour"])
    assert remark(chosen, "ignored-columns") == "ignored: url, winner_age, loser_age"
    nothing = read(text, context=[])
    assert levels(nothing) == {}
    assert remark(nothing, "ignored-columns") == "ignored: tour, url, winner_age, loser_age"
    with pytest.raises(Error, match="no column 'tuor'; did you mean 'tour'") as caught:
        read(text, context=["tuor"])
    assert (caught.value.field, caught.value.value) == ("context", "tuor")


def test_missing_context_columns_are_ignored_if_they_are_given_as_if_present() -> None:
    text = "winner,loser,Tour,url\na,b,x,u/1\nb,a,x,u/2\na,b,x,u/3"
    assert levels(read(text, context=IfPresent(["tour", "season"]))) == {"Tour": "match"}
    nothing = read(text, context=IfPresent(["season"]))
    assert levels(nothing) == {}
    assert remark(nothing, "ignored-columns") == "ignored: Tour, url"
    ambiguous = "winner,loser,Tour,TOUR\na,b,x,u/1\nb,a,y,u/2"
    assert levels(read(ambiguous, context=IfPresent(["tour"]))) == {}


@pytest.mark.parametrize("context", ["surface", 3, [3], {"a": 1}])
def test_context_option_must_be_a_list_of_column_names(context: Any) -> None:
    with pytest.raises(Error, match=r"context must be a list of columns, such as \['surface', 'round'\]"):
        read("winner,loser\na,b", context=context)


def test_header_may_state_the_level_and_kind_of_a_context_column() -> None:
    history = History.from_frame(
        pl.DataFrame(
            {
                "player1": ["a", "b"],
                "player2": ["b", "a"],
                "score1": ["1", "0"],
                "score2": ["0", "2"],
                "date [match]": ["2026-01-01", "2026-01-01"],
                "map [match, text]": ["1", "2"],
                "side [team 1]": ["blue", "red"],
                "side [team 2]": ["red", None],
                "winner [match]": ["x", "x"],
            }
        )
    )
    assert levels(history) == {"date": "match", "map": "match", "winner": "match", "side": "team"}
    assert history.time is None
    assert history.context["map"].to_list() == ["1", "2"]
    assert history.team_context["side"].to_list() == ["blue", "red", "red", None]


def test_text_in_a_context_column_whose_header_states_numbers_is_an_error() -> None:
    with pytest.raises(Error, match=r"row 2: column 'rest \[match, number\]' holds 'x'"):
        History.from_frame(
            pl.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"], "rest [match, number]": ["3", "x"]})
        )


def test_column_types_of_a_frame_are_kept_in_the_context() -> None:
    import datetime

    frame = pl.DataFrame(
        {
            "winner": ["a", "b", "a"],
            "loser": ["b", "a", "b"],
            "indoor": [True, False, True],
            "rest": [1, 2, 1],
            "odds": [1.5, None, 1.5],
            "sold": [datetime.date(2026, 1, 1), None, datetime.date(2026, 1, 1)],
            "court": pl.Series(["1", "2", "1"], dtype=pl.Categorical),
            "lists": [[1], [2], [1]],
        }
    )
    history = History.from_frame(frame, columns={"time": None})
    assert history.context["indoor"].to_list() == ["true", "false", "true"]
    assert history.context["rest"].to_list() == [1, 2, 1]
    assert history.context["odds"].to_list() == [1.5, None, 1.5]
    assert history.context["sold"].to_list() == ["2026-01-01", None, "2026-01-01"]
    assert history.context["court"].to_list() == ["1", "2", "1"]
    assert remark(history, "ignored-columns") == "ignored: lists"


def test_results_that_list_sets_are_kept_as_context() -> None:
    history = read("winner,loser,score\na,b,6-4 6-4\nb,a,7-6(4) 3-6 6-1\na,b,6-4 6-4")
    assert history.context["score"].to_list() == ["6-4 6-4", "7-6(4) 3-6 6-1", "6-4 6-4"]
    assert levels(read("home,away,score\na,b,2-1\nb,a,0-0\na,b,2-1")) == {}


def test_points_of_players_are_kept_as_context_if_they_are_summed_for_the_team() -> None:
    history = read(
        "game,team,player,points\ng1,x,a,3\ng1,x,b,1\ng1,y,c,2\ng1,y,d,3\ng2,x,a,0\ng2,x,b,2\ng2,y,c,5\ng2,y,d,5"
    )
    assert history.score is not None
    assert history.score.tolist() == [4, 5, 2, 10]
    assert history.entry_context["points"].to_list() == [3, 1, 2, 3, 0, 2, 5, 5]


def test_team_numbers_within_a_match_are_not_kept_as_context() -> None:
    assert levels(read("game,team,player,place\ng1,1,a,1\ng1,1,b,1\ng1,2,c,2\ng2,1,c,1\ng2,2,a,2")) == {}


def test_context_stays_with_its_match_if_rows_are_left_out_or_sorted() -> None:
    text = """date,team,opponent,team_score,opponent_score,ground,elo,opp_elo
    2026-01-03,c,a,4,2,mud,30,10
    2026-01-03,a,c,2,4,mud,10,30
    2026-01-01,a,b,1,0,sand,10,20
    2026-01-01,b,a,0,1,sand,20,10
    2026-01-02,b,c,1,3,mud,20,30
    2026-01-02,c,b,3,1,mud,30,20"""
    history = read(text)
    assert len(history) == 3
    assert history.context["ground"].to_list() == ["sand", "mud", "mud"]
    elo = {"a": 10, "b": 20, "c": 30}
    assert history.team_context["elo"].to_list() == [elo[history.players[player]] for player in history.player]


def test_unusable_rows_do_not_influence_the_level_and_kind_of_context() -> None:
    good = "\n".join(f"p{row % 3},p{(row + 1) % 3},1,0,{row % 4}" for row in range(8))
    history = read(f"home,away,hg,ag,rest\na,b,x,0,many\n{good}", skip_problems=True)
    assert history.context["rest"].kind == "number"
    assert len(history.context["rest"]) == 8


NAMES = st.sampled_from(["surface", "venue name", "Best of", "Zuschauer", "état", "k/d", "xG"])
TEXT = st.text("abcé -/'.", min_size=1, max_size=4).map(clean_text).filter(lambda text: any(map(str.isalpha, text)))
NUMBERS = st.one_of(st.integers(-999, 999), st.floats(-1e6, 1e6).map(lambda value: round(value, 3)))


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[object]], dict[str, tuple[str, list[object]]]]:
    """Draw the cells of a table with a row per match or per player, and the context that is expected."""
    matches, wide = draw(st.integers(2, 6)), draw(st.booleans())
    sides = ("winner", "loser")
    frame: dict[str, list[object]]
    if wide:
        frame = {side: [f"{side[0]}{row % 3}" for row in range(matches)] for side in sides}
    else:  # two teams of two players
        frame = {
            "match": [f"m{row // 4}" for row in range(4 * matches)],
            "team": [row % 4 // 2 + 1 for row in range(4 * matches)],
            "player": [f"p{row % 4}" for row in range(4 * matches)],
            "place": [row % 4 // 2 + 1 for row in range(4 * matches)],
        }
    context: dict[str, tuple[str, list[object]]] = {}
    for name in draw(st.sets(NAMES, min_size=1, max_size=4)):
        level = draw(st.sampled_from(["match", "team"] if wide else ["match", "team", "player"]))
        size = matches * {"match": 1, "team": 2, "player": 4}[level]
        cells = st.one_of(st.none(), draw(st.sampled_from([TEXT, NUMBERS])))
        values = draw(st.lists(cells, min_size=size, max_size=size))
        context[name] = level, values
        if wide and level == "team":
            frame |= {f"{side}_{name}": values[number::2] for number, side in enumerate(sides)}
        else:
            frame[name] = [value for value in values for _ in range(1 if wide else 4 * matches // size)]
    return frame, context


@given(tables(), st.booleans())
def test_context_of_any_table_is_read_completely(
    drawn: tuple[dict[str, list[object]], dict[str, tuple[str, list[object]]]], as_text: bool
) -> None:
    frame, context = drawn
    cells = {name: [None if cell is None else str(cell) for cell in column] for name, column in frame.items()}
    table = pl.DataFrame({name: cells[name] if as_text else frame[name] for name in frame}, strict=False)
    history = History.from_frame(table, columns={"time": None}, duplicates="keep")
    bare = History.from_frame(table, columns={"time": None}, duplicates="keep", context=[])
    assert [match["teams"] for match in history] == [match["teams"] for match in bare]
    assert not levels(bare)
    contexts = (history.context, history.team_context, history.entry_context)
    found = {name: column for part in contexts for name, column in part.items()}
    for name, (level, values) in context.items():
        if name in found:
            coarse = {"match": 1, "team": 2, "player": 4}
            times = coarse[level] // coarse[levels(history)[name]]  # equal values may belong to a coarser level
            assert [value for value in found[name].to_list() for _ in range(times)] == values
        else:
            distinct = len(set(values))
            assert distinct == 1 or distinct == len(values) or not any(map(bool, values)) or level != "match"
