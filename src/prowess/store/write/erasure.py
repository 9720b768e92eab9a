"""Erase a person: replace all names of a player by pseudonyms, and recognise the names when they are posted again.

No other code rewrites the journal. Ratings do not depend on names, so no rating changes, with one exception: if the
name is a value of a context column of which a model has a facet, or by which it scales a statistic, the value is
removed, and the model rates the league again. A salted hash of the name is kept until `drop_hash` deletes it. With the
hash, importing an old file again does not bring the name back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b, scrypt
from secrets import token_bytes
from time import time
from typing import Any, NamedTuple
from unicodedata import normalize

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Table, func, insert, select, update

from ...errors import Error
from ...history import History
from ...history.names.spelling import plain_letters
from .. import aliases, audit, leagues, ratings
from ..db import schema
from ..db.database import Database, lock_league, secure_delete
from ..errors import Conflict, NotFound, WriteClash
from ..journal import journal
from ..journal.context import drop_names, is_same_in, read, text_values, without_names
from ..leagues import League
from .replay import pack_names, rated_generations, rebuild, unpack_names

ALIAS = "anonymous-"
# The cost of a hash, 0.3 to 1 ms: 100,000 new names take about a minute, but only in leagues with anonymised players.
# Names are easy to guess, so even slow hashing would not stop a patient owner of the database; therefore hashes can be
# dropped.
COST = {"n": 64, "r": 8, "p": 1, "dklen": 32}
MAX_HASHED = 64  # names that a transaction may hash while it holds locks; more names are hashed before a retry
MAX_CACHED = 500_000  # hashes of names in memory
READ_ROWS = 10_000  # contexts in memory at a time
DERIVED_ID = re.compile(r"[0-9a-f]{24}")  # the form of ids from `importing.with_ids`, which hashes the players' names
_ERASURE, _JOURNAL, _RATING = schema.erasure.c, schema.journal.c, schema.rating.c
# Columns of free text, by table; the name is replaced wherever it occurs as a whole word.
_TEXTS: dict[Table, tuple[str, ...]] = {
    schema.journal: ("author", "reason"),
    schema.generation: ("author", "reason"),
    schema.season: ("author",),
    schema.name_change: ("author", "reason"),
    schema.key: ("name",),
    schema.analysis: ("asked", "author", "step", "answer"),
    schema.audit: ("actor", "detail"),
}


@dataclass(frozen=True)
class Erasure:
    """An anonymised player. If `hash_kept` is true, the name is recognised when it is posted again.

    If `scrub_due` is true, unused pages of the SQLite file may still hold the name.

    >>> Erasure("anonymous-1", 7, 0.0, True, False).alias
    'anonymous-1'
    """

    alias: str
    revision: int
    made_at: float
    hash_kept: bool
    scrub_due: bool

    def scrubbed(self, done: bool) -> Erasure:
        """Return the erasure after an attempt to scrub the database; `done` says whether the attempt succeeded."""
        return replace(self, scrub_due=self.scrub_due and not done)


def anonymise(
    database: Database,
    league: str,
    player: str,
    *,
    author: str = "",
    reason: str = "",
    keep_hash: bool = True,
    all_leagues: bool = False,
) -> Erasure:
    """Replace a player's name, and every earlier name, by pseudonyms in all data of a league; this cannot be undone.

    With `keep_hash`, the name is recognised when it is posted again. With `all_leagues`, which only an admin of all
    leagues may use, the name is also replaced in keys and log entries that do not belong to one league. Call `scrub`
    afterwards, to remove the name from the unused pages of a SQLite file.
    """
    with database.writing() as connection, secure_delete(connection):
        lock_league(connection, leagues.find(connection, league).id)
        found = leagues.find(connection, league)
        return _anonymise(connection, found, player.strip(), author, reason, keep_hash, all_leagues)


def _anonymise(
    connection: Connection,
    league: League,
    name: str,
    author: str,
    reason: str,
    keep_hash: bool,
    all_leagues: bool,
) -> Erasure:
    if name in [erasure.alias for erasure in list_erasures(connection, league)]:
        raise Conflict(f"{name} is already anonymous", field="player", value=name)
    names = aliases.names_of(connection, league, name)
    if any(_as_word(each).search(reason) for each in names):
        raise Error.in_field("reason", "leave out the player's name, because the reason is stored", value=reason)
    salt = _salt(connection, league) or token_bytes(16)
    # Every name gets its own pseudonym, because earlier revisions and models may have rated the names as different
    # players.
    pseudonyms: dict[str, str] = {}
    hashed: set[int] = set()  # matches that already have a new id: an id that is hashed twice would not be recognised
    found = len(names) - 1
    for each in names:
        pseudonym = _next_alias(connection, league, pseudonyms.values())
        pseudonyms[each] = pseudonym
        found += _rename_matches(connection, league, each, pseudonym, salt, hashed)
        found += _rename_ratings(connection, league, each, pseudonym)
    held_in = _erase_contexts(connection, league, names)
    if not found:
        raise NotFound(f"{league.name} has no player named {name!r}", field="player", value=name)
    words = {_as_word(each): pseudonyms[each] for each in sorted(names, key=len, reverse=True)}

    def replaced(text: str) -> str:
        for word, pseudonym in words.items():
            text = word.sub(pseudonym, text)
        return text

    aliases.erase_names(connection, league, pseudonyms, keep_hash)
    former = select(schema.former_name.c.name).where(schema.former_name.c.league_id == league.id)
    league_names = [league.name, *connection.execute(former).scalars()]
    for table, columns in _TEXTS.items():
        is_audit = table is schema.audit
        own = table.c.league.in_(league_names) if is_audit else table.c.league_id == league.id
        shared = table.c.league.is_(None) if is_audit else table.c.league_id.is_(None)
        for column in columns:
            _rewrite_texts(connection, table.c[column], sa.or_(own, shared) if all_leagues else own, replaced)
    _restart_analyses(connection, league)
    revision = league.revision + 1
    # End the lease of a long correction under way, which has read the name, so that it starts again.
    leagues.update_row(connection, league, revision=revision, corrected=revision, replay_until=None)
    for each, pseudonym in pseudonyms.items():
        row = {"league_id": league.id, "alias": pseudonym, "revision": revision, "made_at": time()}
        row |= {"salt": salt if keep_hash else None, "hash": _hash(salt, each) if keep_hash else None}
        row["scrub_due"] = connection.dialect.name == "sqlite"
        connection.execute(insert(schema.erasure).values(row))
    for rated in rated_generations(connection, replace(league, revision=revision)) if held_in else ():
        if held_in & set(rated.league.model.context_columns):  # its ratings hold and depend on the removed values
            rebuild(connection, rated)
    alias = pseudonyms[names[0]]
    current = (_RATING.league_id == league.id, _RATING.rating_set == league.rating_set)
    changed = _RATING.player.in_(pseudonyms.values())
    # Clients that follow the event stream receive the ratings that have a new revision.
    connection.execute(update(schema.rating).where(*current, changed).values(revision=revision))
    audit.write(connection, replaced(author), "anonymise player", league.name, player=alias, reason=reason)
    return next(one for one in list_erasures(connection, league) if one.alias == alias)


def list_erasures(connection: Connection, league: League) -> list[Erasure]:
    """Return the anonymised players of a league, oldest first."""
    columns = (_ERASURE.alias, _ERASURE.revision, _ERASURE.made_at, _ERASURE.hash.is_not(None), _ERASURE.scrub_due)
    query = select(*columns).where(_ERASURE.league_id == league.id).order_by(_ERASURE.made_at, _ERASURE.alias)
    return [Erasure(*row) for row in connection.execute(query)]


def drop_hash(database: Database, league: str, alias: str, *, author: str = "") -> Erasure:
    """Drop the hash of an anonymised player's name. After that, importing an old file again brings the name back."""
    with database.writing() as connection, secure_delete(connection):
        lock_league(connection, leagues.find(connection, league).id)
        found = leagues.find(connection, league)
        erasure = next((one for one in list_erasures(connection, found) if one.alias == alias), None)
        if erasure is None:
            raise NotFound(f"{league} has no anonymised player {alias!r}", field="alias", value=alias)
        if not erasure.hash_kept:
            return erasure
        chains = aliases.load_chains(connection, found)
        names = chains.names(alias)  # the pseudonyms of the player's other names
        revision, scrub_due = found.revision + 1, connection.dialect.name == "sqlite"
        leagues.update_row(connection, found, revision=revision)
        values = {"salt": None, "hash": None, "revision": revision, "scrub_due": scrub_due}
        own = (_ERASURE.league_id == found.id, _ERASURE.alias.in_([alias, *names]))
        connection.execute(update(schema.erasure).where(*own).values(values))
        if names:
            aliases.save_chains(connection, found, chains, chains.changed(names, {}), revision)
            aliases.drop_all_uses(connection, found, names)
        audit.write(connection, author, "drop hash", league, player=alias)
        return replace(erasure, revision=revision, hash_kept=False, scrub_due=scrub_due)


