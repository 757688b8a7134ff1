"""Who has won on one whole board, by the test that suits it: the reduction, or its chains."""
from libc.stdint cimport uint8_t, uint64_t

from trivalent.core.connection._chains cimport Chains, chains_t, chains_won
from trivalent.core.connection._triangle cimport (
    MAX_WORDS, Triangle, fill_plane, reduce_in_place, triangle_t
)

ctypedef struct arbiter_t:
    int cells
    const triangle_t* triangle  # NULL if the board can't be reduced:
    const chains_t* chains      # then its chains decide


cdef inline bint arbiter_has_won(
    const arbiter_t* arbiter, const uint8_t* stones, int colour
) noexcept nogil:
    """Whether a colour has won; STONES_PADDING bytes behind the stones must be readable."""
    cdef uint64_t plane[MAX_WORDS]
    if not arbiter.triangle:
        return chains_won(arbiter.chains, stones, colour)
    fill_plane(arbiter.triangle, stones, colour, plane)
    return reduce_in_place(arbiter.triangle, plane)


cdef class Arbiter:
    cdef arbiter_t c
    cdef Triangle triangle  # keeps alive what `c` points to
    cdef Chains chains
