"""After any commands in any order, the ratings in the store equal a fit of the journal, bit for bit."""

import itertools
import json
from concurrent.futures import wait
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

import prowess as pw
from prowess.store import aliases, leagues
from prowess.store.db import schema
from prowess.store.db.database import Database
from prowess.store.errors import Conflict, NameConflict, NotFound
from prowess.store.journal import journal
from prowess.store.write import replay
from prowess.store.write.commands import (
    AddAlias,
    ChangeModel,
    CommandResult,
    Delete,
    Edit,
    NewSeason,
    Post,
    RatingChange,
    RemoveAlias,
    Rename,
    UndoRename,
)
from prowess.store.write.erasure import anonymise
from prowess.store.write.posts import PendingTraces
from prowess.store.write.replay import take_checkpoint
from prowess.store.write.writer import Writer, perform, preview
from tests.oracles.league import EPOCH, IdTaken, League, memory_of, states_of
from tests.store.matches import FIRST, HOUR, MODELS, PLAYERS, bodies, contexts

NUMBERS = itertools.count(1)
NAMES = ["Ann", "bobby", *PLAYERS]  # the new names of renamed players

BROKEN: list[dict[str, Any]] = [
    {"teams": [["ann"]]},
    {"teams": [["ann"], []]},
    {"teams": [["ann"], ["ann"]]},
    {"teams": [["ann"], ["bob"]], "ranks": [1]},
    {"teams": [["ann"], ["bob"]], "scores": [1, float("nan")]},
    {"teams": [["ann"], ["bob"]], "importance": -1},
    {"teams": [["ann"], ["bob"]], "home": 2},
    {"teams": [["ann"], ["bob"]], "winner": "ann"},
    {"teams": [["ann"], ["bob"]], "context": "clay"},
    {"teams": [["ann"], ["bob"]], "context": {"side": ["left"]}},
    {"teams": [["ann"], ["bob"]], "context": {"side": ["left", ["right"]]}},
    {"teams": [["ann"], ["bob"]], "context": {"rest": [[1], [2, 3]]}},
    {"teams": [["ann"], ["bob"]], "context": {"rest": float("nan")}},
    {"teams": [["ann"], ["bob"]], "context": {"surface": "x" * 201}},
    {"teams": [["ann"], ["bob"]], "context": {"surface": ["clay", 1]}},
    {"teams": [["ann"], ["bob"]], "statistics": {"kills": [9, 4]}},
    {"teams": [["ann"], ["bob"]], "statistics": {"kills": [[9], ["many"]]}},
    {"teams": [["ann"], ["bob"]], "statistics": {"kills": [[9], [4]]}, "context": {"kills": 9}},
]


