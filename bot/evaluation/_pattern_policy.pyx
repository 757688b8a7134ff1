"""The pattern policy: a softmax over moves, with weights looked up by what surrounds a cell.

Three weights are added: for the six neighbours, for the six cells that a bridge would reach, and
for the offset from the last move if that was close.  Everything is seen from the side to move: in
Hex the board is mirrored for White, so that the side to move always joins top and bottom.  The
weights are trained by tools/workshop/train_pattern_policy.py.
"""
cimport cython
from functools import lru_cache
from importlib.resources import files

from libc.math cimport exp
from libc.stdint cimport int16_t, uint8_t
from libc.stdlib cimport abs
from libc.string cimport memcpy

from trivalent.bot.evaluation._evaluator cimport evaluator_t, leaf_t
from trivalent.core._colours cimport colour_index

from trivalent.core.games import GAMES as _GAMES

CODES = CODE_COUNT
NEARBY = NEARBY_COUNT
SCALE = 16
"""Units in the file that make a weight of 1."""

cdef int ROWS[12]
cdef int COLUMNS[12]
ROWS[:] = [-1, -1, 0, 1, 1, 0, -2, -1, 1, 2, 1, -1]
COLUMNS[:] = [0, 1, 1, 0, -1, -1, 1, 2, 1, -1, -2, -1]


cdef void policy_codes(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    int16_t* codes
) noexcept nogil:
    """Write the indices of the three weights of each of n cells."""
    cdef uint8_t held[MAX_PLACES]
    cdef const int* steps = p.steps[colour_index(to_play)]
    cdef int i, k, cell, place, around, behind, rows, columns, stone
    memcpy(held, p.empty[colour_index(to_play)], p.places)
    for cell in range(p.cells):
        stone = stones[cell]
        held[p.place[cell]] = 0 if stone == 0 else 1 if stone == to_play else 2
    for i in range(n):
        place = p.place[cells[i]]
        around = behind = 0
        for k in range(6):
            around |= held[place + steps[k]] << (2 * k)
            behind |= held[place + steps[k + 6]] << (2 * k)
        codes[3 * i] = around
        codes[3 * i + 1] = behind
        codes[3 * i + 2] = 0
        if last >= 0:
            rows = place // p.stride - p.place[last] // p.stride
            columns = place % p.stride - p.place[last] % p.stride
            if steps[0] == -1:  # the board is mirrored
                rows, columns = columns, rows
            if abs(rows) <= 3 and abs(columns) <= 3 and abs(rows + columns) <= 3:
                codes[3 * i + 2] = 7 * (rows + 3) + columns + 4


cdef void policy_scores(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    float* scores
) noexcept nogil:
    """Write the sum of the three weights of each of n cells."""
    cdef int16_t codes[3 * 3969]
    cdef int i
    policy_codes(p, stones, to_play, last, cells, n, codes)
    for i in range(n):
        scores[i] = (
            p.around[codes[3 * i]] + p.behind[codes[3 * i + 1]] + p.nearby[codes[3 * i + 2]]
        )


cdef void policy_shares(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    float* shares
) noexcept nogil:
    """Write the probability of each of n cells; their sum is 1."""
    cdef float highest = -1e9, total = 0
    cdef int i
    policy_scores(p, stones, to_play, last, cells, n, shares)
    for i in range(n):
        highest = max(highest, shares[i])
    for i in range(n):
        shares[i] = exp(shares[i] - highest)
        total += shares[i]
    for i in range(n):
        shares[i] /= total


cdef void policy_priors(void* data, const leaf_t* leaf, float* priors) noexcept nogil:
    policy_shares(
        <const policy_t*> data, leaf.stones, leaf.to_play, leaf.last, leaf.choice, leaf.choices,
        priors
    )


@cython.final
cdef class Policy(Evaluator):
    """The pattern policy of one board.  Immutable, and shared by all searches; see `policy`."""

    def __cinit__(self, board not None):
        cdef int k, row, column, cell, colour
        self.c.cells = len(board)
        self.c.stride = board.width + 4
        self.c.places = self.c.stride * (board.height + 4)
        for colour in range(2):
            mirrored = colour == 1 and not board.shares_sides
            for k in range(12):
                row, column = ROWS[k], COLUMNS[k]
                if mirrored:
                    row, column = column, row
                self.c.steps[colour][k] = row * self.c.stride + column
            for row in range(board.height + 4):
                for column in range(board.width + 4):
                    above = row < 2 or row >= board.height + 2
                    beside = column < 2 or column >= board.width + 2
                    # A corner of the margin counts as the mover's side.
                    own = beside if mirrored else above
                    self.c.empty[colour][row * self.c.stride + column] = (
                        3 if board.shares_sides else 1 if own else 2
                    )
        for cell, (column, row) in enumerate(board.lattice.places):
            self.c.place[cell] = (row + 2) * self.c.stride + column + 2
        held = files("trivalent.bot.evaluation").joinpath("pattern_policy.bin").read_bytes()
        size = 2 * CODES + NEARBY
        weights = memoryview(held).cast("b")[_GAMES[board.game].number * size :][:size]
        for k in range(CODES):
            self.c.around[k] = weights[k] / <float> SCALE
            self.c.behind[k] = weights[CODES + k] / <float> SCALE
        for k in range(NEARBY):
            self.c.nearby[k] = weights[2 * CODES + k] / <float> SCALE

    cdef int attach(self, evaluator_t* table) except -1:
        table.data = &self.c
        table.priors = policy_priors
        return 0

    def features(self, const uint8_t[::1] stones not None, int to_play, int last):
        """Return, for each of the three tables, the weight index of every cell of the board."""
        cdef int16_t cells[3969]
        cdef int16_t codes[3 * 3969]
        cdef int i
        for i in range(self.c.cells):
            cells[i] = i
        policy_codes(&self.c, &stones[0], to_play, last, cells, self.c.cells, codes)
        return [[codes[3 * i + table] for i in range(self.c.cells)] for table in range(3)]

    def shares(self, const uint8_t[::1] stones not None, int to_play, int last):
        """Return a dictionary from each empty cell to the probability that it is chosen."""
        cdef int16_t cells[3969]
        cdef float shares[3969]
        cdef int i, n = 0
        for i in range(self.c.cells):
            if stones[i] == 0:
                cells[n] = i
                n += 1
        policy_shares(&self.c, &stones[0], to_play, last, cells, n, shares)
        return {cells[i]: shares[i] for i in range(n)}


@lru_cache(maxsize=64)
def policy(board):
    """Return the pattern policy of a board."""
    return Policy(board)
