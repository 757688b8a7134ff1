"""Dead and captured cells of a whole board: by patterns, simplicial ones, regions cut off.

The patterns look at what lies around a cell, the rest at the graph of a colour, whose chains link
all that is next to them [AHH, V.A].  See _cutsets.inc.h for why it is sound.
"""
from functools import lru_cache

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from trivalent.core._colours cimport opponent
from trivalent.core._isa cimport STONES_PADDING
from trivalent.bot.knowledge._fillin import filler


cdef int fill_regions(const regions_t* r, uint8_t* stones) noexcept nogil:
    """Fill in until nothing changes; return how many cells.

    ``stones`` has to have STONES_PADDING bytes more behind it.
    """
    cdef int filled = 0, count = r.fill_in(r.fillin, stones, 1, False, NULL), still = 0, colour = 1
    filled += count
    while still < 2:  # colours in turn for which nothing has changed
        count = regions_fill(&r.board, stones, colour, True)
        still += 1
        if count:
            count += r.fill_in(r.fillin, stones, 1, False, NULL)
            still = 0
        filled += count
        colour = opponent(colour)
    return filled


def has_regions(board):
    """Whether a board is small enough for this."""
    return len(board) <= REGIONS_CELLS


cdef class Regions:
    """The filling in of one board of up to 256 cells; immutable and shared, see `regions`."""

    def __cinit__(self, board not None):
        cdef int cell, other, colour
        if not has_regions(board):
            raise ValueError(f"{board} has more than {REGIONS_CELLS} cells")
        self.filler = filler(board)
        self.c.fillin = &self.filler.board
        self.c.fill_in = self.filler.kernels.fill_in
        self.c.board.cells = len(board)
        self.c.board.sides = len(board.goals[0])
        for cell, neighbours in enumerate(board.neighbours):
            for other in neighbours:
                self.c.board.around[cell][other >> 6] |= <uint64_t> 1 << (other & 63)
        for colour, goal in enumerate(board.goals):
            for number, side in enumerate(goal):
                for cell in board.sides[side].cells:
                    self.c.board.along[colour][cell] |= 1 << number

    def fill(self, const uint8_t[::1] stones not None):
        """Return the stones with all filled in."""
        return self._filled(stones, 0, True)

    def fill_beside(self, const uint8_t[::1] stones not None, int colour, bint cutsets=True):
        """Return the stones with what the graph of one colour alone gives its opponent, once."""
        if colour not in (1, 2):
            raise ValueError(f"colour {colour}")
        return self._filled(stones, colour, cutsets)

    cdef bytes _filled(self, const uint8_t[::1] stones, int colour, bint cutsets):
        cdef int cells = self.c.board.cells
        cdef uint8_t* work
        if len(stones) != cells:
            raise ValueError(f"{len(stones)} stones for {cells} cells")
        work = <uint8_t*> malloc(cells + STONES_PADDING)
        if not work:
            raise MemoryError
        memcpy(work, &stones[0], cells)
        if colour:
            regions_fill(&self.c.board, work, colour, cutsets)
        else:
            fill_regions(&self.c, work)
        filled = bytes(work[:cells])
        free(work)
        return filled


@lru_cache(maxsize=64)
def regions(board):
    """The regions of a board.  Raise ValueError if it has more than 256 cells."""
    return Regions(board)
