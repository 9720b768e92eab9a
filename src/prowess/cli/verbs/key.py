"""`prowess key`: who may do what with the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options.db_args import COMMAND_LINE, DEFAULT_URL, Url, open_database
from ..options.shared import Json, add_quiet_option
from ..output.console import note
from ..output.json import print_json
from ..output.tables import print_table

if TYPE_CHECKING:
    from ...store.keys import Key

key = typer.Typer(no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Who has the key, as people call them: phone, referee.")]
Number = Annotated[int, typer.Argument(metavar="ID", help="The number of the key in `prowess key list`.")]
Scope = Annotated[str, typer.Option(metavar="SCOPE", help="What it is good for: read, write or admin.")]
League = Annotated[str | None, typer.Option(metavar="NAME", show_default=False, help="Only this league; else all.")]


@key.callback()
def keys() -> None:
    """Make, list and revoke the keys of those who may use the service.

    A key reads, writes (and reads) or administers (and writes), in one league or in all. Leagues that are public are
    read without any.

    \b
    prowess key create phone
    prowess key create boss --scope admin
    prowess key list
    prowess key revoke 1
    """


@add_quiet_option
def create(
    name: Name, scope: Scope = "write", league: League = None, database: Url = DEFAULT_URL, json: Json = False
) -> None:
    """Make a key, and print its secret: this once, for only its hash is kept.

    A database that is not there yet is made.

    \b
    prowess key create phone
    prowess key create referee --scope write --league darts
    prowess key create boss --scope admin --database postgresql://prowess@localhost/prowess
    """
    with open_database(database, new=True) as found:
        from ...store import keys

        if scope not in keys.SCOPES:
            raise typer.BadParameter(f"{scope!r} must be one of {', '.join(keys.SCOPES)}", param_hint="--scope")
        found.migrate()
        with found.writing() as connection:
            made, secret = keys.create(connection, name, scope, league, author=COMMAND_LINE)
        where = found.url.render_as_string(hide_password=True)
    if json:
        print_json(_plain(made) | {"secret": secret})
    else:
        typer.echo(secret)
    rights = f"{made.scope} in {made.league or 'all leagues'}"
    note(f"{where}: key {made.id}, {made.name}, for {rights}; keep the secret, it cannot be shown again")


@add_quiet_option
def list_(database: Url = DEFAULT_URL, json: Json = False) -> None:
    """List all keys: what each is good for, when it was made, and when it was revoked.

    \b
    prowess key list
    prowess key list --json
    """
    with open_database(database) as found:
        from ...store import keys

        found.migrate()
        with found.reading() as connection:
            listed = [_plain(one) for one in keys.list_keys(connection)]
    if json:
        print_json(listed)
    elif listed:
        heads = ("id", "name", "scope", "league", "created", "revoked")
        print_table(heads, [[_cell(head, one[head]) for head in heads] for one in listed], ("id",), ("name", "league"))
    else:
        note("there are no keys: prowess key create NAME makes one")


@add_quiet_option
def revoke(id: Number, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Make a key good for nothing, from now on.

    \b
    prowess key revoke 1
    """
    with open_database(database) as found:
        from ...store import keys

        found.migrate()
        with found.writing() as connection:
            gone = keys.revoke(connection, id, author=COMMAND_LINE)
    if json:
        print_json(_plain(gone))
    note(f"key {gone.id}, {gone.name}, is revoked")


key.command("create")(create)
key.command("list")(list_)
key.command("revoke")(revoke)


def _plain(one: Key) -> dict[str, Any]:
    """A key for machines."""
    from ...store.clock import show

    times = {"created": one.created_at, "revoked": one.revoked_at}
    shown = {name: None if at is None else show("utc", round(at) * 1e6) for name, at in times.items()}
    return {"id": one.id, "name": one.name, "scope": one.scope, "league": one.league} | shown


def _cell(head: str, value: Any) -> str:
    """What stands in the table: of times the day."""
    if value is None:
        return "all" if head == "league" else ""
    return str(value)[:10] if head in ("created", "revoked") else str(value)
