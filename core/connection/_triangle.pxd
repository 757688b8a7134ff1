"""The triangle of a framing as planes of bits, and the reduction of one plane."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from trivalent.core._isa cimport reduction_t, source_t

cdef enum:
    MAX_WORDS = 64  # 64-bit words of a plane: 63x63 Hex has 64 columns of 64 rows

ctypedef struct triangle_t:
    int cells       # cells of the board
    int levels      # a triangle of side n has levels 0 (the board) to n - 1 (the apex)
    int columns     # columns that take part in the reduction
    int bytes       # size of a plane
    uint16_t* word  # for each cell: its word in a plane
    uint64_t* bit   # for each cell: its bit in that word
    source_t* source  # for each word of a plane; NULL if its columns aren't runs of cells
    uint64_t frame[2][MAX_WORDS]  # the template's stones: Black's plane and White's
    const reduction_t* reduction


cdef inline bint reduce_in_place(const triangle_t* t, uint64_t* plane) noexcept nogil:
    """Reduce a plane to its apex, destroying it; return whether the colour owns the triangle."""
    return t.reduction.reduce(plane, t.bytes, t.columns, t.levels)


cdef bint reduce_copy(const triangle_t* t, const uint64_t* plane) noexcept nogil
cdef void fill_plane(
    const triangle_t* t, const uint8_t* stones, int colour, uint64_t* plane
) noexcept nogil


cdef class Triangle:
    cdef triangle_t c
    cdef readonly int column_bits  # bits of a column in a plane: 16, 21, 32 or 64

    cdef int _find_sources(self, int run) except -1
