"""What a search asks about a leaf, and the table of functions that answers.

An evaluator may judge leaves, suggest priors for their moves, and give a second opinion on nodes
that the search visits often; a search combines as many as it is given.  Their functions run without
the GIL.  Each thread of a search has an `evaluator_t` of its own, whose ``data`` no other thread
touches.
"""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t

from trivalent.core._isa cimport STONES_PADDING

cdef enum:
    MAX_CELLS = 63 * 63
    MAX_EVALUATORS = 4     # of one search

ctypedef struct leaf_t:
    # The position, as the search has prepared it:
    uint8_t stones[MAX_CELLS + STONES_PADDING]  # on the board
    uint8_t filled[MAX_CELLS + STONES_PADDING]  # the same with dead and captured cells filled in
    int to_play
    int last                   # the cell just played, or -1
    int previous               # the cell played before it, or -1 (only set for `judge`)
    uint8_t inferior[MAX_CELLS]  # cells that the side to move need not try
    int empties
    int16_t empty[MAX_CELLS]   # the cells empty in `filled`
    int choices
    int16_t choice[MAX_CELLS]  # those that the side to move has to consider
    # What evaluators say about it:
    float value                # probability that Black wins
    float rate[2][MAX_CELLS]   # how often a colour that owns a cell wins; NaN if unknown
    int playouts               # behind the counts that follow
    int black_wins
    int64_t owned[MAX_CELLS]   # per element of `empty`: playouts in which Black owned the cell,
    int64_t won[MAX_CELLS]     # and those among them that Black won

ctypedef struct evaluator_t:
    void* data
    # Restart the random numbers; threads with different numbers draw different ones.
    void (*seed)(void* data, uint64_t seed, int thread) noexcept nogil
    # Set what evaluators say in a leaf, or adjust what evaluators before this one have said.
    void (*evaluate)(void* data, leaf_t* leaf) noexcept nogil
    # Write the probability that a strong player chooses it for each of the leaf's choices.
    void (*priors)(void* data, const leaf_t* leaf, float* priors) noexcept nogil
    # Write the probability that a strong player chooses it for each of n cells, and return the
    # chance of the side to move to win, above 0.  At most one evaluator of a search has this.
    float (*judge)(
        void* data, const leaf_t* leaf, const int16_t* cells, int n, float* priors
    ) noexcept nogil
    void (*free)(void* data) noexcept nogil
    # All functions may be NULL: then there is nothing to do.


cdef class Evaluator:
    cdef int attach(self, evaluator_t* table) except -1
