"""What a search proves and fills in at nodes that it visits often."""
from libc.stdint cimport uint32_t

from trivalent.bot.search._state cimport search_t, worker_t
from trivalent.bot.search._tree cimport node_t


cdef inline bint is_filled(const search_t* s, const uint32_t* filled, int cell) noexcept nogil:
    return (filled[cell // 32] | filled[s.tree.words + cell // 32]) >> cell % 32 & 1


cdef void use_knowledge(worker_t* w, node_t* node, int colour, bint wide) noexcept nogil
cdef void use_knowledge_at_root(worker_t* w, node_t* root, int colour) noexcept nogil
