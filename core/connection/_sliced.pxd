"""Bit-sliced boards: what other kernels need to fill and reduce blocks themselves."""
from libc.stdint cimport int16_t, int32_t, uint8_t

from trivalent.core._isa cimport reply_t, slice_shape_t, slice_t

cdef enum:
    BLOCK = 512  # boards

ctypedef struct pair_t:
    int16_t p      # two empty neighbours make a bridge if both ends ...
    int16_t q
    int16_t end    # ... this cell
    int16_t far    # ... and this one, or -1 for a side
    uint8_t sides  # then bit 0 if it is a side of Black, bit 1 if of White

ctypedef struct slices_t:
    slice_shape_t shape
    int16_t* low
    int16_t* high
    int cells
    int slots            # of the triangle; behind them are three for sides:
    int black_side
    int white_side
    int common_side      # of both colours
    int16_t* slot        # per cell
    uint8_t* template    # per slot of the triangle: 1 for a Black stone of the template
    pair_t* pairs
    int pair_count
    reply_t* replies     # to a stone on a slot, from first[slot] to first[slot + 1]
    int32_t* first

cdef slice_t* slices_new(size_t slices) except NULL
cdef void slices_load(const slices_t* board, slice_t* cells, bint inverted) noexcept nogil


cdef class Slices:
    cdef slices_t c

    cdef int _fold(self) except -1
    cdef int _find_pairs(self, neighbours, sides, goals) except -1
    cdef int _find_replies(self) except -1


cdef inline void slice_set(slice_t* slice, bint value) noexcept nogil:
    """Set all boards to one value."""
    cdef int i
    for i in range(8):
        slice.word[i] = -<int> value


cdef inline int side_slot(const slices_t* board, const pair_t* pair) noexcept nogil:
    """The slot of the far end of a pair: that of a cell or of a side."""
    if pair.far >= 0:
        return board.slot[pair.far]
    if pair.sides == 3:
        return board.common_side
    return board.black_side if pair.sides == 1 else board.white_side