def scrub(database: Database) -> bool:
    """Clear the unused pages of a SQLite file, which may hold erased names; return False if readers prevent it.

    Scrubbing rewrites the file, which takes about a second per 100 MB. While a file is scrubbed, nothing else can be
    written.
    """
    if not scrub_is_due(database):
        return True
    if not database.scrub():
        return False
    with database.writing() as connection:
        connection.execute(update(schema.erasure).values(scrub_due=False))
    return True


def scrub_is_due(database: Database) -> bool:
    """Return whether unused pages of the database may still hold a name that was erased."""
    with database.reading() as connection:
        return connection.execute(select(_ERASURE.alias).where(_ERASURE.scrub_due).limit(1)).first() is not None


# Rewriting


def _as_word(name: str) -> re.Pattern[str]:
    """Return a pattern that finds a name in a text as a whole word, ignoring case.

    >>> _as_word("ann").sub("x", "Ann beat Hannah; ann_1")
    'x beat Hannah; x_1'
    """
    letter = r"[^\W_]"
    return re.compile(f"(?<!{letter}){re.escape(name)}(?!{letter})", re.IGNORECASE)


def _next_alias(connection: Connection, league: League, taken: Iterable[str]) -> str:
    names = _RATING.player.like(f"{ALIAS}%")
    used = set(connection.execute(select(_RATING.player).where(_RATING.league_id == league.id, names)).scalars())
    used |= {erasure.alias for erasure in list_erasures(connection, league)} | set(taken)
    used |= set(aliases.load_chains(connection, league).targets)
    query = journal.rows_containing(connection, league, _JOURNAL.body, f'"{ALIAS}', _JOURNAL.body)
    for body in connection.execute(query).scalars():
        used |= {name for team in json.loads(body)["teams"] for name in team}
    number = 1
    while f"{ALIAS}{number}" in used:
        number += 1
    return f"{ALIAS}{number}"


