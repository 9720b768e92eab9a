"""Benchmarks that compare the speed of prowess with other packages: `python -m benchmarks`."""
