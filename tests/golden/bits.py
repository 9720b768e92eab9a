"""The results of all presets and variants, to the last bit: `python -m tests.golden.bits` writes `bits.json`.

Unlike the other golden data, these numbers come from this package: they show that a change of the structure changes no
rating. Write them again only if a change of results is intended, and say so in the changelog.
"""

import hashlib
import json
from pathlib import Path

import prowess as pw
from tests.model.engine import test_blocks as blocks

FILE = Path(__file__).parent / "bits.json"
MATCHES = 150
SHOWN = 6  # numbers of each model that are compared within a tolerance where bits may differ


def results(name):
    """Return a digest of all results of a model, and a few of its numbers."""
    history = pw.History.from_matches(blocks.matches(blocks.usual_league(name), MATCHES))
    found = blocks.rate(blocks.MODELS[name], history)
    digest = hashlib.sha256()
    for column in sorted(found):
        digest.update(column.encode() + found[column].tobytes())
    numbers = [*found["state"][:SHOWN, 0].tolist(), float(found["log_evidence"].sum())]
    return {"bits": digest.hexdigest(), "numbers": numbers}


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: results(name) for name in blocks.MODELS}, indent=1) + "\n", encoding="utf-8")
