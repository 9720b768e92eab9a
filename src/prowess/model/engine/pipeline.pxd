from libc.math cimport fabs
from ..components.interfaces cimport evidence_by_lane, forecast_by_lane
from .board cimport copy_forecast, copy_lane, copy_results, copy_teams
from .chains cimport Chain
from .facets cimport Deviations
from .spread cimport kept_share, spread
from ..components.interfaces cimport Absorb, Drift, Outcome, Prior, TeamFunction
from .board cimport Board
from .facets cimport Effects
from .statistics cimport Statistics
from ..rating cimport Kind


cdef class Pipeline:
    cdef readonly Prior prior
    cdef readonly Drift drift
    cdef readonly TeamFunction team
    cdef readonly Outcome outcome
    cdef readonly Absorb absorb, home_absorb
    cdef readonly Kind kind
    cdef readonly double beta, period, home_mu, home_variance, home_drift
    cdef readonly bint has_facets, has_deviations, has_effects, levels_cancel
    cdef readonly bint has_statistics, laplace, derives
    cdef readonly list observers
    cdef readonly list personal, common  # the facets with rows of single players, and those with shared rows
    cdef readonly bint duels, has_base, has_home, learns_home, centred
    cdef readonly bint drift_blocks, team_blocks, outcome_blocks, absorb_blocks, scatters, tallies, mixes, serial, greets, ordered, refills, keeps_before
    cdef readonly object layout  # a `StateLayout`; its numbers are copied to the attributes below, for fast access
    cdef readonly Py_ssize_t last_seen, matches, first_extra, pending, games, passed, width
    cdef readonly Py_ssize_t traits, extras, memories, home_memory, level, lanes, vector
    cdef double[::1] first_memory
    cdef double[::1] newcomer  # the row of a newcomer; NaN unless all newcomers start alike
    cdef list spare, spare_blocks

    cpdef Board board(self, Py_ssize_t teams, Py_ssize_t entries)
    cdef void forget_rows(self, Board board) noexcept
    cpdef bint find_facets(self, Board board, list columns, list tables, double unit) except -1
    cdef bint load_rows(self, Board board) except -1
    cdef bint store_rows(self, Board board) except -1
    cpdef bint forecast(self, Board board) except -1
    cdef bint forecast_teams(self, Board board) except -1
    cdef void undo_drift(self, Board board) noexcept
    cdef bint advance(self, Board board) except -1
    cdef bint drift_players(self, Board board, bint describes) except -1
    cdef bint fold_players(self, Board board) except -1
    cpdef bint pool_teams(self, Board board) except -1
    cdef bint combine_players(self, Board board) except -1
    cdef bint pool_players(self, Board board) except -1
    cdef bint add_levels(self, Board board) except -1
    cdef bint learn_teams(self, Board board) except -1
    cdef bint learn_levels(self, Board board) except -1
    cdef bint derive(self, Board board) except -1
    cdef bint learn_players(self, Board board) except -1
    cdef bint absorb_rows(self, Board board) except -1
    cdef void add_effects(self, Effects effects, Board board, Board source, Py_ssize_t lane) noexcept
    cdef bint rate_serially(self, Board board, bint silent, bint backward) except -1
    cdef bint score_forecast(self, Board board, Statistics statistics) except -1
    cdef bint apply_statistics(self, Board board, Statistics statistics, Board source, Py_ssize_t lane) except -1
    cpdef double learn(self, Board board) except? -1.0
    cpdef bint absorb_all(self, Board board) except -1
    cdef bint in_period(self, double now) noexcept
    cdef void gather_home(self, Board board) noexcept
    cdef bint close_home(self, Board board) except -1
    cdef bint absorb_home(self, Board board) except -1
    cdef void add_home(self, Board board) noexcept
    cdef void pass_by_levels(self, Board board) noexcept
    cdef bint carry_levels(self, Board board) except -1
    cdef void load_home(self, Board board) noexcept
    cdef bint learn_home(self, Board board) except -1
