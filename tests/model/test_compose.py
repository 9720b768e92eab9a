"""Models that are composed by plain words: drift, seasons, home advantage and the level of newcomers."""

import numpy as np
import pytest

import prowess as pw
from prowess.model.compose import DRIFTS, with_drift, with_home, with_newcomers, with_seasons
from prowess.model.params import skill_sigma
from prowess.model.presets import PRESETS
from prowess.model.statistic_words import parse_statistics

CERTAIN = ("Harkness", "Elo", "GaussianElo")
NO_GRADIENT = ("Harkness", "GaussianElo")
PERIODS = ("Harkness", "Glicko", "Glicko2")


def league(matches=60):
    rng = np.random.default_rng(5)
    found = []
    for number in range(matches):
        a, b = rng.choice(8, 2, replace=False)
        season, day = divmod(number, 20)
        found.append({
            "teams": [[f"p{a}"], [f"p{b}"]], "scores": rng.integers(0, 5, 2).tolist(), "home": 0,
            "time": f"20{20 + season}-{3 + day // 5:02d}-{1 + day:02d}", "context": {"season": f"{2020 + season}"},
        })  # fmt: skip
    return pw.History.from_matches(found)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_accepts_every_option_of_compose_or_raises_an_error_that_names_it(name, tmp_path):
    words = {
        "drift": {"none": (), "match": CERTAIN, "time": CERTAIN, "period": set(PRESETS) - {"Glicko", "Glicko2"}},
        "seasons": {"none": (), "season:0.7": (), "45": ()},
        "home_advantage": {"none": (), "learnt": NO_GRADIENT, "0.5": ()},
        "newcomer_level": {"fixed": (), "learnt": {*CERTAIN, *PERIODS, "TS2c"}},
    }
    history, possible = league(), {}
    for aspect, kinds in words.items():
        for word, impossible in kinds.items():
            if name in impossible:
                with pytest.raises(pw.Error) as caught:
                    pw.compose(PRESETS[name](), history, **{aspect: word})
                assert caught.value.field == aspect
                continue
            possible[aspect] = word
            model = pw.compose(PRESETS[name](), history, **{aspect: word})
            ladder = model.learn(history)
            ladder.save(tmp_path / "league.prowess")
            assert pw.Ladder.load(tmp_path / "league.prowess").model == model
    together = pw.compose(PRESETS[name](), history, **possible)
    assert np.isfinite(together.fit(history).log_evidence)


def test_default_drift_and_home_advantage_are_shares_of_the_standard_deviation_of_skills():
    for name in PRESETS:
        model = PRESETS[name]()
        if model.absorb.certain:
            continue
        sigma = skill_sigma(model)
        still = with_drift(model, "none")
        assert with_drift(still, "match").drift.tau == pytest.approx(sigma / 50)
        assert with_drift(still, "time").drift.tau == pytest.approx(sigma / 8 * np.sqrt((model.period or 1) / 365.25))
        home = with_home(model, "learnt").home
        assert (home.home_mu, home.home_sigma, home.home_tau) == pytest.approx((0.0, sigma / 4, sigma / 2000))


@pytest.mark.parametrize("kind", ["match", "time"])
def test_model_keeps_a_drift_that_it_already_has(kind):
    model = pw.TrueSkill().replace(drift=DRIFTS[kind][0](0.3))
    assert with_drift(model, kind).drift == model.drift
    assert with_drift(model, kind, 0.7).drift.tau == 0.7


def test_changing_the_amount_of_a_drift_keeps_its_cap():
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3, cap=6.0))
    assert with_drift(model, "time", 0.7).drift == pw.drift.PerTime(0.7, cap=6.0)


def test_drift_of_a_year_is_the_same_with_and_without_rating_periods():
    """In a model with periods, the unit of elapsed time is a period."""
    for period in (None, 7.0, 30.0):
        model = pw.compose(pw.Glicko(), drift="time", period=period)
        units = 365.25 / (period or 1.0)
        assert model.drift.tau**2 * units == pytest.approx((350 / 8) ** 2)


