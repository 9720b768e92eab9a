"""Leagues of every kind that pages must be able to show."""

from prowess.model.presets import PRESETS

ODD = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "{{ 7 * 7 }}",
    "javascript:alert(4)",
    "datum.x';alert(1)//",
    "\u202egnp.exe",
    "../../..json",
    "a/b?c=d&e#f 50% + g",
    "=cmd()",
    "None",
    "true",
    "007",
    "7",
    "W" * 200,
)
DAYS = [f"2026-{1 + at // 25:02d}-{1 + at % 25:02d}" for at in range(60)]


def _duels(count=8, players=4, **more):
    """Return matches of two players; every match also has the values in `more`."""
    return [
        {"id": f"m{at}", "teams": [[f"p{at % players}"], [f"p{(at * 3 + 1 + (at * 3 + 1 == at)) % players}x"]]} | more
        for at in range(count)
    ]


def _timed(matches, times=DAYS):
    return [match | {"time": time} for match, time in zip(matches, times, strict=False)]


def _scored(matches, scores):
    return [match | {"scores": scores[at % len(scores)]} for at, match in enumerate(matches)]


def _odd():
    return [{"id": f"<{at}>&'\"/ é", "teams": [[ODD[at]], [ODD[at - 1]]]} for at in range(len(ODD))]


def _crowd(teams, size):
    names = [[f"q{at}-{member}" for member in range(size)] for at in range(teams)]
    return [{"id": "m0", "teams": names, "ranks": [1 + at // 2 for at in range(teams)]}]


GOALS = [[2.0, 1.0], [0.0, 0.0], [1.0, 3.0]]
HUGE = [[1e15, -1e15], [0.5, 0.25], [-3.0, -2.75], [1e-9, 0.0]]
WEIGHTED = {"teams": [["ann", "bob"], ["cat", "dan"]], "weights": [[1, 0.25], [0.5, 1]], "home": 1, "importance": 2}

KINDS = {  # settings and matches of a league, by kind
    "empty": ({}, []),
    "empty-without-times": ({"clock": "none", "model": "Elo"}, []),
    "empty-numeric-times": ({"clock": "number", "model": "PoissonOD"}, []),
    "one-match": ({}, [{"id": "m0", "teams": [["ann"], ["bob"]], "time": "2026-01-31"}]),
    "without-times": ({"clock": "none"}, _duels()),
    "numeric-times": ({"clock": "number"}, _timed(_duels(), [-1e9, 0.0, 0.5, 1.0, 1.0, 2.0, 1e12, 1e15])),
    "ends-of-time": (
        {"settings": {"allow_future": True}},
        _timed(_duels(2), ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]),
    ),
    "60-matches": ({}, _timed(_duels(60, 30))),
    "2000-teams": ({}, _timed(_crowd(2_000, 1))),
    "100-players-per-team": ({}, _timed(_crowd(2, 100))),
    "importance-0": ({}, _timed(_duels(1, importance=0))),
    "only-draws": ({}, _timed(_duels(ranks=[1, 1]))),
    "huge-scores": ({"model": "Elo"}, _timed(_scored(_duels(), HUGE))),
    "huge-scores-gaussian": ({"model": "GaussianOD"}, _timed(_scored(_duels(), HUGE))),
    "unusual-names": ({"title": ODD[0]}, _timed(_odd())),
    "weighted": ({}, [WEIGHTED | {"id": "m0", "time": "2026-01-01T10:11:12.131415Z"}]),
    "three-teams-poisson": ({"model": "PoissonOD"}, _timed(_scored(_crowd(3, 1), [[2, 1, 0]]))),
    "deleted-matches": ({}, _timed(_duels(2))),
    "changed-model-and-season": ({}, _timed(_duels())),
} | {
    f"model-{name.lower()}": (
        {"model": name},
        [{key: value for key, value in one.items() if key != "ranks"} for one in _timed(_scored(_duels(), GOALS))],
    )
    for name in PRESETS
}


def ensure_league(ask, kind):
    """Create a league named after its kind, unless it exists, and return its matches."""
    said, matches = KINDS[kind]
    if ask("GET", f"/api/leagues/{kind}").status_code == 200:
        return matches
    model = {"model": {"name": said["model"]}} if "model" in said else {}
    ask.create_league(kind, **said | model)
    league = f"/api/leagues/{kind}"
    if matches:
        sent = [{key: value for key, value in one.items() if key != "ranks" or "scores" not in one} for one in matches]
        ask.post(f"{league}/matches", sent, status=201)
    if kind == "deleted-matches":
        for match in matches:
            ask("DELETE", f"{league}/matches/{match['id']}?reason=<b>", status=200)
    if kind == "changed-model-and-season":
        ask.post(f"{league}/seasons", {"name": "<i>'\"&", "start": "2026-01-04", "carry": 0.5}, status=201)
        ask("PUT", f"{league}/model", json={"name": "Elo", "parameters": {"k": 10}}, status=200)
        ask("PUT", f"{league}/matches/m1", json=matches[1] | {"id": None, "ranks": [2, 1]}, status=200)
    return matches
