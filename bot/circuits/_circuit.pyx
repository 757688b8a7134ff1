"""A position as two circuits, one for each colour, and what they say about its moves.

In a colour's circuit a current flows between its sides, through the cells it may still use.  Its
stones conduct perfectly, the opponent's not at all, and wires are added for virtual connections
[ANS].  The smaller the resistance, the closer the colour is to connecting its sides, and the more
current flows through a cell, the more depends on it.
"""
from libc.math cimport log
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_has, cells_t
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.bot.knowledge._hsearch cimport (
    HSEARCH_SEMIS, hsearch_between_sides, hsearch_build, hsearch_follow, hsearch_resistance
)
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.core._colours cimport colour_index, opponent
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core.connection._triangle cimport MAX_WORDS, Triangle, fill_plane, reduce_copy

cdef extern from "bot/knowledge/_resistance.h" nogil:
    enum:
        MAX_NETWORK_POINTS
        MAX_RESISTORS

    ctypedef struct resistance_network_t:
        int sides
        int points
        int resistors
        int16_t end[MAX_RESISTORS][2]
        double conductance[MAX_RESISTORS]

    ctypedef struct resistance_solution_t:
        double volts[MAX_NETWORK_POINTS]
        double through[MAX_NETWORK_POINTS]

    double resistance_solve(resistance_network_t* network, resistance_solution_t* solution)

cdef enum:  # when an H-search stops
    NEIGHBOURS_ONLY = 0  # before it combines connections,
    JOINED_BY_SEMI = 1   # once the sides are joined by a semi-connection,
    JOINED_BY_FULL = 2   # or by a full one

cdef double MIN_RESISTANCE = 1e-6  # so that its logarithm is finite


cdef bint owns_all(const circuit_t* c, const uint8_t* stones, int colour) noexcept nogil:
    """Return whether a colour has won."""
    cdef uint64_t plane[MAX_WORDS]
    fill_plane(c.triangle, stones, colour, plane)
    return reduce_copy(c.triangle, plane)


cdef void fill(const circuit_t* c, frame_t* frame, int to_play) noexcept nogil:
    """Fill in dead and captured cells, and mark inferior ones."""
    frame.is_connected = False
    memset(frame.inferior, 0, sizeof(frame.inferior))
    if c.fills_in:
        c.fill_in(c.fillin, frame.filled, to_play, False, frame.inferior)


cdef void enter_root(
    const circuit_t* c, frame_t* frame, const uint8_t* stones, int to_play
) noexcept nogil:
    """Set up the frame of a position."""
    memcpy(frame.stones, stones, c.triangle.cells)
    memcpy(frame.filled, stones, c.triangle.cells)
    fill(c, frame, to_play)


cdef void enter(
    const circuit_t* c, frame_t* frame, const frame_t* parent, int cell, int colour
) noexcept nogil:
    """Set up the frame of the position after a move.  What is filled in stays so."""
    memcpy(frame.stones, parent.stones, c.triangle.cells)
    memcpy(frame.filled, parent.filled, c.triangle.cells)
    frame.stones[cell] = frame.filled[cell] = colour
    fill(c, frame, opponent(colour))


cdef int connect(
    const circuit_t* c, frame_t* frame, const frame_t* parent, int colour, int enough
) noexcept nogil:
    """Build the connections of a colour, from the parent's if there is one, until its sides are
    joined well enough.  Return how they are joined.
    """
    cdef int i = colour_index(colour)
    if not c.connects:
        enough = NEIGHBOURS_ONLY
    if parent and parent.is_connected:
        return hsearch_follow(
            &frame.connections[i], &parent.connections[i], frame.filled, enough
        )
    return hsearch_build(&frame.connections[i], frame.filled, colour, enough)


cdef void connect_both(
    const circuit_t* c, frame_t* frame, const frame_t* parent
) noexcept nogil:
    """Build the connections of an open position that has been judged before."""
    connect(c, frame, parent, 1, JOINED_BY_FULL)
    connect(c, frame, parent, 2, JOINED_BY_FULL)
    frame.is_connected = True


cdef void keep_reasonable(
    const circuit_t* c, const frame_t* frame, int to_play, judgement_t* found
) noexcept nogil:
    """Set the moves: the empty cells that may be better than all others.

    Left out are moves outside a threat of the opponent, and those that a reply makes dead.
    """
    cdef cells_t threats[HSEARCH_SEMIS]
    cdef int16_t keys[HSEARCH_SEMIS]
    cdef uint8_t dead[MAX_CELLS + STONES_PADDING]
    cdef int cell, i, count = 0
    if c.connects and c.mustplay:
        count = hsearch_between_sides(
            &frame.connections[colour_index(opponent(to_play))], False, threats, keys
        )
    memset(dead, 0, c.triangle.cells)
    found.count = 0
    for cell in range(c.triangle.cells):
        if frame.filled[cell] or frame.inferior[cell]:
            continue
        for i in range(count):
            if not cells_has(&threats[i], cell):
                break
        else:
            dead[cell] = 1
            found.cells[found.count] = cell
            found.count += 1
    if not c.fills_in:
        return
    c.reversible(c.fillin, frame.filled, to_play, dead)
    count = found.count
    found.count = 0
    for i in range(count):
        if not dead[found.cells[i]]:
            found.cells[found.count] = found.cells[i]
            found.count += 1


