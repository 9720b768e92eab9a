"""The command line: a thin layer over the library, with one file per verb."""

import inspect
import io
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

try:
    import typer
    from typer.core import TyperCommand, TyperGroup

    from .. import __version__
    from ..errors import Error
    from ..plugins import find_plugins, load_plugin
    from .output.console import Quiet, handle_errors, note, set_quiet
except KeyboardInterrupt:  # no traceback if the user presses Ctrl-C during the slow imports
    sys.exit(130)

__all__ = ["app", "main"]


# For each verb: its panel in --help, and the module and the function that run it. A verb is imported only when it is
# run, because importing the lab, matchmaking or the service takes longer than rating a file.
VERBS = {
    "rate": ("Rate", "rate", "rate"),
    "demo": ("Rate", "demo", "demo"),
    "predict": ("Predict and match", "predict", "predict"),
    "explain": ("Predict and match", "explain", "explain"),
    "balance": ("Predict and match", "balance", "balance"),
    "pair": ("Predict and match", "pair", "pair"),
    "next": ("Predict and match", "next", "next_"),
    "compare": ("Compare", "compare", "compare"),
    "tune": ("Compare", "tune", "tune"),
    "discover": ("Compare", "discover", "discover"),
    "check": ("Files", "check", "check"),
    "simulate": ("Files", "simulate", "simulate"),
    "serve": ("Serve", "serve", "serve"),
    "import": ("Serve", "import_", "import_"),
    "key": ("Serve", "key", "key"),
    "league": ("Serve", "league", "league"),
    "anonymise": ("Serve", "anonymise", "anonymise"),
    "backup": ("Serve", "backup", "backup"),
    "restore": ("Serve", "backup", "restore"),
    "doctor": ("Serve", "doctor", "doctor"),
}
PLUGINS = "prowess.verbs"
OWN = {"papers": "prowess_papers"}  # our verbs in distributions of their own, and their packages
# The first sentence of each verb's own help, so that `prowess --help` imports no verb, and not even NumPy.
SUMMARIES = {
    "rate": "Rate the players in one or more files of matches, and print the standings.",
    "demo": "Choose a model for an example league, rate it, predict its next matches and draw skill curves, all "
    "offline.",
    "predict": "Predict matches: the winner, the places, the scores, and how fair each match is.",
    "explain": "Explain a rating: the player's matches, the expected and actual results, and how each match moved the "
    "rating.",
    "balance": "Split players into the fairest teams, and predict their match.",
    "pair": "Pair players so that as many as possible play, in matches as fair as possible.",
    "next": "Find the most informative matches, whose results would reveal most about the players' skills.",
    "compare": "Find out which model predicts the matches of a file best, and how certain that is.",
    "tune": "Find parameters that make a model predict the matches of a file better, and print the command to use "
    "them.",
    "discover": "Find out which columns of a file help to predict its matches, and how.",
    "check": "Check a file: show how its columns are read, every problem with its line, and what looks unusual.",
    "simulate": "Simulate a league with known skills, from any model, and write its matches for `prowess rate`.",
    "serve": "Run the web service: pages for people and an HTTP API for programs.",
    "import": "Import a file of matches into a league of the service; importing it again changes nothing.",
    "key": "Create, list, rotate and revoke access keys of the service.",
    "league": "List, change, rename, archive and delete leagues of the service.",
    "anonymise": "Erase a player's name: replace it by an alias in all data of a league. This cannot be undone.",
    "backup": "Back up the service: all leagues, matches with their revisions, ratings and keys.",
    "restore": "Restore a backup into an empty SQLite or PostgreSQL database; a missing SQLite file is created.",
    "doctor": "Check the database of a service, its ratings (against a replay of the journal), its settings, and the "
    "machine.",
    "papers": "Run the experiments of a paper again, and print our numbers beside the published numbers.",
}


