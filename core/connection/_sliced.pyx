"""Bit-sliced boards: every kernel works on 512 boards at once, on every instruction set.

The kernels are in _sliced.inc.h and _flood.inc.h.  This module prepares what they need to know
about a board: where bridges can arise and, if the board can be reduced, which cells of the triangle
can change at all (the rest follows from the template).
"""
from functools import lru_cache

from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from trivalent.core._isa cimport SLICE_WORDS, kernels, reply_t, slice_t

from trivalent.core.connection import _chains
from trivalent.core.connection.edge_templates import template_replies

cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    MAX_SLOTS = 32767  # slot numbers have 16 bits

cdef enum:  # what the template alone says about a cell of a level
    WHITE_STONE
    BLACK_STONE
    OPEN


cdef slice_t* slices_new(size_t slices) except NULL:
    """Allocate slices, aligned to cache lines; the caller frees them.  Raise MemoryError."""
    cdef slice_t* memory = <slice_t*> aligned_alloc(64, slices * sizeof(slice_t))
    if not memory:
        raise MemoryError
    return memory


cdef slice_t* slices_scratch(const slices_t* board) except NULL:
    """Allocate what `slices_decide` needs for its work: the template, and room behind it."""
    cdef int nodes = board.chains.flood.nodes if board.chains else 0
    return slices_new(board.slots + 3 + 2 * nodes)


cdef void slices_decide(
    const slices_t* board, const slice_t* cells, slice_t* work, int colour, slice_t* wins, int words
) noexcept nogil:
    """Write to ``wins`` the boards on which a colour has won; its stones are the bits in ``cells``.

    Both ``cells`` and ``work`` have been prepared by `slices_load`, inverted for White.
    """
    if board.chains:
        kernels().sliced.flood(
            cells, work + board.slots + 3, &board.chains.flood, colour, wins, words
        )
    else:
        kernels().sliced.reduce(cells, work, &board.shape, wins, words)


cdef class Slices:
    """A board's framing or chains, and its bridges, in the form that the bit-sliced kernels read.

    Raise ValueError if the framing is too large.
    """

    def __cinit__(self, framing, neighbours, sides, goals, Chains chains=None, edge_replies=()):
        cdef slices_t* c = &self.c
        cdef int cell, columns = 0
        self.chains = chains
        if framing is None:
            c.chains = &chains.c
            c.cells = c.slots = chains.c.cells
        else:
            columns = framing.columns
            c.cells = len(framing.places)
            c.slots = framing.columns * framing.rows
            if c.slots + 3 > MAX_SLOTS:
                raise ValueError(
                    f"{columns} columns of {framing.rows} rows; {MAX_SLOTS} cells are possible"
                )
        c.black_side = c.slots
        c.white_side = c.slots + 1
        c.common_side = c.slots + 2
        c.low = <int16_t*> calloc(columns + 1, sizeof(int16_t))
        c.high = <int16_t*> calloc(columns + 1, sizeof(int16_t))
        c.slot = <int16_t*> calloc(c.cells, sizeof(int16_t))
        c.template = <uint8_t*> calloc(c.slots, 1)
        if not (c.low and c.high and c.slot and c.template):
            raise MemoryError
        if framing is None:
            for cell in range(c.cells):
                c.slot[cell] = cell
        else:
            self._place(framing)
            self._fold()
        self._find_pairs(neighbours, sides, goals)
        self._find_replies()
        self._place_edge_replies(edge_replies)

    def __dealloc__(self):
        free(self.c.low)
        free(self.c.high)
        free(self.c.slot)
        free(self.c.template)
        free(self.c.pairs)
        free(self.c.replies)
        free(self.c.first)
        free(self.c.edge_replies)
        free(self.c.first_edge)

    cdef int _place(self, framing) except -1:
        """Give the cells their slots in the triangle, and the template its stones."""
        cdef slices_t* c = &self.c
        cdef int column, row, cell
        c.shape.levels = framing.size
        c.shape.columns = framing.columns
        c.shape.rows = framing.rows
        c.shape.low = c.low
        c.shape.high = c.high
        for cell, (column, row) in enumerate(framing.places):
            c.slot[cell] = column * framing.rows + row
        for column, row in framing.black:
            c.template[column * framing.rows + row] = 1
        return 0

    cdef int _fold(self) except -1:
        """Find the rows of each column that can change on any level: reduce the template alone."""
        cdef slices_t* board = &self.c
        cdef int columns = board.shape.columns, rows = board.shape.rows
        cdef int level, c, r, i, a, b, d
        state_bytes = bytearray(board.slots)
        cdef uint8_t[::1] state = state_bytes
        for c in range(board.slots):
            state[c] = BLACK_STONE if board.template[c] else WHITE_STONE
        for i in range(board.cells):
            state[board.slot[i]] = OPEN
        for c in range(columns):
            board.low[c] = rows
        for level in range(1, board.shape.levels):
            for c in range(columns):
                for r in range(min(rows, board.shape.levels - level - c)):
                    i = c * rows + r
                    a = state[i]
                    # Beyond the columns and rows that take part, everything is like the last one.
                    b = state[i + 1] if r + 1 < rows else a
                    d = state[i + rows] if c + 1 < columns else a
                    if a == b or a == d:
                        state[i] = a
                    elif b == d:
                        state[i] = b
                    else:
                        state[i] = OPEN
                    # A constant that differs from the level below must be written, too.
                    if state[i] == OPEN or state[i] != a:
                        board.low[c] = min(board.low[c], r)
                        board.high[c] = max(board.high[c], r + 1)
        return 0

    cdef int _find_pairs(self, neighbours, sides, goals) except -1:
        """List the pairs of neighbours that can be the cells of a bridge, with its two ends."""
        cdef int p, q, i = 0
        found = []
        on = [{n for n, side in enumerate(sides) if cell in side} for cell in range(self.c.cells)]
        for p, around in enumerate(neighbours):
            for q in around:
                if p < q:
                    ends = sorted(set(around) & set(neighbours[q]))
                    if len(ends) == 2:
                        found.append((p, q, ends[0], ends[1], 0))
                    elif len(ends) == 1:
                        shared = on[p] & on[q]
                        colours = sum([1 << c for c in range(2) if shared & set(goals[c])])
                        if colours:
                            found.append((p, q, ends[0], -1, colours))
        self.c.pair_count = len(found)
        self.c.pairs = <pair_t*> calloc(len(found) + 1, sizeof(pair_t))
        if not self.c.pairs:
            raise MemoryError
        for i, (p, q, end, far, colours) in enumerate(found):
            self.c.pairs[i] = pair_t(p=p, q=q, end=end, far=far, sides=colours)
        return 0

    cdef int _find_replies(self) except -1:
        """List the replies to a stone on each cell: one for each pair that the cell is in."""
        cdef slices_t* board = &self.c
        cdef const pair_t* pair
        cdef int i, cell, slot, entered
        of_slot = {}
        for i in range(board.pair_count):
            pair = &board.pairs[i]
            for entered, cell in ((pair.p, pair.q), (pair.q, pair.p)):
                of_slot.setdefault(board.slot[entered], []).append(
                    (board.slot[cell], board.slot[pair.end], side_slot(board, pair))
                )
        board.replies = <reply_t*> calloc(2 * board.pair_count + 1, sizeof(reply_t))
        board.first = <int32_t*> calloc(board.slots + 1, sizeof(int32_t))
        if not (board.replies and board.first):
            raise MemoryError
        i = 0
        for slot in range(board.slots):
            for partner, end, far in of_slot.get(slot, ()):
                board.replies[i] = reply_t(partner=partner, end=end, far=far)
                i += 1
            board.first[slot + 1] = i
        return 0

    cdef int _place_edge_replies(self, edge_replies) except -1:
        """List the replies to a stone on each cell in edge templates."""
        cdef slices_t* board = &self.c
        cdef edge_reply_t* made
        cdef int i = 0, j, slot
        of_slot = {}
        for reply in edge_replies:
            of_slot.setdefault(board.slot[<int> reply.intrusion], []).append(reply)
        board.edge_replies = <edge_reply_t*> calloc(len(edge_replies) + 1, sizeof(edge_reply_t))
        board.first_edge = <int32_t*> calloc(board.slots + 1, sizeof(int32_t))
        if not (board.edge_replies and board.first_edge):
            raise MemoryError
        for slot in range(board.slots):
            for reply in of_slot.get(slot, ()):
                made = &board.edge_replies[i]
                made.reply = board.slot[<int> reply.reply]
                made.stone = board.slot[<int> reply.stone]
                made.colours = reply.colours
                for j in range(6):
                    made.others[j] = board.slot[<int> reply.others[j]]
                i += 1
            board.first_edge[slot + 1] = i
        return 0


