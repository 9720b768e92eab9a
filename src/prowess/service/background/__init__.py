"""Work outside requests: the worker that runs background jobs, the analyses that it computes, prewarming."""
