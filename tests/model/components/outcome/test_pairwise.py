"""Elo, Gaussian Elo and Harkness: published examples, slow oracles, conservation of points, and edge cases."""

import copy
import itertools
import json
import math
import pickle

import numpy as np
import pytest
from scipy.stats import norm

import prowess as pw
from prowess.model.components.absorb import Fide, Harkness, Newton, Rule, Share, Step, Volatile
from prowess.model.components.drift import Idle, PerPeriod
from prowess.model.components.outcome import Duel, Logistic, Opposition, Pairwise, Probit
from prowess.model.components.prior import Point
from tests.model.boards import gathered, lay_out, ratings
from tests.oracles.elo import duel, elo, expected, gaussian_elo, gaussian_expected, harkness
from tests.pure import load

Q = math.log(10) / 400
OUTCOMES = [Logistic(), Logistic(173.0), Probit(), Opposition()]


def points(mus):
    return [[(mu, 0.0) for mu in team] for team in mus]


def random_match(rng, teams, most):
    """Draw ratings by team, and places with ties; a team has at most `most` players."""
    mus = [rng.normal(1500, 300, rng.integers(1, most + 1)).tolist() for _ in range(teams)]
    seen = rng.integers(0, teams, teams)
    return mus, [1 + int((seen < place).sum()) for place in seen]


def test_elo_reproduces_the_example_from_wikipedia():
    """With K = 32 and 2.5 points instead of the expected 2.88, a rating of 1613 becomes 1601:
    https://en.wikipedia.org/wiki/Elo_rating_system."""
    outcome, total = Duel(Logistic()), 0.0
    for opponent, places in ((1609, [2, 1]), (1477, [1, 1]), (1388, [1, 2]), (1586, [1, 2]), (1720, [2, 1])):
        board = lay_out(outcome, points([[1613.0], [opponent]]), places)
        outcome.evidence(board)
        total += board.g1[0]
    assert round(gathered(outcome, Step(32.0), 1613.0, 0.0, total, 0.0).mu[0]) == 1601


@pytest.mark.parametrize("teams", [2, 3, 7])
def test_elo_ratings_of_duels_agree_with_a_plain_implementation(teams):
    rng = np.random.default_rng(teams)
    outcome = Duel(Logistic())
    for most in (1, 1, 4, 4, 4):
        mus, places = random_match(rng, teams, most)
        board = lay_out(outcome, points(mus), places)
        outcome.evidence(board)
        Step(24.0).absorb(board)
        for found, wanted in zip(ratings(board), elo(mus, places, 24.0), strict=True):
            assert found == pytest.approx(wanted, abs=1e-10)


def test_gaussian_elo_ratings_of_duels_agree_with_a_plain_implementation():
    rng = np.random.default_rng(1)
    outcome = Duel(Probit())
    for teams, most in ((2, 1), (2, 3), (5, 1), (4, 3)):
        mus, places = random_match(rng, teams, most)
        board = lay_out(outcome, points(mus), places, beta=200.0)
        outcome.evidence(board)
        Share(0.07).absorb(board)
        for found, wanted in zip(ratings(board), gaussian_elo(mus, places, 0.07, 200.0), strict=True):
            assert found == pytest.approx(wanted, abs=1e-10)
    assert 0.07 * math.sqrt(math.pi) * 200 == pytest.approx(24, abs=1)  # the equivalent K according to the paper


