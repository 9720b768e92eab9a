import json
from contextlib import closing
from pathlib import Path

import pytest

import prowess as pw
from prowess.store import jobs, leagues
from prowess.store.db.database import Database
from prowess.store.journal import journal
from prowess.store.write.commands import AddAlias
from prowess.store.write.importing import with_ids
from prowess.store.write.writer import perform
from tests.cli.running import ROOT, run

LEAGUE = ROOT / "examples" / "league.csv"


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "league.db")


def imported(place, file, *options, league="Tuesday darts"):
    result = run("import", file, "--league", league, "--database", place, "--json", "--quiet", *options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def league_names(place):
    database = Database(place)
    with database.reading() as connection:
        names = [league.name for league in leagues.list_leagues(connection)]
    database.close()
    return names


def find_league(place, name):
    database = Database(place)
    with database.reading() as connection:
        league = leagues.find(connection, name)
        history = journal.history(connection, league)
    database.close()
    return league, history


def test_import_creates_a_league(place):
    result = imported(place, LEAGUE, "--model", "elo", "--set", "k=20")
    assert result == {
        "league": "tuesday-darts",
        "title": "Tuesday darts",
        "founded": True,
        "matches": 400,
        "repeated": 0,
        "players": 24,
        "revision": 1,
        "aliases": {},
        "chosen": None,
        "dry_run": False,
    }
    league, history = find_league(place, "tuesday-darts")
    assert (league.title, league.clock, league.model) == ("Tuesday darts", "utc", pw.Elo(k=20))
    read = pw.History.read(LEAGUE)
    assert history.players == read.players
    assert [match["scores"] for match in history] == [match["scores"] for match in read]


def test_import_stores_the_model_options_with_the_league(place):
    football = ROOT / "examples" / "football.csv"
    words = ("--drift", "time", "--seasons", "season", "--home-advantage", "learnt", "--newcomer-level", "learnt")
    imported(place, football, *words, "--set", "beta=3", league="football")
    league, _ = find_league(place, "football")
    settings = {"drift": "time", "seasons": "season", "home_advantage": "learnt", "newcomer_level": "learnt"}
    model = pw.compose(pw.TrueSkill(), pw.History.read(football), **settings, beta=3)
    assert league.model == league.preset.model == model
    assert league.preset.parameters["drift"] == "time"
    result = run("import", football, "--league", "other", "--database", place, "--set", "drift=Still")
    assert result.exit_code == 1
    assert "--set drift: a league uses a preset, whose components cannot be replaced" in result.stderr


def test_importing_a_file_again_changes_nothing(place):
    imported(place, LEAGUE)
    second = imported(place, LEAGUE, "--model", "ts2", league="tuesday-darts")
    assert (second["founded"], second["repeated"], second["revision"]) == (False, 400, 1)


def test_import_chooses_the_model_of_a_new_or_empty_league(place):
    history = pw.History.read(LEAGUE)
    choice = pw.auto(history)
    tried = imported(place, LEAGUE, "--dry-run")["chosen"]
    chosen = imported(place, LEAGUE)["chosen"]
    assert chosen == tried
    assert (chosen["parts"], chosen["explanation"]) == (list(choice.parts), list(choice.lines))
    league, recorded = find_league(place, "tuesday-darts")
    assert (league.model, league.generation) == (choice.model, 1)
    ladder = league.model.learn(recorded)
    assert {name: ladder[name] for name in ladder} == {name: choice.fit.ladder[name] for name in ladder}
    with closing(Database(place)) as database:
        with database.writing() as connection:
            leagues.create(connection, "empty", clock="utc")
            leagues.create(connection, "elo", model=leagues.Preset("Elo"))
        with database.reading() as connection:
            done, _ = jobs.latest(connection, league, "choice")
            assert json.loads(jobs.answer(connection, done.id))["lines"] == list(choice.lines)
    shown = run("import", LEAGUE, "--league", "empty", "--database", place)
    assert shown.exit_code == 0, shown.output
    assert all(line in shown.stdout for line in choice.lines)
    league, _ = find_league(place, "empty")
    assert (league.model, league.generation, league.choice_posted) == (choice.model, 2, 400)
    assert imported(place, LEAGUE, league="elo")["chosen"] is None
    assert find_league(place, "elo")[0].model == pw.Elo()


def test_importing_a_longer_file_adds_its_new_rows(place, tmp_path):
    rows = ["date,winner,loser", "2026-01-01,ann,bob", "2026-01-01,ann,bob", "2026-01-03,bob,cat"]
    (tmp_path / "a.csv").write_text("\n".join(rows[:3]))
    (tmp_path / "b.csv").write_text("\n".join([*rows[:3], "2026-01-01,ann,bob", rows[3]]))
    first = imported(place, tmp_path / "a.csv", "--duplicates", "keep")
    more = imported(place, tmp_path / "b.csv", "--duplicates", "keep")
    assert (first["matches"], more["matches"], more["repeated"]) == (2, 4, 2)
    assert len(find_league(place, "tuesday-darts")[1]) == 4


@pytest.mark.parametrize(
    ("header", "rows", "clock"),
    [
        ("date,winner,loser", ["2026-01-31,ann,bob"], "utc"),
        ("date,winner,loser", ["2026-01-31T10:00:00+02:00,ann,bob"], "utc"),
        ("round,winner,loser", ["1,ann,bob", "2,bob,ann"], "number"),
        ("winner,loser", ["ann,bob"], "none"),
    ],
)
def test_clock_of_a_new_league_is_determined_by_the_times_in_the_file(place, tmp_path, header, rows, clock):
    (tmp_path / "a.csv").write_text("\n".join([header, *rows]))
    imported(place, tmp_path / "a.csv", *(["--columns", "time=round"] if clock == "number" else []))
    assert find_league(place, "tuesday-darts")[0].clock == clock


def test_import_dry_run_changes_nothing(place, tmp_path):
    result = imported(place, LEAGUE, "--dry-run")
    assert (result["founded"], result["matches"], result["dry_run"]) == (True, 400, True)
    assert list(tmp_path.iterdir()) == []
    imported(place, LEAGUE)
    second = imported(place, LEAGUE, "--dry-run")
    assert (second["founded"], second["repeated"]) == (False, 400)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "poissonod"], "PoissonScore needs scores"),
        (["--set", "team=Mean"], "a league uses a preset"),
        (["--database", "mysql://x/y"], "sqlite or postgresql"),
    ],
)
def test_failed_import_creates_no_league(place, tmp_path, options, message):
    (tmp_path / "a.csv").write_text("winner,loser\nann,bob\n")
    result = run("import", tmp_path / "a.csv", "--league", "x", "--database", place, *options)
    assert result.exit_code == 1
    assert message in result.stderr
    database = Database(place)
    database.migrate()
    with database.reading() as connection:
        assert leagues.list_leagues(connection) == []
    database.close()


