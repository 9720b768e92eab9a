"""Write workbooks as .xlsx, .ods and old .xls files; the last two are written without a package."""

import csv
import struct
import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | float | datetime | None
Rows = Sequence[Sequence[Cell]]


def typed_rows(text: str) -> list[list[Cell]]:
    """Return the rows of a CSV text, with dates and numbers converted to Python values."""
    return [[_typed(cell) for cell in row] for row in csv.reader(text.splitlines())]


def _typed(cell: str) -> Cell:
    try:
        return datetime.fromisoformat(cell) if cell.count("-") == 2 else float(cell)
    except ValueError:
        return cell or None


def write_xlsx(path: Path, rows: Rows) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    book.save(path)


def write_ods(path: Path, rows: Rows, extra: str = "") -> None:
    """Write an OpenDocument spreadsheet; like LibreOffice, fill the sheet up with repeated empty cells and rows."""
    end = '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
    body = "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}{end}" for row in rows)
    body += f'{extra}<table:table-row table:number-rows-repeated="1048000">{end}'
    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="Sheet1">{body}</table:table></office:spreadsheet>'
        "</office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), kind)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)


def _ods_cell(cell: Cell) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, datetime):
        value = f'office:value-type="date" office:date-value="{cell:%Y-%m-%d}"'
        return f"<table:table-cell {value}><text:p>{cell:%d/%m/%y}</text:p></table:table-cell>"
    if isinstance(cell, float):
        value = f'office:value-type="float" office:value="{cell:g}"'
        return f"<table:table-cell {value}><text:p>{cell:g}</text:p></table:table-cell>"
    return f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'


def write_xls(path: Path, rows: Rows) -> None:
    """Write a workbook of Excel 97: records (BIFF8) in the only stream of a compound file."""

    def begin(kind: int) -> bytes:
        return _record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0))

    sheet = begin(0x0010) + _record(
        0x0200, struct.pack("<IIHHH", 0, len(rows), 0, max(map(len, rows)), 0)
    )  # the numbers of rows and columns
    for number, row in enumerate(rows):
        sheet += b"".join(_xls_cell(number, column, cell) for column, cell in enumerate(row) if cell is not None)
    sheet += _record(0x000A)
    formats = b"".join(_record(0x00E0, struct.pack("<HH16x", 0, kind)) for kind in (0, 14))  # format 14 is a date
    before, end = begin(0x0005) + _record(0x0042, struct.pack("<H", 1200)) + formats, _record(0x000A)
    name = struct.pack("<HBB", 0, 6, 0) + b"Sheet1"
    start = len(before) + 4 + 4 + len(name) + len(end)
    _write_compound_file(path, before + _record(0x0085, struct.pack("<I", start) + name) + end + sheet)


def _record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def _xls_cell(row: int, column: int, cell: Cell) -> bytes:
    if isinstance(cell, str):
        text = struct.pack("<HB", len(cell), 1) + cell.encode("utf-16-le")
        return _record(0x0204, struct.pack("<HHH", row, column, 0) + text)
    is_date = isinstance(cell, datetime)
    value = float((cell.replace(tzinfo=None) - datetime(1899, 12, 30)).days) if isinstance(cell, datetime) else cell
    return _record(0x0203, struct.pack("<HHHd", row, column, int(is_date), value))


def _write_compound_file(path: Path, stream: bytes) -> None:
    """Write a compound file (OLE): a header, a sector of the allocation table, the directory, and the stream."""
    size = max(4096, -(-len(stream) // 512) * 512)  # smaller streams would need a second allocation table
    sectors = size // 512
    free, chain_end, table = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    links = [table, chain_end, *range(3, sectors + 2), chain_end]
    assert len(links) <= 128
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
        0, 1, 1, 0, 4096, chain_end, 0, chain_end, 0, 0,
    )  # fmt: skip
    header += struct.pack("<108I", *[free] * 108)

    def entry(name: str, kind: int, child: int, start: int, length: int) -> bytes:
        encoded = (name + "\0").encode("utf-16-le") if name else b""
        fields = struct.pack("<64sHBBIII16xI16xIQ", encoded, len(encoded), kind, 1, free, free, child, 0, start, length)
        assert len(fields) == 128
        return fields

    directory = entry("Root Entry", 5, 1, chain_end, 0) + entry("Workbook", 2, free, 2, size) + bytes(256)
    table_sector = struct.pack("<128I", *links, *[free] * (128 - len(links)))
    path.write_bytes(header + table_sector + directory + stream.ljust(size, b"\0"))


WRITERS: dict[str, Callable[[Path, Rows], None]] = {".xlsx": write_xlsx, ".ods": write_ods, ".xls": write_xls}
