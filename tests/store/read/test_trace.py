"""Views of a trace find the same entries as a plain search, even after the trace was extended or rewound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.store.read import trace
from prowess.store.read.trace import AppendColumn, LeagueTrace, PlayerIndex, TraceView

NAMES = [f"player {number}" for number in range(7)]
MATCH = (
    st.permutations(NAMES)
    .flatmap(
        lambda names: st.lists(st.integers(1, 3), min_size=2, max_size=3).map(
            lambda sizes: {"teams": [names[sum(sizes[:k]) : sum(sizes[: k + 1])] for k in range(len(sizes))]}
        )
    )
    .filter(lambda match: all(match["teams"]))
)
STEPS = st.lists(st.one_of(st.lists(MATCH, max_size=6), st.integers(0, 12)), max_size=8)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that short histories are treated like long ones."""
    monkeypatch.setattr(trace, "STEP", 2)
    monkeypatch.setattr(trace, "TAIL", 5)
    monkeypatch.setattr(trace, "TAIL_SHARE", 2)


def check(view: TraceView) -> None:
    """Check that a view finds the same entries for all players as a plain search of its history."""
    history = view.trace.history
    teams = [(match, team) for match, row in enumerate(history) for team in row["teams"]]
    places = [(at, match, name) for at, (match, team) in enumerate(teams) for name in team]
    for name in [*NAMES, "nobody"]:
        entry = view.entries(name)
        assert entry.dtype == np.intp
        assert entry.tolist() == [at for at, (*_, other) in enumerate(places) if other == name]
        own, match = view.places(entry)
        assert list(zip(own.tolist(), match.tolist(), strict=True)) == [places[at][:2] for at in entry.tolist()]


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_player_index_of_every_view_finds_the_same_entries_as_a_plain_search(steps: list) -> None:
    now, views = LeagueTrace(pw.Elo(), None), []
    for step in steps:
        if isinstance(step, int):
            now = now.rewound(min(step, len(now)))
        else:
            now.extend(pw.History.from_matches(step), np.arange(len(step)) + len(now) + 1)
        views.append(now.view)
    for view in views:  # also older views, which do not see later matches
        check(view)


def test_player_index_handles_more_than_65536_players() -> None:
    player = np.random.default_rng(7).integers(0, 200_000, 300_000).astype(np.int32)
    player[::1_000] = 65_536 + 5
    one = PlayerIndex().extended(player[:299_990])
    assert len(one.entry) == 299_990
    for number in (5, 65_536 + 5, 2 * 65_536 + 5, *player[-20:].tolist(), 200_000, -1):
        assert one.entries(player, number).tolist() == np.flatnonzero(player == number).tolist()


def test_appending_to_a_column_does_not_change_its_earlier_views() -> None:
    column = AppendColumn(np.arange(3))
    views = [column.view]
    for k in range(3, 2000):
        column.append(np.array([k]))
        views.append(column.view)
    assert all(view.tolist() == list(range(len(view))) for view in views[::97])
    with pytest.raises(ValueError, match="read-only"):
        views[0][0] = 9
