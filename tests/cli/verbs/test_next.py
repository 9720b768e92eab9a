import json

import prowess as pw
from tests.cli.running import LEAGUE, TEXTBOOK, run

FIT = pw.TrueSkill().fit(pw.History.read(LEAGUE))


def test_next_prints_the_same_matches_as_the_library() -> None:
    found = json.loads(run("next", LEAGUE, *TEXTBOOK, "--count", 4, "--json").stdout)
    expected = pw.next_matches(FIT.ladder, count=4)
    assert [match["teams"] for match in found] == [[list(team) for team in match.teams] for match in expected]
    assert [match["information"] for match in found] == [match.information for match in expected]
    plain = run("next", LEAGUE, *TEXTBOOK, "--count", 4).stdout.splitlines()
    assert len(plain) == 5
    assert plain[1].startswith("  –  ".join(team[0] for team in expected[0].teams))
    three = json.loads(run("next", LEAGUE, *TEXTBOOK, "Ada", "Chidi", "João", "--each", 0, "--json").stdout)
    assert len(three) == 3


def test_active_option_selects_players_who_played_recently() -> None:
    board = FIT.leaderboard()
    last = board["last_seen"].max()
    recent = {row["player"] for row in board.iter_rows(named=True) if (last - row["last_seen"]).days <= 7}
    assert 1 < len(recent) < len(board)
    found = json.loads(run("next", LEAGUE, *TEXTBOOK, "--active", "1w", "--each", 0, "--count", 1000, "--json").stdout)
    assert {name for match in found for team in match["teams"] for name in team} == recent
    assert run("next", LEAGUE, *TEXTBOOK, "--active", "soon").exit_code == 2
