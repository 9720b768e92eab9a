"""Individual statistics agree with dense normal distributions, quadrature and simulations, and never leak."""

import numpy as np
import pytest
from scipy import integrate, stats

import prowess as pw

TEAMS = [["ann", "bob"], ["cat", "dan"]]
KILLS = [[9.0, 2.0], [5.0, 4.0]]


def points(**changes):
    return pw.statistic.Points("kills", **{"omega": 0.7, "gamma": 2.0, "per": None, **changes})


def with_points(model=None, **changes):
    return (model or pw.TrueSkill()).replace(statistics=(points(**changes),))


def rated(model, teams=TEAMS, kills=KILLS, **details):
    ladder = pw.Ladder(model)
    statistics = None if kills is None else {"kills": kills}
    ratings = ladder.record(teams, statistics=statistics, **details)
    return np.array([[rating.mu, rating.sigma] for team in ratings for rating in team])


def league(matches=200, seed=0, size=2, players=12, noise=1.0, mode_scale=(1.0, 10.0)):
    """Return matches in which kills follow the performances, on a scale that depends on the mode."""
    random = np.random.default_rng(seed)
    skill = random.normal(0.0, 1.0, players)
    found = []
    for _ in range(matches):
        chosen = random.permutation(players)[: 2 * size].reshape(2, size)
        performance = skill[chosen] + random.normal(0.0, 0.7, (2, size))
        mode = int(random.integers(2))
        kills = mode_scale[mode] * (performance + random.normal(0.0, noise, (2, size)) + 5.0)
        match = {
            "teams": [[f"p{player:02}" for player in team] for team in chosen],
            "scores": performance.sum(1).tolist(),
            "statistics": {"kills": kills.round(6).tolist()},
            "context": {"mode": f"mode {mode}"},
        }
        found.append(match)
    return found, skill


def test_a_statistic_without_precision_changes_nothing():
    assert rated(with_points(gamma=1e12)) == pytest.approx(rated(pw.TrueSkill(), kills=None), rel=1e-12)


def test_a_missing_statistic_changes_nothing():
    plain = rated(pw.TrueSkill(), kills=None)
    assert (rated(with_points(), kills=None) == plain).all()
    assert (rated(with_points(), kills=[[None, None], [3.0, None]]) == plain).all()  # one value has nobody to compare


@pytest.mark.parametrize("teams", [2, 5])
def test_a_statistic_equal_to_the_scores_of_a_free_for_all_equals_a_score_model(teams):
    random = np.random.default_rng(teams)
    matches = []
    for _ in range(50):
        players = random.permutation(9)[:teams]
        scores = random.normal(0.0, 5.0, teams).round(2).tolist()
        kills = [[score] for score in scores]
        matches.append({"teams": [[f"p{k}"] for k in players], "scores": scores, "statistics": {"kills": kills}})
    history = pw.History.from_matches(matches)
    parts = {"prior": pw.Normal(25.0, 8.0), "noise": 4.0}
    # With several teams, the noise of a single score has the variance γ²/2.
    one = pw.Model(outcome=pw.outcome.GaussianScore(5.0 * np.sqrt(2.0)), **parts).fit(history)
    silent = pw.Model(outcome=pw.outcome.GaussianScore(1e13), **parts)
    other = silent.replace(statistics=(points(omega=1.0, gamma=5.0),)).fit(history)
    for name in history.players:
        assert other[name].mu == pytest.approx(one[name].mu, rel=1e-12)
        assert other[name].sigma == pytest.approx(one[name].sigma, rel=1e-12)


def test_a_constant_added_to_all_values_of_a_match_changes_nothing():
    shifted = [[value + 1000.0 for value in team] for team in KILLS]
    assert rated(with_points(), kills=shifted) == pytest.approx(rated(with_points()), rel=1e-11)


def test_swapping_teams_or_players_changes_nothing():
    one = rated(with_points(), ranks=[1, 2])
    other = rated(with_points(), [TEAMS[1][::-1], TEAMS[0][::-1]], [KILLS[1][::-1], KILLS[0][::-1]], ranks=[2, 1])
    assert other[::-1] == pytest.approx(one, rel=1e-13)