def test_harkness_rating_is_the_mean_of_the_opponents_plus_50_per_win_minus_50_per_loss():
    outcome, opponents, scores = Duel(Opposition()), [1200.0, 1450.0, 1700.0, 1810.0], [1, 0, 0.5, 1]
    gathering = np.zeros(2)
    for opponent, seen in zip(opponents, scores, strict=True):
        board = lay_out(outcome, points([[1500.0], [opponent]]), [1, 1] if seen == 0.5 else [2 - seen, 1 + seen])
        outcome.evidence(board)
        gathering += board.g1[0], board.g2[0]
    board = gathered(outcome, Harkness(), 1500.0, 0.0, *gathering, games=4.0)
    assert board.mu[0] == pytest.approx(harkness(opponents, scores), abs=1e-10)
    [(own,), (first, _)] = mus = [[1300.0], [1600.0, 1500.0]]
    board = lay_out(outcome, points(mus), [1, 2])
    outcome.evidence(board)
    board.importance = 2.0
    Harkness(30.0).absorb(board)
    assert list(board.mu) == pytest.approx([1550.0 + 60.0, own - 60.0, own - 60.0])
    assert first == 1600.0


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("teams", [2, 5])
def test_sum_of_ratings_is_conserved_between_teams_of_equal_size(teams, size):
    rng = np.random.default_rng(size)
    mus = rng.normal(1500, 300, (teams, size)).tolist()
    shares = rng.uniform(0.2, 1.0, (teams, size)).tolist()
    for outcome, absorb in ((Duel(Logistic()), Step(32.0)), (Duel(Probit()), Share())):
        board = lay_out(outcome, points(mus), rng.integers(1, teams + 1, teams).tolist(), beta=200.0, shares=shares)
        outcome.evidence(board)
        absorb.absorb(board)
        assert sum(board.mu) == pytest.approx(sum(map(sum, mus)), rel=1e-13)


def test_rating_changes_of_players_and_opponents_scale_with_playing_time():
    """Playing times are relative to the average of the team."""
    outcome = Duel(Logistic())
    board = lay_out(outcome, points([[1500.0, 1700.0], [1600.0]]), [1, 2], shares=[[1.5, 0.5], [0.1]])
    outcome.evidence(board)
    won = [1 - expected(mu, 1600) for mu in (1500, 1700)]
    assert np.array(board.g1[:2]) / Q == pytest.approx([1.5 * won[0], 0.5 * won[1]])
    assert board.g1[2] / Q == pytest.approx(-(1.5 * won[0] + 0.5 * won[1]) / 2)
    idle = lay_out(outcome, points([[1500.0, 1700.0], [1600.0]]), [1, 2], shares=[[1.0, 0.0], [1.0]])
    outcome.evidence(idle)
    assert idle.g1[1] == 0.0
    assert idle.g1[2] / Q == pytest.approx(-won[0])


def test_shift_of_a_team_performance_acts_like_a_rating_shift_of_all_its_players():
    outcome = Duel(Logistic())
    teams = [[(1500.0, 50.0), (1580.0, 80.0)], [(1610.0, 60.0), (1490.0, 350.0)], [(1400.0, 90.0)]]
    shifted = [
        [(mu + shift, sigma) for mu, sigma in team] for team, shift in zip(teams, (65.0, 0.0, 20.0), strict=True)
    ]
    for count in (2, 3):
        one = lay_out(outcome, teams[:count], [2, 1, 3][:count], side=(65.0, 0.0), home=0, offset=[0.0, 0.0, 20.0])
        other = lay_out(outcome, shifted[:count], [2, 1, 3][:count])
        assert outcome.evidence(one) == pytest.approx(outcome.evidence(other), rel=1e-12)
        assert list(one.g1) == pytest.approx(list(other.g1), rel=1e-12)
        for j in range(count):
            assert one.d1[j] == pytest.approx(np.mean(one.g1[one.start[j] : one.start[j + 1]]))
    doubted = lay_out(outcome, teams, [2, 1, 3], side=(0.0, 100.0), home=2)
    outcome.evidence(doubted)
    wider = lay_out(outcome, [*teams[:2], [(1400.0, math.hypot(90.0, 100.0))]], [2, 1, 3])
    outcome.evidence(wider)
    assert list(doubted.g1) == pytest.approx(list(wider.g1), rel=1e-12)


