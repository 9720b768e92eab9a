"""A model fitted to a history: ratings, forecasts, traces, explanations and leaderboards."""
