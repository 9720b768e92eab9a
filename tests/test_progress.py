"""The progress bar appears after two seconds on a terminal, or on request."""

import numpy as np
import pytest

import prowess as pw
from prowess import progress
from tests.test_modes import league


@pytest.fixture
def history():
    return pw.History.from_matches(league(np.random.default_rng(3), matches=40))


def test_requested_progress_bar_does_not_change_the_ratings(history, capsys, monkeypatch):
    monkeypatch.setattr("prowess.model.fit.sweeps.CHUNK", 20)  # several steps
    monkeypatch.setattr("prowess.model.engine.schedule.WINDOW", 10)
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = pw.TrueSkill().fit(history, progress=True)
    assert "rating" in capsys.readouterr().err
    silent = pw.TrueSkill().fit(history, progress=False)
    assert capsys.readouterr().err == ""
    assert shown.ladder == silent.ladder


def test_quick_work_and_piped_output_show_no_progress_bar(history, capsys, monkeypatch):
    pw.TrueSkill().fit(history)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    pw.TrueSkill().fit(history)  # standard error is not a terminal here
    assert capsys.readouterr().err == ""


def test_slow_work_on_a_terminal_shows_a_progress_bar(history, capsys, monkeypatch):
    monkeypatch.setattr("prowess.model.fit.sweeps.CHUNK", 20)
    monkeypatch.setattr("prowess.model.engine.schedule.WINDOW", 10)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    pw.TrueSkill().fit(history)
    assert "rating" in capsys.readouterr().err


def test_interrupted_fit_leaves_the_starting_ladder_unchanged(history, monkeypatch):
    ladder = pw.Ladder(pw.TrueSkill(), {"p1": pw.Rating(30, 4)})
    before = ladder.copy()

    def interrupted(work, label, progress):
        yield 0
        raise KeyboardInterrupt

    monkeypatch.setattr("prowess.model.fit.sweeps.steps", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pw.TrueSkill().fit(history, start=ladder)
    assert ladder == before
