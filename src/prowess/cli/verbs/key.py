"""`prowess key`: create, list, rotate and revoke access keys of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options.db_args import AUTHOR, DEFAULT_URL, Create, Url, open_database
from ..options.shared import Json, add_quiet_option
from ..output.console import note, print_json
from ..output.tables import print_table

if TYPE_CHECKING:
    from ...store.keys import Key

key = typer.Typer(no_args_is_help=True)
HEADS = ("id", "name", "scope", "league", "created", "used", "expires", "revoked")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Who or what will use the key, such as phone or referee.")]
Number = Annotated[int, typer.Argument(metavar="ID", help="The key's id, as shown by `prowess key list`.")]
Scope = Annotated[str, typer.Option(metavar="SCOPE", help="What the key allows: read, write or admin.")]
League = Annotated[
    str | None, typer.Option(metavar="NAME", help="Limit the key to this league. (default: all leagues)")
]

Expires = Annotated[
    str,
    typer.Option(
        metavar="WHEN", help="When the key expires: a date, a time, or a duration such as 90d. (default: never)"
    ),
]
Grace = Annotated[
    str, typer.Option(metavar="TIME", help="How long the old secret keeps working, such as 24h; 0 ends it at once.")
]


@key.callback()
def keys() -> None:
    """Create, list, rotate and revoke access keys of the service.

    A read key can read, a write key can also record matches, and an admin key can do everything, in one league or in
    all leagues. Public leagues can be read without a key.

    \b
    prowess key create phone
    prowess key create boss --scope admin
    prowess key list
    prowess key rotate 1
    prowess key revoke 1
    """


@key.command("create")
@add_quiet_option
def create(
    name: Name,
    scope: Scope = "write",
    league: League = None,
    expires: Expires = "",
    database: Url = DEFAULT_URL,
    create: Create = False,
    json: Json = False,
) -> None:
    """Create a key and print its secret. The secret is shown only once, because only its hash is stored.

    A missing database is created.

    \b
    prowess key create phone
    prowess key create referee --scope write --league darts
    prowess key create guest --scope read --expires 90d
    prowess key create boss --scope admin --database postgresql://prowess@localhost/prowess
    """
    # The first key of a new service is created before its database exists.
    with open_database(database, new=True, create=create) as db:
        from ...store import keys

        if scope not in keys.SCOPES:
            raise typer.BadParameter(f"{scope!r} must be one of {', '.join(keys.SCOPES)}", param_hint="--scope")
        expires_at = keys.parse_expiry(expires)
        db.migrate()
        with db.writing() as connection:
            key, secret = keys.create(connection, name, scope, league, expires_at=expires_at, author=AUTHOR)
        # The note names the database, because a mistyped path would have created a new one.
        url = db.url.render_as_string(hide_password=True)
    _print_secret(key, secret, json)
    access = f"{key.scope} access to {key.league or 'all leagues'}"
    note(f"{url}: created key {key.id} ({key.name}) with {access}; keep the secret, it cannot be shown again")


@key.command("list")
@add_quiet_option
def list_(database: Url = DEFAULT_URL, json: Json = False) -> None:
    """List all keys: what each one allows, and when it was created, was last used, expires, and was revoked.

    \b
    prowess key list
    prowess key list --json
    """
    with open_database(database) as db:
        from ...store import keys

        db.migrate()
        with db.reading() as connection:
            rows = [_to_dict(key) for key in keys.list_keys(connection)]
    if json:
        print_json(rows)
    elif rows:
        print_table(HEADS, [[_cell(head, row[head]) for head in HEADS] for row in rows], ("id",), ("name", "league"))
    else:
        note("no keys; create one with: prowess key create NAME")


@key.command("rotate")
@add_quiet_option
def rotate(id: Number, grace: Grace = "24h", database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Give a key a new secret and print it; the old secret works for another day, or as long as --grace says.

    \b
    prowess key rotate 1
    prowess key rotate 1 --grace 0
    """
    with open_database(database) as db:
        from ...store import keys

        seconds = keys.parse_duration(grace, "grace")
        db.migrate()
        with db.writing() as connection:
            key, secret = keys.rotate(connection, id, seconds, author=AUTHOR)
    _print_secret(key, secret, json)
    old = "the old secret no longer works" if key.old_until is None else f"the old secret works for {grace} more"
    note(f"rotated key {key.id} ({key.name}); {old}")


@key.command("revoke")
@add_quiet_option
def revoke(id: Number, database: Url = DEFAULT_URL, json: Json = False) -> None:
    """Revoke a key, so that it no longer works.

    \b
    prowess key revoke 1
    """
    with open_database(database) as db:
        from ...store import keys

        db.migrate()
        with db.writing() as connection:
            key = keys.revoke(connection, id, author=AUTHOR)
            admins = [other for other in keys.list_keys(connection) if other.may("admin", None)]
    if json:
        print_json(_to_dict(key))
    note(f"revoked key {key.id} ({key.name})")
    if key.scope == "admin" and key.league is None and not admins:
        note("this was the last admin key for all leagues; create another: prowess key create NAME --scope admin")


def _print_secret(key: Key, secret: str, json: bool) -> None:
    if json:
        print_json(_to_dict(key) | {"secret": secret})
    else:
        # Nothing else goes to standard output, so that scripts can capture the secret.
        typer.echo(secret)


def _to_dict(key: Key) -> dict[str, Any]:
    from ...store.clock import show

    times = {"created": key.created_at, "used": key.used_at, "expires": key.expires_at, "revoked": key.revoked_at}
    shown = {name: None if at is None else show("utc", round(at) * 1e6) for name, at in times.items()}
    return {"id": key.id, "name": key.name, "scope": key.scope, "league": key.league} | shown


def _cell(head: str, value: Any) -> str:
    if value is None:
        return "all" if head == "league" else ""
    # The date is enough for people; `--json` has the full times.
    return str(value)[:10] if head in HEADS[4:] else str(value)
