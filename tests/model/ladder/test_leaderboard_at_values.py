"""Leaderboards at values of the context: who is listed, and which matches count."""

import pytest

import prowess as pw

FACETS = (pw.facet.By("mode", sigma=3.0), pw.facet.By("map", sigma=2.0), pw.facet.By("rest", numeric=True, sigma=0.1))
MODEL = pw.TrueSkill(tau=0.0).replace(facets=FACETS)
# Ann has played 1v1 four times and 2v2 twice; bob only 1v1; cat and dan only 2v2. The last match does not count.
GAMES = [
    (["ann"], ["bob"], "1v1", "harbour"),
    (["ann"], ["bob"], "1v1", "desert"),
    (["bob"], ["ann"], "1v1", "harbour"),
    (["ann", "cat"], ["dan", "eve"], "2v2", "harbour"),
    (["ann", "dan"], ["eve", "cat"], "2v2", "harbour"),
    (["ann"], ["bob"], "1v1", None),
]
MATCHES = [
    {"teams": [one, two], "time": f"2026-01-0{day}", "context": {"mode": mode, "map": place, "rest": [1, 2]}}
    for day, (one, two, mode, place) in enumerate(GAMES, 1)
] + [{"teams": [["fay"], ["cat"]], "time": "2026-01-09", "context": {"mode": "1v1"}, "importance": 0.0}]
MATCHES += [{"teams": [["fay"], ["cat"]], "time": "2026-01-09", "context": {"mode": "2v2"}}]
HISTORY = pw.History.from_matches(MATCHES)
AT_1V1, AT_2V2 = {"ann": 4, "bob": 4}, {"ann": 2, "cat": 3, "dan": 2, "eve": 2, "fay": 1}


def counts(frame):
    return dict(frame.select("player", "matches").rows())


def boards():
    fit, hindsight = MODEL.fit(HISTORY), MODEL.hindsight(HISTORY)
    joint = MODEL.hindsight(HISTORY, joint=True)
    return {"fit": fit, "ladder": fit.ladder, "hindsight": hindsight, "joint": joint}


BOARDS = boards()


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_leaderboard_at_a_value_lists_only_players_who_have_played_there(board):
    assert counts(board.leaderboard(mode="1v1")) == AT_1V1
    assert counts(board.leaderboard(mode="2v2")) == AT_2V2
    assert counts(board.leaderboard(map="desert")) == {"ann": 1, "bob": 1}


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_all_lists_the_other_players_too_with_no_matches_there(board):
    everybody = board.leaderboard(mode="1v1", all=True)
    assert counts(everybody) == dict.fromkeys(AT_2V2, 0) | AT_1V1
    assert sorted(everybody["rank"].to_list()) == sorted(everybody["rank"].rank("min").to_list())
    assert counts(board.leaderboard(all=True)) == counts(board.leaderboard())


def test_ranks_and_ratings_at_a_value_are_among_those_who_have_played_there():
    ladder = BOARDS["ladder"]
    frame = ladder.leaderboard(mode="2v2")
    assert frame["rank"].to_list() == frame["shown"].rank("min", descending=True).to_list()
    for player, mu in frame.select("player", "mu").rows():
        assert mu == pytest.approx(ladder.rating(player, mode="2v2").mu)


def test_min_matches_counts_the_matches_at_the_value():
    assert counts(BOARDS["fit"].leaderboard(mode="2v2", min_matches=2)) == {
        name: times for name, times in AT_2V2.items() if times >= 2
    }
    assert counts(BOARDS["fit"].leaderboard(mode="2v2", min_matches=2, all=True)) == {
        name: times for name, times in AT_2V2.items() if times >= 2
    }


def test_leaderboard_at_a_number_lists_everybody():
    assert counts(BOARDS["fit"].leaderboard(rest=3)) == counts(BOARDS["fit"].leaderboard())


def test_values_of_several_columns_need_matches_at_each_of_them():
    """A ladder counts matches by column, so the number is that at the rarest value."""
    assert counts(BOARDS["fit"].leaderboard(mode="1v1", map="harbour")) == {"ann": 4, "bob": 2}


@pytest.mark.parametrize("name", ["fit", "hindsight"])
def test_leaderboard_at_a_time_counts_the_matches_up_to_it(name):
    board = BOARDS[name]
    assert counts(board.leaderboard(at="2026-01-02", mode="1v1")) == {"ann": 2, "bob": 2}
    late = board.leaderboard(at="2026-01-04", mode="2v2")
    assert counts(late) == dict.fromkeys(("ann", "cat", "dan", "eve"), 1)


def test_player_who_is_new_to_a_value_has_gained_no_rank_there():
    changes = BOARDS["fit"].leaderboard(since="2026-01-09", mode="2v2").select("player", "change").rows()
    assert dict(changes)["fay"] is None


def test_saved_ladder_counts_the_same_matches(tmp_path):
    BOARDS["ladder"].save(tmp_path / "modes.prowess")
    assert counts(pw.Ladder.load(tmp_path / "modes.prowess").leaderboard(mode="1v1")) == AT_1V1


def test_effect_that_all_players_share_hides_nobody():
    games = [{"teams": [["ann"], ["bob"]], "context": {"side": ["blue", "red"]}}] * 2
    model = pw.TrueSkill().replace(facets=(pw.facet.Shared("side", sigma=1.0),))
    assert counts(model.fit(pw.History.from_matches(games)).leaderboard(side="blue")) == {"ann": 2, "bob": 2}


def test_hindsight_at_a_time_keeps_the_deviations_of_absent_players_apart():
    """Players who are left out at a time must not lend their deviations to others."""
    games = [([f"p{n}"], [f"p{n + 1}"], "1v1", "2026-01-01") for n in range(0, 40, 2)]
    games += [([f"q{n}"], ["p0"], "2v2", "2026-02-01") for n in range(9)] * 3
    games += [([f"p{n}"], [f"p{n + 1}"], "1v1", "2026-03-01") for n in range(0, 40, 2)]
    matches = [{"teams": [a, b], "context": {"mode": mode}, "time": day} for a, b, mode, day in games]
    hindsight = pw.TrueSkill(tau=0.0).replace(facets=FACETS[:1]).hindsight(pw.History.from_matches(matches))
    frame = hindsight.leaderboard(at="2026-01-15", mode="2v2", all=True)
    at = {row["player"]: row["mu"] for row in frame.to_dicts()}
    for player in ("p37", "p38", "p39"):
        assert at[player] == pytest.approx(hindsight.rating(player, at="2026-01-15", mode="2v2").mu)
    there = hindsight.standing_at(hindsight.history.time[0] + 1.0)
    assert there.leaderboard(mode="2v2", all=True).filter(player="p38")["mu"].to_list() == [pytest.approx(at["p38"])]
