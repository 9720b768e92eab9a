"""The components of a model: priors, drifts, team functions, outcomes, margins and absorb rules."""
