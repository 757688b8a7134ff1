"""The connection tests that [BT] compare, as plain loops over flat arrays.

Union-find, path following and bitwise search don't use the reduction: a board is a graph with
sides, and a colour has won if one of its chains touches all the sides of its goal.  The reduction
is here in the form in which [BT] printed it.
"""
from functools import lru_cache

from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from trivalent.core._colours cimport opponent

from trivalent.core.framing import framing_of


cdef void union_find_reset(const graph_t* g, union_find_t* u) noexcept nogil:
    """Make every cell a chain of its own."""
    cdef int cell
    for cell in range(g.cells):
        u.parent[cell] = cell
        u.weight[cell] = 1
        u.touches[cell] = g.touches[cell]


cdef bint uf_place(
    const graph_t* g, union_find_t* u, const uint8_t* stones, int cell
) noexcept nogil:
    """Join a stone just placed to the chains around it; return whether its colour has won.

    UF: quick union, neither weighted nor compressed.
    """
    cdef int i, root, other
    cdef uint8_t colour = stones[cell]
    root = cell
    for i in range(g.start[cell], g.start[cell + 1]):
        other = g.neighbours[i]
        if stones[other] == colour:
            while u.parent[other] != other:
                other = u.parent[other]
            if other != root:
                u.parent[root] = other
                u.touches[other] |= u.touches[root]
                root = other
    return u.touches[root] & g.goal[colour] == g.goal[colour]


cdef bint wqhuf_place(
    const graph_t* g, union_find_t* u, const uint8_t* stones, int cell
) noexcept nogil:
    """Do the same as `uf_place`, weighted by the size of chains and with path halving (WQHUF)."""
    cdef int i, root, other
    cdef uint8_t colour = stones[cell]
    root = cell
    for i in range(g.start[cell], g.start[cell + 1]):
        other = g.neighbours[i]
        if stones[other] == colour:
            while u.parent[other] != other:
                u.parent[other] = u.parent[u.parent[other]]
                other = u.parent[other]
            if other != root:
                if u.weight[other] < u.weight[root]:
                    root, other = other, root
                u.parent[root] = other
                u.weight[other] += u.weight[root]
                u.touches[other] |= u.touches[root]
                root = other
    return u.touches[root] & g.goal[colour] == g.goal[colour]


cdef bint path_test(
    const graph_t* g, path_t* p, const uint8_t* stones, uint8_t colour
) noexcept nogil:
    """Follow each chain from the first side of the goal; return whether one touches all sides."""
    cdef int start, cell, other, i, top
    cdef uint8_t touched, goal = g.goal[colour]
    cdef uint8_t first = goal & -goal
    memset(p.seen, 0, g.cells)
    for start in range(g.cells):
        if stones[start] != colour or not g.touches[start] & first or p.seen[start]:
            continue
        touched = 0
        p.seen[start] = 1
        p.stack[0] = start
        top = 1
        while top:
            top -= 1
            cell = p.stack[top]
            touched |= g.touches[cell]
            if touched & goal == goal:
                return True
            for i in range(g.start[cell], g.start[cell + 1]):
                other = g.neighbours[i]
                if stones[other] == colour and not p.seen[other]:
                    p.seen[other] = 1
                    p.stack[top] = other
                    top += 1
    return False


cdef void bfs_columns(
    const graph_t* g, const uint8_t* stones, uint8_t colour, uint64_t* columns
) noexcept nogil:
    """Write the stones of a colour, one word for each column of the triangle."""
    cdef int cell
    memset(columns, 0, g.columns * sizeof(uint64_t))
    for cell in range(g.cells):
        if stones[cell] == colour:
            columns[g.column[cell]] |= <uint64_t> 1 << g.row[cell]


cdef bint bfs_test(const graph_t* g, const uint64_t* columns, uint8_t colour) noexcept nogil:
    """Bitwise-parallel breadth-first search [BT, 2.4]; return whether a colour has won.

    Go from side to side of the goal and keep the chains that touch all sides so far.
    """
    cdef uint64_t front[MAX_COLUMNS + 2]  # the columns between two zero words
    cdef uint64_t seeds[MAX_COLUMNS]
    cdef uint64_t grown, any_seed, changed
    cdef int side, i
    for i in range(g.columns):
        seeds[i] = columns[i]
    front[0] = front[g.columns + 1] = 0
    for side in range(g.sides):
        if not g.goal[colour] & (1 << side):
            continue
        any_seed = 0
        for i in range(g.columns):
            front[i + 1] = seeds[i] & g.side[side][i]
            any_seed |= front[i + 1]
        if not any_seed:
            return False
        changed = 1
        while changed:
            changed = 0
            for i in range(1, g.columns + 1):
                grown = front[i] | front[i - 1] | front[i + 1]
                grown |= front[i] << 1 | front[i] >> 1 | front[i - 1] >> 1 | front[i + 1] << 1
                grown &= columns[i - 1]
                changed |= grown ^ front[i]
                front[i] = grown
        for i in range(g.columns):
            seeds[i] = front[i + 1]
    return True


