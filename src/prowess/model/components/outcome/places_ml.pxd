from libc.math cimport fabs, sqrt
from .place_forecast cimport RoundedPlaces, match_margin
from ...engine.board cimport Board, make_scratch, positive, sort_by_place
from ...maths.elementary cimport log
from ...maths.normal cimport above, log_z, within
