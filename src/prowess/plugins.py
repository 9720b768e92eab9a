"""Plugins: objects that other installed packages add through entry points.

A package lists its plugins in its `pyproject.toml`, for example an outcome and a preset:

    [project.entry-points."prowess.components"]
    Duration = "my_package.outcomes:Duration"

    [project.entry-points."prowess.presets"]
    MyElo = "my_package.presets:MyElo"

Entry points are searched only when a name that is not built in, or the list of all names, is requested. Readers of
files are in `prowess.formats`, under the suffix that they read.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar

from .errors import Error

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
Check = Callable[[str, object], object]


def _accept(_: str, plugin: object) -> object:
    return plugin


@cache
def find_plugins(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, without importing the plugins.

    If several entry points have the same name, the first one wins.

    >>> "papers" in find_plugins("prowess.verbs")
    True
    """
    from importlib.metadata import entry_points  # a tenth of the import of a model, which rarely needs it

    plugins: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        plugins.setdefault(entry.name, entry)
    return plugins


@cache
def load_plugin(group: str, name: str, check: Check = _accept) -> object:
    """Import one plugin; if the import or `check` fails, raise an `Error` that names the plugin's package.

    >>> load_plugin("prowess.lab", "Paper").__name__
    'Paper'
    """
    entry = find_plugins(group)[name]
    try:
        return check(name, entry.load())
    except Exception as error:
        package = entry.dist.name if entry.dist is not None else entry.module
        reason = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        plugin = f"the plugin {name} ({entry.value}) for {group}, from {package},"
        raise Error(f"{plugin} failed to load: {reason}") from error


@cache
def load_plugins(group: str, check: Check = _accept, skip: frozenset[str] = frozenset()) -> dict[str, object]:
    """Import all plugins of a group, except the names in `skip`. A broken plugin is left out with a warning.

    >>> load_plugins("my.shapes")
    {}
    """
    loaded = {}
    for name in find_plugins(group):
        if name in skip:
            continue
        try:
            loaded[name] = load_plugin(group, name, check)
        except Error as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
    return loaded


class Extensible(Mapping[str, T], Generic[T]):
    """Built-in objects by name, followed by a group's plugins. If names collide, the built-in object wins.

    `check` returns the object to use for a plugin, or raises an `Error` that says what is wrong with the plugin.
    Looking up a built-in name does not search for plugins; looking up another name imports only that plugin.

    >>> shapes = Extensible({"square": 4}, "my.shapes", lambda name, plugin: int(plugin))
    >>> shapes["square"], "circle" in shapes, list(shapes)
    (4, False, ['square'])
    """

    def __init__(self, built_in: Mapping[str, T], group: str, check: Callable[[str, object], T]) -> None:
        self.built_in = built_in
        self.group = group
        self.check = check

    @property
    def names(self) -> list[str]:
        """All names. Plugins are not imported, so some of the named plugins may be broken.

        >>> Extensible({"square": 4}, "my.shapes", lambda name, plugin: int(plugin)).names
        ['square']
        """
        return list(dict.fromkeys([*self.built_in, *find_plugins(self.group)]))

    def __getitem__(self, name: str) -> T:
        if name in self.built_in:
            return self.built_in[name]
        if name in find_plugins(self.group):
            return load_plugin(self.group, name, self.check)  # type: ignore[return-value]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in find_plugins(self.group)

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from load_plugins(self.group, self.check, frozenset(self.built_in))

    def __len__(self) -> int:
        return sum(1 for _ in self)
