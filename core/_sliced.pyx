"""Bit-sliced boards: 512 playouts in one pass of every kernel, on every instruction set.

The kernels are in _sliced_kernels.h.  Here is what they are told: which cells of the triangle can
change at all (the rest of the template folds into constants), where the bridges are, and the seeds.
"""
from functools import lru_cache

from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from trivalent.core._isa cimport (
    SLICE_WORDS, kernels, rhombus_t, slice_rng_t, slice_t, sliced_t
)
from trivalent.core._playout cimport choose
from trivalent.core._rng cimport rng_below, rng_next, rng_seed, rng_t

cdef extern from *:
    int __builtin_popcountll(unsigned long long x) noexcept nogil

cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    MAX_SLOTS = 32767  # their numbers have 16 bits

cdef enum:  # what is known of a place of the triangle before there are stones
    WHITE_STONE
    BLACK_STONE
    OPEN


cdef slice_t* slices_new(size_t slices) except NULL:
    """Return that many slices, to be freed: whole cache lines.  Raise MemoryError."""
    cdef slice_t* memory = <slice_t*> aligned_alloc(64, slices * sizeof(slice_t))
    if not memory:
        raise MemoryError
    return memory


cdef class Slices:
    """A board's framing and bridges in the form that the bit-sliced kernels read.

    Raise ValueError if the framing is too large for them.
    """

    def __cinit__(self, framing, neighbours, sides, goals):
        cdef int column, row, cell
        self.cells = len(framing.places)
        self.shape.levels = framing.size
        self.shape.columns = framing.columns
        self.shape.rows = framing.rows
        self.slots = framing.columns * framing.rows
        if self.slots + 2 > MAX_SLOTS:
            raise ValueError(
                f"{framing.columns} columns of {framing.rows} rows; {MAX_SLOTS} cells are possible"
            )
        self.ones = self.slots      # behind the triangle, two slots of one colour: the sides
        self.zeros = self.slots + 1
        self.low = <int16_t*> calloc(framing.columns, sizeof(int16_t))
        self.high = <int16_t*> calloc(framing.columns, sizeof(int16_t))
        self.shape.low = self.low
        self.shape.high = self.high
        self.slot = <int16_t*> calloc(self.cells, sizeof(int16_t))
        self.template = <uint8_t*> calloc(self.slots + 2, 1)
        if not (self.low and self.high and self.slot and self.template):
            raise MemoryError
        for cell, (column, row) in enumerate(framing.places):
            self.slot[cell] = column * framing.rows + row
        for column, row in framing.black:
            self.template[column * framing.rows + row] = 1
        self.template[self.ones] = 1
        self._fold()
        self._find_pairs(neighbours, sides, goals)

    def __dealloc__(self):
        free(self.low)
        free(self.high)
        free(self.slot)
        free(self.template)
        free(self.pairs)

    cdef int _fold(self) except -1:
        """Find out, by reducing the template alone, which rows of each column can ever change."""
        cdef int columns = self.shape.columns, rows = self.shape.rows
        cdef int level, c, r, i, a, b, d
        state_bytes = bytearray(self.slots)
        cdef uint8_t[::1] state = state_bytes
        for c in range(self.slots):
            state[c] = BLACK_STONE if self.template[c] else WHITE_STONE
        for i in range(self.cells):
            state[self.slot[i]] = OPEN
        for c in range(columns):
            self.low[c] = rows
        for level in range(1, self.shape.levels):
            for c in range(columns):
                for r in range(min(rows, self.shape.levels - level - c)):
                    i = c * rows + r
                    a = state[i]
                    # Beyond the columns and rows that take part, all is as the last one is.
                    b = state[i + 1] if r + 1 < rows else a
                    d = state[i + rows] if c + 1 < columns else a
                    if a == b or a == d:
                        state[i] = a
                    elif b == d:
                        state[i] = b
                    else:
                        state[i] = OPEN
                    # A constant that differs from the one below must be written too.
                    if state[i] == OPEN or state[i] != a:
                        self.low[c] = min(self.low[c], r)
                        self.high[c] = max(self.high[c], r + 1)
        return 0

    cdef int _find_pairs(self, neighbours, sides, goals) except -1:
        """List the neighbouring pairs of cells with what lies on either side of them."""
        cdef int p, q, i = 0
        found = []
        on = [{n for n, side in enumerate(sides) if cell in side} for cell in range(self.cells)]
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
        self.pair_count = len(found)
        self.pairs = <pair_t*> calloc(len(found) + 1, sizeof(pair_t))
        if not self.pairs:
            raise MemoryError
        for i, (p, q, end, far, colours) in enumerate(found):
            self.pairs[i] = pair_t(p=p, q=q, end=end, far=far, sides=colours)
        return 0

    cdef void load_template(self, slice_t* cells, bint inverted) noexcept:
        """Set the slots, two more than the triangle has, to the template, or to its inverse."""
        cdef int i
        for i in range(self.slots + 2):
            memset(&cells[i], 0xFF if self.template[i] != inverted else 0, sizeof(slice_t))

    cdef bint _is_bridge(self, const pair_t* pair, const uint8_t* stones, int colour) noexcept:
        return stones[pair.end] == colour and (
            stones[pair.far] == colour if pair.far >= 0 else pair.sides >> (colour - 1) & 1
        )


