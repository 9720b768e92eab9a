"""Questions that a file leaves open, and their possible answers, as data that a terminal or a form can present.

Each answer holds the options of `History.read` that it sets. After an answer, read the file again with
`apply_answer` and find the questions again: one answer may also answer other questions, or raise new ones.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...errors import Remark
from ..columns.roles.layout import Shape
from ..columns.roles.suggestions import Contents, MatchColumns
from ..read_context import Findings, Table, quote_value
from ..read_options import Choices
from ..readers import read_sample
from ..sentences import describe_matches

MATCHES = 2  # matches described for each answer


@dataclass(frozen=True)
class Answer:
    """A possible answer: its label, the options of `History.read` that it sets, and a few matches.

    `matches` describes the first matches of the file, as read with these options.
    """

    label: str
    reading: Mapping[str, Any]
    matches: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """An open question and its answers, likeliest first; `current` is the index of the answer in use, if any.

    `code` is `sheet`, `sides`, `result`, `home`, `day_first` or `duplicates`, and does not depend on the wording.
    """

    code: str
    text: str
    answers: tuple[Answer, ...]
    current: int | None = None


def apply_answer(choices: Choices, answer: Answer) -> Choices:
    """Return the reading options after an answer was chosen.

    >>> apply_answer(Choices(), Answer("day first", {"day_first": True})).day_first
    True
    """
    return replace(choices, **answer.reading)


def open_questions(table: Table, findings: Findings | None = None) -> tuple[Question, ...]:
    """Return the questions that a table leaves open.

    `findings` is the result of reading the table, or None if reading failed.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"a": ["Ann", "Cat"], "b": ["Bob", "Ann"], "c": [3, 1], "d": [1, 2], "e": [7, 5]})
    >>> [question.code for question in open_questions(Table(frame, "the frame"))]
    ['sides', 'result']
    """
    questions = (_sheet(table), *_columns(table, findings), *_remarks(table, findings))
    least = {"sides": 1} if findings is None else {}  # even a single answer shows how the file would be read
    return tuple(
        question
        for question in questions
        if question is not None and len(question.answers) >= least.get(question.code, 2)
    )


def _sheet(table: Table) -> Question | None:
    names = table.sheets
    if len(names) < 2:
        return None
    answers = tuple(Answer(quote_value(name), {"sheet": name}) for name in names)
    joined = any(remark.code == "sheets" for remark in table.remarks)  # several sheets are read
    current = names.index(table.choices.sheet) if table.choices.sheet in names else None if joined else 0
    return Question("sheet", "Which sheet holds the matches?", answers, current)


def _columns(table: Table, findings: Findings | None) -> Iterator[Question | None]:
    """Yield the questions about columns, if the column names leave them open or the user has mapped columns."""
    codes = set() if findings is None else {remark.code for remark in findings.history.remarks}
    settled = findings is not None and not table.choices.columns and "inferred-columns" not in codes
    chosen = MatchColumns.of(table.choices.columns or {})
    if findings is not None and findings.layout is not None and len(findings.layout.sides) == 2:
        chosen = chosen or MatchColumns.of(findings.layout.roles)
    contents = None if settled else Contents.of(table)
    if contents is not None:
        pairs = contents.sides()
        if chosen is not None and chosen.sides not in [pair.sides for pair in pairs]:
            pairs = [replace(chosen, result=()), *pairs]
        sides = [columns for pair in pairs if (columns := _best_result(table, contents, pair, chosen)) is not None]
        wide = [_answer(table, _label_sides(pair), pair.roles) for pair in sides]
        long = [_answer(table, _label_players(roles), roles) for roles in contents.players()]
        answers = [*wide, *long] if contents.names_recur else [*long, *wide]
        yield _question("sides", "Which columns are the sides of a match?", answers, table.choices)
        if chosen is None and sides and (contents.names_recur or not any(long)):
            chosen = sides[0]
        if chosen is not None:
            results = contents.results(chosen)
            answers = [_answer(table, _label_result(columns), columns.roles) for columns in results]
            yield _question("result", "Which columns say who won?", answers, table.choices)
    if chosen is not None and chosen.result and _may_be_at_home(findings, settled):
        yield _home(table, chosen, settled)


def _question(code: str, text: str, answers: list[Answer | None], choices: Choices) -> Question:
    # An answer is None if the file cannot be read that way.
    readable = tuple(answer for answer in answers if answer is not None)
    current = next((k for k, answer in enumerate(readable) if apply_answer(choices, answer) == choices), None)
    return Question(code, text, readable, current)


def _answer(table: Table, label: str, roles: Mapping[str, str | None]) -> Answer | None:
    """Return an answer that maps columns to roles; None if the first rows cannot be read with these roles."""
    # Times are ignored, so that the first matches are the first rows.
    findings = read_sample(table, columns={**roles, "time": None})
    if findings is None:
        return None
    return Answer(label, {"columns": dict(roles)}, tuple(describe_matches(findings.history, MATCHES)))


def _best_result(
    table: Table, contents: Contents, sides: MatchColumns, chosen: MatchColumns | None
) -> MatchColumns | None:
    """Return the sides with the current result columns if they can be read, else with the likeliest result columns."""
    kept = [replace(sides, result=chosen.result, home=chosen.home)] if chosen is not None else []
    candidates = [*kept, *contents.results(sides)]
    return next((columns for columns in candidates if read_sample(table, columns=columns.roles) is not None), None)


def _label_sides(columns: MatchColumns) -> str:
    return " against ".join(" and ".join(map(quote_value, side.split("+"))) for side in columns.sides)


def _label_players(roles: Mapping[str, str | None]) -> str:
    return f"each row is one player in {roles['player']!r}, and {roles['match']!r} identifies the match"


def _label_result(columns: MatchColumns) -> str:
    if not columns.result:
        return f"{quote_value(columns.sides[0])} always won"
    if len(columns.result) == 1:
        return f"{quote_value(columns.result[0])} is the result"
    return f"{quote_value(columns.result[0])} and {quote_value(columns.result[1])} are the scores"


def _may_be_at_home(findings: Findings | None, settled: bool) -> bool:
    """Return whether the first side may be the home team even if no column name says so."""
    if findings is None or findings.layout is None:
        return False
    layout = findings.layout
    teams = layout.shape == Shape.SIDES and any(role.startswith("team") for role in layout.roles)
    return not settled or (teams and "neutral" not in layout.roles and findings.history.home is None)


def _home(table: Table, columns: MatchColumns, settled: bool) -> Question:
    answers = [_answer(table, "no", replace(columns, home=False).roles)]
    if not any("+" in side for side in columns.sides):
        label = f"yes, {quote_value(columns.sides[0])} is the home team"
        answers.append(_answer(table, label, replace(columns, home=True).roles))
    if settled and answers[0] is not None:
        answers[0] = replace(answers[0], reading={"columns": None})  # "no" is how the file is read without options
    question = _question("home", "Does the first side play at home?", answers, table.choices)
    return replace(question, current=int(columns.home) if len(question.answers) == 2 else question.current)


def _remarks(table: Table, findings: Findings | None) -> Iterator[Question]:
    history = None if findings is None else findings.history
    for remark in () if history is None else history.remarks:
        if make := _QUESTIONS.get(remark.code):
            yield make(table, remark)
    if history is not None and table.choices.day_first is not None and history.time_kind in ("date", "timestamp"):
        yield _day_first(table, None)


def _day_first(table: Table, remark: Remark | None) -> Question:
    answers = []
    for first, label in ((True, "the day is first"), (False, "the month is first")):
        findings = read_sample(table, day_first=first)
        matches = () if findings is None else tuple(describe_matches(findings.history, MATCHES))
        answers.append(Answer(label, {"day_first": first}, matches))
    current = table.choices.day_first
    if current is None and remark is not None and remark.option is not None:
        current = not remark.option.value  # the option in the remark gives the reading that is not in use
    return Question(
        "day_first", "How are the dates written?", tuple(answers), None if current is None else int(not current)
    )


def _duplicates(table: Table, remark: Remark) -> Question:
    answers = (
        Answer("each row is a match", {"duplicates": "keep"}),
        Answer("they are the same match", {"duplicates": "once"}),
    )
    return Question("duplicates", f"Are the {remark.count} similar rows separate matches?", answers, 0)


_QUESTIONS: dict[str, Callable[[Table, Remark], Question]] = {
    "day-month-order": _day_first,
    "repeated-rows-counted": _duplicates,
    "mirrored-rows-counted": _duplicates,
}
