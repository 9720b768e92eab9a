"""Benchmarks that compare the service with bare commits to the same database: `python -m benchmarks.service`."""
