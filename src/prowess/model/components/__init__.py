"""The components of a model: priors, drifts, team functions, outcomes, margins and absorb rules."""

from ..processor import choose_kernels

choose_kernels(__path__, __name__)
