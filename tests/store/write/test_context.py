"""The context of matches is stored as posted, corrected without rating matches again, imported and exported."""

import json

import pytest
from sqlalchemy import select

import prowess as pw
from prowess.history import History
from prowess.store import exports, leagues
from prowess.store.db import schema
from prowess.store.db.backup import backup, restore
from prowess.store.db.database import Database
from prowess.store.errors import Conflict
from prowess.store.exports import ExportSpec, write_matches
from prowess.store.journal import context, journal
from prowess.store.write.commands import Delete, Edit, Post
from prowess.store.write.erasure import anonymise
from prowess.store.write.importing import import_history
from prowess.store.write.writer import perform, preview
from tests.store.sound import check

CONTEXT = {"surface": "clay", "side": ["blue", "red"], "rest": [[3, 1], [2, 2]]}
TEAMS = [["ann", "bob"], ["cat", "dan"]]


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    with made.writing() as connection:
        leagues.create(connection, "darts", clock="number")
    yield made
    made.close()


def match(id, context=None, time=1, teams=TEAMS, **more):
    return {"id": id, "teams": teams, "time": time, **more} | ({} if context is None else {"context": context})


def read(database, league="darts"):
    with database.reading() as connection:
        return journal.history(connection, leagues.find(connection, league))


def rows(database):
    with database.reading() as connection:
        return connection.execute(select(schema.journal).order_by(schema.journal.c.revision)).all()


def kinds(database, league="darts"):
    with database.reading() as connection:
        return leagues.find(connection, league).context_kinds


def test_context_stored_with_a_match_is_returned_in_the_history_of_the_league(database):
    given = [match("m1", CONTEXT), match("m2", time=2), match("m3", {"surface": "grass", "note": " "}, time=3)]
    perform(database, Post("darts", given))
    assert [row.context for row in rows(database)] == [
        '{"surface":"clay","side":["blue","red"],"rest":[[3,1],[2,2]]}',
        None,
        '{"surface":"grass"}',
    ]
    assert read(database) == History.from_matches(given)
    assert kinds(database) == {"surface": "category", "side": "category", "rest": "number"}


def test_context_of_a_long_journal_is_read_in_chunks(database, monkeypatch):
    monkeypatch.setattr(context, "CHUNK", 2)
    given = [match(f"m{n}", {**CONTEXT, "n": n} if n % 3 else None, n) for n in range(11)]
    perform(database, Post("darts", given))
    assert read(database) == History.from_matches(given)


def test_context_of_a_match_without_context_is_stored_as_null(database):
    perform(database, Post("darts", [match("m1"), match("m2", {}, time=2), match("m3", {"a": None}, time=3)]))
    assert [row.context for row in rows(database)] == [None, None, None]
    assert kinds(database) == {}


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ("clay", "context must be a mapping"),
        ({"side": ["blue"]}, "context 'side' has 1 value for 2 teams"),
        ({"side": ["blue", ["red", "red"]]}, "mixes values and lists"),
        ({"rest": [[3], [2, 2]]}, "has 1 value for 2 players"),
        ({"rest": float("inf")}, "finite number"),
        ({"rest": {"ann": 3}}, "must be text, a number"),
        ({"note": "x" * 201}, "at most 200 characters"),
        ({"note": ["fine", "a\0b"]}, "no NUL"),
        ({"a\0b": 1}, "cannot store the column name"),
        ({"x" * 101: 1}, "at most 100 characters"),
        ({str(number): number for number in range(101)}, "at most 100 columns"),
        ({"": 1}, "must be text"),
    ],
)
@pytest.mark.parametrize("run", [perform, preview])
def test_error_for_invalid_context_names_the_match(database, run, context, message):
    with pytest.raises(pw.Error, match=message) as refused:
        run(database, Post("darts", [match("m1", CONTEXT), match("m2", context, time=2)]))
    assert (refused.value.field, refused.value.match) == ("context", 1)
    assert not rows(database)


def test_text_in_a_number_column_and_a_number_in_a_text_column_of_the_context_are_refused(database):
    perform(database, Post("darts", [match("m1", {"rest": 3, "surface": "clay"})]))
    for wrong in ({"rest": "three"}, {"surface": 3}, {"rest": [1, 2], "surface": [4, None]}):
        for command in (
            Post("darts", [match("m2", time=2), match("m3", wrong, time=3)]),
            Edit("darts", "m2", match("m2", wrong)),
        ):
            if isinstance(command, Edit):
                perform(database, Post("darts", [match("m2", time=2)]))
            with pytest.raises(pw.Error, match="in this league") as refused:
                perform(database, command)
            assert refused.value.field == "context"
    perform(database, Edit("darts", "m1", match("m1", {"rest": "three"})))  # no other match has the column
    assert kinds(database)["rest"] == "category"
    assert read(database).context["rest"].to_list() == ["three", None]


