import json

import pytest

import prowess as pw
from prowess import Error
from prowess.cli.options.model_args import make_choice
from prowess.model.presets import PRESETS
from tests.cli.running import LEAGUE, ROOT, run

FOOTBALL = ROOT / "examples" / "football.csv"


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_rates_a_file(name: str) -> None:
    result = run("rate", LEAGUE, "--model", name.lower(), "--json")
    assert result.exit_code == 0, result.output
    standings = json.loads(result.stdout)
    expected = PRESETS[name]().fit(history()).leaderboard()
    assert [row["player"] for row in standings] == expected["player"].to_list()
    assert [row["shown"] for row in standings] == pytest.approx(expected["shown"].to_list())
    table = run("rate", LEAGUE, "--model", name, "--top", 3)
    assert ("±" in table.stdout) == (expected["sigma"].null_count() == 0)
    assert ("no measure of uncertainty" in table.stderr) == (expected["sigma"].null_count() > 0)


def history():
    return pw.History.read(LEAGUE)


def test_names_of_model_components_are_case_insensitive() -> None:
    assert make_choice("trueskill", ["team=mean", "beta=3"]).build() == pw.TrueSkill().replace(
        team=pw.team.Mean(), beta=3
    )


def test_draw_probability_can_be_set_to_learnt() -> None:
    for settings in (["draw_probability=learnt", "draw_memory=inf"], ["draw_memory=inf", "draw_probability=learnt"]):
        expected = pw.TrueSkill(margin=pw.outcome.LearntDraws(draw_memory=float("inf")))
        assert make_choice("trueskill", settings).build() == expected
    assert run("rate", LEAGUE, "--set", "draw_probability=learnt", "--drift", "match").exit_code == 0


def test_model_option_help_lists_the_presets() -> None:
    text = run("rate", "--help").stdout
    assert all(name in text for name in ("Harkness", "PoissonOD"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "trueskil"), "unknown model 'trueskil'; choose one of Harkness, Elo"),
        (
            ("--model", "elo", "--set", "draw_probability=0.2"),
            "unknown parameter 'draw_probability'; choose one of",
        ),
        (("--set", "draw_probability=2"), "error: draw_probability must"),
        (("--set", "beta=wide"), "error: beta must be a finite number of at least 0, not 'wide'"),
        (("--set", "beta=[3]"), "error: beta must be a finite number of at least 0, not [3]"),
        (("--set", "beta="), "error: --set beta=: the value is missing"),
        (("--set", "beta=1", "--set", "beta=2"), "error: --set: the parameter 'beta' is set twice"),
        (
            ("--set", "team=Average"),
            "error: --set team=Average: unknown component; choose one of Affine, FullSquad",
        ),
        (("--set", "drift=PerTime"), "error: --set drift=PerTime: this component needs parameters; use a word: none"),
        (("--drift", "daily"), "error: drift must be one of none, match, time, period, not 'daily'"),
        (("--drift", "time=-1"), "error: --drift time=-1: tau must be a finite number of at least 0"),
        (
            ("--drift", "period"),
            "error: this model has no rating periods in which skills could drift; use --drift time",
        ),
        (("--drift", "time", "--set", "drift=Still"), "error: --drift time: --set also sets drift; set it once"),
        (("--drift", "none", "--set", "tau=1"), "error: unknown parameter 'tau'"),
        (("--drift", "time", "--model", "elo"), "error: skills cannot drift in this model"),
        (("--home-advantage", "big"), "error: home_advantage must be none, learnt or a number, not 'big'"),
        (("--home-advantage", "learnt", "--model", "harkness"), "give it as a number, such as --home-advantage 50"),
        (("--newcomer-level", "learnt", "--model", "elo"), "error: the level of newcomers cannot be learnt with the"),
        (("--newcomer-level", "learnt", "--model", "glicko"), "error: the level of newcomers is learnt match by match"),
        (("--seasons", "60:3"), "error: --seasons 60:3: carry must lie between 0"),
        (("--seasons", "year"), "league.csv: context: no column 'year'; the columns are"),
        (("--set", "absorb=3"), "error: --set absorb=3: unknown component; choose one of"),
    ],
)
def test_error_for_an_invalid_model_option_is_one_line(words: tuple[str, ...], message: str) -> None:
    result = run("rate", LEAGUE, *words)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


