"""Timing loops of the connection-test benchmark, after the protocol of [BT, 5.3].

A set is a number of random games.  Each is replayed with a connection test and then, for as many
moves, without; the difference is the time of the test and of all it needs to have prepared.  [BT]
replay game by game, here the whole set is replayed with tests and then without, which spares the
clock: the test of a game may take less than reading it.
"""
from libc.stdint cimport int16_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_THREAD_CPUTIME_ID, clock_gettime, timespec

from trivalent.core._playout cimport Random, choose
from trivalent.core._pyramid cimport (
    pyramid_apex, pyramid_free, pyramid_init, pyramid_load, pyramid_t, pyramid_toggle
)
from trivalent.core._references cimport (
    MAX_CELLS, MAX_COLUMNS, Graph, bfs_test, graph_t, path_t, path_test, uf_place, union_find_reset,
    union_find_t, wqhuf_place
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
    uint64_t columns[2][MAX_COLUMNS]
    uint64_t planes[2 * MAX_WORDS]
    pyramid_t pyramids[2]


cdef inline void prepare(state_t* s, Method method) noexcept nogil:
    memset(s.stones, 0, s.graph.cells)
    if method == UF or method == WQHUF:
        union_find_reset(s.graph, &s.sets)
    elif method == BFS:
        memset(s.columns[0], 0, s.graph.columns * sizeof(uint64_t))
        memset(s.columns[1], 0, s.graph.columns * sizeof(uint64_t))
    elif method == BPR:
        memcpy(s.planes, s.triangle.frame[0], s.triangle.bytes)
        memcpy(s.planes + MAX_WORDS, s.triangle.frame[1], s.triangle.bytes)
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
    if method == BFS:
        s.columns[colour - 1][s.graph.column[cell]] |= <uint64_t> 1 << s.graph.row[cell]
    elif method == BPR:
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
        return bfs_test(s.graph, s.columns[colour - 1], colour)
    if method == BPR:
        return reduce_copy(s.triangle, s.planes + (colour - 1) * MAX_WORDS)
    return False


cdef inline bint per_game(state_t* s, Method method, const int16_t* order) noexcept nogil:
    """Fill the board, then test once; return whether Black has won.

    White has won if Black has not, so a test that starts afresh needs Black's stones only.
    """
    cdef bint afresh = method == PATH or method == BFS or method == BPR
    cdef bint black_won = False
    cdef int i, cells = s.graph.cells
    prepare(s, method)
    for i in range(0, cells - 1, 2):
        black_won |= place(s, method, order[i], 1)
        if afresh:
            s.stones[order[i + 1]] = 2
        else:
            place(s, method, order[i + 1], 2)
    if cells & 1:
        black_won |= place(s, method, order[cells - 1], 1)
    return test(s, method, 1) if afresh else black_won


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
        colour ^= 3
    return limit


cdef void _replay(
    state_t* s, Method method, bint every_move, const int16_t* orders, int16_t* results, long games
) noexcept nogil:
    """Replay a set and write the result of each game; without tests read the lengths there."""
    cdef long i
    cdef int cells = s.graph.cells
    cdef const int16_t* order = orders
    for i in range(games):
        # One call for each method, so that the compiler makes a loop without choices of each.
        if not every_move:
            if method == UF:
                results[i] = per_game(s, UF, order)
            elif method == WQHUF:
                results[i] = per_game(s, WQHUF, order)
            elif method == PATH:
                results[i] = per_game(s, PATH, order)
            elif method == BFS:
                results[i] = per_game(s, BFS, order)
            elif method == BPR:
                results[i] = per_game(s, BPR, order)
            elif method == BPR_PLUS:
                results[i] = per_game(s, BPR_PLUS, order)
            else:
                per_game(s, NOTHING, order)
        else:
            if method == UF:
                results[i] = per_move(s, UF, order, cells)
            elif method == WQHUF:
                results[i] = per_move(s, WQHUF, order, cells)
            elif method == PATH:
                results[i] = per_move(s, PATH, order, cells)
            elif method == BFS:
                results[i] = per_move(s, BFS, order, cells)
            elif method == BPR:
                results[i] = per_move(s, BPR, order, cells)
            elif method == BPR_PLUS:
                results[i] = per_move(s, BPR_PLUS, order, cells)
            else:
                per_move(s, NOTHING, order, results[i])
        order += cells


cdef double _seconds() noexcept nogil:
    """Processor time of this thread: what other programs take of a shared core does not count."""
    cdef timespec now
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef uint64_t _checksum(const int16_t* results, long games) noexcept nogil:
    """FNV-1a over the results, number by number: the same on every machine."""
    cdef long i
    cdef uint64_t checksum = 0xCBF29CE484222325
    for i in range(games):
        checksum = (checksum ^ <uint16_t> results[i]) * <uint64_t> 0x100000001B3
    return checksum


def orders(int cells, long games, Random random not None):
    """Random orders of the cells, one for each game, as the bytes of 16-bit numbers.

    Raise ValueError unless there is a game, and 1 to 3969 cells.
    """
    cdef int cell
    if not 1 <= cells <= MAX_CELLS or games < 1:
        raise ValueError(f"no orders for {games} games of {cells} cells")
    result = bytearray(2 * cells * games)
    cdef uint8_t[::1] buffer = result
    cdef int16_t* order = <int16_t*> &buffer[0]
    with nogil:
        for _ in range(games):
            for cell in range(cells):
                order[cell] = cell
            choose(&random.c, order, cells, cells)
            order += cells
    return result


def time_set(
    Triangle triangle not None, Graph graph not None, str method, bint every_move,
    const uint8_t[::1] orders not None
):
    """Replay a set with and without tests.

    Return (seconds with, seconds without, moves played, checksum).  The checksum covers the result
    of every game: whether Black won if tested per game, the moves to the win if per move.  Raise
    ValueError for an unknown method, or orders that are not whole games of the board.
    """
    cdef state_t s
    cdef Method chosen
    cdef int cells = graph.c.cells
    cdef long i, games, moves = 0
    cdef double start, middle, end
    cdef const int16_t* order
    if method not in _METHODS:
        raise ValueError(f"unknown method {method!r} (known: {', '.join(_METHODS)})")
    chosen = _METHODS[method]
    if triangle.c.cells != cells:
        raise ValueError(f"a triangle of {triangle.c.cells} cells, a graph of {cells}")
    games = orders.shape[0] // (2 * cells)
    if games < 1 or games * 2 * cells != orders.shape[0]:
        raise ValueError(f"{orders.shape[0]} bytes of orders are not whole games of {cells} cells")
    order = <const int16_t*> &orders[0]
    for i in range(games * cells):
        if not 0 <= order[i] < cells:
            raise ValueError(f"no cell {order[i]} on a board of {cells} cells")
    results = bytearray(2 * games)
    cdef uint8_t[::1] buffer = results
    cdef int16_t* result = <int16_t*> &buffer[0]
    s.triangle = &triangle.c
    s.graph = &graph.c
    s.pyramids[0].levels = s.pyramids[1].levels = NULL
    try:
        pyramid_init(&s.pyramids[0], s.triangle)
        pyramid_init(&s.pyramids[1], s.triangle)
        with nogil:
            start = _seconds()
            _replay(&s, chosen, every_move, order, result, games)
            middle = _seconds()
            _replay(&s, NOTHING, every_move, order, result, games)
            end = _seconds()
    finally:
        pyramid_free(&s.pyramids[0])
        pyramid_free(&s.pyramids[1])
    if every_move:
        for i in range(games):
            moves += result[i]
    else:
        moves = games * cells
    return middle - start, end - middle, moves, _checksum(result, games)
