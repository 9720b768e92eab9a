"""Work outside requests: the worker that runs queued jobs, the requests for analyses, and prewarming."""