ODD = ("wide", "[3]", '{"a": 1}', "null", "true", "-1", "NaN", "Infinity", "1e400", "0")


@pytest.mark.filterwarnings("ignore:Spread")
@pytest.mark.parametrize("name", PRESETS)
def test_unusual_parameter_value_gives_a_model_or_an_error_that_names_the_parameter(name: str) -> None:
    wrong = [
        (parameter, value, message)
        for parameter in PRESETS[name]().params
        for value in ODD
        if parameter not in (message := error_of(name, f"{parameter}={value}") or parameter)
    ]
    assert wrong == []


def error_of(name: str, change: str) -> str:
    try:
        make_choice(name, [change]).build()
    except Error as error:
        return str(error)
    return ""


WORDS = ("--drift", "time", "--seasons", "season:0.7", "--home-advantage", "learnt", "--newcomer-level", "learnt")
SETTINGS = {"drift": "time", "seasons": "season:0.7", "home_advantage": "learnt", "newcomer_level": "learnt"}


def composed(**more: object) -> pw.Model:
    return pw.compose(pw.TrueSkill(), football(), **SETTINGS, **more)


def football() -> pw.History:
    return pw.History.read(FOOTBALL)


def test_model_options_build_the_same_model_as_pw_compose_and_the_saved_ladder_keeps_it(tmp_path) -> None:
    ladder = tmp_path / "league.prowess"
    result = run("rate", FOOTBALL, *WORDS, "--set", "beta=3", "--set", "home_tau=0.1", "--save", ladder)
    assert result.exit_code == 0, result.output
    assert "seasons by column 'season': a season begins after a break of more than" in result.stderr
    model = composed(beta=3, home_tau=0.1)
    assert model.home.home_tau == 0.1
    assert pw.Ladder.load(ladder) == model.fit(football()).ladder


def test_model_options_that_differ_from_the_model_of_a_saved_ladder_are_refused(tmp_path) -> None:
    ladder = tmp_path / "league.prowess"
    run("rate", FOOTBALL, *WORDS, "--save", ladder)
    match = ("predict", ladder, "Northgate vs Eastbrook", "--json")
    assert run(*match, *WORDS).stdout == run(*match).stdout
    for wrong in (("--drift", "time"), (*WORDS, "--set", "tau=1"), ("--seasons", "season:0.7")):
        result = run(*match, *wrong)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "saved with another model; leave out the options of the rating system" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("predict", FOOTBALL, "Northgate vs Eastbrook", "--home", "Northgate"),
        ("balance", FOOTBALL, "Northgate", "Eastbrook", "Vale Wanderers", "Harbour Rovers"),
        ("pair", FOOTBALL, "Northgate", "Eastbrook"),
        ("pair", FOOTBALL, "Northgate", "Eastbrook", "--avoid", "7d"),
        ("next", FOOTBALL),
        ("explain", FOOTBALL, "Northgate"),
        ("tune", FOOTBALL, "--trials", "2", "--params", "tau"),
        ("rate", FOOTBALL, "--stream"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_that_uses_a_model_accepts_the_model_options(words: tuple[object, ...]) -> None:
    plain, worded = run(*words, "--json"), run(*words, *WORDS, "--json")
    assert worded.exit_code == 0, worded.output
    assert "a season begins after a break" in worded.stderr
    assert worded.stdout != plain.stdout


def test_seasons_option_of_simulate_needs_the_length_of_a_break() -> None:
    result = run("simulate", "--seasons", "season")
    assert result.exit_code == 1
    assert "'season' names a column, but no matches are given; give the length of a break, such as --seasons 60" in (
        result.stderr
    )
    assert run("simulate", "--seasons", "60", "--drift", "time", "--start", "2026-01-01", "--matches", 5).exit_code == 0


def test_every_group_is_rated_with_the_same_model_options(tmp_path) -> None:
    file = tmp_path / "leagues.csv"
    rows = FOOTBALL.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([f"{rows[0]},league", *(f"{row},{name}" for name in "AB" for row in rows[1:])]))
    result = run("rate", file, "--by", "league", *WORDS, "--json")
    assert result.exit_code == 0, result.output
    expected = composed().fit(football()).leaderboard()["mu"].to_list()
    for name in "AB":
        assert [row["mu"] for row in json.loads(result.stdout) if row["league"] == name] == pytest.approx(expected)