def test_seasons_keep_the_drift_within_a_season_and_can_be_removed():
    model = with_seasons(pw.TrueSkill(), 45, carry=0.6, season_tau=1.0)
    assert model.drift == pw.drift.Seasons(pw.TrueSkill().drift, 45, 0.6, 1.0)
    assert with_drift(model, "time", 0.2).drift == pw.drift.Seasons(pw.drift.PerTime(0.2), 45, 0.6, 1.0)
    assert with_seasons(model, 90).drift.within == pw.TrueSkill().drift
    assert with_seasons(model, None) == pw.TrueSkill()


def test_length_of_a_season_break_is_found_from_the_season_column():
    model = pw.compose(pw.TrueSkill(), league(), seasons="season:0.9")
    # A season lasts from 1 March to 20 June, so breaks are of about 250 days.
    assert 30 < model.drift.gap < 254
    assert model.drift.carry == 0.9
    with pytest.raises(pw.Error, match="names a column, but no matches are given"):
        pw.compose(pw.TrueSkill(), seasons="season")


def test_composing_with_the_values_none_and_fixed_restores_the_plain_model():
    words = {"drift": "time", "home_advantage": "learnt", "newcomer_level": "learnt", "seasons": 30}
    plain = pw.TSa().replace(drift=pw.drift.Still())
    composed = pw.compose(plain, **words)
    nothing = {"drift": "none", "home_advantage": "none", "newcomer_level": "fixed", "seasons": "none"}
    assert pw.compose(composed, **nothing) == plain
    assert pw.compose(composed, **words).home == composed.home
    assert with_newcomers(composed, "learnt").prior == composed.prior


def test_compose_derives_amounts_from_sigma_unless_they_are_given():
    model = pw.compose(
        pw.TrueSkill(),
        sigma=4.0,
        drift="time",
        tau=0.1,
        home_advantage="learnt",
        home_tau=0.02,
        seasons="50",
        carry=0.9,
    )
    assert model.drift == pw.drift.Seasons(pw.drift.PerTime(0.1), 50.0, 0.9, 0.5)
    assert model.home == pw.Home(0.0, 1.0, 0.02)
    assert model.prior == pw.Normal(25.0, 4.0)
    with pytest.raises(pw.Error, match="unknown parameter 'tau'"):
        pw.compose(pw.TrueSkill(), drift="none", tau=0.1)
    assert pw.compose(pw.TrueSkill(), drift=pw.drift.Still(), beta=3) == pw.TrueSkill(beta=3, tau=0).replace(
        drift=pw.drift.Still()
    )
    assert pw.compose(pw.TrueSkill()) == pw.TrueSkill()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"drift": "daily"}, "drift must be one of none, match, time, period"),
        ({"drift": "time=x"}, "drift must be a word such as time"),
        ({"drift": "time=-1"}, "tau must be"),
        ({"drift": "time=nan"}, "tau must be"),
        ({"drift": True}, "drift must be one of"),
        ({"home_advantage": "big"}, "home_advantage must be none, learnt or a number"),
        ({"home_advantage": "inf"}, "home_advantage must be a finite number"),
        ({"newcomer_level": 3}, "newcomer_level must be fixed or learnt"),
        ({"seasons": "0"}, "gap must be"),
        ({"seasons": "60:3"}, "carry must lie"),
        ({"seasons": ""}, "names a column"),
        ({"weather": "rain"}, "unknown parameter 'weather'"),
    ],
)
def test_invalid_options_of_compose_are_rejected(settings, message):
    with pytest.raises(pw.Error, match=message):
        pw.compose(pw.TrueSkill(), **settings)


def test_learned_is_another_spelling_of_learnt():
    assert pw.compose(pw.TS2(), home_advantage="Learned") == pw.compose(pw.TS2(), home_advantage="learnt")


def rested() -> pw.History:
    matches = [
        {"teams": [["ann"], ["bob"]], "context": {"rest": [4, 2], "Surface": "clay"}},
        {"teams": [["bob"], ["ann"]], "context": {"rest": [2, 4], "Surface": "grass"}},
    ]
    return pw.History.from_matches(matches)


