"""The timing loop of the network benchmark: a call from Python takes as long as an evaluation."""
from libc.stdint cimport uint8_t
from libc.string cimport memset
from posix.time cimport CLOCK_THREAD_CPUTIME_ID, clock_gettime, timespec

from trivalent.bot.evaluation._network cimport (
    Network, network_evaluate, network_position_t
)


def seconds_to_evaluate(Network network not None, const uint8_t[::1] stones not None, int count):
    """Return the processor time of `count` evaluations, Black to move, without history.

    `stones` holds the stones of one position after another; they're evaluated in turn.
    """
    cdef network_position_t position
    cdef float policy[961]
    cdef float value
    cdef timespec start, end
    cdef int i, cells = network.c.cells, positions = len(stones) // cells
    memset(&position, 0, sizeof(position))
    position.to_play = 1
    position.last[0] = position.last[1] = -1
    with nogil:
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        for i in range(count):
            position.stones = &stones[i % positions * cells]
            network_evaluate(&network.c, network.scratch, &position, policy, &value, NULL)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    return end.tv_sec - start.tv_sec + 1e-9 * (end.tv_nsec - start.tv_nsec)
