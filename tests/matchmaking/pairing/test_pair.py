"""Pairings of a queue are compared with all pairings by brute force, and with networkx on all pairs."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.model.presets import PRESETS
from tests.oracles.matchings import fullest
from tests.pure import load

MODEL = pw.TrueSkill()


def league(model, count, seed=0, spread=1.0):
    """Return a ladder of players with different ratings."""
    rng = np.random.default_rng(seed)
    newcomer = model.rating()
    width = spread * (newcomer.sigma or 200.0)
    ratings = {}
    for number in range(count):
        shift = rng.normal(0, width)
        parts = {}
        if len(model.outcome.traits) > 1:
            parts = {t: pw.Rating(p.mu + shift / 2, p.sigma * rng.uniform(0.1, 1)) for t, p in newcomer.parts.items()}
            ratings[f"p{number}"] = model.rating(**parts)
        else:
            sigma = None if newcomer.sigma is None else newcomer.sigma * rng.uniform(0.1, 1)
            ratings[f"p{number}"] = model.rating(newcomer.mu + shift, sigma)
    return pw.Ladder(model, ratings)


def worths(ladder, queue, waiting=None, patience=60.0, met=None, repeat=0.25, never=(), least=0.0):
    """Return the value of every allowed pair of a queue, computed with the public match quality."""
    found = {}
    wait = {name: (waiting or {}).get(name, 0) / patience for name in queue}
    for (i, one), (j, two) in combinations(enumerate(queue), 2):
        quality = ladder.quality([[one], [two]])
        if {one, two} in [set(pair) for pair in never]:
            continue
        if least:
            evenness = quality / ladder.model.quality([[pw.Rating(25, ladder[name].sigma)] for name in (one, two)])
            if evenness < least * 2.0 ** -min(wait[one], wait[two]):
                continue
        times = (met or {}).get((one, two), 0) + (met or {}).get((two, one), 0)
        found[i, j] = quality + wait[one] + wait[two] - repeat * times
    return found


def value(pairing, queue, worth):
    """Check that pairs are allowed and players are listed once, and return the number of pairs and their value."""
    everybody = [name for pair in pairing.pairs for name in pair] + pairing.left
    assert sorted(everybody) == sorted(queue)
    place = {name: k for k, name in enumerate(queue)}
    assert [[place[one], place[two]] for one, two in pairing.pairs] == pairing.places.tolist()
    return len(pairing), sum(worth[tuple(sorted((place[one], place[two])))] for one, two in pairing.pairs)


@pytest.mark.parametrize("preset", PRESETS)
def test_pairing_of_few_players_is_optimal(preset):
    model = PRESETS[preset]()
    for count in range(9):
        ladder = league(model, count, seed=count)
        queue = list(ladder)
        found = pw.pair(ladder, queue)
        assert value(found, queue, worths(ladder, queue)) == pytest.approx(fullest(count, worths(ladder, queue)))
        assert found.quality == pytest.approx([ladder.quality([[one], [two]]) for one, two in found.pairs])


@st.composite
def asked(draw):
    count = draw(st.integers(0, 7))
    names = [f"p{number}" for number in range(count)]
    pairs = list(combinations(names, 2))
    options = {
        "waiting": draw(st.dictionaries(st.sampled_from(names), st.integers(0, 300))) if names else {},
        "patience": draw(st.sampled_from([1.0, 60.0, 1e4])),
        "met": draw(st.dictionaries(st.sampled_from(pairs), st.integers(0, 4))) if pairs else {},
        "repeat": draw(st.sampled_from([0.0, 0.25, 2.0])),
        "never": draw(st.lists(st.sampled_from(pairs), max_size=6)) if pairs else [],
        "least": draw(st.sampled_from([0.0, 0.3, 0.6, 1.1])),
    }
    return count, draw(st.integers(0, 99)), options


@given(asked())
def test_pairing_of_few_players_is_optimal_with_all_options(case):
    count, seed, options = case
    ladder = league(MODEL, count, seed, spread=0.5)
    queue = list(ladder)
    worth = worths(ladder, queue, **options)
    found = pw.pair(ladder, queue, **options)
    assert value(found, queue, worth) == pytest.approx(fullest(count, worth), abs=1e-6)


@pytest.mark.parametrize("count", [60, 61])
@pytest.mark.parametrize("least", [0.0, 0.7])
def test_pairing_of_many_players_is_optimal(count, least):
    """The solver uses few pairs and proves that the result is optimal among all pairs; networkx uses all pairs."""
    rng = np.random.default_rng(count)
    ladder = league(MODEL, count, seed=count)
    queue = list(ladder)
    waiting = dict(zip(queue, rng.exponential(40, count), strict=True))
    met = {(queue[i], queue[j]): 1 for i, j in rng.integers(0, count, (600, 2)) if i < j}
    worth = worths(ladder, queue, waiting=waiting, met=met, least=least)
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from((i, j, w) for (i, j), w in worth.items())
    best = nx.max_weight_matching(graph, maxcardinality=True)
    found = pw.pair(ladder, queue, waiting=waiting, met=met, least=least)
    assert value(found, queue, worth) == pytest.approx((len(best), sum(graph[i][j]["weight"] for i, j in best)))


def test_compiled_and_uncompiled_code_give_the_same_pairs():
    pairs = []
    for package in (pw, load()):
        model = package.TrueSkill()
        rng = np.random.default_rng(3)
        queue = [
            package.Rating(mu, sigma) for mu, sigma in zip(rng.normal(25, 8, 81), rng.uniform(1, 8, 81), strict=True)
        ]
        waiting = rng.exponential(20, 81)
        found = [package.pair(model, queue, waiting=waiting, least=least) for least in (0.0, 0.8)]
        pairs.append([(one.places.tolist(), one.quality.tolist()) for one in found])
    assert pairs[0] == pairs[1]


def equals(*names, sigma=1.0):
    return pw.Ladder(MODEL, {name: pw.Rating(25, sigma) for name in names})


def test_player_with_the_shortest_wait_stays_unpaired():
    ladder = equals("ann", "bob", "cat", "dan", "eve")
    waiting = {"ann": 40, "bob": 10, "cat": 30, "dan": 20, "eve": 50}
    assert pw.pair(ladder, list(waiting), waiting=waiting).left == ["bob"]
    assert pw.pair(ladder, list(waiting), waiting=[5, 5, 4, 5, 5]).left == ["cat"]


def test_acceptable_match_quality_falls_with_the_waiting_time():
    ladder = pw.Ladder(MODEL, {"ann": pw.Rating(30, 1), "bob": pw.Rating(20, 1)})
    evenness = ladder.quality([["ann"], ["bob"]]) / equals("ann", "bob").quality([["ann"], ["bob"]])
    assert 0.2 < evenness < 0.3
    assert pw.pair(ladder, ["ann", "bob"], least=0.8).left == ["ann", "bob"]
    assert pw.pair(ladder, ["ann", "bob"], least=0.8, waiting=[120, 60]).left == ["ann", "bob"]
    assert pw.pair(ladder, ["ann", "bob"], least=0.8, waiting=[120, 120]).pairs == [("ann", "bob")]
    assert pw.pair(ladder, ["ann", "bob"], least=0.8, waiting={"ann": 2, "bob": 2}, patience=1).left == []


@pytest.mark.parametrize("make", [pw.TrueSkill, pw.Glicko, pw.GaussianOD])
def test_newcomers_are_as_even_as_can_be(make):
    """No match of newcomers has a quality above 0.447 by TrueSkill, because nothing is known about them."""
    assert pw.pair(make(), ["ann", "bob"], least=1.0).pairs == [("ann", "bob")]
    assert pw.pair(make(), [["ann", "bob"], ["cat", "dan"]], least=1.0).left == []
    assert pw.pair(make(), ["ann", "bob"], least=1.01).left == ["ann", "bob"]


def test_six_players_meet_all_others_in_five_rounds():
    """Each round gets the meetings of earlier rounds, so the six equal players never meet twice."""
    ladder, met = equals(*"abcdef"), []
    for _ in range(5):
        met += pw.pair(ladder, list("abcdef"), met=met).pairs
    assert len({frozenset(pair) for pair in met}) == 15


def test_pair_prefers_a_rematch_to_an_unfair_match():
    ladder = pw.Ladder(MODEL, {name: pw.Rating(mu, 1) for name, mu in zip("abcd", (40, 39, 11, 10), strict=True)})
    once = [("b", "a"), ("c", "d")]
    assert pw.pair(ladder, list("abcd"), met=once).pairs == [("a", "b"), ("c", "d")]
    assert pw.pair(ladder, list("abcd"), met=once, repeat=2.0).pairs != [("a", "b"), ("c", "d")]
    assert pw.pair(ladder, list("abc"), never=[("a", "b"), ("b", "c"), ("a", "c")]).pairs == []


def test_past_meetings_are_counted_from_a_history():
    matches = [
        {"teams": [["ann"], ["bob"]]},
        {"teams": [["cat"], ["dan"]]},
        {"teams": [["ann", "dan"], ["eve", "zoe"], ["zed"]]},
    ]
    history = pw.History.from_matches(matches)
    ladder = equals("ann", "bob", "cat", "dan")
    assert pw.pair(ladder, ["ann", "bob", "cat", "dan"], met=history[:2]).pairs in (
        [("ann", "cat"), ("bob", "dan")],
        [("ann", "dan"), ("bob", "cat")],
    )
    fit = MODEL.fit(history)
    allowed = pw.pair(fit, ["ann", "dan", "eve", "zed"], never=history)  # partners have not met as opponents
    assert allowed.pairs == [("ann", "dan")]
    assert sorted(allowed.left) == ["eve", "zed"]


def test_groups_are_paired_with_groups_of_their_size():
    ladder = equals(*"abcdefgh")
    queue = ["a", ["b", "c"], ["d"], ("e", "f"), ["g", "h"]]
    found = pw.pair(ladder, queue, met=[("b", "e"), ("b", "f")])
    assert {frozenset(pair) for pair in found.pairs} <= {
        frozenset(pair) for pair in [("a", ("d",)), (("b", "c"), ("g", "h")), (("e", "f"), ("g", "h"))]
    }
    assert len(found) == 2
    assert found.quality == pytest.approx([ladder.quality([_team(one), _team(two)]) for one, two in found.pairs])
    assert found.to_frame().columns == ["first", "second", "quality"]
    assert "g, h" in found.to_frame()["second"].to_list()
    assert pw.pair(ladder, ["a", ["b", "c"]]).left == ["a", ("b", "c")]
    mixed = pw.pair(ladder, ["a", ["b", "c"]], uneven=True)
    assert mixed.pairs == [("a", ("b", "c"))]
    assert mixed.quality == pytest.approx([ladder.quality([["a"], ["b", "c"]])])


def _team(item):
    return list(item) if isinstance(item, tuple) else [item]


def test_meetings_of_groups_are_counted_by_their_players():
    ladder = equals(*"abcdefgh")
    queue = [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]]
    met = {("a", "c"): 1, ("b", "d"): 1, ("a", "e"): 2, ("b", "g"): 3}  # the first two groups have met once, not twice
    assert pw.pair(ladder, queue, met=met).pairs[0] == (("a", "b"), ("c", "d"))


def test_queue_may_contain_newcomers_and_ratings():
    ladder = pw.Ladder(MODEL, {"ann": pw.Rating(40, 1)})
    found = pw.pair(ladder, ["ann", "new", 7, pw.Rating(39, 1)])
    assert found.newcomers == ("new", "7")
    assert found.pairs == [("ann", pw.Rating(39, 1)), ("new", "7")]
    assert found.quality[1] == pytest.approx(MODEL.quality([[MODEL.rating()], [MODEL.rating()]]))
    assert found.to_frame()["second"].to_list() == ["#4", "7"]
    assert found.total == pytest.approx(found.quality.sum())


def test_ratings_in_a_queue_override_those_of_the_ladder():
    ratings = {"ann": pw.Rating(10, 1), "bob": pw.Rating(40, 1), "cat": pw.Rating(11, 1), "dan": pw.Rating(39, 1)}
    for source in (MODEL, equals("ann", "bob")):
        found = pw.pair(source, ratings)
        assert found.pairs == [("bob", "dan"), ("ann", "cat")]
        assert found.newcomers == ()


def test_nearest_players_are_paired_if_no_match_is_fair():
    ladder = pw.Ladder(MODEL, {f"p{k}": pw.Rating(1000.0 * k, 1) for k in (3, 0, 5, 1, 4, 2)})
    assert pw.pair(ladder, list(ladder)).pairs == [("p5", "p4"), ("p3", "p2"), ("p0", "p1")]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(-1e30, 1e30), st.floats(0, 1e30)), max_size=12))
def test_players_with_any_ratings_can_be_paired(numbers):
    found = pw.pair(MODEL, [pw.Rating(*both) for both in numbers])
    assert len(found) == len(numbers) // 2
    assert len(found.left) == len(numbers) % 2
    assert ((found.quality >= 0) & (found.quality <= 1)).all()


def test_everybody_is_paired_in_spite_of_extreme_waiting_times_and_rematch_penalties():
    ladder = equals(*"abcd")
    found = pw.pair(
        ladder, list("abcd"), waiting=[1e30, 0, 1e-30, 5], patience=1e-20, met={("a", "b"): 1e30}, repeat=1e9
    )
    assert len(found) == 2
    assert ("a", "b") not in found.pairs


@pytest.mark.parametrize(
    ("queue", "options", "message"),
    [
        (["ann", "bob", "ann"], {}, "ann is listed twice in the queue, at places 1 and 3"),
        (["ann", ["bob", " ann"]], {}, "ann is listed twice in the queue, at places 1 and 2"),
        ("ann", {}, "a queue must be a list"),
        ({"ann": 1}, {}, "ann must have a Rating, not 1"),
        (["ann", []], {}, "place 2 of the queue is an empty group"),
        (["ann", 2.5], {}, "a player's name must be text"),
        (["ann", "bob"], {"waiting": [1]}, "a number for each of the 2 items"),
        (["ann", "bob"], {"waiting": {"ann": -1}}, "waiting\\['ann'\\] must be a finite number"),
        (["ann", "bob"], {"patience": 0}, "patience must be a finite number above 0"),
        (["ann", "bob"], {"least": "high"}, "least must be a finite number"),
        (["ann", "bob"], {"repeat": -1}, "repeat must be a finite number"),
        (["ann", "bob"], {"met": ["ab"]}, "met must hold pairs of names, such as \\('ann', 'bob'\\), not 'ab'"),
        (["ann", "bob"], {"never": "ann"}, "never must hold pairs of names"),
        (["ann", pw.Rating(1500)], {}, "the rating has no sigma"),
    ],
)
def test_invalid_queues_are_rejected(queue, options, message):
    with pytest.raises(pw.Error, match=message):
        pw.pair(equals("ann", "bob"), queue, **options)


def test_pair_rejects_an_invalid_source_of_ratings():
    with pytest.raises(pw.Error, match="a Ladder, a Fit or a Model"):
        pw.pair(pw.TrueSkill, ["ann"])
    with pytest.raises(pw.Error, match="needs performance noise"):
        pw.pair(MODEL.replace(beta=0), ["ann", "bob"])


def test_queue_of_fewer_than_two_players_has_no_pairs():
    assert repr(pw.pair(MODEL, [])) == "Pairing(0 pairs, 0 left over)"
    assert pw.pair(MODEL, []).to_frame().columns == ["first", "second", "quality"]
    assert pw.pair(MODEL, ["ann"]).left == ["ann"]
