"""Timing loops of the connection-test benchmark, after the protocol of [BT, section 5.3].

A set is a number of random games.  Each is replayed with connection tests and then, for the same
moves, without; the difference is the time of the tests and of the data structures they need.  [BT]
alternate game by game.  Here the whole set is replayed with tests and then without, since reading
the clock may take longer than the test of a game.

Games are replayed on a board of bytes; any other representation is part of a method's cost.  Three
methods don't test each game before the next one begins:

* ``bpr`` (per game) and ``bpr-registers`` fill the boards of a group of games, pack each into a
  plane, then reduce the planes, one by one or several interleaved.  Without this delay a vector
  load would have to wait for the narrow stores of its parts (a failed store-to-load forwarding),
  and that wait would dominate the time.
* ``bpr-sliced`` plays in blocks of 512 games whose bits lie side by side.  The slices are its
  board, with tests and without, so that a test adds only the reduction of whole blocks.

The loop for fill-in is here, too, because a fill-in takes less time than a call from Python.
"""
from libc.stdint cimport int16_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_THREAD_CPUTIME_ID, clock_gettime, timespec

from trivalent.core._isa cimport SLICE_WORDS, STONES_PADDING, kernels, slice_t
from trivalent.core._random cimport Random
from trivalent.core.playouts._playout cimport choose
from trivalent.core.connection._pyramid cimport (
    pyramid_apex, pyramid_free, pyramid_init, pyramid_load, pyramid_t, pyramid_toggle
)
from trivalent.core.connection._references cimport (
    MAX_CELLS, MAX_COLUMNS, Graph, bfs_test, graph_t, pairs_place, pairs_reduce, pairs_reset,
    pairs_t, path_t, path_test, uf_place, union_find_reset, union_find_t, wqhuf_place
)
from trivalent.bot.knowledge._fillin cimport dominated_t
from trivalent.bot.knowledge._cutsets cimport REGIONS_CELLS, Regions, fill_regions, regions_t
from trivalent.core.connection._sliced cimport BLOCK, Slices, slices_load, slices_new
from trivalent.core.connection._triangle cimport (
    MAX_WORDS, Triangle, fill_plane, reduce_copy, reduce_in_place, triangle_t
)

from trivalent.core.connection._references import graph
from trivalent.bot.knowledge._cutsets import regions
from trivalent.core.connection._sliced import slices
from trivalent.core.connection._triangle import triangle

cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    GROUP = 32    # games filled before the first of them is tested
    WARM_UP = 64  # games replayed before the clock starts, to warm up the caches

cdef enum Method:
    NOTHING, UF, WQHUF, PATH, BFS, PRINTED, BPR, BPR_PLUS, PACKED, REGISTERS, SLICED

_PER_MOVE = {
    "uf": UF, "wqhuf": WQHUF, "path": PATH, "bfs": BFS, "bpr-printed": PRINTED, "bpr": BPR,
    "bpr+": BPR_PLUS,
}
# Once per game, packing a plane at the end is cheaper than updating it stone by stone.
_PER_GAME = _PER_MOVE | {"bpr": PACKED, "bpr-registers": REGISTERS, "bpr-sliced": SLICED}

cdef enum Filling:
    PATTERNS, INFERIOR, DOMINATED, WHOLE_BOARD

_FILLINGS = {
    "patterns": PATTERNS, "inferior": INFERIOR, "dominated": DOMINATED, "whole board": WHOLE_BOARD,
}

ctypedef struct state_t:
    const triangle_t* triangle
    const graph_t* graph
    uint8_t* boards    # of a group, stride bytes apart; most methods use only the first
    int stride
    uint64_t* planes   # of the boards of a group, or Black's and White's
    slice_t* slices
    slice_t* work
    union_find_t sets
    path_t path
    uint64_t columns[2][MAX_COLUMNS]
    pairs_t pairs
    pyramid_t pyramids[2]


