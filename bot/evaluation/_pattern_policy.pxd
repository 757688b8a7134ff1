"""Move priors from local patterns: how likely a strong player is to choose a cell."""
from libc.stdint cimport int16_t, uint8_t

from trivalent.bot.evaluation._evaluator cimport Evaluator

cdef enum:
    CODE_COUNT = 4096      # contents of six cells, two bits each
    NEARBY_COUNT = 50      # offsets from the last move, and one for all that are far from it
    MAX_PLACES = 67 * 67   # cells of the largest board with its margin

ctypedef struct policy_t:
    int cells
    int places             # cells with a margin of two on all sides
    int stride             # from a place to the one below
    int16_t place[3969]    # of each cell
    # The empty board as each colour sees it; in the margin 1 is its own side, 2 the opponent's, and
    # 3 a side of both.
    uint8_t empty[2][MAX_PLACES]
    int steps[2][12]       # per colour, to the six neighbours and to the six cells behind them
    float around[CODE_COUNT]      # weights
    float behind[CODE_COUNT]
    float nearby[NEARBY_COUNT]

cdef void policy_codes(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    int16_t* codes
) noexcept nogil
cdef void policy_scores(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    float* scores
) noexcept nogil
cdef void policy_shares(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    float* shares
) noexcept nogil


cdef class Policy(Evaluator):
    cdef policy_t c
