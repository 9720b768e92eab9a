"""Fits of a whole history at once: every match, earlier or later, informs every skill at every time."""
