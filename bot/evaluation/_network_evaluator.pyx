"""The network as the judge of a search's nodes; each thread has scratch memory of its own."""
cimport cython
from libc.math cimport expf
from libc.stdint cimport int16_t
from libc.stdlib cimport calloc, free

from trivalent.bot.evaluation._evaluator cimport evaluator_t, leaf_t
from trivalent.bot.evaluation._network cimport (
    free_scratch, network_evaluate, network_position_t, network_scratch_t, network_t, new_scratch
)
from trivalent.bot.evaluation._network_inputs cimport draw_playouts, playout_planes_t, show_leaf

cdef enum:
    MAX_CELLS = 961

cdef float LEAST = 1 / 65536.0  # the step of values

ctypedef struct judge_t:           # what a thread needs
    const network_t* network
    network_scratch_t* scratch
    network_position_t position
    bint sees_playouts
    playout_planes_t playouts
    float temperature
    float logits[MAX_CELLS]


cdef float judge_by_network(
    void* data, const leaf_t* leaf, const int16_t* cells, int n, float* priors
) noexcept nogil:
    """Return the network's value; the priors are a softmax over the cells."""
    cdef judge_t* judge = <judge_t*> data
    cdef float value, highest, total = 0
    cdef int i
    if judge.sees_playouts:
        draw_playouts(leaf, judge.network.cells, &judge.playouts)
    show_leaf(leaf, &judge.playouts, &judge.position)
    network_evaluate(judge.network, judge.scratch, &judge.position, judge.logits, &value, NULL)
    highest = judge.logits[cells[0]] if n else 0
    for i in range(n):
        highest = max(highest, judge.logits[cells[i]])
    for i in range(n):
        priors[i] = expf((judge.logits[cells[i]] - highest) / judge.temperature)
        total += priors[i]
    for i in range(n):
        priors[i] /= total
    return max(value, LEAST)


cdef void free_judge(void* data) noexcept nogil:
    free_scratch((<judge_t*> data).scratch)
    free(data)


@cython.final
cdef class NetworkEvaluator(Evaluator):
    """Judges nodes by a network on the board of the search.

    The priors are the softmax of the network's logits, divided by the temperature, over the moves
    of a node.
    """

    def __cinit__(self, Network network not None, *, float temperature=1.0):
        self.network = network
        self.temperature = temperature

    cdef int attach(self, evaluator_t* table) except -1:
        cdef judge_t* judge = <judge_t*> calloc(1, sizeof(judge_t))
        if not judge:
            raise MemoryError
        judge.scratch = new_scratch(&self.network.c)
        if not judge.scratch:
            free(judge)
            raise MemoryError
        judge.network = &self.network.c
        judge.sees_playouts = any(
            name.startswith("playout") for name in self.network.file.architecture.planes
        )
        judge.temperature = self.temperature
        table.data = judge
        table.judge = judge_by_network
        table.free = free_judge
        return 0
