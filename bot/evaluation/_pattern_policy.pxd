"""How likely a strong player is to choose a cell, by what lies around it."""
from libc.stdint cimport int16_t, uint8_t

cdef enum:
    CODE_COUNT = 4096      # six cells around a cell, two bits each
    NEARBY_COUNT = 50      # places next to the last move, and elsewhere
    MAX_PLACES = 67 * 67

ctypedef struct policy_t:
    int cells
    int places             # cells with a margin of two
    int stride
    int16_t place[3969]    # of each cell
    uint8_t empty[2][MAX_PLACES]  # to Black and to White: the margin, 1 own side, 2 other, 3 both
    int steps[2][12]       # to the six neighbours and to the six cells behind them
    float around[CODE_COUNT]
    float behind[CODE_COUNT]
    float nearby[NEARBY_COUNT]

cdef void policy_codes(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    int16_t* codes
) noexcept nogil
cdef void policy_shares(
    const policy_t* p, const uint8_t* stones, int to_play, int last, const int16_t* cells, int n,
    float* shares
) noexcept nogil


cdef class Policy:
    cdef policy_t c
