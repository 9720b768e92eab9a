"""Counts of opponents and partners agree with a plain loop over the matches."""

from collections import Counter, defaultdict
from itertools import pairwise, permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess import History
from prowess.history.head_to_head import Encounters, encounters, results, rivals
from prowess.history.ragged import holders

NAMES = tuple("abcdefg")


@st.composite
def matches(draw: st.DrawFn, most: int) -> dict:
    names = draw(st.permutations(NAMES))
    sizes = draw(st.lists(st.integers(1, 7 // most), min_size=2, max_size=most))
    ends = np.cumsum([0, *sizes]).tolist()
    teams = [names[begin:end] for begin, end in pairwise(ends)]
    return {"teams": teams, "ranks": draw(st.lists(st.integers(1, 3), min_size=len(teams), max_size=len(teams)))}


LEAGUES = st.one_of(st.lists(matches(2), min_size=1, max_size=12), st.lists(matches(4), min_size=1, max_size=12))


def counted(found: Encounters, history: History) -> dict[str, Counter]:
    """Return wins, draws and losses by name, most frequent name first; they must add up to the number of matches."""
    rows = [*zip(*(column.tolist() for column in found), strict=True)]
    assert [(-row[1], row[0]) for row in rows] == sorted((-row[1], row[0]) for row in rows)
    assert all(row[1] == sum(row[2:]) > 0 for row in rows)
    return {history.players[row[0]]: +Counter(dict(zip((1, 0, -1), row[2:], strict=True))) for row in rows}


@given(LEAGUES)
@settings(max_examples=100, deadline=None)
def test_meetings_results_and_rivals_agree_with_a_plain_loop_over_all_matches(league: list[dict]) -> None:
    history = History.from_matches(league)
    against: dict = defaultdict(lambda: defaultdict(Counter))
    beside: dict = defaultdict(lambda: defaultdict(Counter))
    ended = defaultdict(list)
    for match in league:
        ranked = [*zip(match["ranks"], match["teams"], strict=True)]
        best = min(match["ranks"])
        for rank, team in ranked:
            end = -1 if rank > best else 0 if match["ranks"].count(best) > 1 else 1
            for name in team:
                ended[name].append(end)
            for one, other in permutations(team, 2):
                beside[one][other][end] += 1
        for (rank, team), (other_rank, others) in permutations(ranked, 2):
            for one in team:
                for other in others:
                    against[one][other][int(np.sign(other_rank - rank))] += 1
    places = {}
    for number, name in enumerate(history.players):
        entry = np.flatnonzero(history.player == number)
        team = holders(history.team_start, entry)
        places[name] = team, holders(history.match_start, team)
        opponents, partners = encounters(history, entry)
        assert counted(opponents, history) == against[name]
        assert counted(partners, history) == beside[name]
        assert results(history, places[name]).tolist() == ended[name]
    for one, other in permutations(history.players, 2):
        met = against[one][other]
        assert rivals(history, places[one], places[other]) == [met.total(), met[1], met[0], met[-1]]
