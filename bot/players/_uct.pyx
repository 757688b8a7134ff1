"""UCT with RAVE over uniformly random playouts, in one thread, without the GIL.

The tree of [AHH] and [RP] in its plain form: a node is a move; each iteration descends from the
root, fills the rest of the board at random, reduces once, and adds the result to the moves of the
path and (RAVE) to every move of the path's positions that the filling gave to the mover.  Wins
that the pyramids see are proven, and proofs travel up the tree.
"""
from libc.math cimport log, sqrt
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.bot._stop cimport Stop, stop_load
from trivalent.core._colours cimport colour_index, opponent
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core.playouts._playout cimport black_wins, choose
from trivalent.core.connection._pyramid cimport (
    pyramid_apex, pyramid_free, pyramid_init, pyramid_load, pyramid_t, pyramid_toggle
)
from trivalent.core._random cimport rng_seed, rng_t
from trivalent.core.connection._triangle cimport MAX_WORDS, Triangle, fill_plane, triangle_t

cdef enum:
    MAX_CELLS = 63 * 63
    ITERATIONS_PER_CHECK = 16  # of clock and stop request: at most some milliseconds
    RAVE_PRIOR_VISITS = 8      # a new move starts with 8 playouts of value 1/2 in RAVE
    WON = 1
    LOST = -1

ctypedef struct node_t:
    uint32_t visits
    uint32_t wins         # of the player who moves here
    uint32_t rave_visits
    uint32_t rave_wins
    int32_t children      # index of the first child, 0 if there are none
    int16_t count         # of the children
    int16_t cell
    int8_t proven         # WON or LOST for the player who moves here, or 0

ctypedef struct search_t:
    const triangle_t* triangle
    pyramid_t pyramids[2]
    rng_t rng
    node_t* nodes         # node 0 is the root, moved to by the opponent of the side to move
    int32_t used
    int32_t capacity
    int to_play
    int empties
    uint32_t expand
    float rave
    float explore
    uint8_t stones[MAX_CELLS + STONES_PADDING]
    uint8_t owners[MAX_CELLS]     # who holds each cell after the filling
    int16_t cells[MAX_CELLS]      # the cells that were empty at the root
    int16_t unfilled[MAX_CELLS]
    int32_t path[MAX_CELLS + 1]


cdef inline void play(search_t* s, int cell, int colour) noexcept nogil:
    s.stones[cell] = colour
    pyramid_toggle(&s.pyramids[colour_index(colour)], cell)


cdef inline void unplay(search_t* s, int cell) noexcept nogil:
    pyramid_toggle(&s.pyramids[colour_index(s.stones[cell])], cell)
    s.stones[cell] = 0


cdef void expand(search_t* s, node_t* node) noexcept nogil:
    """Give a node a child for each empty cell, in random order, unless memory is used up."""
    cdef int i, n = 0
    cdef node_t* child
    for i in range(s.empties):
        if s.stones[s.cells[i]] == 0:
            s.unfilled[n] = s.cells[i]
            n += 1
    if n == 0 or s.used + n > s.capacity:
        return
    choose(&s.rng, s.unfilled, n, n)  # moves of equal value are tried in random order
    child = s.nodes + s.used
    for i in range(n):
        child.visits = 0
        child.wins = 0
        child.rave_visits = RAVE_PRIOR_VISITS
        child.rave_wins = RAVE_PRIOR_VISITS / 2
        child.children = 0
        child.count = 0
        child.cell = s.unfilled[i]
        child.proven = 0
        child += 1
    node.children = s.used
    node.count = n
    s.used += n


cdef inline int32_t select(search_t* s, const node_t* node) noexcept nogil:
    """The child to follow.  Lost ones are left out; if there is no other, the first one.

    The weight of RAVE falls with the visits of the move itself [AHH]: equal after about one visit
    if RAVE had few playouts, after ``rave`` visits if it had many.
    """
    cdef const node_t* child = s.nodes + node.children
    cdef float value, best = -1, weight, rave, bonus
    cdef int32_t chosen = node.children
    cdef int i
    bonus = s.explore * sqrt(log(node.visits + 1.0)) if s.explore > 0 else 0
    for i in range(node.count):
        if child.proven != LOST:
            value = <float> child.rave_wins / child.rave_visits
            if child.visits > 0:
                rave = child.rave_visits
                weight = rave / (rave + child.visits * (0.5 + rave / s.rave))
                value = weight * value + (1 - weight) * <float> child.wins / child.visits
            if s.explore > 0:
                value += bonus / sqrt(child.visits + 1.0)
            if value > best:
                best = value
                chosen = node.children + i
        child += 1
    return chosen


