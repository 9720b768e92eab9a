"""Load prowess uncompiled, from its sources and without Cython, beside or instead of the compiled package."""

import importlib
import re
import sys
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

SOURCES = Path(__file__).parent.parent / "src" / "prowess"
LAYERS = ("history", "model", "matchmaking")
KERNELS = [
    ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
    for path in sorted(SOURCES.rglob("*.py"))
    if re.search(r"^# kernel(: lanes)?$", path.read_text(encoding="utf-8"), re.M)
]


class SourceFinder(MetaPathFinder):
    """Finds a package's modules as `.py` files, even if compiled modules exist."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, fullname, path=None, target=None) -> ModuleSpec | None:
        first, *rest = fullname.split(".")
        if first != self.name:
            return None
        place = SOURCES.joinpath(*rest)
        if place.is_dir():
            file, inside = place / "__init__.py", [str(place)]
        else:
            file, inside = place.with_suffix(".py"), None
        if not file.exists():
            return None
        loader = SourceFileLoader(fullname, str(file))
        return spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=inside)


def use_sources(name: str = "prowess") -> None:
    """Import this package from its sources from now on."""
    sys.meta_path.insert(0, SourceFinder(name))


@contextmanager
def without_cython():
    """Hide Cython, as on a machine that has only the runtime dependencies."""
    kept = sys.modules.get("cython")
    sys.modules["cython"] = None
    try:
        yield
    finally:
        del sys.modules["cython"]
        if kept is not None:
            sys.modules["cython"] = kept


def load(name: str = "prowess_pure") -> ModuleType:
    """Load the uncompiled package under another name, with all kernels and the layers that have most of them."""
    if name not in sys.modules:
        use_sources(name)
        with without_cython():
            package = importlib.import_module(name)
            for module in sorted(one for layer in LAYERS for one in (SOURCES / layer).rglob("*.py")):
                dotted = ".".join((name, *module.relative_to(SOURCES).with_suffix("").parts))
                importlib.import_module(dotted.removesuffix(".__init__"))
            for kernel in KERNELS:
                importlib.import_module(kernel.replace("prowess", name, 1))
        assert package.kernel_mode() == "pure"
    return sys.modules[name]
