"""One iteration of the search: from the root to a leaf, and back."""
from libc.stdint cimport uint32_t

from trivalent.bot.search._state cimport worker_t
from trivalent.bot.search._tree cimport node_t

cdef uint32_t make_node(worker_t* w, int to_play) noexcept nogil
cdef int proven_by_moves(const node_t* node) noexcept nogil
cdef void iterate(worker_t* w) noexcept nogil