cdef int playout(search_t* s, int to_play) noexcept nogil:
    """Fill the board at random for the side to move; return the winner and leave the owners."""
    cdef uint64_t plane[MAX_WORDS]
    cdef const triangle_t* t = s.triangle
    cdef int i, n = 0, black
    for i in range(s.empties):
        s.owners[s.cells[i]] = s.stones[s.cells[i]]
        s.unfilled[n] = s.cells[i]
        n += s.stones[s.cells[i]] == 0
    black = (n + 1) // 2 if to_play == 1 else n // 2
    choose(&s.rng, s.unfilled, n, black)
    for i in range(black):
        s.owners[s.unfilled[i]] = 1
    for i in range(black, n):
        s.owners[s.unfilled[i]] = 2
    memcpy(plane, s.pyramids[0].levels, t.bytes)
    return 1 if black_wins(t, plane, s.unfilled, black) else 2


cdef void update_rave(search_t* s, node_t* node, int mover, bint won) noexcept nogil:
    """Count a playout for every move of a node whose cell the mover held at the end."""
    cdef node_t* child = s.nodes + node.children
    cdef bint owned
    for _ in range(node.count):
        owned = s.owners[child.cell] == mover
        child.rave_visits += owned
        child.rave_wins += owned & won
        child += 1


cdef void prove(search_t* s, int depth) noexcept nogil:
    """Carry the proof of the node at this depth of the path as far up as it reaches."""
    cdef node_t* node
    cdef const node_t* child
    cdef int i
    while depth > 0:
        depth -= 1
        node = s.nodes + s.path[depth]
        if s.nodes[s.path[depth + 1]].proven == WON:
            node.proven = LOST
            continue
        child = s.nodes + node.children
        for i in range(node.count):
            if child[i].proven != LOST:
                return
        node.proven = WON


cdef void iterate(search_t* s) noexcept nogil:
    """One playout."""
    cdef int depth = 0, colour = s.to_play, winner, i
    cdef node_t* node = s.nodes
    s.path[0] = 0
    while node.children and not node.proven:
        depth += 1
        s.path[depth] = select(s, node)
        node = s.nodes + s.path[depth]
        play(s, node.cell, colour)
        if node.visits == 0 and pyramid_apex(&s.pyramids[colour_index(colour)]):
            node.proven = WON
            prove(s, depth)
        colour = opponent(colour)
    if not node.proven and not node.children and node.visits >= s.expand:
        expand(s, node)
    if node.proven:
        winner = opponent(colour) if node.proven == WON else colour
    else:
        winner = playout(s, colour)
        for i in range(depth + 1):
            if s.nodes[s.path[i]].children:
                # The mover at the root moves at every even depth.
                update_rave(
                    s, s.nodes + s.path[i], s.to_play if i % 2 == 0 else opponent(s.to_play),
                    winner == (s.to_play if i % 2 == 0 else opponent(s.to_play))
                )
    for i in range(depth, -1, -1):
        node = s.nodes + s.path[i]
        node.visits += 1
        node.wins += winner == (s.to_play if i % 2 == 1 else opponent(s.to_play))
        if i > 0:
            unplay(s, node.cell)


