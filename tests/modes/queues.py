"""Cases for matchmaking, and for the parser of the journal."""

import json

import numpy as np

from tests.matchmaking.blossom.test_solve import SPECIAL, chain, random_graphs, solve
from tests.modes.comparing import part

SCANNED = [
    {"teams": [["ann", "bob"], ["cat"]], "scores": [3, 1.5]},
    {"teams": [["Zoë", "ann"], ['a "b" \\ c', "日本"]], "ranks": [1, 1], "weights": [[1, 0.25], [0.5, 1e-3]]},
    {"teams": [["ann"], ["dan"], ["eve"]], "scores": [-12.5, 1e30, 123456789012345678.5], "importance": 0.1, "home": 2},
]
OTHER = [  # texts in another form than the canonical one, most of which only the general parser reads
    '{"teams": [["ann"],["bob"]]}',
    '{"teams":[["ann"],["bob"]],"home":2}',
    '{"teams":[["ann"],["bob"]],"home":0.5}',
    '{"teams":[["ann"],["bob"]],"home":-0}',
    '{"teams":[["ann"],["bob"]],"scores":[1]}',
    '{"teams":[["ann"],["bob"]],"scores":[1,-]}',
    '{"teams":[["ann"],["bob"]],"scores":[1,.5]}',
    '{"teams":[["ann"],["bob"]],"scores":[1,1e5e]}',
    '{"teams":[["ann"],["bob"]],"ranks":[1,2,3]}',
    '{"teams":[["ann"],["bob"]],"weights":[[1],[1,2]]}',
    '{"teams":[["ann"],["bob"]],"weights":[[1]]}',
    '{"teams":[["ann"],["bob"]],"importance":x}',
    '{"teams":[["ann"],["\\ud800"]]}',
    '{"teams":[["ann"],["b\\qob"]]}',
    '{"teams":[["ann"],[]]}',
    '{"teams":[["ann"',
    '{"teams":[["ann',
    "",
    "{}",
]


def scanner(package):
    module = part(package, "store.journal.scanner")
    dump = json.JSONEncoder(separators=(",", ":")).encode
    texts = [dump(match) for match in SCANNED]
    yield module.scan(texts)._asdict()
    names = [dump({"teams": [[f"player {n * n % 999}"], [f"p{n}", "Zoë"]], "scores": [n, -n]}) for n in range(500)]
    yield module.scan(names)._asdict()
    for text in OTHER:
        found = module.scan([texts[0], text])
        yield None if found is None else found._asdict()
    raw = "".join(texts).encode()
    where = [4, 12, 4, 30], [9, 15, 9, 33]
    yield module._numbered_by_text(raw, *where)


def blossoms(package):
    match = part(package, "matchmaking.blossom.solve").match
    for count, weights in SPECIAL.values():
        yield solve(count, weights, match=match)
    for count, weights, guess in random_graphs(40):
        yield solve(count, weights, guess, match)
    rng = np.random.default_rng(1)
    for _ in range(8):
        count, weights = chain(int(rng.integers(8, 40)))
        first = solve(count, weights, match=match)
        changed = {pair: weight + int(rng.integers(-30, 30)) for pair, weight in weights.items()}
        yield first, solve(count, changed, first[1] + first[2] // 2, match)


def pairs(package):
    model = package.TrueSkill()
    rng = np.random.default_rng(3)
    for count, least in ((81, 0.0), (80, 0.8), (12, 0.3)):
        skills = zip(rng.normal(25, 8, count), rng.uniform(1, 8, count), strict=True)
        queue = {f"p{number}": package.Rating(mu, sigma) for number, (mu, sigma) in enumerate(skills)}
        waiting = dict(zip(queue, rng.exponential(20, count), strict=True))
        met = {(f"p{i}", f"p{j}"): 1 for i, j in rng.integers(0, count, (200, 2)) if i < j}
        never = [(f"p{i}", f"p{j}") for i, j in rng.integers(0, count, (20, 2)) if i != j]
        found = package.pair(model, queue, waiting=waiting, least=least, met=met, never=never)
        yield found.places, found.quality
        found = package.pair(model, [[one] for one in queue.values()], least=least)
        yield found.places, found.quality


def choices(package):
    """Return the most informative matches, and the fairest teams."""
    rows = [{"teams": [[f"p{k}"], [f"p{3 * k % 7}"]], "scores": [k, 2]} for k in (1, 2, 4, 5)]
    ladder = package.TrueSkill().fit(package.History.from_matches(rows)).ladder
    yield [match.to_dict() for match in package.next_matches(ladder, count=3).matches]
    yield [match.to_dict() for match in package.next_matches(ladder, count=3, teams=3, each=None).matches]
    yield package.balance(ladder, list(ladder)).to_dict()
