"""Cached traces follow the journal, reuse matches that the writer has rated, and are evicted from a full cache."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest

from prowess.store import leagues
from prowess.store.errors import NotFound
from prowess.store.journal import journal
from prowess.store.read import trace_cache
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import Delete, Edit, NewSeason, Post
from prowess.store.write.writer import perform
from tests.store.matches import MODELS
from tests.store.read.reading import len_of, matches, seen


def test_traces_are_evicted_when_the_cache_exceeds_its_size(database):
    for league in ("chess", "go"):
        perform(database, Post(league, matches(50)))
    roomy, tight = TraceCache(), TraceCache(memory=1)
    for traces, kept in ((roomy, True), (tight, False)):
        names = ("chess", "go", "chess")
        views = [seen(database, traces, lambda views: views.view, name) for name in names]
        assert (views[0] is views[2]) == kept
        assert len(views[2]) == 50


def test_later_commands_do_not_change_an_existing_view(database):
    traces, given = TraceCache(), matches(60)
    perform(database, Post("chess", given[:50]))
    view = seen(database, traces, lambda views: views.view)
    before = view.trace.after.copy(), view.seq.copy(), view.trace.history.players
    perform(database, Post("chess", given[50:]))
    assert seen(database, traces, len_of) == 60
    perform(database, Delete("chess", "m3"))
    assert seen(database, traces, len_of) == 59
    np.testing.assert_array_equal(view.trace.after, before[0])
    assert (view.seq.tolist(), view.trace.history.players) == (before[1].tolist(), before[2])


def test_cached_view_may_be_newer_than_the_database_snapshot_of_its_reader(database):
    """A request has an older snapshot of the database, while another request has already updated the cached view."""
    traces, given = TraceCache(), matches(10)
    perform(database, Post("chess", given[:8]))
    with database.reading() as connection:
        league = leagues.find(connection, "chess")
        perform(database, Post("chess", given[8:]))
        perform(database, Delete("chess", "m0"))
        perform(database, Edit("chess", "m3", given[3] | {"time": 5.5}))
        assert seen(database, traces, len_of) == 9
        views = traces.of(connection, league)
        assert [row["id"] for row in views.matches(limit=5).rows] == ["m7", "m6", "m3"]
        assert views.match("m3")["time"] == 5.5
        with pytest.raises(NotFound, match="was deleted"):
            views.match("m0")
        name = given[7]["teams"][0][0]
        assert views.player(name)["matches"][0]["id"] == "m7"


def test_trace_that_two_readers_need_at_once_is_made_once(database, monkeypatch):
    perform(database, Post("chess", matches(10)))
    traces, both, calls, make = TraceCache(), Barrier(2), [], trace_cache._trace_at

    def slow(*arguments):
        calls.append(arguments)
        with suppress(BrokenBarrierError):
            both.wait(0.5)  # only a second call ends the wait early
        return make(*arguments)

    monkeypatch.setattr(trace_cache, "_trace_at", slow)
    with ThreadPoolExecutor(2) as pool:
        read = [pool.submit(seen, database, traces, lambda views: views.view) for _ in range(2)]
    assert read[0].result() is read[1].result()
    assert len(calls) == 1


def same_view(one, other):
    """Return whether two views have the same matches, ratings and forecasts, bit for bit."""
    columns = [(getattr(one.trace, name), getattr(other.trace, name)) for name in ("before", "after")]
    columns += [(one.trace.forecasts.log_evidence, other.trace.forecasts.log_evidence), (one.seq, other.seq)]
    return list(one.trace.history) == list(other.trace.history) and all(
        mine.tobytes() == theirs.tobytes() for mine, theirs in columns
    )


def test_cached_trace_reuses_matches_that_the_writer_has_already_rated(database, monkeypatch):
    traces, given = TraceCache(), matches(40)
    perform(database, Post("chess", given[:15]), traces.pending)
    assert seen(database, traces, len_of) == 15
    asked = []
    changes_since = journal.changes_since
    monkeypatch.setattr(journal, "changes_since", lambda *args: asked.append(args) or changes_since(*args))
    for match in given[15:20]:
        perform(database, Post("chess", [match]), traces.pending)
    assert seen(database, traces, len_of) == 20
    assert asked == []
    for match in given[20:38]:  # more matches than the writer keeps between two reads
        perform(database, Post("chess", [match]), traces.pending)
    assert seen(database, traces, len_of) == 38
    perform(database, Post("chess", given[38:39]))  # without `pending`, as if another process had posted it
    perform(database, Post("chess", given[39:]), traces.pending)
    view = seen(database, traces, lambda views: views.view)
    assert len(asked) == 2
    assert same_view(view, seen(database, TraceCache(), lambda views: views.view))


def test_trace_reads_a_late_match_from_the_journal(database):
    traces, given = TraceCache(), matches(10)
    perform(database, Post("chess", given))
    assert seen(database, traces, len_of) == 10
    early = {"id": "early", "teams": [["eve"], ["fay"]], "time": 2.5}
    perform(database, Post("chess", [early]), traces.pending)
    view = seen(database, traces, lambda views: views.view)
    assert view.seq.tolist()[3] == 11
    assert same_view(view, seen(database, TraceCache(), lambda views: views.view))


def test_trace_follows_a_new_season_even_if_the_matches_differ_only_in_their_context(database):
    traces, given = TraceCache(), matches(10)
    perform(database, Post("chess", given))
    assert seen(database, traces, len_of) == 10
    perform(database, NewSeason("chess", "II", 5, carry=0.5, tau=1.0))
    perform(database, Edit("chess", "m3", given[3] | {"context": {"venue": "pub"}}))
    view = seen(database, traces, lambda views: views.view)
    assert [season.name for season in view.seasons] == ["II"]
    assert same_view(view, seen(database, TraceCache(), lambda views: views.view))


@pytest.mark.parametrize("model", sorted(MODELS))
def test_trace_of_matches_rated_by_the_writer_equals_a_trace_of_the_journal_for_every_model(database, model):
    with database.writing() as connection:
        leagues.create(connection, "darts", clock="number", model=MODELS[model])
    traces, given = TraceCache(), matches(30)
    perform(database, Post("darts", given[:10]), traces.pending)
    perform(database, NewSeason("darts", "II", 5, carry=0.5, tau=1.0))
    seen(database, traces, len_of, "darts")
    for match in given[10:]:
        perform(database, Post("darts", [match | {"importance": match["time"] % 3}]), traces.pending)
        view = seen(database, traces, lambda views: views.view, "darts")
    fresh = seen(database, TraceCache(), lambda views: views.view, "darts")
    assert same_view(view, fresh)
    assert view.ladder_after(30, 1) == fresh.ladder_after(30, 1)
