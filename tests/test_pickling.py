"""Public objects travel to other processes by pickle and by cloudpickle, which Ray, Spark and joblib use."""

import inspect
import os
import pickle
import subprocess
import sys
from functools import cache

import cloudpickle
import pytest

import prowess as pw
from tests.pure import SOURCES


@cache
def league():
    names = ["ann", "bob", "cat", "dan", "eve"]
    matches = []
    for k in range(60):
        one, two = names[k % 5], names[(k * 2 + 1 + (k * 2 + 1 == k)) % 5]
        match = {"teams": [[one], [two if two != one else names[(k + 1) % 5]]], "scores": [k % 4, (k * 3) % 5]}
        matches.append(
            match | {"time": f"2026-01-{1 + k // 2:02}", "context": {"map": "ab"[k % 2], "kills": [k, 2 * k]}}
        )
    return pw.History.from_matches(matches)


def model():
    return pw.TrueSkill().replace(home=pw.Home(1.0), facets=[pw.facet.By("map")])


# For each public class of results, objects, and what is compared of them.
OBJECTS = {
    "History": (league, lambda found: (found, list(found), found.remarks)),
    "Model": (model, lambda found: found),
    "Rating": (lambda: pw.GaussianOD().rating(), lambda found: found),
    "Home": (lambda: pw.Home(1.0, 2.0), lambda found: found),
    "Normal": (lambda: pw.Normal(25, 8), lambda found: found),
    "Newcomers": (lambda: pw.Newcomers(pw.Normal(25, 8), 2.0), lambda found: found),
    "Point": (lambda: pw.Point(1500), lambda found: found),
    "Range": (lambda: pw.Range(1.0, 2.0), lambda found: found),
    "Error": (lambda: pw.Error("no", field="scores", value=3), lambda found: (str(found), found.field, found.value)),
    "Fit": (lambda: model().fit(league()), lambda found: (rows(found.leaderboard()), found.forecasts.win.tobytes())),
    "Forecasts": (lambda: model().fit(league()).forecasts, lambda found: (found.win.tobytes(), found.mean.tobytes())),
    "Explanation": (lambda: model().fit(league()).explain("ann"), str),
    "Ladder": (lambda: model().fit(league()).ladder, lambda found: (found.model, ratings(found))),
    "Hindsight": (
        lambda: pw.TrueSkill(tau=0.5).hindsight(league()),
        # What follows from the messages is computed again, which may change the last digit.
        lambda found: (rows(found.leaderboard()), found.log_evidence, found.left_out.mean.round(9).tobytes()),
    ),
    "Prediction": (lambda: model().fit(league()).ladder.predict([["ann"], ["bob"]]), lambda found: found.to_dict()),
    "Standings": (lambda: pw.standings(model(), league()), lambda found: rows(found.frame)),
    "Streamed": (lambda: model().fit_stream([league()]), lambda found: ratings(found.ladder)),
    "Balance": (lambda: pw.balance(pw.TrueSkill(), ["ann", "bob", "cat"]), lambda found: found.to_dict()),
    "Pairing": (lambda: pw.pair(pw.TrueSkill(), ["ann", "bob", "cat"]), lambda found: found.to_dict()),
    "NextMatches": (lambda: pw.next_matches(pw.TrueSkill().fit(league())), str),
    "NextMatch": (lambda: pw.next_matches(pw.TrueSkill().fit(league()))[0], str),
    "Choice": (lambda: pw.auto(league(), progress=False), lambda found: (found.model, str(found))),
    "Comparison": (lambda: pw.compare(league(), ["elo", "trueskill"]), lambda found: rows(found.table())),
    "Discovery": (lambda: pw.discover(league(), progress=False), lambda found: (found.model, found.sentences)),
    "Simulation": (
        lambda: pw.simulate(pw.TrueSkill(), 20, 5, seed=1),
        lambda found: (found.history, found.skill.tobytes()),
    ),
    "Tuning": (
        lambda: pw.tune(pw.TrueSkill(), league(), trials=3, progress=False),
        lambda found: (found.model, str(found)),
    ),
}
# Interfaces of components, the board that they work on, and the client, which holds a connection.
NO_DATA = {"Absorb", "Board", "Client", "Drift", "Margin", "Outcome", "Prior", "TeamFunction"}


def rows(frame):
    return frame.to_dicts()


def ratings(ladder):
    return [(name, ladder[name]) for name in ladder]


def test_every_public_class_is_pickled_here():
    assert {name for name in pw.__all__ if inspect.isclass(getattr(pw, name))} == {*OBJECTS} | NO_DATA


@cache
def reloaded(dumps):
    """Return what a new process finds in the pickled objects."""
    sent = {name: dumps(make()) for name, (make, _) in OBJECTS.items()}
    code = "import sys; from tests.test_pickling import show_all; show_all(sys.stdin.buffer, sys.stdout.buffer)"
    environment = os.environ | {"PYTHONPATH": f"{SOURCES.parent.parent}{os.pathsep}{SOURCES.parent}"}
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(sent), env=environment, capture_output=True, check=True
    )
    return pickle.loads(done.stdout)


def show_all(source, target):
    """Unpickle each object, and write what is compared of them, or the exception."""
    shown = {}
    for name, data in pickle.loads(source.read()).items():
        try:
            shown[name] = OBJECTS[name][1](pickle.loads(data))
        except Exception as error:
            shown[name] = repr(error)
    target.write(pickle.dumps(shown))


@pytest.mark.parametrize("dumps", [pickle.dumps, cloudpickle.dumps], ids=["pickle", "cloudpickle"])
@pytest.mark.parametrize("name", OBJECTS)
def test_object_loaded_in_a_new_process_equals_the_original(name, dumps):
    make, show = OBJECTS[name]
    assert reloaded(dumps)[name] == show(make())
