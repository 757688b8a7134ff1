"""Bit-sliced boards, for kernels that fill and reduce batches themselves."""
from libc.stdint cimport int16_t, int32_t, uint8_t

from trivalent.core._colours cimport colour_index
from trivalent.core._isa cimport edge_reply_t, reply_t, slice_shape_t, slice_t
from trivalent.core.connection._chains cimport Chains, chains_t

cdef enum:
    SLICE_BOARDS = 512

ctypedef struct pair_t:
    int16_t p      # two neighbouring cells: a bridge if both are empty
    int16_t q
    int16_t end    # and one colour holds this cell
    int16_t far    # and this cell or, if it's -1, a side
    uint8_t sides  # whose side it is: bit 0 Black's, bit 1 White's

ctypedef struct slices_t:
    const chains_t* chains  # of a board that can't be reduced: its slots are its cells; else NULL
    slice_shape_t shape
    int16_t* low
    int16_t* high
    int cells
    int slots            # of the triangle or the cells; three slots for sides follow:
    int black_side
    int white_side
    int common_side      # of both colours
    int16_t* slot        # for each cell
    uint8_t* template    # for each slot of the triangle: 1 for a black stone of the template
    pair_t* pairs
    int pair_count
    reply_t* replies     # to a stone in a slot: first[slot] to first[slot + 1] - 1
    int32_t* first
    edge_reply_t* edge_replies  # the same for edge templates
    int32_t* first_edge

cdef slice_t* slices_new(size_t slices) except NULL
cdef slice_t* slices_scratch(const slices_t* board) except NULL
cdef void slices_decide(
    const slices_t* board, const slice_t* cells, slice_t* work, int colour, slice_t* wins, int words
) noexcept nogil
cdef void slices_load(const slices_t* board, slice_t* cells, bint inverted) noexcept nogil


cdef class Slices:
    cdef slices_t c
    cdef Chains chains

    cdef int _place(self, framing) except -1
    cdef int _fold(self) except -1
    cdef int _find_pairs(self, neighbours, sides, goals) except -1
    cdef int _find_replies(self) except -1
    cdef int _place_edge_replies(self, edge_replies) except -1


cdef inline void slice_set(slice_t* slice, bint value) noexcept nogil:
    """Set a cell of all boards to the same value."""
    cdef int i
    for i in range(8):
        slice.word[i] = -<int> value


cdef inline int side_slot(const slices_t* board, const pair_t* pair) noexcept nogil:
    """Return the slot of the far end of a pair, a cell or a side."""
    if pair.far >= 0:
        return board.slot[pair.far]
    if pair.sides == 3:
        return board.common_side
    return board.black_side if pair.sides == 1 else board.white_side


cdef inline bint is_held(const pair_t* pair, const uint8_t* stones, int colour) noexcept nogil:
    """Whether a colour holds both ends of a pair."""
    if stones[pair.end] != colour:
        return False
    return stones[pair.far] == colour if pair.far >= 0 else pair.sides >> colour_index(colour) & 1


cdef inline bint is_bridge(const pair_t* pair, const uint8_t* stones) noexcept nogil:
    """Whether the cells of a pair are empty and its ends belong to one colour."""
    return stones[pair.p] == 0 and stones[pair.q] == 0 and (
        is_held(pair, stones, 1) or is_held(pair, stones, 2)
    )
