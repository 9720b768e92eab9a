"""Renaming and merging players: matches, ratings, aliases, undo, and posts under old names."""

import threading
from contextlib import closing
from itertools import pairwise

import pytest
from sqlalchemy import select

import prowess as pw
from prowess.store import aliases, audit, leagues
from prowess.store.db import schema
from prowess.store.db.backup import backup, restore
from prowess.store.db.database import Database
from prowess.store.doctor import examine
from prowess.store.errors import Conflict, NameConflict, NotFound
from prowess.store.journal import journal
from prowess.store.leagues import Preset
from prowess.store.read.standings import StandingsCache
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write import erasure, long_corrections
from prowess.store.write.commands import AddAlias, Delete, Edit, Post, RemoveAlias, Rename, UndoRename
from prowess.store.write.importing import import_history
from prowess.store.write.writer import Writer, perform, preview
from tests.oracles.league import rate
from tests.store.matches import MODELS
from tests.store.sound import check, dump

MATCHES = [
    ("a", "Deevo", "cat", "2026-01-01"),
    ("b", "Jeevo", "cat", "2026-01-02"),
    ("c", "Deevo", "eve", "2026-01-03"),
    ("d", "Jeevo", "eve", "2026-01-04"),
    ("e", "cat", "eve", "2026-01-05"),
]


@pytest.fixture
def database(database_url):
    with closing(Database(database_url)) as opened:
        opened.migrate()
        with opened.writing() as connection:
            leagues.create(connection, "darts", model=Preset())
        perform(opened, Post("darts", [match(*one) for one in MATCHES], author="ann"))
        yield opened


def match(id, winner, loser, time):
    return {"id": id, "teams": [[winner], [loser]], "time": time}


def merge(player="Jeevo", name="Deevo", **more):
    return Rename("darts", player, name, author="ann", **more)


def teams(database):
    with database.reading() as connection:
        history = journal.history(connection, leagues.find(connection, "darts"))
    return {one["id"]: [team[0] for team in one["teams"]] for one in history}


def alias_table(database):
    with database.reading() as connection:
        found = aliases.list_aliases(connection, leagues.find(connection, "darts"))
    return {one.alias: one.player for one in found}


def changes(database):
    with database.reading() as connection:
        return aliases.list_changes(connection, leagues.find(connection, "darts"))


def fit_of(renamed):
    matches = [match(id, renamed.get(one, one), renamed.get(other, other), day) for id, one, other, day in MATCHES]
    return pw.TrueSkill().fit(pw.History.from_matches(matches)).ladder


def stored(database, league="darts"):
    with database.reading() as connection:
        row = leagues.find(connection, league)
        table = schema.rating.c
        query = select(table.player, table.state).where(table.league_id == row.id, table.rating_set == row.rating_set)
        return {player: bytes(state) for player, state in connection.execute(query) if state is not None}


def states(ladder):
    return {name: ladder.state[row].tobytes() for name, row in ladder.rows.items()}


def test_merge_rates_the_matches_of_both_players_as_those_of_one_player(database):
    shown = preview(database, merge())
    assert (shown.ids, shown.aliases, shown.merged) == (["b", "d"], {"Jeevo": "Deevo"}, True)
    assert "Jeevo" in stored(database), "a preview must write nothing"
    done = perform(database, merge(reason="a typo"))
    assert {change.player for change in done.changed} == {"Deevo", "Jeevo", "cat", "eve"}
    assert next(change for change in done.changed if change.player == "Jeevo").after is None
    assert stored(database) == states(fit_of({"Jeevo": "Deevo"}))
    assert teams(database)["d"] == ["Deevo", "eve"]
    assert alias_table(database) == {"Jeevo": "Deevo"}
    check(database, "darts")
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        versions = journal.revisions(connection, league, "b")
        [entry] = [entry for entry in audit.list_entries(connection) if entry.action == "merge players"]
    assert [(row["kind"], row["author"], row["reason"]) for row in versions] == [
        ("post", "ann", ""),
        ("edit", "ann", "merged Jeevo into Deevo: a typo"),
    ]
    assert entry.detail == {"player": "Jeevo", "target": "Deevo", "reason": "a typo"}


