"""Compiled and uncompiled kernels give the same bits and raise the same errors, and every function is compared."""

import pytest

from tests.model.engine.test_blocks import MODELS
from tests.modes import errors, maths, outcomes, parts, queues
from tests.modes.comparing import compare, functions
from tests.modes.models import fit, hindsight, ladder, periods, predictions, refits, revisions, shared
from tests.pure import KERNELS


def named(make, *starts):
    """Return the cases of all models whose names begin with one of these texts."""
    return [make(name) for name in MODELS if name.startswith(starts)]


# The cases that compare each kernel. They must call every function of the kernel.
CASES = {
    "history.cells.hash_table": [maths.hash_table],
    "model.maths.elementary": [maths.elementary],
    "model.maths.normal": [maths.normal],
    "model.maths.poisson": [maths.poisson],
    "model.maths.poisson_pairs": [maths.poisson_pairs, outcomes.chances],
    "model.maths.logistic_normal": [maths.logistic_normal],
    "model.maths.rank_probabilities": [maths.rank_probabilities, predictions],
    "model.fit.pairs": [maths.pair_counts],
    "model.rating": [parts.ratings, ladder("GaussianOD")],
    "model.components.interfaces": [
        *(parts.own_components, errors.missing, predictions),
        *(fit("Gaussian-OD, gamma"), ladder("Gaussian-SD, rounding"), hindsight("Gaussian-SD, rounding")),
        outcomes.places_ml,
    ],
    "model.components.prior": [
        *named(ladder, "TrueSkill, newcomers", "Elo, newcomers", "Elo, FIDE"),
        *named(fit, "TrueSkill, newcomers", "Elo, newcomers"),
    ],
    "model.components.drift": [
        *(errors.parameters, errors.missing),
        *named(ladder, "TrueSkill, time", "TrueSkill, seasons", "Glicko, short", "Glicko-2, short"),
        *(hindsight("TrueSkill, seasons"), hindsight("facets, two"), hindsight("Logit"), refits),
    ],
    "model.components.absorb": [
        *(errors.parameters, errors.missing),
        *named(ladder, "TrueSkill, constant", "TrueSkill, time", "TrueSkill, seasons", "Elo, FIDE", "Elo, rule"),
        *named(ladder, "GaussianElo", "Glicko", "Harkness"),
    ],
    "model.components.team": [
        *(errors.parameters, errors.missing, errors.matches, parts.own_components),
        *named(ladder, "TrueSkill, margin", "TS2"),
        *named(fit, "TS2"),
    ],
    "model.components.margin": [
        errors.parameters,
        *named(ladder, "TrueSkill, margin", "TrueSkill, spread", "TrueSkill, learnt", "TS2a"),
        outcomes.order,
    ],
    "model.components.outcome.order": [
        *(outcomes.order, outcomes.scores),
        *named(fit, "TrueSkill"),
        hindsight("TrueSkill, no draws"),
    ],
    "model.components.outcome.places_ml": [outcomes.places_ml, ladder("TS3")],
    "model.components.outcome.comparison": [outcomes.crowds, outcomes.pairwise, errors.missing],
    "model.components.outcome.pairwise": [outcomes.pairwise, *named(fit, "Gaussian Elo")],
    "model.components.outcome.pair_curves": [outcomes.pairwise, outcomes.crowds, *named(fit, "Elo", "Harkness")],
    "model.components.outcome.logit": [outcomes.logit, *named(fit, "Logit"), hindsight("Logit, facets")],
    "model.components.outcome.duel": [outcomes.pairwise, *named(fit, "Glicko")],
    "model.components.outcome.ep_chain": [outcomes.order, outcomes.places],
    "model.components.outcome.places": [outcomes.places, *named(fit, "TS2")],
    "model.components.outcome.places_two": [outcomes.places],
    "model.components.outcome.place_forecast": [outcomes.places, outcomes.places_ml, predictions],
    "model.components.outcome.gaussian_score": [outcomes.scores, *named(fit, "Gaussian"), predictions],
    "model.components.outcome.poisson_score": [
        *(outcomes.scores, outcomes.chances, errors.matches),
        *named(fit, "Poisson"),
    ],
    "model.components.outcome.offence_defence": [
        *(outcomes.scores, predictions, ladder("statistics, Poisson-OD")),
        *named(fit, "Gaussian-OD", "Poisson-OD"),
    ],
    "model.engine.board": [
        *(parts.own_components, outcomes.order, errors.missing, ladder("GaussianOD")),
        *named(fit, "Gaussian-OD"),
    ],
    "model.engine.buffers": [fit("TrueSkill"), fit("facets, side"), ladder("statistics, kinds")],
    "model.engine.spread": [fit("TrueSkill"), fit("Logit, facets"), fit("Gaussian-SD, learnt home")],
    "model.engine.breaks": [revisions],
    "model.engine.chains": [hindsight("TrueSkill, learnt draws and home"), hindsight("Logit, newcomers"), revisions],
    "model.engine.facets": [
        *named(fit, "facets", "statistics, facets"),
        *named(ladder, "facets"),
        *(shared, revisions),
    ],
    "model.engine.statistics": [
        *(*named(fit, "statistics"), *named(ladder, "statistics")),
        hindsight("statistics, kinds"),
    ],
    "model.engine.pipeline": [
        *named(ladder, "Glicko, learnt", "Gaussian-SD, learnt", "statistics"),
        *(revisions, fit("TrueSkill, home"), fit("statistics, kinds")),
    ],
    "model.engine.players": named(ladder, "Glicko", "Elo, periods"),
    "model.engine.schedule": [fit("TrueSkill"), fit("TrueSkill, uncertain home"), refits],
    "model.engine.blocks": [*named(fit, "TrueSkill"), periods],
    "model.engine.sweep": [fit(name) for name in MODELS],
    "model.engine.smoothing": [
        *map(hindsight, ("TS2a, leader", "TrueSkill, spread", "Logit, newcomers")),
        *map(hindsight, ("Poisson-OD, newcomers", "Gaussian-OD, unscored")),
        *(hindsight("facets, all"), hindsight("statistics, Gaussian-OD"), revisions, refits),
    ],
    "model.engine.rate": [*named(ladder, "Elo, periods", "facets, logistic"), errors.matches],
    "matchmaking.blossom.state": [queues.blossoms],
    "matchmaking.blossom.tree": [queues.blossoms],
    "matchmaking.blossom.solve": [queues.blossoms, queues.pairs],
    "matchmaking.pairing.weights": [queues.pairs, queues.choices],
    "store.journal.scanner": [queues.scanner],
}  # fmt: skip
# Uncompiled kernels have no variants for processors, so both modes of this kernel differ; see tests/test_modes.py.
NOT_COMPARED = {"prowess.model.processor"}


@pytest.mark.parametrize("kernel", sorted(set(KERNELS) - NOT_COMPARED))
def test_both_modes_of_a_kernel_give_the_same_bits_and_every_function_is_called(kernel):
    called = set()
    for case in CASES[kernel.removeprefix("prowess.")]:
        differences, functions_called = compare(case)
        assert differences == [], case.__qualname__
        called |= functions_called
    assert [name for code, name in functions(kernel).items() if code not in called] == []
