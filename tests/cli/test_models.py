"""`prowess rate --model`: every preset, by name."""

import json

import pytest

from prowess.model.presets import PRESETS

from .running import LEAGUE, run


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
    assert ("does not say how sure" in table.stderr) == (expected["sigma"].null_count() > 0)


def history():
    import prowess as pw

    return pw.History.read(LEAGUE)


def test_the_help_lists_them() -> None:
    text = run("rate", "--help").stdout
    assert all(name in text for name in ("Harkness", "PoissonOD"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "trueskil"), "no model is called 'trueskil'; there are Harkness, Elo"),
        (("--model", "elo", "--draw-probability", "0.2"), "--draw-probability is for TrueSkill and its relatives"),
    ],
)
def test_errors(words: tuple[str, ...], message: str) -> None:
    result = run("rate", LEAGUE, *words)
    assert result.exit_code == 1
    assert message in result.stderr
