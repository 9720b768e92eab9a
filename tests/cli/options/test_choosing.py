"""Commands that rate a file choose a model for its matches if the user does not name one."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import prowess as pw
from prowess.cli.options.choosing import ChosenModel, choose_for_groups, join_leagues, note_choice
from prowess.cli.options.model_args import AUTO, ModelChoice
from prowess.errors import Remark
from prowess.history.writers import text
from prowess.lab import Interval
from tests.cli.running import LEAGUE, ROOT, TEXTBOOK, WIDE, environment, run, write

HISTORY = pw.History.read(LEAGUE)
CHOICE = pw.auto(HISTORY)
HEAD, *ROWS = LEAGUE.read_text(encoding="utf-8").splitlines(keepends=True)


def halves(folder: Path) -> tuple[Path, Path]:
    """Write the league to two files: matches until the end of May, and matches of June."""
    early = write(folder, "may.csv", HEAD + "".join(row for row in ROWS if row < "2026-06"))
    return early, write(folder, "june.csv", HEAD + "".join(row for row in ROWS if row >= "2026-06"))


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """Save a ladder of the example league, rated with the model chosen for it, and return its path."""
    CHOICE.fit.ladder.save(tmp_path / "league.prowess")
    return tmp_path / "league.prowess"


@pytest.fixture
def choice_notes(capsys: pytest.CaptureFixture[str]):
    """Return a function that returns the notes printed about a chosen model."""

    def lines(chosen: ChosenModel) -> list[str]:
        note_choice(chosen)
        return capsys.readouterr().err.splitlines()

    return lines


def test_rate_uses_the_model_chosen_by_auto_and_describes_it_in_three_lines(tmp_path: Path) -> None:
    result = run("rate", LEAGUE, "--json", "--save", tmp_path / "league.prowess")
    assert pw.Ladder.load(tmp_path / "league.prowess") == CHOICE.fit.ladder
    expected = CHOICE.fit.leaderboard()
    assert [row["mu"] for row in json.loads(result.stdout)] == expected["mu"].to_list()
    lines = result.stderr.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("model chosen for these matches: "))
    assert CHOICE.parts[0] in lines[at]
    assert lines[at + 1].startswith(f"log loss (lower is better) on the last 80 matches: {CHOICE.loss.value:.3f}")
    assert lines[at + 2] == "--model trueskill uses textbook TrueSkill; --report choice.html shows what was tried"
    assert run("rate", LEAGUE, "--model", "AUTO", "--json").stdout == result.stdout
    assert run("rate", LEAGUE, "--quiet").stderr == ""


def test_no_model_is_chosen_if_the_user_names_a_model_or_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pw, "auto", None, raising=False)
    for words in (TEXTBOOK, ("--set", "beta=3"), ("--drift", "time"), ("--model", "elo")):
        result = run("rate", LEAGUE, *words)
        assert result.exit_code == 0, result.output
        assert "model chosen" not in result.stderr


def test_settings_without_a_model_apply_to_textbook_trueskill_and_a_note_says_so() -> None:
    bare = run("rate", LEAGUE, "--set", "beta=3")
    assert bare.stdout == run("rate", LEAGUE, *TEXTBOOK, "--set", "beta=3").stdout
    assert "you gave settings without --model, so they apply to TrueSkill; without settings, " in bare.stderr
    assert "you gave settings" not in run("rate", LEAGUE, *TEXTBOOK, "--set", "beta=3").stderr
    wrong = run("rate", LEAGUE, "--model", "auto", "--drift", "time")
    assert (wrong.exit_code, wrong.stdout) == (1, "")
    assert "--drift time: --model auto chooses this itself; name a model to set it" in wrong.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "Ada vs Chidi"),
        ("balance", "Ada", "Chidi", "João", "Keiko"),
        ("pair", "Ada", "Chidi", "João", "Keiko"),
        ("next", "--count", "3"),
    ],
    ids=lambda words: words[0],
)
def test_command_prints_the_same_for_a_file_and_for_a_ladder_saved_with_the_chosen_model(
    ladder: Path, words: tuple[str, ...]
) -> None:
    verb, *more = words
    result = run(verb, LEAGUE, *more, "--json")
    assert result.exit_code == 0, result.output
    assert result.stdout == run(verb, ladder, *more, "--json").stdout
    assert result.stderr.count("model chosen for these matches: ") == 1
    assert "model chosen" not in run(verb, ladder, *more).stderr
    refused = run(verb, ladder, *more, "--model", "auto")
    assert refused.exit_code == 1
    assert "a saved ladder keeps its model; leave out the options of the rating system" in refused.stderr


def test_explain_and_pair_choose_a_model_for_their_file() -> None:
    result = run("explain", LEAGUE, "Ada", "--json")
    assert json.loads(result.stdout)["now"]["mu"] == CHOICE.fit["Ada"].mu
    assert "model chosen for these matches: " in result.stderr
    assert "model chosen for these matches: " in run("pair", LEAGUE, "Ada", "Chidi", "--avoid", "7d").stderr


def test_model_option_accepts_a_saved_ladder_and_uses_its_model(ladder: Path, tmp_path: Path) -> None:
    assert run("rate", LEAGUE, "--model", ladder, "--json").stdout == run("rate", LEAGUE, "--json").stdout
    simulated = run("simulate", "--model", ladder, "--matches", 30, "--players", 6)
    assert simulated.exit_code == 0, simulated.output
    assert simulated.stdout == text(pw.simulate(CHOICE.model, 30, 6).history)
    missing = run("rate", LEAGUE, "--model", tmp_path / "none.prowess")
    assert missing.exit_code == 1
    assert "none.prowess: file not found" in missing.stderr


@pytest.mark.parametrize("words", [("simulate",), ("tune", LEAGUE)], ids=lambda words: words[0])
def test_command_that_cannot_choose_a_model_refuses_auto_and_says_what_to_do(words: tuple[object, ...]) -> None:
    result = run(*words, "--model", "auto")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "run prowess rate FILE --save league.prowess and use --model league.prowess" in result.stderr


def test_few_matches_are_rated_with_textbook_trueskill_and_a_note_says_so(tmp_path: Path) -> None:
    result = run("rate", write(tmp_path, "games.csv", WIDE))
    assert result.stdout == run("rate", tmp_path / "games.csv", *TEXTBOOK).stdout
    assert "model: textbook TrueSkill. Fewer than 20 matches are too few" in result.stderr
    assert "log loss" not in result.stderr


def test_season_column_is_used_when_a_model_is_chosen(tmp_path: Path) -> None:
    days = [f"{year}-{month:02}-{day:02}" for year in range(2000, 2004) for month in (1, 2) for day in range(1, 20)]
    league = pw.simulate(pw.TrueSkill(), len(days), 6).history
    history = pw.History.from_matches(
        {**match, "time": day, "context": {"season": day[:4]}} for match, day in zip(league, days, strict=True)
    )
    history.write(tmp_path / "games.csv")
    run("rate", tmp_path / "games.csv", "--report", tmp_path / "choice.json")
    found = json.loads((tmp_path / "choice.json").read_text(encoding="utf-8"))
    assert found["model"] == pw.auto(pw.History.read(tmp_path / "games.csv")).model.to_dict()


def test_report_option_explains_the_chosen_model(tmp_path: Path) -> None:
    page, data, standings = tmp_path / "choice.html", tmp_path / "choice.json", tmp_path / "table.html"
    result = run("rate", LEAGUE, "--report", page, "--out", standings)
    assert f"wrote {page}" in result.stderr
    assert "<h2>Decisions</h2>" in page.read_text(encoding="utf-8")
    assert CHOICE.lines[0] in standings.read_text(encoding="utf-8")
    assert run("rate", LEAGUE, "--report", data).exit_code == 0
    assert json.loads(data.read_text(encoding="utf-8"))["parts"] == list(CHOICE.parts)
    assert run("rate", LEAGUE, *TEXTBOOK, "--out", standings).exit_code == 0
    assert "Model: " not in standings.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--report", "a.pdf"), "must end in .html or .json"),
        (("--report", "a.html", *TEXTBOOK), "--report a.html: no model is chosen, because you name one"),
        (("--report", "a.html", "--resume", "league.prowess"), "no model is chosen, because the ladder has one"),
        (("--choose", *TEXTBOOK), "--choose chooses a model for the matches; leave out the other options"),
        (("--choose", "--set", "beta=3"), "--choose chooses a model for the matches; leave out the other options"),
        (("--resume", "league.prowess", "--model", "auto"), "league.prowess: a saved ladder keeps its model"),
    ],
)
def test_options_that_conflict_with_choosing_a_model_are_refused_before_rating(
    ladder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(ladder.parent)
    result = run("-q", "rate", LEAGUE, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert [file.name for file in ladder.parent.iterdir()] == ["league.prowess"]


def test_resumed_ladder_keeps_its_model_unless_the_choose_option_is_given(tmp_path: Path) -> None:
    early, late = halves(tmp_path)
    saved = tmp_path / "league.prowess"
    run("rate", early, "--save", saved, "--scale", "1500,400")
    first = pw.auto(pw.History.read(early)).model
    kept = run("rate", late, "--resume", saved, "--save", tmp_path / "kept.prowess")
    assert "model chosen" not in kept.stderr
    assert pw.Ladder.load(tmp_path / "kept.prowess") == first.fit(HISTORY, scale=(1500, 400)).ladder
    again = run("rate", early, late, "--resume", saved, "--choose", "--save", saved)
    assert again.exit_code == 0, again.output
    assert "model chosen for these matches: " in again.stderr
    assert pw.Ladder.load(saved) == CHOICE.model.fit(HISTORY, scale=(1500, 400)).ladder


@pytest.mark.parametrize("way", [(), ("--stream",)])
def test_choosing_a_new_model_for_a_ladder_needs_all_its_matches(
    ladder: Path, tmp_path: Path, way: tuple[str, ...]
) -> None:
    _, late = halves(tmp_path)
    before = ladder.read_bytes()
    result = run("rate", late, "--resume", ladder, "--choose", "--save", ladder, *way)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "--choose rates all matches again, but " in result.stderr
    assert "give all files of matches, or leave out --choose to continue" in result.stderr
    assert ladder.read_bytes() == before


def test_streamed_file_is_rated_with_the_model_chosen_for_its_first_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.cli.verbs.rate.ROWS", 250)
    saved = tmp_path / "league.prowess"
    result = run("rate", LEAGUE, "--stream", "--save", saved)
    assert result.exit_code == 0, result.output
    found = re.search(
        r"^model chosen for the first chunk of the file, (\d+) matches, and used for all: ", result.stderr, re.M
    )
    size = int(found[1])  # type: ignore[index]
    assert 200 < size <= 250
    assert pw.Ladder.load(saved) == pw.auto(HISTORY[:size]).model.fit(HISTORY).ladder
    plain = run("rate", LEAGUE, "--stream", "--resume", saved, "--since", "2026-06-07")
    assert "model chosen" not in plain.stderr


def test_standard_input_can_be_rated_in_chunks() -> None:
    line = [sys.executable, "-m", "prowess", "rate", "-", "--stream", "--json"]
    with LEAGUE.open("rb") as file:
        done = subprocess.run(line, env=environment(), stdin=file, capture_output=True, check=True)
    assert json.loads(done.stdout) == json.loads(run("rate", LEAGUE, "--stream", "--json").stdout)


def test_one_model_is_chosen_for_all_groups_of_a_file(tmp_path: Path) -> None:
    rows = [f"{row.strip()},{town}\n" for row in ROWS for town in ("Oslo", "Lima")]
    path = write(tmp_path, "towns.csv", HEAD.strip() + ",town\n" + "".join(rows))
    result = run("rate", path, "--by", "town", "--report", tmp_path / "choice.json", "--json")
    assert "model chosen for the matches of all 2 groups: " in result.stderr
    chosen = choose_for_groups(ModelChoice(AUTO), pw.History.read_groups(path, "town"))
    assert json.loads((tmp_path / "choice.json").read_text(encoding="utf-8"))["model"] == chosen.model.to_dict()
    expected = chosen.model.fit(HISTORY).leaderboard()["mu"].to_list()
    for town in ("Oslo", "Lima"):
        assert [row["mu"] for row in json.loads(result.stdout) if row["town"] == town] == pytest.approx(expected)


def test_joining_leagues_keeps_players_of_different_leagues_apart_and_sorts_matches_by_time() -> None:
    early, late = (
        pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
        for days in (("2026-01-01", "2026-01-03"), ("2026-01-02", "2026-01-04"))
    )
    joined = join_leagues({"a": late, "b": early})
    assert len(joined.players) == 4
    assert [str(match["time"])[:10] for match in joined] == [f"2026-01-0{day}" for day in range(1, 5)]
    assert joined[0]["teams"] == joined[2]["teams"] != joined[1]["teams"]
    rounds = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": 3}])
    mixed = join_leagues({"a": early, "b": rounds})
    assert (len(mixed), mixed.time) == (3, None)
    assert len(join_leagues({"": pw.History.from_matches([])})) == 0


@pytest.mark.parametrize(
    ("gain", "ending"),
    [
        (Interval(0.0, 0.0, 0.0), "matches: 0.600"),
        (Interval(3e-5, -1e-5, 5e-5), "matches: 0.600, the same as with textbook TrueSkill"),
        (Interval(0.16, 0.13, 0.19), "0.600; textbook TrueSkill: 0.760; gain +0.160 (95 % interval +0.130 to +0.190)"),
        (Interval(-0.1, -0.2, -0.05), "TrueSkill: 0.500; gain −0.100 (95 % interval −0.200 to −0.050)"),
        (Interval(0.01, -0.02, 0.04), "gain +0.010 (95 % interval −0.020 to +0.040), within noise"),
    ],
)
def test_gain_over_textbook_trueskill_is_printed_with_its_interval(gain: Interval, ending: str, choice_notes) -> None:
    choice = replace(CHOICE, loss=Interval(0.6, 0.5, 0.7), gain=gain)
    assert choice_notes(ChosenModel(choice.model, choice))[1].endswith(ending)


def test_notes_on_a_model_for_races_give_the_loss_per_pair_of_teams_and_list_remarks_last(choice_notes) -> None:
    races = pw.History.read(ROOT / "examples" / "races.csv")
    choice = replace(CHOICE, history=races, notes=(Remark("edge", ("tau is at the end of its range.",)),))
    lines = choice_notes(ChosenModel(choice.model, choice, "the first 7 matches"))
    assert lines[0].startswith("model chosen for the first 7 matches: ")
    assert lines[1].startswith("log loss per pair of teams (lower is better) on the last ")
    assert lines[3:] == ["tau is at the end of its range."]
    assert choice_notes(ChosenModel(choice.model)) == []
