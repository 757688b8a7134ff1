"""Node analysis: who wins a position at once, or which moves need to be tried.

This is the one place that decides: the solver and the nodes of a search ask it with their limits of
H-search, and people with the widest.  A decided board and connections between the sides (in Y, of
all three) name the winner and the cells that the win needs.  Otherwise a move must be in all
carriers of the opponent's threats (the mustplay), and must not be inferior: if any move wins, then
one of these does.  Their order is that of the current through them in the resistance network of the
opponent's connections.
"""
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_has, cells_t
from trivalent.bot.knowledge._decomposition cimport decompose
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._hsearch cimport (
    HSEARCH_SEMIS, hsearch_between_sides, hsearch_build, hsearch_resistance, hsearch_t,
    hsearch_wires_t
)
from trivalent.core._colours cimport opponent
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core.connection._triangle cimport MAX_WORDS, Triangle, fill_plane, reduce_copy


cdef int analyser_init(
    analyser_t* a, const triangle_t* triangle, Filler filler, Connections connections
) except -1:
    """Prepare for positions of a board.  `analyser_free` frees what has been allocated, also after
    an error.

    Raise MemoryError if there's no room.
    """
    a.triangle = triangle
    a.fillin = &filler.board
    a.fill_in = filler.kernels.fill_in
    a.reverse = filler.kernels.reverse
    a.reversible = filler.kernels.reversible
    connections.prepare(&a.hsearch)
    return 0


cdef void analyser_free(analyser_t* a) noexcept nogil:
    free(a.hsearch.memory)


cdef inline bint joined(const analyser_t* a, const uint8_t* stones, int colour) noexcept nogil:
    """Return whether a colour has won."""
    cdef uint64_t plane[MAX_WORDS]
    fill_plane(a.triangle, stones, colour, plane)
    return reduce_copy(a.triangle, plane)


cdef int find_connections(
    const hsearch_t* h, uint8_t* stones, int to_play, bint may_connect, bint divide,
    float* currents, node_analysis_t* found
) noexcept nogil:
    """Find a win by connections or, failing that, the opponent's threats to win.

    Set the winner with its move and carrier, and, unless the opponent wins, the carriers of his
    threats.  ``may_connect`` is
    false if the side to move can't have a winning connection.  With ``divide``, also fill in the
    regions that connections divide; return the number of cells filled in.  ``currents``, if not
    NULL, gets how much each cell matters for the opponent's connections, which must be cut; it
    isn't set if the opponent wins.
    """
    cdef cells_t carriers[HSEARCH_SEMIS]
    cdef int16_t keys[HSEARCH_SEMIS]
    # Those of `wolve`, the best of several for the solver, too; see ../solver/README.md.
    cdef hsearch_wires_t wires = hsearch_wires_t(bridges=False, cells=1, semis=0.3, chains=0)
    cdef int filled = 0
    cdef int full = hsearch_build(h, stones, opponent(to_play), 2)
    found.winner = 0
    found.move = -1
    found.carrier_count = hsearch_between_sides(h, full == 2, found.carriers, keys)
    if full == 2:
        found.winner = -1
        found.carrier = found.carriers[0]
        found.carrier_count = 0
        return 0
    if currents != NULL:
        hsearch_resistance(h, &wires, currents)
    if divide:
        filled = decompose(h, stones)
    if not may_connect:
        return filled
    full = hsearch_build(h, stones, to_play, 1)
    if full:
        hsearch_between_sides(h, full == 2, carriers, keys)
        found.winner = 1
        found.carrier = carriers[0]
        found.move = -1 if full == 2 else keys[0]
    elif divide:
        filled += decompose(h, stones)
    return filled


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
    memset(reversible, 0, a.triangle.cells)
    for i in range(found.count):
        reversible[found.cells[i]] = 1
    a.reversible(a.fillin, stones, to_play, reversible)
    for i in range(found.count):
        if not reversible[found.cells[i]]:
            found.cells[count] = found.cells[i]
            count += 1
    found.count = count


cdef void analyse_node(
    analyser_t* a, uint8_t* stones, int to_play, bint may_connect, node_analysis_t* found
) noexcept nogil:
    """Analyse a position that is filled in; `a.inferior` marks its inferior cells.

    The moves leave out inferior ones and those outside any carrier of the opponent's threats.  If
    none is left the side to move loses; the caller finds out what that win needs.
    """
    cdef int cell, i
    found.winner = found.count = found.carrier_count = 0
    found.move = -1
    memset(&found.carrier, 0, sizeof(cells_t))
    if joined(a, stones, to_play):
        found.winner = 1
        return
    if joined(a, stones, opponent(to_play)):
        found.winner = -1
        return
    find_connections(&a.hsearch, stones, to_play, may_connect, False, a.score, found)
    if found.winner:
        return
    for cell in range(a.triangle.cells):
        if stones[cell] == 0 and not a.inferior[cell]:
            found.cells[found.count] = cell
            found.count += 1
    for i in range(found.carrier_count):
        keep(found, &found.carriers[i])
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
    """Node analysis for Python: within the limits of some connections, which others may use, too.
    """

    cdef analyser_t a
    cdef Triangle triangle
    cdef Filler filler
    cdef Connections connections  # whose arrays the analyser points to

    def __cinit__(
        self, Triangle triangle not None, Filler filler not None, Connections connections not None
    ):
        self.triangle = triangle
        self.filler = filler
        self.connections = connections
        analyser_init(&self.a, &triangle.c, filler, connections)

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
            analyse_node(&self.a, padded, to_play, True, &found)
        return (
            found.winner,
            found.move,
            self._members(&found.carrier),
            [found.cells[i] for i in range(found.count)],
            [self._members(&found.carriers[i]) for i in range(found.carrier_count)],
        )

    cdef list _members(self, const cells_t* cells):
        cdef int cell
        return [cell for cell in range(self.a.triangle.cells) if cells_has(cells, cell)]
