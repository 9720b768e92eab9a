"""Matches in the body of a request: one, a list, or one a line; read once, and straight into plain mappings."""

from __future__ import annotations

import re
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import Problem, path_of
from .schemas.matches import Match, Matches

MOST = 10_000  # matches at once
LINES = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
JSON = ("application/json", "text/json", "")

_MATCH: TypeAdapter[Any] = TypeAdapter(Match)
_LIST: TypeAdapter[Any] = TypeAdapter(list[Match])
_NAMED: TypeAdapter[Any] = TypeAdapter(Matches)
_BEGINNING = re.compile(rb'\s*(\[|\{\s*"matches"\s*:)?')

_SCHEMA = _MATCH.json_schema()
_SCHEMAS = {"type": "array", "items": _SCHEMA, "minItems": 1, "maxItems": MOST, "title": "Matches"}
_WRAPPED = {"type": "object", "properties": {"matches": _SCHEMAS}, "required": ["matches"]}

# What the document of the API says of the bodies.
ONE = {"requestBody": {"required": True, "content": {"application/json": {"schema": _SCHEMA}}}}
SEVERAL = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"anyOf": [_SCHEMA, _SCHEMAS, _WRAPPED | {"additionalProperties": False}]},
                "examples": {
                    "one": {"summary": "One match", "value": _SCHEMA["examples"][0]},
                    "several": {"summary": "Several", "value": {"matches": _SCHEMA["examples"]}},
                },
            },
            LINES[0]: {
                "schema": {"type": "string", "description": "A match a line."},
                "example": '{"teams": [["ann"], ["bob"]]}\n{"teams": [["bob"], ["cat"]], "scores": [2, 2]}\n',
            },
        },
    }
}


def match_of(kind: str, body: bytes) -> dict[str, Any]:
    """The one match of a body of JSON.

    >>> match_of("application/json", b'{"teams": [["ann"], ["bob"]]}')
    {'teams': [['ann'], ['bob']]}
    """
    if _media(kind) not in JSON:
        raise _unknown(kind, JSON[0])
    try:
        found: dict[str, Any] = _MATCH.validate_json(body)
    except ValidationError as error:
        raise _problem(error) from None
    return found


def matches_of(kind: str, body: bytes) -> tuple[list[dict[str, Any]], bool]:
    """The matches of a body, and whether it is a single one that stands in no list.

    >>> matches_of("application/json", b'[{"teams": [["ann"], ["bob"]]}]')
    ([{'teams': [['ann'], ['bob']]}], False)
    >>> matches_of("application/x-ndjson", b'{"teams": [["ann"], ["bob"]]}')
    ([{'teams': [['ann'], ['bob']]}], False)
    """
    media = _media(kind)
    if media in LINES:
        return _counted(_lines(body)), False
    if media not in JSON:
        raise _unknown(kind, f"{JSON[0]} or {LINES[0]}")
    beginning = _BEGINNING.match(body)
    try:
        if beginning is None or beginning[1] is None:
            return [_MATCH.validate_json(body)], True
        if beginning[1] == b"[":
            return _counted(_LIST.validate_json(body)), False
        return _counted(_NAMED.validate_json(body)["matches"]), False
    except ValidationError as error:
        raise _problem(error, "matches" if beginning is not None and beginning[1] == b"[" else "") from None


def _lines(body: bytes) -> list[dict[str, Any]]:
    """A match a line; empty lines are none."""
    found: list[dict[str, Any]] = []
    add, read = found.append, _MATCH.validate_json
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line or line.isspace():
            continue
        if len(found) == MOST:
            raise _too_many(f"more than {MOST:,}")
        try:
            add(read(line))
        except ValidationError as error:
            raise _problem(error, "matches", len(found), line=number) from None
    return found


def _counted(matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(matches) > MOST:
        raise _too_many(f"{len(matches):,}")
    if not matches:
        none = "there is no match"
        raise Problem(422, none, errors=[{"field": "matches", "detail": none}])
    return matches


def _too_many(found: str) -> Problem:
    return Problem(
        413, f"at most {MOST:,} matches can be sent at once, not {found}: send them in parts, or import a file"
    )


def _media(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


def _unknown(kind: str, right: str) -> Problem:
    return Problem(415, f"the body must be {right}, as its Content-Type says, not {kind!r}")


def _problem(error: ValidationError, *place: str | int, line: int | None = None) -> Problem:
    """What is wrong with a body, by its fields; of a time, which may be two things, only once."""
    where = "" if line is None else f"line {line}: "
    found: dict[str, str] = {}
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        if one["type"] == "json_invalid":
            reason = one["msg"].removeprefix("Invalid JSON: ")
            return Problem(400, f"{where}the body is no valid JSON: {reason}")
        steps = [step for step in (*place, *one["loc"]) if step != ""]
        time = steps.index("time") if "time" in steps else None
        detail = one["msg"] if time is None else "Input should be a date, a time or a number"
        found.setdefault(path_of(steps[: None if time is None else time + 1]) or "body", f"{where}{detail}")
    field, detail = next(iter(found.items()))
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    errors = [{"field": name, "detail": text} for name, text in found.items()]
    return Problem(422, f"{field}: {detail}{more}", errors=errors)
