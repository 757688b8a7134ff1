"""All connection tests behind one function, for `trivalent.core.connection.win_test`."""
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from trivalent.core._isa cimport STONES_PADDING

from trivalent.core.connection._chains cimport Chains, chains_t, chains_won
from trivalent.core.connection._pyramid cimport (
    pyramid_apex, pyramid_free, pyramid_init, pyramid_load, pyramid_t, pyramid_toggle
)
from trivalent.core.connection._references cimport (
    MAX_COLUMNS, Graph, bfs_columns, bfs_test, graph_t, pairs_place, pairs_reduce, pairs_reset,
    pairs_t, path_t, path_test, uf_place, union_find_reset, union_find_t, wqhuf_place
)
from trivalent.core.connection._triangle cimport (
    MAX_WORDS, Triangle, fill_plane, reduce_copy, reduce_in_place, triangle_t
)

from trivalent.core.connection._chains import chains
from trivalent.core.connection._references import graph
from trivalent.core.connection._sliced import graph_slices, slices
from trivalent.core.connection._sliced import winners as sliced_winners
from trivalent.core.connection._triangle import triangle
from trivalent.core.framing import framing_of

cdef enum:
    BOARDS_A_CALL = 64  # boards reduced in one call


cdef uint8_t bpr(const triangle_t* t, const uint8_t* stones, bint in_place) noexcept nogil:
    cdef uint64_t plane[MAX_WORDS]
    cdef int colour
    for colour in range(1, 3):
        fill_plane(t, stones, colour, plane)
        if reduce_in_place(t, plane) if in_place else reduce_copy(t, plane):
            return colour
    return 0


