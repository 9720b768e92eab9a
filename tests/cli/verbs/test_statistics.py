"""Individual statistics on the command line: --statistic in all commands that rate matches."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import prowess as pw
from prowess.cli.output.statistics import describe_statistics, newcomer_gain
from tests.cli.running import ROOT, TEXTBOOK, run, screened, write

SHOOTER = ROOT / "examples" / "shooter.csv"
BOTH = ("--statistic", "kills:per=mode", "--statistic", "deaths:lower:per=mode")
WORDS = "kills:per=mode,deaths:lower:per=mode"
BOX_SCORE = [("ann", 1, 13), ("bob", 1, 2), ("cat", 2, 3), ("dan", 2, 3)]


def shooter() -> tuple[pw.Model, pw.History]:
    history = pw.History.read(SHOOTER)
    return pw.compose(pw.TrueSkill(), history, statistic=WORDS), history


def rate_json(*words: object) -> list[dict]:
    result = run("rate", *words, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def halves(folder: Path) -> tuple[Path, Path]:
    """Write the first 30 matches and the others to two files."""
    head, *rows = SHOOTER.read_text(encoding="utf-8").splitlines()
    middle = next(index for index, row in enumerate(rows) if row.startswith("31,"))
    parts = {"1.csv": rows[:middle], "2.csv": rows[middle:]}
    first, second = (write(folder, name, "\n".join([head, *part]) + "\n") for name, part in parts.items())
    return first, second


def test_rate_with_statistics_equals_the_library() -> None:
    model, history = shooter()
    printed = rate_json(SHOOTER, *TEXTBOOK, *BOTH)  # the same JSON as without statistics
    board = model.fit(history).leaderboard()
    assert [(row["player"], row["shown"]) for row in printed] == board.select("player", "shown").rows()
    assert rate_json(SHOOTER, *TEXTBOOK) != printed
    assert rate_json(SHOOTER, *TEXTBOOK, "--statistic", "Kills:per=MODE,Deaths:lower:per=mode") == printed


def test_parameters_of_statistics_can_be_set_and_completed() -> None:
    model, history = shooter()
    printed = rate_json(SHOOTER, *TEXTBOOK, *BOTH, "--set", "kills_gamma=3", "--set", "deaths_eta=0.5")
    fit = model.replace(kills_gamma=3, deaths_eta=0.5).fit(history)
    assert [row["shown"] for row in printed] == fit.leaderboard()["shown"].to_list()
    env = {"_PROWESS_COMPLETE": "complete_bash", "COMP_CWORD": "6"}
    words = "prowess rate x.csv --statistic kills --set kills_"
    assert run(**env, COMP_WORDS=words).stdout.split() == ["kills_omega=", "kills_gamma=", "kills_eta="]


def test_statistics_without_a_model_are_part_of_the_model_that_is_chosen(tmp_path: Path) -> None:
    ladder = tmp_path / "shooter.prowess"
    result = run("rate", SHOOTER, *BOTH, "--save", ladder)
    assert "model chosen for these matches: " in result.stderr
    assert "kills as a statistic" in result.stderr
    assert {"kills", "deaths"} <= {one.column for one in pw.Ladder.load(ladder).model.statistics}
    assert run("rate", SHOOTER, "--model", "auto", *BOTH).stdout == result.stdout
    assert run("rate", SHOOTER, *BOTH[:2], "--resume", ladder, "--choose").exit_code == 0
    set_too = run("rate", SHOOTER, *BOTH, "--set", "beta=4")
    assert "apply to TrueSkill" in set_too.stderr


def test_rate_says_below_the_standings_what_a_statistic_is_worth(tmp_path: Path) -> None:
    model, history = shooter()
    ladder = model.fit(history, scale=(1500, 400)).ladder
    worth = [newcomer_gain(ladder, statistic, [history]) for statistic in model.statistics]
    words = ("rate", SHOOTER, *TEXTBOOK, *BOTH, "--scale", "1500,400", "--quiet")
    result = run(*words)
    *lines, warning = result.stdout.split("\n\n")[1].splitlines()
    assert warning.startswith("4 of 60 ratings after a lost match rose")
    assert lines == [
        "kills: one standard deviation more in a match (compared by mode) raises a newcomer's rating by about "
        f"{worth[0]:.0f} points, in addition to the result",
        "deaths: one standard deviation less in a match (compared by mode) raises a newcomer's rating by about "
        f"{worth[1]:.0f} points, in addition to the result",
    ]
    assert max(map(len, screened(80, *words).stdout.splitlines())) <= 80
    page = tmp_path / "s.html"
    assert run(*words, "--out", page).exit_code == 0
    assert "<p>kills: one standard deviation more" in page.read_text(encoding="utf-8")
    assert "standard deviation" not in run("rate", SHOOTER, *TEXTBOOK, "--quiet").stdout


@pytest.mark.parametrize("eta", [0.0, 0.7])
@pytest.mark.parametrize("facets", [(), (pw.facet.By("mode"),)])
def test_worth_of_a_statistic_is_what_it_teaches_without_a_result(eta: float, facets: tuple[pw.facet.By, ...]) -> None:
    _, history = shooter()
    model = pw.TrueSkill(draw_probability=0).replace(facets=facets)
    model = model.replace(statistics=(pw.statistic.Points("kills", eta=eta),))
    ladder = model.fit(history).ladder
    typical = sorted(ladder[name].sigma for name in ladder.names)[len(ladder.names) // 2]
    others = {name: pw.Rating(25.0, typical) for name in ("bob", "cat", "dan")}
    raw = model.replace(statistics=(replace(model.statistics[0], per=None),))
    context = {"mode": "new"}
    teams = [["ann", "bob"], ["cat", "dan"]]

    def taught(draw_probability: float, ranks: list[int]) -> float:
        means = []
        for kills in (0.0, 1.0):
            trial = pw.Ladder(raw.replace(draw_probability=draw_probability), others)
            statistics = {"kills": [[kills, 0.0], [0.0, 0.0]]}
            means.append(trial.record(teams, ranks=ranks, statistics=statistics, context=context)[0][0].mu)
        return means[1] - means[0]

    gain = newcomer_gain(ladder, model.statistics[0], [history])
    assert gain is not None
    # If nearly all matches are drawn, a draw says nothing, so that the statistic is seen alone.
    assert gain == pytest.approx(taught(0.999999, [1, 1]), rel=0.15)
    # A win or loss observes the same performance, so the statistic adds less to it.
    for ranks in ([1, 2], [2, 1]):
        assert 0.5 * gain < taught(0.0, ranks) < 0.85 * gain


def test_lines_on_statistics_name_what_is_special() -> None:
    _, history = shooter()
    start = history[:4]
    text = "kills,deaths:lower:bounded"
    ladder = pw.compose(pw.TrueSkill(), statistic=text).fit(start).ladder
    assert all("no effect yet, because the first 20 values only" in line for line in describe_statistics(ladder, []))
    fit = pw.compose(pw.TrueSkill(), statistic=text).fit(history)
    kills, _ = describe_statistics(fit.ladder, [])
    assert kills == "kills: one standard deviation more in a match raises a player's rating, in addition to the result"
    _, deaths = describe_statistics(fit.ladder, [history])
    assert re.fullmatch(r"deaths: one .* less .* by about \d\.\d+, in addition to the result, but never .*", deaths)
    [left] = describe_statistics(pw.Ladder(pw.compose(pw.TrueSkill(), statistic="left:quit")), [history])
    assert left == "left: a player who quits is rated as having played worse than the opponents"


def test_resuming_a_ladder_with_statistics_reads_their_columns(tmp_path: Path) -> None:
    model, history = shooter()
    first, second = halves(tmp_path)
    ladder = tmp_path / "league.prowess"
    assert run("rate", first, *TEXTBOOK, *BOTH, "--save", ladder).exit_code == 0
    result = run("rate", second, "--resume", ladder, "--save", ladder)
    assert result.exit_code == 0, result.output
    assert pw.Ladder.load(ladder) == model.fit(history).ladder
    assert "kills: one standard deviation more" in result.stdout
    assert rate_json(SHOOTER, "--model", ladder) == rate_json(SHOOTER, *TEXTBOOK, *BOTH)


def test_options_of_a_saved_ladder_may_be_repeated_in_any_case(tmp_path: Path) -> None:
    ladder = tmp_path / "league.prowess"
    run("rate", SHOOTER, *TEXTBOOK, *BOTH, "--save", ladder)
    match = ("predict", ladder, "Esme, Hiro vs Bryn, Calla", "--json")
    plain = json.loads(run(*match).stdout)
    assert "context" not in plain[0]
    same = ("--statistic", "KILLS:per=Mode,deaths:lower:per=mode")
    assert json.loads(run(*match, *TEXTBOOK, *same).stdout) == plain
    for wrong in (BOTH[:2], ("--statistic", "kills,deaths"), (*BOTH, "--set", "kills_gamma=5")):
        result = run(*match, *TEXTBOOK, *wrong)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "saved with another model" in result.stderr


def test_streaming_a_file_gives_the_same_ratings() -> None:
    words = (SHOOTER, *TEXTBOOK, *BOTH)
    assert [row["shown"] for row in rate_json(*words, "--stream")] == [row["shown"] for row in rate_json(*words)]


def test_groups_have_statistics_of_their_own() -> None:
    printed = rate_json(SHOOTER, *TEXTBOOK, "--statistic", "kills", "--by", "mode")
    assert {row["mode"] for row in printed} == {"Arena", "Flag"}
    assert "standard deviation" not in run("rate", SHOOTER, *TEXTBOOK, "--statistic", "kills", "--by", "mode").stdout


def test_other_commands_accept_statistics() -> None:
    words = (*BOTH, "--quiet", *TEXTBOOK)
    players = ("Esme", "Hiro", "Bryn", "Calla")
    for verb, *arguments in (
        ("predict", "Esme vs Hiro"),
        ("explain", "Esme"),
        ("balance", *players),
        ("pair", *players),
        ("next",),
    ):
        result = run(verb, SHOOTER, *arguments, *words)
        assert result.exit_code == 0, result.output
        assert result.stdout


def test_compare_takes_statistics_with_options() -> None:
    spec = "trueskill:statistic=kills:per=mode:statistic=deaths:lower:beta=3"
    result = run("compare", SHOOTER, "--models", f"trueskill,{spec}", "--json")
    assert result.exit_code == 0, result.output
    names = [row["model"] for row in json.loads(result.stdout)["models"]]
    assert set(names) == {"TrueSkill", "TrueSkill statistic=kills:per=mode statistic=deaths:lower beta=3"}
    wrong = run("compare", SHOOTER, "--models", "trueskill:statistic=kills:lowr")
    assert "unknown option 'lowr' of a statistic" in wrong.stderr


def test_tuned_command_keeps_statistics_and_their_parameters() -> None:
    words = (*TEXTBOOK, *BOTH, "--params", "kills_gamma,sigma", "--set", "deaths_gamma=5", "--trials", 8)
    tuned = run("tune", SHOOTER, *words, "--set", "kills_gamma=50", "--json", "--quiet")
    assert tuned.exit_code == 0, tuned.output
    command = json.loads(tuned.stdout)["command"]
    assert "--statistic kills:per=mode --statistic deaths:lower:per=mode" in command
    assert "--set kills_gamma=" in command
    result = run(*shlex.split(command)[1:], "--quiet")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--statistic", "kils"), "no column 'kils'; did you mean 'kills'?"),
        (("--statistic", "kills:per=mod"), "no column 'mod'; did you mean 'mode'?"),
        (("--statistic", "kills:lowr"), "'kills:lowr': unknown option 'lowr' of a statistic; choose from points,"),
        (("--statistic", "mode"), "--statistic mode: 'mode' is the same for all players of a match, but a statistic"),
        (
            ("--statistic", "kills", "--model", "elo"),
            "cannot learn from statistics, because its ratings have no",
        ),
        (("--statistic", "kills", "--model", "glicko"), "cannot learn from statistics, because it rates all matches"),
        (("--statistic", "kills", "--set", "statistic=deaths"), "--set also sets statistic; set it once"),
        (("--statistic", "kills", "--facet", "kills"), "'kills' is a statistic, which is known only after the match"),
        (
            ("--statistic", "kills", "--at", "Kills=9"),
            "--at Kills=9: 'Kills' is a statistic, which is known only after a match; ratings and predictions never "
            "need it, so leave it out",
        ),
        (("--statistic", "kills:per=mode", "--at", "mode=Flag"), "--at mode=Flag: this model has no facets; rate the"),
    ],
)
@pytest.mark.parametrize("verb", ["rate", "predict"])
def test_error_about_a_statistic_is_one_clear_line(verb: str, words: tuple[str, ...], message: str) -> None:
    match = ("Esme vs Hiro",) if verb == "predict" else ()
    result = run(verb, SHOOTER, *match, *(() if "--model" in words else TEXTBOOK), *words, "--quiet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_import_rejects_statistics(tmp_path: Path) -> None:
    database = tmp_path / "league.db"
    result = run("import", SHOOTER, "--league", "x", "--set", "statistic=kills", "--database", database)
    assert result.exit_code == 1
    assert "--statistic kills: import cannot set the statistics of a league" in result.stderr
    assert run("simulate", "--statistic", "kills").exit_code == 2


def test_rate_warns_if_lost_matches_raised_ratings() -> None:
    loud = ("--set", "kills_gamma=0.3")
    assert "after a lost match rose, because of the statistics; with --statistic kills:bounded" in (
        run("rate", SHOOTER, *TEXTBOOK, *BOTH, *loud).stdout
    )
    bounded = [word + ":bounded" if "=" in word or "lower" in word else word for word in BOTH]
    assert "after a lost match" not in run("rate", SHOOTER, *TEXTBOOK, *bounded, *loud).stdout


def test_columns_with_a_colon_are_written_with_two(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(SHOOTER.read_text().replace("kills", "K:A", 1))
    expected = pw.TrueSkill().replace(statistics=(pw.statistic.Points("K:A", bounded=True),))
    result = run("rate", path, *TEXTBOOK, "--statistic", "k::a:bounded", "--json", "--quiet")
    assert result.exit_code == 0, result.output
    board = expected.fit(pw.History.read(path)).leaderboard()
    rows = json.loads(result.stdout)
    rows = rows if isinstance(rows, list) else rows["standings"]
    assert [row["mu"] for row in rows] == board["mu"].to_list()
    compared = run("compare", path, "--models", "trueskill,trueskill:statistic=k::a:bounded:beta=3", "--json")
    assert "TrueSkill statistic=k::a:bounded beta=3" in compared.stdout


def test_explain_names_the_statistic_that_outweighed_the_result(tmp_path: Path) -> None:
    rows = [f"{day},{name},{team},{team},{kills}" for day in range(12) for name, team, kills in BOX_SCORE]
    rows += [f"12,{name},{team},{team},{13 - kills}" for name, team, kills in BOX_SCORE]
    games = write(tmp_path, "games.csv", "\n".join(["match,player,team,rank,kills", *rows]) + "\n")
    said = run("explain", games, "ann", *TEXTBOOK, "--statistic", "kills").stdout
    assert re.search(r"won +\d+ %, 0 kills +−", said), said