cdef void measure(
    const circuit_t* c, frame_t* frame, int to_play, judgement_t* found
) noexcept nogil:
    """Set resistances, value and energies."""
    cdef float theirs[MAX_CELLS]
    cdef int own = colour_index(to_play), cell
    found.resistance[own] = hsearch_resistance(&frame.connections[own], &c.wires, found.energy)
    found.resistance[1 - own] = hsearch_resistance(&frame.connections[1 - own], &c.wires, theirs)
    found.value = log(
        (found.resistance[1 - own] + MIN_RESISTANCE) / (found.resistance[own] + MIN_RESISTANCE)
    )
    if c.both:
        for cell in range(c.triangle.cells):
            found.energy[cell] += theirs[cell]


cdef void sort_moves(judgement_t* found) noexcept nogil:
    """Order the moves by energy, the highest first."""
    cdef int i, j, cell
    for i in range(1, found.count):
        cell = found.cells[i]
        j = i
        while j and found.energy[found.cells[j - 1]] < found.energy[cell]:
            found.cells[j] = found.cells[j - 1]
            j -= 1
        found.cells[j] = cell


cdef void judge(
    const circuit_t* c, frame_t* frame, const frame_t* parent, int to_play, judgement_t* found
) noexcept nogil:
    """Judge a position.  ``parent`` is the position before the last move, or NULL."""
    found.count = 0
    found.winner = 1
    if owns_all(c, frame.filled, to_play):
        return
    found.winner = -1
    if owns_all(c, frame.filled, opponent(to_play)):
        return
    if connect(c, frame, parent, opponent(to_play), JOINED_BY_FULL) == JOINED_BY_FULL:
        return
    found.winner = 1
    if connect(c, frame, parent, to_play, JOINED_BY_SEMI):
        return
    frame.is_connected = True
    keep_reasonable(c, frame, to_play, found)
    found.winner = 0 if found.count else -1
    if found.count:
        measure(c, frame, to_play, found)
        sort_moves(found)


cdef class Circuit:
    """How positions of a board become circuits; see `circuit` for the keyword arguments."""

    def __cinit__(
        self, Triangle triangle not None, Filler filler not None, Connections connections not None,
        *, bint fills_in, bint connects, bint mustplay, bint both, bint bridges, double cells,
        double semis, double chains
    ):
        self.triangle = triangle
        self.filler = filler
        self.connections = connections
        self.cells = triangle.c.cells
        self.c.triangle = &triangle.c
        self.c.fillin = &filler.board
        self.c.fill_in = filler.kernels.fill_in
        self.c.reversible = filler.kernels.reversible
        self.c.fills_in = fills_in
        self.c.connects = connects
        self.c.mustplay = mustplay
        self.c.both = both
        self.c.wires.bridges = bridges
        self.c.wires.cells = cells
        self.c.wires.semis = semis
        self.c.wires.chains = chains

    cdef int prepare(self, frame_t* frame) except -1:
        """Give a frame memory of its own, which the caller frees.  Raise MemoryError if there's no
        room.
        """
        frame.connections[0].memory = frame.connections[1].memory = NULL
        self.connections.prepare(&frame.connections[0])
        self.connections.prepare(&frame.connections[1])
        return 0

    def judge(self, const uint8_t[::1] stones not None, int to_play):
        """Return (winner, resistances, energies, moves) of a position.

        The winner is 1 for the side to move, -1 for the other, or 0 if the position is open; only
        then are there resistances, Black's first, an energy for each cell, and moves.  Raise
        ValueError if the stones don't fit the board.
        """
        cdef frame_t* frame
        cdef judgement_t found
        cdef int cell
        if len(stones) != self.cells or to_play not in (1, 2):
            raise ValueError(
                f"{len(stones)} stones for a board of {self.cells} cells, {to_play} to play"
            )
        frame = <frame_t*> malloc(sizeof(frame_t))
        if not frame:
            raise MemoryError
        try:
            self.prepare(frame)
            with nogil:
                enter_root(&self.c, frame, &stones[0], to_play)
                judge(&self.c, frame, NULL, to_play, &found)
        finally:
            free(frame.connections[0].memory)
            free(frame.connections[1].memory)
            free(frame)
        if found.winner:
            return found.winner, (), [], []
        return (
            0,
            (found.resistance[0], found.resistance[1]),
            [found.energy[cell] for cell in range(self.cells)],
            [found.cells[cell] for cell in range(found.count)],
        )


def solve_network(int points, resistors, int sides=2):
    """Solve a network of resistors, of which each is two points and a conductance.

    Return (resistance, volts, currents): the resistance between the sides, which are the first two
    or three points, and for each point its voltage and the current through it.  See _resistance.h.
    Raise ValueError for numbers that make no sense or are too large.
    """
    cdef resistance_network_t* network
    cdef resistance_solution_t solution
    cdef int i
    cdef double resistance
    if not (sides in (2, 3) and sides <= points <= MAX_NETWORK_POINTS):
        raise ValueError(f"there can't be {points} points with {sides} sides")
    if len(resistors) > MAX_RESISTORS:
        raise ValueError(f"{len(resistors)} are too many resistors")
    for a, b, conductance in resistors:
        if not (0 <= a < points and 0 <= b < points and a != b and conductance > 0):
            raise ValueError(f"not a resistor: {a}, {b}, {conductance}")
    network = <resistance_network_t*> malloc(sizeof(resistance_network_t))
    if not network:
        raise MemoryError
    network.sides = sides
    network.points = points
    network.resistors = len(resistors)
    for i, (a, b, conductance) in enumerate(resistors):
        network.end[i][0] = a
        network.end[i][1] = b
        network.conductance[i] = conductance
    with nogil:
        resistance = resistance_solve(network, &solution)
    free(network)
    return (
        resistance,
        [solution.volts[i] for i in range(points)],
        [solution.through[i] for i in range(points)],
    )