def test_lower_is_better_turns_the_sign_round():
    negative = [[-value for value in team] for team in KILLS]
    assert (rated(with_points(lower=True), kills=negative) == rated(with_points())).all()


def exact(model, statistic, kills, difference, weights=(1.0, 1.0, 1.0, 1.0)):
    """Return means and deviations of four players after a score difference and a statistic, from one joint normal.

    The offset of the statistic has a flat prior. The unknowns are the skills, the noises of the performances, and c.
    """
    sigma, beta = model.params["sigma"], model.noise
    prior = np.diag([1.0 / sigma**2] * 4 + [1.0 / beta**2] * 4 + [0.0])
    information = np.zeros(9)
    information[:4] = model.params["mu"] / sigma**2
    share = np.asarray(weights)
    for player, value in enumerate(np.ravel(kills)):
        row = np.zeros(9)
        row[[player, 4 + player]], row[8] = statistic.omega, 1.0
        precision = share[player] / statistic.gamma**2
        prior += precision * np.outer(row, row)
        information += precision * value / share[player] * row
    row = np.array([*share, *share, 0.0]) * np.array([1, 1, -1, -1, 1, 1, -1, -1, 0])
    precision = 1.0 / model.outcome.gamma**2
    prior += precision * np.outer(row, row)
    information += precision * difference * row
    covariance = np.linalg.inv(prior)
    return np.column_stack([(covariance @ information)[:4], np.sqrt(np.diag(covariance)[:4])])


@pytest.mark.parametrize("weights", [None, [[1.0, 0.5], [0.25, 1.0]]])
def test_result_and_statistic_of_a_match_agree_with_a_joint_normal_distribution(weights):
    """The agreement is close, not exact: the dependence between players that the unknown offset causes is dropped."""
    model = pw.Model(prior=pw.Normal(0.0, 3.0), noise=1.5, outcome=pw.outcome.GaussianScore(4.0))
    statistic = points(omega=0.7, gamma=2.0)
    mine = rated(model.replace(statistics=(statistic,)), scores=[3.0, 1.0], weights=weights)
    flat = (1.0,) * 4 if weights is None else tuple(np.ravel(weights))
    joint = exact(model, statistic, KILLS, 2.0, flat)
    assert mine[:, 0] == pytest.approx(joint[:, 0], abs=0.12)
    assert mine[:, 1] == pytest.approx(joint[:, 1], rel=0.05)


def test_statistic_against_a_known_offset_agrees_with_a_joint_normal_distribution():
    """With a thousand spectators of known performance, the offset is known and players are independent."""
    model = pw.Model(prior=pw.Normal(0.0, 3.0), noise=1e-9, outcome=pw.outcome.GaussianScore(1e13))
    ladder = pw.Ladder(
        model.replace(statistics=(points(omega=0.5, gamma=2.0),)), {f"s{k}": pw.Rating(0.0, 1e-9) for k in range(4000)}
    )
    teams = [["ann"], [f"s{k}" for k in range(4000)]]
    ladder.record(teams, scores=[0, 0], statistics={"kills": [[6.0], [1.0] * 4000]})
    gain = 9.0 * 0.5 / (0.25 * 9.0 + 4.0 * (1.0 + 1.0 / 4000))
    assert ladder["ann"].mu == pytest.approx(gain * 5.0, rel=1e-6)
    assert ladder["ann"].sigma ** 2 == pytest.approx(9.0 * (1.0 - 0.5 * gain), rel=1e-6)


def test_noise_of_a_performance_is_counted_once_for_result_and_statistic():
    """Both observe the same performance. As two separate matches, they would count its noise twice."""
    spectators = {f"s{k}": pw.Rating(0.0, 1e-9) for k in range(4000)}
    model = pw.Model(prior=pw.Normal(0.0, 3.0), noise=2.0, outcome=pw.outcome.GaussianScore(4.0), team=pw.team.Mean())
    ladder = pw.Ladder(model.replace(statistics=(points(omega=0.5, gamma=2.0),)), spectators)
    teams = [["ann"], list(spectators)]
    ladder.record(teams, scores=[7, 0], statistics={"kills": [[6.0], [1.0] * 4000]})
    precision = 0.5**2 / 2.0**2 + 1.0 / 4.0**2
    mean = (0.5**2 / 2.0**2 * 10.0 + 7.0 / 4.0**2) / precision  # what both say about the performance
    variance = 1.0 / precision + 2.0**2
    assert ladder["ann"].mu == pytest.approx(mean * 9.0 / (9.0 + variance), rel=1e-3)
    assert ladder["ann"].sigma ** 2 == pytest.approx(9.0 * variance / (9.0 + variance), rel=1e-3)


