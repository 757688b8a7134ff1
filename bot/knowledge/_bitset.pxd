"""Sets of cells, for Cython: the four-word instantiation of _bitset.inc.h."""
from libc.stdint cimport uint64_t

cdef extern from "bot/knowledge/_bitset.h" nogil:
    enum:
        MAX_CELLS  # of a board that has connections, cut sets and a solver

    ctypedef struct cells_t:
        uint64_t word[4]

    bint cells_is_empty(const cells_t* a)
    int cells_count(const cells_t* a)
    cells_t cells_join(const cells_t* a, const cells_t* b)
    cells_t cells_meet(const cells_t* a, const cells_t* b)
    bint cells_has(const cells_t* a, int cell)
    void cells_add(cells_t* a, int cell)
    void cells_drop(cells_t* a, int cell)
