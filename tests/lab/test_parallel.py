"""A worker process keeps the history of its tasks."""

import pickle

import prowess as pw
from prowess.lab.parallel import SharedHistory


def test_tasks_with_one_history_get_the_same_object():
    matches = [{"teams": [["ann"], ["bob"]]}]
    one, other = (SharedHistory.of(pw.History.from_matches(matches)) for _ in range(2))
    first, again = (pickle.loads(pickle.dumps(one)) for _ in range(2))
    assert first is again
    assert first.history == one.history
    assert pickle.loads(pickle.dumps(other)) is not first
