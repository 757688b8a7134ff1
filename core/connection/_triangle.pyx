"""The reduction of one board [BT]: a plane of bits for each colour, reduced by whole columns."""
from functools import lru_cache

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from trivalent.core._colours cimport colour_index
from trivalent.core._isa cimport kernels, source_t

from trivalent.core.framing import framing_of

cdef extern from *:
    int __builtin_ctzll(unsigned long long x) noexcept nogil


cdef bint reduce_copy(const triangle_t* t, const uint64_t* plane) noexcept nogil:
    """Return whether the colour of a plane owns the triangle, without changing the plane."""
    cdef uint64_t copy[MAX_WORDS]
    memcpy(copy, plane, t.bytes)
    return reduce_in_place(t, copy)


cdef void fill_plane(
    const triangle_t* t, const uint8_t* stones, int colour, uint64_t* plane
) noexcept nogil:
    """Set a plane to a colour's stones (1 black, 2 white), those of the template included.

    STONES_PADDING bytes behind the stones must be readable.
    """
    cdef int cell
    if t.source:
        t.reduction.pack(
            stones, colour, t.source, t.bytes // 8, t.frame[colour_index(colour)], plane
        )
        return
    memcpy(plane, t.frame[colour_index(colour)], t.bytes)
    for cell in range(t.cells):
        if stones[cell] == colour:
            plane[t.word[cell]] |= t.bit[cell]


cdef class Triangle:
    """A `Framing` in the form that the kernels read.  Raise ValueError if it is too large."""

    def __cinit__(self, framing):
        cdef triangle_t* t = &self.c
        cdef int bits, lane, lanes, unit, cell, colour, place
        t.cells = len(framing.places)
        t.levels = framing.size
        t.columns = framing.columns
        longest = max(framing.columns, framing.rows)
        if longest > MAX_WORDS:
            raise ValueError(
                f"{framing.columns} columns of {framing.rows} rows; {MAX_WORDS} are possible"
            )
        bits = 16 if longest <= 16 else 21 if longest <= 21 else 32 if longest <= 32 else 64
        self.column_bits = bits
        t.reduction = &kernels().columns[{16: 0, 21: 1, 32: 2, 64: 3}[bits]]
        lane = 64 if bits == 21 else bits
        # A plane is a whole number of 64-byte vectors; 16 lanes of 16 bits fill half of one.
        unit = 32 if lane == 16 else 64
        lanes = 8 if bits == 21 else t.columns
        t.bytes = (lanes * lane // 8 + unit - 1) // unit * unit
        t.word = <uint16_t*> calloc(t.cells, sizeof(uint16_t))
        t.bit = <uint64_t*> calloc(t.cells, sizeof(uint64_t))
        if not (t.word and t.bit):
            raise MemoryError
        for cell, (column, row) in enumerate(framing.places):
            place = column % lanes * lane + column // lanes * bits + row
            t.word[cell] = place // 64
            t.bit[cell] = <uint64_t> 1 << place % 64
        for colour, template in enumerate((framing.black, framing.white)):
            for column, row in template:
                place = column % lanes * lane + column // lanes * bits + row
                t.frame[colour][place // 64] |= <uint64_t> 1 << place % 64
        self._find_sources(21 if bits == 21 else 16)

    def __dealloc__(self):
        free(self.c.word)
        free(self.c.bit)
        free(self.c.source)

    cdef int _find_sources(self, int run) except -1:
        """Find the runs of cells that make up each word of a plane, so that packing can copy runs.

        There are none if the cells of a column aren't consecutive on the board, or if a run would
        begin before the first cell.
        """
        cdef triangle_t* t = &self.c
        cdef source_t* source
        cdef int cell, place, start, k
        t.source = <source_t*> calloc(t.bytes // 8, sizeof(source_t))
        if not t.source:
            raise MemoryError
        for cell in range(t.cells):
            source = &t.source[t.word[cell]]
            place = __builtin_ctzll(t.bit[cell])
            k = place // run
            start = cell - place % run
            if not source.cells >> run * k & (<uint64_t> 1 << run) - 1:
                source.start[k] = start
            elif source.start[k] != start:
                start = -1
            if start < 0:
                free(t.source)
                t.source = NULL
                return 0
            source.cells |= t.bit[cell]
        return 0


@lru_cache(maxsize=16)
def triangle(board):
    """Return the triangle of a board, cached.  Raise ValueError if the board has no framing."""
    return Triangle(framing_of(board))
