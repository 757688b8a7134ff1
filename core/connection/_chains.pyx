"""Who has won on boards that can't be reduced, by following chains, one board at a time.

    joining sides   a chain touches all sides of its colour's goal
    a loop          a chain holds a closed path with an odd number of twisted edges
    the score       *Star: chains with two peries are groups; see `trivalent.core.boards.star`

`ChainTest` follows a position stone by stone, by union-find with rollback, for the first two.
"""
from functools import lru_cache

from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from trivalent.core._colours cimport colour_index
from trivalent.core._isa cimport AIM_JOIN, AIM_LOOP, AIM_SCORE, flood_t

from trivalent.core.board import Aim

_AIMS = {Aim.JOIN: AIM_JOIN, Aim.LOOP: AIM_LOOP, Aim.SCORE: AIM_SCORE}


cdef bint joins(const chains_t* c, const uint8_t* stones, int colour) noexcept nogil:
    """Whether a chain touches all sides of the goal: follow the chains of the first side."""
    cdef int16_t stack[MAX_CHAIN_CELLS]
    cdef uint8_t seen[MAX_CHAIN_CELLS]
    cdef int start, cell, other, i, top
    cdef uint8_t touched, goal = c.goal[colour_index(colour)]
    cdef uint8_t first = goal & -goal
    memset(seen, 0, c.cells)
    for start in range(c.cells):
        if stones[start] != colour or not c.touches[start] & first or seen[start]:
            continue
        touched = 0
        seen[start] = 1
        stack[0] = start
        top = 1
        while top:
            top -= 1
            cell = stack[top]
            touched |= c.touches[cell]
            if touched & goal == goal:
                return True
            for i in range(c.first[cell], c.first[cell + 1]):
                other = c.neighbours[i]
                if stones[other] == colour and not seen[other]:
                    seen[other] = 1
                    stack[top] = other
                    top += 1
    return False


cdef bint closes_loop(const chains_t* c, const uint8_t* stones, int colour) noexcept nogil:
    """Whether a chain has an odd closed path: reach some cell in a way that differs by a twist."""
    cdef int16_t stack[MAX_CHAIN_CELLS]
    cdef uint8_t seen[MAX_CHAIN_CELLS]  # 0, or 1 more than the twists on the way there
    cdef int start, cell, other, i, j, top
    cdef uint8_t arriving
    memset(seen, 0, c.cells)
    for j in range(c.seed_count):
        start = c.seeds[j]
        if stones[start] != colour or seen[start]:
            continue
        seen[start] = 1
        stack[0] = start
        top = 1
        while top:
            top -= 1
            cell = stack[top]
            for i in range(c.first[cell], c.first[cell + 1]):
                other = c.neighbours[i]
                if stones[other] != colour:
                    continue
                arriving = 1 + ((seen[cell] - 1) ^ c.twisted[i])
                if not seen[other]:
                    seen[other] = arriving
                    stack[top] = other
                    top += 1
                elif seen[other] != arriving:
                    return True
    return False


cdef bint scores(const chains_t* c, const uint8_t* stones, int colour) noexcept nogil:
    """Whether a colour wins the count if its opponent gets all empty cells."""
    cdef int16_t stack[MAX_CHAIN_CELLS]
    cdef uint8_t seen[MAX_CHAIN_CELLS]
    cdef int start, cell, other, i, j, top, peries, corners, sign
    cdef int points = 0, more_corners = 0
    cdef bint ours
    memset(seen, 0, c.cells)
    for j in range(c.seed_count):
        start = c.seeds[j]
        if seen[start]:
            continue
        ours = stones[start] == colour
        peries = corners = 0
        seen[start] = 1
        stack[0] = start
        top = 1
        while top:
            top -= 1
            cell = stack[top]
            if c.touches[cell]:
                peries += 1
                corners += c.is_corner[cell]
            for i in range(c.first[cell], c.first[cell + 1]):
                other = c.neighbours[i]
                if (stones[other] == colour) == ours and not seen[other]:
                    seen[other] = 1
                    stack[top] = other
                    top += 1
        sign = 1 if ours == (peries > 1) else -1  # a single peri goes to the other colour
        more_corners += sign * corners
        points += sign * (peries - 4 if peries > 1 else peries)
    return points > 0 or (points == 0 and more_corners > 0)


cdef bint chains_won(const chains_t* c, const uint8_t* stones, int colour) noexcept nogil:
    """Whether a colour (1 black, 2 white) has won with the stones on a board, full or not."""
    if c.flood.aim == AIM_JOIN:
        return joins(c, stones, colour)
    if c.flood.aim == AIM_LOOP:
        return closes_loop(c, stones, colour)
    return scores(c, stones, colour)


