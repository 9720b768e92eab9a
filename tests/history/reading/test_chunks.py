"""Files of every kind are read in chunks of rows."""

import gzip
import os
import threading
from pathlib import Path

import pytest

from prowess.errors import Error
from prowess.history import History
from prowess.history.read_options import Choices
from prowess.history.stream import Stream

GAMES = "winner,loser\n" + "".join(f"ann,bob{number}\n" for number in range(9))
EXPECTED = History.from_matches([{"teams": [["ann"], [f"bob{number}"]]} for number in range(9)])


def stream(path: Path, **choices: str) -> list[str]:
    """Stream a file in chunks of two rows, and return the losers of all matches."""
    return [match["teams"][1][0] for history in Stream(path, Choices.of(choices), 2) for match in history]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prowess.history.stream.SAMPLE", 3)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".jsonl"])
def test_file_whose_name_is_not_utf_8_can_be_streamed(tmp_path: Path, suffix: str) -> None:
    plain, path = tmp_path / "games", tmp_path / f"games\udcff{suffix}"
    if suffix == ".parquet":
        EXPECTED.to_frame().write_parquet(plain)
    elif suffix == ".jsonl":
        EXPECTED.to_frame().write_ndjson(plain)
    else:
        plain.write_bytes(gzip.compress(GAMES.encode()) if suffix == ".csv.gz" else GAMES.encode())
    plain.rename(path)
    assert History.read(path) == EXPECTED
    assert stream(path) == list(EXPECTED.players[1:])
    with pytest.raises(Error, match=r"games\?\.csv: file not found"):
        History.read(tmp_path / "none" / "games\udcff.csv")


def test_truncated_archive_raises_an_error_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "games.csv.gz"
    for size in (3, 30, 60):
        path.write_bytes(gzip.compress(GAMES.encode())[:size])
        with pytest.raises(Error, match=r"games\.csv\.gz: cannot be read: "):
            stream(path)


def test_pipe_that_can_be_read_only_once_can_be_streamed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(GAMES,))
    writer.start()
    assert stream(tmp_path / "pipe") == list(EXPECTED.players[1:])
    writer.join()


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_file_can_be_streamed_with_and_without_the_encoding_option(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "games.csv"
    path.write_bytes(GAMES.encode(codec))
    assert stream(path) == stream(path, encoding=codec) == list(EXPECTED.players[1:])


def test_error_for_streaming_an_image_says_that_the_file_is_an_image(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(Error, match=r"games\.csv: this is an image, not a table"):
        stream(path)


def test_file_with_round_headings_between_its_rows_cannot_be_streamed(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    rows = "ann,bob,1-0\n" * 9_000
    path.write_text(f"white,black,result\nRound 1,,\n{rows}Round 2,,\n{rows}")
    assert len(History.read(path)) == 18_000
    with pytest.raises(Error, match="headings of rounds between the rows cannot be read in chunks"):
        list(History.stream(path, rows=10_000))
