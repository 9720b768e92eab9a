import pytest

import prowess as pw
from prowess.cli.output.forecast import BAR_WIDTH, print_forecast


def test_forecast_bars_are_proportional_to_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    model = pw.TrueSkill()
    prediction = model.predict([[pw.Rating(60, 1)], [pw.Rating(20, 1)]])
    print_forecast([["ann"], ["bob"]], prediction)
    first, draw, second = capsys.readouterr().out.splitlines()
    assert (first.split()[:2], draw.split()[0], second.split()[:2]) == (["ann", "wins"], "draw", ["bob", "wins"])
    assert first.count("█") >= BAR_WIDTH - 1  # the last cell may be seven eighths full
    assert "█" not in second
    assert (first.rstrip().endswith(">99 %"), second.rstrip().endswith(" <1 %")) == (True, True)


def test_piped_forecast_does_not_truncate_long_names(capsys: pytest.CaptureFixture[str]) -> None:
    teams = [["n" * 90 + "[b]", "c"], ["\x1bd", "e"]]
    print_forecast(teams, pw.TrueSkill().predict([[pw.Rating(25, 8)] * 2] * 2))
    first, _, second = capsys.readouterr().out.splitlines()
    assert "n" * 90 + "[b] + c win " in first
    assert "�d + e win " in second