@pytest.mark.parametrize("places", [[1, 2], [2, 1], [1, 1]])
@pytest.mark.parametrize("sigma", [0.0, 150.0])
def test_derivatives_for_two_teams_agree_with_the_log_evidence(places, sigma):
    """For Probit, d1 is the derivative of the log-evidence only if the teams are equal; for Logistic, always."""

    def at(outcome, shift=0.0, gap=130.0):
        board = lay_out(outcome, [[(1500.0 + gap + shift, sigma)], [(1500.0, sigma)]], places, beta=100.0)
        return outcome.evidence(board), board

    for outcome in (Logistic(), Probit()):
        (_, board), (high, more), (low, less) = at(outcome), at(outcome, 0.01), at(outcome, -0.01)
        assert board.d2[0] == pytest.approx((more.d1[0] - less.d1[0]) / 0.02, rel=1e-6)
        assert board.left[0] == pytest.approx(1 / (1 - board.variance[0] * board.d2[0]))
        assert (board.d1[1], board.d2[1]) == pytest.approx((-board.d1[0], board.d2[0]))
        if isinstance(outcome, Logistic):
            assert board.d1[0] == pytest.approx((high - low) / 0.02, rel=1e-6)
    _, board = at(Probit(), gap=0.0)
    assert board.d1[0] == pytest.approx((at(Probit(), 0.01, 0.0)[0] - at(Probit(), -0.01, 0.0)[0]) / 0.02, abs=1e-9)


def test_pairwise_outcome_without_duels_compares_teams_as_a_whole():
    """A team's update averages over the other teams; the log-evidence sums over neighbours in the finishing order."""
    rng = np.random.default_rng(3)
    mus, places = random_match(rng, 6, 1)
    board = lay_out(Logistic(), points(mus), places)
    log_z = Logistic().evidence(board)
    wanted = duel(mus, places, lambda own, other, seen: Q * (seen - expected(own, other)))
    assert list(board.d1) == pytest.approx([team[0] for team in wanted], rel=1e-12)
    order = sorted(range(6), key=lambda team: (places[team], team))
    total = 0.0
    for i, j in itertools.pairwise(order):
        e = expected(mus[i][0], mus[j][0])
        total += math.log(e) if places[i] < places[j] else 0.5 * math.log(e * (1 - e))
    assert log_z == pytest.approx(total, rel=1e-12)
    assert board.memory[0] == sum(places[i] == places[j] for i, j in itertools.pairwise(order))


def test_two_team_forecasts_agree_with_the_published_formulas():
    board = lay_out(Duel(Logistic()), points([[1700.0], [1500.0]]), [1, 2])
    assert (board.win, board.draw) == (expected(1700, 1500), 0.0)
    assert board.win + board.loss == 1.0
    far = lay_out(Logistic(), points([[20000.0], [1500.0]]), [1, 2])
    assert far.loss == pytest.approx(10 ** (-18500 / 400), rel=1e-12)
    rd = math.hypot(200, 90)
    board = lay_out(Logistic(), [[(1700.0, 200.0)], [(1500.0, 90.0)]], [1, 2])
    discount = 1 / math.sqrt(1 + 3 * Q**2 * rd**2 / math.pi**2)
    assert board.win == pytest.approx(expected(1500 + 200 * discount, 1500), rel=1e-12)
    board = lay_out(Probit(), [[(1700.0, 0.0)], [(1500.0, 0.0)]], [1, 2], beta=170.0)
    assert board.win == pytest.approx(gaussian_expected(1700, 1500, 170), rel=1e-12)
    slope = (lay_out(Opposition(), points([[1501.0], [1500.0]]), [1, 2]).win - 0.5) / 1.0
    assert slope == pytest.approx(1 / 1000, rel=1e-4)


def test_draw_forecast_uses_the_fraction_of_past_draws():
    outcome, memory, chances, draws = Logistic(), (0.0, 0.0), 0.0, 0
    for mus, places in (([1500, 1600], [1, 1]), ([1500, 1500], [1, 2]), ([1800, 1500], [2, 2]), ([1500, 1400], [1, 1])):
        board = lay_out(outcome, [[(mu, 150.0 + mu / 100)] for mu in mus], places, memory=memory)
        delta = draws / (chances + 1)
        e = board.win + board.draw / 2
        assert board.draw == pytest.approx(2 * delta * e * (1 - e))
        outcome.evidence(board)
        chances += 2 * e * (1 - e)
        draws += places[0] == places[1]
        memory = tuple(board.memory)
        assert memory == pytest.approx((draws, chances))
    assert lay_out(outcome, points([[1500.0], [1500.0]]), [1, 2], memory=(99.0, 1.0)).draw == 0.5  # δ is at most 1