def test_league_can_have_at_most_100_context_columns(database):
    perform(database, Post("darts", [match("m1", {f"a{number}": 1 for number in range(60)})]))
    with pytest.raises(pw.Error, match="at most 100 context columns"):
        perform(database, Post("darts", [match("m2", {f"b{number}": 1 for number in range(41)})]))
    perform(database, Post("darts", [match("m2", {f"b{number}": 1 for number in range(40)})]))
    assert len(read(database).context) == 100


def test_match_posted_again_may_have_the_same_context_in_another_form(database):
    perform(database, Post("darts", [match("m1", {"surface": "clay", "rest": 3, "side": ["blue", "red"]})]))
    same = {"side": [["blue", "blue"], ["red", "red"]], "rest": [3.0, 3], "surface": " clay "}
    assert perform(database, Post("darts", [match("m1", same)])).repeated == [True]
    assert perform(database, Edit("darts", "m1", match("m1", same))).repeated == [True]
    for other in ({"surface": "grass"}, None):
        with pytest.raises(Conflict):
            perform(database, Post("darts", [match("m1", other)]))
    assert len(rows(database)) == 1


def test_context_of_a_match_is_stored_in_the_same_form_in_a_batch_and_alone(database):
    perform(database, Post("darts", [match("m1", {"side": "any"}), match("m2", {"side": ["blue", "red"]}, time=2)]))
    assert [row.context for row in rows(database)] == ['{"side":"any"}', '{"side":["blue","red"]}']
    assert perform(database, Post("darts", [match("m1", {"side": "any"})])).repeated == [True]
    assert read(database).team_context["side"].to_list() == ["any", "any", "blue", "red"]


def test_correcting_only_the_context_of_a_match_changes_no_rating(database):
    perform(database, Post("darts", [match(f"m{time}", CONTEXT, time) for time in range(1, 6)]))
    before = [tuple(row) for row in _table(database, schema.rating)]
    changed = perform(database, Edit("darts", "m2", match("m2", {"surface": "grass"}, 2), author="eve", reason="typo"))
    assert (changed.revision, list(changed.players), changed.repeated) == (2, [], [False])
    assert [tuple(row) for row in _table(database, schema.rating)] == before
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        versions = journal.revisions(connection, league, "m2")
        assert (league.revision, league.corrected) == (2, 0)
        assert journal.history(connection, league, 1) == History.from_matches(
            [match(f"m{time}", CONTEXT, time) for time in range(1, 6)]
        )
    assert [(row["kind"], row["until"], row["reason"]) for row in versions] == [("post", 2, ""), ("edit", None, "typo")]
    assert [json.loads(row["context"]) for row in versions] == [CONTEXT, {"surface": "grass"}]
    assert read(database)[1]["context"] == {"surface": "grass"}
    with pytest.raises(Conflict):
        perform(database, Edit("darts", "m2", match("m2", {"surface": "ice"}, 2), seen=1))
    perform(database, Edit("darts", "m2", match("m2", None, 2)))
    perform(database, Delete("darts", "m3"))
    assert [row.get("context") for row in read(database)] == [CONTEXT, None, CONTEXT, CONTEXT]
    check(database, "darts")


def _table(database, table):
    with database.reading() as connection:
        return connection.execute(select(table)).all()


def test_import_stores_the_context_of_matches_and_repeating_it_changes_nothing(database):
    history = History.from_matches([match(None, CONTEXT, 1), match(None, None, 2), match(None, {"surface": "ice"}, 3)])
    first = import_history(database, history, "tennis")
    again = import_history(database, history, "tennis")
    assert (first.matches, again.repeated, again.revision) == (3, 3, 1)
    assert [row.get("context") for row in read(database, "tennis")] == [CONTEXT, None, {"surface": "ice"}]


def test_import_adds_context_to_matches_that_were_recorded_without_context(database):
    plain = [match(None, None, time) for time in range(1, 9)]
    import_history(database, History.from_matches(plain), "tennis")
    perform(database, Delete("tennis", read(database, "tennis").ids[7]))
    with_context = [one | {"context": CONTEXT} for one in plain] + [match(None, {"surface": "ice"}, 0)]
    done = import_history(database, History.from_matches(with_context), "tennis", author="eve")
    assert (done.repeated, done.revision) == (8, 3)
    wanted = [{"surface": "ice"}, *[CONTEXT] * 7]
    assert [row.get("context") for row in read(database, "tennis")] == wanted
    assert import_history(database, History.from_matches(with_context), "tennis").revision == 3
    assert import_history(database, History.from_matches(plain), "tennis").revision == 3
    check(database, "tennis")