class LeagueMachine(RuleBasedStateMachine):
    """A league in a database, and the same league as a simple list of matches."""

    database: Database
    pending: PendingTraces | None = None  # set by tests of readers that reuse matches rated by the writer

    @initialize(model=st.sampled_from(sorted(MODELS)), clock=st.sampled_from(["utc", "utc", "utc", "number", "none"]))
    def begin(self, model: str, clock: str) -> None:
        self.name = f"league-{next(NUMBERS)}"
        with self.database.writing() as connection:
            found = leagues.create(connection, self.name, model=MODELS[model], clock=clock)
        self.clock = clock
        self.league = League(found.model, clock, revision=found.revision)
        self.old: dict[int, dict[str, bytes]] = {}  # the final ratings of earlier models
        self.replaced: dict[int, League] = {}  # the league when its model was replaced
        self.generation, self.made = found.generation, 0
        self.aliases: dict[str, str] = {}  # the pseudonyms of anonymised players
        self.renames: list[dict[str, Any]] = []  # merges and renames that can perhaps be undone

    # Commands

    @rule(body=bodies(), data=st.data())
    def post(self, body: dict[str, Any], data: st.DataObject) -> None:
        self._post([(self._id(), self._when(data), body)])

    @rule(some=st.lists(bodies(), min_size=2, max_size=6), data=st.data())
    def post_batch(self, some: list[dict[str, Any]], data: st.DataObject) -> None:
        self._post([(self._id(), self._when(data), body) for body in some])

    @precondition(lambda self: self.league.first)
    @rule(body=bodies(), data=st.data(), more=st.booleans(), now=st.booleans())
    def post_again(self, body: dict[str, Any], data: st.DataObject, more: bool, now: bool) -> None:
        """Repeat the post of a match, in its first or its current version, alone or together with a new match."""
        name = data.draw(st.sampled_from(sorted(self.league.first)))
        same = dict((now and self.league.now(name)) or self.league.first[name])
        if not self.league.is_possible(same):
            return
        matches = [(name, same.pop("time", 0.0), same)]
        self._post(matches + [(self._id(), self._when(data), body)] * more)

    @precondition(lambda self: self.league.first)
    @rule(body=bodies(), data=st.data(), only=st.sampled_from(["time", "context", ""]))
    def edit(self, body: dict[str, Any], data: st.DataObject, only: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.league.first)))
        time = self._when(data)
        kept = self.league.matches.get(name)
        if only and kept:
            body = kept.body
        if only == "context" and kept:
            time, context = kept.time, data.draw(contexts([len(team) for team in body["teams"]]))
            body = {key: value for key, value in body.items() if key != "context"}
            body |= {"context": context} if context else {}
        if not self.league.is_possible(self._aliased(body)):
            self._refused(Edit(self.name, name, self._given(None, time, body)), pw.Error)
            return
        changed = self.league.copy()
        new = changed.edit(name, time, self._aliased(body))
        done = self._do(Edit(self.name, name, self._given(None, time, body), author="eve", reason="a typo"), changed)
        assert done is None or done.repeated == [not new]

    @precondition(lambda self: self.league.first)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.league.first)))
        changed = self.league.copy()
        new = changed.delete(name)
        done = self._do(Delete(self.name, name, author="eve", reason="never played"), changed)
        assert done is None or done.repeated == [not new]

    @rule(model=st.sampled_from(sorted(MODELS)))
    def remodel(self, model: str) -> None:
        changed = self.league.copy()
        changed.model = MODELS[model].model
        new = changed.model != self.league.model
        changed.revision += new
        before, replaced = self._stored(), self.league
        if self._do(ChangeModel(self.name, MODELS[model], author="eve", reason="a better one"), changed) and new:
            self.old[self.generation] = before.get(self.generation, {})
            self.replaced[self.generation] = replaced
            self.generation += 1

    @precondition(lambda self: self.clock != "none" and len(self.league.seasons) < 3)
    @rule(data=st.data(), carry=st.sampled_from([0.0, 0.5, 1.0]), tau=st.sampled_from([0.0, 1.5]))
    def season(self, data: st.DataObject, carry: float, tau: float) -> None:
        start = self._when(data)
        if self.league.matches and data.draw(st.booleans()):  # a match at the start time belongs to the new season
            start = data.draw(st.sampled_from(sorted(kept.time for kept in self.league.matches.values())))
        if start in [known for known, _, _ in self.league.seasons]:
            return
        changed = self.league.copy()
        changed.seasons.append((start, carry, tau))
        changed.revision += 1
        self._do(NewSeason(self.name, f"from {start}", self._time(start), carry, tau, author="eve"), changed)

    @precondition(lambda self: len(self.aliases) < 3 and self._players() & set(PLAYERS))
    @rule(data=st.data())
    def anonymise(self, data: st.DataObject) -> None:
        """Anonymise a player; in later posts, the name is replaced by the alias."""
        name = data.draw(st.sampled_from(sorted(self._players() & set(PLAYERS))))
        with self.database.reading() as connection:
            names = aliases.names_of(connection, leagues.find(connection, self.name), name)
        made = anonymise(self.database, self.name, name, author="eve", reason="asked to be forgotten")
        self.league.revision += 1
        assert made.revision == self.league.revision
        new = [row.alias for row in self._read(schema.erasure) if row.revision == made.revision]
        pseudonyms = dict(zip(names, sorted(new, key=lambda alias: int(alias.rpartition("-")[2])), strict=True))
        assert names[0] == name
        assert pseudonyms[name] == made.alias
        self.aliases |= pseudonyms
        for kept in self.league.matches.values():
            kept.body = self._aliased(kept.body)
        self.league.first = {id: self._aliased(body) for id, body in self.league.first.items()}
        league, known = self.league, set(names)
        left = {alias: target for alias, target in league.chains.items() if not known & {alias, target}}
        league.chains = left | {pseudonyms[alias]: made.alias for alias in names[1:]}
        for id, given in league.given.items():
            league.given[id] = {
                pseudonyms.get(player, player): pseudonyms[player] if player in known else as_given
                for player, as_given in given.items()
            }
        self.renames = [one for one in self.renames if not known & set(one["names"])]
        self.old = {generation: self._renamed(states) for generation, states in self.old.items()}
        for generation, then in self.replaced.items():
            if then.model.context_columns:  # the name was removed from the context, on which the ratings depend
                self.old[generation] = self._erased(then).states()

    def _erased(self, league: League) -> League:
        """Return a league as it would be if the anonymised players had always been anonymous."""
        erased = league.copy()
        for kept in erased.matches.values():
            kept.body = self._aliased(kept.body)
        return erased

    @precondition(lambda self: self.league.matches)
    @rule(data=st.data(), seen=st.booleans())
    def rename(self, data: st.DataObject, seen: bool) -> None:
        """Rename a player to a new name, to an earlier name, or to the name of another player, which merges the two."""
        old = data.draw(st.sampled_from(sorted(self._players())))
        new = data.draw(st.sampled_from(sorted({*NAMES, *self._players(), *self.league.chains} - {old})))
        end = self.league.player(new)
        command = Rename(
            self.name, old, new, author="eve", reason="a typo", seen=self.league.revision if seen else None
        )
        if {old, end} & {*self.aliases, *self.aliases.values()}:
            self._refused(command, Conflict)
            return
        chains = dict(self.league.chains)
        ended = {new: chains.pop(new)} if end == old else {}
        target = new if end == old else end
        merged = target in self._players()
        changed = self.league.copy()
        if not changed.rename(chains | {old: target}):
            self._refused(command, NameConflict)
            return
        done = self._do(command, changed)
        assert done is not None
        assert (done.aliases, done.merged) == ({old: target}, merged)
        record = {"revision": done.revision, "player": old, "target": target, "ended": ended}
        self.renames.append(record | {"names": {old, target, *ended, *ended.values()}})

    @precondition(lambda self: self.renames)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        """Undo any merge or rename, not only the last one."""
        record = data.draw(st.sampled_from(self.renames))
        command, chains = UndoRename(self.name, record["revision"], author="eve"), dict(self.league.chains)
        if chains.get(record["player"]) != record["target"] or record["ended"].keys() & chains.keys():
            self._refused(command, Conflict)
            return
        del chains[record["player"]]
        changed = self.league.copy()
        if not changed.rename(chains | record["ended"]):
            self._refused(command, NameConflict)
            return
        assert self._do(command, changed)
        self.renames.remove(record)
        assert perform(self.database, command).repeated == [True], "undoing twice must change nothing"

    @precondition(lambda self: self.league.matches)
    @rule(data=st.data())
    def add_alias(self, data: st.DataObject) -> None:
        player = data.draw(st.sampled_from(sorted(self._players() - set(self.aliases.values())) or ["nobody"]))
        alias = data.draw(st.sampled_from(NAMES))
        command = AddAlias(self.name, alias, player, author="eve")
        if player == "nobody":
            self._refused(command, pw.Error)  # not found, or a conflict if the alias was anonymised
        elif {alias} & {*self._players(), *self.aliases} or self.league.player(alias) not in (alias, player):
            self._refused(command, pw.Error)
        else:
            changed = self.league.copy()
            new = alias not in changed.chains
            changed.chains.setdefault(alias, player)
            changed.revision += new
            done = self._do(command, changed)
            assert done is not None
            assert list(done.repeated) == ([] if new else [True])

    @precondition(lambda self: self.league.chains)
    @rule(data=st.data())
    def remove_alias(self, data: st.DataObject) -> None:
        """Remove an alias.

        Recorded matches stay as they are, and the merge that made the alias can no longer be undone.
        """
        alias = data.draw(st.sampled_from(sorted(self.league.chains)))
        changed = self.league.copy()
        target = changed.chains.pop(alias)
        changed.chains = {name: target if to == alias else to for name, to in changed.chains.items()}
        for id, given in changed.given.items():
            changed.given[id] = {player: target if name == alias else name for player, name in given.items()}
        changed.revision += 1
        assert self._do(RemoveAlias(self.name, alias, author="eve"), changed)
        self._refused(RemoveAlias(self.name, alias), NotFound)

    @rule(wrong=st.sampled_from(BROKEN), good=bodies(), data=st.data())
    def mistakes(self, wrong: dict[str, Any], good: dict[str, Any], data: st.DataObject) -> None:
        """Send invalid commands, which change nothing: an invalid match, a used id, and an unknown id."""
        time = self._when(data)
        if not self.league.is_possible(self._aliased(good)):
            return
        fine = self._given(self._id(), time, good)
        self._refused(Post(self.name, [fine, self._given(self._id(), time, wrong)]), pw.Error)
        if self.league.first:
            other = {"teams": [["ann"], ["somebody else"]]}
            name = data.draw(st.sampled_from(sorted(self.league.first)))
            self._refused(Post(self.name, [fine, self._given(name, time, other)]), Conflict)
        self._refused(Delete(self.name, "nobody's"), NotFound)
        self._refused(Edit(self.name, "nobody's", fine), NotFound)

    @rule(some=st.lists(bodies(), min_size=2, max_size=5), data=st.data(), wrong=st.sampled_from(BROKEN))
    def together(self, some: list[dict[str, Any]], data: st.DataObject, wrong: dict[str, Any]) -> None:
        """Submit several commands to the writer at once, one of them invalid."""
        posts = [(self._id(), self._when(data), body) for body in some]
        writer = Writer(self.database, pending=self.pending)
        try:
            given = [Post(self.name, [self._given(*post)]) for post in posts]
            given.insert(1, Post(self.name, [self._given(self._id(), 0.0, wrong)]))
            futures = [writer.submit(change) for change in given]
            wait(futures)  # because closing the writer abandons long corrections
        finally:
            writer.close()
        with pytest.raises(pw.Error):
            futures.pop(1).result()
        done = {post[0]: future.result() for post, future in zip(posts, futures, strict=True) if not future.exception()}
        for post, future in zip(posts, futures, strict=True):
            if future.exception() and self.league.is_possible(self._aliased(post[2])):
                changed = self.league.copy()
                changed.post(self._all_aliased([post]))
                with pytest.raises(pw.Error):
                    changed.ladder()
                assert isinstance(future.exception(), pw.Error)
        for post in sorted((post for post in posts if post[0] in done), key=lambda post: done[post[0]].revision):
            self.league.post(self._all_aliased([post]))  # late matches are written after the others
            assert done[post[0]].revision == self.league.revision

    @rule()
    def start_again(self) -> None:
        self.database.close()  # the next use opens it again

    # Helpers

    def _players(self) -> set[str]:
        """Return the names in the current matches."""
        return {name for kept in self.league.matches.values() for team in kept.body["teams"] for name in team}

    def _aliased(self, body: dict[str, Any]) -> dict[str, Any]:
        teams = [[self.aliases.get(name, name) for name in team] for team in body["teams"]]
        context = {key: value for key, value in body.get("context", {}).items() if not self._is_erased(value)}
        others = {key: value for key, value in body.items() if key != "context"}
        return others | {"teams": teams} | ({"context": context} if context else {})

    def _is_erased(self, value: Any) -> bool:
        """Return whether a context value is the name of an anonymised player, in upper or lower case."""
        return isinstance(value, str) and value.lower() in map(str.lower, self.aliases)

    def _all_aliased(self, matches: list[tuple[str, float, dict[str, Any]]]) -> list[tuple[str, float, dict[str, Any]]]:
        return [(name, time, self._aliased(body)) for name, time, body in matches]

    def _renamed(self, states: dict[str, bytes]) -> dict[str, bytes]:
        return {self.aliases.get(name, name): state for name, state in states.items()}

    def _id(self) -> str:
        self.made += 1
        return f"m{self.made}"

    def _when(self, data: st.DataObject) -> float:
        """Draw a time: usually the time of the last match or a little later, sometimes any time."""
        if self.clock == "none":
            return 0.0
        unit = 12 * HOUR if self.clock == "utc" else 1
        if data.draw(st.sampled_from([True, True, False])):
            last = max((kept.time for kept in self.league.matches.values()), default=FIRST * unit)
            return last + data.draw(st.integers(0, 3)) * unit
        return float(data.draw(st.integers(FIRST, 20)) * unit)

    def _time(self, time: float) -> Any:
        if self.clock == "none":
            return None
        return time if self.clock == "number" else (EPOCH + timedelta(microseconds=int(time))).isoformat()

    def _given(self, name: str | None, time: float, body: dict[str, Any]) -> dict[str, Any]:
        found = dict(body)
        if name is not None:
            found["id"] = name
        if self.clock != "none":
            found["time"] = self._time(time)
        return found

    def _post(self, matches: list[tuple[str, float, dict[str, Any]]]) -> None:
        change = Post(self.name, [self._given(*match) for match in matches], author="eve")
        if not all(self.league.is_possible(self._aliased(body)) for _, _, body in matches):
            self._refused(change, pw.Error)
            return
        changed = self.league.copy()
        try:
            repeated = changed.post(self._all_aliased(matches))
        except IdTaken:
            self._refused(change, Conflict)
            return
        done = self._do(change, changed)
        if done:
            assert done.ids == [name for name, _, _ in matches]
            assert done.repeated == repeated
            names = {name for _, _, body in matches for team in body["teams"] for name in team}
            assert done.aliases == {name: self.league.player(name) for name in names & self.league.chains.keys()}

    def _do(self, change: Any, changed: League) -> CommandResult | None:
        """Preview and perform a command, and compare its result with a fit.

        Return None if the model cannot rate the matches; then the command must be refused.
        """
        try:
            after = changed.ladder()
        except pw.Error:
            self._refused(change, pw.Error)
            return None
        held = self._stored()
        tried = preview(self.database, change)
        assert self._stored() == held, "a preview must not write"
        done = perform(self.database, change, self.pending)
        assert done.revision == changed.revision
        assert _moved(tried.changed) == _moved(done.changed)
        before = self.league.ladder()
        told = _told(done.changed)
        if after.model == before.model:
            assert {name for name in {*before, *after} if _one(before, name) != _one(after, name)} <= set(told)
        for name, (was, now) in told.items():
            assert (was, now) == (_one(before, name), _one(after, name)), name
        self.league = changed
        take_checkpoint(self.database, self.name)  # as the writer does
        return done

    def _refused(self, change: Any, error: type[pw.Error]) -> None:
        for act in (perform, preview):
            with pytest.raises(error):
                act(self.database, change)

    # Invariants

    def _read(self, table: Any) -> list[Any]:
        with self.database.reading() as connection:
            number = select(schema.league.c.id).where(schema.league.c.name == self.name).scalar_subquery()
            return list(connection.execute(select(table).where(table.c.league_id == number)))

    def _stored(self) -> dict[int, dict[str, bytes]]:
        """Return the ratings of every generation of the league."""
        found: dict[int, dict[str, bytes]] = {}
        generations = {row.rating_set: row.number for row in self._read(schema.generation)}
        for row in self._read(schema.rating):
            if row.state is not None and row.rating_set in generations:
                found.setdefault(generations[row.rating_set], {})[row.player] = bytes(row.state)
        return found

    @invariant()
    def ratings_are_those_of_a_fit(self) -> None:
        ladder = self.league.ladder()
        wanted = {**self.old, self.generation: states_of(ladder)}
        assert self._stored() == {generation: states for generation, states in wanted.items() if states}
        with self.database.reading() as connection:
            found = leagues.find(connection, self.name)
        assert found.memory == memory_of(ladder)
        assert (found.revision, found.posted) == (self.league.revision, self.league.posted)

    @invariant()
    def history_has_the_matches_with_their_context(self) -> None:
        with self.database.reading() as connection:
            league = leagues.find(connection, self.name)
            history = journal.history(connection, league)
            lines = [line for rows in journal.chunks(connection, league, 2) for line in rows.json_lines(league)]
        wanted = self.league.history()
        assert history == wanted
        assert pw.History.from_matches(map(json.loads, lines), utc=True) == wanted

    @invariant()
    def anonymised_names_are_gone(self) -> None:
        names = {json.dumps(name, ensure_ascii=False) for name in self.aliases}
        rows = self._read(schema.journal)
        assert not [row for row in rows for name in names if name in (row.body or "")]
        assert not [row for row in rows for name in names if name.lower() in (row.context or "").lower()]
        assert not [row for row in self._read(schema.rating) if row.player in self.aliases]
        for row in self._read(schema.checkpoint):
            assert not set(replay.unpack_names(row.players)) & set(self.aliases)
        tables = (schema.rating, schema.checkpoint, schema.generation)
        packed = [
            getattr(row, "state", None) or row.memory
            for table in tables
            for row in self._read(table)
            if getattr(row, "state", None) or hasattr(row, "memory")
        ]
        assert not [name for name in names for blob in packed if name.encode() in bytes(blob)]

    @invariant()
    def aliases_are_those_of_the_oracle(self) -> None:
        rows = {row.alias: (row.target, row.player) for row in self._read(schema.alias)}
        chains = self.league.chains
        assert rows == {alias: (target, self.league.player(alias)) for alias, target in chains.items()}
        numbers = {self.league.numbers[id]: names for id, names in self.league.given.items()}
        given = {(seq, name) for seq, names in numbers.items() for name in names.values() if name in chains}
        assert {(row.seq, row.alias) for row in self._read(schema.alias_use)} == given
        kept = repr([self._read(table) for table in (schema.alias, schema.alias_use, schema.name_change)])
        assert not [name for name in self.aliases if repr(name) in kept]

    @invariant()
    def journal_is_complete(self) -> None:
        rows = self._read(schema.journal)
        assert sorted((r.revision, r.seq, r.id, r.kind, r.time) for r in rows) == sorted(self.league.log)
        chains: dict[int, list[Any]] = {}
        for row in sorted(rows, key=lambda row: row.revision):
            chains.setdefault(row.seq, []).append(row)
        for chain in chains.values():
            assert [row.until for row in chain] == [row.revision for row in chain[1:]] + [None]
            assert [row.body is None for row in chain] == [row.kind == "delete" for row in chain]
        others = (schema.generation, schema.season, schema.erasure, schema.name_change)
        used = {row.revision for row in [*rows, *(row for table in others for row in self._read(table))]}
        assert used | {0} == set(range(self.league.revision + 1)), "the revisions have a gap"


