"""Alpha-beta search over circuits: selective, iterative, with a transposition table.

At each position only the most energetic moves are tried, as many as the width says; moves that turn
out to be lost don't count.  So a position is lost only once all its moves are, and what the search
proves is certain.  Values are for the side to move: the logarithm of the ratio of the resistances,
or `WIN` less the plies to a proven win.  A move costs its player something the less current flows
through its cell, since differences between values alone say little.
"""
from libc.math cimport exp, log
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.bot._atomic cimport i16_load, i16_store, lock, unlock
from trivalent.bot._stop cimport Stop, stop_load
from trivalent.bot.circuits._circuit cimport (
    Circuit, circuit_t, connect_both, enter, enter_root, frame_t, judge, judgement_t, owns_all
)
from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_count, cells_has, cells_t
from trivalent.bot.knowledge._hsearch cimport (
    HSEARCH_SEMIS, hsearch_between_sides, hsearch_build, hsearch_follow
)
from trivalent.core._colours cimport colour_index, opponent
from trivalent.core._random cimport rng_next, rng_seed, rng_t

cdef enum:
    MAX_DEPTH = 12
    MAX_STORED = 48   # moves in an entry of the table
    PROBES = 4        # entries where a position may be
    NO_BOUND = 0
    LOWER = 1         # bounds of a stored value
    UPPER = 2
    EXACT = 3
    ALL_CONNECTIONS = 3
    FULL = 2

cdef float WIN = 1000
cdef float PROVEN = 500    # values beyond this are proven
cdef float DOUBTFUL = 400  # of a position whose best moves are all lost, but not all others tried
cdef float MIN_ENERGY = 1e-3  # so that its logarithm is finite

ctypedef struct entry_t:
    uint64_t key
    float static_value
    float value
    int8_t depth           # of the search that the value is from; 0: none
    int8_t bound
    int8_t winner          # 1 for the side to move, -1 for the other, 0 if open
    uint8_t generation     # of the search that made the entry; others count as empty
    int16_t total          # moves worth a try
    int16_t count          # those stored, the best first
    int16_t cells[MAX_STORED]
    float costs[MAX_STORED]  # what their values are less by

ctypedef struct root_move_t:
    int16_t cell
    float cost             # what the value is less by, unless it's proven
    float value
    bint searched          # whether the value is one
    int64_t nodes

ctypedef struct search_t:
    const circuit_t* circuit
    int to_play
    int depth
    int width
    int root_width
    double energy_weight
    frame_t frames[MAX_DEPTH + 1]
    uint64_t keys[3][MAX_CELLS]
    entry_t* table
    int64_t mask           # entries but one
    uint8_t generation     # of this search
    int64_t nodes          # positions judged
    int64_t most_nodes     # -1: no limit
    double end             # when to pause; below 0: never
    const int* stop
    bint paused            # at a limit
    int completed          # depth of the last iteration that was completed
    judgement_t root
    int count
    root_move_t moves[MAX_CELLS]  # of the root; the search changes them under the lock
    int32_t lock
    int16_t learned[MAX_CELLS]    # 1 for a cell where the root is known to win, -1: to lose
    int16_t is_solved             # whether such knowledge makes more search useless


cdef double _now() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef bint is_over(search_t* s) noexcept nogil:
    """Return whether a limit has been reached."""
    if not s.paused:
        s.paused = (
            stop_load(s.stop) != 0
            or i16_load(&s.is_solved) != 0
            or (s.most_nodes >= 0 and s.nodes >= s.most_nodes)
            or (s.end >= 0 and _now() >= s.end)
        )
    return s.paused


cdef entry_t* look_up(search_t* s, uint64_t key) noexcept nogil:
    """Return the entry of a position, or NULL."""
    cdef int i
    cdef entry_t* entry
    for i in range(PROBES):
        entry = &s.table[(key + i) & s.mask]
        if entry.key == key and entry.generation == s.generation:
            return entry
    return NULL


