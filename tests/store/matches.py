"""Hypothesis strategies for matches of few players at few times, so that many matches share players or times."""

from typing import Any

from hypothesis import strategies as st

from prowess.store.leagues import STARTING, Preset

PLAYERS = ["ann", "bob", "cat", "Øyvind", "李雷", "d'Arc; --"]
HOUR = 3_600_000_000
FIRST = -20  # the earliest time, in units of the clock; negative, because times before 1970 must work

# Models with different kinds of state: only a mean, volatility, two traits, open rating periods, a learnt home
# advantage, a learnt share of draws, a learnt level of newcomers, drift by time, facets, and statistics. The composed
# model has components that no preset has.
MODELS = {
    "TrueSkill": Preset("TrueSkill", {}),
    "starting model": STARTING,
    "Elo": Preset("Elo", {"k": 24.0}),
    "Glicko with periods": Preset("Glicko", {"period": 7}),
    "Glicko2 with periods": Preset("Glicko2", {"period": 2}),
    "Glicko2 without periods": Preset("Glicko2", {}),
    "learnt home advantage": Preset("TrueSkill", {"home_mu": 1.0, "home_sigma": 2.0}),
    "learnt draws": Preset("TrueSkill", {"draw_probability": "learnt", "draw_memory": 30}),
    "TS2": Preset("TS2", {}),
    "PoissonOD": Preset("PoissonOD", {}),
    "GaussianSD": Preset("GaussianSD", {}),
    "composed model": Preset(
        "TrueSkill",
        {
            "prior": {"is": "Newcomers", "first": {"is": "Normal", "mu": 25.0, "sigma": 8.0}, "level_sigma": 2.0},
            "drift": {"is": "Seasons", "within": {"is": "PerTime", "tau": 0.3}, "gap": 0.5, "carry": 0.8},
            "home_sigma": 2.0,
            "home_tau": 0.1,
        },
    ),
    "deviations": Preset(
        "TrueSkill",
        {
            "drift": {"is": "PerTime", "tau": 0.1},
            "facets": [{"is": "By", "column": "surface", "tau": 0.2}, {"is": "By", "column": "rest", "numeric": True}],
        },
    ),
    "shared effects": Preset(
        "TrueSkill",
        {
            "facets": [
                {"is": "Shared", "column": "side", "sigma": 2.0, "tau": 0.1},
                {"is": "By", "column": "surface", "sigma": 3.0},
                {"is": "Experience", "scales": [3.0, 10.0]},
            ],
        },
    ),
    "effects on offence and defence": Preset(
        "PoissonOD",
        {
            "facets": [
                {"is": "By", "column": "side", "traits": ["offence"]},
                {"is": "Shared", "column": "surface"},
                {"is": "Covariate", "column": "rest"},
            ]
        },
    ),
    "statistics on their own scale": Preset(
        "TrueSkill",
        {
            "statistics": [
                {"is": "Points", "column": "kills", "per": None, "eta": 0.5},
                {"is": "Quit", "column": "left"},
            ],
        },
    ),
    "scaled statistics": Preset(
        "TrueSkill",
        {
            "facets": [
                {"is": "By", "column": "surface", "sigma": 3.0},
                {"is": "Shared", "column": "side", "sigma": 1.0},
            ],
            "statistics": [
                {"is": "Points", "column": "kills", "per": []},
                {"is": "Counts", "column": "rest", "per": ["surface"]},
            ],
        },
    ),
}


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a match without id and time. Most matches have two teams with scores, which every model can rate."""
    several = draw(st.sampled_from([2, 2, 2, 2, 2, 2, 3]))
    players = draw(st.permutations(PLAYERS))
    sizes = [draw(st.sampled_from([1, 1, 1, 2])) for _ in range(several)]
    ends = [sum(sizes[: k + 1]) for k in range(several)]
    teams = [list(players[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
    body: dict[str, Any] = {"teams": teams}
    if draw(st.sampled_from([True, True, True, True, True, False])):
        body["scores"] = [float(draw(st.integers(0, 3))) for _ in teams]
    else:
        body["ranks"] = [draw(st.integers(1, 3)) for _ in teams]
    if draw(st.sampled_from([False, False, False, True])):
        body["home"] = draw(st.integers(0, several - 1))
    if draw(st.sampled_from([False, False, False, False, True])):
        body["importance"] = draw(st.sampled_from([0.0, 0.5, 2.0]))
    if draw(st.sampled_from([False, False, False, False, True])):
        body["weights"] = [[draw(st.sampled_from([0.25, 1.0])) for _ in team] for team in teams]
    context = {} if draw(st.booleans()) else draw(contexts([len(team) for team in teams]))
    return body | ({"context": context} if context else {})


SURFACES = ["clay", "grass", "bob", 'a "b"; Ø']  # "bob" is also the name of a player


@st.composite
def contexts(draw: st.DrawFn, sizes: list[int]) -> dict[str, Any]:
    """Draw a context with a value for the match, values for its teams, and values for its players.

    Equal values are written as one value, because the store returns them in this shortest form; statistics have a value
    for each player.
    """
    context: dict[str, Any] = {}
    if draw(st.booleans()):
        context["surface"] = draw(st.sampled_from(SURFACES))
    if draw(st.booleans()):
        context["side"] = _shortest([draw(st.sampled_from([None, "left", "right"])) for _ in sizes])
    if draw(st.sampled_from([False, False, True])):
        rest = [[draw(st.sampled_from([None, 0.0, 1.5, 3.0])) for _ in range(size)] for size in sizes]
        context["rest"] = _shortest([_shortest(days) for days in rest]) if draw(st.booleans()) else rest[0][0]
        if isinstance(context["rest"], list) and any(isinstance(days, list) for days in context["rest"]):
            context["rest"] = rest
    if draw(st.booleans()):
        context["kills"] = [[draw(st.sampled_from([None, 0.0, 4.0, 9.5, -2.0])) for _ in range(size)] for size in sizes]
    if draw(st.sampled_from([False, False, True])):
        context["left"] = [[draw(st.sampled_from([0.0, 1.0])) for _ in range(size)] for size in sizes]
    return {name: value for name, value in context.items() if not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return all(map(_is_empty, value)) if isinstance(value, list) else value is None


def _shortest(values: list[Any]) -> Any:
    """Return the first value if all values are equal, otherwise the list."""
    return values[0] if all(value == values[0] for value in values) and not isinstance(values[0], list) else values
