"""PGN files, which store chess games as tags and moves, are read at once, compressed or streamed."""

import bz2
import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from prowess import Error
from prowess.history import History
from prowess.history.read_limits import LimitExceeded, ReadLimits

GAME = """[Event "League"]
[Date "{date}"]
[Round "{round}"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]

1. e4 e5 {{ {comment} }} 2. Nf3 Nc6 {result}

"""


def game(
    number: int = 0,
    date: str = "2024.01.14",
    round: str = "1",
    white: str = "Ann",
    black: str = "Bob",
    result: str = "1-0",
    comment: str = "",
) -> str:
    return GAME.format(
        date=date, round=round, white=white, black=black, result=result, comment=comment or f"game {number}"
    )


def many(count: int, comment: str = "") -> str:
    return "".join(
        game(
            number,
            date=f"{2000 + number // 336}.{1 + number // 28 % 12:02}.{1 + number % 28:02}",
            white=f"p{number % 7}",
            black=f"p{7 + number % 5}",
            result=("1-0", "0-1", "1/2-1/2")[number % 3],
            comment=comment,
        )
        for number in range(count)
    )


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress], ids=["gz", "bz2"])
def test_compressed_pgn_files_are_read(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    plain, packed = tmp_path / "games.pgn", tmp_path / f"games.pgn.{compress.__module__.strip('_')}"
    plain.write_text(many(50))
    packed.write_bytes(compress(plain.read_bytes()))
    assert History.read(packed) == History.read(plain)
    assert list(History.stream(packed, rows=20))[-1] == History.read(plain)[40:]


def test_pgn_files_in_utf_16_are_read(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game(white="Zoë"), encoding="utf-16")
    assert History.read(path).players == ("Zoë", "Bob")
    assert [history.players for history in History.stream(path)] == [("Zoë", "Bob")]


def test_pgn_file_may_mix_games_in_utf_8_and_latin_1(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(
        game(white="Müller", black="Łoś").encode() + game(1, white="Müller", black="André").encode("latin-1")
    )
    assert sorted(History.read(path).players) == ["André", "Müller", "Łoś"]
    assert History.read(path, encoding="utf-8", skip_problems=True)


def test_streamed_pgn_file_gives_the_same_games_as_the_file_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(many(300) + game(white="NN", date="2001.01.01"))
    whole = History.read(path)
    parts = list(History.stream(path, rows=64))
    assert len(parts) > 3
    assert [match for part in parts for match in part] == list(whole)


def test_repeated_chess_game_counts_once_but_a_game_with_other_moves_counts_separately(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game(1) + game(1) + game(2, black="Cat"))
    history = History.read(path)
    assert len(history) == 2
    assert "1 duplicate row" in history.recognised
    path.write_text(game(1) + game(1).replace("Nf3", "f4") + game(2, black="Cat"))
    assert len(History.read(path)) == 3


def test_chess_games_are_ordered_by_round_and_not_by_board(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game(1, round="2.1", white="Late") + game(2, round="1.10", white="Early"))
    assert [match["teams"][0] for match in History.read(path)] == [["Early"], ["Late"]]


def test_unclosed_pgn_comment_is_a_problem_of_its_own_game_only(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game(1).replace(" }", "") + game(2, white="Cat"))
    with pytest.raises(Error, match="line 1: a comment in braces has no end"):
        History.read(path)
    assert History.read(path, skip_problems=True).players == ("Cat", "Bob")


@pytest.mark.parametrize(
    ("tag", "white"),
    [('[White "Ann "The Rock" Lee"]', 'Ann "The Rock" Lee'), (r'[White "Ann \"Rock\" Lee"]', 'Ann "Rock" Lee')],
)
def test_pgn_player_names_may_contain_quotation_marks(tmp_path: Path, tag: str, white: str) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game().replace('[White "Ann"]', tag))
    assert History.read(path).players[0] == white


def test_damaged_pgn_tag_is_reported_as_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game(1).replace('"Ann"]', '"Ann') + game(2))
    with pytest.raises(Error, match="the tag White is damaged"):
        History.read(path)


@pytest.mark.parametrize(("tag", "expected"), [("*", [1, 2]), ("?", [1, 2])])
def test_result_after_the_moves_is_used_if_the_pgn_result_tag_is_unknown(
    tmp_path: Path, tag: str, expected: list[int]
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game().replace('"1-0"', f'"{tag}"'))
    assert History.read(path)[0]["ranks"] == expected


def test_error_for_a_pgn_file_without_games_says_that_it_has_none(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("% nothing\n")
    with pytest.raises(Error, match="the file has no games"):
        History.read(path)


def test_read_limits_apply_to_pgn_files(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(many(30))
    with pytest.raises(LimitExceeded, match="has 30 rows"):
        History.read(path, limits=ReadLimits(rows=20))
    path.write_text(game(comment="x" * 5000))
    with pytest.raises(LimitExceeded, match="line 8 is longer"):
        History.read(path, limits=ReadLimits(line=4096))
    with pytest.raises(LimitExceeded, match="line 8 is longer"):
        list(History.stream(path, limits=ReadLimits(line=4096)))


def test_chess_moves_are_not_kept_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(many(400, comment="x" * 50_000))  # 20 MB
    History.read(path)  # so that imports are not measured
    tracemalloc.start()
    history = History.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(history) == 400
    assert peak < 4_000_000


def test_chess_result_0_0_is_left_out_and_an_impossible_result_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(game(1, result="0-0") + game(2, white="Cat"))
    history = History.read(path)
    assert history.players == ("Cat", "Bob")
    assert "left out (line 1)" in history.recognised
    path.write_text(game(1, result="2-0") + game(2, white="Cat"))
    with pytest.raises(Error, match="the tag Result is '2-0'; write 1-0, 0-1, 1/2-1/2 or"):
        History.read(path)


def test_error_for_an_unsupported_archive_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(100))
    with pytest.raises(Error, match="this is a Zstandard archive, not a table; unpack it first"):
        History.read(path)
