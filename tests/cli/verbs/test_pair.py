import json
from pathlib import Path

import pytest

import prowess as pw
from tests.cli.running import LEAGUE, TEXTBOOK, run

HISTORY = pw.History.read(LEAGUE)
FIT = pw.TrueSkill().fit(HISTORY)
SIX = ["Ada", "Chidi", "João", "Keiko", "Mbali", "Wei"]


def rounds(*words: object) -> list[dict[str, list[dict[str, object]]]]:
    result = run("pair", LEAGUE, *TEXTBOOK, *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def meetings(pairing: dict[str, list[dict[str, object]]]) -> set[frozenset[str]]:
    return {frozenset(name for team in pair["teams"] for name in team) for pair in pairing["pairs"]}  # type: ignore[attr-defined]


def test_pair_prints_the_same_pairs_as_the_library() -> None:
    expected = pw.pair(FIT.ladder, SIX)
    [found] = rounds(*SIX)
    assert [[team[0] for team in pair["teams"]] for pair in found["pairs"]] == [list(two) for two in expected.pairs]  # type: ignore[attr-defined]
    assert [pair["quality"] for pair in found["pairs"]] == expected.quality.tolist()
    lines = [line.split() for line in run("pair", LEAGUE, *TEXTBOOK, *SIX).stdout.splitlines()]
    assert lines[0] == ["first", "second", "fairness", "to", "win"]
    assert [line[:3] for line in lines[1:]] == [
        [*two, f"{q:.2f}"] for two, q in zip(expected.pairs, expected.quality, strict=True)
    ]


def test_no_pair_meets_twice_and_nobody_sits_out_twice_in_several_rounds() -> None:
    found = rounds(*SIX[:5], "--rounds", 5)
    met = [meetings(pairing) for pairing in found]
    assert len(set.union(*met)) == sum(map(len, met)) == 10
    assert sorted(name for pairing in found for [name] in pairing["left"]) == sorted(SIX[:5])
    printed = run("pair", LEAGUE, *TEXTBOOK, *SIX[:5], "--rounds", 2, "--quiet").stdout
    assert "Round 2" in printed
    assert printed.count("left over: ") == 2


def test_pair_avoids_recent_rematches_and_forbidden_pairs() -> None:
    recent = HISTORY.between("2026-05-24")
    expected = pw.pair(FIT.ladder, SIX, met=recent)
    assert meetings(rounds(*SIX, "--avoid", "14d")[0]) == {frozenset(two) for two in expected.pairs}
    [first] = rounds(*SIX)
    pair, *_ = meetings(first)
    assert pair not in meetings(rounds(*SIX, "--never", ",".join(pair))[0])


def test_rematch_is_avoided_up_to_the_last_day_of_the_span(tmp_path: Path) -> None:
    """The last match is 14 days after the match of ann and bob, who are the only even pair."""
    days = ["2026-05-01,eve,cat,1,0", "2026-05-01,eve,dan,1,0", "2026-05-24,ann,bob,1,1", "2026-06-07,eve,fay,1,0"]
    file = tmp_path / "league.csv"
    file.write_text("\n".join(["date,home,away,hg,ag", *days]))
    for span, again in (("13d", True), ("14d", False)):
        result = run("pair", file, *TEXTBOOK, "ann", "bob", "cat", "dan", "--avoid", span, "--json")
        assert (frozenset({"ann", "bob"}) in meetings(json.loads(result.stdout)[0])) == again


def test_groups_and_newcomers_can_be_paired() -> None:
    [found] = rounds("Ada", "Wei", "--group", "Chidi,João", "--group", "Hana,Zed", "--newcomers")
    assert meetings(found) == {frozenset({"Ada", "Wei"}), frozenset({"Chidi", "João", "Hana", "Zed"})}
    assert found["newcomers"] == ["Zed"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "no players given"),
        (("Ada", "Wei", "--never", "Ada"), 1, "--never Ada: give two names"),
        (("Ada", "Chid"), 1, "did you mean 'Chidi'?"),
        (("Ada", "Wei", "--avoid", "never"), 2, "must be a time span"),
    ],
)
def test_pair_refuses_wrong_arguments_with_an_error(words: tuple[str, ...], code: int, message: str) -> None:
    result = run("pair", LEAGUE, *TEXTBOOK, *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_avoiding_rematches_needs_a_file_of_matches_not_a_saved_ladder(tmp_path: Path) -> None:
    FIT.ladder.save(tmp_path / "league.prowess")
    result = run("pair", tmp_path / "league.prowess", *SIX, "--avoid", "14d")
    assert result.exit_code == 1
    assert "--avoid needs a file of matches" in result.stderr
    assert run("pair", tmp_path / "league.prowess", *SIX).stdout == run("pair", LEAGUE, *TEXTBOOK, *SIX).stdout
