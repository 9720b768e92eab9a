"""TrueSkill against Elo on the games of the Halo 2 beta test: Herbrich, Minka, Graepel (2006), section 4."""

from .experiment import run
from .reader import read

__all__ = ["read", "run"]
