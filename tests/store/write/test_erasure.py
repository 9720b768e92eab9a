"""Erasing a person removes the name everywhere, prevents its return, and changes no rating."""

import json
import zlib
from pathlib import Path

import pytest
from sqlalchemy import select

import prowess as pw
from prowess.store import audit, keys, leagues, ratings
from prowess.store.db import schema
from prowess.store.db.backup import backup
from prowess.store.db.database import Database
from prowess.store.errors import Conflict, NotFound
from prowess.store.journal import journal
from prowess.store.leagues import Preset
from prowess.store.write import erasure, long_corrections, replay
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post
from prowess.store.write.erasure import anonymise, drop_hash, list_erasures, scrub
from prowess.store.write.importing import import_history
from prowess.store.write.long_corrections import LongCorrection
from prowess.store.write.replay import take_checkpoint
from prowess.store.write.writer import perform, preview
from tests.oracles.league import rate
from tests.store.matches import MODELS
from tests.store.sound import check

NAME = "Zoë Q. Ångström"
NAMES = [NAME, "bob", "cat", "dan", "Zoë Q."]


def match(number, teams=None, **more):
    teams = teams or [[NAMES[number % 5]], [NAMES[(number + 1 + number % 3) % 5]]]
    return {"teams": teams, "scores": [number % 4, 1], "time": f"2026-01-{1 + number % 28:02d}", **more}


@pytest.fixture
def database(database_url, monkeypatch):
    monkeypatch.setattr(replay, "MIN_SPACING", 3)  # so that short leagues have checkpoints
    database = Database(database_url)
    database.migrate()
    yield database
    database.close()


def fill(database, name="darts", model=None):
    """Create a league whose journal, ratings, checkpoints, audit log and keys contain the name."""
    with database.writing() as connection:
        leagues.create(connection, name, model=model, title="Tuesday darts")
        keys.create(connection, f"phone of {NAME}", league=name, author=NAME)
        audit.write(connection, NAME, "change league", name, title=f"{NAME}'s league", note=f'"{NAME}"')
    perform(database, Post(name, [match(number, id=f"m{number}") for number in range(25)], author=NAME))
    take_checkpoint(database, name)
    perform(
        database, Post(name, [match(25, id="late", teams=[[NAME, "bob"], ["cat", "dan"]])], reason=f"{NAME} was late")
    )
    perform(database, Edit(name, "m3", match(3, teams=[[NAME], ["eve"]]), reason=f"it was {NAME.upper()}, not bob"))
    perform(database, Edit(name, "m0", match(0, teams=[["bob"], ["eve"]])))  # the name is only in an old revision
    perform(database, Delete(name, "m4", reason=f"{NAME}: never played"))
    perform(database, NewSeason(name, "spring", "2026-01-20", 0.5, author=NAME))
    perform(database, ChangeModel(name, Preset("Elo"), author=NAME, reason="simpler"))
    perform(database, Post(name, [match(27, id=f"final/{NAME}")]))
    take_checkpoint(database, name)


def rows(database, table):
    with database.reading() as connection:
        return [dict(row._mapping) for row in connection.execute(select(table))]


def everything(database):
    """Return the content of the whole database as one text."""
    found = [row for table in schema.metadata.sorted_tables for row in rows(database, table)]
    for row in found:
        if "players" in row:
            row["players"] = zlib.decompress(row["players"]).decode()
    return "\n".join(repr(row) for row in found)


def states(database):
    return {
        (row["rating_set"], row["player"]): None if row["state"] is None else bytes(row["state"])
        for row in rows(database, schema.rating)
    }


def test_anonymised_name_is_replaced_everywhere_and_ratings_stay_the_same(database):
    fill(database)
    before = states(database)
    assert NAME in everything(database)
    made = anonymise(database, "darts", NAME, author=f"boss, {NAME}", reason="she asked us to")
    assert made.alias == "anonymous-1"
    left = everything(database)
    assert NAME not in left
    assert NAME.upper() not in left
    renamed = {(number, made.alias if name == NAME else name): state for (number, name), state in before.items()}
    assert states(database) == renamed
    [entry] = [row for row in rows(database, schema.audit) if row["action"] == "anonymise player"]
    assert entry["actor"] == "boss, anonymous-1"
    assert json.loads(entry["detail"]) == {"player": "anonymous-1", "reason": "she asked us to"}


