"""Clique-cutset fill-in of whole boards."""
from libc.stdint cimport uint8_t

from trivalent.bot.knowledge._bitset cimport cells_t
from trivalent.bot.knowledge._fillin cimport Filler, fill_in_t, fillin_board_t

cdef extern from "bot/knowledge/_cutsets.h" nogil:
    enum:
        CUTSET_SIDES

    ctypedef struct cutset_board_t:
        int cells
        int sides
        cells_t around[256]
        uint8_t along[2][256]

    int cutsets_fill(
        const cutset_board_t* board, uint8_t* stones, int colour, bint cutsets
    )

ctypedef struct cutset_fillin_t:
    cutset_board_t board
    const fillin_board_t* fillin
    fill_in_t* fill_in


cdef class CutsetFillin:
    cdef cutset_fillin_t c
    cdef Filler filler
    cdef bytes _filled(self, const uint8_t[::1] stones, int colour, bint cutsets)

cdef int fill_in_with_cutsets(const cutset_fillin_t* r, uint8_t* stones) noexcept nogil
