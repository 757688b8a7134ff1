"""Bit-sliced boards: what other kernels need to fill and reduce blocks themselves."""
from libc.stdint cimport int16_t, uint8_t

from trivalent.core._isa cimport slice_shape_t, slice_t

cdef enum:
    BLOCK = 512  # boards

ctypedef struct pair_t:
    int16_t p      # two empty neighbours make a bridge if both ends ...
    int16_t q
    int16_t end    # ... this cell
    int16_t far    # ... and this one, or -1 for a side
    uint8_t sides  # then bit 0 if it is a side of Black, bit 1 if of White

cdef slice_t* slices_new(size_t slices) except NULL


cdef class Slices:
    cdef slice_shape_t shape
    cdef int16_t* low
    cdef int16_t* high
    cdef int cells, slots, ones, zeros
    cdef int16_t* slot       # per cell
    cdef uint8_t* template   # per slot: 1 for a Black stone of the template
    cdef pair_t* pairs
    cdef int pair_count

    cdef int _fold(self) except -1
    cdef int _find_pairs(self, neighbours, sides, goals) except -1
    cdef void load_template(self, slice_t* cells, bint inverted) noexcept
    cdef bint _is_bridge(self, const pair_t* pair, const uint8_t* stones, int colour) noexcept