cdef class Chains:
    """The graph of a board in the form that the kernels read.  Raise ValueError if it's too large.
    """

    def __cinit__(self, board):
        cdef chains_t* c = &self.c
        cdef int cell, i = 0, edges = sum([len(around) for around in board.neighbours])
        c.cells = len(board)
        if c.cells > MAX_CHAIN_CELLS:
            raise ValueError(f"{board} has {c.cells} cells; {MAX_CHAIN_CELLS} are possible")
        c.flood.aim = _AIMS[board.aim]
        c.first = <int32_t*> calloc(c.cells + 1, sizeof(int32_t))
        c.neighbours = <int16_t*> calloc(edges + 1, sizeof(int16_t))
        c.twisted = <uint8_t*> calloc(edges + 1, 1)
        c.touches = <uint8_t*> calloc(c.cells, 1)
        c.is_corner = <uint8_t*> calloc(c.cells, 1)
        if not (c.first and c.neighbours and c.twisted and c.touches and c.is_corner):
            raise MemoryError
        for cell, around in enumerate(board.neighbours):
            for other in around:
                c.neighbours[i] = other
                c.twisted[i] = (cell, other) in board.twisted
                i += 1
            c.first[cell + 1] = i
        for i, side in enumerate(board.sides):
            for cell in side.cells:
                c.touches[cell] |= 1 << i
        for i in range(2):
            c.goal[i] = sum([1 << side for side in board.goals[i]])
        for cell in board.corners:
            c.is_corner[cell] = 1
        self._find_seeds(board)
        self._find_nodes()

    def __dealloc__(self):
        free(self.c.first)
        free(self.c.neighbours)
        free(self.c.twisted)
        free(self.c.touches)
        free(self.c.is_corner)
        free(self.c.seeds)
        free(self.c.node_first)
        free(self.c.node_neighbours)

    cdef int _find_seeds(self, object board) except -1:
        """List the border of a board with a score, or a shortest loop: every other one meets it."""
        cdef chains_t* c = &self.c
        cdef int i
        if c.flood.aim == AIM_SCORE:
            cells = board.sides[0].cells
        elif c.flood.aim == AIM_LOOP:
            cells = _shortest_loop(board)
        else:
            cells = ()
        c.seed_count = len(cells)
        c.seeds = <int16_t*> calloc(c.seed_count + 1, sizeof(int16_t))
        if not c.seeds:
            raise MemoryError
        for i, cell in enumerate(cells):
            c.seeds[i] = cell
        return 0

    cdef int _find_nodes(self) except -1:
        """List the edges between polygons; those of cell c are c and, with loops, c + cells."""
        cdef chains_t* c = &self.c
        cdef flood_t* f = &c.flood
        cdef int sheets = 2 if c.flood.aim == AIM_LOOP else 1, sheet, cell, i, n = 0
        f.cells = c.cells
        f.nodes = sheets * c.cells
        c.node_first = <int32_t*> calloc(f.nodes + 1, sizeof(int32_t))
        c.node_neighbours = <int16_t*> calloc(sheets * c.first[c.cells] + 1, sizeof(int16_t))
        if not (c.node_first and c.node_neighbours):
            raise MemoryError
        for sheet in range(sheets):
            for cell in range(c.cells):
                for i in range(c.first[cell], c.first[cell + 1]):
                    c.node_neighbours[n] = c.neighbours[i] + c.cells * (sheet ^ c.twisted[i])
                    n += 1
                c.node_first[sheet * c.cells + cell + 1] = n
        f.first = c.node_first
        f.neighbours = c.node_neighbours
        f.touches = c.touches
        f.goal[0], f.goal[1] = c.goal[0], c.goal[1]
        f.seeds = c.seeds
        f.seed_count = c.seed_count
        f.is_corner = c.is_corner
        return 0


def _shortest_loop(board):
    """Return the cells on a shortest way from the first polygon to its antipode."""
    before = {(0, 0): None}
    ends = [(0, 0)]
    for cell, sheet in ends:  # the list grows during the loop
        for other in board.neighbours[cell]:
            there = other, sheet ^ ((cell, other) in board.twisted)
            if there not in before:
                before[there] = cell, sheet
                ends.append(there)
    cells = []
    place = 0, 1
    while before[place]:
        place = before[place]
        cells.append(place[0])
    return cells


@lru_cache(maxsize=16)
def chains(board):
    """Return the chains of a board, cached."""
    return Chains(board)


