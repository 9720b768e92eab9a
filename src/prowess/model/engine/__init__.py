"""The engine: the board of a match, the pipeline over it, the sweep over a history."""
