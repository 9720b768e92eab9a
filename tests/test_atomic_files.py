from pathlib import Path

import pytest

import prowess as pw
from prowess.atomic_files import replace_file


def test_old_file_stays_until_the_new_file_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with replace_file(path) as place:
        place.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_interrupted_write_leaves_no_file(tmp_path: Path, stop: type[BaseException]) -> None:
    def write() -> None:
        with replace_file(tmp_path / "a.txt") as place:
            place.write_text("half")
            raise stop

    with pytest.raises(stop):
        write()
    assert list(tmp_path.iterdir()) == []


def test_writing_a_file_to_a_full_disk_raises_an_error(tmp_path: Path) -> None:
    def write() -> None:
        with replace_file(tmp_path / "a.txt"):
            raise OSError(28, "No space left on device")

    with pytest.raises(pw.Error, match=r"a\.txt: cannot be written: No space left on device"):
        write()


def test_long_file_name_can_be_written(tmp_path: Path) -> None:
    with replace_file(tmp_path / ("a" * 250 + ".txt")) as place:
        place.write_text("x")
    assert len(list(tmp_path.iterdir())) == 1
