"""Speed of prowess against the packages on PyPI, in one run, as ratios: `python -m benchmarks`."""