def test_import_does_not_overwrite_a_corrected_match_or_a_corrected_context(database):
    history = History.from_matches([match("m1", {"surface": "clay"}, 1), match("m2", {"surface": "clay"}, 2)])
    import_history(database, history, "tennis")
    perform(database, Edit("tennis", "m1", match("m1", {"surface": "grass"}, 1)))
    perform(database, Edit("tennis", "m2", match("m2", {"surface": "grass"}, 2, ranks=[2, 1])))
    assert import_history(database, history, "tennis").revision == 3
    assert read(database, "tennis").context["surface"].to_list() == ["grass", "grass"]


def test_imported_numbers_become_text_in_a_text_column_of_the_league(database):
    perform(database, Post("darts", [match("m1", {"round": "SF"})]))
    import_history(
        database, History.from_matches([match("m2", {"round": 3}, 2), match("m3", {"round": 2.5}, 3)]), "darts"
    )
    assert read(database).context["round"].to_list() == ["SF", "3", "2.5"]
    perform(database, Post("darts", [match("m4", {"seed": [1, 2]}, 4)]))
    with pytest.raises(pw.Error, match="'seed' is text here, but a number in this league"):
        import_history(database, History.from_matches([match("m5", {"seed": ["x", None]}, 5)]), "darts")


@pytest.mark.parametrize("layout", [None, "long"])
@pytest.mark.parametrize("format", ["ndjson", "csv", "parquet"])
def test_exported_league_is_read_back_with_the_same_context(database, tmp_path, monkeypatch, format, layout):
    monkeypatch.setattr(exports, "CHUNK", 2)
    given = [match(f"m{time}", {**CONTEXT, "n": time} if time % 3 else None, time) for time in range(9)]
    perform(database, Post("darts", given))
    path = tmp_path / f"matches.{format}"
    with database.reading() as connection:
        write_matches(connection, leagues.find(connection, "darts"), path, ExportSpec(format, layout))
    assert History.read(path) == History.from_matches(given)


def test_restored_backup_has_the_context_of_all_matches(database, tmp_path, sqlite_url):
    perform(database, Post("darts", [match("m1", CONTEXT)]))
    backup(database, tmp_path / "copy.db")
    other = Database(f"sqlite:///{tmp_path}/restored.db")
    restore(tmp_path / "copy.db", other)
    assert read(other) == read(database)
    assert kinds(other) == kinds(database)
    other.close()


def test_anonymising_a_player_removes_the_name_from_the_context_of_matches(database):
    name = "Zoë Ångström"
    teams = [[name], ["bob"]]
    context = {"umpire": "ZOE ANGSTROM", "note": f"with {name}", "coach": [name.upper(), "Al"], "side": "left"}
    given = [match(f"m{time}", context, time, teams) for time in range(3)]
    perform(database, Post("darts", [*given, match("m3", {"umpire": "Zoe Angstrom"}, 3)]))
    perform(database, Edit("darts", "m1", match("m1", {"umpire": "bob"}, 1, teams)))
    alias = anonymise(database, "darts", name).alias
    kept = {"note": f"with {name}", "coach": [None, "Al"], "side": "left"}
    found = [row.get("context") for row in read(database)]
    assert found == [kept, {"umpire": "bob"}, kept, None]
    assert not [row for row in rows(database) if "angstr" in (row.context or "").lower() and "with" not in row.context]
    # Matches posted again under the name are recognised, and do not bring the name back.
    again = perform(database, Post("darts", [match("m0", context, 0, teams)]))
    assert again.repeated == [True]
    perform(database, Post("darts", [match("m5", {"umpire": name, "surface": name.lower()}, 5, teams)]))
    perform(database, Post("darts", [match("m6", {"umpire": name}, 6)]))
    assert [row.get("context") for row in read(database)][4:] == [None, None]
    assert read(database)[4]["teams"][0] == [alias]


def test_migrated_database_of_a_version_without_context_accepts_context(database_url, tmp_path):
    from prowess.store.db.migrate import run_migrations

    database = Database(database_url)
    with database.engine.begin() as connection:
        run_migrations(connection, "prowess_0006")
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", clock="number")
    perform(database, Post("darts", [match("m1"), match("m2", CONTEXT, 2)]))
    assert [row.get("context") for row in read(database)] == [None, CONTEXT]
    database.close()
