"""Sweeps in parts give the forecasts of a fit, and output columns are used again only if nobody needs them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import prowess as pw
from prowess.model.engine import schedule as scheduling
from prowess.model.fit import sweeps


def league(count=300, players=12, seed=3):
    rng = np.random.default_rng(seed)
    pairs = [rng.permutation(players)[:2] for _ in range(count)]
    return pw.History.from_matches(
        [{"teams": [[f"p{a}"], [f"p{b}"]], "scores": rng.integers(0, 4, 2).tolist()} for a, b in pairs]
    )


MODELS = {
    "in blocks": pw.TrueSkill(),
    "draw shares": pw.Elo(),
    "estimated noise": pw.GaussianOD(),
    "serial": pw.TrueSkill(draw_probability="learnt"),
    "newcomers": pw.TrueSkill().replace(prior=pw.Newcomers(pw.Normal(25, 8), level_sigma=2, matches=3)),
    "one by one": pw.Elo().replace(home_sigma=20.0),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("teams", [1, 100, 10_000])
def test_parts_of_any_size_have_the_bits_of_a_fit(monkeypatch, name, teams):
    monkeypatch.setattr(scheduling, "WINDOW", 16)
    history, model = league(), MODELS[name]
    parts = [
        (matches, record.win.copy(), record.mean.copy())
        for matches, record in sweeps.sweep_parts(model, history, teams)
    ]
    assert [match for matches, _, _ in parts for match in matches] == [*range(len(history))]
    fit = model.fit(league())
    assert np.concatenate([win for _, win, _ in parts]).tobytes() == fit.forecasts.win.tobytes()
    assert np.concatenate([mean for _, _, mean in parts]).tobytes() == fit.forecasts.mean.tobytes()


def test_error_in_a_part_names_its_match(monkeypatch):
    monkeypatch.setattr(scheduling, "WINDOW", 16)
    matches = [{"teams": [["ann"], ["bob"]], "scores": [1, 0]}] * 99 + [
        {"teams": [["ann"], ["bob"]], "scores": [1, -2]}
    ]
    with pytest.raises(pw.Error, match="match 100 of 100: ") as error:
        list(sweeps.sweep_parts(pw.PoissonOD(), pw.History.from_matches(matches), 20))
    assert error.value.match == 99


def test_next_fit_uses_the_columns_of_a_fit_that_nobody_needs():
    history = league()
    address = pw.TrueSkill().fit(history).forecasts.win.ctypes.data
    assert pw.TrueSkill().fit(history).forecasts.win.ctypes.data == address


@pytest.mark.parametrize("keep", [lambda fit: fit, lambda fit: fit.forecasts, lambda fit: fit.forecasts.win[5:]])
def test_columns_that_are_still_needed_are_not_overwritten(keep):
    history = league()
    fit = pw.TrueSkill().fit(history)
    wanted = fit.forecasts.win.copy()
    kept = keep(fit)
    del fit
    pw.TrueSkill(beta=1.0).fit(history)
    found = kept if isinstance(kept, np.ndarray) else getattr(kept, "forecasts", kept).win
    assert found.tobytes() == wanted[len(wanted) - len(found) :].tobytes()


def test_parts_that_are_kept_are_not_overwritten(monkeypatch):
    monkeypatch.setattr(scheduling, "WINDOW", 16)
    history = league()
    kept = [record.win for _, record in sweeps.sweep_parts(pw.TrueSkill(), history, 32)]
    assert np.concatenate(kept).tobytes() == pw.TrueSkill().fit(history).forecasts.win.tobytes()


def test_fits_of_one_history_in_several_threads_do_not_share_columns():
    history, wanted = league(), {k: pw.Elo(k=k).fit(league()).forecasts.win for k in range(10, 18)}

    def check(k):
        return all((pw.Elo(k=k).fit(history).forecasts.win == wanted[k]).all() for _ in range(30))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(check, wanted))