@pytest.mark.parametrize(
    "extra", [{}, {"home": pw.Home(0.0, 1e-6)}, {"facets": (pw.facet.Experience((10,), sigma=1e-6),)}]
)
@pytest.mark.parametrize("won", [True, False])
def test_order_and_statistic_of_a_match_agree_with_quadrature(won, extra):
    """A win over opponents of known performance says that p > 0; the statistic says how large p is."""
    spectators = {f"s{k}": pw.Rating(0.0, 1e-9) for k in range(4000)}
    model = pw.Model(prior=pw.Normal(0.0, 3.0), noise=2.0, outcome=pw.outcome.Order(draw_probability=0.0))
    model = model.replace(team=pw.team.Mean(), statistics=(points(omega=0.5, gamma=2.0),), **extra)
    ladder = pw.Ladder(model, spectators)
    teams = [["ann"], list(spectators)]
    match = {
        "teams": teams,
        "ranks": [1, 2] if won else [2, 1],
        "statistics": {"kills": [[6.0], [1.0] * 4000]},
        "home": 0,
    }
    ladder.record(**match)
    p = np.linspace(-40.0, 40.0, 400_001)
    seen = stats.norm.pdf(5.0, 0.5 * p, 2.0) * stats.norm.cdf(p if won else -p, 0.0, 2.0 / np.sqrt(4000.0))
    weight = stats.norm.pdf(p, 0.0, np.sqrt(9.0 + 4.0)) * seen
    mean = np.average(p, weights=weight)
    variance = np.average((p - mean) ** 2, weights=weight)
    share = 9.0 / 13.0
    assert ladder["ann"].mu == pytest.approx(share * mean, rel=2e-3)
    assert ladder["ann"].sigma ** 2 == pytest.approx(9.0 * (1.0 - share) + share**2 * variance, rel=2e-3)
    fit = model.fit(pw.History.from_matches([match]), spectators)
    assert (fit["ann"].mu, fit["ann"].sigma) == (ladder["ann"].mu, ladder["ann"].sigma)


@pytest.mark.parametrize("margin", [0.0, 2.0])
def test_quit_agrees_with_quadrature(margin):
    model = pw.Model(prior=pw.Normal(25.0, 8.0), noise=4.0, outcome=pw.outcome.GaussianScore(1e13))
    ladder = pw.Ladder(model.replace(statistics=(pw.statistic.Quit("left", margin=margin),)))
    ladder.record(TEAMS, scores=[0, 0], statistics={"left": [[0, 1], [0, None]]})
    opponents = np.sqrt((64.0 + 16.0) / 2)  # of the mean of two performances

    def weight(skill, power):
        chance = stats.norm.cdf((25.0 - margin - skill) / np.hypot(4.0, opponents))
        return skill**power * chance * stats.norm.pdf(skill, 25.0, 8.0)

    total, mean, square = (integrate.quad(weight, -60.0, 110.0, args=(k,), epsabs=1e-13)[0] for k in range(3))
    assert ladder["bob"].mu == pytest.approx(mean / total, rel=1e-7)
    assert ladder["bob"].sigma == pytest.approx(np.sqrt(square / total - (mean / total) ** 2), rel=1e-6)
    assert ladder["ann"].mu == pytest.approx(25.0, abs=1e-9)  # only the quitter is observed


