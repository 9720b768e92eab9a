"""Sheets with a column per player: places, times, and scores beside a column of winners."""

from pathlib import Path

import pytest

from prowess import Error
from prowess.history import History

PLACES = "Date,Cup,Track,Anna,Ben,Cleo\n" + "".join(
    f"2024-01-0{day},{cup},{track},{cells}\n"
    for day, cup, track, cells in (
        (1, "Moss", "Hill", "1,2,3"),
        (2, "Moss", "Lake", "2,1,3"),
        (3, "Fern", "Hill", "3,1,2"),
        (4, "Fern", "Pier", "1,,2"),
        (5, "Fern", "Lake", "1,1,3"),
    )
)


def read(folder: Path, text: str, **options: object) -> History:
    path = folder / "sheet.csv"
    path.write_text(text, encoding="utf-8")
    return History.read(path, **options)  # type: ignore[arg-type]


def placed(history: History) -> list[dict[str, int]]:
    return [
        {players[0]: rank for players, rank in zip(match["teams"], match["ranks"], strict=True)}
        if "ranks" in match
        else dict(zip((team[0] for team in match["teams"]), match["scores"], strict=True))
        for match in history
    ]


def test_places_are_read_as_places_and_on_request_as_scores(tmp_path: Path) -> None:
    history = read(tmp_path, PLACES)
    assert "a column per player (Anna, Ben, Cleo) with places; use `lowest_wins=False`" in history.recognised
    assert placed(history)[0] == {"Anna": 1, "Ben": 2, "Cleo": 3}
    assert placed(history)[3:] == [{"Anna": 1, "Cleo": 2}, {"Anna": 1, "Ben": 1, "Cleo": 3}]
    assert history.context["Cup"].to_list() == ["Moss", "Moss", "Fern", "Fern", "Fern"]
    scores = read(tmp_path, PLACES, lowest_wins=False)
    assert placed(scores)[0] == {"Anna": 1.0, "Ben": 2.0, "Cleo": 3.0}
    assert scores.place[:3].tolist() == [3, 2, 1]


@pytest.mark.parametrize(
    ("winners", "first"),
    [
        (("Anna", "Ben", "Ben", "Anna", "Anna & Ben"), {"Anna": 1, "Ben": 2, "Cleo": 3}),
        (("Cleo", "Cleo", "Anna", "Cleo", "Cleo"), {"Anna": 1.0, "Ben": 2.0, "Cleo": 3.0}),
    ],
    ids=["lowest", "highest"],
)
def test_column_of_winners_decides_whether_numbers_are_places(
    winners: tuple[str, ...], first: dict[str, float], tmp_path: Path
) -> None:
    lines = [f"{line},{cell}" for line, cell in zip(PLACES.splitlines(), ("Winner", *winners), strict=True)]
    history = read(tmp_path, "\n".join(lines))
    assert placed(history)[0] == first
    with pytest.raises(Error, match="most winners have neither the highest nor the lowest number"):
        read(tmp_path, "\n".join([lines[0], *(line.rsplit(",", 1)[0] + ",Ben" for line in lines[1:4:2])]))


def test_winner_who_is_not_first_is_a_problem_on_its_line(tmp_path: Path) -> None:
    rows = [f"2024-01-{day:02},Fern,1,2,3,{'Cleo' if day == 7 else 'Anna'}" for day in range(1, 13)]
    with pytest.raises(Error, match="line 8: column 'Winner' names another winner than the places"):
        read(tmp_path, "\n".join(["Date,Cup,Anna,Ben,Cleo,Winner", *rows]))


def test_column_that_names_the_highest_numbers_of_a_sheet_of_places_is_asked_about(tmp_path: Path) -> None:
    rows = ["2024-01-01,1,2,3,Cleo", "2024-01-02,2,3,1,Ben", "2024-01-03,3,1,2,Anna", "2024-01-04,1,2,3,Cleo"]
    sheet = "\n".join(["Date,Anna,Ben,Cleo,Champ", *rows])
    with pytest.raises(Error, match="'Champ' names the players with the highest numbers; use `lowest_wins=False`"):
        read(tmp_path, sheet)
    assert read(tmp_path, sheet, lowest_wins=False).place[:3].tolist() == [3, 2, 1]
    assert read(tmp_path, sheet, lowest_wins=True).place[:3].tolist() == [1, 2, 3]
    assert read(tmp_path, sheet.replace("Champ", "Loser")).place[:3].tolist() == [1, 2, 3]


def test_rows_that_are_only_partly_places_are_asked_about(tmp_path: Path) -> None:
    with pytest.raises(Error, match="columns Anna, Ben, Cleo: only some rows are places"):
        read(tmp_path, "Date,Anna,Ben,Cleo\n2024-01-01,1,2,3\n2024-01-02,3,1,2\n2024-01-03,1,3,4\n2024-01-04,2,1,4\n")


