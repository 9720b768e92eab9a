"""`prowess league`: list, change, rename, archive and delete leagues of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...service.settings import Settings, variable
from ...text import count
from ..options.db_args import AUTHOR, DEFAULT_URL, Url, open_database
from ..options.shared import Json, add_quiet_option
from ..output.console import note, print_json
from ..output.tables import print_table

if TYPE_CHECKING:
    from ...store.leagues import League

league = typer.Typer(no_args_is_help=True)
HEADS = ("name", "title", "matches", "state")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The league's name, as in its URL.")]
NewName = Annotated[str, typer.Argument(metavar="NEW", help="The new name: lowercase letters, digits and hyphens.")]
AUTO_SWITCH_HELP = "Replace the league's model automatically if the service finds a better one, or only offer it."
AutoSwitch = Annotated[bool | None, typer.Option("--auto-switch/--no-auto-switch", help=AUTO_SWITCH_HELP)]
GRACE_HELP = "Days for which the league can be undeleted; 0 removes it with the next purge."
Grace = Annotated[
    float, typer.Option(metavar="DAYS", min=0, envvar=variable("delete_grace"), help=GRACE_HELP, show_default=True)
]


@league.callback()
def leagues() -> None:
    """List, change, rename, archive and delete leagues of the service.

    \b
    prowess league list
    prowess league rename darts pub-darts
    prowess league change darts --auto-switch
    prowess league archive darts
    prowess league delete darts
    prowess league undelete darts
    """


@league.command("list")
@add_quiet_option
def list_(database: Url = DEFAULT_URL, json: Json = False) -> None:
    """List all leagues, including archived and deleted leagues.

    \b
    prowess league list
    """
    with open_database(database) as db:
        from ...store import leagues

        db.migrate()
        with db.reading() as connection:
            rows = [_to_dict(league) for league in leagues.list_leagues(connection)]
    if json:
        print_json(rows)
    elif rows:
        print_table(HEADS, [[str(row[head]) for head in HEADS] for row in rows], ("matches",), ("title", "name"))
    else:
        note("no leagues; create one with: prowess import FILE --league NAME")


@league.command("rename")
@add_quiet_option
def rename(name: Name, new: NewName, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Rename a league; its old URLs redirect to the new name until another league takes the old name.

    \b
    prowess league rename darts pub-darts
    """
    _print(_change(database, name, new_name=new), json, f"renamed league {name!r} to {new!r}")


@league.command("change")
@add_quiet_option
def change(name: Name, auto_switch: AutoSwitch = None, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Change the settings of a league.

    \b
    prowess league change darts --auto-switch
    """
    if auto_switch is None:
        raise typer.BadParameter("give --auto-switch or --no-auto-switch")
    changed = _change(database, name, settings={"auto_switch": auto_switch})
    effect = "replace its model" if auto_switch else "only be offered"
    _print(changed, json, f"changed league {name!r}: better models will {effect}")


@league.command("archive")
@add_quiet_option
def archive(name: Name, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Archive a league: it stays readable, but cannot be changed and is left out of the list of leagues.

    \b
    prowess league archive darts
    """
    _print(_change(database, name, archived=True), json, f"archived league {name!r}")


@league.command("unarchive")
@add_quiet_option
def unarchive(name: Name, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Unarchive a league, so that it can be changed again.

    \b
    prowess league unarchive darts
    """
    _print(_change(database, name, archived=False), json, f"unarchived league {name!r}")


@league.command("delete")
@add_quiet_option
def delete(name: Name, grace: Grace = Settings.delete_grace, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Delete a league: it is hidden, and removed for good after 30 days (see --grace) unless it is undeleted.

    \b
    prowess league delete darts
    """
    with open_database(database) as db:
        from ...store import leagues

        db.migrate()
        with db.writing() as connection:
            deleted = leagues.delete(connection, name, grace, author=AUTHOR)
    _print(
        deleted,
        json,
        f"deleted league {name!r}; until {deleted.purge_day} you can undo this with: prowess league undelete {name}",
    )


@league.command("undelete")
@add_quiet_option
def undelete(name: Name, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Restore a deleted league, exactly as it was, if its data has not been permanently removed yet.

    \b
    prowess league undelete darts
    """
    with open_database(database) as db:
        from ...store import leagues

        db.migrate()
        with db.writing() as connection:
            restored = leagues.undelete(connection, name, author=AUTHOR)
    _print(restored, json, f"undeleted league {name!r}")


@league.command("purge")
@add_quiet_option
def purge(database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Remove deleted leagues for good once their grace period has ended, and shrink a SQLite file.

    A running service removes deleted leagues by itself, but does not shrink the file, because that would delay posts.

    \b
    prowess league purge
    """
    with open_database(database) as db:
        from ...store.purge import purge_deleted

        db.migrate()
        names = purge_deleted(db)
        if not db.scrub():
            note("the file was not made smaller, because the service is reading it; try again later")
    if json:
        print_json({"removed": names})
    note(f"removed {count(len(names), 'league', 'leagues')}" + (f": {', '.join(names)}" if names else ""))


def _change(database: str, name: str, **changes: Any) -> League:
    with open_database(database) as db:
        # The store is imported after `open_database` has checked that its optional packages are installed.
        from ...store import leagues

        db.migrate()
        with db.writing() as connection:
            return leagues.change(connection, name, author=AUTHOR, **changes)


def _print(league: League, json: bool, done: str) -> None:
    if json:
        print_json(_to_dict(league))
    note(done)


def _to_dict(league: League) -> dict[str, Any]:
    state = f"deleted, removed on {league.purge_day}" if league.purge_at is not None else "active"
    state = "archived" if league.purge_at is None and league.archived_at is not None else state
    return {"name": league.name, "title": league.title, "matches": league.posted, "state": state}