cdef entry_t* place_for(search_t* s, uint64_t key) noexcept nogil:
    """Return the entry of a position, or the one to overwrite: that of the least depth."""
    cdef int i
    cdef entry_t* entry = look_up(s, key)
    cdef entry_t* other
    if entry:
        return entry
    entry = &s.table[key & s.mask]
    for i in range(1, PROBES):
        other = &s.table[(key + i) & s.mask]
        if entry.generation == s.generation and (
            other.generation != s.generation or other.depth < entry.depth
        ):
            entry = other
    return entry


cdef void judge_new(search_t* s, int ply, uint64_t key, int to_play, entry_t* made) noexcept nogil:
    """Judge the position at a ply, and store it."""
    cdef judgement_t found
    cdef int i
    cdef frame_t* parent = &s.frames[ply - 1]
    if not parent.is_connected:
        connect_path(s, ply - 1)
    judge(s.circuit, &s.frames[ply], parent, to_play, &found)
    s.nodes += 1
    memset(made, 0, sizeof(entry_t))
    made.key = key
    made.generation = s.generation
    made.winner = found.winner
    made.total = found.count
    made.count = min(found.count, MAX_STORED)
    memcpy(made.cells, found.cells, made.count * sizeof(int16_t))
    if not found.winner:
        made.static_value = found.value
        for i in range(made.count):
            made.costs[i] = cost(s, found.energy[found.cells[i]], found.energy[found.cells[0]])
    place_for(s, key)[0] = made[0]


cdef float cost(const search_t* s, float energy, float highest) noexcept nogil:
    """Return what a move costs whose cell has this energy."""
    return s.energy_weight * log((highest + MIN_ENERGY) / (energy + MIN_ENERGY))


cdef void connect_path(search_t* s, int ply) noexcept nogil:
    """Build the connections of the position at a ply, and of those that lead there."""
    cdef int first = ply
    while not s.frames[first].is_connected and first > 0:
        first -= 1
    for first in range(first, ply + 1):
        if not s.frames[first].is_connected:
            connect_both(
                s.circuit, &s.frames[first], &s.frames[first - 1] if first > 0 else NULL
            )


cdef float search(
    search_t* s, int ply, int depth, int to_play, uint64_t key, float alpha, float beta
) noexcept nogil:
    """Return the value of the position at a ply, or a bound outside alpha and beta."""
    cdef entry_t here
    cdef entry_t* entry = look_up(s, key)
    if is_over(s):
        return 0
    if entry:
        here = entry[0]
    else:
        judge_new(s, ply, key, to_play, &here)
    if here.winner:
        return here.winner * (WIN - ply)
    if depth == 0:
        return here.static_value
    if here.depth >= depth and (
        here.bound == EXACT or (here.bound == LOWER and here.value >= beta)
        or (here.bound == UPPER and here.value <= alpha)
    ):
        return here.value
    return search_moves(s, ply, depth, to_play, &here, alpha, beta)


cdef float search_moves(
    search_t* s, int ply, int depth, int to_play, entry_t* here, float alpha, float beta
) noexcept nogil:
    """Search the moves of an open position, and store the value; see `search`."""
    cdef float best = -WIN, value, best_cost
    cdef int i, cell, lost = 0, best_at = 0
    for i in range(here.count):
        if i - lost >= s.width:
            break
        cell = here.cells[i]
        enter(s.circuit, &s.frames[ply + 1], &s.frames[ply], cell, to_play)
        value = -search(
            s, ply + 1, depth - 1, opponent(to_play),
            here.key ^ s.keys[to_play][cell] ^ s.keys[0][0],
            -beta - here.costs[i], -max(alpha, best) - here.costs[i],
        )
        if s.paused:
            return 0
        if -PROVEN < value < PROVEN:
            value -= here.costs[i]
        lost += value <= -PROVEN
        if value > best:
            best = value
            best_at = i
        if best >= beta:
            break
    if best >= PROVEN:
        here.winner = 1
    elif lost == here.total:
        here.winner = -1
    elif lost == here.count:
        best = -DOUBTFUL
    here.depth = depth
    here.value = best
    here.bound = LOWER if best >= beta else UPPER if best <= alpha else EXACT
    cell = here.cells[best_at]
    best_cost = here.costs[best_at]
    for i in range(best_at, 0, -1):
        here.cells[i] = here.cells[i - 1]
        here.costs[i] = here.costs[i - 1]
    here.cells[0] = cell
    here.costs[0] = best_cost
    place_for(s, here.key)[0] = here[0]
    return best