def test_compose_adds_facets_by_the_names_of_columns():
    model = pw.compose(pw.TrueSkill(), facet="surface, mode", shared=["side"], experience="10,100", side_tau=0.1)
    kinds = [(facet.kind, facet.column) for facet in model.facets]
    assert kinds == [("by", "surface"), ("by", "mode"), ("shared", "side"), ("experience", "experience")]
    assert model.facets[2].tau == 0.1
    assert model.facets[3].scales == (10.0, 100.0)
    assert pw.compose(model, facet="surface").facets == model.facets
    assert pw.compose(pw.Elo(), shared="side", side_mu=50, side_sigma=0).facets[0].mu == 50


def test_facets_of_numbers_get_a_sigma_for_one_standard_deviation_of_the_column():
    model = pw.compose(pw.TrueSkill(sigma=8), rested(), covariate="rest", slope="rest")
    assert [facet.sigma for facet in model.facets] == [4.0, 2.0]  # 8/2 and 8/4, for a standard deviation of 1
    assert pw.compose(pw.TrueSkill(sigma=8), rested(), covariate="rest", rest_sigma=3).facets[0].sigma == 3.0
    assert pw.compose(pw.TrueSkill(sigma=8), covariate="rest").facets[0].sigma == 2.0


def test_compose_finds_columns_of_a_history_in_any_case():
    [facet] = pw.compose(pw.TrueSkill(), rested(), facet="SURFACE").facets
    assert facet.column == "Surface"


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        (pw.Elo(), {"facet": "surface"}, "cannot learn facets, because its ratings have no uncertainty"),
        (pw.Glicko(), {"facet": "surface"}, "cannot learn facets, because it rates all matches of a period at once"),
        (pw.TrueSkill(), {"shared": "Surface"}, "'Surface' is the same for both sides of a match, so its effect"),
        (pw.TrueSkill(), {"experience": "ten"}, "experience must be numbers of matches, such as 10,100, not 'ten'"),
        (pw.TrueSkill(), {"facet": 3}, "a facet must be the name of a column, such as 'surface', not 3"),
    ],
)
def test_facets_that_cannot_be_learnt_are_rejected(model, settings, message):
    with pytest.raises(pw.Error, match=message):
        pw.compose(model, rested(), **settings)


def test_shared_facet_of_a_whole_match_is_accepted_if_levels_matter():
    assert pw.compose(pw.PoissonOD(), rested(), shared="Surface").facets[0].column == "Surface"


def boxed() -> pw.History:
    match = {"teams": [["ann", "bob"], ["cat", "dan"]], "context": {"Mode": "flag"}}
    return pw.History.from_matches([match | {"statistics": {"Kills": [[3, 1], [2, 0]], "deaths": [[1, 2], [2, 3]]}}])


def test_compose_adds_statistics_with_options():
    text = "kills:bounded, deaths:lower:per=mode+map, goals:counts, lap:times, survived:times:higher, left:quit"
    model = pw.compose(pw.TrueSkill(), statistic=text, deaths_gamma=3, facet="mode")
    expected = (
        pw.statistic.Points("kills", bounded=True),
        pw.statistic.Points("deaths", lower=True, gamma=3.0, per=("mode", "map")),
        pw.statistic.Counts("goals"),
        pw.statistic.Times("lap"),
        pw.statistic.Times("survived", lower=False),
        pw.statistic.Quit("left"),
    )
    assert model == pw.TrueSkill().replace(statistics=expected, facets=(pw.facet.By("mode"),))
    assert pw.compose(pw.TrueSkill(), statistic=text.split(","), deaths_gamma=3, facet="mode") == model


def test_scale_of_a_new_statistic_suits_the_new_parameters_of_the_model():
    model = pw.compose(pw.TrueSkill(), statistic="kills", sigma=3, beta=4)
    assert model.statistics[0].omega == pytest.approx(1 / 5)


def test_statistic_of_a_model_keeps_everything_that_the_options_do_not_change():
    own = pw.statistic.Points("kills", gamma=3.0, per=("mode",))
    model = pw.TrueSkill().replace(statistics=(own,))
    assert pw.compose(model, statistic="KILLS") == model
    [changed] = pw.compose(model, statistic="kills:bounded").statistics
    assert (changed.bounded, changed.gamma, changed.per) == (True, 3.0, ("mode",))
    [other] = pw.compose(model, statistic="kills:counts").statistics
    assert (other.kind, other.gamma, other.per) == ("counts", 2.0, ())
    names = [statistic.column for statistic in pw.compose(model, statistic="deaths").statistics]
    assert names == ["kills", "deaths"]