@pytest.mark.parametrize("eta", [0.0, 0.5, 1.0])
def test_strength_of_the_opponents_counts_as_much_as_asked(eta):
    """Opponents who are better by 10 have 10 ω more kills, and leave 10 ωη fewer: then nothing else was learnt."""
    model = pw.Model(prior=pw.Normal(25.0, 8.0), noise=4.0, outcome=pw.outcome.GaussianScore(1e13))
    means = []
    for better in (0.0, 10.0):
        known = {name: pw.Rating(25.0 + better, 8.0) for name in ("cat", "dan")}
        ladder = pw.Ladder(with_points(model, eta=eta), known)
        kills = [[9.0 - 0.7 * eta * better, 2.0 - 0.7 * eta * better], [5.0 + 0.7 * better, 4.0 + 0.7 * better]]
        ladder.record(TEAMS, scores=[0, 0], statistics={"kills": kills})
        means.append([ladder["ann"].mu, ladder["bob"].mu, ladder["cat"].mu - better])
    assert means[1] == pytest.approx(means[0], rel=1e-11)


def test_variance_of_the_opponents_counts_with_the_square_of_eta():
    """An opponent counts as much with η = 2 as one whose performance has twice the deviation with η = 1."""
    model = pw.Model(prior=pw.Normal(0.0, 3.0), noise=4.0, outcome=pw.outcome.GaussianScore(1e13))
    found = []
    for eta, sigma in ((2.0, 3.0), (1.0, np.sqrt(4.0 * 3.0**2 + 3.0 * 4.0**2))):
        ladder = pw.Ladder(with_points(model, eta=eta), {"bob": pw.Rating(0.0, sigma)})
        ladder.record([["ann"], ["bob"]], scores=[0, 0], statistics={"kills": [[9.0], [5.0]]})
        found.append([ladder["ann"].mu, ladder["ann"].sigma])
    assert found[0] == pytest.approx(found[1], rel=1e-11)


def test_forecasts_never_use_the_statistics_of_their_match():
    matches, _ = league(80)
    history = pw.History.from_matches(matches)
    model = pw.TrueSkill(draw_probability="learnt").replace(statistics=(pw.statistic.Points("kills", per="mode"),))
    before = model.fit(history).forecasts
    changed = [dict(match) for match in matches]
    changed[60] = {**changed[60], "statistics": {"kills": [[1e6, -1e6], [0.0, 5e5]]}}
    after = model.fit(pw.History.from_matches(changed)).forecasts
    assert (before.win[:61] == after.win[:61]).all()
    assert (before.log_evidence[:61] == after.log_evidence[:61]).all()
    assert (before.win[61:] != after.win[61:]).any()


def test_predictions_refuse_the_statistics_of_a_match_that_is_to_come():
    ladder = pw.Ladder(with_points())
    ladder.record(TEAMS, statistics={"kills": KILLS})
    with pytest.raises(pw.Error, match="'kills' is a statistic, which is known only after the match"):
        ladder.predict(TEAMS, context={"kills": KILLS})
    assert ladder.predict(TEAMS).win.sum() < 1.0


def test_values_are_scaled_by_earlier_values_of_their_kind():
    matches, _ = league(60)
    history = pw.History.from_matches(matches)
    scaled = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", omega=0.1, gamma=2.0, per="mode"),))
    known = {"mode 0": [], "mode 1": []}
    by_hand = []
    for match in matches:
        earlier = known[match["context"]["mode"]]
        kills = np.array(match["statistics"]["kills"])
        values = ((kills - np.mean(earlier)) / np.std(earlier)).tolist() if len(earlier) >= 20 else None
        by_hand.append({**match, "statistics": values and {"kills": values}})
        earlier.extend(kills.ravel())
    raw = pw.TrueSkill().replace(statistics=(points(omega=0.1, gamma=2.0),))
    one, other = scaled.fit(history), raw.fit(pw.History.from_matches(by_hand))
    for name in history.players:
        assert one[name].mu == pytest.approx(other[name].mu, rel=1e-9)
        assert one[name].sigma == pytest.approx(other[name].sigma, rel=1e-9)


def test_the_unit_of_a_scaled_statistic_does_not_matter():
    model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills"),))
    fits = []
    for factor in (1.0, 60.0):
        matches, _ = league(80, mode_scale=(factor, factor))
        fits.append(model.fit(pw.History.from_matches(matches)))
    for name in fits[0].ladder.names:
        assert fits[0][name].mu == pytest.approx(fits[1][name].mu, rel=1e-6)


