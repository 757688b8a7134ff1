"""The reduction of one board [BT]: whole columns at a time, one plane of bits for each colour."""
from functools import lru_cache

from libc.stdint cimport uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from trivalent.core._isa cimport kernels


cdef bint reduce_copy(const triangle_t* t, const uint64_t* plane) noexcept nogil:
    """Return whether the colour of a plane owns the triangle; the plane stays as it is."""
    cdef uint64_t copy[MAX_WORDS]
    memcpy(copy, plane, t.bytes)
    return reduce_in_place(t, copy)


cdef void fill_planes(
    const triangle_t* t, const unsigned char* stones, uint64_t* black, uint64_t* white
) noexcept nogil:
    """Set both planes to the template and the stones (0 empty, 1 black, 2 white) of a board."""
    cdef int cell
    memcpy(black, t.frame[0], t.bytes)
    memcpy(white, t.frame[1], t.bytes)
    for cell in range(t.cells):  # without branches, which nobody could predict
        black[t.word[cell]] |= t.bit[cell] & -<uint64_t> (stones[cell] == 1)
        white[t.word[cell]] |= t.bit[cell] & -<uint64_t> (stones[cell] == 2)


cdef class Triangle:
    """A `Framing` in the form that the kernels read."""

    def __cinit__(self, framing):
        cdef triangle_t* t = &self.c
        cdef int lane, unit, place, cell, colour
        t.cells = len(framing.places)
        t.levels = framing.size
        t.columns = framing.columns
        longest = max(framing.columns, framing.rows)
        lane = 16 if longest <= 16 else 32 if longest <= 32 else 64
        t.reduction = &kernels().lanes[0 if lane == 16 else 1 if lane == 32 else 2]
        # Whole vectors of the widest kind; 16 lanes of 16 bits are half of one.
        unit = 32 if lane == 16 else 64
        t.bytes = (t.columns * lane // 8 + unit - 1) // unit * unit
        t.word = <uint16_t*> calloc(t.cells, sizeof(uint16_t))
        t.bit = <uint64_t*> calloc(t.cells, sizeof(uint64_t))
        if not (t.word and t.bit):
            raise MemoryError
        for cell, (column, row) in enumerate(framing.places):
            place = column * lane + row
            t.word[cell] = place // 64
            t.bit[cell] = <uint64_t> 1 << place % 64
        for colour, template in enumerate((framing.black, framing.white)):
            for column, row in template:
                place = column * lane + row
                t.frame[colour][place // 64] |= <uint64_t> 1 << place % 64

    def __dealloc__(self):
        free(self.c.word)
        free(self.c.bit)


@lru_cache(maxsize=16)
def triangle(board):
    """Return the triangle of a board; boards share theirs."""
    return Triangle(board.framing)
