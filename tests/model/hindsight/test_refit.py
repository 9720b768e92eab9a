"""No forecast of a fit with refits changes in a single bit when later matches change."""

import numpy as np
import pytest

import prowess as pw

DRIFTING = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.1))
FACETS = DRIFTING.replace(facets=(pw.facet.By("surface", sigma=2.0, tau=0.1), pw.facet.Shared("side", sigma=1.0)))
HOME = pw.Home(home_sigma=1.0, home_tau=0.05)
MODELS = {
    "TrueSkill": pw.TrueSkill(),
    "drift": DRIFTING,
    "limited drift": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.5, cap=8.0)),
    "home": DRIFTING.replace(home=HOME),
    "facets": FACETS,
    "facets and home": FACETS.replace(home=HOME),
    "learnt draws": DRIFTING.replace(outcome=pw.outcome.Order(margin=pw.outcome.LearntDraws(0.1, 100.0))),
    "newcomers": DRIFTING.replace(prior=pw.Newcomers(pw.Normal(25.0, 8.0), 2.0, 1.0, 5)),
    "leader": DRIFTING.replace(team=pw.team.LeaderBonus(pw.team.Sum())),
    "mean": DRIFTING.replace(team=pw.team.Mean()),
    "squads": pw.TS2b(),
    "scores": pw.GaussianOD(),
    "counts": pw.PoissonOD(),
}


def league(matches):
    """Return a league that changes: later matches have new players, values of facets, home teams and uneven teams."""
    rng = np.random.default_rng(3)
    found, day = [], np.datetime64("2024-01-01")
    for number in range(matches):
        day += int(rng.integers(0, 4))
        late = number > 2 * matches // 3
        names = [f"p{player}" for player in rng.permutation(8 if number < matches // 2 else 11)]
        match = {
            "teams": [names[:2], names[2:3]] if late else [names[:1], names[1:2]],
            "scores": rng.integers(0, 4, 2).tolist(),
            "time": str(day),
            "context": {"surface": str(rng.choice(["clay", "ice"] if late else ["clay", "grass"])), "side": ["w", "b"]},
        }
        if number > matches // 3 and rng.random() < 0.8:
            match["home"] = int(rng.integers(2))
        found.append(match)
    return pw.History.from_matches(found)


@pytest.mark.parametrize("window", [None, 60])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_forecasts_do_not_depend_on_later_matches(model, window):
    history = league(90)
    whole = model.fit(history, refit=7, window=window).forecasts
    for cut in (1, 7, 30, 45, 59, 62, 80, 89):
        part = model.fit(history[:cut], refit=7, window=window).forecasts
        assert np.array_equal(part.log_evidence, whole.log_evidence[:cut])
        assert np.array_equal(part.win, whole.win[:cut])
        assert np.array_equal(part.draw, whole.draw[:cut])


def test_refits_forecast_from_a_hindsight_of_earlier_matches():
    history = league(60)
    day = np.flatnonzero(np.diff(history.time))[-1] + 1  # the last day has matches of its own
    fit = DRIFTING.fit(history, refit=1)
    past = DRIFTING.hindsight(history[:day], tolerance=1e-6)
    expected = past.predict(history[int(day)]["teams"], time=history[int(day)]["time"])
    assert fit.forecasts.win[day] == pytest.approx(expected.win[0], abs=2e-3)