def _one(ladder: pw.Ladder, name: str) -> pw.Rating | None:
    return ladder[name] if name in ladder.rows else None


def _told(changes: list[RatingChange]) -> dict[str, tuple[Any, Any]]:
    assert len({change.player for change in changes}) == len(changes)
    return {change.player: (change.before, change.after) for change in changes}


def _moved(changes: list[RatingChange]) -> dict[str, tuple[Any, Any]]:
    return {name: (was, now) for name, (was, now) in _told(changes).items() if was != now}


@pytest.fixture(autouse=True)
def many_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that short leagues also have checkpoints from which corrections start."""
    monkeypatch.setattr(replay, "MIN_SPACING", 3)


def live(kind: type[LeagueMachine], url: str, examples: int, steps: int, **more: Any) -> None:
    """Run a state machine on a database."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
        **more,
    )
    database = Database(url)
    database.migrate()
    try:
        run_state_machine_as_test(type(kind.__name__, (kind,), {"database": database}), settings=chosen)
    finally:
        database.close()


def test_ratings_in_the_store_equal_a_fit_after_random_commands(database_url: str) -> None:
    live(LeagueMachine, database_url, 8, 25)


@pytest.mark.usefixtures("take_long")
def test_ratings_in_the_store_equal_a_fit_after_long_corrections(database_url: str) -> None:
    live(LeagueMachine, database_url, 4, 25)


@pytest.mark.long
@pytest.mark.usefixtures("take_long")
def test_ratings_in_the_store_equal_a_fit_after_many_long_corrections(database_url: str) -> None:
    live(LeagueMachine, database_url, 150, 60)


@pytest.mark.long
def test_ratings_in_the_store_equal_a_fit_after_many_random_commands(database_url: str) -> None:
    live(LeagueMachine, database_url, 300, 60)
