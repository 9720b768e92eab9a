"""Import prowess before pytest collects the examples in docstrings.

pytest imports a source file under its full name. If the module is also imported by its package, or exists compiled, two
modules would have this name.
"""


def pytest_sessionstart() -> None:
    """Import all public names, and so most modules; not earlier, because `--pure` decides how."""
    import prowess

    for name in prowess.__all__:
        getattr(prowess, name)