@pytest.mark.parametrize("outcome", [Logistic(), Probit(), Opposition()])
def test_distant_third_team_does_not_change_pairwise_prediction(outcome):
    """The other two teams have the same forecast as in a match of two."""
    memory = (30.0, 99.0)
    for gap in (0.0, 60.0, 250.0):
        teams = points([[1500.0 + gap], [1500.0], [-20000.0]])
        two = lay_out(outcome, teams[:2], [1, 2], beta=150.0, memory=memory)
        three = outcome.predict(lay_out(outcome, teams, [1, 2, 3], beta=150.0, memory=memory))
        among = outcome.predict(two)
        assert among.win.tolist() == [two.win, two.loss]
        near = 1e-6 if gap == 0 else 0.02
        assert three.win[:2] == pytest.approx(among.win, abs=near)
        assert three.draw == pytest.approx(among.draw, abs=near)
        assert three.ranks.sum(axis=1) == pytest.approx(1)
    equal = outcome.predict(lay_out(outcome, points([[1500.0]] * 4), [1] * 4, beta=150.0))
    assert equal.win == pytest.approx(0.25)
    assert equal.draw == 0.0


def pairs(outcome, teams, places, beta, scale=400.0):
    """Return the update of every player, computed over all pairs with NumPy."""
    team = np.repeat(np.arange(len(teams)), [len(players) for players in teams])
    mu, sigma = np.array([player for players in teams for player in players]).T
    gap, place = mu[:, None] - mu, np.array(places)[team]
    seen = (np.sign(place[None, :] - place[:, None]) + 1) / 2
    if isinstance(outcome, Logistic):
        q = math.log(10) / scale
        slope = q / np.sqrt(1 + 3 * q**2 * sigma**2 / math.pi**2)
        with np.errstate(over="ignore"):
            e = 1 / (1 + np.exp(-slope * gap))
        push, pull = slope * (seen - e), -(slope**2) * e * (1 - e)
    elif isinstance(outcome, Probit):
        c = math.sqrt(2) * beta
        push, pull = 4 * norm.pdf(0) / c * (seen - norm.cdf(gap / c)), -4 * norm.pdf(0) / c**2 * norm.pdf(gap / c)
    else:
        push, pull = -gap, 2 * seen - 1
    others = team[:, None] != team
    return [(part * others).sum(axis=1) / others.sum(axis=1) for part in (push, pull)]


@pytest.mark.parametrize(
    ("sizes", "spread"),
    [
        ([1] * 150, 300.0),
        ([6] * 40, 200.0),
        ([90, 80], 400.0),
        ([1] * 130, 0.0),
        ([1] * 130, 1e6),
        ([2, 1] * 50, 2000.0),
    ],
    ids=["free for all", "teams of six", "two large teams", "all equal", "far apart", "wide"],
)
def test_update_of_a_large_match_agrees_with_the_sum_over_pairs(sizes, spread):
    rng = np.random.default_rng(len(sizes))
    places = rng.integers(1, len(sizes) + 1, len(sizes)).tolist()
    for outcome, doubt in ((Logistic(), 0.0), (Logistic(), 350.0), (Probit(), 0.0), (Opposition(), 0.0)):
        teams = [[(rng.normal(1500, spread), rng.uniform(0, doubt)) for _ in range(size)] for size in sizes]
        board = lay_out(Duel(outcome), teams, places, beta=200.0 if isinstance(outcome, Probit) else 0.0)
        Duel(outcome).evidence(board)
        for found, wanted in zip((board.g1, board.g2), pairs(outcome, teams, places, 200.0), strict=True):
            assert np.array(found) == pytest.approx(wanted, abs=1e-10 * np.abs(wanted).max() + 1e-18)


