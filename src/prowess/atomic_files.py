"""Files that are whole or not there at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from .errors import Error

__all__ = ["ending_of", "replacing", "target_of"]


def ending_of(path: str | os.PathLike[str], allowed: tuple[str, ...]) -> str:
    """The ending of a file's name, in lower case, if it is one of those allowed.

    >>> ending_of("standings.CSV", (".csv", ".json"))
    '.csv'
    >>> ending_of("standings.pdf", (".csv", ".json"))
    Traceback (most recent call last):
    ...
    prowess.Error: standings.pdf: the name must end in .csv or .json
    """
    ending = Path(path).suffix.lower()
    if ending not in allowed:
        raise Error(f"{path}: the name must end in {' or '.join(filter(None, (', '.join(allowed[:-1]), allowed[-1])))}")
    return ending


def target_of(path: str | os.PathLike[str], allowed: tuple[str, ...]) -> str:
    """The ending of the name of a file that will be written, if it is allowed and the file's folder is there.

    Who works for minutes before they write ask this first.

    >>> target_of("nowhere/standings.csv", (".csv", ".json"))
    Traceback (most recent call last):
    ...
    prowess.Error: nowhere/standings.csv: there is no folder nowhere
    """
    ending = ending_of(path, allowed)
    folder = Path(path).parent
    if not folder.is_dir():
        raise Error(f"{path}: there is no folder {folder}")
    return ending


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A place beside a file to write its new content to, which takes the place of the old when all of it is there.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "a.txt")) as place:
    ...         _ = place.write_text("done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    if not isinstance(path, (str, os.PathLike)) or not Path(path).name or "\0" in str(path):
        raise Error(f"{path!r} is no name of a file to write")
    target = Path(path)
    # not tempfile, which makes files that nobody but their owner may read
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
