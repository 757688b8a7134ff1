"""What a thread finds out about the position at the end of its path."""
from libc.stdint cimport uint8_t

from trivalent.bot.search._state cimport search_t, worker_t

cdef void apply_known_fill_in(worker_t* w) noexcept nogil
cdef bint has_won(const search_t* s, const uint8_t* stones, int colour) noexcept nogil
cdef void examine(worker_t* w, int to_play, int last, bint fill) noexcept nogil
cdef void evaluate(worker_t* w, int to_play, int last, bint fill) noexcept nogil
cdef void evaluate_as_proven(worker_t* w, int to_play) noexcept nogil
