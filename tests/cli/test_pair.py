import json
from pathlib import Path

import pytest

import prowess as pw
from tests.cli.running import LEAGUE, run

HISTORY = pw.History.read(LEAGUE)
FIT = pw.TrueSkill().fit(HISTORY)
SIX = ["Ada", "Chidi", "João", "Keiko", "Mbali", "Wei"]


def rounds(*words: object) -> list[dict[str, list[dict[str, object]]]]:
    result = run("pair", LEAGUE, *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def meetings(one: dict[str, list[dict[str, object]]]) -> set[frozenset[str]]:
    return {frozenset(name for team in pair["teams"] for name in team) for pair in one["pairs"]}  # type: ignore[attr-defined]


def test_the_pairs_are_those_of_the_library() -> None:
    expected = pw.pair(FIT.ladder, SIX)
    [found] = rounds(*SIX)
    assert [[team[0] for team in pair["teams"]] for pair in found["pairs"]] == [list(two) for two in expected.pairs]  # type: ignore[attr-defined]
    assert [pair["quality"] for pair in found["pairs"]] == expected.quality.tolist()
    lines = [line.split() for line in run("pair", LEAGUE, *SIX).stdout.splitlines()]
    assert lines[0] == ["first", "second", "fairness", "to", "win"]
    assert [line[:3] for line in lines[1:]] == [
        [*two, f"{q:.2f}"] for two, q in zip(expected.pairs, expected.quality, strict=True)
    ]


def test_in_several_rounds_nobody_meets_twice_and_nobody_sits_out_twice() -> None:
    found = rounds(*SIX[:5], "--rounds", 5)
    met = [meetings(one) for one in found]
    assert len(set.union(*met)) == sum(map(len, met)) == 10
    assert sorted(name for one in found for [name] in one["left"]) == sorted(SIX[:5])
    said = run("pair", LEAGUE, *SIX[:5], "--rounds", 2, "--quiet").stdout
    assert "Round 2" in said
    assert said.count("left over: ") == 2


def test_who_met_of_late_is_avoided_and_who_must_not_meet_does_not() -> None:
    late = HISTORY.between("2026-05-24")
    expected = pw.pair(FIT.ladder, SIX, met=late)
    assert meetings(rounds(*SIX, "--avoid", "14d")[0]) == {frozenset(two) for two in expected.pairs}
    [first] = rounds(*SIX)
    one, *_ = meetings(first)
    assert one not in meetings(rounds(*SIX, "--never", ",".join(one))[0])


def test_groups_and_newcomers() -> None:
    [found] = rounds("Ada", "Wei", "--group", "Chidi,João", "--group", "Hana,Zed", "--newcomers")
    assert meetings(found) == {frozenset({"Ada", "Wei"}), frozenset({"Chidi", "João", "Hana", "Zed"})}
    assert found["newcomers"] == ["Zed"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "say who is there"),
        (("Ada", "Wei", "--never", "Ada"), 1, "--never Ada: it takes two names"),
        (("Ada", "Chid"), 1, "did you mean 'Chidi'?"),
        (("Ada", "Wei", "--avoid", "never"), 2, "must be a span"),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], code: int, said: str) -> None:
    result = run("pair", LEAGUE, *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_a_ladder_does_not_know_who_met(tmp_path: Path) -> None:
    FIT.ladder.save(tmp_path / "league.prowess")
    result = run("pair", tmp_path / "league.prowess", *SIX, "--avoid", "14d")
    assert result.exit_code == 1
    assert "--avoid needs a file of matches" in result.stderr
    assert run("pair", tmp_path / "league.prowess", *SIX).stdout == run("pair", LEAGUE, *SIX).stdout