def test_no_rating_moves_against_the_result_if_statistics_are_bounded():
    great = [[30.0, 1.0], [2.0, 2.0]]
    free = rated(with_points(gamma=1.0), ranks=[2, 1], kills=great)[:, 0] - 25.0
    bound = rated(with_points(gamma=1.0, bounded=True), ranks=[2, 1], kills=great)[:, 0] - 25.0
    assert free[0] > 1.0  # lost, and gained
    assert bound[0] == 0.0
    assert (bound * [-1, -1, 1, 1] >= 0.0).all()
    assert bound[1] == free[1] < 0.0


def test_statistics_recover_skills_that_results_hardly_show():
    """In teams of four, results say little about single players; their statistics say much more."""
    matches, skill = league(400, size=4, players=16, noise=0.5)
    history = pw.History.from_matches(matches)
    plain = pw.Model(prior=pw.Normal(0.0, 1.0), noise=0.7, outcome=pw.outcome.Order(draw_probability=0))
    # In units of the standard deviation of kills: (1 + 0.7² + 0.5²)^½ of performances.
    spread = np.sqrt(1.0 + 0.49 + 0.25)
    kills = pw.statistic.Points("kills", omega=1.0 / spread, gamma=0.5 / spread, per="mode")
    errors = []
    for model in (plain, plain.replace(statistics=(kills,))):
        fit = model.fit(history)
        means = np.array([fit[f"p{k:02}"].mu for k in range(16)])
        errors.append(np.std(means - means.mean() - skill + skill.mean()))
    assert errors[1] < 0.6 * errors[0]


def test_tuning_recovers_how_precise_a_statistic_is():
    matches, _ = league(1500, size=3, players=400, noise=0.8)
    history = pw.History.from_matches(matches)
    spread = np.sqrt(1.0 + 0.49 + 0.64)
    model = pw.Model(prior=pw.Normal(0.0, 1.0), noise=0.7, outcome=pw.outcome.Order(draw_probability=0))
    model = model.replace(statistics=(pw.statistic.Points("kills", omega=1.0 / spread, gamma=3.0, per="mode"),))
    tuned = pw.tune(model, history, parameters=["kills_gamma"], trials=30, progress=False).model
    assert 0.3 * 0.8 / spread < tuned.params["kills_gamma"] < 3.0 * 0.8 / spread


def test_a_statistic_of_pure_noise_hardly_matters_if_tuned():
    matches, _ = league(800, size=2, players=20)
    random = np.random.default_rng(5)
    for match in matches:
        match["statistics"] = {"kills": random.normal(0.0, 1.0, (2, 2)).tolist()}
    history = pw.History.from_matches(matches)
    plain = pw.Model(prior=pw.Normal(0.0, 1.0), noise=0.7, outcome=pw.outcome.Order(draw_probability=0))
    noisy = plain.replace(statistics=(pw.statistic.Points("kills"),))
    tuned = pw.tune(noisy, history, parameters=["kills_omega", "kills_gamma"], trials=40, progress=False).model
    losses = [-model.fit(history).forecasts.log_evidence.mean() for model in (plain, tuned)]
    assert losses[1] == pytest.approx(losses[0], abs=0.0005)


def test_experience_is_learnt_from_statistics_too():
    """Beginners have fewer kills. Results are coin flips, so only the statistics can show the learning curve."""
    random = np.random.default_rng(1)
    played = {}
    matches = []
    for number in range(400):
        veterans = [f"v{k}" for k in random.permutation(6)[:2]]
        names = [veterans[0], f"n{number}", veterans[1], f"n{number - 7}"]
        level = [-2.0 * np.exp(-played.get(name, 0) / 10.0) for name in names]
        played |= {name: played.get(name, 0) + 1 for name in names}
        kills = (level + random.normal(0.0, 0.5, 4)).reshape(2, 2).round(6).tolist()
        ranks = random.permutation(2).tolist()
        matches.append({"teams": [names[:2], names[2:]], "ranks": ranks, "statistics": {"kills": kills}})
    model = pw.Model(prior=pw.Normal(0.0, 1.0), noise=0.3, outcome=pw.outcome.Order(draw_probability=0))
    model = model.replace(facets=(pw.facet.Experience((10,), sigma=1.0),), statistics=(points(omega=1.0, gamma=0.5),))
    fit = model.fit(pw.History.from_matches(matches))
    assert fit.effects["mu"][0] == pytest.approx(-2.0, abs=0.5)


