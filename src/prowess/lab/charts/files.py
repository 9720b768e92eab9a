"""Charts as files: drawn without a network by vl-convert."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from ...atomic_files import check_target, replace_file
from ...optional import import_extra

if TYPE_CHECKING:
    import altair as alt

ENDINGS = (".png", ".svg", ".html", ".json")


def save(chart: alt.TopLevelMixin, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file: .png, .svg, .html (one file that needs no network) or .json, by its ending.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> import prowess as pw
    >>> from prowess.lab import skill_curves
    >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> with TemporaryDirectory() as folder:
    ...     save(skill_curves(fit, ["ann"]), Path(folder, "ann.svg"))
    ...     Path(folder, "ann.svg").read_text()[:4]
    '<svg'
    """
    ending = check_target(path, ENDINGS)
    spec = chart.to_dict()
    content = json.dumps(spec, ensure_ascii=False, indent=1) if ending == ".json" else _render(spec, ending)
    with replace_file(path) as place:
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def svg(spec: dict[str, Any]) -> str:
    """The picture of a specification, `chart.to_dict()`.

    >>> svg({"data": {"values": [{"x": 1}]}, "mark": "point"})[:4]
    '<svg'
    """
    drawn: str = import_extra("vl_convert", "vl-convert", "lab").vegalite_to_svg(spec, vl_version=_version())
    return drawn


@cache
def vega_bundle() -> str:
    """The JavaScript that draws charts on a page, Vega and all, so that the page needs no network."""
    script: str = import_extra("vl_convert", "vl-convert", "lab").javascript_bundle(vl_version=_version())
    return script


def bundle_in_subprocess() -> str:
    """The same, made by a process of its own: it takes seconds, in which vl-convert lets nothing go on beside it.

    >>> "vegaEmbed" in bundle_in_subprocess()
    True
    """
    code = (
        "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle(vl_version=sys.argv[1]).encode())"
    )
    import_extra("vl_convert", "vl-convert", "lab")
    return subprocess.run([sys.executable, "-c", code, _version()], capture_output=True, check=True).stdout.decode()


def _version() -> str:
    """The version of Vega-Lite that Altair writes."""
    return ".".join(import_extra("altair", "Altair", "lab").SCHEMA_VERSION.lstrip("v").split(".")[:2])


def _render(spec: dict[str, Any], ending: str) -> str | bytes:
    """The chart as a picture, or as a page."""
    vlc = import_extra("vl_convert", "vl-convert", "lab")
    if ending == ".html":
        return _page(spec, vega_bundle())
    if ending == ".svg":
        return svg(spec)
    drawn: bytes = vlc.vegalite_to_png(spec, vl_version=_version(), scale=2)
    return drawn


def _page(spec: dict[str, Any], script: str) -> str:
    """A page that holds all it needs; a name such as "</script>" in the data must not end the script."""
    heading = spec.get("title", "")
    title = escape(heading.get("text", "") if isinstance(heading, dict) else str(heading)) or "Chart"
    data = json.dumps(spec, ensure_ascii=False).replace("<", "\\u003c")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<script>{script}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {data}, {{renderer: "svg"}}).catch(console.error);</script>
</body>
</html>
"""
