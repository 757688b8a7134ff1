"""Dead and captured cells filled in, by the patterns of tools/workshop/derive_fillin.py.

Rows of the board are rows of bits.  Hex has its sides around them, Black's above and below; the
corners of the frame may have any colour.  The sides of Y are both colours' and have patterns of
their own; to the others they are unknown.
"""
from functools import lru_cache

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from trivalent.core._isa cimport STONES_PADDING, isa_index

cdef extern from "bot/knowledge/_fillin.h" nogil:
    const fillin_kernels_t* fillin_kernels(int isa)


cdef class Filler:
    """The filling in of one board; immutable and shared, see `filler`."""

    def __cinit__(self, board not None):
        cdef int row, last, kind
        self.cells = len(board)
        self.board.height = board.height
        rows = [[] for _ in range(board.height)]
        for cell, (_, y) in enumerate(board.lattice.places):
            rows[y].append(cell)
        for row, cells in enumerate(rows, 1):
            self.board.start[row] = cells[0]
            self.board.length[row] = len(cells)
            self.board.shift[row] = 1 + board.lattice.places[cells[0]][0]
            self.board.cells[row] = ((<uint64_t> 1 << len(cells)) - 1) << self.board.shift[row]
        last = board.width + 1
        if not board.shares_sides:
            for row in range(board.height + 2):
                self.board.side[1][row] = 1
                if last < 64:  # or there is no room: unknown to the patterns
                    self.board.side[1][row] |= <uint64_t> 1 << last
            self.board.side[0][0] = (<uint64_t> 2 << board.width) - 1 - 1
            self.board.side[0][board.height + 1] = self.board.side[0][0]
        else:
            self.board.has_shared = True
            for row in range(1, board.height + 1):  # the left and the right
                self.board.shared[row] = (<uint64_t> 1 << last) | (
                    <uint64_t> 1 << (self.board.shift[row] - 1)
                )
            self.board.shared[board.height + 1] = (<uint64_t> 2 << board.width) - 1
        kind = 0 if last < 16 else 1 if last < 32 else 2
        self.kernels = &fillin_kernels(isa_index()).rows[kind]

    cdef uint8_t* _copy(self, const uint8_t[::1] stones, int to_play) except NULL:
        """Return room for a mark of each cell, and behind it a copy of the stones; to be freed."""
        cdef uint8_t* marks
        if len(stones) != self.cells or to_play not in (1, 2):
            raise ValueError(f"{len(stones)} stones for {self.cells} cells, {to_play} to play")
        marks = <uint8_t*> malloc(2 * (self.cells + STONES_PADDING))
        if not marks:
            raise MemoryError
        memcpy(marks + self.cells + STONES_PADDING, &stones[0], self.cells)
        return marks

    def fill(self, const uint8_t[::1] stones not None, int to_play, bint more=False):
        """Return the stones with all filled in, and the empty cells that are inferior then.

        These are where a stone of ``to_play`` (1 Black, 2 White) would be dead after some reply.
        With ``more`` permanently inferior cells are filled in, too: this does not change who wins,
        but need not hold any longer in positions after this one.
        """
        cdef uint8_t* inferior = self._copy(stones, to_play)
        cdef uint8_t* work = inferior + self.cells + STONES_PADDING
        self.kernels.fill_in(&self.board, work, to_play, more, inferior)
        filled = bytes(work[:self.cells])
        cells = [cell for cell in range(self.cells) if inferior[cell]]
        free(inferior)
        return filled, cells

    def reverse(self, const uint8_t[::1] stones not None, int to_play, int cell):
        """Find a reply of the opponent after which a stone of ``to_play`` on an empty cell is dead.

        Return the cells that he needs for it, his reply and what he captures then, or None.  The
        position has to be filled in.
        """
        cdef uint8_t* needs = self._copy(stones, to_play)
        cdef uint8_t* work = needs + self.cells + STONES_PADDING
        if not 0 <= cell < self.cells or work[cell]:
            free(needs)
            raise ValueError(f"cell {cell} is not an empty one of {self.cells}")
        cells = None
        if self.kernels.reverse(&self.board, work, to_play, cell, needs):
            cells = [
                other for kind in (2, 1) for other in range(self.cells) if needs[other] == kind
            ]
        free(needs)
        return cells

    def reversible(self, const uint8_t[::1] stones not None, int to_play):
        """Return empty cells for which there is such a reply, with something that it captures; all
        but a few of those that `reverse` finds.  The position has to be filled in.
        """
        return self._those(self.kernels.reversible, stones, to_play, ())

    def dominated(self, const uint8_t[::1] stones not None, int to_play, without=()):
        """Return empty cells to which others are preferable: most of those that would be filled in
        for the side to move by a stone on another one.

        Some cells count as no moves.  From what is returned better moves always lead to one that
        is neither returned nor among these.  The position has to be filled in.
        """
        return self._those(self.kernels.dominated, stones, to_play, without)

    cdef list _those(
        self, reversible_t* kernel, const uint8_t[::1] stones, int to_play, without
    ):
        """Return those of the empty cells, without some, that a kernel keeps."""
        cdef uint8_t* marks = self._copy(stones, to_play)
        cdef uint8_t* work = marks + self.cells + STONES_PADDING
        cdef int cell
        for cell in range(self.cells):
            marks[cell] = work[cell] == 0
        for cell in without:
            marks[cell] = 0
        kernel(&self.board, work, to_play, marks)
        cells = [cell for cell in range(self.cells) if marks[cell]]
        free(marks)
        return cells


@lru_cache(maxsize=64)
def filler(board):
    """The filler of a board."""
    return Filler(board)
