"""Standings in hindsight: `prowess rate --hindsight`, on a day, and the best of all time."""

import json
from pathlib import Path

import polars as pl
import pytest

import prowess as pw
from tests.cli.running import LEAGUE, ROOT, TEXTBOOK, ruled, run, write

TENNIS = ROOT / "examples" / "tennis.csv"
HINDSIGHT = pw.TrueSkill().hindsight(pw.History.read(LEAGUE))
SEASONS = (
    "season,date,winner,loser\n1,2024-01-01,ann,bob\n1,2024-02-01,ann,cat\n2,2025-01-01,bob,dan\n2,2025-02-01,bob,ann\n"
)


def rows(*words: object) -> list[dict]:
    result = run("rate", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_hindsight_lists_every_player_at_the_last_match() -> None:
    expected = HINDSIGHT.leaderboard()
    found = rows(LEAGUE, *TEXTBOOK, "--hindsight")
    assert [row["player"] for row in found] == expected["player"].to_list()
    assert [row["mu"] for row in found] == expected["mu"].to_list()
    assert "change" not in found[0]
    result = run("rate", LEAGUE, *TEXTBOOK, "--hindsight")
    assert "in hindsight, at the last match of each player: rating = μ − 3σ" in result.stderr
    assert result.stdout.splitlines()[0].split() == [
        "rank",
        "player",
        "rating",
        "μ",
        "±",
        "σ",
        "matches",
        "last",
        "seen",
    ]


def test_inactive_players_are_listed_in_hindsight(tmp_path: Path) -> None:
    path = write(tmp_path, "old.csv", "date,winner,loser\n1990-01-01,old,bob\n2026-01-01,ann,bob\n")
    assert "old" not in run("rate", path).stdout
    result = run("rate", path, "--hindsight")
    assert "old" in result.stdout
    assert "not shown" not in result.stderr
    page = tmp_path / "standings.html"
    assert run("rate", path, "--hindsight", "--best", "--out", page).exit_code == 0
    assert "<details" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("day", ["2025-11-15", "2025-11", "2026"])
def test_on_shows_the_players_of_a_day_month_or_year(day: str) -> None:
    expected = HINDSIGHT.leaderboard(at=day)
    found = rows(LEAGUE, *TEXTBOOK, "--hindsight", "--on", day)
    assert [(row["player"], row["mu"], row["matches"]) for row in found] == expected.select(
        "player", "mu", "matches"
    ).rows()
    every = rows(LEAGUE, *TEXTBOOK, "--hindsight", "--on", day, "--all")
    assert len(every) == 24


def test_on_a_day_before_all_matches_says_that_nobody_played() -> None:
    result = run("rate", LEAGUE, *TEXTBOOK, "--hindsight", "--on", "1999")
    assert result.exit_code == 0
    assert "no player was between the first and the last match on 1999" in result.stderr


def test_on_needs_times(tmp_path: Path) -> None:
    result = run("rate", write(tmp_path, "games.csv", "winner,loser\nann,bob\n"), "--hindsight", "--on", "2026")
    assert result.exit_code == 1
    assert "time" in result.stderr


def test_best_ranks_players_by_their_peaks(tmp_path: Path) -> None:
    expected = HINDSIGHT.best()
    found = rows(LEAGUE, *TEXTBOOK, "--hindsight", "--best")
    assert [(row["player"], row["shown"]) for row in found] == expected.select("player", "shown").rows()
    assert [row["peak"] for row in found] == expected["time"].cast(pl.String).to_list()
    out = tmp_path / "best.csv"
    assert run("rate", LEAGUE, *TEXTBOOK, "--hindsight", "--best", "--out", out).exit_code == 0
    written = pl.read_csv(out)
    assert written.columns == ["rank", "player", "mu", "sigma", "shown", "matches", "last_seen", "active", "peak"]
    screen = ruled("rate", LEAGUE, *TEXTBOOK, "--hindsight", "--best")
    assert "the best of all time, in hindsight" in screen
    assert "peak" in screen


@pytest.mark.parametrize("view", [[], ["--best"], ["--on", "2026"]])
def test_page_in_hindsight_says_what_it_shows(tmp_path: Path, view: list[str]) -> None:
    page = tmp_path / "standings.html"
    assert run("rate", LEAGUE, *TEXTBOOK, "--hindsight", *view, "--scale", "1500,400", "--out", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "in hindsight" in text
    assert ("<button>peak</button>" in text) == (view == ["--best"])


def test_best_without_times_has_no_dates(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", "winner,loser\nann,bob\nann,cat\n")
    assert "peak" not in rows(path, "--hindsight", "--best")[0]


def test_groups_are_fitted_separately_in_hindsight(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", SEASONS)
    found = rows(path, *TEXTBOOK, "--by", "season", "--hindsight")
    assert [row["season"] for row in found] == ["1"] * 3 + ["2"] * 3
    ann = pw.TrueSkill().hindsight(pw.History.read_groups(path, "season")["1"])["ann"]
    assert next(row["mu"] for row in found if row["player"] == "ann") == ann.mu
    assert len(rows(path, *TEXTBOOK, "--by", "season", "--hindsight", "--on", "2024-01-15")) == 1


def test_ladder_saved_in_hindsight_continues_from_its_ratings(tmp_path: Path) -> None:
    saved = tmp_path / "league.prowess"
    assert run("rate", LEAGUE, *TEXTBOOK, "--hindsight", "--save", saved).exit_code == 0
    assert pw.Ladder.load(saved)["Ada"] == HINDSIGHT["Ada"]


def test_facets_are_used_in_hindsight() -> None:
    facet = (*TEXTBOOK, "--facet", "surface")
    clay = rows(TENNIS, *facet, "--hindsight", "--at", "surface=clay")
    hard = rows(TENNIS, *facet, "--hindsight", "--at", "surface=hard")
    assert clay["deviations"] == hard["deviations"]
    assert [row["mu"] for row in clay["standings"]] != [row["mu"] for row in hard["standings"]]
    # Effects and deviations belong to the last matches.
    assert isinstance(rows(TENNIS, *facet, "--hindsight", "--best"), list)
    assert isinstance(rows(TENNIS, *facet, "--hindsight", "--on", "2026-03"), list)


def test_automatic_choice_takes_a_model_that_has_a_hindsight() -> None:
    assert len(rows(LEAGUE, "--hindsight")) == 24


@pytest.mark.parametrize("model", ["elo", "glicko", "glicko2", "ts2c"])
def test_models_without_a_hindsight_say_so(model: str) -> None:
    result = run("rate", LEAGUE, "--model", model, "--hindsight")
    assert result.exit_code == 1
    assert "cannot use a whole history; TrueSkill() or TS2() can" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--on", "2026"], "--on 2026 needs --hindsight; --until 2026 gives the standings as they were known then"),
        (["--best"], "--best needs --hindsight"),
        (["--hindsight", "--best", "--on", "2026"], "leave out one of them"),
        (["--hindsight", "--best", "--at", "surface=clay"], "leave out --at or --best"),
        (["--hindsight", "--period", "week"], "--hindsight cannot be used with --period"),
        (["--hindsight", "--stream"], "--hindsight cannot be used with --stream"),
        (["--hindsight", "--resume", "old.prowess"], "--hindsight cannot be used with --resume"),
        (["--hindsight", "--on", "2026", "--save", "new.prowess"], "--hindsight cannot be used with --save"),
        (["--hindsight", "--best", "--save", "new.prowess"], "leave out --on and --best"),
        (["--hindsight", "--on", "yesterday"], "'yesterday' isn't a date I understand"),
    ],
)
def test_options_without_a_meaning_in_hindsight_are_errors(words: list[str], message: str) -> None:
    result = run("rate", LEAGUE, *TEXTBOOK, *words)
    assert result.exit_code == 1
    assert message in result.stderr


def test_period_none_is_allowed_in_hindsight() -> None:
    assert run("rate", LEAGUE, *TEXTBOOK, "--hindsight", "--period", "none").exit_code == 0
