import json
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len

import prowess as pw
from prowess.cli.options.match_syntax import parse_match
from prowess.cli.output.forecast import BAR_WIDTH, percent
from tests.cli.running import LEAGUE, TEXTBOOK, run, screened, write

FIT = pw.TrueSkill().fit(pw.History.read(LEAGUE))


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


@pytest.mark.parametrize(
    "text",
    ["Ada, João vs Chidi", "Ada & João - Chidi", "Ada+João v Chidi", "ada,joao VS. CHIDI", "Ada, João – Chidi"],
)
def test_predict_accepts_many_ways_to_write_a_match(text: str) -> None:
    result = run("predict", LEAGUE, *TEXTBOOK, text)
    assert result.exit_code == 0, result.stderr
    expected = FIT.predict([["Ada", "João"], ["Chidi"]])
    head, first, draw, second, fair = result.stdout.splitlines()
    assert head == "Ada + João  –  Chidi"
    for line, label, chance in (
        (first, "  Ada + João win ", expected.win[0]),
        (draw, "  draw ", expected.draw),
        (second, "  Chidi wins ", expected.win[1]),
    ):
        assert line.startswith(label)
        assert line.rstrip().endswith(percent(chance))
        assert abs(line.count("█") - BAR_WIDTH * chance) <= 1
    assert f"fairness {FIT.quality([['Ada', 'João'], ['Chidi']]):.2f}" in fair


def test_predict_accepts_several_matches_and_shows_the_places_of_many_teams() -> None:
    result = run("predict", LEAGUE, *TEXTBOOK, "Ada vs Chidi", "Ada vs Chidi vs Mbali")
    assert result.exit_code == 0
    ranks = FIT.predict([["Ada"], ["Chidi"], ["Mbali"]]).ranks
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if line.endswith("%  ")}
    for name, row in zip(("Ada", "Chidi", "Mbali"), ranks, strict=True):
        assert rows[name] == [f"{100 * p:.0f}%" for p in row]
    assert list(rows) == ["Mbali", "Ada", "Chidi"]  # the best first
    assert result.stdout.splitlines().count("Ada  –  Chidi  –  Mbali") == 1


def test_predict_writes_the_numbers_of_the_prediction_as_json() -> None:
    result = run(
        "predict", LEAGUE, *TEXTBOOK, "Ada vs Chidi", "--team", "Ada,Zed", "--team", "Chidi", "--newcomers", "--json"
    )
    first, second = json.loads(result.stdout)
    expected = FIT.predict([["Ada"], ["Chidi"]])
    assert first["win"] == expected.win.tolist()
    assert first["ranks"] == expected.ranks.tolist()
    assert (first["teams"], first["newcomers"], first["home"]) == ([["Ada"], ["Chidi"]], [], None)
    assert second["teams"] == [["Ada", "Zed"], ["Chidi"]]
    assert second["win"] == FIT.predict([["Ada", FIT.newcomer], ["Chidi"]]).win.tolist()
    assert second["newcomers"] == ["Zed"]


def test_predict_shows_scores_if_the_model_predicts_scores() -> None:
    counts = ("--model", "poissonod", "--set", "mu=0", "--set", "sigma=0.3", "--set", "beta=0.1")
    model = pw.PoissonOD(mu=0, sigma=0.3, beta=0.1)
    expected = model.fit(pw.History.read(LEAGUE)).predict([["Ada"], ["Chidi"]])
    [found] = json.loads(run("predict", LEAGUE, "Ada vs Chidi", *counts, "--json").stdout)
    assert found["scores"] == expected.scores.tolist()
    grid = expected.score_distribution.grid(30)
    best = max(((grid[a, b], [a, b]) for a in range(31) for b in range(31)), key=lambda cell: cell[0])
    assert found["most_probable"][0] == {"scores": best[1], "probability": best[0]}
    printed = run("predict", LEAGUE, "Ada vs Chidi", *counts).stdout
    assert f"most probable: {best[1][0]}:{best[1][1]} {100 * best[0]:.0f} %" in printed
    lead = run("predict", LEAGUE, "Ada vs Chidi", "--model", "gaussiansd").stdout
    assert "expected lead" in lead