cdef void search_root(search_t* s, int depth, uint64_t key) noexcept nogil:
    """Search the moves of the root, and put the best one first."""
    cdef float best = -WIN, value
    cdef int i, cell, lost = 0
    cdef int64_t before
    for i in range(s.count):
        if i - lost >= s.root_width:
            break
        before = s.nodes
        cell = s.moves[i].cell
        if i16_load(&s.learned[cell]) < 0:
            value = 1 - WIN
        else:
            enter(s.circuit, &s.frames[1], &s.frames[0], cell, s.to_play)
            value = -search(
                s, 1, depth - 1, opponent(s.to_play),
                key ^ s.keys[s.to_play][cell] ^ s.keys[0][0], -WIN, -best - s.moves[i].cost,
            )
            if -PROVEN < value < PROVEN:
                value -= s.moves[i].cost
        lost += value <= -PROVEN
        keep_result(s, i, value, s.nodes - before, value > best)
        best = max(best, value)
        if s.paused or best >= PROVEN:
            return


cdef void keep_result(
    search_t* s, int i, float value, int64_t nodes, bint is_best
) noexcept nogil:
    """Store what has been found out about a move of the root; put it first if it is the best."""
    cdef root_move_t move
    lock(&s.lock)
    s.moves[i].nodes += nodes
    if not s.paused:
        s.moves[i].value = value
        s.moves[i].searched = True
        if is_best:
            move = s.moves[i]
            for i in range(i, 0, -1):
                s.moves[i] = s.moves[i - 1]
            s.moves[0] = move
    unlock(&s.lock)


cdef bint is_settled(const search_t* s) noexcept nogil:
    """Return whether more search changes nothing."""
    cdef int i
    if s.count <= 1 or s.root.winner or i16_load(&s.is_solved):
        return True
    if s.moves[0].searched and s.moves[0].value >= PROVEN:
        return True
    for i in range(s.count):
        if not (s.moves[i].searched and s.moves[i].value <= -PROVEN):
            return False
    return True


cdef void deepen(search_t* s, uint64_t key) noexcept nogil:
    """Search deeper and deeper: one ply, then even numbers of plies, whose values are steadier."""
    cdef int depth
    while not is_settled(s) and not is_over(s):
        depth = 1 if s.completed == 0 else s.completed + 2 - s.completed % 2
        depth = min(depth, s.depth)
        if depth <= s.completed:
            return
        search_root(s, depth, key)
        if not s.paused:
            s.completed = depth


