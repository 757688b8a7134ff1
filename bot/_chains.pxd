"""Virtual connections from the chains of one colour, found by H-search [AHH; S3]."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t

from trivalent.bot._cells cimport MOST_CELLS, cells_t

cdef enum:
    MOST_CHAINS = 96         # with the two sides
    SIZES = MOST_CELLS + 1   # a carrier can have
    MOST_SIDES = 3
    BASE, AND, OR, TRIPOD    # rules that make links

ctypedef struct link_t:      # a connection between a chain and a point
    cells_t carrier
    int32_t next             # of the same two ends, -1 behind the last one
    int32_t queue            # the next full to be combined, of the same size
    int16_t chain
    int16_t point
    int16_t size             # of the carrier
    int16_t key              # of a semi connection: where to play
    uint8_t state
    uint8_t rule             # that has made it
    int32_t parts            # where those begin that it has been made of
    int32_t part_count

ctypedef struct ends_t:      # what connects two ends
    int32_t fulls            # the first of each list, -1 if there is none
    int32_t semis
    int16_t full_count
    int16_t semi_count
    cells_t meet             # cells that all fulls need

ctypedef struct step_t:      # from an empty cell to another that it is connected to
    int16_t to
    int16_t carrier[2]       # cells of the carrier, or -1

ctypedef struct hsearch_t:
    int cells
    int most_fulls           # of two ends
    int most_semis
    int most_size            # of a carrier
    const int16_t* neighbours  # six of each cell, in cyclic order; -1 - side for a side of it
    int colour
    int side_count           # of sides to be joined; the first chains stand for them
    int sides[MOST_SIDES]    # their numbers
    bint shared              # whether sides are both players', and join nothing by themselves
    int chains
    int16_t point[MOST_CELLS]  # a cell itself, or behind the cells its chain; -1 for the opponent's
    step_t steps[MOST_CELLS][12]
    uint8_t step_count[MOST_CELLS]
    ends_t* ends
    link_t* links
    int32_t used
    int32_t capacity
    int32_t* parts           # numbers of links; -1 is a step from the key
    int32_t parts_used
    int32_t parts_capacity
    int32_t queue[SIZES]     # fulls to be combined, by size of the carrier
    int smallest             # that may not be empty


cdef inline ends_t* ends_of(const hsearch_t* h, int chain, int point) noexcept nogil:
    """What connects a chain with a point; of two chains the one with the lower number is first."""
    cdef int other = point - h.cells
    if other >= 0 and other < chain:
        return &h.ends[other * (h.cells + MOST_CHAINS) + h.cells + chain]
    return &h.ends[chain * (h.cells + MOST_CHAINS) + point]


cdef int hsearch_init(hsearch_t* h, int cells, const int16_t* neighbours) except -1
cdef void hsearch_free(hsearch_t* h) noexcept nogil
cdef void hsearch_build(hsearch_t* h, const uint8_t* stones, int colour) noexcept nogil
cdef int hsearch_winner(const hsearch_t* h) noexcept nogil
cdef bint hsearch_mustplay(const hsearch_t* h, cells_t* cells) noexcept nogil
cdef int hsearch_smallest(const hsearch_t* h) noexcept nogil
cdef bint hsearch_carrier(const hsearch_t* h, cells_t* cells) noexcept nogil