class Group(TyperGroup):
    """A group of verbs; its help leaves out the type <bool> that newer versions of Typer show for switches."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters of the group itself."""
        return _without_switch_types(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a verb, or None if the name is unknown."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and ctx is not None:
            _without_switch_types(command.get_params(ctx))
        return command


def _without_switch_types(params: Any) -> Any:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


class Verbs(Group):
    """The built-in and plugin verbs; a built-in verb is imported only when it is run."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; errors and warnings are printed on one line each."""
        with handle_errors():
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, which lists the summaries of the built-in verbs."""
        loaded = self.commands
        shown = [name for name in SUMMARIES if not _is_missing(name)]
        self.commands = {name: TyperCommand(name, help=SUMMARIES[name], rich_help_panel=_panel(name)) for name in shown}
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = loaded

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all verbs; a broken plugin is left out with a warning."""
        for name in find_plugins(PLUGINS):
            if name in VERBS:
                continue
            try:
                self._load(name)
            except Error as error:
                if not (_is_missing(name) or (ctx and ctx.resilient_parsing)):  # no warnings during shell completion
                    note(str(error), "yellow", "warning: ")
        return [*VERBS, *(name for name in super().list_commands(ctx) if name not in VERBS)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a verb, or None if the name is unknown; raises `Error` for a broken plugin."""
        if cmd_name in self.commands:
            return super().get_command(ctx, cmd_name)
        try:
            if cmd_name in VERBS or cmd_name in find_plugins(PLUGINS) or cmd_name in OWN:
                self._load(cmd_name)
            else:
                for name in self.list_commands(ctx):  # only verbs that are loaded are suggested
                    self._load(name)
        except Error:
            if not ctx.resilient_parsing:
                raise
        return super().get_command(ctx, cmd_name)

    def _load(self, name: str) -> None:
        if name in self.commands:
            return
        if name in VERBS:  # a built-in verb wins over a plugin of the same name
            self.add_command(_make_verb(name), name)
            return
        if _is_missing(name):
            raise Error(f"{name}: not installed; pip install {OWN[name].replace('_', '-')}")
        self.add_command(load_plugin(PLUGINS, name, _make_plugin), name)  # type: ignore[arg-type]


def _is_missing(name: str) -> bool:
    return name in OWN and (name not in find_plugins(PLUGINS) or find_spec(OWN[name]) is None)


def _panel(name: str) -> str:
    return "Compare" if name in OWN else VERBS[name][0] if name in VERBS else "Plugins"


def _make_verb(name: str) -> Any:
    from .options.shared import add_quiet_option

    panel, module, function = VERBS[name]
    verb = getattr(import_module(f".verbs.{module}", __name__), function)
    single = typer.Typer(add_completion=False)
    if not isinstance(verb, typer.Typer):
        single.command(name, rich_help_panel=panel)(add_quiet_option(verb))
        return typer.main.get_command(single)
    single.add_typer(verb, name=name, cls=Group, rich_help_panel=panel)
    return typer.main.get_group(single).commands[name]


def _make_plugin(name: str, plugin: object) -> object:
    from .options.shared import add_quiet_option

    if not inspect.isfunction(plugin):
        raise Error(f"a command must be a function, not {plugin!r}")
    single = typer.Typer(add_completion=False)
    single.command(name, rich_help_panel=_panel(name))(add_quiet_option(plugin))
    return typer.main.get_command(single)


app = typer.Typer(
    name="prowess",
    cls=Verbs,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,  # for a bug, show Python's own traceback
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from .output.kernels import describe_kernels

        typer.echo(f"prowess {__version__}\nkernel: {describe_kernels()}")
        raise typer.Exit


VERSION_HELP = "Show the version and how the kernels are compiled."
Version = Annotated[bool, typer.Option("--version", help=VERSION_HELP, callback=_print_version, is_eager=True)]


@app.callback(epilog="Exit codes: 0 success, 1 error, 2 wrong usage, 130 interrupted.")
def prowess(version: Version = False, quiet: Quiet = False) -> None:
    """Skill ratings for players and teams, from a file of match results.

    \b
    prowess demo                              see it work on an example league
    prowess rate matches.csv                  standings of your own league
    prowess rate matches.csv --out table.csv  write the standings to a file
    prowess compare matches.csv               find the model that predicts best
    prowess tune matches.csv                  find better parameters for a model
    prowess discover matches.csv              find out which columns matter
    prowess papers halo2 --data DIR           rerun a paper's experiments
    prowess serve --demo                      run the web service

    Results go to standard output; notes, warnings and errors go to standard error.
    """
    if quiet:
        set_quiet()


def main() -> None:
    """Run the command `prowess`."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name that the terminal cannot show must not raise an error
    try:
        app(prog_name="prowess")
    except KeyboardInterrupt:
        sys.exit(130)