cdef inline void prepare(state_t* s, uint8_t* stones, Method method) noexcept nogil:
    memset(stones, 0, s.graph.cells)
    if method == UF or method == WQHUF:
        union_find_reset(s.graph, &s.sets)
    elif method == BFS:
        memset(s.columns[0], 0, s.graph.columns * sizeof(uint64_t))
        memset(s.columns[1], 0, s.graph.columns * sizeof(uint64_t))
    elif method == PRINTED:
        pairs_reset(s.graph, &s.pairs)
    elif method == BPR:
        memcpy(s.planes, s.triangle.frame[0], s.triangle.bytes)
        memcpy(s.planes + MAX_WORDS, s.triangle.frame[1], s.triangle.bytes)
    elif method == BPR_PLUS:
        pyramid_load(&s.pyramids[0], s.triangle.frame[0])
        pyramid_load(&s.pyramids[1], s.triangle.frame[1])


cdef inline bint place(
    state_t* s, uint8_t* stones, Method method, int cell, uint8_t colour
) noexcept nogil:
    """Place a stone and update the method's data; incremental methods return whether it wins."""
    stones[cell] = colour
    if method == UF:
        return uf_place(s.graph, &s.sets, stones, cell)
    if method == WQHUF:
        return wqhuf_place(s.graph, &s.sets, stones, cell)
    if method == BFS:
        s.columns[colour - 1][s.graph.column[cell]] |= <uint64_t> 1 << s.graph.row[cell]
    elif method == PRINTED:
        pairs_place(s.graph, &s.pairs, cell, colour)
    elif method == BPR:
        s.planes[(colour - 1) * MAX_WORDS + s.triangle.word[cell]] |= s.triangle.bit[cell]
    elif method == BPR_PLUS:
        pyramid_toggle(&s.pyramids[colour - 1], cell)
        return pyramid_apex(&s.pyramids[colour - 1])
    return False


cdef inline bint test(
    state_t* s, const uint8_t* stones, Method method, uint8_t colour
) noexcept nogil:
    """Return whether a colour has won, by a method that starts from scratch each time."""
    if method == PATH:
        return path_test(s.graph, &s.path, stones, colour)
    if method == BFS:
        return bfs_test(s.graph, s.columns[colour - 1], colour)
    if method == PRINTED:
        return pairs_reduce(s.graph, &s.pairs) == colour
    if method == BPR:
        return reduce_copy(s.triangle, s.planes + (colour - 1) * MAX_WORDS)
    return False


cdef inline void play_game(uint8_t* stones, const int16_t* order, int cells) noexcept nogil:
    """Fill a board and do nothing else.

    The loop is unrolled 16 times, so that the processor can predict its end: mispredicting it, by
    chance, after about a hundred iterations would cost as much as a whole test.
    """
    cdef int i = 0, k
    memset(stones, 0, cells)
    while i + 16 <= cells:
        for k in range(0, 16, 2):
            stones[order[i + k]] = 1
            stones[order[i + k + 1]] = 2
        i += 16
    for k in range(i, cells):
        stones[order[k]] = 1 + (k & 1)


cdef inline bint per_game(
    state_t* s, uint8_t* stones, Method method, const int16_t* order
) noexcept nogil:
    """Fill the board, then test once; return whether Black has won.

    White has won if Black has not, so a test from scratch needs only Black's stones.
    """
    cdef bint black_won = False
    cdef int i, cells = s.graph.cells
    if method == NOTHING or method == PATH:
        play_game(stones, order, cells)
        return test(s, stones, method, 1)
    prepare(s, stones, method)
    for i in range(0, cells - 1, 2):
        black_won |= place(s, stones, method, order[i], 1)
        if method == BFS:
            stones[order[i + 1]] = 2
        else:
            place(s, stones, method, order[i + 1], 2)
    if cells & 1:
        black_won |= place(s, stones, method, order[cells - 1], 1)
    return test(s, stones, method, 1) if method == BFS or method == PRINTED else black_won


cdef inline int per_move(
    state_t* s, uint8_t* stones, Method method, const int16_t* order, int limit
) noexcept nogil:
    """Play until a colour has won, testing the mover after every move; return the move count."""
    cdef int i
    cdef uint8_t colour = 1
    prepare(s, stones, method)
    for i in range(limit):
        if place(s, stones, method, order[i], colour) or test(s, stones, method, colour):
            return i + 1
        colour ^= 3
    return limit


