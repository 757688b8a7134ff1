"""The plain connection tests: oracles of the property tests, opponents in the benchmark."""
from libc.stdint cimport int16_t, uint8_t, uint64_t

cdef enum:
    MAX_CELLS = 63 * 63
    MAX_COLUMNS = 63
    MAX_SIDES = 8

ctypedef struct graph_t:
    int cells
    int columns           # of the triangle, for the bitwise search
    int sides
    int16_t* start        # per cell and one more: where its neighbours begin in ...
    int16_t* neighbours
    uint8_t* touches      # per cell: a bit for each side that it lies on
    uint8_t goal[3]       # per colour (1, 2): the bits of the sides to join
    uint8_t* column       # per cell: its place in the triangle
    uint8_t* row
    uint64_t side[MAX_SIDES][MAX_COLUMNS]  # the cells of each side, columns as words

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


cdef class Graph:
    cdef graph_t c