def _rename_matches(
    connection: Connection, league: League, name: str, alias: str, salt: bytes, hashed: set[int]
) -> int:
    """Replace the name in all revisions of all matches; return how many revisions were changed.

    A match id that contains the name, or is a hash of the players' names, is replaced by a salted hash, and the number
    of the match is added to `hashed`. Matches that are already in `hashed` keep their ids.
    """
    columns = (_JOURNAL.seq, _JOURNAL.revision, _JOURNAL.kind, _JOURNAL.id, _JOURNAL.body, _JOURNAL.written_at)
    rows = connection.execute(
        journal.rows_containing(connection, league, _JOURNAL.body, json.dumps(name, ensure_ascii=False), *columns)
    )
    erased_at = {erasure.alias: erasure.made_at for erasure in list_erasures(connection, league)}
    bodies, ids = [], {}
    for row in rows:
        players = [player for team in json.loads(row.body)["teams"] for player in team]
        if name not in players:
            continue
        body = journal.rename_in(row.body, {name: alias})
        bodies.append({"at_seq": row.seq, "at_revision": row.revision, "body": body})
        # The id was hashed before if another player of the match was anonymised after the match was recorded.
        before = any(erased_at.get(player, row.written_at) > row.written_at for player in players)
        if row.kind == "post" and DERIVED_ID.fullmatch(row.id) and not before:
            ids[row.seq] = row.id
    if not name.isdecimal():  # a name that is a number may occur in an id by chance
        # The query searches for the longest ASCII part of the name: SQLite's lower() changes only ASCII letters.
        pattern, part = _as_word(name), max(re.findall("[ -~]*", name), key=len).lower()
        query = journal.rows_containing(connection, league, func.lower(_JOURNAL.id), part, _JOURNAL.seq, _JOURNAL.id)
        ids |= {row.seq: row.id for row in connection.execute(query) if pattern.search(row.id)}
    own = (_JOURNAL.league_id == league.id, _JOURNAL.seq == sa.bindparam("at_seq"))
    if bodies:
        this = (*own, _JOURNAL.revision == sa.bindparam("at_revision"))
        connection.execute(update(schema.journal).where(*this).values(body=sa.bindparam("body")), bodies)
    ids = {seq: id for seq, id in ids.items() if seq not in hashed}
    hashed.update(ids)
    if ids:
        renamed = [{"at_seq": seq, "id": _salted_id(salt, id)} for seq, id in ids.items()]
        connection.execute(update(schema.journal).where(*own).values(id=sa.bindparam("id")), renamed)
    return len(bodies)