@pytest.mark.long
def test_update_of_a_match_of_4200_players_agrees_with_the_sum_over_pairs():
    rng = np.random.default_rng(1)
    teams = [[(rng.normal(1500, 300), rng.uniform(30, 350)) for _ in range(6)] for _ in range(700)]
    places = rng.integers(1, 701, 700).tolist()
    board = lay_out(Duel(Logistic()), teams, places)
    Duel(Logistic()).evidence(board)
    for found, wanted in zip((board.g1, board.g2), pairs(Logistic(), teams, places, 0.0), strict=True):
        assert np.array(found) == pytest.approx(wanted, abs=1e-10 * np.abs(wanted).max())


def test_k_factor_may_be_a_number_a_function_or_a_rule():
    def moved(k, matches, mu):
        board = pw.Board(1, 1)
        board.mu[0], board.g1[0], board.played[0], board.importance = mu, 1.0, matches, 0.5
        Step(k).absorb(board)
        return 2 * (board.mu[0] - mu)

    assert [moved(Fide(), *at) for at in ((29, 2500.0), (30, 2399.0), (30, 2400.0))] == [40.0, 20.0, 10.0]
    assert moved(lambda matches, mu: matches + mu, 3, 1500.0) == 1503.0

    class Mine(Rule):
        def k(self, matches, mu):
            return 7.0

    assert moved(Mine(), 0, 0.0) == 7.0
    assert moved(np.float64(8.0), 0, 0.0) == moved(8, 0, 0.0) == 8.0
    for wrong in (-1.0, float("nan"), float("inf"), "x", None):
        with pytest.raises(pw.Error, match="the K-factor returned by the rule must be a finite number of at least 0"):
            moved(lambda matches, mu, wrong=wrong: wrong, 0, 0.0)
        with pytest.raises(pw.Error, match="k must be"):
            Step(wrong)


def test_invalid_pairwise_components_are_rejected():
    for wrong in (lambda: Logistic(0.0), lambda: Opposition(-1.0), lambda: Share(-0.1), lambda: Harkness(math.nan)):
        with pytest.raises(pw.Error, match="must"):
            wrong()
    with pytest.raises(pw.Error, match="must be an outcome that compares two"):
        Duel(pw.outcome.Order(draw_probability=0.1))
    with pytest.raises(pw.Error, match="give the model a beta above 0"):
        lay_out(Probit(), points([[1500.0], [1600.0]]), [1, 2])
    with pytest.raises(pw.Error, match="mu must be"):
        Point("x")


RULES = [Step(32.0), Step(Fide()), Share(), Harkness(), Volatile()]
PARTS = [*OUTCOMES, *map(Duel, OUTCOMES), *RULES, PerPeriod(34.6), Idle(), Point(1500.0)]


@pytest.mark.parametrize("part", PARTS, ids=repr)
def test_pairwise_components_are_hashable_and_picklable(part):
    assert pickle.loads(pickle.dumps(part)) == copy.deepcopy(part) == part
    assert hash(part) == hash(copy.deepcopy(part))


def test_models_with_pairwise_outcomes_convert_to_plain_data_and_back():
    for outcome, absorb in itertools.product(map(Duel, OUTCOMES), (Step(Fide()), Share(), Harkness(), Volatile())):
        model = pw.Model(prior=Point(1500.0), noise=0, outcome=outcome, absorb=absorb, drift=PerPeriod(30.0))
        assert pw.Model.from_dict(json.loads(json.dumps(model.to_dict(), allow_nan=False))) == model


def test_user_defined_pairwise_outcome_can_compare_single_players():
    class Coin(Pairwise):
        """An outcome that sets d1 to 1 for the winner and to −1 for the loser."""

        def chance(self, board, gap, variance):
            board.expected = board.conceded = 0.5
            return 0.5

        def meet(self, board, gap, own, other, result):
            board.push, board.pull = 2 * result - 1, -1.0

        def likelihood(self, board, gap, own, other, result):
            return math.log(0.5)

        def performance(self, variance):
            return 1.0

    outcome = Duel(Coin())
    board = lay_out(outcome, points([[1.0, 2.0], [3.0], [4.0]]), [1, 1, 2])
    assert outcome.evidence(board) == pytest.approx(2 * math.log(0.5))
    assert list(board.g1) == [0.5, 0.5, 1 / 3, -1.0]
    prediction = outcome.predict(board)
    assert prediction.win.sum() + prediction.draw == pytest.approx(1)
    crowd = lay_out(outcome, points([[1.0]] * 200), list(range(1, 201)))
    outcome.evidence(crowd)
    assert list(crowd.g1) == pytest.approx(np.linspace(1, -1, 200))
    with pytest.raises(pw.Error, match="Pairwise needs a method chance"):
        lay_out(Pairwise(), points([[1.0], [2.0]]), [1, 2])


