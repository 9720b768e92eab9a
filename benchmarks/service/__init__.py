"""Speed of the rating service, in one run, against bare commits to the same database: `python -m benchmarks.service`."""