cdef void _replay(
    state_t* s, Method method, bint every_move, const int16_t* orders, int16_t* results, long games
) noexcept nogil:
    """Replay a set and write each game's result; without tests read the game lengths there."""
    cdef long i
    cdef int cells = s.graph.cells
    cdef const int16_t* order = orders
    cdef uint8_t* stones = s.boards
    for i in range(games):
        # One call per method, so that the compiler specializes the inlined loop for each.
        if not every_move:
            if method == UF:
                results[i] = per_game(s, stones, UF, order)
            elif method == WQHUF:
                results[i] = per_game(s, stones, WQHUF, order)
            elif method == PATH:
                results[i] = per_game(s, stones, PATH, order)
            elif method == BFS:
                results[i] = per_game(s, stones, BFS, order)
            elif method == PRINTED:
                results[i] = per_game(s, stones, PRINTED, order)
            elif method == BPR_PLUS:
                results[i] = per_game(s, stones, BPR_PLUS, order)
            else:
                per_game(s, stones, NOTHING, order)
        else:
            if method == UF:
                results[i] = per_move(s, stones, UF, order, cells)
            elif method == WQHUF:
                results[i] = per_move(s, stones, WQHUF, order, cells)
            elif method == PATH:
                results[i] = per_move(s, stones, PATH, order, cells)
            elif method == BFS:
                results[i] = per_move(s, stones, BFS, order, cells)
            elif method == PRINTED:
                results[i] = per_move(s, stones, PRINTED, order, cells)
            elif method == BPR:
                results[i] = per_move(s, stones, BPR, order, cells)
            elif method == BPR_PLUS:
                results[i] = per_move(s, stones, BPR_PLUS, order, cells)
            else:
                per_move(s, stones, NOTHING, order, results[i])
        order += cells


cdef void _replay_groups(
    state_t* s, Method method, const int16_t* orders, uint8_t* won, long games
) noexcept nogil:
    """Replay a set group by group; with tests, write whether Black won each game."""
    cdef const triangle_t* t = s.triangle
    cdef int k, n, cells = t.cells, words = t.bytes // 8
    cdef long first = 0
    while first < games:
        n = min(<long> GROUP, games - first)
        for k in range(n):
            play_game(s.boards + k * s.stride, orders + (first + k) * cells, cells)
        if method != NOTHING:
            for k in range(n):
                fill_plane(t, s.boards + k * s.stride, 1, s.planes + k * words)
        if method == REGISTERS:
            t.reduction.reduce_many(s.planes, t.bytes, t.columns, t.levels, n, won + first)
        elif method == PACKED:
            for k in range(n):
                won[first + k] = reduce_in_place(t, s.planes + k * words)
        first += n


cdef void _replay_blocks(
    state_t* s, Slices board, Method method, const int16_t* orders, slice_t* wins, long games
) noexcept nogil:
    """Replay a set block by block; with tests, write the games of each block that Black won.

    A game sets or clears its bit in every cell, so that the previous block needs no clearing.
    """
    cdef const int16_t* order = orders
    cdef const int16_t* slot = board.c.slot
    cdef slice_t* stones = s.slices
    cdef int i, word, cells = board.c.cells
    cdef uint64_t bit
    cdef long game
    for game in range(games):
        word = game % BLOCK // 64
        bit = <uint64_t> 1 << game % 64
        for i in range(0, cells - 1, 2):
            stones[slot[order[i]]].word[word] |= bit
            stones[slot[order[i + 1]]].word[word] &= ~bit
        if cells & 1:
            stones[slot[order[cells - 1]]].word[word] |= bit
        order += cells
        if method != NOTHING and (game % BLOCK == BLOCK - 1 or game == games - 1):
            kernels().sliced.reduce(
                stones, s.work, &board.c.shape, wins + game // BLOCK, SLICE_WORDS
            )


