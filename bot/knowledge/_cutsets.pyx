"""Dead and captured cells of the whole board: by patterns, and by clique cutsets.

Patterns look only at the surroundings of a cell.  Clique cutsets look at the graph on which a
colour plays, in which a chain links everything next to it [AHH, V.A]. _cutsets.inc.h proves that
this is sound.
"""
from functools import lru_cache

from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from trivalent.core._colours cimport opponent
from trivalent.core._isa cimport STONES_PADDING
from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_add
from trivalent.bot.knowledge._fillin import filler


cdef int fill_in_with_cutsets(const cutset_fillin_t* r, uint8_t* stones) noexcept nogil:
    """Fill in by both methods until nothing changes; return the number of cells filled in.

    ``stones`` must have STONES_PADDING readable bytes after the last cell.
    """
    cdef int filled = 0, unchanged = 0, colour = 1
    cdef int count = r.fill_in(r.fillin, stones, 1, False, NULL)
    filled += count
    while unchanged < 2:  # the colours take turns until neither gains anything
        count = cutsets_fill(&r.board, stones, colour, True)
        unchanged += 1
        if count:
            count += r.fill_in(r.fillin, stones, 1, False, NULL)
            unchanged = 0
        filled += count
        colour = opponent(colour)
    return filled


def has_cutset_fillin(board):
    """Return whether clique-cutset fill-in can handle a board: one with a lattice, of up to 256
    cells.
    """
    return board.lattice is not None and len(board) <= MAX_CELLS


cdef class CutsetFillin:
    """Clique-cutset fill-in for one board of up to 256 cells; immutable, shared by `cutset_fillin`.
    """

    def __cinit__(self, board not None):
        cdef int cell, other, colour
        if not has_cutset_fillin(board):
            raise ValueError(f"{board} has more than {MAX_CELLS} cells")
        self.filler = filler(board)
        self.c.fillin = &self.filler.board
        self.c.fill_in = self.filler.kernels.fill_in
        self.c.board.cells = len(board)
        self.c.board.sides = len(board.goals[0])
        for cell, neighbours in enumerate(board.neighbours):
            for other in neighbours:
                cells_add(&self.c.board.around[cell], other)
        for colour, goal in enumerate(board.goals):
            for number, side in enumerate(goal):
                for cell in board.sides[side].cells:
                    self.c.board.along[colour][cell] |= 1 << number

    def fill(self, const uint8_t[::1] stones not None):
        """Return the stones with all dead and captured cells filled in.

        Raise ValueError if the number of stones doesn't fit the board.
        """
        return self._filled(stones, 0, True)

    def fill_once(self, const uint8_t[::1] stones not None, int colour, bint cutsets=True):
        """Return the stones with what one pass over the graph of ``colour`` gives its opponent.

        ``cutsets=False`` leaves out clique cutsets and fills in only simplicial and captured cells.
        Raise ValueError for stones that don't fit or an unknown colour.
        """
        if colour not in (1, 2):
            raise ValueError(f"colour must be 1 or 2, not {colour}")
        return self._filled(stones, colour, cutsets)

    cdef bytes _filled(self, const uint8_t[::1] stones, int colour, bint cutsets):
        cdef int cells = self.c.board.cells
        cdef uint8_t* work
        if len(stones) != cells:
            raise ValueError(f"{len(stones)} stones for a board of {cells} cells")
        work = <uint8_t*> malloc(cells + STONES_PADDING)
        if not work:
            raise MemoryError
        memcpy(work, &stones[0], cells)
        if colour:
            cutsets_fill(&self.c.board, work, colour, cutsets)
        else:
            fill_in_with_cutsets(&self.c, work)
        filled = bytes(work[:cells])
        free(work)
        return filled


@lru_cache(maxsize=64)
def cutset_fillin(board):
    """Return the clique-cutset fill-in of a board.  Raise ValueError if it has more than 256 cells.
    """
    return CutsetFillin(board)