def test_words_add_to_the_facets_and_statistics_of_the_same_call():
    model = pw.compose(pw.TrueSkill(), statistic="deaths", statistics=(pw.statistic.Points("kills"),))
    assert [statistic.column for statistic in model.statistics] == ["kills", "deaths"]
    model = pw.compose(pw.TrueSkill(), facet="mode", facets=(pw.facet.By("map"),))
    assert [facet.column for facet in model.facets] == ["map", "mode"]


def test_compose_finds_columns_of_statistics_in_any_case():
    [statistic] = pw.compose(pw.TrueSkill(), boxed(), statistic="kills:per=mode").statistics
    assert (statistic.column, statistic.per) == ("Kills", ("Mode",))


@pytest.mark.parametrize(
    ("model", "word", "message"),
    [
        (pw.Elo(), "kills", "cannot learn from statistics, because its ratings have no uncertainty; use another model"),
        (pw.Glicko(), "kills", "cannot learn from statistics, because it rates all matches of a period at once"),
        (pw.Glicko2(), "kills", "cannot learn from statistics, because it rates all matches of a period at once"),
        (
            pw.TrueSkill(),
            "kills:lowr",
            "'kills:lowr': unknown option 'lowr' of a statistic; choose from points",
        ),
        (pw.TrueSkill(), "kills:per=", "unknown option 'per=' of a statistic; choose from .* per=COLUMN"),
        (pw.TrueSkill(), "kills:lower:higher", "'kills:lower:higher': lower is given twice"),
        (pw.TrueSkill(), ":lower", "':lower': the name of the column is missing; write it first"),
        (pw.TrueSkill(), "kills,kills:lower", "the statistic 'kills' is given twice; give it once"),
        (pw.TrueSkill(), "left:quit:lower", "'left:quit:lower': a quit is only yes or no, .* leave out lower"),
        (pw.TrueSkill(), "left:quit:per=mode", "a quit is only yes or no, .* leave out per"),
        (pw.TrueSkill(), "assists", "there is no column 'assists'; the matches have the columns"),
        (pw.TrueSkill(), "kills:per=map", "there is no column 'map'; the matches have the columns"),
        (pw.TrueSkill(), 3, "a statistic must be the name of a column, such as 'kills' or 'deaths:lower', not 3"),
    ],
)
def test_statistics_that_cannot_be_used_are_rejected(model, word, message):
    history = None if "left" in str(word) or "given twice" in message else boxed()
    with pytest.raises(pw.Error, match=message) as raised:
        pw.compose(model, history, statistic=word)
    assert raised.value.field in ("statistic", "statistics")


def test_statistic_cannot_be_a_facet_too():
    with pytest.raises(pw.Error, match="'kills' is a statistic, which is known only after the match"):
        pw.compose(pw.TrueSkill(), statistic="kills", facet="kills")


@pytest.mark.parametrize(
    ("text", "statistic"),
    [
        ("K::D", pw.statistic.Points("K:D")),
        ("K::D:lower", pw.statistic.Points("K:D", lower=True)),
        ("K:::lower", pw.statistic.Points("K:", lower=True)),
        ("::K", pw.statistic.Points(":K")),
        ("kills:per=game:: mode+map:bounded", pw.statistic.Points("kills", per=("game: mode", "map"), bounded=True)),
        ("a::::b:counts", pw.statistic.Counts("a::b")),
    ],
)
def test_colon_in_the_name_of_a_column_is_written_twice(text, statistic):
    assert pw.compose(pw.TrueSkill(), statistic=text) == pw.TrueSkill().replace(statistics=(statistic,))
    [word] = parse_statistics(text)
    assert parse_statistics(word.text) == [word]


def test_error_about_an_unknown_option_says_how_to_write_a_colon():
    with pytest.raises(pw.Error, match=r"unknown option 'D' of a statistic; .*; write :: for a colon in the name"):
        pw.compose(pw.TrueSkill(), statistic="K:D:lower")
