"""The network's opinion on nodes and leaves."""
from trivalent.bot.search._state cimport worker_t
from trivalent.bot.search._tree cimport node_t

cdef void judge_node(worker_t* w, node_t* node, int to_play) noexcept nogil
cdef void judge_leaf(worker_t* w, int to_play) noexcept nogil
cdef void remember_judgement(worker_t* w, const node_t* node, int to_play) noexcept nogil
cdef void add_judgement(worker_t* w) noexcept nogil