def test_renaming_a_player_changes_no_rating(database):
    before = stored(database)
    done = perform(database, merge(name="Jeevo Smith"))
    assert not done.merged
    after = stored(database)
    assert after == {"Jeevo Smith" if name == "Jeevo" else name: state for name, state in before.items()}
    assert teams(database)["b"] == ["Jeevo Smith", "cat"]
    check(database, "darts")


@pytest.mark.parametrize("preset", MODELS)
def test_ratings_after_a_merge_equal_a_fit_of_the_renamed_history(database, preset):
    with database.writing() as connection:
        league = leagues.create(connection, "chess", model=MODELS[preset])
    matches = [match(*one) | {"scores": [number % 4, number % 3], "home": 0} for number, one in enumerate(MATCHES * 6)]
    matches = [one | {"id": str(number)} for number, one in enumerate(matches)]
    perform(database, Post("chess", matches))
    made = perform(database, Rename("chess", "Jeevo", "Deevo"))
    history = pw.History.from_matches([{**one, "time": f"{one['time']}T00:00:00Z"} for one in matches])
    assert stored(database, "chess") == states(rate(pw.Ladder(league.model), history.rename({"Jeevo": "Deevo"})))
    perform(database, UndoRename("chess", made.revision))
    assert stored(database, "chess") == states(rate(pw.Ladder(league.model), history))


def test_undoing_a_merge_restores_matches_ratings_and_aliases(database):
    before, names = stored(database), teams(database)
    made = perform(database, merge())
    undo = UndoRename("darts", made.revision, author="ann")
    assert preview(database, undo).ids == ["b", "d"]
    done = perform(database, undo)
    assert (stored(database), teams(database), alias_table(database)) == (before, names, {})
    assert done.aliases == {"Deevo": "Jeevo"}
    with database.reading() as connection:
        assert not connection.execute(select(schema.alias_use)).all()
    assert perform(database, undo).repeated == [True], "undoing twice must change nothing"
    assert [(one.kind, one.undone, one.undoable) for one in changes(database)] == [
        ("undo", None, False),
        ("merge", done.revision, False),
    ]
    check(database, "darts")


def test_match_posted_under_the_old_name_of_a_merged_player_belongs_to_the_remaining_player(database):
    made = perform(database, merge())
    done = perform(database, Post("darts", [match("f", "Jeevo", "cat", "2026-01-06")]))
    assert (done.aliases, done.own) == ({"Jeevo": "Deevo"}, ["Deevo", "cat"])
    late = perform(database, Post("darts", [match("g", "eve", "Jeevo", "2025-12-31")]))
    assert late.aliases == {"Jeevo": "Deevo"}
    perform(database, Edit("darts", "e", {"teams": [["Jeevo"], ["eve"]]}))
    names = teams(database)
    assert (names["f"], names["g"], names["e"]) == (["Deevo", "cat"], ["eve", "Deevo"], ["Deevo", "eve"])
    check(database, "darts")
    perform(database, UndoRename("darts", made.revision))
    names = teams(database)
    assert (names["f"], names["g"], names["e"]) == (["Jeevo", "cat"], ["eve", "Jeevo"], ["Jeevo", "eve"])
    assert names["a"] == ["Deevo", "cat"]
    check(database, "darts")


def test_undoing_a_merge_keeps_corrections_made_since_the_merge(database):
    made = perform(database, merge())
    perform(database, Edit("darts", "b", {"teams": [["cat"], ["Deevo"]]}))  # the result was wrong
    perform(database, Edit("darts", "d", {"teams": [["cat"], ["eve"]]}))  # somebody else played
    perform(database, UndoRename("darts", made.revision))
    names = teams(database)
    assert (names["b"], names["d"]) == (["cat", "Jeevo"], ["cat", "eve"])
    check(database, "darts")