def test_model_options_without_effect_on_the_matches_print_a_note(tmp_path) -> None:
    file = tmp_path / "plain.csv"
    file.write_text("winner,loser\nann,bob\nbob,cat\n")
    result = run("rate", file, "--drift", "time", "--seasons", "60", "--home-advantage", "learnt")
    assert result.exit_code == 0, result.output
    assert "do not name the home team, so --home-advantage has no effect" in result.stderr
    assert "have no times, so skills do not drift with --drift time" in result.stderr
    assert "have no times, so --seasons has no effect" in result.stderr
    assert "effect" not in run("rate", FOOTBALL, *WORDS).stderr


SHOOTER = ROOT / "examples" / "shooter.csv"


def test_trueskill2_takes_its_columns_from_the_options_of_facets_and_statistics() -> None:
    def build(*settings: str, **words: str) -> pw.Model:
        return make_choice("trueskill2", list(settings), **words).build()

    assert build() == pw.TrueSkill2()
    words = {"facet": "mode,map", "statistic": "kills,deaths:lower:per=mode", "shared": "squad", "experience": "5,50"}
    expected = pw.TrueSkill2(["mode", "map"], ["kills", "deaths:lower:per=mode"], "squad", (5, 50))
    assert build(**words) == expected
    assert expected.statistics[0].per == ("mode", "map")
    assert build("sigma=4", facet="mode", shared="squad,side") == pw.TrueSkill2("mode", (), ["squad", "side"], sigma=4)
    assert build("beta=3", "mode_sigma=1", facet="mode") == pw.TrueSkill2("mode").replace(beta=3, mode_sigma=1)


def test_trueskill2_rates_a_file_whatever_the_case_of_the_columns() -> None:
    words = (SHOOTER, "--model", "TrueSkill2", "--facet", "Mode", "--statistic", "KILLS", "--statistic", "deaths:lower")
    result = run("rate", *words, "--json")
    assert result.exit_code == 0, result.output
    fit = pw.TrueSkill2("mode", ["kills", "deaths:lower"]).fit(pw.History.read(SHOOTER))
    assert [row["mu"] for row in json.loads(result.stdout)["standings"]] == fit.leaderboard()["mu"].to_list()
    assert "TrueSkill2" not in result.stderr


def test_trueskill2_without_columns_says_which_options_to_add() -> None:
    result = run("rate", SHOOTER, "--model", "trueskill2")
    assert result.exit_code == 0, result.output
    assert "add --facet for game modes, --statistic for kills or deaths, and --shared for squads" in result.stderr


def test_compare_names_trueskill2_with_its_columns() -> None:
    result = run("compare", SHOOTER, "--models", "trueskill,trueskill2:facet=mode:statistic=deaths:lower", "--json")
    assert result.exit_code == 0, result.output
    assert "TrueSkill2 facet=mode statistic=deaths:lower" in result.stdout


def test_import_cannot_create_a_league_with_trueskill2(tmp_path) -> None:
    database = f"sqlite:///{tmp_path}/x.db"
    result = run("import", SHOOTER, "--league", "x", "--model", "trueskill2", "--database", database)
    assert result.exit_code == 1
    assert "--model trueskill2: import cannot set the facets and statistics of a league" in result.stderr
