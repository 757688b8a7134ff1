"""The plain connection tests: the oracles of the tests, the competitors in the benchmark."""
from libc.stdint cimport int16_t, uint8_t, uint64_t

from trivalent.core._colours cimport opponent

cdef extern from *:
    """
    __extension__ typedef unsigned __int128 uint128_t;
    """
    ctypedef unsigned long long uint128_t  # Cython has no wider type to compare it with

cdef enum:
    MAX_CELLS = 63 * 63
    MAX_COLUMNS = 63
    MAX_SIDES = 8
    MAX_FRAMED = 64   # columns or rows of a framed triangle
    ROWS_IN_64 = 32   # bit pairs in 64 bits

ctypedef struct graph_t:
    int cells
    int columns           # columns of the triangle that hold cells
    int sides
    int16_t* start        # for each cell: its neighbours are neighbours[start[cell]] to
    int16_t* neighbours   # neighbours[start[cell + 1] - 1]
    uint8_t* touches      # for each cell: a bit for each side that it lies on
    uint8_t goal[3]       # for each colour (1, 2): the bits of the sides to join
    uint8_t* column       # for each cell: its place in the triangle
    uint8_t* row
    uint64_t side[MAX_SIDES][MAX_COLUMNS]  # the cells of each side, a word for each column
    int framed_size       # the framed triangle: its size, and the columns and rows that take part
    int framed_columns
    int framed_rows
    uint128_t frame[MAX_FRAMED]  # the template, columns of bit pairs

ctypedef union pairs_t:  # one integer for each column, as wide as the rows need
    uint64_t narrow[MAX_FRAMED]
    uint128_t wide[MAX_FRAMED]

ctypedef struct union_find_t:
    int16_t parent[MAX_CELLS]
    int16_t weight[MAX_CELLS]   # at a root: the stones of its chain
    uint8_t touches[MAX_CELLS]  # at a root: the sides that its chain touches

ctypedef struct path_t:
    uint8_t seen[MAX_CELLS]
    int16_t stack[MAX_CELLS]

cdef void union_find_reset(const graph_t* g, union_find_t* u) noexcept nogil
cdef bint uf_place(
    const graph_t* g, union_find_t* u, const uint8_t* stones, int cell
) noexcept nogil
cdef bint wqhuf_place(
    const graph_t* g, union_find_t* u, const uint8_t* stones, int cell
) noexcept nogil
cdef bint path_test(
    const graph_t* g, path_t* p, const uint8_t* stones, uint8_t colour
) noexcept nogil
cdef void bfs_columns(
    const graph_t* g, const uint8_t* stones, uint8_t colour, uint64_t* columns
) noexcept nogil
cdef bint bfs_test(const graph_t* g, const uint64_t* columns, uint8_t colour) noexcept nogil

cdef void pairs_reset(const graph_t* g, pairs_t* pairs) noexcept nogil
cdef int pairs_reduce(const graph_t* g, const pairs_t* pairs) noexcept nogil


cdef inline void pairs_place(
    const graph_t* g, pairs_t* pairs, int cell, uint8_t colour
) noexcept nogil:
    """Place a stone on an empty cell."""
    cdef int bits = opponent(colour)  # in a bit pair 2 is black and 1 white
    if g.framed_rows <= ROWS_IN_64:
        pairs.narrow[g.column[cell]] |= <uint64_t> bits << 2 * g.row[cell]
    else:
        pairs.wide[g.column[cell]] |= <uint128_t> bits << 2 * g.row[cell]


cdef class Graph:
    cdef graph_t c
