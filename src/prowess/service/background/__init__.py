"""Background work: child processes, the worker that runs queued jobs, requests for analyses, and prewarming."""
