"""How a board lies in rows of bits, and the filling in of its cells."""
from libc.stdint cimport uint8_t

from trivalent.core._isa cimport (
    dominated_t, fill_in_t, fillin_board_t, reverse_t, reversible_t
)


cdef class Filler:
    cdef fillin_board_t board
    cdef fill_in_t* kernel
    cdef reverse_t* reverse_kernel
    cdef reversible_t* reversible_kernel
    cdef dominated_t* dominated_kernel
    cdef int cells
    cdef uint8_t* _copy(self, const uint8_t[::1] stones, int to_play) except NULL
    cdef list _those(
        self, reversible_t* kernel, const uint8_t[::1] stones, int to_play, without
    )
