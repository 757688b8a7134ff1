"""A board as a graph of cells: who has won, found by following chains, whatever the board's aim.

The functions look at whole boards, full or not.  A colour has won if nothing that its opponent
could still do would change that.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t

from trivalent.core._isa cimport flood_t

ctypedef struct chains_t:
    int cells
    int32_t* first       # the neighbours of cell c are neighbours[first[c]] to [first[c + 1] - 1]
    int16_t* neighbours
    uint8_t* twisted     # for each of them, whether the edge is twisted
    uint8_t* touches     # for each cell, the sides that it touches, a bit for each
    uint8_t goal[2]      # the sides that each colour has to join
    int16_t* seeds       # loop: cells of which every loop has one; score: the border in order
    int seed_count
    uint8_t* is_corner   # for each cell
    # The same for the bit-sliced kernel, with a node for each polygon of a cell:
    flood_t flood
    int32_t* node_first
    int16_t* node_neighbours

cdef enum:
    MAX_CHAIN_CELLS = 63 * 63

cdef bint chains_won(const chains_t* c, const uint8_t* stones, int colour) noexcept nogil


cdef class Chains:
    cdef chains_t c

    cdef int _find_seeds(self, object board) except -1
    cdef int _find_nodes(self) except -1


cdef class ChainTest:
    cdef Chains chains
    cdef bytearray stones
    cdef uint8_t winner_now
    cdef int16_t* parent      # for each cell: another one of its chain, or itself
    cdef uint8_t* twist       # for each cell: whether the way to the parent is twisted
    cdef int16_t* weight      # for each root: cells of its chain
    cdef uint8_t* touches     # for each root: sides that its chain touches
    cdef list done            # what `undo` needs for each change

    cdef int _root(self, int cell, uint8_t* twist) noexcept
    cdef int _add(self, int cell, int colour, list unions) except -1
    cdef int _load(self) except -1
    cdef int _take(self, ChainTest other) except -1


cdef class ScoreTest:
    cdef Chains chains
    cdef bytearray stones
    cdef int winner_now  # -1 if unknown
