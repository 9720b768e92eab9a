"""`prowess anonymise`: erase a player's name from a league of the service."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.db_args import AUTHOR, DEFAULT_URL, Url, open_database
from ..options.shared import Json
from ..output.console import note, print_json, printable

Player = Annotated[str, typer.Argument(metavar="PLAYER", help="The player's name; with --drop-hash, the alias.")]
League = Annotated[str, typer.Option(metavar="NAME", help="The league.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Reason for the audit log; it must not contain the name.")]
KeepHash = Annotated[
    bool,
    typer.Option(
        "--hash/--no-hash", help="Keep a salted hash of the name, to replace the name by the alias in later imports."
    ),
]
DROP_HELP = "Only delete the stored hash of a player who was anonymised earlier; PLAYER is the alias."
DropHash = Annotated[bool, typer.Option("--drop-hash", help=DROP_HELP)]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


def anonymise(
    player: Player,
    league: League,
    reason: Reason = "",
    keep_hash: KeepHash = True,
    drop_hash: DropHash = False,
    yes: Yes = False,
    database: Url = DEFAULT_URL,
    json: Json = False,
) -> None:
    """Erase a player's name: replace it by an alias in all data of a league. This cannot be undone.

    The name disappears from all versions of all matches, from the audit log and from later backups. No rating changes.
    The service can keep running. A salted hash of the name is kept, so that importing an old file again does not bring
    the name back; --drop-hash deletes the hash later.

    \b
    prowess anonymise "Zoe Q" --league darts
    prowess anonymise "Zoe Q" --league darts --reason "asked by letter" --yes
    prowess anonymise anonymous-1 --league darts --drop-hash
    """
    with open_database(database) as db:
        from ...service.settings import Settings
        from ...store import exports, leagues
        from ...store.write import erasure

        db.migrate()
        if drop_hash:
            done = erasure.drop_hash(db, league, player, author=AUTHOR)
        else:
            if not yes:
                question = f"Erase the name {player!r} from league {league!r} for good?"
                typer.confirm(printable(question), abort=True, err=True)
            # A user who can open the database may do everything, so the name is erased outside of leagues, too.
            done = erasure.anonymise(
                db, league, player, author=AUTHOR, reason=reason, keep_hash=keep_hash, all_leagues=True
            )
            # Finished exports of the league still have the name.
            with db.reading() as connection:
                id = leagues.find(connection, league).id
            exports.ExportFolder(exports.export_folder(db.url, Settings.from_env().export_folder)).forget(id)
        done = done.scrubbed(erasure.scrub(db))
    if json:
        print_json({"player": done.alias, "hash_kept": done.hash_kept, "scrub_due": done.scrub_due})
    elif not drop_hash:
        typer.echo(done.alias)
    note(f"dropped the hash of {done.alias}" if drop_hash else f"the player is now called {done.alias}")
    if done.scrub_due:
        note(
            "the name may still be in deleted parts of the database file, which cannot be cleared while another "
            "process is reading the file; the service will clear them later"
        )
