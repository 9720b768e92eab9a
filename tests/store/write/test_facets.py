"""Leagues whose models have facets: after every command, the ratings equal one fit of all matches, bit for bit."""

import random

import pytest

import prowess as pw
from prowess.store import doctor, facets, leagues, ratings
from prowess.store.db.backup import backup, restore
from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from prowess.store.write import replay
from prowess.store.write.commands import ChangeModel, Delete, Edit, Post, Rederive
from prowess.store.write.erasure import anonymise
from prowess.store.write.importing import import_history
from prowess.store.write.writer import perform, preview
from tests.oracles.league import states_of
from tests.store.sound import check

SURFACE = {"is": "By", "column": "surface", "sigma": 3.0, "tau": 0.05}
SIDE = {"is": "Shared", "column": "side", "sigma": 1.0}
REST = {"is": "By", "column": "rest", "numeric": True}
LENGTH = {"is": "Covariate", "column": "length", "sigma": 0.5}
ALL = [SURFACE, SIDE, REST, LENGTH, {"is": "Experience", "scales": [10.0]}]
TEAMS = [["ann", "bob"], ["cat", "dan"]]


def preset(*specs):
    return Preset("TrueSkill", {"facets": list(specs)})


@pytest.fixture(autouse=True)
def many_checkpoints(monkeypatch):
    monkeypatch.setattr(replay, "MIN_SPACING", 20)


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    yield made
    made.close()


def create(database, *specs, name="tennis"):
    with database.writing() as connection:
        leagues.create(connection, name, clock="number", model=preset(*specs))


def match(id, context=None, time=1, teams=TEAMS, **more):
    return {"id": id, "teams": teams, "time": time, **more} | ({} if context is None else {"context": context})


