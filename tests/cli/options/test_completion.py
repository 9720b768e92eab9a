import pytest

from tests.cli.running import LEAGUE, run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_available_for_each_supported_shell(shell: str) -> None:
    result = run(_PROWESS_COMPLETE=f"source_{shell}")
    assert result.exit_code == 0, result.output
    assert "_PROWESS_COMPLETE=complete_" in result.stdout
    assert "prowess" in result.stdout


def complete(*words: object) -> list[str]:
    line = " ".join(map(str, ("prowess", *words)))
    env = {"_PROWESS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    return run(**env).stdout.split()


def test_completion_suggests_commands_models_parameters_and_column_roles() -> None:
    assert "rate" in complete("ra")
    assert complete("rate", LEAGUE, "--model", "ts2") == ["ts2", "ts2a", "ts2b", "ts2c"]
    assert complete("rate", LEAGUE, "--set", "draw") == ["draw_probability="]
    assert complete("rate", LEAGUE, "--drift", "t") == ["time"]
    assert complete("rate", LEAGUE, "--home-advantage", "learnt", "--set", "home_t") == ["home_tau="]
    assert "volatility=" in complete("rate", LEAGUE, "--model", "glicko2", "--set", "vol")
    assert complete("rate", LEAGUE, "--model", "nix", "--set", "b") == []
    assert complete("rate", LEAGUE, "--columns", "home_") == ["home_score="]
    assert "--min-matches" in complete("rate", LEAGUE, "--m")
