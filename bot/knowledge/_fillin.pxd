"""Fill-in by patterns: how a board lies in rows of bits, and the kernels; see _fillin.h."""
from libc.stdint cimport int16_t, uint8_t, uint64_t

cdef extern from "bot/knowledge/_fillin.h" nogil:
    enum:
        FILLIN_ROWS

    ctypedef struct fillin_board_t:
        int height
        int16_t start[65]
        int16_t length[65]
        int16_t shift[65]
        uint64_t cells[65]
        uint64_t side[2][65]
        uint64_t shared[65]
        bint has_shared

    ctypedef int fill_in_t(
        const fillin_board_t* board, uint8_t* stones, int to_play,
        bint permanently_inferior, uint8_t* inferior
    ) noexcept nogil

    ctypedef bint reverse_t(
        const fillin_board_t* board, const uint8_t* stones, int to_play, int cell, uint8_t* needs
    ) noexcept nogil

    ctypedef void reversible_t(
        const fillin_board_t* board, const uint8_t* stones, int to_play, uint8_t* cells
    ) noexcept nogil

    ctypedef void dominated_t(
        const fillin_board_t* board, const uint8_t* stones, int to_play, uint8_t* cells
    ) noexcept nogil

    ctypedef struct fillin_class_t:
        fill_in_t* fill_in
        reverse_t* reverse
        reversible_t* reversible
        dominated_t* dominated

    ctypedef struct fillin_kernels_t:
        fillin_class_t rows[3]


cdef class Filler:
    cdef fillin_board_t board
    cdef const fillin_class_t* kernels
    cdef int cells
    cdef uint8_t* _copy(self, const uint8_t[::1] stones, int to_play) except NULL
    cdef list _marked(
        self, reversible_t* kernel, const uint8_t[::1] stones, int to_play, without
    )