@pytest.mark.parametrize("model", sorted(MODELS))
def test_journal_rewritten_without_the_name_gives_the_same_ratings(sqlite_url, model):
    database = Database(sqlite_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", model=MODELS[model])
    perform(database, Post("darts", [match(number, id=f"m{number}") for number in range(40)]))
    perform(database, Edit("darts", "m7", match(9, importance=0.3, weights=[[0.5], [1.0]])))
    anonymise(database, "darts", NAME)
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        found = journal.current_rows(connection, league)
        fitted = rate(pw.Ladder(league.model), found.history(league))
        assert journal.bodies(found.history(league)) == [found.bodies[row] for row in found.order], (
            "the rewritten JSON must be canonical"
        )
    stored = {player: state for (_, player), state in states(database).items()}
    assert stored == {name: fitted.state[row].tobytes() for name, row in fitted.rows.items()}
    posted = [match(number) for number in range(40)]
    posted[7] = match(9, importance=0.3, weights=[[0.5], [1.0]])
    named = rate(pw.Ladder(league.model), pw.History.from_matches(posted))
    assert stored["anonymous-1"] == named.state[named.rows[NAME]].tobytes()
    database.close()


def test_importing_a_file_does_not_bring_an_anonymised_name_back(database):
    history = pw.History.from_matches([match(number) for number in range(12)])
    import_history(database, history, "darts")
    before = states(database)
    made = anonymise(database, "darts", NAME)
    again = import_history(database, history, "darts")
    assert again.repeated == again.matches == 12
    grown = pw.History.from_matches([match(number) for number in range(14)])
    assert import_history(database, grown, "darts", dry_run=True).repeated == 12
    assert import_history(database, grown, "darts").repeated == 12
    assert NAME not in everything(database)
    assert {name for _, name in states(database)} == {made.alias if name == NAME else name for _, name in before}


def test_match_ids_do_not_reveal_an_anonymised_name(database):
    """Ids of imported matches are hashes of their content, so guessed names could be tested against them."""
    history = pw.History.from_matches([match(number) for number in range(12)])
    import_history(database, history, "darts")
    perform(database, Post("darts", [match(5, id=f"{NAME.lower()}-1"), match(5, id="plain")]))
    before = {row["seq"]: row["id"] for row in rows(database, schema.journal)}
    anonymise(database, "darts", NAME)
    after = {row["seq"]: row["id"] for row in rows(database, schema.journal)}
    with_name = {row["seq"] for row in rows(database, schema.journal) if "anonymous-1" in row["body"]}
    assert {seq for seq in before if before[seq] != after[seq]} == with_name - {14}
    again = perform(database, Post("darts", [match(5, id=f"{NAME.lower()}-1")]))
    assert again.repeated == [True]


def test_anonymised_name_in_a_new_match_is_replaced_by_its_pseudonym(database):
    fill(database)
    made = anonymise(database, "darts", NAME)
    assert preview(database, Post("darts", [match(27, [[NAME], ["bob"]])])).players == [made.alias, "bob"]
    done = perform(database, Post("darts", [match(27, [[NAME], ["bob"]], id="new")]))
    assert done.players == [made.alias, "bob"]
    late = perform(database, Post("darts", [match(2, [[f" {NAME} "], ["bob"]], id="late again")]))
    assert made.alias in late.players
    perform(database, Edit("darts", "new", match(27, [["bob"], [NAME]])))
    decomposed = "Zoe\u0308 Q. A\u030angstro\u0308m"  # letters with combining accents, as macOS writes them
    assert perform(database, Post("darts", [match(27, [[decomposed], ["bob"]])])).players == [made.alias, "bob"]
    with pytest.raises(pw.Error, match="anonymous-1 is listed twice"):
        perform(database, Post("darts", [match(27, [[NAME], [made.alias]])]))
    assert NAME not in everything(database)


def test_many_new_names_are_hashed_outside_of_the_transaction(database, monkeypatch):
    fill(database)
    anonymise(database, "darts", NAME)
    monkeypatch.setattr(erasure, "MAX_HASHED", 3)
    teams = [[NAME, *(f"new {number}" for number in range(20))], ["bob"]]
    done = perform(database, Post("darts", [match(27, teams, ranks=[1, 2], scores=None)]))
    assert "anonymous-1" in done.players
    assert NAME not in done.players


def test_anonymised_name_is_a_new_player_after_its_hash_is_deleted(database):
    fill(database)
    anonymise(database, "darts", NAME, keep_hash=True)
    anonymise(database, "darts", "bob", keep_hash=False)
    with database.reading() as connection:
        found = list_erasures(connection, leagues.find(connection, "darts"))
    assert [(one.alias, one.hash_kept) for one in found] == [("anonymous-1", True), ("anonymous-2", False)]
    assert not drop_hash(database, "darts", "anonymous-1").hash_kept
    assert not drop_hash(database, "darts", "anonymous-1").hash_kept
    assert all(row["hash"] is row["salt"] is None for row in rows(database, schema.erasure))
    assert perform(database, Post("darts", [match(27, [[NAME], ["bob"]])])).players == [NAME, "bob"]
    assert anonymise(database, "darts", NAME).alias == "anonymous-3"
    with pytest.raises(NotFound):
        drop_hash(database, "darts", "anonymous-9")


def test_pseudonym_of_an_anonymised_player_is_a_name_that_no_match_has_ever_used(database):
    with database.writing() as connection:
        leagues.create(connection, "darts")
    teams = [["anonymous-1"], ["ann"]]
    perform(database, Post("darts", [{"teams": teams, "id": "x"}]))
    perform(database, Edit("darts", "x", {"teams": [["anonymous-2"], ["ann"]], "importance": 0}))
    assert anonymise(database, "darts", "ann").alias == "anonymous-3"


def test_refused_anonymisation_changes_nothing(database):
    fill(database)
    before = everything(database)
    with pytest.raises(NotFound, match="has no player named 'nobody'"):
        anonymise(database, "darts", "nobody")
    with pytest.raises(pw.Error, match="reason: leave out the player's name"):
        anonymise(database, "darts", NAME, reason=f"{NAME.lower()} asked")
    assert everything(database) == before
    anonymise(database, "darts", NAME)
    with pytest.raises(Conflict, match="already anonymous"):
        anonymise(database, "darts", "anonymous-1")
    with pytest.raises(NotFound):
        anonymise(database, "darts", NAME)


def test_name_is_erased_from_keys_for_all_leagues_only_with_the_option_all_leagues(database):
    fill(database)
    fill(database, "chess")
    with database.writing() as connection:
        keys.create(connection, NAME, "admin", author=NAME)
    anonymise(database, "darts", NAME)
    names = {row["league_id"]: row["name"] for row in rows(database, schema.key)}
    assert names == {1: "phone of anonymous-1", 2: f"phone of {NAME}", None: NAME}
    anonymise(database, "chess", NAME, all_leagues=True)
    assert {row["name"] for row in rows(database, schema.key)} == {"phone of anonymous-1", "anonymous-1"}
    assert NAME not in everything(database)


def bytes_of(path):
    return b"".join(one.read_bytes() for one in path.parent.glob(f"{path.name}*"))


def test_database_file_and_backup_do_not_contain_an_anonymised_name(sqlite_url, tmp_path, monkeypatch):
    monkeypatch.setattr(replay, "MIN_SPACING", 3)
    database = Database(sqlite_url)
    database.migrate()
    fill(database)
    file = Path(str(database.url.database))
    assert NAME.encode() in bytes_of(file)
    with database.reading() as reader:
        reader.exec_driver_sql("SELECT count(*) FROM journal")  # keeps a snapshot open
        anonymise(database, "darts", NAME)
        assert not scrub(database), "a reader still needs the old pages"
        assert erasure.scrub_is_due(database)
    assert scrub(database)
    assert not erasure.scrub_is_due(database)
    for spelling in (NAME, NAME.upper(), NAME.lower()):
        assert spelling.encode() not in bytes_of(file)
    backup(database, tmp_path / "leagues.backup")
    assert NAME.encode() not in (tmp_path / "leagues.backup").read_bytes()
    assert NAME not in everything(database)
    perform(database, Post("darts", [match(27)]))  # the database still works
    database.close()


def test_long_correction_starts_again_if_a_name_is_anonymised_meanwhile(database, monkeypatch):
    """The correction has read the name before the player is anonymised, and must not write it afterwards."""
    fill(database)
    monkeypatch.setattr(long_corrections, "MAX_SHORT", 0)
    switch = LongCorrection._switch
    erased = []

    def switch_after_erasure(self, planned):
        if not erased:
            erased.append(anonymise(database, "darts", NAME).alias)
        return switch(self, planned)

    monkeypatch.setattr(LongCorrection, "_switch", switch_after_erasure)
    perform(database, Edit("darts", "m1", match(1, [["bob"], [NAME]])))
    assert erased == ["anonymous-1"]
    assert NAME not in everything(database)
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        rated = {name: bytes(state) for name, state in ratings.load_states(connection, league) if state is not None}
    assert "anonymous-1" in rated
    check(database, "darts")