cdef class AlphaBeta:
    """A search from one open position after the other, with a table of ``memory`` MiB.

    It tries ``root_width`` moves of the root and ``width`` moves of other positions, up to
    ``depth`` plies deep; with depth 0 nothing is searched.  The value of a move is less by
    ``energy_weight`` times the logarithm of the highest energy of a move over its own.
    """

    cdef search_t* s
    cdef Circuit circuit
    cdef uint64_t key

    def __cinit__(
        self, Circuit circuit not None, *, int depth, int width, int root_width, int memory,
        double energy_weight=0,
    ):
        cdef rng_t rng
        cdef int i, colour
        cdef int64_t entries = 1024
        self.circuit = circuit
        self.s = <search_t*> calloc(1, sizeof(search_t))
        if not self.s:
            raise MemoryError
        self.s.circuit = &circuit.c
        self.s.depth = min(depth, MAX_DEPTH)
        self.s.width = width
        self.s.energy_weight = energy_weight
        self.s.root_width = root_width
        while 2 * entries * sizeof(entry_t) <= <int64_t> memory << 20:
            entries *= 2
        self.s.mask = entries - 1
        self.s.table = <entry_t*> calloc(entries, sizeof(entry_t))
        if not self.s.table:
            raise MemoryError
        for i in range(max(2, self.s.depth + 1)):
            circuit.prepare(&self.s.frames[i])
        rng_seed(&rng, 1)
        for colour in range(3):
            for i in range(MAX_CELLS):
                self.s.keys[colour][i] = rng_next(&rng)

    def __dealloc__(self):
        cdef int i
        if not self.s:
            return
        for i in range(MAX_DEPTH + 1):
            free(self.s.frames[i].connections[0].memory)
            free(self.s.frames[i].connections[1].memory)
        free(self.s.table)
        free(self.s)

    def set_position(self, const uint8_t[::1] stones not None, int to_play, avoid=()):
        """Start from an open position, and forget all others.

        Cells in ``avoid`` are no moves.  Raise ValueError if the stones don't fit the board.
        """
        cdef search_t* s = self.s
        cdef int cell
        if len(stones) != self.circuit.cells or to_play not in (1, 2):
            raise ValueError(
                f"{len(stones)} stones for a board of {self.circuit.cells} cells, {to_play} to play"
            )
        if s.generation == 255:  # old entries may have any number
            memset(s.table, 0, (s.mask + 1) * sizeof(entry_t))
            s.generation = 0
        s.generation += 1
        self.key = s.keys[0][to_play]
        for cell in range(self.circuit.cells):
            if stones[cell]:
                self.key ^= s.keys[stones[cell]][cell]
        s.to_play = to_play
        s.nodes = 1
        s.completed = 0
        s.is_solved = 0
        memset(s.learned, 0, sizeof(s.learned))
        with nogil:
            enter_root(s.circuit, &s.frames[0], &stones[0], to_play)
            judge(s.circuit, &s.frames[0], NULL, to_play, &s.root)
        self._set_moves(avoid)

    cdef void _set_moves(self, avoid):
        """List the moves of the root."""
        cdef search_t* s = self.s
        cdef int i
        cdef int winner = s.root.winner
        cells = [s.root.cells[i] for i in range(s.root.count)]
        if winner > 0:
            cells = self._moves_of_connection() or [
                cell for cell in self._plain_moves() if self._wins(cell)
            ]
        if not cells:
            cells = self._plain_moves()
            winner = min(winner, 0)  # a move that wins isn't known
        left = [cell for cell in cells if cell not in avoid]
        if not left:  # rather an inferior move than none
            left = [cell for cell in self._plain_moves() if cell not in avoid]
            winner = min(winner, 0)
        s.count = len(left)
        highest = max((s.root.energy[cell] for cell in left), default=0.0)
        for i, cell in enumerate(left):
            s.moves[i] = root_move_t(
                cell=cell, cost=0 if winner else cost(s, s.root.energy[cell], highest),
                value=winner * WIN, searched=winner != 0, nodes=0,
            )

    def _plain_moves(self):
        """Return all empty cells, those through which the most current flows first."""
        cdef search_t* s = self.s
        cdef int cell
        plain = Circuit(
            self.circuit.triangle, self.circuit.filler, self.circuit.connections,
            fills_in=False, connects=False, mustplay=False, both=True,
            bridges=self.circuit.c.wires.bridges, cells=0, semis=0, chains=0,
        )
        stones = bytes(s.frames[0].stones[:self.circuit.cells])
        cells = plain.judge(stones, s.to_play)[3]
        return cells or [cell for cell in range(self.circuit.cells) if stones[cell] == 0]

    cdef list _moves_of_connection(self):
        """Return the moves that complete a winning connection, the one with the smallest carrier
        left first; none if the win depends on cells that are filled in.
        """
        cdef search_t* s = self.s
        cdef frame_t* frame = &s.frames[0]
        cdef cells_t carriers[HSEARCH_SEMIS]
        cdef int16_t keys[HSEARCH_SEMIS]
        cdef int i = colour_index(s.to_play), cell, joined
        memcpy(frame.filled, frame.stones, self.circuit.cells)
        joined = hsearch_build(&frame.connections[i], frame.stones, s.to_play, ALL_CONNECTIONS)
        frame.is_connected = False
        if not joined or not hsearch_between_sides(
            &frame.connections[i], joined == FULL, carriers, keys
        ):
            return []
        first = carriers[0]
        sizes = {}
        for cell in range(self.circuit.cells):
            if not cells_has(&first, cell) or frame.stones[cell]:
                continue
            frame.filled[cell] = s.to_play
            if owns_all(s.circuit, frame.filled, s.to_play):
                sizes[cell] = 0
            elif hsearch_follow(
                &s.frames[1].connections[i], &frame.connections[i], frame.filled, ALL_CONNECTIONS
            ) == FULL:
                hsearch_between_sides(&s.frames[1].connections[i], True, carriers, keys)
                sizes[cell] = cells_count(&carriers[0])
            frame.filled[cell] = 0
        return sorted(sizes, key=lambda cell: (sizes[cell], cell))

    cdef bint _wins(self, int cell):
        """Return whether a move of a won root is known to win."""
        cdef search_t* s = self.s
        stones = bytearray(s.frames[0].stones[:self.circuit.cells])
        stones[cell] = s.to_play
        return self.circuit.judge(stones, opponent(s.to_play))[0] < 0

    def run(self, long nodes, double seconds, Stop stop not None):
        """Search until ``nodes`` positions have been judged in all, for ``seconds``, until the stop
        is set, or as deep as wanted.  Negative numbers set no limit.

        Return whether only the limit of time ended the search.
        """
        cdef search_t* s = self.s
        cdef double end = -1 if seconds < 0 else _now() + seconds
        s.most_nodes = nodes
        s.end = end
        s.stop = &stop.flag
        s.paused = False
        with nogil:
            deepen(s, self.key)
        return (
            s.paused and stop_load(&stop.flag) == 0 and not is_settled(s)
            and not (nodes >= 0 and s.nodes >= nodes)
        )

    @property
    def nodes(self):
        """The number of positions judged."""
        return self.s.nodes

    @property
    def depth(self):
        """The depth of the last iteration that was completed."""
        return self.s.completed

    @property
    def energies(self):
        """The current through each cell at the root; empty if the root is decided."""
        if self.s.root.winner:
            return []
        return [self.s.root.energy[cell] for cell in range(self.circuit.cells)]

    @property
    def value(self):
        """The root's value without a search, for the side to move."""
        return self.s.root.winner * WIN or self.s.root.value

    def moves(self):
        """Return the moves of the root, the best first, each as (cell, positions judged after it,
        probability of a win, None, 1 for a proven win or -1 for a loss or 0).

        The probability is that of the best move; of others it's a bound, and 0 of those that the
        search hasn't come to.
        """
        cdef search_t* s = self.s
        cdef root_move_t moves[MAX_CELLS]
        cdef int i
        cdef double value
        lock(&s.lock)
        memcpy(moves, s.moves, s.count * sizeof(root_move_t))
        unlock(&s.lock)
        found = []
        for i in range(s.count):
            value = moves[i].value if moves[i].searched else s.root.value if i == 0 else -WIN
            proven = i16_load(&s.learned[moves[i].cell])
            if not proven and moves[i].searched:
                proven = (value >= PROVEN) - (value <= -PROVEN)
            win_rate = 1 / (1 + exp(-min(50.0, max(-50.0, value))))
            found.append((moves[i].cell, moves[i].nodes, win_rate, None, proven))
        return sorted(found, key=lambda move: -move[4])

    def learn(self, int cell, int plies):
        """Learn from elsewhere that a move of the root wins in some plies, or loses if negative.

        Return whether the search can end.  Another thread may call this during a search.
        """
        cdef search_t* s = self.s
        cells = [move[0] for move in self.moves()]
        if cell in cells:
            i16_store(&s.learned[cell], 1 if plies > 0 else -1)
            i16_store(&s.is_solved, plies > 0 or all(s.learned[other] < 0 for other in cells))
        return s.is_solved != 0

    def variation(self, int cell):
        """Return the principal variation that begins with a move, as far as the table has it."""
        cdef search_t* s = self.s
        cdef int colour = s.to_play
        cdef uint64_t key = self.key
        cdef entry_t* entry
        line = []
        while cell >= 0 and len(line) <= s.completed:
            line.append(cell)
            key ^= s.keys[colour][cell] ^ s.keys[0][0]
            colour = opponent(colour)
            entry = look_up(s, key)
            cell = -1
            if entry != NULL and entry.winner == 0 and entry.depth > 0:
                cell = entry.cells[0]
        return line
