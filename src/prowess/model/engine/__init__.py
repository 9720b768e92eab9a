"""The engine, which computes ratings with a model's components.

A `Board` holds the data of one match while it is rated. A `Pipeline` runs the components on a board, step by step.
`sweep` runs the pipeline over all matches of a history, and `rate` runs it for a single match.
"""

from ..processor import choose_kernels

choose_kernels(__path__, __name__)