def test_undoing_a_merge_leaves_a_match_that_was_corrected_under_another_alias(database):
    made = perform(database, merge())
    perform(database, AddAlias("darts", "JV", "Deevo"))
    perform(database, Edit("darts", "b", match("b", "JV", "eve", "2026-01-02")))
    perform(database, UndoRename("darts", made.revision))
    assert (teams(database)["b"], teams(database)["d"]) == (["Deevo", "eve"], ["Jeevo", "eve"])


def test_error_for_merging_opponents_or_partners_names_the_match(database):
    perform(database, Post("darts", [match("x", "Jeevo", "Deevo", "2026-01-06")]))
    team = {"id": "y", "teams": [["Jeevo", "Deevo"], ["cat", "eve"]], "time": "2026-01-07"}
    for act in (perform, preview):
        with pytest.raises(NameConflict, match=r"^Jeevo and Deevo both played in match 'x' \(2026-01-06\), so they"):
            act(database, merge())
    perform(database, Post("darts", [team]))
    with pytest.raises(NameConflict, match=r"match 'x' \(2026-01-06\) and in 1 other match, so") as refused:
        perform(database, merge())
    assert refused.value.matches == [("x", "2026-01-06T00:00:00Z"), ("y", "2026-01-07T00:00:00Z")]
    perform(database, Delete("darts", "x"))
    with pytest.raises(NameConflict, match=r"match 'y' \(2026-01-07\), so"):
        perform(database, merge())
    perform(database, Delete("darts", "y"))
    assert perform(database, merge()).merged


def test_match_that_lists_two_names_of_one_player_is_refused(database):
    perform(database, merge())
    with pytest.raises(pw.Error, match=r"^match 1: teams: Deevo is listed twice, also as 'Jeevo'$") as refused:
        perform(database, Post("darts", [match("x", "Jeevo", "Deevo", "2026-01-06")]))
    assert (refused.value.field, refused.value.match) == ("teams", 0)


def test_successive_merges_can_be_undone_in_any_order(database):
    first = perform(database, merge("Jeevo", "Deevo"))
    second = perform(database, merge("Deevo", "cat2"))
    assert not second.merged
    assert alias_table(database) == {"Jeevo": "cat2", "Deevo": "cat2"}
    done = perform(database, Post("darts", [match("f", "Jeevo", "eve", "2026-01-06")]))
    assert done.aliases == {"Jeevo": "cat2"}
    perform(database, UndoRename("darts", first.revision))
    assert teams(database) == {
        "a": ["cat2", "cat"],
        "b": ["Jeevo", "cat"],
        "c": ["cat2", "eve"],
        "d": ["Jeevo", "eve"],
        "e": ["cat", "eve"],
        "f": ["Jeevo", "eve"],
    }
    perform(database, UndoRename("darts", second.revision))
    assert teams(database)["a"] == ["Deevo", "cat"]
    assert alias_table(database) == {}
    check(database, "darts")


def test_player_can_be_renamed_to_an_earlier_name(database):
    perform(database, merge(name="Jay"))
    back = perform(database, Rename("darts", "Jay", "Jeevo"))
    assert (back.aliases, back.merged) == ({"Jay": "Jeevo"}, False)
    assert alias_table(database) == {"Jay": "Jeevo"}
    assert teams(database)["b"] == ["Jeevo", "cat"]
    first = changes(database)[-1]
    with pytest.raises(
        Conflict, match=f"Jay was later renamed to Jeevo; undo that change first .revision {back.revision}"
    ):
        perform(database, UndoRename("darts", first.revision))
    perform(database, UndoRename("darts", back.revision))
    perform(database, UndoRename("darts", first.revision))
    assert (teams(database)["b"], alias_table(database)) == (["Jeevo", "cat"], {})
    check(database, "darts")


