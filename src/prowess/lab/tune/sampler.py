"""Which parameters to try next: in turn as Optuna's TPE says, and where a surrogate of the loss expects most.

Every trial has a random stream of its own, made of the seed and the number of the trial. So a study that is resumed
goes on as if it had never stopped, and no two machines that share one try the same twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.tunable import Range
from ..extras import extra
from .surrogate import propose

__all__ = ["RANDOM", "sampler"]

RANDOM = 10  # trials at random before anything is learnt from them


def sampler(seed: int) -> Any:
    """A sampler for a study of Optuna: a multivariate Tree-structured Parzen Estimator, and a surrogate.

    >>> import optuna
    >>> isinstance(sampler(seed=0), optuna.samplers.BaseSampler)
    True
    """
    optuna = extra("optuna", "Optuna")
    base: Any = optuna.samplers.BaseSampler

    class OneStreamPerTrial(base):  # type: ignore[misc]
        tpe: Any = None
        rng: Any = None

        def before_trial(self, study: Any, trial: Any) -> None:
            stream = np.random.SeedSequence([seed, trial.number])
            self.rng = np.random.default_rng(stream)
            self.tpe = optuna.samplers.TPESampler(
                seed=int(stream.generate_state(1)[0]), multivariate=True, constant_liar=True, n_startup_trials=RANDOM
            )

        def infer_relative_search_space(self, study: Any, trial: Any) -> Any:
            return self.tpe.infer_relative_search_space(study, trial)

        def sample_relative(self, study: Any, trial: Any, search_space: Any) -> Any:
            if trial.number > RANDOM and trial.number % 2 and search_space:
                done = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
                found = _proposed(search_space, done, self.rng)
                if found:
                    return found
            return self.tpe.sample_relative(study, trial, search_space)

        def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: Any) -> Any:
            return self.tpe.sample_independent(study, trial, param_name, param_distribution)

    return OneStreamPerTrial()


def _proposed(space: dict[str, Any], done: list[Any], rng: np.random.Generator) -> dict[str, float]:
    """What the surrogate proposes, on the scales of the parameters; nothing while there are few trials."""
    spans = {name: Range(one.low, one.high, one.log) for name, one in space.items()}
    points = np.array([[span.share(trial.params[name]) for name, span in spans.items()] for trial in done])
    if not len(points):
        return {}
    found = propose(points, np.array([trial.value for trial in done]), rng)
    if found is None:
        return {}
    values = zip(spans.items(), found.tolist(), strict=True)
    return {name: min(max(span.value(share), span.low), span.high) for (name, span), share in values}
