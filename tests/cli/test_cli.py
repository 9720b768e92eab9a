import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import typer

import prowess as pw
from prowess.cli import OWN, SUMMARIES, VERBS, app
from prowess.history.read_context import Findings
from prowess.model.processor import kernel_variant
from tests.cli.running import LEAGUE, TEXTBOOK, WIDE, command, environment, run, write

PURE = "pure, so rating takes 20 to 300 times as long as with compiled kernels"
KERNEL = f"compiled ({kernel_variant()})" if pw.kernel_mode() == "compiled" else PURE
VERSION = f"prowess {pw.__version__}\nkernel: {KERNEL}\n"


def test_version_option_prints_version_and_kernel_mode() -> None:
    result = run("--version")
    assert (result.stdout, result.exit_code) == (VERSION, 0)


def test_python_m_prowess_prints_the_same_as_the_installed_command() -> None:
    installed = Path(sys.executable).with_name("prowess")
    printed = subprocess.run([installed, "--version"], capture_output=True, encoding="utf-8", check=True).stdout
    assert printed == command("--version").stdout == VERSION


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_help_lists_commands_and_examples(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert "prowess rate matches.csv" in result.output
    assert all(verb in result.output for verb in ("rate", "demo", "--version", "--install-completion"))


def test_help_of_a_command_lists_its_options() -> None:
    output = run("rate", "--help").output
    assert all(
        option in output for option in ("--top", "--json", "--out", "--columns", "--model", "--set", "--save", "FILE")
    )
    assert "prowess rate chess.csv --columns winner=won --columns loser=lost" in output
    assert "--out" in run("demo", "--help").output


@pytest.mark.parametrize("words", [(), ("rate",), ("check",), ("key", "create"), ("league", "delete"), ("papers",)])
def test_help_shows_no_type_for_options_without_a_value(words: tuple[str, ...]) -> None:
    output = run(*words, "--help").output
    assert "--help" in output
    assert "bool" not in output.lower()


def test_help_groups_commands_in_panels_and_lists_exit_codes() -> None:
    output = run("--help").stdout
    assert output.index("─ Rate ─") < output.index("─ Compare ─")
    assert "Exit codes: 0 success, 1 error, 2 wrong usage, 130 interrupted." in output


def test_error_for_an_unknown_command_suggests_the_most_similar_command() -> None:
    result = run("rat", LEAGUE)
    assert result.exit_code == 2
    assert "Did you mean 'rate'?" in result.stderr


@pytest.mark.parametrize("words", [("-q", "rate", LEAGUE), ("rate", LEAGUE, "--quiet"), ("rate", "-q", LEAGUE)])
def test_quiet_option_hides_notes(words: tuple[object, ...]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == run("rate", LEAGUE).stdout
    assert run("rate", LEAGUE).stderr != ""


def test_quiet_option_does_not_hide_errors() -> None:
    assert run("-q", "rate", "nowhere.csv").stderr == "error: nowhere.csv: file not found\n"


@pytest.mark.parametrize(
    "words", [("nonsense",), ("rate",), ("rate", "a.csv", "--nonsense"), ("rate", "a.csv", "--top", "-1")]
)
def test_wrong_command_line_usage_exits_with_code_2(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr


def test_summaries_in_the_help_are_the_first_sentences_of_the_commands() -> None:
    group: Any = typer.main.get_command(app)
    assert list(SUMMARIES) == [*VERBS, *OWN]
    for name, summary in SUMMARIES.items():
        verb = group.get_command(None, name)
        assert " ".join(verb.help.split("\n\n")[0].split()) == summary


ONLY_RATE = """
import sys
from prowess.cli import main
sys.argv = ["prowess", "rate", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code
print([name for name in ("lab", "matchmaking", "service", "store", "client") if f"prowess.{name}" in sys.modules])
"""


@pytest.mark.parametrize(("words", "loaded"), [(TEXTBOOK, "[]"), ((), "['lab']")])
def test_rate_imports_the_lab_only_to_choose_a_model(words: tuple[str, ...], loaded: str) -> None:
    line = [sys.executable, "-c", ONLY_RATE, str(LEAGUE), *words]
    done = subprocess.run(line, env=environment(), capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines()[-1] == loaded


def test_each_warning_is_printed_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> Findings:
        warnings.simplefilter("always")
        warnings.warn("some\nthing is odd", stacklevel=2)
        return Findings(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), "odd")

    monkeypatch.setattr("prowess.cli.options.read_args.read_file", read)
    result = run("rate", LEAGUE)
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: some thing is odd\n")
    assert run("-q", "rate", LEAGUE).stderr == "warning: some thing is odd\n"


def test_unexpected_exception_shows_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("prowess.cli.options.read_args.read_file", read)
    assert isinstance(run("rate", LEAGUE).exception, ZeroDivisionError)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends signals differently")
def test_ctrl_c_prints_no_traceback_and_leaves_no_file(tmp_path: Path) -> None:
    code = """
import sys, time
from prowess.cli import main
import polars as pl
def slow(frame, place):
    open(place, "w").write("half")
    print("ready", flush=True)
    time.sleep(30)
pl.DataFrame.write_csv = slow
sys.argv = ["prowess", "rate", "games.csv", "--out", "out.csv"]
main()
"""
    write(tmp_path, "games.csv", WIDE)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=environment(), **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert [file.name for file in tmp_path.iterdir()] == ["games.csv"]


IMPORTS = """
import sys
slow = sys.argv.pop(1)
class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == slow:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Impatient())
from prowess.cli import main
main()
"""


@pytest.mark.parametrize("module", ["prowess.cli.options.shared", "prowess.cli.verbs.rate"])
def test_ctrl_c_during_imports_prints_no_traceback(module: str) -> None:
    line = [sys.executable, "-c", IMPORTS, module, "rate", str(LEAGUE)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_every_command_except_serve_has_a_json_option() -> None:
    group: Any = typer.main.get_command(app)
    verbs = {name: group.get_command(None, name) for name in group.list_commands(None)}
    single = {f"{name} {inner}".strip(): one for name, verb in verbs.items() for inner, one in _single(verb).items()}
    assert "key list" in single
    silent = [name for name, verb in single.items() if not any("--json" in one.opts for one in verb.params)]
    assert silent == ["serve"]


def _single(verb: Any) -> dict[str, Any]:
    """Return the subcommands of a command, or the command itself if it has none."""
    return getattr(verb, "commands", {"": verb})