def test_renaming_a_player_to_an_alias_uses_the_name_of_the_player_behind_the_alias(database):
    perform(database, AddAlias("darts", "Kitty", "cat"))
    done = perform(database, Rename("darts", "eve", "Kit"))
    assert not done.merged
    with pytest.raises(NameConflict, match="Kit and cat both played in match 'e'"):
        perform(database, Rename("darts", "Kit", "Kitty"))
    perform(database, Delete("darts", "e"))
    for id in ("b", "a"):
        perform(database, Delete("darts", id))
    done = perform(database, Rename("darts", "Jeevo", "Kitty"))
    assert (done.aliases, done.merged) == ({"Jeevo": "cat"}, False)


@pytest.mark.parametrize(
    ("command", "error", "text"),
    {
        "unknown player": (merge("Jevo"), NotFound, "darts has no player named 'Jevo'; did you mean 'Jeevo'"),
        "unknown target": (merge(name="Devo", merge=True), NotFound, "no player named 'Devo'; did you mean 'Deevo'"),
        "same name": (merge("Jeevo", " Jeevo "), pw.Error, "name: the player is already named 'Jeevo'"),
        "empty name": (merge(name=" "), pw.Error, "name must not be empty"),
        "long name": (merge(name="x" * 501), pw.Error, "name: a name must have at most 500 characters"),
        "unknown change": (UndoRename("darts", 1), NotFound, "no merge or rename with the revision 1"),
        "alias with matches": (
            AddAlias("darts", "Jeevo", "Deevo"),
            Conflict,
            "alias: 'Jeevo' is a player with matches",
        ),
        "alias of nobody": (AddAlias("darts", "x", "Deivo"), NotFound, "no player named 'Deivo'; did you mean 'Deevo'"),
        "own alias": (AddAlias("darts", "new", "new", newcomer=True), pw.Error, "cannot be its own alias"),
        "no such alias": (RemoveAlias("darts", "x"), NotFound, "darts has no alias 'x'"),
    }.values(),
)
def test_invalid_renames_and_merges_are_refused(database, command, error, text):
    before = dump(database)
    for act in (perform, preview):
        with pytest.raises(error, match=text):
            act(database, command)
    assert dump(database) == before


def test_aliases_can_be_added_and_removed(database):
    assert perform(database, AddAlias("darts", "Dee", "Deevo")).repeated == ()
    assert perform(database, AddAlias("darts", "Dee", "Deevo")).repeated == [True]
    with pytest.raises(Conflict, match="'Dee' is an alias of 'Deevo'; remove that alias first"):
        perform(database, AddAlias("darts", "Dee", "cat"))
    with pytest.raises(Conflict, match="'Dee' is an alias of 'Deevo'; rename that player instead"):
        perform(database, Rename("darts", "Dee", "cat"))
    done = perform(database, Post("darts", [match("f", "Dee", "cat", "2026-01-06")]))
    assert done.aliases == {"Dee": "Deevo"}
    perform(database, RemoveAlias("darts", "Dee"))
    assert teams(database)["f"] == ["Deevo", "cat"], "recorded matches must keep the player"
    done = perform(database, Post("darts", [match("g", "Dee", "cat", "2026-01-07")]))
    assert (done.aliases, teams(database)["g"]) == ({}, ["Dee", "cat"])
    check(database, "darts")
    with database.reading() as connection:
        actions = [entry.action for entry in audit.list_entries(connection)]
    assert actions[:2] == ["remove alias", "add alias"]


def test_merge_cannot_be_undone_after_its_alias_was_removed(database):
    made = perform(database, merge())
    perform(database, RemoveAlias("darts", "Jeevo"))
    with pytest.raises(Conflict, match="this change cannot be undone, because Jeevo is no longer an alias of Deevo"):
        perform(database, UndoRename("darts", made.revision))


