"""Worker processes keep the history of their tasks, and leave large results in files."""

import os
import pickle

import numpy as np
import pytest

import prowess as pw
from prowess.lab import parallel
from prowess.lab.parallel import SharedHistory, run_tasks


def test_tasks_with_one_history_get_the_same_object():
    matches = [{"teams": [["ann"], ["bob"]]}]
    one, other = (SharedHistory.of(pw.History.from_matches(matches)) for _ in range(2))
    first, again = (pickle.loads(pickle.dumps(one)) for _ in range(2))
    assert first is again
    assert first.history == one.history
    assert pickle.loads(pickle.dumps(other)) is not first


def columns(size):
    return {"odd": np.arange(3, dtype=np.uint8), "large": np.full(size, 0.5), "text": "x" * size}


@pytest.mark.parametrize("size", [0, 10, 300_000])
def test_results_of_any_size_arrive_from_other_processes_and_leave_no_file(monkeypatch, tmp_path, size):
    monkeypatch.setattr(parallel, "_fast_folder", lambda: str(tmp_path))
    found = run_tasks(columns, [(size,), (size + 1,)], jobs=2, progress=False)
    for result, length in zip(found, (size, size + 1), strict=True):
        assert result["odd"].tolist() == [0, 1, 2]
        assert result["large"].shape == (length,)
        assert result["large"].flags.writeable
        assert (result["large"] == 0.5).all()
        assert result["text"] == "x" * length
    assert os.listdir(tmp_path) == []


def test_error_in_a_task_leaves_no_file(monkeypatch, tmp_path):
    monkeypatch.setattr(parallel, "_fast_folder", lambda: str(tmp_path))
    with pytest.raises(TypeError):
        run_tasks(columns, [(300_000,), ("many",)], jobs=2, progress=False)
    assert os.listdir(tmp_path) == []
