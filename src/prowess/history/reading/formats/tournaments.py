"""Read the JSON that the APIs of Challonge, start.gg and Toornament return."""

import re
from typing import Any

from ....errors import Option, Remark
from ....text import count
from ...read_context import Table
from ...read_options import Choices
from .exports import (
    Entry,
    ExportedMatches,
    JsonObject,
    choose_keys,
    find_objects,
    number_or_none,
    places,
    time_reader,
    unix_time,
)

_SET = re.compile(r"\s*(-?\d+)\s*[-:]\s*(-?\d+)\s*")
_TIMES = ("completed_at", "underway_at", "started_at")  # keys of times in Challonge
_STARTGG_TIMES = ("completedAt", "startedAt", "startAt")
_COMPLETED = (3, "3", "COMPLETED")  # values of a completed state in start.gg
# The place for each result: version 2 of Toornament's API has words, version 1 has numbers.
_RESULTS = {"win": 1, "draw": 1, "loss": 2, 1: 1, 2: 1, 3: 2}

# Keys that hold the context of a match, with the names of their columns.
_CHALLONGE = {"round": "round", "group_id": "group", "location": "location"}
_STARTGG = {"fullRoundText": "round", "totalGames": "best_of", "setGamesType": "games"}
_TOORNAMENT = {"type": "type", "stage_id": "stage", "group_id": "group", "round_id": "round", "public_note": "note"}


def read_challonge(document: Any, title: str, choices: Choices) -> Table | None:
    """Read a tournament of Challonge, whose matches name participants by their ids; None for another format."""
    listed = [match for match in find_objects(document, "scores_csv") if "player1_id" in match]
    if not listed:
        items = find_objects(document, "attributes")
        listed = [_as_version_1(match) for match in items if match.get("type") == "match"]
    if not listed:
        return None
    matches = ExportedMatches(title, choices, "Challonge")
    names, seeds = _challonge_names(document)
    if not names:
        text = (
            "the file has no participants, so players are named by their ids; to get names, export the tournament "
            "with its participants"
        )
        matches.remarks.append(Remark("player-ids", (text,)))
    numbered = list(enumerate(listed, 1))
    for number, match in numbered:
        if match.get("state", "complete") != "complete":
            matches.skip(number, "not-played")
        elif match.get("player1_id") is None or match.get("player2_id") is None:
            matches.skip(number, "byes")
    unplayed = {number for numbers in matches.skipped.values() for number in numbers}
    played = [(number, match) for number, match in numbered if number not in unplayed]
    played.sort(key=lambda one: one[1].get("suggested_play_order") or 0)
    time_of = time_reader([match for _, match in played], _TIMES)
    for number, match in played:
        _add_challonge(matches, number, match, names, seeds, time_of(match))
    several = sum(len(_sets(match)) > 1 for _, match in played)
    if several:
        _note_sets(matches, several)
    return matches.table()


def _add_challonge(
    matches: ExportedMatches,
    number: int,
    match: JsonObject,
    names: dict[str, str],
    seeds: dict[str, object],
    time: str,
) -> None:
    sides, winner, sets = (match["player1_id"], match["player2_id"]), match.get("winner_id"), _sets(match)
    is_walkover = match.get("forfeited") or any(min(points) < 0 for points in sets)
    if is_walkover and matches.skip_walkover(number):
        return
    scores = None if is_walkover else _score(sets, matches.choices)
    if winner not in sides and scores is not None and scores[0] != scores[1]:
        matches.reject(number, f"no winner is named, but the score is {scores[0]}-{scores[1]}")
        return
    entries = [
        Entry(
            (names.get(str(side), str(side)),),
            1 if winner == side or winner not in sides else 2,
            score,
            [{"seed": seeds.get(str(side))}],
        )
        for side, score in zip(sides, scores or (None, None), strict=True)
    ]
    context = choose_keys(match, _CHALLONGE) | ({"sets": match["scores_csv"]} if len(sets) > 1 else {})
    matches.add(number, entries, time, match.get("id"), context=context)