cdef void bpr_many(
    const triangle_t* t, const uint8_t* boards, Py_ssize_t count, uint8_t* out
) noexcept nogil:
    """BPR of several boards, interleaved in registers."""
    cdef uint64_t planes[BOARDS_A_CALL * MAX_WORDS]
    cdef uint8_t won[BOARDS_A_CALL]
    cdef uint8_t stones[63 * 63 + STONES_PADDING]
    cdef Py_ssize_t first = 0, i, n
    cdef int colour
    while first < count:
        n = min(<Py_ssize_t> BOARDS_A_CALL, count - first)
        for colour in range(1, 3):
            for i in range(n):
                memcpy(stones, boards + (first + i) * t.cells, t.cells)
                fill_plane(t, stones, colour, planes + i * t.bytes // 8)
            t.reduction.reduce_many(planes, t.bytes, t.columns, t.levels, n, won)
            for i in range(n):
                if won[i]:
                    out[first + i] = colour
        first += BOARDS_A_CALL


cdef uint8_t bpr_plus(
    const triangle_t* t, const uint8_t* stones, pyramid_t* black, pyramid_t* white
) noexcept nogil:
    """BPR+, stone by stone as in a game."""
    cdef int cell
    pyramid_load(black, t.frame[0])
    pyramid_load(white, t.frame[1])
    for cell in range(t.cells):
        if stones[cell] == 1:
            pyramid_toggle(black, cell)
        elif stones[cell] == 2:
            pyramid_toggle(white, cell)
    return 1 if pyramid_apex(black) else 2 if pyramid_apex(white) else 0


cdef uint8_t union_find(
    const graph_t* g, const uint8_t* stones, bint weighted
) noexcept nogil:
    """Union-find, stone by stone as in a game; stop at the stone that wins."""
    cdef union_find_t u
    cdef uint8_t placed[63 * 63]
    cdef int cell
    union_find_reset(g, &u)
    for cell in range(g.cells):
        placed[cell] = 0
    for cell in range(g.cells):
        if stones[cell]:
            placed[cell] = stones[cell]
            if wqhuf_place(g, &u, placed, cell) if weighted else uf_place(g, &u, placed, cell):
                return stones[cell]
    return 0


cdef uint8_t path(const graph_t* g, const uint8_t* stones) noexcept nogil:
    cdef path_t p
    return 1 if path_test(g, &p, stones, 1) else 2 if path_test(g, &p, stones, 2) else 0


cdef uint8_t bfs(const graph_t* g, const uint8_t* stones) noexcept nogil:
    cdef uint64_t columns[MAX_COLUMNS]
    cdef int colour
    for colour in range(1, 3):
        bfs_columns(g, stones, colour, columns)
        if bfs_test(g, columns, colour):
            return colour
    return 0


cdef uint8_t bpr_printed(const graph_t* g, const uint8_t* stones) noexcept nogil:
    cdef pairs_t pairs
    cdef int cell
    pairs_reset(g, &pairs)
    for cell in range(g.cells):
        if stones[cell]:
            pairs_place(g, &pairs, cell, stones[cell])
    return pairs_reduce(g, &pairs)


cdef uint8_t follow_chains(const chains_t* c, const uint8_t* stones) noexcept nogil:
    return 1 if chains_won(c, stones, 1) else 2 if chains_won(c, stones, 2) else 0


def winners(board, const uint8_t[::1] stones, str method):
    """Return the winner of each of many boards; see `win_test.winners`."""
    cdef Py_ssize_t cells = len(board), i
    if stones.shape[0] % cells:
        raise ValueError(f"{stones.shape[0]} cells are not a multiple of the {cells} of {board}")
    result = bytearray(stones.shape[0] // cells)
    cdef uint8_t[::1] out = result
    cdef Chains cha
    if method == "chains":
        cha = chains(board)
        for i in range(out.shape[0]):
            out[i] = follow_chains(&cha.c, &stones[i * cells])
    elif method == "flood-sliced":
        sliced_winners(graph_slices(board), stones, out)
    else:
        winners_by_framing(board, stones, method, out)
    return bytes(result)


cdef int winners_by_framing(
    board, const uint8_t[::1] stones, str method, uint8_t[::1] out
) except -1:
    """Do the same by a method that needs the board's framing."""
    cdef Triangle tri = triangle(board)
    cdef Graph gra = graph(board)
    cdef const triangle_t* t = &tri.c
    cdef const graph_t* g = &gra.c
    cdef Py_ssize_t count = out.shape[0], i
    cdef uint8_t padded[63 * 63 + STONES_PADDING]
    cdef pyramid_t black, white
    if method == "bpr-registers":
        bpr_many(t, &stones[0] if count else NULL, count, &out[0] if count else NULL)
    elif method == "bpr" or method == "bpr-in-place":
        for i in range(count):
            memcpy(padded, &stones[i * t.cells], t.cells)
            out[i] = bpr(t, padded, method == "bpr-in-place")
    elif method == "bpr-sliced":
        sliced_winners(slices(board), stones, out)
    elif method == "bpr+":
        pyramid_init(&black, t)
        try:
            pyramid_init(&white, t)
        except MemoryError:
            pyramid_free(&black)
            raise
        for i in range(count):
            out[i] = bpr_plus(t, &stones[i * t.cells], &black, &white)
        pyramid_free(&black)
        pyramid_free(&white)
    elif method == "uf" or method == "wqhuf":
        for i in range(count):
            out[i] = union_find(g, &stones[i * t.cells], method == "wqhuf")
    elif method == "path":
        for i in range(count):
            out[i] = path(g, &stones[i * t.cells])
    elif method == "bfs":
        for i in range(count):
            out[i] = bfs(g, &stones[i * t.cells])
    elif method == "bpr-printed":
        for i in range(count):
            out[i] = bpr_printed(g, &stones[i * t.cells])
    else:
        raise ValueError(f"unknown connection test {method!r}")
    return 0


def has_loop(board, const uint8_t[::1] stones, int colour):
    """Return whether a colour has a loop; see `win_test.has_loop`.

    Reduce the board in a bare triangle: no template, and empty all around it.  If a cell of another
    colour turns into three cells of this colour, the ring around it has closed [BT, figure 7].
    """
    cdef uint64_t columns[2][65]
    cdef uint64_t* below = columns[0]
    cdef uint64_t* here = columns[1]
    cdef Graph gra = graph(board)
    cdef const graph_t* g = &gra.c
    cdef int size = framing_of(board).size, level, c, live
    cdef uint64_t a, b, d
    if stones.shape[0] != g.cells:
        raise ValueError(f"{board} has {g.cells} cells, not {stones.shape[0]}")
    bfs_columns(g, &stones[0], colour, below)
    below[g.columns] = 0
    for level in range(1, size):
        live = size - level  # columns of this level
        for c in range(min(live, g.columns)):
            a, b, d = below[c], below[c] >> 1, below[c + 1]
            here[c] = (a & (b | d)) | (b & d)
            if live - c < 64:
                here[c] &= (<uint64_t> 1 << (live - c)) - 1
            if c and ~a & here[c] & (here[c] << 1) & here[c - 1]:
                return True
        if live < g.columns:
            here[live] = 0
        here[g.columns] = 0
        below, here = here, below
    return False
