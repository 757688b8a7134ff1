"""Leaves judged by a batch of playouts: value, and for each cell who owned it and won with it.

The rate of a cell is the share of wins among the playouts in which a colour owned it, shrunk
towards the value of the leaf: few playouts say little.
"""
cimport cython
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from trivalent.bot.evaluation._evaluator cimport evaluator_t, leaf_t
from trivalent.core._isa cimport slice_t
from trivalent.core.playouts._batch cimport (
    batch_count, batch_free, batch_init, batch_place, batch_play, batch_seed, batch_t, fill_t
)

cdef enum:
    SHRINKAGE = 4  # playouts with the leaf's value, added to those of each cell


cdef void seed_batch(void* data, uint64_t seed, int thread) noexcept nogil:
    batch_seed(<batch_t*> data, seed, thread)


cdef void play_batch(void* data, leaf_t* leaf) noexcept nogil:
    """Set value, counts and rates of a leaf by one batch of playouts."""
    cdef batch_t* batch = <batch_t*> data
    cdef slice_t won
    cdef int boards = 64 * batch.words, white_wins, j, cell
    cdef float black_more, white_more
    batch_place(batch, leaf.filled, leaf.to_play, leaf.last)
    batch_play(batch, &won)
    memset(leaf.owned, 0, leaf.empties * sizeof(int64_t))
    memset(leaf.won, 0, leaf.empties * sizeof(int64_t))
    leaf.playouts = boards
    leaf.black_wins = batch_count(batch, &won, boards, leaf.owned, leaf.won)
    leaf.value = leaf.black_wins / <float> boards
    white_wins = boards - leaf.black_wins
    black_more = SHRINKAGE * leaf.value
    white_more = SHRINKAGE - black_more
    for j in range(leaf.empties):
        cell = leaf.empty[j]
        leaf.rate[0][cell] = (leaf.won[j] + black_more) / (leaf.owned[j] + SHRINKAGE)
        leaf.rate[1][cell] = (white_wins - leaf.owned[j] + leaf.won[j] + white_more) / (
            boards - leaf.owned[j] + SHRINKAGE
        )


cdef void free_batch(void* data) noexcept nogil:
    batch_free(<batch_t*> data)
    free(data)


@cython.final
cdef class PlayoutEvaluator(Evaluator):
    """Plays a batch of up to 512 playouts at each leaf of a board.

    ``playouts`` is rounded up to a multiple of 64.  ``how`` says how they fill the board: cell by
    cell in turn, balanced, keeping the position's bridges, and the chance in 256 of repairing
    another bridge; see `trivalent.core.playouts.playout.statistics`.
    """

    def __cinit__(self, Slices slices not None, *, int playouts, tuple how not None):
        in_turn, balanced, bridges, repair = how
        self.slices = slices
        self.how = fill_t(in_turn=in_turn, balanced=balanced, bridges=bridges, repair=repair)
        self.words = (playouts + 63) // 64

    cdef int attach(self, evaluator_t* table) except -1:
        cdef batch_t* batch = <batch_t*> calloc(1, sizeof(batch_t))
        if not batch:
            raise MemoryError
        try:
            batch_init(batch, &self.slices.c, self.how, self.words)
        except MemoryError:
            free_batch(batch)
            raise
        table.data = batch
        table.seed = seed_batch
        table.evaluate = play_batch
        table.free = free_batch
        return 0