def test_match_posted_before_a_merge_is_recognised_when_it_is_posted_again(database):
    again = Post("darts", [match(*one) for one in MATCHES])
    perform(database, Edit("darts", "b", {"teams": [["cat"], ["Jeevo"]]}))
    made = perform(database, merge())
    assert perform(database, again).repeated == [True] * 5
    keyed = Post("darts", [{"teams": [["Jeevo"], ["eve"]]}], key="k")
    perform(database, keyed)
    assert perform(database, keyed).repeated == [True]
    perform(database, UndoRename("darts", made.revision))
    assert perform(database, again).repeated == [True] * 5
    assert perform(database, keyed).repeated == [True]


def test_import_replaces_aliases_by_players_and_can_be_repeated(database):
    matches = [{key: value for key, value in match(*one).items() if key != "id"} for one in MATCHES]
    history = pw.History.from_matches([{**one, "time": one["time"].replace("2026", "2025")} for one in matches])
    import_history(database, history, "darts")
    perform(database, merge())
    assert import_history(database, history, "darts").repeated == 5
    more = pw.History.from_matches([{"teams": [["Jeevo"], ["cat"]], "time": "2026-02-01"}])
    import_history(database, more, "darts")
    assert "Jeevo" not in stored(database)
    check(database, "darts")


def test_repeating_a_merge_changes_nothing(database):
    made = perform(database, merge())
    done = perform(database, merge())
    assert (done.repeated, done.revision) == ([True], made.revision)


def test_merge_based_on_an_outdated_preview_raises_a_conflict(database):
    seen = preview(database, merge()).revision
    perform(database, Post("darts", [match("f", "cat", "eve", "2026-01-06")]))
    perform(database, Post("darts", [match("g", "Jeevo", "eve", "2026-01-07")]))
    with pytest.raises(Conflict, match="matches of Jeevo were changed since you opened the preview"):
        perform(database, merge(seen=seen))
    seen = preview(database, merge()).revision
    perform(database, Post("darts", [match("h", "cat", "eve", "2026-01-08")]))
    assert perform(database, merge(seen=seen)).merged, "matches of other players must not matter"
    seen = perform(database, Post("darts", [match("i", "cat", "eve", "2026-01-09")])).revision
    perform(database, AddAlias("darts", "E.", "eve"))
    with pytest.raises(Conflict, match="other players were renamed or merged since"):
        perform(database, Rename("darts", "eve", "Eve", seen=seen))


def test_players_of_an_archived_league_cannot_be_renamed(database):
    made = perform(database, merge())
    with database.writing() as connection:
        leagues.change(connection, "darts", archived=True)
    commands = [merge("cat", "Cat"), UndoRename("darts", made.revision), AddAlias("darts", "x", "cat")]
    for command in [*commands, RemoveAlias("darts", "Jeevo")]:
        with pytest.raises(Conflict, match="is archived"):
            perform(database, command)


def test_cached_standings_are_updated_after_a_merge_and_after_its_undoing(database):
    standings, traces = StandingsCache(), TraceCache()

    def seen():
        with database.reading() as connection:
            league = leagues.find(connection, "darts")
            players = {row["player"] for row in standings.of(connection, league).page(0, 10).rows}
            found = traces.of(connection, league)
            return players, {name: found.matches(name).total for name in players}

    everybody = {"Deevo": 2, "Jeevo": 2, "cat": 3, "eve": 3}
    assert seen() == (set(everybody), everybody)
    made = perform(database, merge())
    assert seen() == ({"Deevo", "cat", "eve"}, {"Deevo": 4, "cat": 3, "eve": 3})
    perform(database, UndoRename("darts", made.revision))
    assert seen() == (set(everybody), everybody)
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        then = standings.at_revision(connection, league, made.revision)
        assert {row["player"] for row in then.page(0, 10).rows} == {"Deevo", "cat", "eve"}


