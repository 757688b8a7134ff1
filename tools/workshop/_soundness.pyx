"""Exhaustive play, fast enough to check millions of claims.

In a *Shannon game* on a graph, Short and Cut take free nodes in turn; Short wants his nodes to join
some ends, Cut wants to prevent that.  Hex and Y are such games on the whole board, and a connection
is played out as one inside its carrier.  Every solved game names the cells that the win needs: a
player who has lost against a reply need not try moves outside these.

For boards of up to 16 cells there's also a table of the winners of all positions.
"""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._decomposition cimport decompose
from trivalent.bot.knowledge._hsearch cimport hsearch_build, hsearch_t
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.core._colours cimport colour_index, opponent
from trivalent.core._isa cimport STONES_PADDING
from trivalent.bot.knowledge._cutsets cimport CutsetFillin, fill_in_with_cutsets
from trivalent.core._random cimport rng_below, rng_seed, rng_t

from trivalent.bot.knowledge._cutsets import cutset_fillin

cdef extern from *:
    int __builtin_ctzll(unsigned long long x) noexcept nogil

cdef enum:
    MAX_NODES = 64
    MAX_SIDES = 4
    CACHE_SIZE = 1 << 14  # results of games
    MAX_CELLS = 60
    MAX_TABLE_CELLS = 16
    MAX_EMPTIES = 16     # of a random position
    WHOLE_BOARD = 1       # the number of the game on the whole board

ctypedef struct result_t:
    uint64_t mine
    uint64_t open
    uint64_t carrier
    uint64_t game         # twice the game's number, plus 1 if Short is to move
    uint8_t short_wins

ctypedef struct graph_t:
    int nodes
    uint64_t neighbours[MAX_NODES]
    int ends
    uint64_t end[3]       # the nodes of each end
    uint64_t game
    result_t* known
    uint32_t refutes[2][MAX_NODES]  # how often each move of Cut or Short has won
    uint8_t reply[2][MAX_NODES]     # the reply that won last after each move of the other


cdef inline uint64_t bit(int i) noexcept nogil:
    return <uint64_t> 1 << i


cdef bint joined(const graph_t* g, uint64_t nodes) noexcept nogil:
    """Return whether a chain of these nodes reaches all ends."""
    cdef uint64_t rest = nodes & g.end[0], chain, new
    cdef int i
    while rest:
        chain = new = rest & (~rest + 1)
        while new:
            i = __builtin_ctzll(new)
            new &= new - 1
            new |= g.neighbours[i] & nodes & ~chain
            chain |= new
        i = 1
        while i < g.ends and chain & g.end[i]:
            i += 1
        if i == g.ends:
            return True
        rest &= ~chain
    return False


cdef inline int place_of(uint64_t mine, uint64_t open) noexcept nogil:
    """Return the index of a position in the cache."""
    mine *= <uint64_t> 0x9E3779B97F4A7C15
    open *= <uint64_t> 0xC2B2AE3D27D4EB4F
    return ((mine ^ open) >> 40) % CACHE_SIZE


cdef inline int likeliest(uint64_t moves, const uint32_t* refutes) noexcept nogil:
    """Return the move that has won most often."""
    cdef int best = __builtin_ctzll(moves), move
    while moves:
        move = __builtin_ctzll(moves)
        moves &= moves - 1
        if refutes[move] > refutes[best]:
            best = move
    return best


cdef bint short_wins(
    graph_t* g, uint64_t mine, uint64_t open, bint short_moves, int last, uint64_t* carrier
) noexcept nogil:
    """Return whether Short wins after a last move; set the free nodes that the winner needs."""
    cdef uint64_t must, needed = 0, sub, taken
    cdef int move = g.reply[short_moves][last]
    cdef result_t* r
    cdef uint64_t game = 2 * g.game + short_moves
    cdef bint wins
    carrier[0] = 0
    if joined(g, mine):
        return True
    if not joined(g, mine | open):
        return False
    r = &g.known[place_of(mine, open)]
    if r.game == game and r.mine == mine and r.open == open:
        carrier[0] = r.carrier
        return r.short_wins
    must = open
    wins = not short_moves
    while must:
        if not must >> move & 1:
            move = likeliest(must, g.refutes[short_moves])
        taken = bit(move)
        must &= ~taken
        if short_moves == short_wins(
            g, mine | taken if short_moves else mine, open & ~taken, not short_moves, move, &sub
        ):
            wins = short_moves
            needed = sub | taken
            g.refutes[short_moves][move] += 1
            g.reply[short_moves][last] = move
            break
        needed |= sub
        must &= sub
    carrier[0] = needed
    r = &g.known[place_of(mine, open)]
    r.game = game
    r.mine = mine
    r.open = open
    r.carrier = needed
    r.short_wins = wins
    return wins