cdef void pairs_reset(const graph_t* g, pairs_t* pairs) noexcept nogil:
    """Set the board to the template alone."""
    cdef int i
    for i in range(g.framed_columns):
        if g.framed_rows <= ROWS_IN_64:
            pairs.narrow[i] = <uint64_t> g.frame[i]
        else:
            pairs.wide[i] = g.frame[i]


cdef int _reduce_narrow(uint64_t* bits, int columns, int size) noexcept nogil:
    """BPR as printed [BT, listing 1], in place; return the bit pair of the apex."""
    cdef int done, col
    cdef uint64_t a, b, c
    for done in range(size - 1):
        for col in range(min(columns, size - done) - 1):
            a = bits[col]
            b = a >> 2
            c = bits[col + 1]
            bits[col] = (a & (b | c)) | (b & c)
    return <int> (bits[0] & 3)


cdef int _reduce_wide(uint128_t* bits, int columns, int size) noexcept nogil:
    """Do the same with 128-bit columns (Cython's fused types can't tell these from 64-bit ones)."""
    cdef int done, col
    cdef uint128_t a, b, c
    for done in range(size - 1):
        for col in range(min(columns, size - done) - 1):
            a = bits[col]
            b = a >> 2
            c = bits[col + 1]
            bits[col] = (a & (b | c)) | (b & c)
    return <int> (bits[0] & 3)


cdef int pairs_reduce(const graph_t* g, const pairs_t* pairs) noexcept nogil:
    """Reduce a copy; return the colour that has won, or 0."""
    cdef pairs_t copy
    cdef int apex
    if g.framed_rows <= ROWS_IN_64:
        memcpy(copy.narrow, pairs.narrow, g.framed_columns * sizeof(uint64_t))
        apex = _reduce_narrow(copy.narrow, g.framed_columns, g.framed_size)
    else:
        memcpy(copy.wide, pairs.wide, g.framed_columns * sizeof(uint128_t))
        apex = _reduce_wide(copy.wide, g.framed_columns, g.framed_size)
    return opponent(apex) if apex else 0


cdef class Graph:
    """A board in the form that the plain tests read.  Raise ValueError if it has no framing."""

    def __cinit__(self, board):
        cdef graph_t* g = &self.c
        cdef int cell, i, column, row
        framing = framing_of(board)
        g.cells = len(board)
        g.columns = 1 + max([column for column, _ in framing.places])
        g.sides = len(board.sides)
        g.start = <int16_t*> calloc(g.cells + 1, sizeof(int16_t))
        g.neighbours = <int16_t*> calloc(
            sum([len(around) for around in board.neighbours]) + 1, sizeof(int16_t)
        )
        g.touches = <uint8_t*> calloc(g.cells, 1)
        g.column = <uint8_t*> calloc(g.cells, 1)
        g.row = <uint8_t*> calloc(g.cells, 1)
        if not (g.start and g.neighbours and g.touches and g.column and g.row):
            raise MemoryError
        i = 0
        for cell, around in enumerate(board.neighbours):
            for other in around:
                g.neighbours[i] = other
                i += 1
            g.start[cell + 1] = i
        for cell, (column, row) in enumerate(framing.places):
            g.column[cell] = column
            g.row[cell] = row
        for i, side in enumerate(board.sides):
            for cell in side.cells:
                g.touches[cell] |= 1 << i
                g.side[i][g.column[cell]] |= <uint64_t> 1 << g.row[cell]
        for colour, goal in enumerate(board.goals, 1):
            g.goal[colour] = sum([1 << i for i in goal])
        g.framed_size = framing.size
        g.framed_columns = framing.columns
        g.framed_rows = framing.rows
        for colour, template in ((1, framing.black), (2, framing.white)):
            for column, row in template:
                g.frame[column] |= <uint128_t> (opponent(colour)) << 2 * row

    def __dealloc__(self):
        free(self.c.start)
        free(self.c.neighbours)
        free(self.c.touches)
        free(self.c.column)
        free(self.c.row)


@lru_cache(maxsize=16)
def graph(board):
    """Return the graph of a board, cached."""
    return Graph(board)
