"""Node analysis: who wins a position at once, or which moves are worth a search.

A decided board, connections between the sides, and cells that win in one move name the winner and
the cells that the win needs.  Otherwise the moves are those in all carriers of the opponent's
threats (the mustplay) that he can't make dead by a reply.  Their order is that of the current
through them in the resistance network of his connections or, without connections, of the score in a
batch of playouts.
"""
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from trivalent.core._colours cimport opponent
from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_add, cells_has, cells_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._hsearch cimport (
    HSEARCH_SEMIS, hsearch_between_sides, hsearch_build, hsearch_currents
)
from trivalent.core._colours cimport opponent
from trivalent.core.playouts._batch cimport (
    batch_count, batch_free, batch_init, batch_place, batch_play, batch_seed, fill_t
)
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.core._isa cimport STONES_PADDING, slice_t
from trivalent.core.connection._arbiter cimport Arbiter, arbiter_has_won
from trivalent.core.connection._sliced cimport Slices, slices_t

cdef extern from "bot/knowledge/_resistance.h" nogil:
    enum:
        MAX_NETWORK_POINTS
        MAX_RESISTORS

    ctypedef struct resistance_network_t:
        int points
        int resistors
        int16_t end[MAX_RESISTORS][2]
        float conductance[MAX_RESISTORS]

    void resistance_currents(const resistance_network_t* network, float* through)

cdef enum:
    PLAYOUTS = 512


cdef int analyser_init(
    analyser_t* a, const arbiter_t* arbiter, const slices_t* slices,
    Filler filler, Connections connections
) except -1:
    """Prepare for positions of a board.  `analyser_free` frees what has been allocated, also after
    an error.

    Without a filler nothing is filled in, and no move is inferior.  Raise MemoryError if there's no
    room.
    """
    a.arbiter = arbiter
    a.fillin = NULL
    if filler is not None:
        a.fillin = &filler.board
        a.fill_in = filler.kernels.fill_in
        a.reverse = filler.kernels.reverse
        a.reversible = filler.kernels.reversible
    a.connects = connections is not None
    if a.connects:
        connections.prepare(&a.hsearch)
    batch_init(
        &a.batch, slices,
        fill_t(in_turn=True, balanced=False, bridges=False, repair=0, weighted=False),
        PLAYOUTS // 64
    )
    return 0


cdef void analyser_free(analyser_t* a) noexcept nogil:
    free(a.hsearch.memory)
    batch_free(&a.batch)


cdef bint wins_with(
    const analyser_t* a, const uint8_t* stones, int colour, int cell
) noexcept nogil:
    """Return whether a colour wins with one more stone."""
    cdef uint8_t trial[MAX_CELLS + STONES_PADDING]
    memcpy(trial, stones, a.arbiter.cells)
    trial[cell] = colour
    return arbiter_has_won(a.arbiter, trial, colour)


cdef void connect(
    analyser_t* a, const uint8_t* stones, int to_play, bint may_connect, node_analysis_t* found
) noexcept nogil:
    """Find a win by connections or, failing that, the opponent's threats to win.

    A cell's score is how much it matters for the opponent's connections, which must be cut.
    ``may_connect`` is false if the side to move can't have a winning connection.
    """
    cdef int16_t keys[HSEARCH_SEMIS]
    cdef int full
    full = hsearch_build(&a.hsearch, stones, to_play, 1) if may_connect else 0
    if full:
        hsearch_between_sides(&a.hsearch, full == 2, found.carriers, keys)
        found.carrier = found.carriers[0]
        found.winner = 1
        found.move = -1 if full == 2 else keys[0]
        return
    full = hsearch_build(&a.hsearch, stones, opponent(to_play), 2)
    found.carrier_count = hsearch_between_sides(&a.hsearch, full == 2, found.carriers, keys)
    if full == 2:
        found.carrier = found.carriers[0]
        found.winner = -1
        found.carrier_count = 0
        return
    hsearch_currents(&a.hsearch, a.score)


cdef void play_out(
    analyser_t* a, const uint8_t* stones, int to_play, uint64_t seed, node_analysis_t* found
) noexcept nogil:
    """Play a batch for the scores of empty cells; find cells that win in one move for either side.
    """
    cdef slice_t wins
    cdef int j, k, cell, colour, black_wins, mine, all
    cdef float with_black, with_white
    batch_seed(&a.batch, seed, 0)
    batch_place(&a.batch, stones, to_play, -1)
    batch_play(&a.batch, &wins)
    memset(a.owned, 0, a.empties * sizeof(a.owned[0]))
    memset(a.won, 0, a.empties * sizeof(a.won[0]))
    black_wins = batch_count(&a.batch, &wins, PLAYOUTS, a.owned, a.won)
    for j in range(a.empties):
        with_black = a.won[j] / (a.owned[j] + 1e-3)
        with_white = (black_wins - a.won[j]) / (PLAYOUTS - a.owned[j] + 1e-3)
        a.score[a.empty[j]] = with_black - with_white
    for k in range(2):
        colour = to_play if k == 0 else opponent(to_play)
        for j in range(a.empties):
            cell = a.empty[j]
            # If a cell wins at once, its owner has won every playout in which he had it.
            all = a.owned[j] if colour == 1 else PLAYOUTS - a.owned[j]
            mine = a.won[j] if colour == 1 else all - (black_wins - a.won[j])
            if mine != all:
                continue
            if not wins_with(a, stones, colour, cell):
                continue
            if colour == to_play:
                found.winner = 1
                found.move = cell
                memset(&found.carrier, 0, sizeof(cells_t))
                cells_add(&found.carrier, cell)
                return
            memset(&found.carriers[found.carrier_count], 0, sizeof(cells_t))
            cells_add(&found.carriers[found.carrier_count], cell)
            found.carrier_count += 1
            if found.carrier_count == 2:
                return


