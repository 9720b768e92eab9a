"""The blocks of a schedule: every match once, one shape, no common player, and the order of each player's matches."""

from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prowess as pw
from prowess.model.engine import pipeline
from prowess.model.engine import schedule as scheduling
from prowess.model.fit import sweeps
from tests.pure import load

PLAIN, SERIAL = pw.TrueSkill(), pw.TrueSkill(draw_probability="learnt")
BLOCKS = []  # the matches of every block, in the order in which the engine rates the blocks


@dataclass(frozen=True)
class Spy(pw.Drift):
    """A drift that notes which matches are on the board; the time of a match is its number."""

    blocks = True

    def widen(self, board):
        BLOCKS.append([int(time) for time in board.times[: board.matches]])


def run(monkeypatch, history, lanes, model=PLAIN, **limits):
    """Return the blocks in which the engine rates a history."""
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "LANES", lanes)
        patch.setattr(sweeps, "FEW", 0)
        for name, value in limits.items():
            patch.setattr(scheduling, name, value)
        BLOCKS.clear()
        model.replace(drift=Spy()).learn(history)
    return [*BLOCKS]


def check(history, blocks, lanes, large=scheduling.LARGE):
    found = list(history)
    shapes = [tuple(map(len, match["teams"])) for match in found]
    players = [set(chain.from_iterable(match["teams"])) for match in found]
    block_of = {match: number for number, block in enumerate(blocks) for match in block}
    assert sorted(chain.from_iterable(blocks)) == list(range(len(found)))
    for block in blocks:
        assert len(block) <= (1 if sum(shapes[block[0]]) > large else lanes)
        assert len({(shapes[match], found[match].get("importance", 1.0) == 0.0) for match in block}) == 1
        assert len(set.union(*(players[match] for match in block))) == sum(len(players[match]) for match in block)
    for name in history.players:
        own = [match for match in range(len(found)) if name in players[match]]
        assert all(block_of[one] < block_of[other] for one, other in pairwise(own))


@st.composite
def histories(draw):
    shapes = draw(st.lists(st.lists(st.integers(1, 3), min_size=2, max_size=5), min_size=1, max_size=4))
    crowd = draw(st.integers(sum(map(max, shapes)), 120)) + 15
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    weighted = draw(st.booleans())
    matches = []
    for number in range(draw(st.integers(1, 90))):
        sizes = shapes[rng.integers(len(shapes))]
        names = np.split(rng.permutation(crowd)[: sum(sizes)], np.cumsum(sizes)[:-1])
        match = {"teams": [[f"p{name}" for name in team] for team in names], "time": float(number)}
        matches.append(match | ({"importance": float(rng.choice([0.0, 0.5, 1.0]))} if weighted else {}))
    return pw.History.from_matches(matches)


lanes = st.sampled_from([2, 3, 8, 64])


@given(histories(), lanes, st.sampled_from([1, 7, 4096]), st.sampled_from([5, 20, 65536]), st.sampled_from([4, 64]))
def test_blocks_keep_the_order_of_every_players_matches(monkeypatch, history, lanes, window, entries, large):
    blocks = run(monkeypatch, history, lanes, WINDOW=window, WINDOW_ENTRIES=entries, LARGE=large)
    check(history, blocks, lanes, large)
    runs = run(monkeypatch, pw.History.from_matches(list(history)), lanes, SERIAL, WINDOW=window, LARGE=large)
    check(history, runs, lanes, large)
    assert [*chain.from_iterable(runs)] == [*range(len(history))]
    for before, after in pairwise(blocks):
        assert entries < 65536 or min(after) // window >= min(before) // window


@given(histories(), lanes)
def test_shapes_with_the_same_hash_are_kept_apart(monkeypatch, history, lanes):
    def collide(history):
        counted = np.zeros(len(history)) if history.importance is None else history.importance > 0.0
        return counted.astype(np.int32)

    check(history, run(monkeypatch, history, lanes, _shapes=collide), lanes)


@given(histories())
def test_hashes_tell_shapes_and_importance_zero_apart(history):
    numbers = scheduling._shapes(history)
    kinds = [(*map(len, match["teams"]), match.get("importance", 1.0) > 0.0) for match in history]
    assert len(set(zip(kinds, numbers.tolist(), strict=True))) == len(set(kinds)) == len(set(numbers.tolist()))


@given(histories(), lanes)
def test_both_modes_make_as_many_blocks(history, lanes):
    compiled, pure = (package.Schedule(history, lanes) for package in (scheduling, load().model.engine.schedule))
    assert (compiled.blocks, compiled.windows) == (pure.blocks, pure.windows)


def rounds(count, pairs):
    """Return rounds of duels in which everybody plays once."""
    names = [[[f"a{k}"], [f"b{(k + number) % pairs}"]] for number in range(count) for k in range(pairs)]
    return pw.History.from_matches([{"teams": teams, "time": float(number)} for number, teams in enumerate(names)])


@pytest.mark.parametrize(("pairs", "wanted"), [(64, [64] * 3), (100, [64, 36] * 3), (5, [5] * 3)])
def test_rounds_in_which_everybody_plays_once_fill_the_blocks(monkeypatch, pairs, wanted):
    assert [len(block) for block in run(monkeypatch, rounds(3, pairs), 64)] == wanted


def test_matches_of_importance_zero_have_their_own_blocks(monkeypatch):
    teams = [[[f"a{k}"], [f"b{k}"]] for k in range(40)]
    matches = [{"teams": pair, "importance": float(k % 2), "time": float(k)} for k, pair in enumerate(teams)]
    blocks = run(monkeypatch, pw.History.from_matches(matches), 64)
    assert sorted(blocks) == [list(range(0, 40, 2)), list(range(1, 40, 2))]


def test_large_match_is_a_block_of_its_own(monkeypatch):
    teams = [[[f"{side}{k}{n}" for n in range(size)] for side in "ab"] for k, size in enumerate([32, 33] * 4)]
    matches = [{"teams": match, "time": float(k)} for k, match in enumerate(teams)]
    blocks = run(monkeypatch, pw.History.from_matches(matches), 64)
    assert sorted(blocks) == [[0, 2, 4, 6], [1], [3], [5], [7]]


def test_history_keeps_its_schedule_for_later_fits():
    history = rounds(3, 20)
    plan = scheduling.schedule(history, 64)
    assert scheduling.schedule(history, 64) is plan
    assert scheduling.schedule(history, 8).blocks == 9
    pw.Elo().fit(history)
    kept = scheduling.schedule(history, 64)
    assert (kept.lanes, kept.blocks) == (64, 3)
    pw.TrueSkill().fit(history)
    assert scheduling.schedule(history, 64) is kept


def test_slice_and_copy_of_a_history_have_their_own_schedules():
    history = rounds(4, 20)
    assert scheduling.schedule(history, 64).blocks == 4
    assert scheduling.schedule(history[:20], 64).blocks == 1
    assert scheduling.schedule(history.take(np.arange(0, 80, 2)), 64).blocks == 4


def test_empty_history_has_no_blocks():
    plan = scheduling.schedule(pw.History.from_matches([]), 64)
    assert (plan.blocks, plan.windows) == (0, 0)