cdef void slices_load(const slices_t* board, slice_t* cells, bint inverted) noexcept nogil:
    """Set all slots, those of the sides included, to the template or to its inverse.

    A set bit is a black stone or side; in the inverse it's a white one.
    """
    cdef int i
    for i in range(board.slots):
        slice_set(&cells[i], board.template[i] != inverted)
    slice_set(&cells[board.black_side], not inverted)
    slice_set(&cells[board.white_side], inverted)
    slice_set(&cells[board.common_side], True)


@lru_cache(maxsize=16)
def slices(board):
    """Return the slices of a board, cached."""
    return Slices(
        board.framing,
        board.neighbours,
        [side.cells for side in board.sides],
        board.goals,
        None if board.framing is not None else _chains.chains(board),
        template_replies(board),
    )


def graph_slices(board):
    """Return slices that follow the chains of a board even if it can be reduced."""
    return Slices(None, board.neighbours, (), ((), ()), _chains.chains(board))


def winners(
    Slices of_board not None, const uint8_t[::1] stones not None, uint8_t[::1] out not None
):
    """Write the winner of each of many boards to ``out``; see `win_test.winners`."""
    cdef const slices_t* board = &of_board.c
    cdef slice_t* cells = NULL
    cdef slice_t* work = NULL
    cdef Py_ssize_t count = out.shape[0], first, i
    cdef int cell, colour, word
    cdef uint64_t bits
    cdef slice_t won
    if count == 0:
        return
    memset(&out[0], 0, count)
    try:
        cells = slices_new(board.slots + 3)
        work = slices_scratch(board)
        for colour in range(1, 3):
            # For White, exchange the colours: its stones are reduced like Black's.
            slices_load(board, cells, colour == 2)
            slices_load(board, work, colour == 2)
            for first in range(0, count, SLICE_BOARDS):
                for cell in range(board.cells):
                    for word in range(SLICE_WORDS):
                        bits = 0
                        for i in range(min(<Py_ssize_t> 64, count - first - 64 * word)):
                            bits |= <uint64_t> (
                                stones[(first + 64 * word + i) * board.cells + cell] == colour
                            ) << i
                        cells[board.slot[cell]].word[word] = bits
                slices_decide(board, cells, work, colour, &won, SLICE_WORDS)
                for i in range(min(<Py_ssize_t> SLICE_BOARDS, count - first)):
                    if won.word[i // 64] >> (i % 64) & 1:
                        out[first + i] = colour
    finally:
        free(cells)
        free(work)
