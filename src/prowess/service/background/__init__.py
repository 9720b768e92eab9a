"""Work outside requests: comparisons of models, prewarming of caches, event streams."""
