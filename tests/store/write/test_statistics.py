"""Leagues whose models have statistics: after every command, the ratings equal one fit of all matches, bit for bit."""

import random

import pytest

import prowess as pw
from prowess.store import doctor, facets, leagues, ratings
from prowess.store.db.backup import backup, restore
from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from prowess.store.read.standings import StandingsCache
from prowess.store.write import replay
from prowess.store.write.commands import ChangeModel, Delete, Edit, Post, Rederive, Rename
from prowess.store.write.erasure import anonymise
from prowess.store.write.importing import import_history
from prowess.store.write.writer import perform, preview
from tests.oracles.league import memory_of, states_of
from tests.store.sound import check

KILLS = {"is": "Points", "column": "kills", "per": ["mode"]}
DEATHS = {"is": "Counts", "column": "deaths", "lower": True, "eta": 0.5}
DAMAGE = {"is": "Points", "column": "damage", "per": None, "omega": 10.0, "gamma": 200.0}
LEFT = {"is": "Quit", "column": "left"}
ALL = [KILLS, DEATHS, DAMAGE, LEFT]
FACETS = [{"is": "By", "column": "mode"}, {"is": "Shared", "column": "side"}]
TEAMS = [["ann", "bob"], ["cat", "dan"]]


def preset(*statistics, facets=()):
    return Preset("TrueSkill", {"statistics": list(statistics)} | ({"facets": list(facets)} if facets else {}))


@pytest.fixture(autouse=True)
def many_checkpoints(monkeypatch):
    monkeypatch.setattr(replay, "MIN_SPACING", 20)


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    yield made
    made.close()


def create(database, *statistics, facets=(), name="arena"):
    with database.writing() as connection:
        leagues.create(connection, name, clock="number", model=preset(*statistics, facets=facets))


def match(id, statistics=None, time=1, teams=TEAMS, **more):
    return {"id": id, "teams": teams, "time": time, **more} | ({} if statistics is None else {"statistics": statistics})


