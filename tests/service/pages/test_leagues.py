"""The start page: first steps in an empty database, otherwise the list of leagues."""

import html
import re

from prowess.service.auth import key_command
from prowess.service.pages import leagues as page_of_leagues
from prowess.store import keys
from prowess.store.db.database import Database
from tests.service.pages.page_client import serve_pages


def steps(page):
    """Return for each of the first steps whether it is done, current or later, and the text of its label."""
    return [
        (one[0], one[1]) for one in re.findall(r'<li class="(\w+)">\s*<h2>.*?<span class="chip">([\w ]+)', page.text)
    ]


def test_start_page_of_an_empty_database_shows_the_first_steps(tmp_path):
    with serve_pages(f"sqlite:///{tmp_path / 'empty.db'}") as ask:
        with ask.service.database.writing() as connection:
            keys.revoke(connection, 1)
        page = ask.look("/leagues")
        assert steps(page) == [("now", "to do"), ("later", "to do"), ("later", "to do")]
        command = html.unescape(re.search(r"<pre><code>(.*?)</code>", page.text)[1])
        assert command == f"prowess key create NAME --scope admin --database sqlite:///{tmp_path / 'empty.db'}"
        key, writer = ask.new_key("admin"), ask.new_key("write")
        page = ask.look("/leagues")
        assert steps(page) == [("done", "done"), ("now", "to do"), ("later", "to do")]
        assert str(tmp_path) not in page.text  # as soon as a key exists, visitors do not see where the database is
        assert steps(ask.look("/leagues", key=key)) == [("done", "done"), ("done", "done"), ("now", "to do")]
        assert 'href="/new"' in ask.look("/leagues", key=key).text
        assert 'href="/new"' not in ask.look("/leagues", key=writer).text
        ask.admin = key
        ask.create_league("darts", public=False)
        assert "There are no public leagues" in ask.look("/leagues").text
        assert "Create your first league" not in ask.look("/leagues", key=key).text


def test_command_that_creates_a_key_has_the_absolute_database_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    database = Database("league.db")
    assert key_command("admin", database=database).endswith(f"--database sqlite:///{tmp_path / 'league.db'}")
    database.close()


def test_leagues_are_listed_with_their_best_players(ask, monkeypatch):
    ask.create_league("pub", title="<b>Pub</b>", clock="number", model={"name": "Elo"})
    ask.create_league("secret", title="Secret", public=False)
    match = {"teams": [["<i>ann</i>"], ["a/b & c"]], "time": 7}
    ask.post("/api/leagues/pub/matches", [match], status=201)
    page = ask.look("/leagues")
    assert "&lt;b&gt;Pub&lt;/b&gt;" in page.text
    assert "1 match, 2 players, rated with Elo; last match in round 7" in page.text
    assert re.search(r'1\. <a href="/leagues/pub/player\?name=%3Ci%3Eann%3C%2Fi%3E">&lt;i&gt;ann', page.text)
    assert "Secret" not in page.text
    assert '<span class="chip">private</span>' in ask.look("/leagues", key=ask.admin).text
    assert ask.look("/leagues.csv").text.splitlines()[0] == "name,title,model,matches,last,public"
    monkeypatch.setattr(page_of_leagues, "MANY", 0)
    assert "2 players" not in ask.look("/leagues").text
