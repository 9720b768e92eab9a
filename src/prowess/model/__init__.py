"""Rating models: components, the engine that runs them over columns of matches, ladders and fits."""
