"""A league as a plain list of matches; tests of the store compare their league with it.

The oracle keeps only the matches with their sequence numbers and times; ratings come from a new fit of all matches.
"""

import copy
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np

import prowess as pw
from prowess.model.fit.sweeps import run_sweep

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class IdTaken(Exception):
    """Raised if the id belongs to another match."""


@dataclass
class RecordedMatch:
    """A match of the league: its sequence number, its time, and its body without id and time."""

    seq: int
    time: float
    body: dict[str, Any]


@dataclass
class League:
    """A league with all changes that were made to it."""

    model: pw.Model
    clock: str
    revision: int = 0
    posted: int = 0
    matches: dict[str, RecordedMatch] = field(default_factory=dict)
    first: dict[str, dict[str, Any]] = field(default_factory=dict)  # the body that was first posted under an id
    numbers: dict[str, int] = field(default_factory=dict)
    log: list[tuple[int, int, str, str, float]] = field(default_factory=list)  # revision, seq, id, kind, time
    seasons: list[tuple[float, float, float]] = field(default_factory=list)  # start, carry, tau
    chains: dict[str, str] = field(default_factory=dict)  # aliases, each with the name to which it leads
    given: dict[str, dict[str, str]] = field(default_factory=dict)  # by match id: the posted name of each player

    def copy(self) -> "League":
        return copy.deepcopy(self)

    def post(self, matches: list[tuple[str, float, dict[str, Any]]]) -> list[bool]:
        """Add all matches (id, time, body) or none, and return which of them were already recorded.

        The matches of one post are numbered in chronological order; matches of the same time keep their order.
        """
        for name, time, body in matches:
            body = self.named(body)
            if name in self.first:
                first = self.first[name]
                if self._content(time, body) not in (first, self.named(first), self.now(name)):
                    raise IdTaken(name)
        repeated = [name in self.first for name, _, _ in matches]
        for name, time, body in sorted(matches, key=lambda match: match[1]):
            if name not in self.first:
                self.posted += 1
                self._give(name, body)
                body = self.named(body)
                self.first[name], self.numbers[name] = self._content(time, body), self.posted
                self._write(name, self.posted, "post", time, body)
        if not all(repeated):
            self.revision += 1
        return repeated

    def now(self, name: str) -> dict[str, Any] | None:
        """Return a match after all corrections; None if it was deleted."""
        kept = self.matches.get(name)
        return kept and self._content(kept.time, kept.body)

    def edit(self, name: str, time: float, body: dict[str, Any]) -> bool:
        """Replace a match, even a deleted one; the sequence number stays the same."""
        seq, as_given = self.numbers[name], body
        body = self.named(body)
        if name in self.matches and self.matches[name] == RecordedMatch(seq, time, body):
            return False
        self._give(name, as_given)
        self._write(name, seq, "edit", time, body)
        self.revision += 1
        return True

    def delete(self, name: str) -> bool:
        """Delete a match; its id cannot be used for another match."""
        if name not in self.matches:
            return False
        gone = self.matches.pop(name)
        self.given.pop(name, None)
        self.log.append((self.revision + 1, gone.seq, name, "delete", gone.time))
        self.revision += 1
        return True

    def player(self, name: str) -> str:
        """Return the player to whom a name or an alias refers."""
        while name in self.chains:
            name = self.chains[name]
        return name

    def named(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a match in which every name is replaced by the player to whom it refers."""
        return {**body, "teams": [[self.player(name) for name in team] for team in body["teams"]]}

    def is_possible(self, body: dict[str, Any]) -> bool:
        """Return whether all names of a match refer to different players."""
        names = [self.player(name) for team in body["teams"] for name in team]
        return len(names) == len(set(names))

    def _give(self, id: str, body: dict[str, Any]) -> None:
        """Store the posted name of each player of a match; a player who stays in the match keeps the earlier name."""
        old = self.given.get(id, {})
        names = [name for team in body["teams"] for name in team]
        self.given[id] = {self.player(name): name if name in self.chains else old.get(name, name) for name in names}

    def rename(self, chains: dict[str, str]) -> bool:
        """Change the aliases and the names in all matches; return False if a player would be in a match twice."""
        names = {id: {self._end(chains, name) for name in self.given[id].values()} for id in self.matches}
        if any(len(names[id]) < len(self.given[id]) for id in self.matches):
            return False
        new = {id: {player: self._end(chains, name) for player, name in self.given[id].items()} for id in self.matches}
        self.chains = chains
        for id, kept in self.order:
            teams = [[new[id][player] for player in team] for team in kept.body["teams"]]
            if teams != kept.body["teams"]:
                self._write(id, kept.seq, "edit", kept.time, {**kept.body, "teams": teams})
                self.given[id] = {new[id][player]: name for player, name in self.given[id].items()}
        self.revision += 1
        return True

    def _end(self, chains: dict[str, str], name: str) -> str:
        while name in chains:
            name = chains[name]
        return name

    def _content(self, time: float, body: dict[str, Any]) -> dict[str, Any]:
        return body if self.clock == "none" else {"time": time, **body}

    def _write(self, name: str, seq: int, kind: str, time: float, body: dict[str, Any]) -> None:
        self.matches[name] = RecordedMatch(seq, time, body)
        self.log.append((self.revision + 1, seq, name, kind, time))

    @property
    def order(self) -> list[tuple[str, RecordedMatch]]:
        """Return the matches in the order in which they are rated."""
        return sorted(self.matches.items(), key=lambda one: (one[1].time, one[1].seq))

    def history(self, first: float = -np.inf, end: float = np.inf) -> pw.History:
        """Return the matches between two times, in order."""
        chosen = [(name, kept) for name, kept in self.order if first <= kept.time < end]
        return pw.History.from_matches([self._plain(name, kept) for name, kept in chosen])

    def rated_history(self, model: pw.Model, first: float = -np.inf, end: float = np.inf) -> pw.History:
        """Return the matches between two times, in the form in which a model rates them.

        Values of shared effects belong to teams, so they are given for each team, unless the facet is per player.
        Values of statistics belong to players.
        """
        kinds = pw.facet.Shared | pw.facet.Covariate
        shared = [one.column for one in model.facets if isinstance(one, kinds) and one.per != "player"]
        chosen = [self._plain(name, kept) for name, kept in self.order if first <= kept.time < end]
        statistics = [one.column for one in model.statistics]
        return pw.History.from_matches(
            [_with_player_values(_with_team_values(match, shared), statistics) for match in chosen]
        )

    def _plain(self, name: str, kept: RecordedMatch) -> dict[str, Any]:
        found = {"id": name, **kept.body}
        if self.clock == "utc":
            found["time"] = EPOCH + timedelta(microseconds=int(kept.time))
        elif self.clock == "number":
            found["time"] = kept.time
        return found

    def ladder(self, model: pw.Model | None = None) -> pw.Ladder:
        """Return the ladder after all matches, with a reset wherever a season begins."""
        model = model or self.model
        ladder = pw.Ladder(model)
        starts = [-np.inf, *(start for start, _, _ in sorted(self.seasons)), np.inf]
        for number, (first, end) in enumerate(pairwise(starts)):
            if number:
                reset(ladder, *sorted(self.seasons)[number - 1][1:])
            rate(ladder, self.rated_history(model, first, end))
        return ladder

    def states(self, model: pw.Model | None = None) -> dict[str, bytes]:
        """Return the state of every player as bytes."""
        return states_of(self.ladder(model))


def rate(ladder: pw.Ladder, history: pw.History) -> pw.Ladder:
    """Rate a history, which need not have the context columns of the model's facets; return the same ladder."""
    if len(history):
        run_sweep(ladder, history, False, silent=True)
    return ladder


def _with_team_values(match: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    context = dict(match.get("context", {}))
    for name in context.keys() & set(columns):
        value = context[name]
        values = value if isinstance(value, list) else [value] * len(match["teams"])
        if any(isinstance(inner, list) and len(set(inner)) > 1 for inner in values):
            raise pw.Error(f"the players of a team have different values of {name!r}")
        context[name] = [inner[0] if isinstance(inner, list) else inner for inner in values]
    return {**match, "context": context} if context else match


def _with_player_values(match: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    context = dict(match.get("context", {}))
    for name in context.keys() & set(columns):
        value = context[name]
        values = value if isinstance(value, list) else [value] * len(match["teams"])
        teams = zip(values, match["teams"], strict=True)
        context[name] = [inner if isinstance(inner, list) else [inner] * len(team) for inner, team in teams]
    return {**match, "context": context} if context else match


def states_of(ladder: pw.Ladder) -> dict[str, bytes]:
    """Return the ratings of every player as the store keeps them: the state, and the packed rows of facets."""
    return {name: ladder.state[row].tobytes() + _packed_rows(ladder, row) for name, row in ladder.rows.items()}


def memory_of(ladder: pw.Ladder) -> bytes:
    """Return what the model has learnt about the league as the store keeps it: the memory, and the shared rows."""
    return ladder.memory.tobytes() + _packed_rows(ladder, -1)


def _packed_rows(ladder: pw.Ladder, player: int) -> bytes:
    rows = {
        (index, value): cells
        for index, facet in enumerate(ladder.facets)
        for (owner, value), cells in facet.beliefs().items()
        if owner == player
    }
    if not rows:
        return b""
    header = json.dumps(sorted(rows), ensure_ascii=False, separators=(",", ":")).encode()
    cells = np.array([rows[key] for key in sorted(rows)]).tobytes()
    return len(header).to_bytes(4, "little") + header + cells


def reset(ladder: pw.Ladder, carry: float, tau: float) -> None:
    """Begin a season: close open rating periods, then move every mean towards the newcomers' mean.

    In models with constant variances, the variances stay unchanged.
    """
    ladder.state[: len(ladder)] = ladder.settled
    newcomer = ladder.model.rating()
    steady = newcomer.sigma is None or isinstance(ladder.model.absorb, pw.absorb.Constant)
    for trait, name in enumerate(ladder.model.outcome.traits):
        centre = newcomer.parts.get(name, newcomer).mu
        for row in ladder.state[: len(ladder)]:
            row[2 * trait] = centre + carry * (row[2 * trait] - centre)
            if not steady:
                row[2 * trait + 1] = carry * carry * row[2 * trait + 1] + tau * tau
