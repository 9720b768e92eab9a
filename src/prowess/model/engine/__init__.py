"""The engine: boards and buffers, the pipeline of one match, the sweep over a history."""