cdef double _now() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef class Search:
    """A tree search from one open position; see `trivalent.bot.players.uct` for the parameters."""

    cdef search_t* s
    cdef Triangle triangle

    def __cinit__(
        self, Triangle triangle not None, const uint8_t[::1] stones not None, int to_play, seed,
        int expand_visits, double rave, double explore, long megabytes
    ):
        cdef search_t* s
        cdef uint64_t plane[MAX_WORDS]
        cdef int cell, i
        cdef size_t bytes = megabytes << 20
        self.s = s = <search_t*> malloc(sizeof(search_t))
        if not s:
            raise MemoryError
        s.nodes = NULL
        s.pyramids[0].levels = s.pyramids[1].levels = NULL
        self.triangle = triangle
        s.triangle = &triangle.c
        s.to_play = to_play
        s.expand = expand_visits
        s.rave = rave
        s.explore = explore
        rng_seed(&s.rng, seed)
        memcpy(s.stones, &stones[0], s.triangle.cells)
        for i in range(2):
            pyramid_init(&s.pyramids[i], s.triangle)
            fill_plane(s.triangle, s.stones, i + 1, plane)
            pyramid_load(&s.pyramids[i], plane)
        s.empties = 0
        for cell in range(s.triangle.cells):
            s.owners[cell] = stones[cell]
            if stones[cell] == 0:
                s.cells[s.empties] = cell
                s.empties += 1
        # The root's own moves always have room.  Pages that are never touched cost nothing.
        s.capacity = 1 + max(bytes // sizeof(node_t), s.empties)
        s.nodes = <node_t*> malloc(s.capacity * sizeof(node_t))
        if not s.nodes:
            raise MemoryError(f"no room for a tree of {megabytes} MiB")
        s.nodes[0] = node_t(
            visits=0, wins=0, rave_visits=0, rave_wins=0, children=0, count=0, cell=-1, proven=0
        )
        s.used = 1
        expand(s, s.nodes)
        self._see_wins()

    def __dealloc__(self):
        if self.s:
            pyramid_free(&self.s.pyramids[0])
            pyramid_free(&self.s.pyramids[1])
            free(self.s.nodes)
            free(self.s)

    cdef void _see_wins(self) noexcept:
        """Mark the moves that win at once."""
        cdef search_t* s = self.s
        cdef node_t* child
        cdef int i
        for i in range(s.nodes.count):
            child = s.nodes + s.nodes.children + i
            play(s, child.cell, s.to_play)
            if pyramid_apex(&s.pyramids[colour_index(s.to_play)]):
                child.proven = WON
                s.nodes.proven = LOST
            unplay(s, child.cell)

    def run(self, long nodes, double seconds, Stop stop not None):
        """Search on until that many playouts have been made in all, that many seconds have passed,
        the stop is set, or the result is proven.  A negative limit is none.  Return whether only
        the time has ended it: the search may go on.

        A few playouts are made in any case, so that there is something to choose by.
        """
        cdef search_t* s = self.s
        cdef double end = _now() + seconds
        cdef bint out_of_time = False
        with nogil:
            while True:
                for _ in range(ITERATIONS_PER_CHECK):
                    if s.nodes.proven or 0 <= nodes <= s.nodes.visits:
                        break
                    iterate(s)
                if s.nodes.proven or 0 <= nodes <= s.nodes.visits or stop_load(&stop.flag):
                    break
                if seconds >= 0 and _now() >= end:
                    out_of_time = True
                    break
        return out_of_time

    @property
    def visits(self):
        """The playouts made so far."""
        return self.s.nodes.visits

    def moves(self):
        """A tuple (cell, visits, value, rave value, proven) for each move, in no order.

        Proven is 1 for a win of the side to move, -1 for a loss, 0 if open.
        """
        cdef search_t* s = self.s
        cdef const node_t* child = s.nodes + s.nodes.children
        return [
            (
                child[i].cell,
                child[i].visits,
                child[i].wins / <double> child[i].visits if child[i].visits else 0.5,
                child[i].rave_wins / <double> child[i].rave_visits,
                child[i].proven,
            )
            for i in range(s.nodes.count)
        ]

    def variation(self, int first):
        """The cells of the most visited line that begins with a move of the root."""
        cdef search_t* s = self.s
        cdef const node_t* node = s.nodes
        cdef const node_t* child
        cdef const node_t* best
        cdef int i
        line = []
        while node.count:
            best = NULL
            for i in range(node.count):
                child = s.nodes + node.children + i
                if line:
                    if child.visits and (
                        not best or child.proven > best.proven
                        or (child.proven == best.proven and child.visits > best.visits)
                    ):
                        best = child
                elif child.cell == first:
                    best = child
            if not best:
                break
            line.append(best.cell)
            node = best
        return line
