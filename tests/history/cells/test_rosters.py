import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.history.cells.rosters import rosters

from .tables import table, wrong

WHOLE = "; use `rosters=''` to read each cell as one name"


def split(cells: list[Any], sure: bool = False, **choices: Any) -> Any:
    """Read one column of rosters."""
    [lists], _ = rosters(table(cells, **choices), ["a"], sure=sure)
    return lists.to_list()


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        *((f"ann{mark}bob", ["ann", "bob"]) for mark in (
            ";", "; ", " ; ", "|", " | ", "+", " + ", "\n", "\r\n", "\t", "&", " & ", "/", " / ", ",", ", ",
            " and ", " und ",
            " et ", " y ", " и ", " - ",
        )),
        ("ann;bob;", ["ann", "bob"]), (",ann,bob", ["ann", "bob"]), ("ann, bob and cat", ["ann", "bob", "cat"]),
        ("ann, bob, and cat", ["ann", "bob", "cat"]), ("ann, bob & cat", ["ann", "bob", "cat"]),
        ('["ann", "bob"]', ["ann", "bob"]),
        ("['ann', 'bob']", ["ann", "bob"]), ("""['ann', "O'Brien"]""", ["ann", "O'Brien"]),
        ("{ann,bob}", ["ann", "bob"]),
        ('{ann,"Smith, J."}', ["ann", "Smith, J."]), ("(ann, bob)", ["ann", "bob"]), ("[1, 2]", ["1", "2"]),
        ('["ann"]', ["ann"]),
        (r'["Jos\u00e9", "a \"b\" c"]', ["José", 'a "b" c']), ('"Smith, J."; "Doe, A."', ["Smith, J.", "Doe, A."]),
        ('"Smith, J.", "Doe, A."', ["Smith, J.", "Doe, A."]), ("O'Brien;O'Neil", ["O'Brien", "O'Neil"]),
        ("[]", []), ("", None),
        ("'t Hooft, 'n Roll", ["'t Hooft", "'n Roll"]), ('Jim "Bolt" Ray, Bob', ['Jim "Bolt" Ray', "Bob"]),
        ("ann", ["ann"]),
        ("Jean-Luc", ["Jean-Luc"]), ("张伟;李娜", ["张伟", "李娜"]), ("👑 ann | bob 🎉", ["👑 ann", "bob 🎉"]),
        ("andy", ["andy"]),
    ],
)  # fmt: skip
def test_common_roster_notations_are_read(cell: str, names: list[str] | None) -> None:
    assert split([cell]) == [names]


def test_all_columns_share_one_roster_separator() -> None:
    cells = table(["Smith & Sons; ann", "bob & cat"], ["dan", "eve/fay"])
    lists, separator = rosters(cells, ["a", "b"])
    assert [one.to_list() for one in lists] == [[["Smith & Sons", "ann"], ["bob & cat"]], [["dan"], ["eve/fay"]]]
    assert separator == ";"
    assert list(map(str, cells.remarks)) == [f"rosters are split at ';'{WHOLE}"]


def test_separator_that_occurs_in_few_cells_splits_only_columns_known_to_hold_rosters() -> None:
    names = ["Brighton & Hove Albion", "Arsenal", "Chelsea"]
    cells = table(names)
    assert rosters(cells, ["a"])[0][0].to_list() == [[name] for name in names]
    assert list(map(str, cells.remarks)) == [
        "'Brighton & Hove Albion' is read as one name; use `rosters='&'` to split it"
    ]
    assert split(names, sure=True)[0] == ["Brighton", "Hove Albion"]
    assert split(names, rosters="&")[0] == ["Brighton", "Hove Albion"]


def test_roster_column_may_mix_lists_with_commas_and_pairs_joined_by_the_word_and() -> None:
    cells = ["ann, bob, cat", "dan & eve", "fay, gus", "hal and ida"]
    assert split(cells, sure=True) == [["ann", "bob", "cat"], ["dan", "eve"], ["fay", "gus"], ["hal", "ida"]]
    assert split(["Smith, J. / Doe, A.", "ann / bob"], sure=True)[1] == ["ann", "bob"]


def test_rosters_option_sets_the_separator() -> None:
    assert split(["a;b", "c"], rosters="") == [["a;b"], ["c"]]
    assert split(["a;b/c", "c"], rosters="/") == [["a;b", "c"], ["c"]]
    assert split(["a and b", "Sand", "c"], rosters="and") == [["a", "b"], ["Sand"], ["c"]]
    assert split(["a\nb"], rosters="\\n") == [["a", "b"]]
    assert split(["a :: b"], rosters="::") == [["a", "b"]]


def test_empty_name_within_a_roster_is_a_problem() -> None:
    cells = table(["ann;;bob", "cat", "dan; ;eve"])
    rosters(cells, ["a"])
    assert wrong(cells) == ["ann;;bob", "dan; ;eve"]


def test_polars_list_columns_are_read_as_rosters() -> None:
    cells = table([["ann ", "bob"], [], None, ["cat", None], ["a;b"]])
    lists, separator = rosters(cells, ["a"])
    assert lists[0].to_list()[:3] == [["ann", "bob"], [], None]
    assert separator is None
    assert [problem.row for problem in cells.problems] == [3]
    assert rosters(table([[1, 2]]), ["a"])[0][0].to_list() == [["1", "2"]]


def test_roster_cell_is_one_name_if_splitting_is_off() -> None:
    [lists], separator = rosters(table(["ann;bob", "[x]"]), ["a"], split=False)
    assert (lists.to_list(), separator) == ([["ann;bob"], ["[x]"]], None)


NAMES = st.text(st.characters(categories=["L"]), min_size=1, max_size=8).filter(lambda name: len(name) > 3)


@given(
    st.lists(st.lists(NAMES, min_size=2, max_size=4), min_size=1), st.sampled_from([";", " | ", "+", ", ", " / ", "\n"])
)
def test_written_rosters_are_read_back_unchanged(teams: list[list[str]], mark: str) -> None:
    assert split([mark.join(team) for team in teams]) == teams


@given(st.lists(st.lists(st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1), min_size=1), min_size=1))
def test_rosters_written_as_json_lists_are_read_back_unchanged(teams: list[list[str]]) -> None:
    teams = [[name.strip() or "x" for name in team] for team in teams]
    assert split([json.dumps(team) for team in teams]) == teams