def _as_version_1(match: JsonObject) -> JsonObject:
    # Version 2 of the API nests attributes and relations.
    values = {**match["attributes"], **(match["attributes"].get("timestamps") or {})}
    points = values.get("points_by_participant") or []
    sides = [str(side.get("participant_id")) for side in points if side.get("participant_id") is not None]
    for number, player in enumerate(("player1", "player2")):
        related = ((match.get("relationships") or {}).get(player) or {}).get("data") or {}
        side = related.get("id") or (sides[number] if number < len(sides) else None)
        values[f"{player}_id"] = None if side is None else str(side)
    winner = values.get("winner_id")
    sets = zip(*(side.get("scores") or [] for side in points), strict=False) if len(points) == 2 else ()
    values["scores_csv"] = ",".join(f"{first}-{second}" for first, second in sets)
    return values | {"id": match.get("id"), "winner_id": None if winner is None else str(winner)}


def _challonge_names(document: Any) -> tuple[dict[str, str], dict[str, object]]:
    # Participants have other ids in group stages.
    names: dict[str, str] = {}
    seeds: dict[str, object] = {}
    listed = list(find_objects(document, "participant"))
    people = [value["participant"] for value in listed if isinstance(value["participant"], dict)]
    people += [person for value in find_objects(document, "participants") for person in _objects(value["participants"])]
    for value in find_objects(document, "type"):
        if value["type"] == "participant" and isinstance(value.get("attributes"), dict):
            people.append({**value["attributes"], "id": value.get("id")})
    for person in people:
        person = person.get("participant", person)
        name = next((person[key] for key in ("name", "display_name", "username") if person.get(key)), None)
        for key in (person.get("id"), *(person.get("group_player_ids") or ())):
            if name is not None and key is not None:
                names[str(key)] = str(name)
                seeds[str(key)] = person.get("seed")
    return names, seeds


def _objects(value: Any) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _sets(match: JsonObject) -> list[tuple[int, int]]:
    # The result is empty if the scores of the sets cannot be read.
    parts = [part for part in str(match.get("scores_csv") or "").split(",") if part.strip()]
    sets = [_SET.fullmatch(part) for part in parts]
    return [(int(one[1]), int(one[2])) for one in sets if one is not None] if all(sets) else []


def _score(sets: list[tuple[int, int]], choices: Choices) -> tuple[int, int] | None:
    """Return the score of a match; None if there are no sets.

    The score of a match with several sets counts the sets won, or the points if the option `score_unit` is "points".
    """
    if not sets:
        return None
    if len(sets) == 1 or choices.score_unit == "points":
        return sum(first for first, _ in sets), sum(second for _, second in sets)
    return sum(first > second for first, second in sets), sum(first < second for first, second in sets)


def _note_sets(matches: ExportedMatches, number: int) -> None:
    counted, other = ("points", "sets") if matches.choices.score_unit == "points" else ("sets", "points")
    text = f"{count(number, 'match has', 'matches have')} several sets: {counted} are counted; use "
    matches.remarks.append(Remark("sets", (text, Option("score_unit", other), f" to count {other}"), count=number))


