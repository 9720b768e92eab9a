"""Files of a few kilobytes that expand to gigabytes, or to a table of billions of cells, when they are read."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from typing import Any

import polars as pl

MIB = 1024 * 1024
HEADER = b"winner,loser\n"
ROWS = b"ann,bob\n" * (MIB // 8)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_PARTS = {
    "[Content_Types].xml": f"""<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml"
        ContentType="application/xml"/></Types>""",
    "_rels/.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"
        Type="{_RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
    "xl/workbook.xml": f"""<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONSHIPS}"><sheets>
        <sheet name="Games" sheetId="1" r:id="rId1"/></sheets></workbook>""",
    "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"
        Type="{_RELATIONSHIPS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>""",
}


def workbook(cells: dict[str, str]) -> bytes:
    """Return a workbook with the given cells in the given order; each cell has its own row element."""
    rows = "".join(
        f'<row r="{reference.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}">'
        f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for reference, text in cells.items()
    )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(name, text)
        archive.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        )
    return content.getvalue()


def far_corner() -> bytes:
    return workbook({"A1": "winner", "B1": "loser", "A2": "ann", "B2": "bob", "XFD1048576": "x"})


def compressed(module: Any, size: int, content: bytes = ROWS) -> bytes:
    """Return a compressed file of equal rows, or of `content`, that unpacks to about `size` bytes."""
    packed = io.BytesIO()
    with module.open(packed, "wb") as stream:
        stream.write(HEADER)
        for _ in range(size // len(content)):
            stream.write(content)
    return packed.getvalue()


def archive(size: int) -> bytes:
    """Return a zip archive of one file of equal rows."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files, files.open("games.csv", "w") as stream:
        stream.write(HEADER)
        for _ in range(size // len(ROWS)):
            stream.write(ROWS)
    return packed.getvalue()


def parquet(rows: int) -> bytes:
    """Return a Parquet file of equal rows."""
    content = io.BytesIO()
    columns = {role: pl.repeat(name, rows, eager=True) for role, name in (("winner", "ann"), ("loser", "bob"))}
    pl.DataFrame(columns).write_parquet(content)
    return content.getvalue()


def one_line(size: int) -> bytes:
    return HEADER + b"a," * (size // 2) + b"b\n"


# These files are built quickly; the tests that read them set low limits.
SMALL: dict[str, Callable[[], bytes]] = {
    "corner.xlsx": far_corner,
    "rows.csv.gz": lambda: compressed(gzip, 3 * MIB),
    "zeros.csv.bz2": lambda: compressed(bz2, 3 * MIB, bytes(MIB)),
    "rows.csv.xz": lambda: compressed(lzma, 3 * MIB),
    "rows.zip": lambda: archive(3 * MIB),
    "rows.parquet": lambda: parquet(300_000),
    "line.csv": lambda: one_line(2 * MIB),
    "columns.csv": lambda: one_line(100_000),
}
FULL: dict[str, Callable[[], bytes]] = {
    "corner.xlsx": far_corner,
    "rows.csv.gz": lambda: compressed(gzip, 200 * MIB),
    "zeros.csv.bz2": lambda: compressed(bz2, 500 * MIB, bytes(MIB)),
    "rows.csv.bz2": lambda: compressed(bz2, 80 * MIB),
    "rows.csv.xz": lambda: compressed(lzma, 1000 * MIB),
    "rows.zip": lambda: archive(500 * MIB),
    "rows.parquet": lambda: parquet(30_000_000),
    "line.csv": lambda: one_line(20 * MIB),
}
