"""Other installed packages can add names to `pw.lab`."""

import pytest

import prowess as pw
from prowess import lab


def test_dir_lists_names_of_the_lab_and_of_plugins():
    assert {*lab.__all__, "PAPERS", "Paper", "paper", "charts"} <= set(dir(pw.lab))


def test_lab_loads_the_papers_from_the_package_prowess_papers():
    assert pw.lab.paper.__module__.startswith("prowess_papers")


def test_error_about_the_missing_papers_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    with pytest.raises(AttributeError, match="prowess_papers, which is missing; pip install") as caught:
        _ = pw.lab.paper
    assert "\n" not in str(caught.value)


def test_broken_plugin_of_the_lab_raises_an_attribute_error(monkeypatch):
    def fail(group, name):
        raise pw.Error("the plugin paper from my_package failed to load")

    monkeypatch.setattr(lab, "load_plugin", fail)
    with pytest.raises(AttributeError, match="my_package"):
        _ = pw.lab.paper


def test_unknown_name_in_the_lab_raises_an_attribute_error():
    assert not hasattr(pw.lab, "nowhere_to_be_found")