@lru_cache(maxsize=16)
def slices(board):
    """Return the slices of a board; boards share theirs."""
    return Slices(
        board.framing, board.neighbours, [side.cells for side in board.sides], board.goals
    )


cdef void _seed(
    slice_rng_t* rng, rng_t* shuffler, uint64_t seed, uint64_t block
) noexcept nogil:
    """Give each word of a block and its shuffles streams that depend on seed and number only."""
    cdef rng_t one
    cdef uint64_t key
    cdef int word, i
    rng_seed(&one, seed)
    key = rng_next(&one)  # not the seed: that of the next seed's first block would be this one's
    for word in range(SLICE_WORDS):
        rng_seed(&one, key ^ (block * SLICE_WORDS + word))
        for i in range(4):
            rng.s[i].word[word] = one.s[i]
    rng_seed(shuffler, ~key ^ block)


def statistics(
    Slices board not None, const uint8_t[::1] stones not None, int to_play, Py_ssize_t count,
    seed, bint balanced, bint bridges, int repair_chance
):
    """Wins, and per empty cell ownership; see `trivalent.core.playout.statistics`."""
    cdef const sliced_t* kernel = &kernels().sliced
    cdef slice_t* cells = NULL
    cdef slice_t* work = NULL
    cdef int16_t* free_slots = NULL   # of the cells that get a coin
    cdef int16_t* order = NULL
    cdef int16_t* empty_slots = NULL  # of all cells without a stone
    cdef int16_t* paired = NULL       # slots of bridges, two by two
    cdef rhombus_t* rhombi = NULL     # that may be repaired
    cdef rhombus_t* shuffled = NULL
    cdef int64_t* owned = NULL
    cdef int64_t* won = NULL
    cdef int n_free = 0, n_empty = 0, n_paired = 0, n_rhombi = 0, black, i, j, cell
    cdef const pair_t* pair
    cdef slice_rng_t rng
    cdef slice_t wins, mask
    cdef rng_t shuffler
    cdef uint64_t seed64 = seed & 0xFFFFFFFFFFFFFFFF
    cdef int64_t total = 0, b, left
    taken = bytearray(board.cells)  # 1: has a stone, 2: in a bridge
    cdef uint8_t[::1] fixed = taken
    try:
        cells = slices_new(board.slots + 2)
        work = slices_new(board.slots + 2)
        free_slots = <int16_t*> calloc(board.cells + 1, sizeof(int16_t))
        order = <int16_t*> calloc(board.cells + 1, sizeof(int16_t))
        empty_slots = <int16_t*> calloc(board.cells + 1, sizeof(int16_t))
        paired = <int16_t*> calloc(board.cells + 1, sizeof(int16_t))
        rhombi = <rhombus_t*> calloc(board.pair_count + 1, sizeof(rhombus_t))
        shuffled = <rhombus_t*> calloc(board.pair_count + 1, sizeof(rhombus_t))
        owned = <int64_t*> calloc(board.cells + 1, sizeof(int64_t))
        won = <int64_t*> calloc(board.cells + 1, sizeof(int64_t))
        if not (
            free_slots and order and empty_slots and paired and rhombi and shuffled
            and owned and won
        ):
            raise MemoryError
        board.load_template(cells, False)
        board.load_template(work, False)
        for cell in range(board.cells):
            if stones[cell]:
                fixed[cell] = 1
                memset(&cells[board.slot[cell]], 0xFF if stones[cell] == 1 else 0, sizeof(slice_t))
            else:
                empty_slots[n_empty] = board.slot[cell]
                n_empty += 1
        black = (n_empty + 1) // 2 if to_play == 1 else n_empty // 2
        if bridges:
            for i in range(board.pair_count):
                pair = &board.pairs[i]
                if not fixed[pair.p] and not fixed[pair.q] and (
                    board._is_bridge(pair, &stones[0], 1) or board._is_bridge(pair, &stones[0], 2)
                ):
                    fixed[pair.p] = fixed[pair.q] = 2
                    paired[n_paired] = board.slot[pair.p]
                    paired[n_paired + 1] = board.slot[pair.q]
                    n_paired += 2
        for i in range(board.pair_count):
            pair = &board.pairs[i]
            if not fixed[pair.p] and not fixed[pair.q]:
                rhombi[n_rhombi].p = board.slot[pair.p]
                rhombi[n_rhombi].q = board.slot[pair.q]
                rhombi[n_rhombi].end = board.slot[pair.end]
                rhombi[n_rhombi].far_black = rhombi[n_rhombi].far_white = (
                    board.slot[pair.far] if pair.far >= 0 else 0
                )
                if pair.far < 0:  # Black wants a set bit there, White a clear one
                    rhombi[n_rhombi].far_black = board.ones if pair.sides & 1 else board.zeros
                    rhombi[n_rhombi].far_white = board.zeros if pair.sides & 2 else board.ones
                n_rhombi += 1
        for cell in range(board.cells):
            if not fixed[cell]:
                free_slots[n_free] = board.slot[cell]
                n_free += 1
        with nogil:
            for b in range((count + BLOCK - 1) // BLOCK):
                left = min(<int64_t> BLOCK, count - b * BLOCK)
                for i in range(SLICE_WORDS):
                    mask.word[i] = (
                        ~<uint64_t> 0 if left >= 64 * (i + 1)
                        else (<uint64_t> 1 << (left - 64 * i)) - 1 if left > 64 * i else 0
                    )
                _seed(&rng, &shuffler, seed64, b)
                kernel.coins(&rng, cells, free_slots, n_free)
                for i in range(0, n_paired, 2):
                    kernel.coins(&rng, cells, &paired[i], 1)
                    for cell in range(SLICE_WORDS):
                        cells[paired[i + 1]].word[cell] = ~cells[paired[i]].word[cell]
                if balanced:
                    memcpy(order, free_slots, n_free * sizeof(int16_t))
                    choose(&shuffler, order, n_free, n_free)
                    kernel.balance(cells, order, n_free, black - n_paired // 2)
                if repair_chance:  # in random order: any other favours a colour
                    memcpy(shuffled, rhombi, n_rhombi * sizeof(rhombus_t))
                    for i in range(n_rhombi):
                        j = i + <int> rng_below(&shuffler, n_rhombi - i)
                        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
                    kernel.repair(&rng, cells, shuffled, n_rhombi, repair_chance)
                kernel.reduce(cells, work, &board.shape, &wins)
                kernel.count(cells, empty_slots, n_empty, &wins, &mask, owned, won)
                for i in range(SLICE_WORDS):
                    total += __builtin_popcountll(wins.word[i] & mask.word[i])
        return (
            total, [owned[i] for i in range(n_empty)], [won[i] for i in range(n_empty)]
        )
    finally:
        free(cells)
        free(work)
        free(free_slots)
        free(order)
        free(empty_slots)
        free(paired)
        free(rhombi)
        free(shuffled)
        free(owned)
        free(won)


def winners(Slices board not None, const uint8_t[::1] stones not None, uint8_t[::1] out not None):
    """Write the winner of each of many boards (a byte a cell) to ``out``."""
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
        cells = slices_new(board.slots + 2)
        work = slices_new(board.slots + 2)
        for colour in range(1, 3):
            # White's plane, with the colours of the template exchanged, is reduced as Black's.
            board.load_template(cells, colour == 2)
            board.load_template(work, colour == 2)
            for first in range(0, count, BLOCK):
                for cell in range(board.cells):
                    for word in range(SLICE_WORDS):
                        bits = 0
                        for i in range(min(<Py_ssize_t> 64, count - first - 64 * word)):
                            bits |= <uint64_t> (
                                stones[(first + 64 * word + i) * board.cells + cell] == colour
                            ) << i
                        cells[board.slot[cell]].word[word] = bits
                kernels().sliced.reduce(cells, work, &board.shape, &won)
                for i in range(min(<Py_ssize_t> BLOCK, count - first)):
                    if won.word[i // 64] >> (i % 64) & 1:
                        out[first + i] = colour
    finally:
        free(cells)
        free(work)
