"""Cells filled in for the whole board, by patterns and by the graph of each colour."""
from libc.stdint cimport uint8_t, uint64_t

from trivalent.bot.knowledge._fillin cimport Filler, fill_in_t, fillin_board_t

cdef extern from "bot/knowledge/_cutsets.h" nogil:
    enum:
        REGIONS_CELLS
        REGIONS_SIDES

    ctypedef struct regions_board_t:
        int cells
        int sides
        uint64_t around[256][4]
        uint8_t along[2][256]

    int regions_fill(
        const regions_board_t* board, uint8_t* stones, int colour, bint cutsets
    )

ctypedef struct regions_t:
    regions_board_t board
    const fillin_board_t* fillin
    fill_in_t* fill_in


cdef class Regions:
    cdef regions_t c
    cdef Filler filler
    cdef bytes _filled(self, const uint8_t[::1] stones, int colour, bint cutsets)

cdef int fill_regions(const regions_t* r, uint8_t* stones) noexcept nogil
