"""A queue is paired for several rounds."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import prowess as pw
from prowess.matchmaking.pairing.pair import rounds


@pytest.mark.parametrize(("players", "count"), [(8, 4), (9, 9), (30, 15), (7, 6)])
def test_no_pair_meets_twice_in_several_rounds_and_players_sit_out_in_turn(players, count):
    # After r rounds of n players, the remaining pairs allow another round while r ≤ n/2 (Dirac, 1952).
    rng = np.random.default_rng(players)
    model = pw.TrueSkill()
    ladder = pw.Ladder(model, {f"p{k}": model.rating(mu, 2.0) for k, mu in enumerate(rng.normal(25, 8, players))})
    found = rounds(ladder, list(ladder), count=count)
    assert [len(one) for one in found] == [players // 2] * count
    made = [frozenset(pair) for one in found[: players // 2] for pair in one.pairs]
    assert len(made) == len(set(made))
    out = Counter(name for one in found for name in one.left)
    assert sum(out.values()) == (players % 2) * count
    if players % 2:
        assert max(out.values()) - min(out[name] for name in ladder) <= 1


def test_first_round_equals_a_single_pairing_and_all_rounds_maximise_quality():
    model = pw.TrueSkill()
    ladder = pw.Ladder(model, {f"p{k}": model.rating(mu, 1.0) for k, mu in enumerate([40, 33, 31, 22, 20, 12])})
    met = [("p1", "p2"), ("p2", "p1"), ("p3", "p4")]
    first, second = rounds(ladder, list(ladder), count=2, met=met, never=[("p0", "p5")])
    assert first.pairs == pw.pair(ladder, list(ladder), met=met, never=[("p0", "p5")]).pairs
    gone = {frozenset(pair) for pair in first.pairs} | {frozenset(("p0", "p5"))}
    costs = Counter(frozenset(pair) for pair in met)

    def worth(pairing):
        return sum(ladder.quality([[a], [b]]) - 0.25 * costs[frozenset((a, b))] for a, b in pairing)

    allowed = [one for one in perfect(list(ladder)) if not gone & {frozenset(pair) for pair in one}]
    assert worth(second.pairs) == pytest.approx(max(map(worth, allowed)))


def perfect(names):
    """Return all ways to pair everybody."""
    if not names:
        return [[]]
    return [[(names[0], other), *rest] for other in names[1:] for rest in perfect([n for n in names[1:] if n != other])]


def test_every_group_meets_every_other_group_in_three_rounds():
    queue = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    found = rounds(pw.TrueSkill(), queue, count=3)
    assert {frozenset(pair) for one in found for pair in one.pairs} == {frozenset(p) for p in combinations(queue, 2)}
