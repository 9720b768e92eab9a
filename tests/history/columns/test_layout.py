import pytest

from prowess.errors import Error
from prowess.history.columns.roles.layout import recognise

LONG = "long, a row per player per match"
HOME_AWAY = "wide, a row per match, home/away"
WINNER_LOSER = "wide, a row per match, winner/loser"
SIDES = "wide, a row per match, a column per side"


@pytest.mark.parametrize(
    ("columns", "shape", "roles"),
    [
        ("race_id driverId position date", LONG, "match=race_id player=driverId rank=position time=date id=race_id"),
        ("Match Player Team Score", LONG, "match=Match player=Player team=Team score=Score"),
        ("match id time team player place", LONG, "match=match player=player team=team rank=place time=time id=id"),
        ("game-id name placement played_at weight", LONG, "match=game-id player=name rank=placement weight=weight"),
        ("HomeTeam AwayTeam FTHG FTAG Date", HOME_AWAY, "home=HomeTeam away=AwayTeam home_score=FTHG away_score=FTAG"),
        ("home away hg ag season", HOME_AWAY, "home=home away=away home_score=hg away_score=ag"),
        ("home_id home away_id away home_points away_points", HOME_AWAY, "home=home away=away home_score=home_points"),
        ("home_team away_team result neutral", HOME_AWAY, "winner=result neutral=neutral"),
        ("winner_name loser_name winner_id loser_id", WINNER_LOSER, "winner=winner_name loser=loser_name"),
        ("winner loser winner_score loser_score tied", WINNER_LOSER, "winner_score=winner_score draw=tied"),
        ("team1 team2 score1 score2", SIDES, "team1=team1 team2=team2 score1=score1 score2=score2"),
        ("Team A,Team B,Team A Score,Team B Score", SIDES, "teama=Team A,teamb=Team B,scorea=Team A Score"),
        ("team1 team2 team3 rank1 rank2 rank3", SIDES, "team3=team3 rank3=rank3"),
        ("player_1 player_2 player_1_goals player_2_goals", SIDES, "score1=player_1_goals"),
        ("model_a model_b winner", SIDES, "modela=model_a modelb=model_b winner=winner"),
        ("model_x model_y left right winner", SIDES, "left=left right=right winner=winner"),
        ("white black result", SIDES, "white=white black=black winner=result"),
    ],
)
def test_layouts_are_recognised_by_their_column_names(columns: str, shape: str, roles: str) -> None:
    mark = "," if "," in columns else None
    layout = recognise(columns.split(mark))
    assert layout.shape == shape
    assert set(roles.split(mark)) <= {f"{role}={column}" for role, column in layout.roles.items()}


@pytest.mark.parametrize(
    ("columns", "shape"),
    [
        ("match player rank home away home_score away_score", LONG),
        ("home away home_score away_score winner loser", HOME_AWAY),
        ("winner loser team1 team2", WINNER_LOSER),
        ("match player home away home_score away_score", HOME_AWAY),  # a row per player would have no result
    ],
)
def test_first_layout_that_fits_the_columns_is_used(columns: str, shape: str) -> None:
    assert recognise(columns.split()).shape == shape


def test_column_mapping_of_the_user_overrides_the_recognised_layout() -> None:
    columns = ["match", "player", "rank", "h", "a", "hg", "ag", "points"]
    mapping = {"home": "h", "away": "a"}
    assert recognise(columns, mapping).shape == HOME_AWAY
    assert recognise(columns, {"rank": "points"}).roles["rank"] == "points"
    assert recognise(columns, {"match": "h", "player": "a"}).roles["match"] == "h"
    sides = recognise(columns, {"team1": "h", "team2": "a", "team1_score": "hg", "score_2": "ag"})
    assert (sides.shape, sides.sides[0].score, sides.sides[1].score) == (SIDES, "hg", "ag")
    assert not recognise(columns, {"player1": "h", "player2": "a", "score1": "hg", "score2": "ag"}).sides[0].roster


def test_role_that_the_user_maps_to_none_is_not_used() -> None:
    columns = ["match", "player", "team", "rank", "date", "match_id"]
    assert recognise(columns).roles.keys() == {"match", "player", "team", "rank", "time", "id"}
    assert recognise(columns, {"team": None, "id": None}).roles.keys() == {"match", "player", "rank", "time"}


def test_order_of_rows_is_the_result_only_if_the_user_maps_match_and_player_columns() -> None:
    with pytest.raises(Error, match="can't tell what these columns mean"):
        recognise(["match", "player"])
    assert recognise(["match", "player"], {"match": "match", "player": "player"}).shape == LONG


def test_scores_are_preferred_to_ranks_and_ranks_to_a_winner_unless_the_user_maps_columns() -> None:
    columns = ["team1", "team2", "score1", "score2", "rank1", "rank2", "winner"]
    assert not {"rank1", "winner"} & recognise(columns).roles.keys()
    assert "winner" not in recognise([name for name in columns if "score" not in name]).roles
    assert "winner" in recognise(columns, {"winner": "winner"}).roles
    assert {"rank1", "score1"} <= recognise(columns, {"rank1": "rank1"}).roles.keys()


def test_layout_description_lists_the_role_of_each_column() -> None:
    [remark] = recognise(["date", "home", "away", "hg", "ag", "season"]).describe()
    assert remark.code == "layout"
    assert (
        str(remark) == "wide, a row per match, home/away: home=home, away=away, home_score=hg, away_score=ag, time=date"
    )


@pytest.mark.parametrize("columns", ["a b", "player points", "home away", "team1 score1", "winner", "team1 team2", ""])
def test_error_for_unrecognised_columns_shows_example_mappings(columns: str) -> None:
    with pytest.raises(Error, match="can't tell what these columns mean") as error:
        recognise(columns.split())
    assert all(repr(column) in str(error.value) for column in columns.split())
    # Without cells, the error can only show an example of a mapping.
    assert "columns={'team1': 'one', 'team2': 'two'" in str(error.value)


def test_error_message_shortens_long_and_unprintable_column_names() -> None:
    with pytest.raises(Error, match="can't tell what these columns mean") as error:
        recognise(["x" * 50_000, "a\x1b[2J", "b", 'c"d'])
    assert "\x1b" not in str(error.value)
    assert len(str(error.value)) < 2000


def test_invalid_column_mappings_raise_an_error() -> None:
    with pytest.raises(Error, match=r"unknown role 'driver'; roles are match, player, .*, team1, player1"):
        recognise(["a", "b"], {"driver": "a"})
    with pytest.raises(Error, match=r"column 'c', given for the role 'player', not found; the columns are 'a', 'b'"):
        recognise(["a", "b"], {"player": "c"})
    with pytest.raises(Error, match=r"I can't tell what these columns mean: 'a', 'b' with columns={'home': 'a'}"):
        recognise(["a", "b"], {"home": "a"})
