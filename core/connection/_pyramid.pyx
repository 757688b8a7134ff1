"""BPR+: a persistent reduction pyramid for one colour [BT, 4.5; after vR].

Level 0 is the plane of the colour, every other level is the reduction of the level below, and the
last one is the apex.  A stone changes few cells of each level, and none above the first level that
it leaves unchanged: updates stop there.  A level depends only on the level below, so removing the
stone restores every bit.
"""
from libc.stdint cimport uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

from trivalent.core._colours cimport colour_index
from trivalent.core._isa cimport LEVEL_BLOCK
from trivalent.core.connection._triangle cimport Triangle, triangle_t


cdef bint pyramid_init(pyramid_t* p, const triangle_t* t) except -1:
    """Make an empty pyramid, without even the template.  Raise MemoryError."""
    p.triangle = t
    cdef size_t bytes = (t.levels + LEVEL_BLOCK - 1) * t.bytes
    bytes += -bytes % 64  # whole cache lines
    p.levels = <uint64_t*> aligned_alloc(64, bytes)
    if not p.levels:
        raise MemoryError
    memset(p.levels, 0, bytes)
    return True


cdef void pyramid_free(pyramid_t* p) noexcept nogil:
    free(p.levels)
    p.levels = NULL


cdef void pyramid_load(pyramid_t* p, const uint64_t* plane) noexcept nogil:
    """Set level 0 and compute all other levels."""
    cdef const triangle_t* t = p.triangle
    memcpy(p.levels, plane, t.bytes)
    t.reduction.build(p.levels, t.bytes, t.levels)


cdef void pyramid_copy(pyramid_t* p, const pyramid_t* other) noexcept nogil:
    """Copy another pyramid of the same triangle."""
    memcpy(p.levels, other.levels, p.triangle.levels * p.triangle.bytes)


cdef class Pyramid:
    """The pyramid of one colour (1 Black, 2 White); it begins with the stones of the template."""

    def __cinit__(self, Triangle triangle not None, int colour):
        if colour != 1 and colour != 2:
            raise ValueError(f"no colour {colour}")
        self.triangle = triangle
        pyramid_init(&self.c, &triangle.c)
        pyramid_load(&self.c, triangle.c.frame[colour_index(colour)])

    def __dealloc__(self):
        pyramid_free(&self.c)

    def toggle(self, int cell):
        """Place the stone of a cell or remove it.  Raise IndexError off the board."""
        if not 0 <= cell < self.triangle.c.cells:
            raise IndexError(cell)
        pyramid_toggle(&self.c, cell)

    @property
    def apex(self):
        """Whether the colour has reached its goal."""
        return bool(pyramid_apex(&self.c))

    def copy(self):
        """Return an independent copy."""
        cdef Pyramid other = Pyramid.__new__(Pyramid, self.triangle, 1)
        pyramid_copy(&other.c, &self.c)
        return other

    def levels(self):
        """Return the planes of all levels as bytes (tests compare them)."""
        return (<char*> self.c.levels)[: self.triangle.c.levels * self.triangle.c.bytes]
