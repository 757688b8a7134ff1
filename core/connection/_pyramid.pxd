"""All levels of the reduction of one plane, updated stone by stone (BPR+)."""
from libc.stdint cimport uint64_t

from trivalent.core.connection._triangle cimport Triangle, triangle_t

ctypedef struct pyramid_t:
    const triangle_t* triangle
    uint64_t* levels  # level k of the reduction begins at byte triangle.bytes * k

cdef bint pyramid_init(pyramid_t* p, const triangle_t* t) except -1
cdef void pyramid_free(pyramid_t* p) noexcept nogil
cdef void pyramid_load(pyramid_t* p, const uint64_t* plane) noexcept nogil
cdef void pyramid_copy(pyramid_t* p, const pyramid_t* other) noexcept nogil


cdef inline void pyramid_toggle(pyramid_t* p, int cell) noexcept nogil:
    """Place the stone of a cell or remove it, and update the levels."""
    cdef const triangle_t* t = p.triangle
    t.reduction.toggle(p.levels, t.bytes, t.levels, t.word[cell], t.bit[cell])


cdef inline bint pyramid_apex(const pyramid_t* p) noexcept nogil:
    """Whether the colour of this pyramid has reached its goal."""
    return p.levels[(p.triangle.levels - 1) * p.triangle.bytes // 8] & 1


cdef class Pyramid:
    cdef Triangle triangle
    cdef pyramid_t c
