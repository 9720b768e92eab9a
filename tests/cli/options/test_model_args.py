import json

import pytest

import prowess as pw
from prowess import Error
from prowess.cli.options.model_args import make_model
from prowess.model.presets import PRESETS
from tests.cli.running import LEAGUE, run


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
    assert make_model("trueskill", ["team=mean", "beta=3"]) == pw.TrueSkill().replace(team=pw.team.Mean(), beta=3)


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
        (("--set", "drift=PerTime"), "error: --set drift=PerTime: this component needs parameters"),
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
        make_model(name, [change])
    except Error as error:
        return str(error)
    return ""
