from libc.math cimport fabs, sqrt
from ..outcome cimport ep_chain
from .place_forecast cimport RoundedPlaces, match_margin
from .places_two cimport is_well_scaled, learn_two
from ...engine.board cimport Board, positive, sort_by_place
from ...maths.elementary cimport log
from ...maths.normal cimport log_z, within
