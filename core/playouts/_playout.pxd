"""Single playouts: fill the rest of the board at random, then find the winner."""
from libc.stdint cimport int16_t, uint8_t, uint64_t

from trivalent.core._random cimport rng_below, rng_t
from trivalent.core.connection._triangle cimport reduce_in_place, triangle_t


cdef inline int choose(rng_t* rng, int16_t* cells, int n, int k) noexcept nogil:
    """Move k random ones of n cells to the front (k steps of a Fisher-Yates shuffle)."""
    cdef int i, j
    for i in range(k):
        j = i + <int> rng_below(rng, n - i)
        cells[i], cells[j] = cells[j], cells[i]
    return k


cdef inline bint black_wins(
    const triangle_t* t, uint64_t* black, const int16_t* cells, int k
) noexcept nogil:
    """Place black stones on k cells of Black's plane and reduce it, destroying it.

    A full board has exactly one winner, so Black's plane suffices.
    """
    cdef int i
    for i in range(k):
        black[t.word[cells[i]]] |= t.bit[cells[i]]
    return reduce_in_place(t, black)