cdef uint64_t stones_of(const uint8_t* stones, int cells, int colour) noexcept nogil:
    cdef uint64_t found = 0
    cdef int i
    for i in range(cells):
        if stones[i] == colour:
            found |= bit(i)
    return found


cdef struct position_t:  # stones, filled in or not, and the inferior moves of the side to move
    uint8_t stones[MAX_CELLS + STONES_PADDING]
    uint8_t inferior[MAX_CELLS + STONES_PADDING]


cdef class Referee:
    """Exhaustive play on a board of up to 60 cells."""

    cdef object board
    cdef graph_t g
    cdef int cells
    cdef uint64_t sides[MAX_SIDES]   # the cells along each side, or its node in Hex
    cdef uint64_t ends[2][3]
    cdef int end_count
    cdef uint64_t always[2]           # the nodes of a colour's own sides
    cdef uint64_t games               # played so far; numbers keep their results apart
    cdef uint8_t* table
    cdef int64_t positions            # in the table
    cdef CutsetFillin cutsets
    cdef int64_t filled
    cdef int64_t filled_whole
    cdef int64_t divided

    def __cinit__(self, board not None):
        cdef int cell, number
        if len(board) > MAX_CELLS:
            raise ValueError(f"{board} has more than {MAX_CELLS} cells")
        self.board = board
        self.cutsets = cutset_fillin(board)
        self.cells = len(board)
        self.games = WHOLE_BOARD
        self.g.known = <result_t*> calloc(CACHE_SIZE, sizeof(result_t))
        if not self.g.known:
            raise MemoryError
        for cell, neighbours in enumerate(board.neighbours):
            for neighbour in neighbours:
                self.g.neighbours[cell] |= bit(neighbour)
        for number, side in enumerate(board.sides):
            if not board.shares_sides:
                self.sides[number] = bit(self.cells + number)
                self.always[number // 2] |= self.sides[number]
            for cell in side.cells:
                if not board.shares_sides:
                    self.g.neighbours[cell] |= bit(self.cells + number)
                    self.g.neighbours[self.cells + number] |= bit(cell)
                else:
                    self.sides[number] |= bit(cell)
        self.end_count = len(board.goals[0])
        for number, goal in enumerate(board.goals):
            for cell, side in enumerate(goal):
                self.ends[number][cell] = self.sides[side]

    def __dealloc__(self):
        free(self.g.known)
        free(self.table)

    cdef bint black_wins(self, const uint8_t* stones, int to_play) noexcept nogil:
        cdef uint64_t carrier
        cdef int i
        self.g.ends = self.end_count
        for i in range(self.end_count):
            self.g.end[i] = self.ends[0][i]
        self.g.game = WHOLE_BOARD
        return short_wins(
            &self.g, stones_of(stones, self.cells, 1) | self.always[0],
            stones_of(stones, self.cells, 0), to_play == 1, 0, &carrier
        )

    def winner(self, const uint8_t[::1] stones not None, int to_play):
        """Return the winner, 1 or 2, if both sides play perfectly."""
        return 1 if self.black_wins(&stones[0], to_play) else 2

    def _ends(self, Connections connections not None):
        """Return the nodes of each point of connections."""
        cdef int side, sides = len(self.board.goal(connections.colour))
        cdef int first = self.board.goal(connections.colour)[0]
        ends = [0] * (self.cells + connections.chains)
        for side in range(sides):
            ends[self.cells + side] = self.sides[first + side]
        for cell, point in enumerate(connections.points):
            if point >= 0:
                ends[point] |= 1 << cell
        return ends

    cdef bint holds(
        self, const uint8_t* stones, int colour, uint64_t counted, uint64_t first, uint64_t last,
        uint64_t carrier, bint full
    ) noexcept nogil:
        """Return whether two ends stay connected whatever is played inside a carrier.

        If ``first`` is empty, the ends are all sides of Y.  Empty cells at the ends count as
        stones.
        """
        cdef uint64_t mine, needed
        cdef int i
        mine = stones_of(stones, self.cells, colour) | self.always[colour_index(colour)] | counted
        if carrier & (counted | ~stones_of(stones, self.cells, 0)):
            return False
        if first == 0:
            self.g.ends = 3
            for i in range(3):
                self.g.end[i] = self.ends[0][i]
        else:
            self.g.ends = 2
            self.g.end[0] = first
            self.g.end[1] = last
        self.games += 1
        self.g.game = self.games
        return short_wins(&self.g, mine, carrier, not full, 0, &needed)

    def stands(
        self, Connections connections not None, const uint8_t[::1] stones not None, bint full,
        int first, int last, cells
    ):
        """Return whether a connection between two points of the built connections would hold."""
        cdef uint64_t carrier = 0, counted = 0
        for cell in cells:
            carrier |= bit(cell)
        ends = self._ends(connections)
        for point in (first, last):
            if point < self.cells:
                counted |= bit(point)
        whole = self.end_count == 3 and (first, last) == (self.cells, self.cells + 1)
        return self.holds(
            &stones[0], connections.colour, counted, 0 if whole else ends[first], ends[last],
            carrier, full
        )

    def check_links(
        self, Connections connections not None, const uint8_t[::1] stones not None, int max_cells
    ):
        """Play out all connections of up to ``max_cells`` cells that have been built for the
        stones.

        Return their number, and those that don't hold as (is full, first, last, cells).
        """
        small = [link for link in connections.all() if len(link[3]) <= max_cells]
        return len(small), [
            (full, first, last, cells)
            for full, first, last, cells, _ in small
            if not self.stands(connections, stones, full, first, last, cells)
        ]

    def tabulate(self):
        """Find the winners of all positions, for `check_all`."""
        cdef uint64_t index, after, size = 1
        cdef uint64_t power[MAX_TABLE_CELLS]
        cdef uint8_t stones[MAX_CELLS + STONES_PADDING]
        cdef uint8_t both
        cdef int cell, empties
        if self.cells > MAX_TABLE_CELLS:
            raise ValueError(f"{self.board} has more than {MAX_TABLE_CELLS} cells")
        for cell in range(self.cells):
            power[cell] = size
            size *= 3
            stones[cell] = 2
        free(self.table)
        self.positions = size
        self.table = <uint8_t*> malloc(size)
        if not self.table:
            raise MemoryError
        with nogil:
            # One bit for each side to move: whether Black wins.  Adding stones increases the index.
            for after in range(size):
                index = size - 1 - after
                both = 0
                empties = 0
                for cell in range(self.cells):
                    if stones[cell] == 0:
                        empties += 1
                        both |= self.table[index + power[cell]] >> 1 & 1
                if empties == 0:
                    both = 3 if self.black_wins(stones, 1) else 0
                else:
                    both |= 2
                    for cell in range(self.cells):
                        if stones[cell] == 0:
                            both &= (self.table[index + 2 * power[cell]] & 1) << 1 | 1
                self.table[index] = both
                for cell in range(self.cells):  # count down
                    if stones[cell]:
                        stones[cell] -= 1
                        break
                    stones[cell] = 2

    cdef int64_t index_of(self, const uint8_t* stones) noexcept nogil:
        cdef int64_t index = 0
        cdef int cell
        for cell in range(self.cells - 1, -1, -1):
            index = 3 * index + stones[cell]
        return index

    cdef bint wins(self, const uint8_t* stones, int to_play, int colour) noexcept nogil:
        """Return whether a colour wins."""
        cdef bint black
        if self.table:
            black = self.table[self.index_of(stones)] >> colour_index(to_play) & 1
        else:
            black = self.black_wins(stones, to_play)
        return black == (colour == 1)

    cdef bint is_over(self, const uint8_t* stones) noexcept nogil:
        """Return whether a colour has joined its sides."""
        cdef int colour, i
        for colour in range(2):
            self.g.ends = self.end_count
            for i in range(self.end_count):
                self.g.end[i] = self.ends[colour][i]
            if joined(&self.g, stones_of(stones, self.cells, colour + 1) | self.always[colour]):
                return True
        return False

    cdef bint is_sound_whole(
        self, Filler filler, hsearch_t* h, const uint8_t* stones
    ) noexcept nogil:
        """Return whether fill-in of the whole board is sound in a position.

        The search learns of it after pruning, and uses it only if it still has all moves that are
        needed then.
        """
        cdef position_t p, before
        cdef uint8_t first[MAX_CELLS + STONES_PADDING]
        cdef uint8_t last[MAX_CELLS + STONES_PADDING]
        cdef int colour, cell
        cdef bint known, wins
        memcpy(p.stones, stones, self.cells)
        fill_in_with_cutsets(&self.cutsets.c, p.stones)
        for colour in range(1, 3):
            if not self.is_over(p.stones):
                hsearch_build(h, p.stones, colour, 3)
                if decompose(h, p.stones):
                    self.divided += 1
                    fill_in_with_cutsets(&self.cutsets.c, p.stones)
        memcpy(before.stones, stones, self.cells)
        self.filled += filler.kernels.fill_in(&filler.board, before.stones, 1, False, NULL)
        for cell in range(self.cells):
            if stones[cell] and stones[cell] != p.stones[cell]:
                return False
            if before.stones[cell] == 0 and p.stones[cell]:
                self.filled_whole += 1
        for colour in range(1, 3):
            if self.wins(stones, colour, 1) != self.wins(p.stones, colour, 1):
                return False
            if not self.wins(stones, colour, colour) or self.is_over(p.stones):
                continue
            self.list_needed(filler, &before, colour, first)
            self.list_needed(filler, &p, colour, last)
            known = True
            wins = False
            for cell in range(self.cells):
                known = known and (first[cell] or not last[cell])
            if not known:
                continue
            for cell in range(self.cells):
                if last[cell] and not wins:
                    p.stones[cell] = colour
                    wins = self.wins(p.stones, opponent(colour), colour)
                    p.stones[cell] = 0
            if not wins:
                return False
        return True

    cdef void list_needed(
        self, Filler filler, position_t* p, int to_play, uint8_t* needed
    ) noexcept nogil:
        """Mark the moves that are left without inferior and dominated ones."""
        cdef int cell
        filler.kernels.fill_in(&filler.board, p.stones, to_play, False, p.inferior)
        for cell in range(self.cells):
            p.inferior[cell] |= p.stones[cell] != 0
            needed[cell] = not p.inferior[cell]
        filler.kernels.dominated(&filler.board, p.stones, to_play, needed)
        for cell in range(self.cells):
            needed[cell] = not p.inferior[cell] and not needed[cell]

    cdef bint is_sound(self, Filler filler, const uint8_t* stones) noexcept nogil:
        """Return whether fill-in keeps the winner and pruning leaves a winning move."""
        cdef position_t p
        cdef int to_play, cell
        cdef uint8_t needs[MAX_CELLS]
        memcpy(p.stones, stones, self.cells)
        filler.kernels.fill_in(&filler.board, p.stones, 1, False, NULL)
        for to_play in range(1, 3):
            for cell in range(self.cells):
                if stones[cell] and stones[cell] != p.stones[cell]:
                    return False
            if self.wins(stones, to_play, 1) != self.wins(p.stones, to_play, 1):
                return False
        for to_play in range(1, 3):
            if not self.wins(stones, to_play, to_play) or self.is_over(p.stones):
                continue
            filler.kernels.fill_in(&filler.board, p.stones, to_play, False, p.inferior)
            if not self.leaves_a_win(filler, &p, to_play):
                return False
            for cell in range(self.cells):
                if p.stones[cell] == 0 and not p.inferior[cell]:
                    p.inferior[cell] = filler.kernels.reverse(
                        &filler.board, p.stones, to_play, cell, needs
                    )
            if not self.leaves_a_win(filler, &p, to_play):
                return False
        return self.keeps_winner(filler, stones)

    cdef bint keeps_winner(self, Filler filler, const uint8_t* stones) noexcept nogil:
        """Return whether filling in permanently inferior cells, too, keeps the winner."""
        cdef position_t p
        cdef int to_play
        memcpy(p.stones, stones, self.cells)
        filler.kernels.fill_in(&filler.board, p.stones, 1, True, NULL)
        for to_play in range(1, 3):
            if self.wins(stones, to_play, 1) != self.wins(p.stones, to_play, 1):
                return False
        return True

    cdef bint leaves_a_win(
        self, Filler filler, position_t* p, int to_play
    ) noexcept nogil:
        """Return whether a winning move is neither inferior nor dominated by one that isn't
        inferior.
        """
        cdef uint8_t dominated[MAX_CELLS + STONES_PADDING]
        cdef int cell
        cdef bint wins
        for cell in range(self.cells):
            dominated[cell] = p.stones[cell] == 0 and not p.inferior[cell]
        filler.kernels.dominated(&filler.board, p.stones, to_play, dominated)
        for cell in range(self.cells):
            if p.stones[cell] == 0 and not p.inferior[cell] and not dominated[cell]:
                p.stones[cell] = to_play
                wins = self.wins(p.stones, opponent(to_play), to_play)
                p.stones[cell] = 0
                if wins:
                    return True
        return False

    def counts(self):
        """Return how much the checks have filled in.

        These are cells by patterns, further cells by the whole board, and positions that
        connections have divided.
        """
        return self.filled, self.filled_whole, self.divided

    def check_all(
        self, Filler filler not None, int64_t first, int64_t end, Connections connections=None
    ):
        """Return the indices of positions in a range in which fill-in or pruning is wrong.

        With connections, fill-in of the whole board is checked as well.  Needs `tabulate`;
        `position` explains the indices, of which there are three to the power of the number of
        cells.  Raise ValueError without a table or for a range outside it.
        """
        cdef int64_t index, rest
        cdef uint8_t stones[MAX_CELLS + STONES_PADDING]
        cdef bint sound
        cdef int cell
        if not self.table or not 0 <= first <= end <= self.positions:
            raise ValueError(f"no table, or no positions {first} to {end}")
        wrong = []
        for index in range(first, end):
            rest = index
            for cell in range(self.cells):
                stones[cell] = rest % 3
                rest //= 3
            sound = self.is_sound(filler, stones) and (
                connections is None or self.is_sound_whole(filler, &connections.h, stones)
            )
            if not sound:
                wrong.append(index)
        return wrong

    def position(self, int64_t index):
        """Return the stones of a position by its index."""
        cdef int cell
        stones = bytearray(self.cells)
        for cell in range(self.cells):
            stones[cell] = index % 3
            index //= 3
        return bytes(stones)

    def check_random(
        self, Filler filler not None, int64_t positions, uint64_t seed,
        Connections connections=None
    ):
        """Return those of ``positions`` random positions in which something is wrong."""
        cdef uint8_t stones[MAX_CELLS + STONES_PADDING]
        cdef rng_t rng
        cdef int cell
        cdef bint sound
        rng_seed(&rng, seed)
        wrong = []
        for _ in range(positions):
            for cell in range(self.cells):
                stones[cell] = 1 + rng_below(&rng, 2)
            for _ in range(1 + rng_below(&rng, MAX_EMPTIES)):
                stones[rng_below(&rng, self.cells)] = 0
            sound = self.is_sound(filler, stones) and (
                connections is None or self.is_sound_whole(filler, &connections.h, stones)
            )
            if not sound:
                wrong.append(bytes(stones[:self.cells]))
        return wrong