def season(matches, seed=1):
    chance = random.Random(seed)
    names = [f"player {number}" for number in range(12)]
    found = []
    for number in range(matches):
        players = chance.sample(names, 4)
        context = {"surface": chance.choice(["clay", "grass", "hard", None]), "side": chance.choice(["A", ["A", "B"]])}
        context |= {"rest": [[chance.randint(0, 3) for _ in range(2)] for _ in range(2)], "length": [1.5, number % 3]}
        context = {key: value for key, value in context.items() if value is not None and chance.random() < 0.8}
        scores = [chance.randint(0, 3), chance.randint(0, 3)]
        found.append(match(f"m{number}", context or None, number // 3, [players[:2], players[2:]], scores=scores))
    return found


def ladder_of(database, name="tennis"):
    with database.reading() as connection:
        return ratings.load_all(connection, leagues.find(connection, name))


def test_posts_one_by_one_and_all_at_once_give_the_same_ratings_as_a_fit(database):
    matches = season(120)
    for name in ("single", "batch"):
        create(database, *ALL, name=name)
    for one in matches:
        perform(database, Post("single", [one]))
        replay.take_checkpoint(database, "single")
    perform(database, Post("batch", matches))
    check(database, "single")
    check(database, "batch")
    single, batch = ladder_of(database, "single"), ladder_of(database, "batch")
    assert states_of(single) == states_of(batch)
    assert single.effects.sort("facet", "value").equals(batch.effects.sort("facet", "value"))
    assert {"side", "length", "experience"} == set(single.effects["facet"])
    assert {"surface", "rest"} == set(single.deviations["facet"])


def test_ratings_survive_corrections_restarts_model_changes_and_backups(database, tmp_path):
    create(database, *ALL)
    matches = season(90)
    perform(database, Post("tennis", matches))
    perform(database, Delete("tennis", "m40"))
    perform(database, Edit("tennis", "m7", {**matches[7], "context": {"surface": "clay"}}))
    check(database, "tennis")
    database.close()
    perform(database, Post("tennis", [match("late", {"surface": "hard"}, 5.5)]))
    check(database, "tennis")
    perform(database, ChangeModel("tennis", preset(SURFACE)))
    check(database, "tennis")
    perform(database, ChangeModel("tennis", preset(SIDE, SURFACE)))
    league = check(database, "tennis")
    assert doctor_is_content(database)
    if database.dialect == "sqlite":
        backup(database, tmp_path / "copy.db")
        other = Database(f"sqlite:///{tmp_path}/other.db")
        restore(tmp_path / "copy.db", other)
        assert states_of(ladder_of(other)) == league.states()
        other.close()


def doctor_is_content(database):
    return all(
        found.status != "problem" for found in doctor.examine(database) if found.name in ("ratings", "checkpoints")
    )


def test_edit_of_the_context_alone_rates_the_league_again(database):
    create(database, SURFACE)
    perform(database, Post("tennis", season(60)))
    first = season(60)[3]
    before = ladder_of(database)
    edit = Edit("tennis", "m3", {**first, "context": {"surface": "ice"}})
    planned = preview(database, edit)
    done = perform(database, edit)
    assert set(planned.players) == set(done.players)
    assert set(first["teams"][0]) <= set(done.players)
    assert "ice" in ladder_of(database).deviations["value"].to_list()
    assert states_of(ladder_of(database)) != states_of(before)
    check(database, "tennis")


def test_edit_of_another_column_changes_no_rating(database):
    create(database, SURFACE)
    perform(database, Post("tennis", [match("m1", {"surface": "clay", "umpire": "eve"})]))
    done = perform(database, Edit("tennis", "m1", match("m1", {"surface": ["clay", "clay"], "umpire": "joe"})))
    assert (list(done.players), done.repeated) == ([], [False])
    check(database, "tennis")


def test_import_that_updates_the_context_rates_the_league_again(database):
    create(database, SURFACE, SIDE)
    plain = [{key: value for key, value in one.items() if key != "context"} for one in season(60)]
    perform(database, Post("tennis", plain))
    more = [{**one, "context": {"surface": "clay", "side": ["A", "B"]}} for one in plain]
    imported = import_history(
        database, pw.History.from_matches([*more, match("new", {"surface": "ice"}, 99)]), "tennis"
    )
    assert imported.repeated == 60
    assert set(ladder_of(database).deviations["value"]) == {"clay", "ice"}
    check(database, "tennis")


def test_values_of_a_shared_effect_may_be_given_for_the_match_the_teams_or_all_players_alike(database):
    create(database, SIDE)
    values = ["blue", ["blue", "red"], [["blue", "blue"], ["red", "red"]], ["red", "blue"]]
    perform(database, Post("tennis", [match(f"m{k}", {"side": side}, k) for k, side in enumerate(values)]))
    check(database, "tennis")
    wrong = match("wrong", {"side": [["blue", "red"], ["red", "red"]]}, 9)
    with pytest.raises(
        pw.Error, match="match 2: context: the players of a team have different values of 'side'"
    ) as error:
        perform(database, Post("tennis", [match("fine", time=9), wrong]))
    assert (error.value.match, error.value.field) == (1, "context")


def test_values_of_a_shared_effect_per_player_may_differ_within_a_team(database):
    create(database, {**SIDE, "per": "player"})
    values = ["blue", ["blue", "red"], [["blue", "red"], ["red", "red"]], [["red", "blue"], ["blue", "green"]]]
    for k, side in enumerate(values):
        perform(database, Post("tennis", [match(f"m{k}", {"side": side}, k)]))
    check(database, "tennis")
    perform(database, Edit("tennis", "m2", match("m2", {"side": [["red", "blue"], ["red", "red"]]}, 2)))
    check(database, "tennis")
    assert set(ladder_of(database).effects["value"]) == {"blue", "red", "green"}


def test_values_of_players_stop_a_change_to_a_model_with_a_shared_effect(database):
    create(database, SURFACE)
    perform(database, Post("tennis", [match("m1", {"side": [["blue", "red"], ["red", "red"]]})]))
    with pytest.raises(pw.Error, match="give one value for each team"):
        perform(database, ChangeModel("tennis", preset(SIDE)))
    check(database, "tennis")


def test_text_in_a_column_of_numbers_is_refused(database):
    create(database, REST)
    with pytest.raises(pw.Error, match=r"^match 1: 'rest' is 'long', but a number is needed$"):
        perform(database, Post("tennis", [match("m1", {"rest": "long"})]))
    perform(database, Post("tennis", [match("m1", {"rest": 2})]))
    with pytest.raises(pw.Error, match="'rest' is text here, but a number in this league"):
        perform(database, Post("tennis", [match("m2", {"rest": "long"}, 2)]))
    check(database, "tennis")


def test_erasing_a_player_who_is_a_value_of_a_facet_rates_the_league_again(database):
    create(database, {"is": "By", "column": "umpire"})
    matches = [match(f"m{k}", {"umpire": "Dan" if k % 2 else "eve"}, k) for k in range(30)]
    perform(database, Post("tennis", matches))
    perform(database, ChangeModel("tennis", preset(SURFACE)))
    anonymise(database, "tennis", "dan")
    with database.reading() as connection:
        old = leagues.with_generation(connection, leagues.find(connection, "tennis"), 1)
        found = ratings.load_all(connection, old)
    assert set(found.deviations["value"]) == {"eve"}
    assert doctor_is_content(database)
    perform(database, ChangeModel("tennis", preset({"is": "By", "column": "umpire"})))
    check(database, "tennis")


def test_new_engine_version_derives_the_rows_again(database, monkeypatch):
    create(database, *ALL)
    perform(database, Post("tennis", season(30)))
    with database.writing() as connection:
        leagues.update_generation(connection, leagues.find(connection, "tennis"), engine_version=1, memory=b"")
    perform(database, Rederive("tennis"))
    check(database, "tennis")


def test_shared_effects_make_a_league_serial_and_deviations_do_not(database):
    create(database, SURFACE)
    create(database, SIDE, name="sides")
    with database.reading() as connection:
        assert [leagues.find(connection, name).serial for name in ("tennis", "sides")] == [False, True]
    create(database, SIDE, name="late")
    perform(database, Post("late", [match("m1", {"side": ["A", "B"]}, 5)]))
    others = [["eve"], ["fay"]]
    perform(database, Post("late", [match("m0", {"side": ["A", "B"]}, 1, others)]))  # earlier, and of other players
    check(database, "late")


def test_packed_rows_do_not_depend_on_the_order_in_which_values_appeared():
    model = preset(*ALL).model
    first, second = pw.Ladder(model), pw.Ladder(model)
    for ladder, surfaces in ((first, ["clay", "grass"]), (second, ["grass", "clay"])):
        for surface in surfaces:
            ladder.record([["ann"], ["bob"]], context={"surface": surface})
    copied = pw.Ladder(model)
    copied.names = list(first.names)
    facets.unpack_players(copied, facets.split(facets.join(facets.pack_players(first))))
    facets.unpack_memory(copied, facets.pack_memory(first))
    assert all(one.equals(other) for one, other in zip(copied.facets, first.facets, strict=True))
    packed = [facets.pack_players(ladder)[0] for ladder in (first, second)]
    headers = [some[: 4 + int.from_bytes(some[:4], "little")] for some in packed]
    assert headers[0] == headers[1]
