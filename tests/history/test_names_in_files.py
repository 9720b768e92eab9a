"""Names as people write them: seeds, placeholders, pairs, rosters beside team names, garbled text and spellings."""

import time
from pathlib import Path

import polars as pl
import pytest

from prowess import Error
from prowess.history import History
from prowess.history.names.spelling import plain_spelling, spelt_alike

SEEDS = "winner,loser\nFinn [1],Theo\nTheo,Finn\nFinn [2],Noa [1]\n"
LADDER = "winner,loser\nAnn (1),Bob (6)\nBob (2),Ann (5)\n"
NOBODY = "winner,loser\nAnn,anonymous\nanonymous,Bob\nCat,anonymous\nAnn,Bob\n"
TEAMS = "Home,Away,Home Players,Away Players,HG,AG\nOwls,Foxes,a;b,c;d,1,0\nFoxes,Owls,c;e,a;b,2,1\n"
PAIRS = "Home,Away,Score\nAnn / Bob,Cat / Dan,6-3\nAnn / Cat,Bob / Dan,6-1\nDan / Ann,Cat / Bob,2-6\n"


def read(folder: Path, text: str, **reading: object) -> History:
    file = folder / "games.csv"
    file.write_text(text, encoding="utf-8")
    return History.read(file, **reading)  # type: ignore[arg-type]


def codes(history: History) -> set[str]:
    return {remark.code for remark in history.remarks}


@pytest.mark.parametrize(
    ("text", "reading", "players"),
    [
        (SEEDS, {}, {"Finn", "Theo", "Noa"}),
        (SEEDS, {"seeds": "keep"}, {"Finn", "Finn [1]", "Finn [2]", "Theo", "Noa [1]"}),
        (LADDER, {"seeds": "drop"}, {"Ann", "Bob"}),
        (LADDER, {"seeds": "keep"}, {"Ann (1)", "Ann (5)", "Bob (2)", "Bob (6)"}),
        (NOBODY, {"placeholders": "skip"}, {"Ann", "Bob"}),
        (NOBODY, {"placeholders": "keep"}, {"Ann", "Bob", "Cat", "anonymous"}),
        (TEAMS, {}, set("abcde")),
        (TEAMS, {"columns": {"home": "Home", "away": "Away"}}, {"Owls", "Foxes"}),
        (PAIRS, {}, {"Ann", "Bob", "Cat", "Dan"}),
        (PAIRS, {"rosters": ""}, {"Ann / Bob", "Cat / Dan", "Ann / Cat", "Bob / Dan", "Dan / Ann", "Cat / Bob"}),
        ("winner,loser\nMÃ¼ller,Bob\n", {}, {"Müller", "Bob"}),
        ("winner,loser\nMÃ¼ller,Bob\n", {"encoding": "utf-8"}, {"MÃ¼ller", "Bob"}),
    ],
)
def test_option_named_by_a_remark_or_an_error_gives_the_other_names(
    text: str, reading: dict[str, object], players: set[str], tmp_path: Path
) -> None:
    history = read(tmp_path, text, **reading)
    assert set(history.players) == players
    if not reading:
        assert any(remark.option is not None for remark in history.remarks)


@pytest.mark.parametrize(("text", "option"), [(LADDER, "seeds"), (NOBODY, "placeholders")])
def test_error_names_the_option_that_answers_it(text: str, option: str, tmp_path: Path) -> None:
    with pytest.raises(Error) as caught:
        read(tmp_path, text)
    assert caught.value.field == option
    assert caught.value.hint is not None
    assert caught.value.hint.name == option


def test_second_teams_of_clubs_and_players_who_meet_are_different(tmp_path: Path) -> None:
    clubs = "date,home,away,score\n2026-01-03,Adler,Falke,1-0\n2026-01-03,Adler (2),Falke (2),1-1\n"
    history = read(tmp_path, clubs)
    assert set(history.players) == {"Adler", "Falke", "Adler (2)", "Falke (2)"}
    assert "seeds" in codes(history)
    history = read(tmp_path, "winner,loser\nAnna (1),Anna\nBob,Anna\n")
    assert set(history.players) == {"Anna (1)", "Anna", "Bob"}


def test_placeholder_among_several_players_is_left_out_alone(tmp_path: Path) -> None:
    table = "game,player,place\n1,Ann,1\n1,Bob,2\n1,*,3\n2,Bob,1\n2,Ann,2\n3,Ann,1\n3,*,2\n"
    history = read(tmp_path, table)
    assert [match["teams"] for match in history] == [[["Ann"], ["Bob"]], [["Bob"], ["Ann"]]]


@pytest.mark.parametrize("codec", ["cp1252", "cp1251", "mac_roman", "cp437"])
def test_utf_8_in_the_wrong_encoding_is_mended(codec: str, tmp_path: Path) -> None:
    names = ["Jürgen", "José", "Zoë Böhm"]
    garbled = [name.encode().decode(codec) for name in names]
    rows = "".join(f"{first},{second}\n" for first in garbled for second in garbled if first != second)
    history = read(tmp_path, f"winner,loser\n{rows}")
    assert set(history.players) == set(names)
    assert "garbled-text" in codes(history)


def test_accented_names_are_not_changed(tmp_path: Path) -> None:
    names = ["GUIMARÃES", "SÃO", "ÂNCORA", "BÍŽEK", "Пётр", "Вія", "Ёлкин", "NGUYỄN", "Þór", "CAFÉ™"]
    rows = "".join(f"{name},Bob\n" for name in names)
    assert set(read(tmp_path, f"winner,loser\n{rows}").players) == {*names, "Bob"}


def test_names_of_an_own_frame_are_kept() -> None:
    history = History.from_matches([{"teams": [["Finn [1]", "*"], ["Finn", "MÃ¼ller"]]}, {"teams": [["a"], ["TBD"]]}])
    assert History.from_frame(history.to_frame()) == history


def test_similar_names_are_remarked_in_files_and_frames(tmp_path: Path) -> None:
    text = "winner,loser\nAnn,Bob\nann,Bob\nBob,ANN\nJoao,Bob\nJoão,Bob\n"
    frame = pl.DataFrame({"winner": ["Ann", "ann"], "loser": ["Bob", "Bob"]})
    for history in (read(tmp_path, text), History.from_frame(frame)):
        [remark] = [remark for remark in history.remarks if remark.code == "similar-names"]
        assert "'ann' (1 match)" in str(remark)
    assert "similar-names" not in codes(read(tmp_path, "winner,loser\nAnn,ann\nBob,ANN\n"))


def test_names_that_are_spelt_alike_have_the_same_plain_spelling() -> None:
    names = [
        "Ødegård",
        "odegard",
        "Łukasz K.",
        "lukasz k",
        "王伟",
        "王 伟",
        "D’Arc",
        "d'arc",
        "Straße",
        "STRASSE",
        "Ann",
    ]
    spelt: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        spelt.setdefault(plain_spelling(name), []).append(index)
    assert spelt_alike(names) == [group for group in spelt.values() if len(group) > 1]


def test_search_for_similar_names_is_cheap_for_many_names() -> None:
    names = [f"Player {number} of {number % 97}" for number in range(100_000)]
    start = time.process_time()
    assert spelt_alike(names) == []
    fast, start = time.process_time() - start, time.process_time()
    assert len({plain_spelling(name) for name in names}) == len(names)
    assert fast < time.process_time() - start
