"""Writing files atomically: a file is replaced as a whole, or not changed at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from .errors import Error
from .text import join_words


def file_extension(path: str | os.PathLike[str], allowed: tuple[str, ...]) -> str:
    """Return the extension of a file's name, in lower case; raise an Error if the extension is not allowed.

    >>> file_extension("standings.CSV", (".csv", ".json"))
    '.csv'
    >>> file_extension("standings.pdf", (".csv", ".json"))
    Traceback (most recent call last):
    ...
    prowess.Error: standings.pdf: the name must end in .csv or .json
    """
    ending = Path(path).suffix.lower()
    if ending not in allowed:
        raise Error(f"{path}: the name must end in {join_words(allowed, 'or')}", field="path", value=str(path))
    return ending


def check_target(path: str | os.PathLike[str], allowed: tuple[str, ...]) -> str:
    """Return the extension of a file to be written.

    Raise an Error if the extension is not allowed or the folder does not exist.

    Call this before a long computation whose result is written at the end.

    >>> check_target("nowhere/standings.csv", (".csv", ".json"))
    Traceback (most recent call last):
    ...
    prowess.Error: nowhere/standings.csv: there is no folder nowhere; create it first
    """
    ending = file_extension(path, allowed)
    folder = Path(path).parent
    if not folder.is_dir():
        raise Error(f"{path}: there is no folder {folder}; create it first", field="path", value=str(path))
    return ending


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces the file at `path` at the end of the block.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replace_file(Path(folder, "a.txt")) as place:
    ...         _ = place.write_text("done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    if not isinstance(path, (str, os.PathLike)) or not Path(path).name or "\0" in str(path):
        raise Error(f"{path!r} is not a file name", field="path", value=path)
    target = Path(path)
    # not made by `tempfile`, because only the owner can read the files that it makes
    temporary = target.with_name(f".prowess-{token_hex(8)}.tmp")
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise Error(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