EDGES = [0.0, 1e-30, 1.0, 350.0, 1e30]


@pytest.mark.parametrize("scale", [1e-30, 400.0, 1e30])
def test_extreme_ratings_give_finite_output_of_pairwise_outcomes(scale):
    rules = [Step(32.0), Share(), Harkness(), Newton(), Volatile(), pw.absorb.Moment(), pw.absorb.Constant()]
    for outcome in (Logistic(scale), Probit(), Opposition(scale)):
        for mu, own, other, places in itertools.product([1e30, -1.0, 0.0], EDGES, EDGES, ([1, 2], [2, 1], [1, 1])):
            for inner, teams in ((outcome, 2), (Duel(outcome), 2), (Duel(outcome), 3)):
                players = [[(mu, own)], [(-mu, other)], [(1.0, own), (2.0, other)]][:teams]
                board = lay_out(inner, players, [*places, 2][:teams], beta=scale, memory=(1e9, 1.0))
                assert math.isfinite(inner.evidence(board))
                if inner is not outcome:
                    kept = [list(column) for column in (board.mu, board.var)]
                    for rule, importance in itertools.product(rules, (1e-9, 1.0, 1e9)):
                        (board.mu[:], board.var[:]), board.importance = kept_columns(kept), importance
                        board.extras, board.extra = 1, pw.Board(2, 4, extras=1).extra
                        for entry in range(board.entries):
                            rule.welcome(board, entry)
                        rule.absorb(board)
                        found = [*board.mu, *board.var, *board.extra[: board.entries]]
                        assert all(map(math.isfinite, found)), (rule, board.importance)
                        assert min(board.var) >= 0
                columns = (board.d1, board.d2, board.left, board.memory)
                assert all(math.isfinite(x) for column in columns for x in column)


def kept_columns(kept):
    from array import array

    return [array("d", column) for column in kept]


def test_pairwise_outcomes_give_identical_results_compiled_and_uncompiled():
    found = []
    for package in (pw, load()):
        outcomes, rules, out = package.outcome, package.absorb, []
        rng = np.random.default_rng(8)
        shapes = [[1, 1], [1, 1], [3, 2], [1] * 7, [2, 1, 3], [4] * 40]
        inner = (outcomes.Logistic(), outcomes.Logistic(150.0), outcomes.Probit(), outcomes.Opposition())
        for shape, pair, doubt in itertools.product(shapes, inner, (0.0, 200.0)):
            teams = [[(rng.normal(1500, 300), rng.uniform(0, doubt)) for _ in range(size)] for size in shape]
            places = rng.integers(1, len(shape) + 1, len(shape)).tolist()
            for outcome in (pair, outcomes.Duel(pair)):
                board = lay_out(outcome, teams, places, beta=100.0, memory=(3.0, 20.0), package=package)
                out += [
                    outcome.evidence(board),
                    board.win,
                    board.draw,
                    *board.d1,
                    *board.d2,
                    *board.left,
                    *board.memory,
                ]
            prediction = outcome.predict(board) if len(shape) < 9 else None
            out += [*prediction.win, *prediction.ranks.ravel()] if prediction else []
            for rule in (rules.Step(32.0), rules.Step(rules.Fide()), rules.Share(), rules.Harkness(), rules.Newton()):
                rule.absorb(board)
            board.extras, board.extra = 1, package.Board(1, board.entries, extras=1).extra
            for entry in range(board.entries):
                rules.Volatile().welcome(board, entry)
            rules.Volatile().absorb(board)
            out += [*board.g1, *board.g2, *board.kept, *board.mu, *board.var, *board.extra]
        found.append(np.array(out))
    assert found[0].tobytes() == found[1].tobytes()
