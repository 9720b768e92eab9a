"""Rename and merge players in histories and files, read alias files, and reject impossible merges."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ..cells.text import clean_names, text_of
from ..columns.raw_matches import RawMatches
from ..read_context import Findings, Table
from ..read_options import Choices
from ..reading.sniff import load
from ..times import show_time
from .aliases import Aliases, find_clash, merged_players, resolve_aliases
from .spelling import nearest, plain_name

if TYPE_CHECKING:
    from ..history import History

# Titles of the two columns of a file of aliases, as `plain_name` returns them.
ALIAS_TITLES = ("alias", "aliases", "from", "misspelling", "nickname", "old", "oldname", "spelling", "typo", "variant")
NAME_TITLES = ("canonical", "correct", "name", "new", "newname", "player", "playername", "realname", "to")


def rename(history: "History", names: Mapping[str, str]) -> "History":
    """Rename and merge the players of a history; see `History.rename`."""
    if not isinstance(names, Mapping):
        right = "rename needs a mapping from old to new names, such as {'Jeevo': 'Deevo'}"
        raise Error(f"{right}, not {names!r}", field="names", value=names)
    resolved = resolve_aliases(names)
    existing = set(history.players)
    unknown = next((name for name in resolved if name not in existing), None)
    if unknown is not None:
        near = nearest(unknown, history.players, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise Error(f"no player named {unknown!r} to rename{hint}", field="names", value=unknown)
    if not resolved:
        return history
    return _renamed(history, [resolved.get(name, name) for name in history.players])


def _renamed(history: "History", names: Sequence[str]) -> "History":
    translate, players = merged_players(names)
    clash = find_clash(history.match_start, history.team_start, history.player, translate)
    if clash is not None:
        message = f"{_describe(history, clash.match)}: {clash.sentence(history.players)}"
        raise Error(message, field="names", match=clash.match)
    return replace(history, player=translate[history.player], players=players)


def _describe(history: "History", match: int) -> str:
    details: list[str] = []
    if history.time is not None and history.time_kind is not None:
        details.append(str(show_time(history.time_kind, history.time_zone, history.time[match])))
    if history.ids is not None and history.ids[match]:
        details.append(f"id {history.ids[match]!r}")
    return f"match {match + 1}" + (f" ({', '.join(details)})" if details else "")


def rename_draft(table: Table, draft: RawMatches) -> RawMatches:
    """Apply the aliases in the reading options to raw matches.

    An impossible merge raises an `Error` that names the line.
    """
    aliases = table.choices.aliases
    if not isinstance(aliases, Aliases) or not len(aliases):
        return draft
    old = list(draft.names)
    translate, names = merged_players(_apply(aliases, old))
    clash = find_clash(draft.match_start, draft.team_start, draft.player, translate)
    if clash is not None:
        row = 0 if draft.rows is None else int(draft.rows(clash.match, clash.entries[1])[0])
        raise table.error(row, f"{clash.sentence(old)}; correct the aliases", column="aliases")
    return replace(draft, player=translate[draft.player], names=names)


def rename_findings(findings: Findings, choices: Choices) -> Findings:
    """Apply the aliases in the reading options to findings that were read from JSON matches, without a table."""
    aliases = choices.aliases
    if not isinstance(aliases, Aliases) or not len(aliases):
        return findings
    try:
        history = _renamed(findings.history, _apply(aliases, findings.history.players))
    except Error as error:
        raise error.within(f"{findings.title}, ", field="aliases") from None
    return replace(findings, history=history)


def with_remarks(history: "History", choices: Choices) -> "History":
    """Add the remarks on the aliases in the reading options. Call this after all matches are read."""
    if not isinstance(choices.aliases, Aliases) or not len(choices.aliases):
        return history
    return replace(history, remarks=(*history.remarks, *choices.aliases.remarks(history.players)))


def _apply(aliases: Aliases, names: Sequence[str]) -> list[str]:
    import polars as pl

    # A name may have invisible characters that the file of aliases lacks.
    clean = clean_names(pl.Series(names, dtype=pl.String)).to_list()
    return aliases.apply(seen if seen in aliases else name for name, seen in zip(names, clean, strict=True))


def choices_of(reading: Mapping[str, Any]) -> Choices:
    """Return the reading options from keywords; `aliases` may be a mapping or the path of a file with two columns."""
    aliases = reading.get("aliases")
    if isinstance(aliases, (str, os.PathLike)):
        reading = {**reading, "aliases": read_aliases(aliases)}
    return Choices.of(reading)


def read_aliases(path: str | os.PathLike[str]) -> Aliases:
    """Read a file of aliases: two columns, the alias and the player's name; a header row is optional.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "aliases.csv")
    ...     _ = path.write_text("alias,name\\nJeevo,Deevo\\n")
    ...     dict(read_aliases(path))
    {'Jeevo': 'Deevo'}
    """
    table = load(path, Choices(header=False))
    title = str(path)
    if not isinstance(table, Table):
        raise Error(f"{title}: a file of aliases has two columns: alias and name", field="aliases", value=title)
    columns = list(table.frame.columns)
    first = [plain_name(str(cell or "")) for cell in table.frame.row(0)] if len(table.frame) else []
    order, start = _column_order(first), 1
    if order is None:
        order, start = _column_order([plain_name(column) for column in columns]), 0
    if order is None and len(columns) > 2:
        message = f"{title}: a file of aliases has two columns, alias and name, not {len(columns)}"
        raise Error(message, field="aliases", value=title)
    if len(columns) < 2:
        if not len(table.frame):
            return Aliases({}, title)
        raise table.error(0, "give two columns: an alias, and the name of the player", column="aliases")
    alias, name = (text_of(table, columns[index]) for index in order or (0, 1))
    cells = zip(clean_names(alias).to_list(), clean_names(name).to_list(), strict=True)
    aliases: dict[str, str] = {}
    for row, (old, new) in enumerate(cells):
        if row < start * (order is not None) or not (old or new):
            continue
        if not old or not new:
            missing = "name of the player" if old else "alias"
            raise table.error(row, f"the {missing} is missing; fill it in, or drop the row", column="aliases")
        if aliases.setdefault(old, new) != new:
            text = f"{old!r} is already an alias of {aliases[old]!r}; keep one of them"
            raise table.error(row, text, column="aliases", value=old)
    try:
        return Aliases(aliases, title)
    except Error as error:
        raise error.within(f"{title}: ") from None


def _column_order(titles: Sequence[str]) -> tuple[int, int] | None:
    # None means that `titles` is not a header row.
    alias = [index for index, title in enumerate(titles) if title in ALIAS_TITLES]
    name = [index for index, title in enumerate(titles) if title in NAME_TITLES]
    return (alias[0], name[0]) if len(alias) == 1 and len(name) == 1 else None
