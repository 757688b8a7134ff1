"""Timing loops of the connection-test benchmark, after the protocol of [BT, 5.3].

A set is a number of random games.  Each is replayed with a connection test and then, for as many
moves, without; the difference is the time of the test and of all it needs to have prepared.
"""
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.core._playout cimport Random, choose
from trivalent.core._pyramid cimport (
    pyramid_apex, pyramid_free, pyramid_init, pyramid_load, pyramid_t, pyramid_toggle
)
from trivalent.core._references cimport (
    MAX_CELLS, MAX_COLUMNS, Graph, bfs_columns, bfs_test, graph_t, path_t, path_test, uf_place,
    union_find_reset, union_find_t, wqhuf_place
)
from trivalent.core._triangle cimport MAX_WORDS, Triangle, reduce_copy, triangle_t

cdef enum Method:
    NOTHING, UF, WQHUF, PATH, BFS, BPR, BPR_PLUS

_METHODS = {
    "uf": UF, "wqhuf": WQHUF, "path": PATH, "bfs": BFS, "bpr": BPR, "bpr+": BPR_PLUS
}

ctypedef struct state_t:
    const triangle_t* triangle
    const graph_t* graph
    uint8_t stones[MAX_CELLS]
    union_find_t sets
    path_t path
    uint64_t columns[MAX_COLUMNS]
    uint64_t planes[2 * MAX_WORDS]
    pyramid_t pyramids[2]


cdef inline void prepare(state_t* s, Method method) noexcept nogil:
    memset(s.stones, 0, s.graph.cells)
    if method == UF or method == WQHUF:
        union_find_reset(s.graph, &s.sets)
    elif method == BPR:
        memcpy(s.planes, s.triangle.frame, sizeof(s.planes))
    elif method == BPR_PLUS:
        pyramid_load(&s.pyramids[0], s.triangle.frame[0])
        pyramid_load(&s.pyramids[1], s.triangle.frame[1])


cdef inline bint place(state_t* s, Method method, int cell, uint8_t colour) noexcept nogil:
    """Place a stone and keep what the method keeps; incremental methods tell who has won."""
    s.stones[cell] = colour
    if method == UF:
        return uf_place(s.graph, &s.sets, s.stones, cell)
    if method == WQHUF:
        return wqhuf_place(s.graph, &s.sets, s.stones, cell)
    if method == BPR:
        s.planes[(colour - 1) * MAX_WORDS + s.triangle.word[cell]] |= s.triangle.bit[cell]
    elif method == BPR_PLUS:
        pyramid_toggle(&s.pyramids[colour - 1], cell)
        return pyramid_apex(&s.pyramids[colour - 1])
    return False


cdef inline bint test(state_t* s, Method method, uint8_t colour) noexcept nogil:
    """Test whether a colour has won, with a method that starts afresh each time."""
    if method == PATH:
        return path_test(s.graph, &s.path, s.stones, colour)
    if method == BFS:
        bfs_columns(s.graph, s.stones, colour, s.columns)
        return bfs_test(s.graph, s.columns, colour)
    if method == BPR:
        return reduce_copy(s.triangle, s.planes + (colour - 1) * MAX_WORDS)
    return False


cdef inline bint per_game(state_t* s, Method method, const int16_t* order) noexcept nogil:
    """Fill the board, then test once; return whether Black has won."""
    cdef bint black_won = False
    cdef bint won
    cdef int i
    cdef uint8_t colour = 1
    prepare(s, method)
    for i in range(s.graph.cells):
        won = place(s, method, order[i], colour)
        black_won |= won & (colour == 1)
        colour = 3 - colour
    if method == PATH or method == BFS or method == BPR:
        return test(s, method, 1)
    return black_won


cdef inline int per_move(
    state_t* s, Method method, const int16_t* order, int limit
) noexcept nogil:
    """Play until a colour has won, testing the mover after every move; return the moves played."""
    cdef int i
    cdef uint8_t colour = 1
    prepare(s, method)
    for i in range(limit):
        if place(s, method, order[i], colour) or test(s, method, colour):
            return i + 1
        colour = 3 - colour
    return limit


cdef long _replay(
    state_t* s, Method method, bint every_move, const int16_t* orders, int16_t* lengths, long games
) noexcept nogil:
    """Replay a set; return a sum of the results.  Lengths are written unless nothing is tested."""
    cdef long i, checksum = 0
    cdef int cells = s.graph.cells
    cdef const int16_t* order = orders
    for i in range(games):
        if not every_move:
            # One call for each method, so that the compiler makes a loop without choices of each.
            if method == UF:
                checksum += per_game(s, UF, order)
            elif method == WQHUF:
                checksum += per_game(s, WQHUF, order)
            elif method == PATH:
                checksum += per_game(s, PATH, order)
            elif method == BFS:
                checksum += per_game(s, BFS, order)
            elif method == BPR:
                checksum += per_game(s, BPR, order)
            elif method == BPR_PLUS:
                checksum += per_game(s, BPR_PLUS, order)
            else:
                checksum += per_game(s, NOTHING, order)
        elif method == NOTHING:
            checksum += per_move(s, NOTHING, order, lengths[i])
        else:
            if method == UF:
                lengths[i] = per_move(s, UF, order, cells)
            elif method == WQHUF:
                lengths[i] = per_move(s, WQHUF, order, cells)
            elif method == PATH:
                lengths[i] = per_move(s, PATH, order, cells)
            elif method == BFS:
                lengths[i] = per_move(s, BFS, order, cells)
            elif method == BPR:
                lengths[i] = per_move(s, BPR, order, cells)
            else:
                lengths[i] = per_move(s, BPR_PLUS, order, cells)
            checksum += lengths[i]
        order += cells
    return checksum


cdef double _seconds() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


def orders(int cells, long games, Random random not None):
    """Random orders of the cells, one for each game, as the bytes of 16-bit numbers."""
    cdef int cell
    result = bytearray(2 * cells * games)
    cdef uint8_t[::1] buffer = result
    cdef int16_t* order = <int16_t*> &buffer[0]
    for _ in range(games):
        for cell in range(cells):
            order[cell] = cell
        choose(&random.c, order, cells, cells)
        order += cells
    return result


def time_set(
    Triangle triangle not None, Graph graph not None, str method, bint every_move,
    uint8_t[::1] orders not None
):
    """Replay a set with and without tests.

    Return (seconds with, seconds without, moves played, checksum); the checksum is the number of
    Black wins per game, or the number of moves to the win per move.  Raise ValueError for an
    unknown method.
    """
    cdef state_t s
    cdef Method chosen
    cdef long games, checksum, moves
    cdef double start, middle, end
    if method not in _METHODS:
        raise ValueError(f"unknown method {method!r}")
    chosen = _METHODS[method]
    s.triangle = &triangle.c
    s.graph = &graph.c
    games = orders.shape[0] // (2 * graph.c.cells)
    lengths = bytearray(2 * games)
    cdef uint8_t[::1] buffer = lengths
    pyramid_init(&s.pyramids[0], s.triangle)
    pyramid_init(&s.pyramids[1], s.triangle)
    with nogil:
        start = _seconds()
        checksum = _replay(
            &s, chosen, every_move, <int16_t*> &orders[0], <int16_t*> &buffer[0], games
        )
        middle = _seconds()
        moves = _replay(
            &s, NOTHING, every_move, <int16_t*> &orders[0], <int16_t*> &buffer[0], games
        )
        end = _seconds()
    pyramid_free(&s.pyramids[0])
    pyramid_free(&s.pyramids[1])
    if not every_move:
        moves = games * graph.c.cells
    return middle - start, end - middle, moves, checksum
