"""Questions about how to read a file, the answers that they offer, and the effect of an answer."""

from pathlib import Path

import pytest

from prowess.errors import Option
from prowess.history import History
from prowess.history.columns.roles.layout import NoLayout, Suggestion
from prowess.history.read_context import Table
from prowess.history.read_options import Choices
from prowess.history.readers import from_table
from prowess.history.reading.questions import Question, apply_answer, open_questions
from prowess.history.reading.sniff import load

THREE_NUMBERS = "day,who,whom,x,y,z\n31/1/2026,ann,bob,3,1,90\n7/2/2026,cat,ann,2,2,95\n14/2/2026,bob,cat,1,0,91\n"
DATES = "date,player1,player2,score1,score2\n03/04/2026,ann,bob,3,1\n05/04/2026,cat,ann,2,2\n"


def ask(folder: Path, text: str, choices: Choices | None = None) -> dict[str, Question]:
    """Return the questions about a file by their codes."""
    path = folder / "games.csv"
    path.write_text(text, encoding="utf-8")
    table = load(path, choices or Choices())
    assert isinstance(table, Table)
    try:
        findings = from_table(table)
    except ValueError:
        findings = None
    return {question.code: question for question in open_questions(table, findings)}


def test_question_about_results_offers_scores_of_similar_size_first(tmp_path: Path) -> None:
    question = ask(tmp_path, THREE_NUMBERS)["result"]
    first = question.answers[0]
    assert first.reading == {"columns": {"player1": "who", "player2": "whom", "score1": "x", "score2": "y"}}
    assert first.matches == ("ann beat bob 3:1", "cat drew with ann 2:2")
    assert question.current is None


def test_chosen_answer_is_shown_as_the_current_answer_to_its_question(tmp_path: Path) -> None:
    answer = ask(tmp_path, THREE_NUMBERS)["result"].answers[0]
    question = ask(tmp_path, THREE_NUMBERS, apply_answer(Choices(), answer))["result"]
    assert question.answers[question.current or 0] == answer


def test_question_about_ambiguous_dates_offers_both_readings(tmp_path: Path) -> None:
    question = ask(tmp_path, DATES)["day_first"]
    assert [answer.reading for answer in question.answers] == [{"day_first": True}, {"day_first": False}]
    assert question.current == 0
    assert question.answers[1].matches[0] == "ann beat bob 3:1 on 2026-03-04"


def test_file_with_familiar_columns_leaves_no_question_open(tmp_path: Path) -> None:
    assert ask(tmp_path, "date,home,away,hg,ag\n2026-01-31,ann,bob,1,0\n") == {}
    assert ask(tmp_path, "winner,loser\nann,bob\n") == {}


def test_error_for_an_unknown_layout_has_a_suggestion_as_an_attribute(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text(THREE_NUMBERS, encoding="utf-8")
    with pytest.raises(NoLayout) as caught:
        History.read(path)
    assert caught.value.suggestion == Suggestion(
        {"player1": "who", "player2": "whom", "score1": "x", "score2": "y"},
        ("ann beat bob 3:1", "cat drew with ann 2:2"),
    )
    assert caught.value.hint == Option("columns", caught.value.suggestion.roles)


def test_suggested_mapping_keeps_the_columns_that_the_user_mapped(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text(THREE_NUMBERS, encoding="utf-8")
    with pytest.raises(NoLayout) as caught:
        History.read(path, columns={"team1": "whom", "team2": "who"})
    suggestion = caught.value.suggestion
    assert suggestion is not None
    assert suggestion.roles == {"team1": "whom", "team2": "who", "score1": "x", "score2": "y"}


@pytest.mark.parametrize("text", ["a,b\n", "a\nann\n", "Pos,Team,P,W\n1,Ash,9,7\n2,Elm,9,6\n"])
def test_error_omits_column_suggestions_if_the_file_cannot_be_interpreted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "games.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NoLayout) as caught:
        History.read(path)
    assert caught.value.suggestion is None


@pytest.mark.parametrize(
    "columns",
    [{"home": "x", "away": "y", "winner": None}, {"winner": None, "loser": "y"}, {"winner": "x", "loser": None}],
)
def test_questions_can_be_answered_even_if_the_user_mapped_a_role_to_no_column(
    tmp_path: Path, columns: dict[str, str | None]
) -> None:
    text = "x,y,hg,ag\nann,bob,3,1\nbob,cat,2,2\n"
    for question in ask(tmp_path, text, Choices(columns=columns)).values():
        assert all(answer.reading for answer in question.answers)
