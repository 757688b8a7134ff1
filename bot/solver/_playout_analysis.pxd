"""Node analysis without knowledge of connections: a batch of playouts, and wins in one."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t

from trivalent.bot.knowledge._bitset cimport MAX_CELLS
from trivalent.bot.knowledge._node_analysis cimport node_analysis_t
from trivalent.core.connection._arbiter cimport arbiter_t
from trivalent.core.connection._sliced cimport slices_t
from trivalent.core.playouts._batch cimport batch_t

ctypedef struct playout_analyser_t:  # one thread's tools and scratch memory
    const arbiter_t* arbiter
    batch_t batch
    int empties
    int16_t empty[MAX_CELLS]
    int64_t owned[MAX_CELLS]
    int64_t won[MAX_CELLS]
    float score[MAX_CELLS]

cdef int playout_analyser_init(
    playout_analyser_t* a, const arbiter_t* arbiter, const slices_t* slices
) except -1
cdef void playout_analyser_free(playout_analyser_t* a) noexcept nogil
cdef void analyse_by_playouts(
    playout_analyser_t* a, const uint8_t* stones, int to_play, uint64_t seed,
    node_analysis_t* found
) noexcept nogil
