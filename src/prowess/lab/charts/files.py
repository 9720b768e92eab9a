"""Charts as files, rendered by vl-convert without a network."""

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

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
{script}
</body>
</html>
"""


def save(chart: alt.TopLevelMixin, path: str | os.PathLike[str]) -> None:
    """Write a chart to a .png, .svg, .html (one self-contained file) or .json file, according to the extension.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> import prowess as pw
    >>> from prowess.lab import skill_curves
    >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> with TemporaryDirectory() as folder:
    ...     save(skill_curves(fit, ["ann"]), Path(folder, "ann.svg"))
    ...     Path(folder, "ann.svg").read_text()[:4]
    '<svg'
    """
    ending = check_target(path, (".png", ".svg", ".html", ".json"))
    spec = chart.to_dict()
    if ending == ".json":
        content = json.dumps(spec, ensure_ascii=False, indent=1).encode()
    elif ending == ".html":
        heading = spec.get("title", "")
        title = escape(heading.get("text", "") if isinstance(heading, dict) else str(heading)) or "Chart"
        draw = f'vegaEmbed("#chart", {script_json(spec)}, {{renderer: "svg"}}).catch(console.error);'
        script = f"<script>{vega_bundle()}</script>\n<script>{draw}</script>"
        content = PAGE.format(title=title, style="", body='<div id="chart"></div>', script=script).encode()
    elif ending == ".svg":
        content = svg(spec).encode()
    else:
        # Twice the size, for sharp print and screens.
        content = import_extra("vl_convert", "vl-convert", "lab").vegalite_to_png(spec, vl_version=_version(), scale=2)
    with replace_file(path) as place:
        place.write_bytes(content)


def script_json(data: Any) -> str:
    """Write data as JSON that is safe inside a <script>, even with a name such as "</script>".

    >>> script_json(["</script>"])
    '["\\\\u003c/script>"]'
    """
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


def svg(spec: dict[str, Any]) -> str:
    """Render a specification, `chart.to_dict()`, as SVG.

    >>> svg({"data": {"values": [{"x": 1}]}, "mark": "point"})[:4]
    '<svg'
    """
    return str(import_extra("vl_convert", "vl-convert", "lab").vegalite_to_svg(spec, vl_version=_version()))


@cache
def vega_bundle() -> str:
    """Return the JavaScript of Vega, which draws charts on a page without a network."""
    return str(import_extra("vl_convert", "vl-convert", "lab").javascript_bundle(vl_version=_version()))


def bundle_in_subprocess() -> str:
    """Return the JavaScript of Vega, built in a subprocess, because vl-convert blocks all threads for seconds.

    >>> "vegaEmbed" in bundle_in_subprocess()
    True
    """
    bundle = "vl_convert.javascript_bundle(vl_version=sys.argv[1])"
    code = f"import sys, vl_convert; sys.stdout.buffer.write({bundle}.encode())"
    import_extra("vl_convert", "vl-convert", "lab")
    return subprocess.run([sys.executable, "-c", code, _version()], capture_output=True, check=True).stdout.decode()


def _version() -> str:
    return ".".join(import_extra("altair", "Altair", "lab").SCHEMA_VERSION.lstrip("v").split(".")[:2])