def test_home_and_time_options_change_the_forecast(tmp_path: Path) -> None:
    options = ("--set", "home_mu=3", "--json")
    neutral, home = (
        json.loads(run("predict", LEAGUE, *TEXTBOOK, "Ada vs Chidi", *options, *more).stdout)[0]
        for more in ((), ("--home", "ada"))
    )
    assert home["home"] == 0
    assert home["win"][0] > neutral["win"][0]
    assert "--home NAME" in run("predict", LEAGUE, *TEXTBOOK, "Ada vs Chidi", "--set", "home_mu=3").stderr
    ladder = pw.Ladder(pw.TrueSkill().replace(drift=pw.drift.PerTime(0.5)))
    ladder.record([["ann"], ["bob"]], time="2026-01-01")
    ladder.save(tmp_path / "league.prowess")
    [found] = json.loads(
        run("predict", tmp_path / "league.prowess", "ann-bob", "--time", "2026-03-01", "--json").stdout
    )
    assert found["win"] == ladder.predict([["ann"], ["bob"]], time="2026-03-01").win.tolist()


def test_predict_uses_the_model_of_a_saved_ladder(tmp_path: Path) -> None:
    path = tmp_path / "league.prowess"
    FIT.ladder.save(path)
    assert run("predict", path, "Ada vs Chidi").stdout == run("predict", LEAGUE, *TEXTBOOK, "Ada vs Chidi").stdout
    wrong = run("predict", path, "Ada vs Chidi", "--model", "elo")
    assert wrong.exit_code == 1
    assert "leave out the options of the rating system" in wrong.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("Chid vs Ada",), 1, "no player named 'Chid' among 24 players; did you mean 'Chidi'? (use --newcomers"),
        (("Ada",), 1, "can't read 'Ada' as a match"),
        (("Ada vs Ada",), 1, "Ada is listed in teams 1 and 2"),
        (("Ada vs",), 1, "'Ada vs': a name is missing"),
        (("Zed,,Yu vs Chidi",), 1, "'Zed,,Yu vs Chidi': a name is missing"),
        (("--team", "Ada"), 1, "needs at least two teams"),
        (("Ada vs Chidi", "--home", "Mbali"), 1, "--home Mbali: this player is not in any of the matches"),
        (("Ada vs Chidi", "--time", "yesterday"), 1, "'yesterday' isn't a date I understand"),
        (("Ada vs Chidi", "--time", "2020-01-01"), 1, "is earlier than Ada's last match"),
        ((), 2, "no match given"),
    ],
)
def test_predict_refuses_wrong_arguments_with_an_error(words: tuple[str, ...], code: int, message: str) -> None:
    result = run("predict", LEAGUE, *TEXTBOOK, *words)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert result.stdout == ""


def test_predict_accepts_player_names_that_contain_separators(tmp_path: Path) -> None:
    path = write(tmp_path, "clubs.csv", 'winner,loser\n"Smith, Jo",Saint-Malo\nBrighton & Hove,A - B\n')
    for text in ("Smith, Jo vs Saint-Malo", "Smith, Jo - Saint-Malo", '"Smith, Jo" vs "Saint-Malo"'):
        [found] = json.loads(run("predict", path, text, "--json").stdout)
        assert found["teams"] == [["Smith, Jo"], ["Saint-Malo"]]
    [found] = json.loads(run("predict", path, "--team", "Brighton & Hove", "--team", "A - B", "--json").stdout)
    assert found["teams"] == [["Brighton & Hove"], ["A - B"]]
    assert parse_match("A - B - c", {"A - B"}.__contains__) == [["A - B"], ["c"]]


@pytest.mark.parametrize("width", [60, 80, 140])
def test_predict_output_is_aligned_and_fits_the_terminal(tmp_path: Path, width: int) -> None:
    names = ["Александра Константинопольская", "王小明王小明", "🎉 party 🎉", "naïve Zoë", "bob"]
    rows = "".join(f"{a},{b}\n" for a, b in pairwise(names))
    path = write(tmp_path, "world.csv", "winner,loser\n" + rows)
    texts = [f"{names[0]}, {names[1]} vs {names[2]}, {names[3]}, {names[4]}", " vs ".join(names)]
    result = screened(width, "predict", path, *texts)
    assert result.exit_code == 0, result.stderr
    found = result.stdout.splitlines()
    bars = [line for line in found if line.endswith(" %")]
    assert len(bars) == 3 + 6
    assert all(cell_len(line) <= width for line in bars)
    assert len({cell_len(line) for line in bars[:3]}) == len({cell_len(line) for line in bars[3:]}) == 1
