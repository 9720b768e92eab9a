"""Environment variables, flags and guides agree with the fields of `Settings`."""

import re
from dataclasses import fields

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

import prowess as pw
from prowess.cli import app
from prowess.service.settings import LIMITS, LOGS, Settings, variable
from tests.cli.running import ROOT

GUIDE = (ROOT / "docs" / "guide" / "service.md").read_text(encoding="utf-8")
PRODUCTION = (ROOT / "docs" / "guide" / "production.md").read_text(encoding="utf-8")
WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=","), min_size=1, max_size=20)


def shown(value):
    """Return a default value in the notation of the guide."""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(value) if isinstance(value, tuple) else f"{value:g}" if isinstance(value, float) else str(value)


def test_guide_lists_every_setting_with_variable_flag_and_default():
    row = re.compile(r"^\| `(\w+)` \| `(PROWESS_\w+)` \| `(--[\w-]+)` \| (?:`([^`]*)`)? *\| .+ \|$", re.M)
    listed = [found.groups(default="") for found in row.finditer(GUIDE)]
    assert listed == [
        (one.name, variable(one.name), f"--{one.name.replace('_', '-')}", shown(one.default))
        for one in fields(Settings)
    ]


def test_production_guide_lists_every_limit_with_its_default():
    listed = re.findall(r"^\| `(\w+)` \| `([^`]*)` \| .+ \|$", PRODUCTION, re.M)
    assert listed == [(one.name, shown(one.default)) for one in fields(Settings) if one.metadata["panel"] == LIMITS]


@pytest.mark.parametrize(
    ("verb", "own"), [("serve", {"create", "demo"}), ("doctor", {"backups", "json", "repair"})], ids=["serve", "doctor"]
)
def test_serve_and_doctor_have_a_flag_for_every_setting(verb, own):
    command = typer.main.get_command(app).get_command(None, verb)
    assert {one.name for one in command.params} == {one.name for one in fields(Settings)} | own | {"quiet"}


@given(
    st.builds(
        Settings,
        database=WORDS,
        host=WORDS,
        port=st.integers(0, 65535),
        workers=st.integers(1, 99),
        log=st.sampled_from(LOGS),
        metrics=st.booleans(),
        rate_limit=st.floats(0, 1e9),
        cors_origins=st.lists(WORDS, max_size=3).map(tuple),
        forwarded=st.lists(WORDS, max_size=3).map(tuple),
    )
)
def test_settings_round_trip_through_environment_variables(settings):
    assert Settings.from_env(settings.to_env()) == settings
    assert Settings.from_env({}) == Settings()


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"PROWESS_PORT": "http"}, "PROWESS_PORT must be a whole number, not 'http'"),
        ({"PROWESS_PORT": "70000"}, "port must be at most 65535, not 70000"),
        ({"PROWESS_WORKERS": "0"}, "workers must be a number of at least 1, not 0"),
        ({"PROWESS_RATE_LIMIT": "nan"}, "rate_limit must be a number of at least 0, not nan"),
        ({"PROWESS_METRICS": "maybe"}, "PROWESS_METRICS must be true or false, not 'maybe'"),
        ({"PROWESS_LOG": "xml"}, "log must be one of json, text, off, not 'xml'"),
    ],
)
def test_invalid_settings_are_refused(variables, message):
    with pytest.raises(pw.Error) as caught:
        Settings.from_env(variables)
    assert str(caught.value) == message
