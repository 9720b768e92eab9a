"""Rating models: their components, the engine that runs them over the matches of a history, ladders and fits."""
