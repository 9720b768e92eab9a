"""Exports of tournament programs and play logs are read whole, streamed or compressed, with options and limits."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from prowess import Error
from prowess.history import History
from prowess.history.read_limits import LimitExceeded, ReadLimits
from tests.history.strangers.case import CASES, case, read_matches

EXPORTS = [
    path
    for path in CASES
    if path.stem.startswith(("pgn", "challonge", "startgg", "toornament", "bg_stats", "boardgamegeek"))
]


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_streamed_or_compressed_export_gives_the_same_matches_as_the_plain_file(path: Path, tmp_path: Path) -> None:
    stranger = case(path)
    if stranger.matches is None:
        return
    file = stranger.write(tmp_path)
    packed = tmp_path / f"{file.name}.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read_matches(History.read(packed)) == stranger.matches
    whole = History.read(file)
    assert [match for part in History.stream(file) for match in part] == list(whole)


def plays(count: int) -> str:
    players = '<players><player name="Ann" win="1"/><player name="Bob" win="0"/></players>'
    play = '<play id="{}" date="2024-01-05">' + players + "</play>\n"
    return f'<plays username="ann">\n{"".join(map(play.format, range(count)))}</plays>\n'


def test_streaming_a_large_xml_file_reads_it_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "plays.xml"
    path.write_text(plays(12_000))
    assert sum(map(len, History.stream(path, rows=10_000))) == 12_000
    with pytest.raises(LimitExceeded, match="rows, and the limit is 1,000"):
        History.read(path, limits=ReadLimits(rows=1000))


def test_xml_with_entities_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plays.xml"
    path.write_text('<!DOCTYPE plays [<!ENTITY a "ann">]>' + plays(1))
    with pytest.raises(Error):
        History.read(path)
    path.write_text("<?xml version='1.0'?><!-- plays --><plays>")
    with pytest.raises(Error, match="invalid XML"):
        History.read(path)


def challonge(**match: Any) -> str:
    people = [{"participant": {"id": number, "name": name}} for number, name in enumerate(("Ann", "Bob"))]
    values = {"state": "complete", "player1_id": 0, "player2_id": 1, "winner_id": 0, "scores_csv": "2-1"} | match
    return json.dumps({"tournament": {"participants": people, "matches": [{"match": values}]}})


def test_challonge_export_honours_the_walkover_and_score_unit_options(tmp_path: Path) -> None:
    path = tmp_path / "cup.json"
    path.write_text(challonge(forfeited=True))
    assert not len(History.read(path))
    assert History.read(path, walkovers="count")[0]["ranks"] == [1, 2]
    path.write_text(challonge(scores_csv="3-1,2-3,3-0"))
    assert History.read(path, score_unit="points")[0]["scores"] == [8, 4]
    path.write_text(challonge(scores_csv="1-2"))
    history = History.read(path)
    assert history[0]["ranks"] == [1, 2]
    assert "1 match has a score that contradicts its places" in history.recognised
    path.write_text(challonge(winner_id=None))
    with pytest.raises(Error, match="match 1: no winner is named, but the score is 2-1"):
        History.read(path)


def test_json_file_with_one_very_long_line_is_read_as_a_single_document(tmp_path: Path) -> None:
    path = tmp_path / "cup.json"
    path.write_text(challonge(notes="x" * (2 << 20)))
    assert len(History.read(path)) == 1
