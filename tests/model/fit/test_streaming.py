"""Rating in chunks is bit-identical to a single fit, and its memory does not grow with the file."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prowess as pw
from prowess.history import stream as stream_module

MODELS = {
    "Elo": pw.Elo(),
    "Glicko": pw.Glicko(period=7),
    "Glicko2": pw.Glicko2(period=7),
    "TrueSkill": pw.TrueSkill(),
    "home": pw.TrueSkill().replace(home_sigma=2),
    "TS2": pw.TS2(),
    "PoissonOD": pw.PoissonOD(),
    "GaussianSD": pw.GaussianSD(),
    "TrueSkill, learnt draws": pw.TrueSkill(draw_probability="learnt"),
    "drift": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.1)),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make chunks small, so that a short file has several chunks."""
    monkeypatch.setattr(stream_module, "SAMPLE", 10)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(3)
    lines = ["date,home,away,hg,ag,neutral"]
    for number in range(120):
        one, other = rng.choice(12, 2, replace=False)
        day = np.datetime64("2026-01-01") + number // 4
        lines.append(f"{day},p{one},p{other},{rng.poisson(1.5)},{rng.poisson(1)},{rng.choice(['yes', 'no'])}")
    path = tmp_path_factory.mktemp("stream") / "games.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(4)
    lines = ["race,team,driver,points,date"]
    for number in range(40):
        for seat, driver in enumerate(rng.permutation(14)[: 2 * int(rng.integers(2, 6))]):
            lines.append(f"{number},t{seat // 2},d{driver},{rng.integers(9)},2026-{1 + number // 10:02d}-01")
    path = tmp_path_factory.mktemp("stream") / "races.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def bits(ladder: pw.Ladder) -> tuple[Any, ...]:
    state = ladder.state[: len(ladder)]
    return ladder.names, state.tobytes(), ladder.memory.tobytes(), ladder.stamp


@pytest.mark.parametrize(("name", "rows"), [(name, 13) for name in MODELS] + [("Glicko", 1), ("home", 500)])
def test_streaming_a_file_gives_the_ratings_of_a_single_fit(games: Path, name: str, rows: int) -> None:
    model = MODELS[name]
    fit = model.fit(pw.History.read(games))
    rated = model.fit_stream(pw.History.stream(games, rows=rows))
    assert bits(rated.ladder) == bits(fit.ladder)
    assert rated.matches == 120
    assert (str(rated.first), str(rated.last)) == ("2026-01-01", "2026-01-30")
    assert rated.ladder.leaderboard().equals(fit.leaderboard())


@pytest.mark.parametrize(("name", "rows"), [("Glicko2", 13), ("TrueSkill", 1), ("TS2", 40)])
def test_streaming_a_file_with_a_row_per_player_gives_the_ratings_of_a_single_fit(
    races: Path, name: str, rows: int
) -> None:
    model = MODELS[name]
    fit = model.fit(pw.History.read(races))
    rated = model.fit_stream(pw.History.stream(races, rows=rows))
    assert bits(rated.ladder) == bits(fit.ladder)
    assert "have different values in points" in rated.recognised


def test_stream_continues_from_a_ladder_without_changing_it(games: Path) -> None:
    model = pw.TrueSkill()
    history = pw.History.read(games)
    start = model.fit(history[:60]).ladder
    before = bits(start)
    rated = model.fit_stream([history[60:90], history[90:], history[:0]], start)
    assert bits(rated.ladder) == bits(model.fit(history).ladder)
    assert bits(start) == before


def test_fit_stream_rejects_invalid_or_unordered_histories(games: Path) -> None:
    model, history = pw.TrueSkill(), pw.History.read(games)
    untimed = pw.History.from_matches([{"teams": [["a"], ["b"]]}])
    for histories, message in (
        (history, "fit_stream needs several histories; use fit for one"),
        ([1], "every item given to fit_stream must be a history, but item 1 is of type int"),
        ([history[60:], history[:60]], "history 2 begins at 2026-01-01, before 2026-01-30;"),
        ([history, untimed], "history 2 has no times, but earlier ones have; give times to all matches or to none"),
        ([untimed, history], "history 2 has times, but earlier ones have none"),
    ):
        with pytest.raises(pw.Error, match=message):
            model.fit_stream(histories)  # type: ignore[arg-type]


MEMORY = """
import sys
from resource import RUSAGE_SELF, getrusage
import prowess as pw
from prowess.history import stream
stream.SAMPLE = 5_000
rated = pw.TrueSkill().fit_stream(pw.History.stream(sys.argv[1], rows=5_000))
print(rated.matches, getrusage(RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.long
def test_memory_for_streaming_does_not_grow_with_the_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    peaks = []
    for count in (100_000, 800_000):
        one = rng.integers(500, size=count)
        path = tmp_path / f"{count}.csv"
        with path.open("w") as file:
            file.write("day,winner,loser,town\n")
            file.writelines(f"{n},p{a},q{a},a town with a name of some length\n" for n, a in enumerate(one))
        done = subprocess.run([sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True)
        matches, peak = map(int, done.stdout.split())
        assert matches == count
        peaks.append(peak)
    assert peaks[1] < 1.15 * peaks[0]