def _erase_contexts(connection: Connection, league: League, names: Sequence[str]) -> set[str]:
    """Remove the names from the contexts of all revisions of all matches; return the columns that held them."""
    plain = {plain_letters(name) for name in names}
    parts = [json.dumps(name, ensure_ascii=False)[1:-1] for name in plain]
    columns = (_JOURNAL.seq, _JOURNAL.revision, _JOURNAL.context)
    query = select(*columns).where(_JOURNAL.league_id == league.id, _JOURNAL.context.is_not(None))
    changed: list[dict[str, Any]] = []
    held_in: set[str] = set()
    with connection.execute(query.execution_options(yield_per=READ_ROWS)) as rows:
        for seq, revision, context in rows:
            letters = plain_letters(context)
            if any(part in letters for part in parts) and (kept := without_names(context, plain)) != context:
                changed.append({"at_seq": seq, "at_revision": revision, "context": kept})
                held_in |= {name for name in read(context) if not is_same_in([name], context, kept)}
    if changed:
        own = (_JOURNAL.league_id == league.id, _JOURNAL.seq == sa.bindparam("at_seq"))
        this = (*own, _JOURNAL.revision == sa.bindparam("at_revision"))
        connection.execute(update(schema.journal).where(*this).values(context=sa.bindparam("context")), changed)
    return held_in


def _rename_ratings(connection: Connection, league: League, name: str, alias: str) -> int:
    checkpoint = schema.checkpoint
    query = select(*checkpoint.primary_key, checkpoint.c.players).where(checkpoint.c.league_id == league.id)
    for *key, players in connection.execute(query).all():
        names = unpack_names(players)
        if name in names:
            names[names.index(name)] = alias
            this = (column == value for column, value in zip(checkpoint.primary_key, key, strict=True))
            connection.execute(update(checkpoint).where(*this).values(players=pack_names(names)))
    own = (_RATING.league_id == league.id, _RATING.player == name)
    return connection.execute(update(schema.rating).where(*own).values(player=alias)).rowcount


def _rewrite_texts(
    connection: Connection, column: Any, condition: ColumnElement[bool], replaced: Callable[[str], str]
) -> None:
    # There are few distinct texts, so one statement for each is fast enough.
    for text in connection.execute(select(column).where(condition, column.is_not(None)).distinct()).scalars().all():
        new = _replace_in(text, replaced)
        if new != text:
            connection.execute(update(column.table).where(condition, column == text).values({column.name: new}))


def _replace_in(text: str, replaced: Callable[[str], str]) -> str:
    """Apply `replaced` to a text; if the text is a JSON object, apply it to the decoded strings in the object.

    >>> _replace_in('{"name": "a\\\\"b"}', lambda text: text.replace('a"b', "x"))
    '{"name": "x"}'
    """
    if not text.startswith("{"):
        return replaced(text)
    try:
        content = json.loads(text)
    except ValueError:
        return replaced(text)

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return replaced(value)
        if isinstance(value, list):
            return [walk(item) for item in value]
        return {replaced(key): walk(item) for key, item in value.items()} if isinstance(value, dict) else value

    new = walk(content)
    return text if new == content else json.dumps(new, ensure_ascii=False)


def _restart_analyses(connection: Connection, league: League) -> None:
    # A running analysis has read the name, and could show it in an error message.
    analysis = schema.analysis.c
    running = (analysis.league_id == league.id, analysis.state == "running")
    connection.execute(update(schema.analysis).where(*running).values(state="queued", worker=None))


# Recognising names


