"""UCT over uniformly random playouts, in one thread and without the GIL.

This is the tree search of [AHH] and [RP] in its plain form.  A node stands for a move.  Each
iteration descends from the root, fills the rest of the board at random, once or several times, and
finds the winners.  A result counts for the moves on the path.  It also counts for the moves whose
cells their mover came to own: with RAVE at all nodes of the path, otherwise, as [RP] have it, as
first visits of the moves of a node just expanded.  A win on the board is proven, and proofs are
carried up the tree.

On boards that can be reduced, pyramids follow the stones.
"""
from libc.math cimport log, sqrt
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.bot._stop cimport Stop, stop_load
from trivalent.core._colours cimport colour_index, opponent
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core.playouts._playout cimport black_wins, choose
from trivalent.core.connection._arbiter cimport Arbiter, arbiter_has_won, arbiter_t
from trivalent.core.connection._pyramid cimport (
    pyramid_apex, pyramid_free, pyramid_init, pyramid_load, pyramid_t, pyramid_toggle
)
from trivalent.core._random cimport rng_below, rng_seed, rng_t
from trivalent.core.connection._sliced cimport Slices, is_bridge, pair_t, slices_t
from trivalent.core.connection._triangle cimport MAX_WORDS, fill_plane, triangle_t

cdef enum:
    MAX_CELLS = 63 * 63
    ITERATIONS_PER_CHECK = 16  # between looks at clock and stop: a few milliseconds at most
    RAVE_PRIOR_VISITS = 8      # RAVE playouts of value 1/2 that a new move starts with
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
    const arbiter_t* arbiter
    const triangle_t* triangle  # NULL if the board can't be reduced; then there are no pyramids
    const slices_t* bridges     # NULL: a fill has no regard for bridges
    pyramid_t pyramids[2]
    rng_t rng
    node_t* nodes         # node 0 is the root, moved to by the opponent of the side to move
    int32_t used
    int32_t capacity
    int to_play
    int empties
    int64_t leaves
    int fills             # of each leaf
    bint rave
    uint32_t expansion_threshold
    float rave_equivalence
    float exploration
    uint8_t stones[MAX_CELLS + STONES_PADDING]
    uint8_t owners[MAX_CELLS]     # the colour on each cell after a playout
    int16_t cells[MAX_CELLS]      # the cells empty at the root
    int16_t unfilled[MAX_CELLS]   # those to be filled in by coins: first Black's, then White's
    int16_t paired[MAX_CELLS]     # those to be filled in as bridges, two by two
    int frees
    int pairs                     # cells in `paired`
    int black                     # Black's share of `unfilled`
    int32_t path[MAX_CELLS + 1]


cdef inline void play(search_t* s, int cell, int colour) noexcept nogil:
    s.stones[cell] = colour
    if s.triangle:
        pyramid_toggle(&s.pyramids[colour_index(colour)], cell)


cdef inline void unplay(search_t* s, int cell) noexcept nogil:
    if s.triangle:
        pyramid_toggle(&s.pyramids[colour_index(s.stones[cell])], cell)
    s.stones[cell] = 0


cdef inline bint has_won(const search_t* s, int colour) noexcept nogil:
    if s.triangle:
        return pyramid_apex(&s.pyramids[colour_index(colour)])
    return arbiter_has_won(s.arbiter, s.stones, colour)


cdef void expand(search_t* s, node_t* node) noexcept nogil:
    """Give a node a child for each empty cell, in random order, unless the memory is full."""
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


cdef inline int32_t select_by_ucb(search_t* s, const node_t* node) noexcept nogil:
    """Return the child with the highest upper confidence bound [RP, (1)] that isn't lost.

    Children that have never been tried come first; they are in random order.
    """
    cdef const node_t* child = s.nodes + node.children
    cdef float value, best = -1, total = log(max(node.visits, <uint32_t> 1))
    cdef int32_t chosen = node.children
    cdef int i
    for i in range(node.count):
        if child.proven != LOST:
            if child.visits == 0:
                return node.children + i
            value = <float> child.wins / child.visits + s.exploration * sqrt(total / child.visits)
            if value > best:
                best = value
                chosen = node.children + i
        child += 1
    return chosen


cdef inline int32_t select_by_rave(search_t* s, const node_t* node) noexcept nogil:
    """Return the child to follow: the best one that isn't lost, or the first one if all are.

    RAVE loses weight as the move's own visits grow [AHH]: both weigh the same after about one visit
    if RAVE has few playouts, and after `rave_equivalence` visits if it has many.
    """
    cdef const node_t* child = s.nodes + node.children
    cdef float value, best = -1, weight, rave, bonus
    cdef int32_t chosen = node.children
    cdef int i
    bonus = s.exploration * sqrt(log(node.visits + 1.0)) if s.exploration > 0 else 0
    for i in range(node.count):
        if child.proven != LOST:
            value = <float> child.rave_wins / child.rave_visits
            if child.visits > 0:
                rave = child.rave_visits
                weight = rave / (rave + child.visits * (0.5 + rave / s.rave_equivalence))
                value = weight * value + (1 - weight) * <float> child.wins / child.visits
            if s.exploration > 0:
                value += bonus / sqrt(child.visits + 1.0)
            if value > best:
                best = value
                chosen = node.children + i
        child += 1
    return chosen