cdef class ChainTest:
    """Union-find with rollback: `trivalent.core.board.WinTest` for joining sides and for loops.

    A stone that is removed or recoloured makes all chains anew; the old ones are kept for `undo`.
    """

    def __cinit__(self, Chains chains not None):
        cdef int cells = chains.c.cells
        if chains.c.flood.aim == AIM_SCORE:
            raise ValueError("a score doesn't follow from single chains")
        self.chains = chains
        self.stones = bytearray(cells)
        self.done = []
        self.parent = <int16_t*> calloc(cells, sizeof(int16_t))
        self.twist = <uint8_t*> calloc(cells, 1)
        self.weight = <int16_t*> calloc(cells, sizeof(int16_t))
        self.touches = <uint8_t*> calloc(cells, 1)
        if not (self.parent and self.twist and self.weight and self.touches):
            raise MemoryError
        self._load()

    def __dealloc__(self):
        free(self.parent)
        free(self.twist)
        free(self.weight)
        free(self.touches)

    cdef int _root(self, int cell, uint8_t* twist) noexcept:
        """Return the root of a cell's chain, and whether the way there is twisted."""
        twist[0] = 0
        while self.parent[cell] != cell:
            twist[0] ^= self.twist[cell]
            cell = self.parent[cell]
        return cell

    cdef int _add(self, int cell, int colour, list unions) except -1:
        """Join a stone to the chains around it; list the unions made, for `undo`."""
        cdef const chains_t* c = &self.chains.c
        cdef uint8_t here, there
        cdef int i, other, root, joined
        cdef uint8_t goal = c.goal[colour_index(colour)]
        for i in range(c.first[cell], c.first[cell + 1]):
            other = c.neighbours[i]
            if self.stones[other] != colour:
                continue
            root, joined = self._root(cell, &here), self._root(other, &there)
            if root == joined:
                if here ^ there ^ c.twisted[i] and not self.winner_now:
                    self.winner_now = colour
                continue
            if self.weight[root] < self.weight[joined]:
                root, joined = joined, root
            unions.append((joined, root, self.touches[root]))
            self.parent[joined] = root
            self.twist[joined] = here ^ there ^ c.twisted[i]
            self.weight[root] += self.weight[joined]
            self.touches[root] |= self.touches[joined]
        root = self._root(cell, &here)
        if goal and self.touches[root] & goal == goal and not self.winner_now:
            self.winner_now = colour
        return 0

    cdef int _load(self) except -1:
        """Make all chains anew."""
        cdef int cell
        cdef uint8_t content
        cdef bytearray stones = self.stones
        for cell in range(self.chains.c.cells):
            self.parent[cell] = cell
            self.twist[cell] = 0
            self.weight[cell] = 1
            self.touches[cell] = self.chains.c.touches[cell]
        self.winner_now = 0
        self.stones = bytearray(len(stones))
        for cell, content in enumerate(stones):
            if content:
                self.stones[cell] = content
                self._add(cell, content, [])
        return 0

    @property
    def winner(self):
        """See `WinTest.winner`."""
        return self.winner_now

    def put(self, int cell, int before, int after):
        """See `WinTest.put`."""
        cdef list unions = []
        cdef uint8_t won = self.winner_now
        cdef ChainTest former
        if before:
            former = ChainTest(self.chains)
            former._take(self)
            self.done.append((None, None, former))
            self.stones[cell] = after
            self._load()
            return
        self.stones[cell] = after
        self._add(cell, after, unions)
        self.done.append((unions, won, None))

    def undo(self, int cell, int before, int after):
        """See `WinTest.undo`."""
        cdef ChainTest former
        cdef int joined, root
        unions, won, former = self.done.pop()
        self.stones[cell] = before
        if former is not None:
            self._take(former)
            return
        for joined, root, touched in reversed(unions):
            self.parent[joined] = joined
            self.twist[joined] = 0
            self.weight[root] -= self.weight[joined]
            self.touches[root] = touched
        self.winner_now = won

    cdef int _take(self, ChainTest other) except -1:
        """Become equal to another test, but for what `undo` needs."""
        cdef int cells = self.chains.c.cells
        memcpy(self.parent, other.parent, cells * sizeof(int16_t))
        memcpy(self.twist, other.twist, cells)
        memcpy(self.weight, other.weight, cells * sizeof(int16_t))
        memcpy(self.touches, other.touches, cells)
        self.stones = bytearray(other.stones)
        self.winner_now = other.winner_now
        return 0

    def copy(self):
        """Return an independent copy."""
        cdef ChainTest other = ChainTest(self.chains)
        other._take(self)
        other.done = self.done.copy()
        return other


cdef class ScoreTest:
    """`trivalent.core.board.WinTest` for the score: counts anew whenever it's asked."""

    def __cinit__(self, Chains chains not None):
        self.chains = chains
        self.stones = bytearray(chains.c.cells)
        self.winner_now = -1

    @property
    def winner(self):
        """See `WinTest.winner`."""
        cdef const uint8_t[::1] stones = self.stones
        if self.winner_now < 0:
            self.winner_now = (
                1 if chains_won(&self.chains.c, &stones[0], 1)
                else 2 if chains_won(&self.chains.c, &stones[0], 2) else 0
            )
        return self.winner_now

    def put(self, int cell, int before, int after):
        """See `WinTest.put`."""
        self.stones[cell] = after
        self.winner_now = -1

    def undo(self, int cell, int before, int after):
        """See `WinTest.undo`."""
        self.put(cell, after, before)

    def copy(self):
        """Return an independent copy."""
        cdef ScoreTest other = ScoreTest(self.chains)
        other.stones = bytearray(self.stones)
        other.winner_now = self.winner_now
        return other