cdef double _seconds() noexcept nogil:
    """Return the processor time of this thread, which excludes other programs on the core."""
    cdef timespec now
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef uint64_t _checksum(const int16_t* results, long games) noexcept nogil:
    """Return the FNV-1a hash of the results, number by number: the same on every machine."""
    cdef long i
    cdef uint64_t checksum = 0xCBF29CE484222325
    for i in range(games):
        checksum = (checksum ^ <uint16_t> results[i]) * <uint64_t> 0x100000001B3
    return checksum


def orders(int cells, long games, Random random not None):
    """Return random orders of the cells, one per game, as the bytes of 16-bit integers.

    Raise ValueError unless ``games`` is positive and ``cells`` is 1 to 3969.
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


cdef class Replayer:
    """Replays games on one board and measures the time.  Not thread-safe."""

    cdef Triangle triangle
    cdef Graph graph
    cdef Slices slices
    cdef state_t* s

    def __cinit__(self, board):
        cdef state_t* s
        self.triangle = triangle(board)
        self.graph = graph(board)
        self.slices = slices(board)
        s = self.s = <state_t*> calloc(1, sizeof(state_t))
        if not s:
            raise MemoryError
        s.triangle = &self.triangle.c
        s.graph = &self.graph.c
        s.stride = (s.graph.cells + STONES_PADDING + 63) // 64 * 64
        s.boards = <uint8_t*> aligned_alloc(64, GROUP * s.stride)
        s.planes = <uint64_t*> aligned_alloc(64, GROUP * MAX_WORDS * sizeof(uint64_t))
        if not (s.boards and s.planes):
            raise MemoryError
        memset(s.boards, 0, GROUP * s.stride)
        s.slices = slices_new(self.slices.c.slots + 3)
        s.work = slices_new(self.slices.c.slots + 3)
        slices_load(&self.slices.c, s.slices, False)
        slices_load(&self.slices.c, s.work, False)
        pyramid_init(&s.pyramids[0], s.triangle)
        pyramid_init(&s.pyramids[1], s.triangle)

    def __dealloc__(self):
        if self.s:
            free(self.s.boards)
            free(self.s.planes)
            free(self.s.slices)
            free(self.s.work)
            pyramid_free(&self.s.pyramids[0])
            pyramid_free(&self.s.pyramids[1])
            free(self.s)

    def time_set(self, str method, bint every_move, const uint8_t[::1] orders not None):
        """Replay a set with and without tests.

        Return (seconds with, seconds without, moves played, checksum).  The checksum covers the
        result of every game: whether Black won, or, with a test per move, the number of moves to
        the win.  Raise ValueError for a method that is unknown or not available in this mode, and
        for orders that aren't whole games of the board.
        """
        cdef int cells = self.graph.c.cells
        cdef long i, games, moves = 0
        cdef const int16_t* order
        known = _PER_MOVE if every_move else _PER_GAME
        if method not in known:
            raise ValueError(f"unknown method {method!r} (known: {', '.join(known)})")
        games = orders.shape[0] // (2 * cells)
        if games < 1 or games * 2 * cells != orders.shape[0]:
            raise ValueError(
                f"{orders.shape[0]} bytes of orders are not whole games of {cells} cells"
            )
        order = <const int16_t*> &orders[0]
        for i in range(games * cells):
            if not 0 <= order[i] < cells:
                raise ValueError(f"no cell {order[i]} on a board of {cells} cells")
        results = bytearray(2 * games)
        cdef uint8_t[::1] buffer = results
        cdef int16_t* result = <int16_t*> &buffer[0]
        if known[method] == SLICED:
            seconds = self._time_blocks(order, result, games)
        elif known[method] in (PACKED, REGISTERS):
            seconds = self._time_groups(known[method], order, result, games)
        else:
            seconds = self._time_games(known[method], every_move, order, result, games)
        if every_move:
            for i in range(games):
                moves += result[i]
        else:
            moves = games * cells
        return *seconds, moves, _checksum(result, games)

    cdef tuple _time_games(
        self, Method method, bint every_move, const int16_t* order, int16_t* results, long games
    ):
        cdef double start, middle, end
        with nogil:
            _replay(self.s, method, every_move, order, results, min(games, <long> WARM_UP))
            start = _seconds()
            _replay(self.s, method, every_move, order, results, games)
            middle = _seconds()
            _replay(self.s, NOTHING, every_move, order, results, games)
            end = _seconds()
        return middle - start, end - middle

    cdef tuple _time_groups(
        self, Method method, const int16_t* order, int16_t* results, long games
    ):
        cdef double start, middle, end
        cdef uint8_t* won = <uint8_t*> calloc(games, 1)
        cdef long i
        if not won:
            raise MemoryError
        with nogil:
            _replay_groups(self.s, method, order, won, min(games, <long> WARM_UP))
            start = _seconds()
            _replay_groups(self.s, method, order, won, games)
            middle = _seconds()
            _replay_groups(self.s, NOTHING, order, won, games)
            end = _seconds()
            for i in range(games):
                results[i] = won[i]
        free(won)
        return middle - start, end - middle

    cdef tuple _time_blocks(self, const int16_t* order, int16_t* results, long games):
        cdef double start, middle, end
        cdef slice_t* wins = slices_new((games + BLOCK - 1) // BLOCK)
        cdef long i
        with nogil:
            _replay_blocks(self.s, self.slices, SLICED, order, wins, min(games, <long> WARM_UP))
            start = _seconds()
            _replay_blocks(self.s, self.slices, SLICED, order, wins, games)
            middle = _seconds()
            _replay_blocks(self.s, self.slices, NOTHING, order, wins, games)
            end = _seconds()
            for i in range(games):
                results[i] = wins[i // BLOCK].word[i % BLOCK // 64] >> (i % 64) & 1
        free(wins)
        return middle - start, end - middle


cdef void _fill_in(
    const regions_t* r, dominated_t* dominated, Filling filling, uint8_t* stones, int to_play
) noexcept nogil:
    """Fill in, and mark with 3 the empty cells that the side to move can prune."""
    cdef uint8_t inferior[REGIONS_CELLS + STONES_PADDING]
    cdef uint8_t others[REGIONS_CELLS + STONES_PADDING]
    cdef int cell, cells = r.board.cells
    if filling == WHOLE_BOARD:
        fill_regions(r, stones)
    elif filling == PATTERNS:
        r.fill_in(r.fillin, stones, to_play, False, NULL)
    else:
        r.fill_in(r.fillin, stones, to_play, False, inferior)
        memset(others, 0, cells)
        if filling == DOMINATED:
            for cell in range(cells):
                others[cell] = stones[cell] == 0 and not inferior[cell]
            dominated(r.fillin, stones, to_play, others)
        for cell in range(cells):
            if inferior[cell] | others[cell]:
                stones[cell] = 3


def time_filling(
    board, str filling, const uint8_t[::1] stones not None, const uint8_t[::1] to_play not None,
    long rounds
):
    """Fill in positions one after the other, for a number of rounds.

    ``stones`` holds the cells of all positions, ``to_play`` the side to move in each.  Return the
    seconds and the cells afterwards, with 3 for empty cells that can be pruned.  Raise ValueError
    for an unknown filling, a wrong number of stones, an invalid colour, or no rounds.
    """
    cdef Regions r = regions(board)
    cdef int cells = r.c.board.cells
    cdef long i, count = to_play.shape[0]
    cdef Filling how
    cdef double start, end
    cdef uint8_t work[REGIONS_CELLS + STONES_PADDING]
    if filling not in _FILLINGS:
        raise ValueError(f"unknown filling {filling!r} (known: {', '.join(_FILLINGS)})")
    if not count or stones.shape[0] != count * cells or set(to_play) - {1, 2} or rounds < 1:
        raise ValueError(
            f"{stones.shape[0]} stones for {count} times {cells} cells, {rounds} rounds"
        )
    how = _FILLINGS[filling]
    result = bytearray(count * cells)
    cdef uint8_t[::1] filled = result
    memset(work, 0, sizeof(work))
    with nogil:
        start = _seconds()
        for _ in range(rounds):
            for i in range(count):
                memcpy(work, &stones[i * cells], cells)
                _fill_in(&r.c, r.filler.kernels.dominated, how, work, to_play[i])
                memcpy(&filled[i * cells], work, cells)
        end = _seconds()
    return end - start, bytes(result)
