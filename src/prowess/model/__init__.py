"""Columns in, ratings out: the engine, the models, ladders and fits."""