@pytest.mark.parametrize("kind", ["Points", "Counts", "Times"])
def test_models_with_statistics_survive_files_and_plain_data(kind, tmp_path):
    statistic = getattr(pw.statistic, kind)("kills", per=("mode", "map"), eta=0.5)
    quits = pw.statistic.Quit("left")
    model = pw.TrueSkill().replace(statistics=(statistic, quits), facets=(pw.facet.By("mode"),))
    assert pw.Model.from_dict(model.to_dict()) == model
    ladder = pw.Ladder(model)
    for number in range(30):
        context = {"mode": "flag", "map": f"m{number % 2}"}
        ladder.record(TEAMS, context=context, statistics={"kills": [[3, 1], [2, 1 + number]], "left": [[0, 1], [0, 0]]})
    ladder.save(tmp_path / "league.prowess")
    again = pw.Ladder.load(tmp_path / "league.prowess")
    assert again == ladder
    for one in (ladder, again):
        one.record(TEAMS, context={"mode": "flag", "map": "m1"}, statistics={"kills": [[3, 1], [2, 5]]})
    assert again == ladder


def test_parameters_of_statistics_have_names():
    model = with_points(pw.TrueSkill(), eta=0.5)
    assert model.params["kills_gamma"] == 2.0
    assert model.replace(kills_gamma=3.0, kills_omega=0.1).statistics[0].gamma == 3.0
    assert {"kills_omega", "kills_gamma", "kills_eta"} <= set(model.tunable)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pw.Elo().replace(statistics=(points(),)), "statistics need a system with uncertainty"),
        (lambda: pw.Glicko(period=7).replace(statistics=(points(),)), "not by rating periods; set period=None"),
        (lambda: pw.TrueSkill().replace(statistics=("kills",)), "statistics must be a tuple of statistics"),
        (lambda: pw.TrueSkill().replace(statistics=(points(), points())), "the statistic 'kills' is given twice"),
        (lambda: with_points(trait="offence"), "this model has no trait 'offence'"),
        (lambda: pw.statistic.Points(""), "column must be the name of a column"),
        (lambda: pw.statistic.Points("kills", gamma=-1.0), "gamma must be"),
        (lambda: pw.statistic.Points("kills", per=3), "per must be names of columns"),
        (lambda: pw.statistic.Points("kills", lower="yes"), "lower must be True or False"),
        (
            lambda: with_points(pw.TrueSkill().replace(facets=(pw.facet.Covariate("kills"),))),
            "'kills' is a statistic, which is known only after the match, so it cannot be a facet",
        ),
    ],
)
def test_statistics_that_do_not_fit_a_model_are_errors(make, message):
    with pytest.raises(pw.Error, match=message):
        make()


@pytest.mark.parametrize(
    ("statistics", "message"),
    [
        ({"kills": [9, 5]}, r"must have a number for each player, such as \[\[9, 4\], \[5, 6\]\], not \[9, 5\]"),
        ({"kills": [[9, 4], [5]]}, "must have a number for each player"),
        ({"kills": [[9, "many"], [5, 6]]}, "must have a number for each player, not 'many'"),
        ({"kills": [[9, True], [5, 6]]}, "must have a number for each player, not True"),
        ([[9, 4], [5, 6]], "statistics must be a mapping"),
        ({"kils": KILLS}, "did you mean 'kills'"),
    ],
)
def test_wrong_statistics_of_a_match_are_errors_and_change_nothing(statistics, message):
    ladder = pw.Ladder(with_points())
    ladder.record(TEAMS, statistics={"kills": KILLS})
    before = ladder.copy()
    with pytest.raises(pw.Error, match=message):
        ladder.record(TEAMS, statistics=statistics)
    assert ladder == before
    if "did you mean" not in message:
        with pytest.raises(pw.Error, match=f"match 1: .*{message}"):
            pw.History.from_matches([{"teams": TEAMS, "statistics": statistics}])