def test_backup_and_restore_keep_aliases(database, tmp_path):
    made = perform(database, merge())
    perform(database, Post("darts", [match("f", "Jeevo", "cat", "2026-01-06")]))
    backup(database, tmp_path / "copy.bak")
    with closing(Database(f"{tmp_path}/new.db")) as new:
        restore(tmp_path / "copy.bak", new)
        assert alias_table(new) == {"Jeevo": "Deevo"}
        perform(new, UndoRename("darts", made.revision))
        assert teams(new)["f"] == ["Jeevo", "cat"]
        assert {one.status for one in examine(new)} == {"ok"}


def dumped_names(database, *names):
    text = repr(dump(database))
    return [name for name in names if name in text]


def test_anonymising_a_player_erases_all_earlier_names(database):
    import_history(
        database,
        pw.History.from_matches([{"teams": [["Jeevo"], ["eve"]], "time": "2025-01-01"}]),
        "darts",
        author="ann",
    )
    perform(database, merge("Jeevo", "Jay"))
    perform(database, merge("Jay", "Deevo", reason="Jay is Deevo"))
    perform(database, AddAlias("darts", "Dee", "Deevo"))
    perform(database, AddAlias("darts", "Kitty", "cat"))
    with database.writing() as connection:
        aliases.set_distinct(connection, leagues.find(connection, "darts"), ["Deevo", "cat"])
    before = stored(database)
    made = erasure.anonymise(database, "darts", "Jay", author="ann")
    assert made.alias == "anonymous-1"
    assert dumped_names(database, "Deevo", "Jeevo", "Jay", "Dee") == []
    assert dumped_names(database, "Kitty") == ["Kitty"]
    assert stored(database) == {made.alias if name == "Deevo" else name: state for name, state in before.items()}
    assert set(alias_table(database)) == {"anonymous-2", "anonymous-3", "anonymous-4", "Kitty"}
    assert [one.undoable for one in changes(database) if one.kind in ("merge", "rename")] == [False, False]
    for number, name in enumerate(["Deevo", "Jeevo", "Jay", "Dee"]):
        done = perform(database, Post("darts", [match(f"p{number}", name, "cat", f"2026-02-0{number + 1}")]))
        assert (done.own, done.aliases) == (["anonymous-1", "cat"], {})
    again = pw.History.from_matches([{"teams": [["Jeevo"], ["eve"]], "time": "2025-01-01"}])
    assert import_history(database, again, "darts").repeated == 1
    check(database, "darts")
    erasure.drop_hash(database, "darts", "anonymous-1")
    assert set(alias_table(database)) == {"Kitty"}
    done = perform(database, Post("darts", [match("q", "Jay", "cat", "2026-03-01")]))
    assert done.own == ["Jay", "cat"]
    assert not [one for one in examine(database) if one.league]


def test_anonymising_a_player_without_a_hash_deletes_the_aliases(database):
    perform(database, merge())
    erasure.anonymise(database, "darts", "Deevo", keep_hash=False)
    assert (alias_table(database), dumped_names(database, "Deevo", "Jeevo")) == ({}, [])
    check(database, "darts")


def test_anonymising_a_player_whose_merge_was_undone_keeps_the_other_player(database):
    made = perform(database, merge())
    perform(database, UndoRename("darts", made.revision))
    erasure.anonymise(database, "darts", "Deevo")
    assert dumped_names(database, "Deevo", "Jeevo") == ["Jeevo"]
    assert [(one.player, one.target) for one in changes(database)] == [(None, None), (None, None)]


def test_anonymised_player_cannot_be_renamed_or_merged(database):
    erasure.anonymise(database, "darts", "Deevo")
    commands = [merge("anonymous-1", "x"), merge("Jeevo", "anonymous-1"), AddAlias("darts", "x", "anonymous-1")]
    for command in [*commands, merge("Jeevo", "Deevo"), AddAlias("darts", "Deevo", "cat")]:
        with pytest.raises(Conflict, match="a player who was anonymised cannot be renamed or merged"):
            perform(database, command)


