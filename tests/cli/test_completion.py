"""The Tab key: scripts for shells, and what is offered."""

import pytest

from tests.cli.running import LEAGUE, run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_come_out_for_every_shell(shell: str) -> None:
    result = run(_PROWESS_COMPLETE=f"source_{shell}")
    assert result.exit_code == 0, result.output
    assert "_PROWESS_COMPLETE=complete_" in result.stdout
    assert "prowess" in result.stdout


def offered(*words: object) -> list[str]:
    line = " ".join(map(str, ("prowess", *words)))
    env = {"_PROWESS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    return run(**env).stdout.split()


def test_verbs_models_parameters_and_roles_are_offered() -> None:
    assert "rate" in offered("ra")
    assert offered("rate", LEAGUE, "--model", "ts2") == ["ts2", "ts2a", "ts2b", "ts2c"]
    assert offered("rate", LEAGUE, "--set", "draw") == ["draw_probability="]
    assert "volatility=" in offered("rate", LEAGUE, "--model", "glicko2", "--set", "vol")
    assert offered("rate", LEAGUE, "--model", "nix", "--set", "b") == []
    assert offered("rate", LEAGUE, "--columns", "home_") == ["home_score="]
    assert "--min-matches" in offered("rate", LEAGUE, "--m")