def test_numbers_of_days_and_of_players_are_no_places(tmp_path: Path) -> None:
    rows = ["1,Hill,1.,2.,3.,4,3", "1,Lake,2.,1.,DNF,2,3", "2,Hill,3.,1.,2.,1,3", "2,Pier,1.,2.,DNS,3,2"]
    history = read(tmp_path, "\n".join(["Evening no,Track,Max,Mia,Tom,Laps,Present", *rows]))
    assert set(history.players) == {"Max", "Mia", "Tom"}
    assert placed(history)[1] == {"Max": 2, "Mia": 1, "Tom": 3}
    assert placed(history)[3] == {"Max": 1, "Mia": 2}


def test_fastest_time_of_a_column_per_player_wins(tmp_path: Path) -> None:
    rows = [
        "2024-01-01,Lake,1h 00m 23s,58m 12s,1:02:11",
        "2024-01-02,Pier,28:11.5,27:55,",
        "2024-01-03,Lake,59.5,1:02,61",
    ]
    history = read(tmp_path, "\n".join(["Date,Route,Anna,Ben,Cleo", *rows]))
    assert "with times, where the fastest wins" in history.recognised
    assert placed(history) == [
        {"Anna": 2, "Ben": 1, "Cleo": 3},
        {"Anna": 2, "Ben": 1},
        {"Anna": 1, "Ben": 3, "Cleo": 2},
    ]


def test_times_in_a_list_with_unknown_headings_are_found_by_the_contents(tmp_path: Path) -> None:
    rows = ["A;Ana;1h 02m 03s", "A;Rui;1h 01m 03s", "B;Ana;59m 10s", "B;Rui;58m 03s", "B;Eva;DNF"]
    history = read(tmp_path, "\n".join(["Etapa;Maratonista;Marca", *rows]))
    assert placed(history) == [{"Ana": 2, "Rui": 1}, {"Ana": 2, "Rui": 1, "Eva": 3}]
    assert "'duration': 'Marca'" in history.recognised


def test_pairs_of_names_with_two_numbers_are_sides_and_not_players(tmp_path: Path) -> None:
    rows = ["Ann,Bob,2,1", "Bob,Cat,1,2", "Cat,Ann,2,1", "Ann,Cat,1,2"]
    history = read(tmp_path, "\n".join(["X,Y,P,Q", *rows]))
    assert history.players == ("Ann", "Bob", "Cat")


@pytest.mark.parametrize(
    "text",
    [
        "Date,Swimmer,A,B\n2024-01-01,Ann,28.1,1:02.3\n2024-01-01,Bob,27.9,1:03.3\n2024-01-08,Ann,28.0,1:01.3\n",
        "Date,Who,First,Whole\n2024-01-01,Ann,28.1,1:02.3\n2024-01-01,Bob,27.9,1:03.3\n2024-01-08,Ann,28.0,1:01.3\n",
    ],
    ids=["a row per swimmer", "splits"],
)
def test_columns_of_distances_or_splits_are_no_players(text: str, tmp_path: Path) -> None:
    with pytest.raises(Error, match="I can't tell what these columns mean"):
        read(tmp_path, text)


def test_series_of_times_is_a_match_per_race(tmp_path: Path) -> None:
    history = read(tmp_path, "Name;R1;R2\nAnn;12:03,4;11:58,0\nBob;12:01,0;DNF\nCat;13:00,2;11:40,9\n")
    assert placed(history) == [{"Ann": 2, "Bob": 1, "Cat": 3}, {"Ann": 2, "Bob": 3, "Cat": 1}]


def test_initials_of_players_are_no_headings_of_a_league_table_and_numbers_of_games_no_places(tmp_path: Path) -> None:
    rows = ["1,Uno,1,2,3", "2,Go,2,1,3", "3,Uno,3,2,1", "4,Go,3,1,2"]
    history = read(tmp_path, "\n".join(["Nr,Game,P,W,L", *rows]))
    assert placed(history)[3] == {"P": 3, "W": 1, "L": 2}


def test_damaged_cells_of_a_sheet_are_problems_on_their_lines(tmp_path: Path) -> None:
    rows = [f"2024-01-{day:02},Fern,{1 + day % 3},{1 + (day + 1) % 3},{1 + (day + 2) % 3}" for day in range(1, 13)]
    sheet = "\n".join(["Date,Cup,Anna,Ben,Cleo", *rows])
    for damage, line in (("2024-01-05,Fern,3", "5-Jan,Fern,3"), ("2024-01-07,Fern,2", "2024-01-07,Fern,x#")):
        with pytest.raises(Error, match=r"line (6|8): "):
            read(tmp_path, sheet.replace(damage, line))
