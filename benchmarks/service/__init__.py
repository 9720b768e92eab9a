"""Speed of the rating service against bare commits to the same database: `python -m benchmarks.service`."""
