"""The TrueSkill paper is re-run on simulated games in the format of its files."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm, truncnorm

import prowess as pw
from prowess.lab.measures import Tally
from prowess_papers import paper
from prowess_papers.halo2 import read
from prowess_papers.halo2.convergence import games_needed
from prowess_papers.halo2.draws import _share_behind
from prowess_papers.halo2.figure2 import v_and_w
from prowess_papers.halo2.mode import Mode, fit_mode, qualities_of
from prowess_papers.halo2.readings import _mean_difference
from prowess_papers.halo2.winning import _coin, _ratios, accepted
from prowess_papers.paper import load_published
from prowess_papers.statistics import difference_interval, draw_rate, mean_interval
from tests.oracles import quality as dense
from tests.papers import halo_oracle
from tests.papers.halo_files import games, write

SAID = load_published("halo2")
ROW = "08 July 2004 15:45:00,{game},2,10,{player},{team},{score}\n"


def row(game: int = 1, player: str = "1000000000000001", team: int = 0, score: object = 1, time: str = "") -> str:
    line = ROW.format(game=game, player=player, team=team, score=score)
    return line.replace("08 July 2004 15:45:00", time) if time else line


def duel(game: int, one: str, other: str, scores: tuple[int, int] = (1, 0), time: str = "") -> str:
    return row(game, one, 0, scores[0], time) + row(game, other, 1, scores[1], time)


def made(tmp_path: Path, text: str) -> pw.History:
    path = tmp_path / "HeadToHead.csv"
    path.write_bytes(text.encode())
    return read(path)


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 4), st.integers(0, 2), st.integers(-3, 9)),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_halo_2_reader_agrees_with_reading_line_by_line(tmp_path: Path, rows: list[tuple[int, ...]], end: str) -> None:
    text = "".join(
        row(game, f"100000000000000{player}", team, score, f"08 July 2004 15:4{minute}:00")
        for game, minute, player, team, score in rows
    )
    wanted = halo_oracle.games(text)
    if not wanted:
        with pytest.raises(pw.Error, match="no game in this file can be rated"):
            made(tmp_path, text)
        return
    history = made(tmp_path, text.replace("\n", end) + end)
    assert [(match["teams"], match["scores"]) for match in history] == wanted
    assert history.time is None


def test_halo_2_player_ids_are_not_rounded(tmp_path: Path) -> None:
    a, b = "9007199254740993", "9007199254740992"  # differ by one, but equal as floats
    assert made(tmp_path, duel(1, a, b) + duel(2, b, a)).players == (a, b)


def test_halo_2_game_id_that_is_used_again_at_another_time_is_a_new_game(tmp_path: Path) -> None:
    a, b = "1000000000000001", "1000000000000002"
    text = duel(1, a, b, (-5, -7)) + duel(2, b, a) + duel(1, a, b, (3, 3), "07 July 2004 09:00:00")
    history = made(tmp_path, text)
    assert history.players == (a, b)
    assert [match["scores"] for match in history] == [[-5, -7], [1, 0], [3, 3]]
    assert history.place.tolist() == [1, 2, 1, 2, 1, 1]
    assert history.recognised == ""


def test_rows_of_a_halo_2_team_need_not_be_adjacent(tmp_path: Path) -> None:
    text = "".join(
        row(7, str(player), team, score) for player, team, score in [(1, 4, 2), (2, 0, 5), (3, 4, 9), (4, 1, 5)]
    )
    assert made(tmp_path, text)[0] == {"teams": [["1", "3"], ["2"], ["4"]], "scores": [11.0, 5.0, 5.0]}


def test_skipped_halo_2_games_are_reported(tmp_path: Path) -> None:
    text = row(1) + duel(2, "1", "2") + duel(3, "1", "1") + "\n" + duel(4, "1", "2") + row(4, "1", 0, 5)
    history = made(tmp_path, text)
    assert [match["scores"] for match in history] == [[1, 0], [6, 0]]
    first, second, third = history.recognised.splitlines()
    assert first.startswith("games of one team are left out: 1, the first is")
    assert first.endswith("HeadToHead.csv, line 1")
    assert second.startswith("games with a player in two teams are left out: 1")
    assert second.endswith("line 4")
    assert third.startswith("rows of a player listed twice in a team: 1")
    assert third.endswith("line 9")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no games"),
        ("\n\n", "HeadToHead.csv: "),
        (duel(1, "1", "2") + row(2, "1", 0, "x"), "line 3: column 'score' holds 'x'"),
        (duel(1, "1", "2") + row(2, "1", 0, ""), "line 3: column 'score' is empty: a number is needed"),
        (duel(1, "1", "2") + row(2, "1", 0, "inf"), "line 3: column 'score' holds 'inf'"),
        (duel(1, "1", "2") + row(2, ""), "line 3: column 'player_id' is empty"),
        (row(1) + row(2), "no game in this file can be rated: games of one team are left out: 2"),
        (row(1).replace("\n", ",8\n"), "it must be CSV without a header, with the columns datetime, game_id"),
    ],
)
def test_unreadable_halo_2_file_raises_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(pw.Error, match=r"HeadToHead\.csv") as caught:
        made(tmp_path, text)
    assert message in str(caught.value)


@pytest.fixture(scope="module")
def mode(tmp_path_factory: pytest.TempPathFactory) -> Mode:
    folder = write(tmp_path_factory.mktemp("halo"), 120, ("FreeForAll.csv",))
    return fit_mode("Free for All", read(folder / "FreeForAll.csv"), SAID)


def test_draw_probability_is_the_rate_of_equal_scores_of_adjacent_places(mode: Mode) -> None:
    drawn = pairs = 0
    for match in mode.history:
        scores = sorted(match["scores"])
        drawn += sum(a == b for a, b in pairwise(scores))
        pairs += len(scores) - 1
    assert draw_rate(mode.history) == drawn / pairs > 0
    model = mode.fits["TrueSkill"].model
    assert model.params["draw_probability"] == drawn / pairs
    assert (model.rating(), model.noise, model.params["tau"]) == (pw.Rating(25, 25 / 3), 25 / 6, 25 / 300)
    elo = mode.fits["Elo"].model
    [[winner], [loser]] = elo.rate([[elo.rating()], [elo.rating()]])
    gained = 0.07 * 25 / 6 * np.sqrt(np.pi) / 2
    assert (winner.mu, loser.mu) == pytest.approx((25 + gained, 25 - gained))


def test_qualities_computed_for_all_matches_equal_the_quality_of_each_match(mode: Mode) -> None:
    fit, beta = mode.fits["TrueSkill"], 25 / 6
    ladder = pw.Ladder(fit.model)
    for number, match in enumerate(list(mode.history)[:30]):
        known = [[ladder[name] if name in ladder else fit.model.rating() for name in team] for team in match["teams"]]
        drifted = [[(one.mu, np.hypot(one.sigma, 25 / 300)) for one in team] for team in known]
        assert qualities_of(fit)[number] == pytest.approx(dense.quality(drifted, beta), rel=1e-9)
        ladder.record(match["teams"], scores=match["scores"])


def test_error_of_elo_in_high_quality_games_agrees_with_a_plain_loop(mode: Mode) -> None:
    """In the fifth of games with the highest quality, pairs with different scores count; equal ratings are errors."""
    quality = qualities_of(mode.fits["TrueSkill"])
    chosen = sorted(range(len(quality)), key=lambda k: -quality[k])[: round(len(quality) / 5)]
    wrong = pairs = 0
    for k in chosen:
        team = range(mode.history.match_start[k], mode.history.match_start[k + 1])
        for i in team:
            for j in team:
                if mode.history.score[i] > mode.history.score[j]:
                    rating = mode.fits["Elo"].forecasts.mean
                    wrong += not rating[i] > rating[j]
                    pairs += 1
    assert mode.errors("Elo").mean(mode.closest("TrueSkill", 0.2)) == pytest.approx(wrong / pairs, abs=1e-12)


def test_team_elo_predicts_from_summed_ratings_and_updates_from_player_duels(tmp_path: Path) -> None:
    """The team function is only used for predictions; players learn from the average over their opponents."""
    history = read(write(tmp_path, 60, ("SmallTeam.csv",)) / "SmallTeam.csv")
    summed = fit_mode("Small Teams", history, SAID).fits["Elo"]
    plain = pw.GaussianElo(25.0, 0.07, 25 / 6).fit(history)
    assert summed.leaderboard().equals(plain.leaderboard())
    assert summed.forecasts.mean == pytest.approx(4 * plain.forecasts.mean)
    [one, other] = history[0]["teams"]
    wins = history.place[0] < history.place[1]
    gained = 0.07 * 25 / 6 * np.sqrt(np.pi) * (0.5 if wins else 0.0 if history.place[0] == history.place[1] else -0.5)
    first = fit_mode("Small Teams", history[:1], SAID).fits["Elo"]
    assert [first[name].mu for name in one] == pytest.approx([25 + gained] * 4)
    assert [first[name].mu for name in other] == pytest.approx([25 - gained] * 4)


def test_mean_rating_difference_covers_all_pairs_of_a_match(mode: Mode) -> None:
    start = mode.history.match_start
    rating = np.random.default_rng(0).normal(size=mode.history.teams)
    wanted = [np.abs(np.subtract.outer(r, r)).sum() / (len(r) * (len(r) - 1)) for r in np.split(rating, start[1:-1])]
    assert _mean_difference(start, rating) == pytest.approx(wanted)


def test_model_learns_only_from_games_of_high_match_quality(tmp_path: Path) -> None:
    history = read(write(tmp_path, 400, ("HeadToHead.csv",)) / "HeadToHead.csv")
    model, kept = pw.TrueSkill(), []
    ratings = {name: model.rating() for name in history.players}
    for match in history:
        [[one], [other]] = match["teams"]
        teams = [[ratings[one]], [ratings[other]]]
        kept.append(model.quality(teams) >= 0.4)
        if kept[-1]:
            [[ratings[one]], [ratings[other]]] = model.rate(teams, scores=match["scores"])
    found = accepted(model, history, 0.4, np.zeros(len(history), bool))
    assert found.tolist() == kept
    assert 0 < sum(kept) < len(kept)
    ratios = _ratios(history, found)
    won = dict.fromkeys(history.players, 0.0)
    played = dict.fromkeys(history.players, 0)
    for match, counts in zip(history, kept, strict=True):
        for k in range(2 * counts):
            name, mine, theirs = match["teams"][k][0], match["scores"][k], match["scores"][1 - k]
            played[name] += 1
            won[name] += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
    wanted = [abs(won[name] / played[name] - 0.5) for name in history.players if played[name]]
    assert ratios.deviation == pytest.approx(wanted)
    assert ratios.games.tolist() == [number for number in played.values() if number]


def test_deviation_of_coin_tosses_agrees_with_the_binomial_distribution() -> None:
    wanted = [sum(binom.pmf(k, n, 0.5) * abs(k / n - 0.5) for k in range(n + 1)) for n in (1, 2, 7, 50)]
    assert _coin(np.array([1, 2, 7, 50])) == pytest.approx(wanted)


def test_number_of_games_until_a_rating_converges_is_computed() -> None:
    assert games_needed(25 + 10 * (1 - np.exp(-np.arange(1, 200) / 10)), 25.0, 0.1) == pytest.approx(19, abs=2)
    assert games_needed(np.full(60, 25.0), 25.0, 0.1) == 1
    falling = 25 - 10 * (1 - np.exp(-np.arange(1, 200) / 20))
    assert games_needed(falling, 25.0, 0.1) == pytest.approx(42, abs=2)


@pytest.mark.parametrize("t", [-5.0, -0.3, 0.0, 2.0])
@pytest.mark.parametrize("margin", [0.5, 1.0, 4.0])
def test_v_and_w_of_figure_2_agree_with_moments_of_truncated_normals(t: float, margin: float) -> None:
    found = v_and_w(t, margin)
    win, draw = truncnorm(margin - t, np.inf, loc=t), truncnorm(-margin - t, margin - t, loc=t)
    assert (found["V, win"], found["W, win"]) == pytest.approx((win.mean() - t, 1 - win.var()), abs=1e-6)
    assert (found["V, draw"], found["W, draw"]) == pytest.approx((draw.mean() - t, 1 - draw.var()), abs=1e-6)
    assert found["V, win"] == pytest.approx(norm.pdf(t - margin) / norm.cdf(t - margin))


def test_confidence_intervals_cover_the_true_difference_at_their_level() -> None:
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(400):
        weight = rng.integers(0, 4, 300).astype(float)
        one, other = (Tally(rng.binomial(weight.astype(int), p).astype(float), weight) for p in (0.4, 0.3))
        apart = difference_interval(one, other)
        inside += apart.low <= 0.1 <= apart.high
    assert inside / 400 == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 400))
    same = mean_interval(Tally(np.array([1.0, 0.0, 1.0]), np.ones(3)), np.array([True, True, False]))
    assert same.value == 0.5


def test_report_has_all_sections_of_the_paper(tmp_path: Path) -> None:
    report = paper("halo2").run(write(tmp_path, 250), progress=False)
    titles = [section.title for section in report.sections]
    assert titles[:3] == ["Verdict", "Data", "Prediction error, in percent"]
    assert len(titles) == 11
    data, table = report.sections[1].table, report.sections[2].table
    assert data is not None
    assert table is not None
    assert data["games"].to_list() == [250] * 4
    assert table["TrueSkill: published"].to_list() == [30.82, 35.64, 35.23, 37.17, 32.44, 30.83, 38.15, 29.94]
    assert table["Elo: published"].to_list() == [32.14, 38.30, 34.92, 42.55, 33.24, 40.57, 39.49, 44.12]
    assert table.select("Elo: ours", "TrueSkill: ours").to_numpy().min() > 5
    assert len(report.sections[2].claims) == 8
    assert sum(len(section.claims) for section in report.sections) >= 18
    assert all(section.chart is None or section.chart.to_dict() for section in report.sections)
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["title"] == report.title
    assert "Microsoft Research Ltd. and Bungie" in report.sections[1].text


def test_match_quality_of_drawn_games_is_compared_only_with_games_of_the_same_size() -> None:
    """Match quality differs only between the two sizes of games, so it finds draws no better than chance."""
    sizes = [2, 4] * 50
    matches = [
        {"teams": [[f"p{k}-{seat}"] for seat in range(size)], "ranks": [1] * size} for k, size in enumerate(sizes)
    ]
    history = pw.History.from_matches(matches)
    shares = _share_behind(qualities_of(pw.TrueSkill().fit(history)), history)
    assert shares == pytest.approx(0.5)


@pytest.mark.parametrize("file", ["LargeTeam.csv", "FreeForAll.csv"])
def test_report_can_be_made_from_a_subset_of_the_files(tmp_path: Path, file: str) -> None:
    report = paper("halo2").run(write(tmp_path, 60, (file,)), small=True, progress=False)
    missing = [f"{name} ({mode['file']})" for name, mode in SAID["mode"].items() if mode["file"] != file]
    assert f"Missing files, left out: {', '.join(missing)}." in report.sections[1].text
    assert "first 1,500 games" in report.sections[1].text


def test_report_works_for_files_with_only_drawn_or_only_won_games(tmp_path: Path) -> None:
    ids = [f"100000000000000{k}" for k in range(4)]
    won = "".join(duel(k, ids[k % 4], ids[(k + 1) % 4]) for k in range(12))
    (tmp_path / "HeadToHead.csv").write_text(won)
    report = paper("halo2").run(tmp_path, progress=False)
    assert "No game of these files was drawn." in [section.text for section in report.sections]
    (tmp_path / "HeadToHead.csv").write_text(won.replace(",0,1\n", ",0,0\n"))
    report = paper("halo2").run(tmp_path, progress=False)
    assert report.to_dict()["sections"][2]["claims"][0]["holds"] is None


@pytest.mark.long
def test_claims_of_the_paper_hold_on_a_large_simulated_beta_test(tmp_path: Path) -> None:
    text = "".join(games("FreeForAll.csv", 12_000, players=1500))
    (tmp_path / "FreeForAll.csv").write_text(text)
    report = paper("halo2").run(tmp_path, progress=False)
    claims = {claim.text: claim.holds for section in report.sections for claim in section.claims}
    assert claims["Free for All, all games: TrueSkill predicts better than Elo"] is True
    assert claims["Free for All: TrueSkill finds draws better than Elo"] is True
    assert claims["TrueSkill finds the best players' skills in about 10 games"] is True
    assert claims["Elo converges more slowly"] is True


def test_same_games_give_the_same_report_on_the_trueskill_paper(tmp_path: Path) -> None:
    text = "".join(games("SmallTeam.csv", 80))
    (tmp_path / "SmallTeam.csv").write_text(text)
    one = paper("halo2").run(tmp_path, seed=1, progress=False).to_dict()["sections"][:5]
    (tmp_path / "SmallTeam.csv").write_bytes(text.replace("\n", "\r\n").encode() + b"\r\n")
    assert paper("halo2").run(tmp_path, seed=2, jobs=2, progress=False).to_dict()["sections"][:5] == one