cdef void find_bridges(search_t* s) noexcept nogil:
    """List the bridges of the position in `paired`; if bridges overlap, the first one counts."""
    cdef const pair_t* pair
    cdef int i
    s.pairs = 0
    for i in range(s.bridges.pair_count):
        pair = &s.bridges.pairs[i]
        if is_bridge(pair, s.owners):
            s.owners[pair.p] = s.owners[pair.q] = 3  # no longer free
            s.paired[s.pairs] = pair.p
            s.paired[s.pairs + 1] = pair.q
            s.pairs += 2


cdef void prepare_fill(search_t* s, int to_play) noexcept nogil:
    """List the cells to be filled in from the side to move on, and set the owners of the others."""
    cdef int i, n = 0
    for i in range(s.empties):
        s.owners[s.cells[i]] = s.stones[s.cells[i]]
    s.pairs = 0
    if s.bridges:
        find_bridges(s)
    for i in range(s.empties):
        s.unfilled[n] = s.cells[i]
        n += s.owners[s.cells[i]] == 0
    s.frees = n
    s.black = (n + 1) // 2 if to_play == 1 else n // 2


cdef int playout(search_t* s) noexcept nogil:
    """Fill the board at random, each bridge with a stone of each colour; set the owners, and return
    the winner.
    """
    cdef uint64_t plane[MAX_WORDS]
    cdef const triangle_t* t = s.triangle
    cdef int i, first
    choose(&s.rng, s.unfilled, s.frees, s.black)
    for i in range(s.black):
        s.owners[s.unfilled[i]] = 1
    for i in range(s.black, s.frees):
        s.owners[s.unfilled[i]] = 2
    for i in range(0, s.pairs, 2):
        first = 1 + <int> rng_below(&s.rng, 2)
        s.owners[s.paired[i]] = first
        s.owners[s.paired[i + 1]] = opponent(first)
    if not t:
        return 1 if arbiter_has_won(s.arbiter, s.owners, 1) else 2
    memcpy(plane, s.pyramids[0].levels, t.bytes)
    for i in range(s.pairs):
        if s.owners[s.paired[i]] == 1:
            plane[t.word[s.paired[i]]] |= t.bit[s.paired[i]]
    return 1 if black_wins(t, plane, s.unfilled, s.black) else 2


cdef void update_rave(search_t* s, node_t* node, int mover, bint won) noexcept nogil:
    """Count a playout for every move of a node whose cell the mover owned at the end."""
    cdef node_t* child = s.nodes + node.children
    cdef bint owned
    for _ in range(node.count):
        owned = s.owners[child.cell] == mover
        child.rave_visits += owned
        child.rave_wins += owned & won
        child += 1


cdef void count_first_visits(search_t* s, node_t* node, int mover, bint won) noexcept nogil:
    """Count a playout for every move of a new node whose cell the mover owned at the end, as if it
    had been the first one of the playout [RP, speed-up 2].
    """
    cdef node_t* child = s.nodes + node.children
    cdef bint owned
    for _ in range(node.count):
        owned = s.owners[child.cell] == mover
        child.visits += owned
        child.wins += owned & won
        child += 1


cdef int play_out(search_t* s, int depth, int to_play, bint expanded) noexcept nogil:
    """Fill the leaf at the end of the path, count that for moves by their cells, and return how
    often Black has won.
    """
    cdef int black = 0, winner, i, mover
    prepare_fill(s, to_play)
    for _ in range(s.fills):
        winner = playout(s)
        black += winner == 1
        if s.rave:
            for i in range(depth + 1):
                if s.nodes[s.path[i]].children:
                    # The mover at the root moves at every even depth.
                    mover = s.to_play if i % 2 == 0 else opponent(s.to_play)
                    update_rave(s, s.nodes + s.path[i], mover, winner == mover)
        elif expanded:
            count_first_visits(s, s.nodes + s.path[depth], to_play, winner == to_play)
    return black


