"""Sets of the cells of a board."""
from libc.stdint cimport int16_t, uint64_t
from libc.string cimport memset

cdef extern from *:
    int __builtin_popcountll(unsigned long long x) noexcept nogil

cdef enum:
    WORDS = 4
    MAX_CELLS = 64 * WORDS  # of a board

ctypedef struct cells_t:
    uint64_t word[WORDS]


cdef inline bint cells_have(const cells_t* cells, int cell) noexcept nogil:
    return cells.word[cell >> 6] >> (cell & 63) & 1


cdef inline bint cells_any(const cells_t* a) noexcept nogil:
    return (a.word[0] | a.word[1] | a.word[2] | a.word[3]) != 0


cdef inline void cells_add(cells_t* a, int cell) noexcept nogil:
    a.word[cell >> 6] |= <uint64_t> 1 << (cell & 63)


cdef inline cells_t cells_join(const cells_t* a, const cells_t* b) noexcept nogil:
    cdef cells_t c
    cdef int i
    for i in range(WORDS):
        c.word[i] = a.word[i] | b.word[i]
    return c


cdef inline cells_t cells_meet(const cells_t* a, const cells_t* b) noexcept nogil:
    cdef cells_t c
    cdef int i
    for i in range(WORDS):
        c.word[i] = a.word[i] & b.word[i]
    return c


cdef inline int cells_count(const cells_t* a) noexcept nogil:
    return (
        __builtin_popcountll(a.word[0]) + __builtin_popcountll(a.word[1])
        + __builtin_popcountll(a.word[2]) + __builtin_popcountll(a.word[3])
    )