def test_import_summary_counts_imported_and_skipped_matches(place):
    first = run("import", LEAGUE, "--league", "Tuesday darts", "--database", place, "--model", "trueskill")
    assert "rosters are split" in first.stderr
    assert first.stdout == "created league 'tuesday-darts'; imported 400 matches of 24 players; revision 1\n"
    second = run("import", LEAGUE, "--league", "Tuesday darts", "--database", place)
    assert (
        second.stdout == "imported 0 matches of 24 players, skipped 400 matches that are already recorded; revision 1\n"
    )


@pytest.mark.parametrize("title", ["Лига А", "リーグ", "Łódź", "///", ""])
def test_title_that_gives_no_valid_league_name_is_refused(place, title):
    result = run("import", LEAGUE, "--league", title, "--database", place)
    assert result.exit_code == 1
    assert "is not a valid league name" in result.stderr
    assert not Path(place).exists() or not league_names(place)


def test_match_ids_are_derived_from_the_content_of_a_match():
    match = {"teams": [["ann"], ["bob"]], "time": "2026-01-31"}
    others = [
        match,
        match | {"time": "2026-02-01"},
        match | {"teams": [["bob"], ["ann"]]},
        match | {"scores": [3, 1]},
        match | {"importance": 2},
        match | {"home": 0},
    ]
    ids = [with_ids(pw.History.from_matches([other])).ids[0] for other in others]
    assert len(set(ids)) == len(ids)
    same = match | {"teams": [[" ann "], ["bob"]], "ranks": [4, 7], "time": "2026-01-31"}
    assert with_ids(pw.History.from_matches([same])).ids[0] == ids[0]
    own = with_ids(pw.History.from_matches([match, match | {"id": "final"}, match])).ids
    assert own[:2] == (ids[0], "final")
    assert own[2] not in own[:2]


def test_file_whose_name_is_not_utf_8_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "games\udcff.csv"
    path.write_text("winner,loser\nann,bob\n")
    result = run("import", path, "--league", "x", "--database", f"sqlite:///{tmp_path}/x.db", "--quiet")
    assert result.exit_code == 0, result.output


def test_import_prints_the_aliases_that_it_applies(place, tmp_path):
    imported(place, LEAGUE)
    with closing(Database(place)) as database:
        perform(database, AddAlias("tuesday-darts", "Addie", "Ada"))
    file = tmp_path / "more.csv"
    file.write_text("date,home,away,home_score,away_score\n2026-01-01,Addie,Wei,3,1\n")
    options = ("import", file, "--league", "tuesday-darts", "--database", place, "--quiet")
    assert "; aliases: Addie is Ada" in run(*options, "--dry-run").stdout
    assert imported(place, file, league="tuesday-darts")["aliases"] == {"Addie": "Ada"}