@pytest.mark.usefixtures("take_long")
def test_matches_posted_under_the_old_name_during_a_long_merge_are_also_merged(database, monkeypatch):
    posted = threading.Event()
    save = long_corrections.LongCorrection._save_ratings

    def post_and_save(self):
        save(self)
        if not posted.is_set():
            posted.set()
            done = perform(database, Post("darts", [match("f", "Jeevo", "cat", "2026-02-01")]))
            assert done.replaying
            assert done.aliases == {}

    monkeypatch.setattr(long_corrections.LongCorrection, "_save_ratings", post_and_save)
    made = perform(database, merge())
    assert posted.is_set()
    assert made.ids == ["b", "d", "f"]
    assert teams(database)["f"] == ["Deevo", "cat"]
    check(database, "darts")
    posted.clear()
    perform(database, AddAlias("darts", "J", "Deevo"))

    def post_as_alias(self):
        save(self)
        if not posted.is_set():
            posted.set()
            perform(database, Post("darts", [match("g", "Jeevo", "eve", "2026-02-02")]))
            perform(database, Post("darts", [match("h", "J", "eve", "2026-02-03")]))

    monkeypatch.setattr(long_corrections.LongCorrection, "_save_ratings", post_as_alias)
    perform(database, UndoRename("darts", made.revision))
    names = teams(database)
    assert (names["f"], names["g"], names["h"]) == (["Jeevo", "cat"], ["Jeevo", "eve"], ["Deevo", "eve"])
    check(database, "darts")


@pytest.mark.usefixtures("take_long")
def test_merge_fails_if_a_match_between_both_players_is_posted_meanwhile(database, monkeypatch):
    save = long_corrections.LongCorrection._save_ratings

    def post_and_save(self):
        save(self)
        monkeypatch.setattr(long_corrections.LongCorrection, "_save_ratings", save)
        perform(database, Post("darts", [match("f", "Jeevo", "Deevo", "2026-02-01")]))

    monkeypatch.setattr(long_corrections.LongCorrection, "_save_ratings", post_and_save)
    with pytest.raises(NameConflict, match="both played in match 'f'"):
        perform(database, merge())
    assert alias_table(database) == {}
    check(database, "darts")


def test_matches_posted_during_a_merge_get_their_names_back_when_it_is_undone(database):
    writer = Writer(database)
    try:
        futures = []
        for number in range(30):
            futures.append(
                writer.submit(Post("darts", [match(f"n{number}", "Jeevo", "cat", f"2026-03-{number + 1:02}")]))
            )
            if number == 12:
                made = writer.submit(merge())
            if number == 20:
                undone = writer.submit(UndoRename("darts", made.result().revision))
        for future in [*futures, undone]:
            future.result()
    finally:
        writer.close()
    names = teams(database)
    assert all(names[f"n{number}"] == ["Jeevo", "cat"] for number in range(30))
    check(database, "darts")


def test_merge_in_a_league_with_many_matches_starts_rating_from_a_checkpoint(database, monkeypatch):
    monkeypatch.setattr("prowess.store.write.replay.MIN_SPACING", 5)
    days = [f"2026-{month:02}-{day:02}" for month in (4, 5, 6) for day in range(1, 29)]
    for number, (one, other) in enumerate(pairwise(["cat", "eve"] * 40)):
        perform(database, Post("darts", [match(f"n{number}", one, other, days[number])]))
    perform(database, Post("darts", [match("last", "Jeeva", "cat", "2026-07-01")]))
    done = perform(database, merge("Jeeva", "Deevo"))
    assert done.ids == ["last"]
    check(database, "darts")
    assert not [one for one in examine(database) if one.league]


def test_repeated_import_is_recognised_even_if_both_players_of_a_match_are_anonymised(database):
    history = pw.History.from_matches([{"teams": [["Jeevo"], ["eve"]], "time": "2025-01-01"}])
    import_history(database, history, "darts")
    for name in ("Jeevo", "eve"):
        erasure.anonymise(database, "darts", name)
    assert import_history(database, history, "darts").repeated == 1
