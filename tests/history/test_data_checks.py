"""Checks for suspicious data agree with slow, obvious comparisons."""

import random
from itertools import combinations

import pytest

import prowess as pw
from prowess.history.data_checks import suspicions
from prowess.history.names import spelling as names_module
from prowess.history.names.spelling import nearest, plain_spelling


def distance(one, other):
    """Return the edit distance: letters added, removed or changed, and neighbours swapped (Damerau 1964)."""
    rows = {(i, -1): i + 1 for i in range(-1, len(one))} | {(-1, j): j + 1 for j in range(-1, len(other))}
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            rows[i, j] = min(rows[i - 1, j] + 1, rows[i, j - 1] + 1, rows[i - 1, j - 1] + (a != b))
            if i and j and a == other[j - 1] and one[i - 1] == b:
                rows[i, j] = min(rows[i, j], rows[i - 2, j - 2] + 1)
    return rows[len(one) - 1, len(other) - 1]


def test_all_pairs_of_names_at_edit_distance_one_are_found(monkeypatch):
    monkeypatch.setattr(names_module, "CROWD", 10_000)
    draw = random.Random(1)
    names = sorted({"".join(draw.choices("abé", k=draw.randint(4, 6))) for _ in range(150)})
    expected = [(a, b) for a, b in combinations(range(len(names)), 2) if distance(names[a], names[b]) == 1]
    assert names_module.one_letter_apart(names) == expected
    assert len(expected) > 100


@pytest.mark.parametrize(
    ("one", "other"),
    [("Smith J", "Smith K"), ("Team 1", "Team 2"), ("player10", "player11"), ("ann", "anna"), ("Real A", "Real AB")],
)
def test_names_with_different_numbers_or_initials_are_not_similar(one, other):
    assert names_module.one_letter_apart([one, other]) == []


def league(*names, days=None):
    """Return nine matches of John Smith against Ann Lee, and one match of Ann Lee against each of the names."""
    pairs = [("John Smith", "Ann Lee")] * 9 + [(name, "Ann Lee") for name in names]
    return pw.History.from_matches(
        {"teams": [[a], [b]], "scores": [1, 0], "time": (days or range(99))[k]} for k, (a, b) in enumerate(pairs)
    )


def texts(history, kind):
    return [one.text for one in suspicions(history) if one.kind == kind]


def test_similar_names_are_suspicious_unless_the_two_players_met():
    assert texts(league("Jhon Smith"), "spelling") == ["'Jhon Smith' (1 match) may be 'John Smith' (9 matches)"]
    [text] = texts(league("JOHN  SMITH"), "spelling")
    assert text == "'John Smith' (9 matches) and 'JOHN  SMITH' (1 match) are spelt almost alike"
    assert texts(league("Bob Brown"), "spelling") == []
    met = [{"teams": [["John Smith"], ["Jhon Smith"]]}, *[{"teams": [["John Smith"], ["a"]]}] * 9]
    assert texts(pw.History.from_matches(met), "spelling") == []  # they met, so they are two players


def test_many_suspicions_of_one_kind_are_summarised_by_a_count():
    slips = ["Jhon Smith", "John Smit", "Johm Smith", "John Smiht", "Johnn Smith", "John Smitth", "John Smyth"]
    found = texts(league(*slips), "spelling")
    assert len(found) == 6
    assert found[-1] == "2 more rare names differ by one letter from another name"


def test_checks_report_long_gaps_extreme_scores_and_players_with_one_match():
    days = [*range(12), 100, 101]
    history = league("Bob", "Cat", "Dan", "Eve", "Fay", days=days)
    assert texts(history, "gap") == ["no match between 11.0 and 100.0 (89; 12 matches before, 2 after)"]
    assert texts(history, "single") == ["5 of 7 players have a single match: Bob, Cat, Dan, Eve, Fay"]
    assert texts(league(days=range(0, 90, 9)), "gap") == []
    matches = [{"teams": [["a"], ["b"]], "scores": [k % 4, 1], "id": f"m{k}"} for k in range(40)]
    matches[7]["scores"] = [300, 1]
    assert texts(pw.History.from_matches(matches), "score") == ["m7, a – b: the score 300 is far from all others"]


def test_data_checks_report_nothing_for_an_empty_history():
    assert suspicions(pw.History.from_matches([])) == []


def test_unknown_name_gets_similar_names_as_suggestions():
    names = ["Rosa María", "Rosa Klebb", "Eléonore", "王小明", "Ødegård"]
    assert nearest("rosa maria", names)[0] == "Rosa María"
    assert nearest("odegard", names) == ["Ødegård"]
    assert nearest("Rosa", names) == ["Rosa María", "Rosa Klebb"]
    assert nearest("王小", ["王小明"]) == ["王小明"]
    assert plain_spelling("  O'Neill,  JR. ") == "o'neill jr"