def season(matches, seed=1):
    chance = random.Random(seed)
    names = [f"player {number}" for number in range(12)]
    found = []
    for number in range(matches):
        players = chance.sample(names, 4)

        def each(low, high):
            return [
                [chance.choice([None, *[chance.randint(low, high) for _ in range(9)]]) for _ in range(2)] for _ in "ab"
            ]

        statistics = {"kills": each(0, 20), "deaths": each(0, 9), "damage": each(0, 900), "left": each(0, 1)}
        statistics = {name: values for name, values in statistics.items() if chance.random() < 0.9}
        context = {"mode": chance.choice(["duel", "flag"]), "side": ["A", "B"], "map": "Ardennes"}
        context = {name: value for name, value in context.items() if chance.random() < 0.9}
        more = {"scores": [chance.randint(0, 3), chance.randint(0, 3)]} | ({"context": context} if context else {})
        more |= {"weights": [[0.5, 1.0], [1.0, 1.0]]} if number % 7 == 3 else {}
        found.append(match(f"m{number}", statistics or None, number // 3, [players[:2], players[2:]], **more))
    return found


def ladder_of(database, name="arena"):
    with database.reading() as connection:
        return ratings.load_all(connection, leagues.find(connection, name))


@pytest.mark.parametrize("kinds", [(), FACETS], ids=["statistics", "facets and statistics"])
def test_posts_one_by_one_and_all_at_once_give_the_same_ratings_as_a_fit(database, kinds):
    matches = season(100)
    for name in ("single", "batch"):
        create(database, *ALL, facets=kinds, name=name)
    for one in matches:
        perform(database, Post("single", [one]))
        replay.take_checkpoint(database, "single")
    perform(database, Post("batch", matches))
    check(database, "single")
    check(database, "batch")
    single, batch = ladder_of(database, "single"), ladder_of(database, "batch")
    assert states_of(single) == states_of(batch)
    assert memory_of(single) == memory_of(batch)
    kinds_of_match, _, damage, left = single.facets[len(kinds) :]
    assert sorted(kinds_of_match.values) == ["duel", "flag"]
    assert len(damage) == len(left) == 0  # values that are used as they are need no memory


def test_ratings_survive_corrections_restarts_renames_model_changes_and_backups(database, tmp_path):
    create(database, *ALL, facets=FACETS)
    matches = season(90)
    perform(database, Post("arena", matches))
    perform(database, Delete("arena", "m40"))
    perform(database, Edit("arena", "m7", {**matches[7], "statistics": {"kills": [[3, 9], [None, 1]]}}))
    check(database, "arena")
    database.close()
    perform(database, Post("arena", [match("late", {"kills": [[1, 2], [3, 4]]}, 5.5)]))
    check(database, "arena")
    perform(database, Rename("arena", "player 3", "Øyvind"))
    check(database, "arena")
    perform(database, ChangeModel("arena", preset(DAMAGE)))
    check(database, "arena")
    perform(database, ChangeModel("arena", preset(DEATHS, KILLS)))
    league = check(database, "arena")
    assert doctor_is_content(database)
    if database.dialect == "sqlite":
        backup(database, tmp_path / "copy.db")
        other = Database(f"sqlite:///{tmp_path}/other.db")
        restore(tmp_path / "copy.db", other)
        assert states_of(ladder_of(other)) == league.states()
        assert memory_of(ladder_of(other)) == memory_of(league.ladder())
        other.close()


def doctor_is_content(database):
    return all(
        found.status != "problem" for found in doctor.examine(database) if found.name in ("ratings", "checkpoints")
    )


def test_edit_of_a_statistic_alone_rates_the_league_again(database):
    create(database, *ALL)
    matches = season(60)
    perform(database, Post("arena", matches))
    before = ladder_of(database)
    edit = Edit("arena", "m3", {**matches[3], "statistics": {"damage": [[900, 0], [0, 0]]}})
    planned = preview(database, edit)
    done = perform(database, edit)
    assert set(planned.players) == set(done.players)
    assert set(matches[3]["teams"][0]) <= set(done.players)
    assert states_of(ladder_of(database)) != states_of(before)
    check(database, "arena")


def test_edit_of_another_column_changes_no_rating(database):
    create(database, DAMAGE)
    perform(database, Post("arena", [match("m1", {"damage": [[9, 4], [5, 6]]}, context={"map": "Gibraltar"})]))
    same = match("m1", context={"map": "Ardennes", "damage": [[9, 4], [5, 6]]})
    done = perform(database, Edit("arena", "m1", same))
    assert (list(done.players), done.repeated) == ([], [False])
    check(database, "arena")


def test_statistics_and_columns_of_the_context_are_the_same(database):
    create(database, DAMAGE)
    perform(database, Post("arena", [match("m1", {"damage": [[9, 4], [5, 6]]})]))
    done = perform(database, Post("arena", [match("m1", context={"damage": [[9, 4], [5, 6]]})]))
    assert done.repeated == [True]
    both = match("m2", {"damage": [[9, 4], [5, 6]]}, context={"damage": [[9, 4], [5, 6]]})
    with pytest.raises(pw.Error, match="statistics 'damage' is in the context, too; give it once"):
        perform(database, Post("arena", [both]))


def test_wrong_statistic_is_an_error_with_match_and_field(database):
    create(database, DAMAGE)
    wrong = match("m2", {"damage": [[9, 4], [5]]}, 2)
    with pytest.raises(pw.Error, match="match 2: statistics 'damage' must have a number for each player") as error:
        perform(database, Post("arena", [match("m1"), wrong]))
    assert (error.value.match, error.value.field) == (1, "statistics")
    with pytest.raises(pw.Error, match="'damage' is 'much', but a number is needed"):
        perform(database, Post("arena", [match("m1", context={"damage": [["much", "much"], ["much", "much"]]})]))


def test_value_that_all_players_share_belongs_to_each_of_them(database):
    # Whether other matches of the same history have a value for each player must not matter.
    create(database, {**DEATHS, "per": []})
    for number in range(30):
        deaths = 3 if number % 3 else [[1, 2], [3, 4]]
        perform(database, Post("arena", [match(f"m{number}", time=number, context={"deaths": deaths})]))
    perform(database, Post("arena", [match("teams", time=30, context={"deaths": [1, 4]})]))
    check(database, "arena")


def test_import_that_adds_statistics_rates_the_league_again(database):
    create(database, *ALL)
    matches = season(60)
    plain = [{key: value for key, value in one.items() if key not in ("context", "statistics")} for one in matches]
    perform(database, Post("arena", plain))
    before = states_of(ladder_of(database))
    imported = import_history(database, pw.History.from_matches([*matches, match("new", time=99)]), "arena")
    assert imported.repeated == 60
    assert states_of(ladder_of(database)) != before
    check(database, "arena")


def test_erasing_a_player_who_names_a_kind_of_match_rates_the_league_again(database):
    create(database, {**KILLS, "per": ["umpire"]})
    kills = {"kills": [[9, 4], [5, 6]]}
    matches = [match(f"m{k}", kills, k, context={"umpire": "Dan" if k % 2 else "eve"}) for k in range(30)]
    perform(database, Post("arena", matches))
    perform(database, ChangeModel("arena", preset(DAMAGE)))
    anonymise(database, "arena", "dan")
    with database.reading() as connection:
        old = leagues.with_generation(connection, leagues.find(connection, "arena"), 1)
        assert ratings.load_all(connection, old).facets[0].values == ["eve"]
    assert doctor_is_content(database)


def test_new_engine_version_derives_the_rows_again(database):
    create(database, *ALL)
    perform(database, Post("arena", season(30)))
    with database.writing() as connection:
        leagues.update_generation(connection, leagues.find(connection, "arena"), engine_version=1, memory=b"")
    perform(database, Rederive("arena"))
    check(database, "arena")


def test_scaled_statistics_make_a_league_serial_and_others_do_not(database):
    create(database, DAMAGE, LEFT)
    create(database, KILLS, name="scaled")
    with database.reading() as connection:
        assert [leagues.find(connection, name).serial for name in ("arena", "scaled")] == [False, True]
    for name in ("arena", "scaled"):
        perform(database, Post(name, [match("m1", {"kills": [[1, 2], [3, 4]]}, 5)]))
        others = [["eve"], ["fay"]]
        perform(database, Post(name, [match("m0", {"kills": [[1], [2]]}, 1, others)]))  # earlier, and of other players
        check(database, name)


def test_standings_have_no_values_of_statistics(database):
    create(database, *ALL, facets=FACETS)
    perform(database, Post("arena", season(60)))
    standings = StandingsCache()
    with database.reading() as connection:
        now = standings.of(connection, leagues.find(connection, "arena"))
        assert now.facet_values == {"mode": ["duel", "flag"], "side": ["A", "B"]}
        assert {row["facet"] for row in now.effects} == {"side"}
        assert now.ladder.facets[2].equals(ladder_of(database).facets[2])
    perform(database, Post("arena", [match("more", {"kills": [[9, 4], [5, 6]]}, 99, context={"mode": "duel"})]))
    with database.reading() as connection:
        now = standings.of(connection, leagues.find(connection, "arena"))
    assert facets.pack_memory(now.ladder) == facets.pack_memory(ladder_of(database))
    with pytest.raises(pw.Error, match="'kills' is a statistic, which is known only after the match"):
        now.at_values({"kills": 3})


def test_preset_refuses_a_malformed_statistic():
    with pytest.raises(pw.Error, match="statistics") as error:
        _ = preset({"is": "Points", "column": "kills", "colour": 3}).model
    assert error.value.field == "statistics"