def read_startgg(document: Any, title: str, choices: Choices) -> Table | None:
    """Read sets of start.gg, whose slots hold an entrant and a standing; None for another format."""
    listed = [found for found in find_objects(document, "slots") if isinstance(found["slots"], list)]
    if not listed or not any("entrant" in slot for found in listed for slot in _objects(found["slots"])):
        return None
    matches = ExportedMatches(title, choices, "start.gg", "set")
    teams = 0
    for number, played in enumerate(listed, 1):
        slots = _objects(played["slots"])
        entrants = [slot.get("entrant") or {} for slot in slots]
        standings = [slot.get("standing") or {} for slot in slots]
        values = [number_or_none(((one.get("stats") or {}).get("score") or {}).get("value")) for one in standings]
        winner, placements = played.get("winnerId"), [one.get("placement") for one in standings]
        if len(slots) < 2 or any(entrant.get("name") is None for entrant in entrants):
            matches.skip(number, "byes" if winner is not None else "not-played")
            continue
        if "state" in played and played["state"] not in _COMPLETED:
            matches.skip(number, "not-played")
            continue
        disqualified = played.get("displayScore") == "DQ" or min(value or 0 for value in values) < 0
        if disqualified and matches.skip_walkover(number):
            continue
        ids = [entrant.get("id") for entrant in entrants]
        decided = len(slots) == 2 and winner is not None and winner in ids
        results = [1 if key == winner else 2 for key in ids] if decided else [None]
        if (ranks := _ranks(results, placements, values)) is None:
            matches.skip(number, "not-played")
            continue
        players = [_players(entrant, choices) for entrant in entrants]
        kept = [None] * len(slots) if disqualified else values
        seeds = [entrant.get("initialSeedNum") for entrant in entrants]
        context = [[{"seed": seed}] * len(team) for seed, team in zip(seeds, players, strict=True)]
        entries = [Entry(*entry) for entry in zip(players, ranks, kept, context, strict=True)]
        time = next(filter(None, (unix_time(played.get(key)) for key in _STARTGG_TIMES)), "")
        if matches.add(number, entries, time, played.get("id"), context=choose_keys(played, _STARTGG)):
            teams += any(len(team) > 1 for team in players)
    if teams:
        text = f"entrants with several participants are read as teams ({count(teams, 'set', 'sets')}); use "
        pieces = (text, Option("rosters", ""), " to rate each entrant as one player")
        matches.remarks.append(Remark("rosters", pieces, count=teams))
    return matches.table()


def _ranks(results: list[Any], placements: list[Any], scores: list[Any]) -> list[int] | None:
    """Return the places of the teams: their results if all are known, else their placements or scores."""
    if None not in results:
        return results
    if all(isinstance(place, int) and place > 0 for place in placements):
        return places([-place for place in placements])
    return None if None in scores else places(scores)


def _players(entrant: JsonObject, choices: Choices) -> tuple[str, ...]:
    # A player without partners is named after the entrant.
    tags = [person.get("gamerTag") for person in _objects(entrant.get("participants"))]
    if len(tags) > 1 and all(tags) and choices.rosters != "":
        return tuple(map(str, tags))
    return (str(entrant["name"]),)


def read_toornament(document: Any, title: str, choices: Choices) -> Table | None:
    """Read matches of Toornament, whose opponents hold a participant; None for another format."""
    listed = [found for found in find_objects(document, "opponents") if isinstance(found["opponents"], list)]
    if not listed or not any("participant" in one for found in listed for one in _objects(found["opponents"])):
        return None
    matches = ExportedMatches(title, choices, "Toornament")
    completed = [played for played in listed if _is_completed(played)]
    time_of = time_reader(completed, ("played_at", "scheduled_datetime", "date"))
    for number, played in enumerate(listed, 1):
        opponents = _objects(played["opponents"])
        names = [(one.get("participant") or {}).get("name") for one in opponents]
        results = [_RESULTS.get(one.get("result")) for one in opponents]
        if not _is_completed(played):
            matches.skip(number, "not-played")
            continue
        if len(names) < 2 or None in names:
            matches.skip(number, "byes")
            continue
        forfeits = [bool(one.get("forfeit")) for one in opponents]
        if any(forfeits) and matches.skip_walkover(number):
            continue
        values = [None if any(forfeits) else number_or_none(one.get("score")) for one in opponents]
        if (ranks := _ranks(results, [one.get("rank") for one in opponents], values)) is None:
            matches.skip(number, "not-played")
            continue
        entries = [Entry((str(name),), rank, value) for name, rank, value in zip(names, ranks, values, strict=True)]
        matches.add(number, entries, time_of(played), played.get("id"), context=choose_keys(played, _TOORNAMENT))
    return matches.table()


def _is_completed(played: JsonObject) -> bool:
    return bool(played.get("status", "completed") == "completed")
