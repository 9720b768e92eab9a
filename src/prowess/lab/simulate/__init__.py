"""Leagues simulated by a model's own generative process, with the true skills. `pw.lab` has the public names."""
