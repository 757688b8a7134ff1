"""Fill-in by patterns: dead, captured, dominated and reversible cells.

tools/workshop/derive_fillin.py derives the patterns; _fillin.h draws how a board lies in rows of
bits.  Hex has its sides around the cells, Black's above and below; the corners of the frame may
have either colour.  The sides of Y belong to both players and have patterns of their own; to all
other patterns they look unknown.
"""
from functools import lru_cache

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from trivalent.core._isa cimport STONES_PADDING, isa_index

cdef extern from "bot/knowledge/_fillin.h" nogil:
    const fillin_kernels_t* fillin_kernels(int isa)


cdef class Filler:
    """Fill-in by patterns for one board; immutable, shared by `filler`.

    Raise ValueError for a board without a lattice.
    """

    def __cinit__(self, board not None):
        cdef int row, last, kind
        if board.lattice is None:
            raise ValueError(f"no fill-in on {board}: its cells aren't on a lattice")
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
                if last < 64:  # without room, the side looks unknown to the patterns
                    self.board.side[1][row] |= <uint64_t> 1 << last
            self.board.side[0][0] = (<uint64_t> 2 << board.width) - 1 - 1
            self.board.side[0][board.height + 1] = self.board.side[0][0]
        else:
            self.board.has_shared = True
            for row in range(1, board.height + 1):  # the left and the right side
                self.board.shared[row] = (<uint64_t> 2 << (last - 1)) | (
                    <uint64_t> 1 << (self.board.shift[row] - 1)
                )
            self.board.shared[board.height + 1] = (<uint64_t> 2 << board.width) - 1
        kind = 0 if last < 16 else 1 if last < 32 else 2
        self.kernels = &fillin_kernels(isa_index()).rows[kind]

    cdef uint8_t* _copy(self, const uint8_t[::1] stones, int to_play) except NULL:
        """Return a byte for the mark of each cell and, after them, a copy of the stones.

        The caller frees it.  Raise ValueError if the stones don't fit the board, MemoryError if
        there's no room.
        """
        cdef uint8_t* marks
        if len(stones) != self.cells or to_play not in (1, 2):
            raise ValueError(
                f"{len(stones)} stones for a board of {self.cells} cells, {to_play} to play"
            )
        marks = <uint8_t*> malloc(2 * (self.cells + STONES_PADDING))
        if not marks:
            raise MemoryError
        memcpy(marks + self.cells + STONES_PADDING, &stones[0], self.cells)
        return marks

    def fill(self, const uint8_t[::1] stones not None, int to_play,
             bint permanently_inferior=False):
        """Return the stones with dead and captured cells filled in, and the inferior empty cells.

        On an inferior cell a stone of ``to_play`` (1 Black, 2 White) would be dead after some
        reply.  With ``permanently_inferior``, permanently inferior cells are filled in as well:
        this doesn't change who wins, but may no longer hold after further moves.
        """
        cdef uint8_t* inferior = self._copy(stones, to_play)
        cdef uint8_t* work = inferior + self.cells + STONES_PADDING
        self.kernels.fill_in(&self.board, work, to_play, permanently_inferior, inferior)
        filled = bytes(work[:self.cells])
        cells = [cell for cell in range(self.cells) if inferior[cell]]
        free(inferior)
        return filled, cells

    def reverse(self, const uint8_t[::1] stones not None, int to_play, int cell):
        """Find a reply that makes a stone of ``to_play`` on an empty cell dead.

        Return the cells that the opponent needs for it, his reply first, then what he captures, or
        None if there's no such reply.  The position must be filled in.  Raise ValueError if the
        cell isn't empty.
        """
        cdef uint8_t* needs = self._copy(stones, to_play)
        cdef uint8_t* work = needs + self.cells + STONES_PADDING
        if not 0 <= cell < self.cells or work[cell]:
            free(needs)
            raise ValueError(f"cell {cell} is not an empty cell of the {self.cells} on the board")
        cells = None
        if self.kernels.reverse(&self.board, work, to_play, cell, needs):
            cells = [
                other for kind in (2, 1) for other in range(self.cells) if needs[other] == kind
            ]
        free(needs)
        return cells

    def reversible(self, const uint8_t[::1] stones not None, int to_play):
        """Return the empty cells that `reverse` finds a reply to with which the opponent captures
        something.

        It misses a few of them.  The position must be filled in.
        """
        return self._marked(self.kernels.reversible, stones, to_play, ())

    def dominated(self, const uint8_t[::1] stones not None, int to_play, without=()):
        """Return most of the empty cells that would be filled in for the side to move after a
        better move.

        Cells in ``without`` don't count as moves.  From every returned cell a chain of better moves
        leads to one that is neither returned nor in ``without``.  The position must be filled in.
        """
        return self._marked(self.kernels.dominated, stones, to_play, without)

    cdef list _marked(
        self, reversible_t* kernel, const uint8_t[::1] stones, int to_play, without
    ):
        """Return the empty cells, except those in ``without``, that a kernel keeps marked."""
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
    """Return the filler of a board."""
    return Filler(board)