cdef void sort_moves(const analyser_t* a, node_analysis_t* found) noexcept nogil:
    """Order the moves by score, the highest first."""
    cdef int i, j, cell
    for i in range(1, found.count):
        cell = found.cells[i]
        j = i
        while j and a.score[found.cells[j - 1]] < a.score[cell]:
            found.cells[j] = found.cells[j - 1]
            j -= 1
        found.cells[j] = cell


cdef void drop_reversible(
    const analyser_t* a, const uint8_t* stones, int to_play, node_analysis_t* found
) noexcept nogil:
    """Drop moves that a reply of the opponent makes dead, all at once.

    That is sound: if such a move wins, another move wins even after the opponent's reply has been
    put on the board.  This argument adds one of his stones each time, so it ends.
    """
    cdef uint8_t reversible[MAX_CELLS + STONES_PADDING]
    cdef int i, count = 0
    memset(reversible, 0, a.arbiter.cells)
    for i in range(found.count):
        reversible[found.cells[i]] = 1
    a.reversible(a.fillin, stones, to_play, reversible)
    for i in range(found.count):
        if not reversible[found.cells[i]]:
            found.cells[count] = found.cells[i]
            count += 1
    found.count = count


cdef void analyse_node(
    analyser_t* a, const uint8_t* stones, int to_play, bint may_connect, uint64_t seed,
    node_analysis_t* found
) noexcept nogil:
    """Analyse a position that is filled in; `a.inferior` marks its inferior cells.

    The moves leave out inferior ones and those outside any carrier of the opponent's threats.  If
    none is left the side to move loses; the caller finds out what that win needs.
    """
    cdef int cell, i
    found.winner = found.count = found.carrier_count = 0
    found.move = -1
    memset(&found.carrier, 0, sizeof(cells_t))
    if arbiter_has_won(a.arbiter, stones, to_play):
        found.winner = 1
        return
    if arbiter_has_won(a.arbiter, stones, opponent(to_play)):
        found.winner = -1
        return
    a.empties = 0
    for cell in range(a.arbiter.cells):
        if stones[cell] == 0:
            a.empty[a.empties] = cell
            a.empties += 1
    if a.connects:
        connect(a, stones, to_play, may_connect, found)
    else:
        play_out(a, stones, to_play, seed, found)
    if found.winner:
        return
    for i in range(a.empties):
        cell = a.empty[i]
        if not a.inferior[cell]:
            found.cells[found.count] = cell
            found.count += 1
    for i in range(found.carrier_count):
        keep(found, &found.carriers[i])
    if a.fillin:
        drop_reversible(a, stones, to_play, found)
    sort_moves(a, found)


cdef void keep(node_analysis_t* found, const cells_t* among) noexcept nogil:
    """Drop all moves outside a set."""
    cdef int i, count = 0
    for i in range(found.count):
        if cells_has(among, found.cells[i]):
            found.cells[count] = found.cells[i]
            count += 1
    found.count = count


cdef class NodeAnalyser:
    """Node analysis for tests and for Python."""

    cdef analyser_t a
    cdef Arbiter arbiter
    cdef Slices slices
    cdef Filler filler
    cdef Connections connections

    def __cinit__(
        self, Arbiter arbiter not None, Slices slices not None, Filler filler,
        Connections connections
    ):
        self.arbiter = arbiter
        self.slices = slices
        self.filler = filler
        self.connections = connections
        analyser_init(
            &self.a, &arbiter.c, &slices.c, filler, connections
        )

    def __dealloc__(self):
        analyser_free(&self.a)

    def analyse(self, const uint8_t[::1] stones not None, int to_play):
        """Return (winner, move, carrier, moves, carriers of the opponent's threats) of a position.

        The winner is 1 for the side to move, -1 for the other, 0 if open.  Nothing is filled in.
        """
        cdef node_analysis_t found
        cdef uint8_t padded[MAX_CELLS + STONES_PADDING]
        cdef int i
        memcpy(padded, &stones[0], len(stones))
        memset(self.a.inferior, False, sizeof(self.a.inferior))
        with nogil:
            analyse_node(&self.a, padded, to_play, True, 1, &found)
        return (
            found.winner,
            found.move,
            self._members(&found.carrier),
            [found.cells[i] for i in range(found.count)],
            [self._members(&found.carriers[i]) for i in range(found.carrier_count)],
        )

    cdef list _members(self, const cells_t* cells):
        cdef int cell
        return [cell for cell in range(self.a.arbiter.cells) if cells_has(cells, cell)]


def currents(int points, resistors):
    """Return the current through each point of a network, in and out together.

    One unit flows from point 0 to point 1.  A resistor is a tuple of two points and its
    conductance.
    """
    cdef resistance_network_t network
    cdef float through[MAX_NETWORK_POINTS]
    cdef int i
    assert 2 <= points <= MAX_NETWORK_POINTS and len(resistors) <= MAX_RESISTORS
    network.points = points
    network.resistors = len(resistors)
    for i, (one, other, conductance) in enumerate(resistors):
        network.end[i][0] = one
        network.end[i][1] = other
        network.conductance[i] = conductance
    resistance_currents(&network, through)
    return [through[i] for i in range(points)]