class UnhashedNames(WriteClash):
    """Raised if a transaction would hash too many names: roll the transaction back, call `hash_all`, and retry."""

    def __init__(self, digests: Sequence[bytes]) -> None:
        super().__init__(f"{len(digests)} names to hash")
        self.digests = digests

    def hash_all(self) -> None:
        """Hash the names, which are then cached."""
        if len(_CACHE) + len(self.digests) > MAX_CACHED:
            _CACHE.clear()
        for digest in self.digests:
            _slow_hash(digest)


_CACHE: dict[bytes, bytes] = {}  # maps fast hashes to slow ones, so that the cache holds no names


def _quick_hash(salt: bytes, name: str) -> bytes:
    return blake2b(normalize("NFC", name).encode(), key=salt, digest_size=32).digest()


def _slow_hash(digest: bytes) -> bytes:
    if digest not in _CACHE:
        _CACHE[digest] = scrypt(digest, salt=b"prowess", **COST)
    return _CACHE[digest]


def _hash(salt: bytes, name: str) -> bytes:
    return _slow_hash(_quick_hash(salt, name))


def _salted_id(salt: bytes, id: str) -> str:
    return blake2b(id.encode(), key=salt, digest_size=12).hexdigest()


def _salt(connection: Connection, league: League) -> bytes | None:
    query = select(_ERASURE.salt).where(_ERASURE.league_id == league.id, _ERASURE.salt.is_not(None))
    salt = connection.execute(query.limit(1)).scalar()
    return None if salt is None else bytes(salt)


class Recognised(NamedTuple):
    """Matches in which the names of anonymised players are replaced by their pseudonyms.

    `ids` maps replaced match ids to the new ids. `erased` are the names that were recognised, normalised by
    `plain_letters`.
    """

    history: History
    ids: Mapping[str, str] = {}
    erased: Collection[str] = ()


def with_pseudonyms(connection: Connection, league: League, history: History, *, waiting: bool = False) -> Recognised:
    """Return matches with the pseudonyms of anonymised players, and without their names in the context.

    Only names that are new to the league are hashed, and only texts in the context that could be names. `waiting` means
    that the transaction holds locks; in this case, too many new names raise `UnhashedNames`.
    """
    salt = _salt(connection, league) if league.erased else None
    if salt is None:
        return Recognised(history)
    # Texts with digits, such as scores and dates, are assumed not to be names.
    texts = [text for text in text_values(history) if not any(map(str.isdecimal, text))]
    names = list(dict.fromkeys([*history.players, *texts]))
    known = ratings.load_players(connection, league, names).rows
    new = [name for name in names if name not in known]
    pseudonyms = _pseudonyms_of(connection, league, salt, new, waiting)
    salted = {_salted_id(salt, id): id for id in history.ids or ()}
    ids = {salted[id]: id for id in journal.first_posts(connection, league, list(salted))}
    erased = {plain_letters(name) for name in pseudonyms}
    if erased:
        history = drop_names(aliases.rename_players(history, pseudonyms, secret=True), erased)
    if ids:
        history = replace(history, ids=tuple(ids.get(id, id) for id in history.ids or ()))
    return Recognised(history, ids, erased)


def is_erased(connection: Connection, league: League, name: str) -> bool:
    """Return whether a name is the pseudonym of an anonymised player, or is recognised as that player's name."""
    if not league.erased:
        return False
    salt = _salt(connection, league)
    if salt is not None and _pseudonyms_of(connection, league, salt, [name], False):
        return True
    return name in [one.alias for one in list_erasures(connection, league)]


def _pseudonyms_of(
    connection: Connection, league: League, salt: bytes, names: Sequence[str], waiting: bool
) -> dict[str, str]:
    digests = {name: _quick_hash(salt, name) for name in names}
    unhashed = [digest for digest in digests.values() if digest not in _CACHE]
    if waiting and len(unhashed) > MAX_HASHED:
        raise UnhashedNames(unhashed)
    query = select(_ERASURE.hash, _ERASURE.alias).where(_ERASURE.league_id == league.id, _ERASURE.hash.is_not(None))
    alias = {bytes(hash): alias for hash, alias in connection.execute(query)}
    hashes = {name: _slow_hash(digest) for name, digest in digests.items()}
    return {name: alias[hash] for name, hash in hashes.items() if hash in alias}
