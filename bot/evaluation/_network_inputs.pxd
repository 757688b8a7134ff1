"""What a network sees of a leaf besides the stones."""
from libc.stdint cimport uint8_t

from trivalent.bot.evaluation._evaluator cimport leaf_t
from trivalent.bot.evaluation._network cimport NETWORK_GIVEN, network_position_t

ctypedef struct playout_planes_t:
    uint8_t plane[NETWORK_GIVEN][961]

cdef void draw_playouts(const leaf_t* leaf, int cells, playout_planes_t* planes) noexcept nogil
cdef void show_leaf(
    const leaf_t* leaf, const playout_planes_t* playouts, network_position_t* position
) noexcept nogil