def test_statistics_are_columns_of_the_players_in_a_history():
    history = pw.History.from_matches([{"teams": TEAMS, "statistics": {"kills": KILLS}, "context": {"map": "Docks"}}])
    assert history.entry_context["kills"].to_list() == [9, 2, 5, 4]
    assert history.context["map"].to_list() == ["Docks"]
    with pytest.raises(pw.Error, match="statistics 'map' is in the context, too"):
        pw.History.from_matches([{"teams": TEAMS, "statistics": {"map": KILLS}, "context": {"map": "Docks"}}])


def test_model_needs_the_columns_of_its_statistics():
    matches, _ = league(10)
    history = pw.History.from_matches(matches)
    missing = pw.TrueSkill().replace(statistics=(pw.statistic.Points("deaths"),))
    with pytest.raises(pw.Error, match="there is no column 'deaths'; the matches have the columns mode and kills"):
        missing.fit(history)
    with pytest.raises(pw.Error, match="'mode' is the same for all players of a match"):
        pw.TrueSkill().replace(statistics=(pw.statistic.Points("mode"),)).fit(history)


def test_account_says_how_much_came_from_the_result_and_how_much_from_the_statistics():
    matches, _ = league(40)
    history = pw.History.from_matches(matches)
    model = with_points(pw.TrueSkill(), omega=0.1)
    row = model.fit(history).account(39).rows[0]
    kills = matches[39]["statistics"]["kills"]
    assert row["statistic_kills"] == kills[0][0]
    # A change of this player's statistic changes its part, but the result stays the result.
    without = [*matches[:39], {**matches[39], "statistics": None}]
    plain = model.fit(pw.History.from_matches(without)).account(39).rows[0]
    assert row["mu_before"] == plain["mu_before"]
    assert row["moved"] - row["moved_by_statistics"] == pytest.approx(plain["moved"], abs=0.35 * abs(plain["moved"]))
    sentence = model.fit(history).account(39).sentences[0]
    assert " from the result, " in sentence
    assert f" from {kills[0][0]} kills)" in sentence
    explained = model.fit(history).explain(row["player"])
    assert explained.matches["moved_by_statistics"].len() == len(explained.matches)
    assert any(sentence.startswith("Results changed the rating by") for sentence in explained.sentences)


def test_incentives_show_what_statistics_are_worth_and_which_losses_paid():
    matches, _ = league(300, size=3)
    history = pw.History.from_matches(matches)
    for bounded in (False, True):
        kills = pw.statistic.Points("kills", gamma=0.3, bounded=bounded)
        report = pw.TrueSkill().replace(statistics=(kills,)).fit(history).incentives()
        assert report.frame["gain"][0] > 0.0
        assert report.win > 0.0
        assert report.lost == 450  # three players in each of the later 150 matches
        assert (report.raised == 0) == bounded
        assert ("losing never pays" in report.sentences[-1]) != bounded
    with pytest.raises(pw.Error, match="this model has no statistics"):
        pw.TrueSkill().fit(history).incentives()


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("Counts", -3, "'aces' is -3, but a count cannot be negative"),
        ("Times", 0, "'aces' is 0, but a time must be above"),
    ],
)
def test_values_that_cannot_be_are_errors_that_name_the_match(kind, value, message):
    model = pw.TrueSkill().replace(statistics=(getattr(pw.statistic, kind)("aces"),))
    good, bad = ({"teams": TEAMS, "statistics": {"aces": [[2, 3], [first, 1]]}} for first in (4, value))
    with pytest.raises(pw.Error, match=f"match 2: {message}") as raised:
        model.fit(pw.History.from_matches([good, bad]))
    assert (raised.value.match, raised.value.field) == (1, "statistics")
    ladder = pw.Ladder(model)
    ladder.record(**good)
    before = ladder.copy()
    with pytest.raises(pw.Error, match=message):
        ladder.record(**bad)
    assert ladder == before