cdef void prove(search_t* s, int depth) noexcept nogil:
    """Carry the proof of the node at this depth of the path up as far as it proves the nodes above.
    """
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
    """Search one leaf by playouts."""
    cdef int depth = 0, colour = s.to_play, black, i
    cdef bint expanded = False
    cdef node_t* node = s.nodes
    s.path[0] = 0
    while node.children and not node.proven:
        depth += 1
        s.path[depth] = select_by_rave(s, node) if s.rave else select_by_ucb(s, node)
        node = s.nodes + s.path[depth]
        play(s, node.cell, colour)
        if not node.children and not node.proven and has_won(s, colour):
            node.proven = WON
            prove(s, depth)
        colour = opponent(colour)
    if not node.proven and not node.children and node.visits >= s.expansion_threshold:
        expand(s, node)
        expanded = node.children != 0
    if node.proven:
        black = s.fills if (opponent(colour) if node.proven == WON else colour) == 1 else 0
    else:
        black = play_out(s, depth, colour, expanded)
    s.leaves += 1
    for i in range(depth, -1, -1):
        node = s.nodes + s.path[i]
        node.visits += s.fills
        # The opponent of the side to move at the root moves to every even depth.
        node.wins += black if (s.to_play == 1) == (i % 2 == 1) else s.fills - black
        if i > 0:
            unplay(s, node.cell)


cdef double _now() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef class Search:
    """A tree search from one open position; see `trivalent.bot.players.uct` for the parameters."""

    cdef search_t* s
    cdef Arbiter arbiter
    cdef Slices slices

    def __cinit__(
        self, Arbiter arbiter not None, Slices bridges, const uint8_t[::1] stones not None,
        int to_play, *, seed, bint rave, int fills, int expansion_threshold,
        double rave_equivalence, double exploration, long memory
    ):
        cdef search_t* s
        cdef uint64_t plane[MAX_WORDS]
        cdef int cell, i
        cdef size_t bytes = memory << 20
        self.s = s = <search_t*> malloc(sizeof(search_t))
        if not s:
            raise MemoryError
        s.nodes = NULL
        s.pyramids[0].levels = s.pyramids[1].levels = NULL
        self.arbiter, self.slices = arbiter, bridges
        s.arbiter = &arbiter.c
        s.triangle = arbiter.c.triangle
        s.bridges = &bridges.c if bridges is not None else NULL
        s.leaves = 0
        s.rave = rave
        s.fills = fills
        s.to_play = to_play
        s.expansion_threshold = expansion_threshold
        s.rave_equivalence = rave_equivalence
        s.exploration = exploration
        rng_seed(&s.rng, seed)
        memcpy(s.stones, &stones[0], s.arbiter.cells)
        for i in range(2 if s.triangle else 0):
            pyramid_init(&s.pyramids[i], s.triangle)
            fill_plane(s.triangle, s.stones, i + 1, plane)
            pyramid_load(&s.pyramids[i], plane)
        s.empties = 0
        for cell in range(s.arbiter.cells):
            s.owners[cell] = stones[cell]
            if stones[cell] == 0:
                s.cells[s.empties] = cell
                s.empties += 1
        # There is always room for the root's moves.  Pages that are never touched cost nothing.
        s.capacity = 1 + max(bytes // sizeof(node_t), s.empties)
        s.nodes = <node_t*> malloc(s.capacity * sizeof(node_t))
        if not s.nodes:
            raise MemoryError(f"no room for a tree of {memory} MiB")
        s.nodes[0] = node_t(
            visits=0, wins=0, rave_visits=0, rave_wins=0, children=0, count=0, cell=-1, proven=0
        )
        s.used = 1
        expand(s, s.nodes)
        self._prove_wins_in_one()

    def __dealloc__(self):
        if self.s:
            pyramid_free(&self.s.pyramids[0])
            pyramid_free(&self.s.pyramids[1])
            free(self.s.nodes)
            free(self.s)

    cdef void _prove_wins_in_one(self) noexcept:
        """Prove the moves of the root that win at once."""
        cdef search_t* s = self.s
        cdef node_t* child
        cdef int i
        for i in range(s.nodes.count):
            child = s.nodes + s.nodes.children + i
            play(s, child.cell, s.to_play)
            if has_won(s, s.to_play):
                child.proven = WON
                s.nodes.proven = LOST
            unplay(s, child.cell)

    def run(self, long nodes, double seconds, Stop stop not None):
        """Search until ``nodes`` leaves have been evaluated in all, for ``seconds``, until the stop
        is set, or until the result is proven.  A negative limit is none.

        Return whether only the time limit ended the search, so that it may go on.  A few leaves
        are evaluated in any case, so that there is something to choose by.
        """
        cdef search_t* s = self.s
        cdef double end = _now() + seconds
        cdef bint out_of_time = False
        with nogil:
            while True:
                for _ in range(ITERATIONS_PER_CHECK):
                    if s.nodes.proven or 0 <= nodes <= s.leaves:
                        break
                    iterate(s)
                if s.nodes.proven or 0 <= nodes <= s.leaves or stop_load(&stop.flag):
                    break
                if seconds >= 0 and _now() >= end:
                    out_of_time = True
                    break
        return out_of_time

    @property
    def leaves(self):
        """The number of leaves evaluated so far."""
        return self.s.leaves

    def moves(self):
        """Return a tuple (cell, visits, value, RAVE value, proven) for each move, in no order.

        Values are for the side to move, 0 to 1; ``proven`` is 1 for a win, -1 for a loss, else 0.
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
        """Return the cells of the most visited line that begins with a move of the root."""
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
