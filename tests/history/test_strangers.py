"""Files from unknown sources are read without options, or raise an error that asks for options."""

from pathlib import Path

import pytest

from prowess import Error
from prowess.history import History
from tools import layouts

from .strangers.case import CASES, case, read_context, read_matches


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_file_from_an_unknown_source_gives_the_expected_matches_or_error(path: Path, tmp_path: Path) -> None:
    stranger = case(path)
    file = stranger.write(tmp_path)
    if stranger.matches is None:
        with pytest.raises(Error) as caught:
            History.read(file)
        assert all(part in str(caught.value) for part in (stranger.name, *stranger.asks)), caught.value
        return
    history = History.read(file)
    assert read_matches(history) == stranger.matches, history.recognised
    assert all(said in history.recognised for said in stranger.says), history.recognised
    if stranger.context is not None:
        assert read_context(history) == stranger.context, history.recognised
    without = History.read(file, context=[])
    assert read_matches(without) == stranger.matches
    assert not read_context(without)


def test_table_of_layouts_in_the_guide_is_made_from_these_files() -> None:
    assert layouts.table() in layouts.PAGE.read_text(encoding="utf-8"), "run `python -m tools.layouts --write`"
