"""What can be told of a position at once: who wins, or which moves are worth a search.

Stones that join what they have to, connections, and cells that win in one move tell the winner, and
which cells the win needs.  Otherwise the moves are those that no such threat of the opponent's
refutes, and that he cannot make dead by a reply, in the order of what flows through them where his
connections are an electric circuit, or without connections of what a batch of playouts says.
"""
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_add, cells_have, cells_t
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
from trivalent.core.connection._sliced cimport Slices, slices_t
from trivalent.core.connection._triangle cimport MAX_WORDS, Triangle, fill_plane, reduce_copy

cdef extern from "bot/knowledge/_resistance.h" nogil:
    enum:
        CIRCUIT_POINTS
        CIRCUIT_WIRES

    ctypedef struct circuit_t:
        int points
        int wires
        int16_t end[CIRCUIT_WIRES][2]
        float conducts[CIRCUIT_WIRES]

    void circuit_solve(const circuit_t* circuit, float* through)

cdef enum:
    PLAYOUTS = 512


cdef int examiner_init(
    examiner_t* e, const triangle_t* triangle, const slices_t* slices,
    Filler filler, Connections connections
) except -1:
    """Prepare for positions of a board.  What has been allocated by then is for `examiner_free`.

    Raise MemoryError.
    """
    e.triangle = triangle
    e.fillin = &filler.board
    e.fill_in = filler.kernels.fill_in
    e.reverse = filler.kernels.reverse
    e.reversible = filler.kernels.reversible
    e.connects = connections is not None
    if e.connects:
        connections.prepare(&e.hsearch)
    batch_init(
        &e.batch, slices, fill_t(in_turn=True, balanced=False, bridges=False, repair=0),
        PLAYOUTS // 64
    )
    return 0


cdef void examiner_free(examiner_t* e) noexcept nogil:
    free(e.hsearch.memory)
    batch_free(&e.batch)


cdef inline bint joined(const examiner_t* e, const uint8_t* stones, int colour) noexcept nogil:
    cdef uint64_t plane[MAX_WORDS]
    fill_plane(e.triangle, stones, colour, plane)
    return reduce_copy(e.triangle, plane)


cdef bint wins_with(
    const examiner_t* e, const uint64_t* plane, int cell
) noexcept nogil:
    """Whether a colour wins by a stone more in its plane."""
    cdef uint64_t trial[MAX_WORDS]
    memcpy(trial, plane, e.triangle.bytes)
    trial[e.triangle.word[cell]] |= e.triangle.bit[cell]
    return reduce_copy(e.triangle, trial)


cdef void connect(
    examiner_t* e, const uint8_t* stones, int to_play, bint hopes, examined_t* found
) noexcept nogil:
    """Find who wins by a connection; or else how the opponent threatens to win.

    A cell scores what it matters for the opponent's connections: that is what has to be cut.
    """
    cdef int16_t keys[HSEARCH_SEMIS]
    cdef uint64_t (*carriers)[4]
    cdef int full
    carriers = <uint64_t (*)[4]> found.carriers
    full = hsearch_build(&e.hsearch, stones, to_play, 1) if hopes else 0
    if full:
        hsearch_between_sides(&e.hsearch, full == 2, carriers, keys)
        found.carrier = found.carriers[0]
        found.winner = 1
        found.move = -1 if full == 2 else keys[0]
        return
    full = hsearch_build(&e.hsearch, stones, opponent(to_play), 2)
    found.ways = hsearch_between_sides(&e.hsearch, full == 2, carriers, keys)
    if full == 2:
        found.carrier = found.carriers[0]
        found.winner = -1
        found.ways = 0
        return
    hsearch_currents(&e.hsearch, e.score)


cdef void play_out(
    examiner_t* e, const uint8_t* stones, int to_play, uint64_t seed, examined_t* found
) noexcept nogil:
    """Play a batch for the scores of the empty cells; find wins in one move, of either side."""
    cdef slice_t wins
    cdef uint64_t plane[MAX_WORDS]
    cdef int j, k, cell, colour, black_wins, mine, all
    cdef bint loaded
    cdef float with_black, with_white
    batch_seed(&e.batch, seed, 0)
    batch_place(&e.batch, stones, to_play, -1)
    batch_play(&e.batch, &wins)
    memset(e.owned, 0, e.empties * sizeof(e.owned[0]))
    memset(e.won, 0, e.empties * sizeof(e.won[0]))
    black_wins = batch_count(&e.batch, &wins, PLAYOUTS, e.owned, e.won)
    for j in range(e.empties):
        with_black = e.won[j] / (e.owned[j] + 1e-3)
        with_white = (black_wins - e.won[j]) / (PLAYOUTS - e.owned[j] + 1e-3)
        e.score[e.empty[j]] = with_black - with_white
    for k in range(2):
        colour = to_play if k == 0 else opponent(to_play)
        loaded = False
        for j in range(e.empties):
            cell = e.empty[j]
            # Whoever wins with a cell at once has won every playout in which it was his.
            all = e.owned[j] if colour == 1 else PLAYOUTS - e.owned[j]
            mine = e.won[j] if colour == 1 else all - (black_wins - e.won[j])
            if mine != all:
                continue
            if not loaded:
                fill_plane(e.triangle, stones, colour, plane)
                loaded = True
            if not wins_with(e, plane, cell):
                continue
            if colour == to_play:
                found.winner = 1
                found.move = cell
                memset(&found.carrier, 0, sizeof(cells_t))
                cells_add(&found.carrier, cell)
                return
            memset(&found.carriers[found.ways], 0, sizeof(cells_t))
            cells_add(&found.carriers[found.ways], cell)
            found.ways += 1
            if found.ways == 2:
                return


cdef void sort_moves(const examiner_t* e, examined_t* found) noexcept nogil:
    """Order the moves by score, the highest one first."""
    cdef int i, j, cell
    for i in range(1, found.count):
        cell = found.cells[i]
        j = i
        while j and e.score[found.cells[j - 1]] < e.score[cell]:
            found.cells[j] = found.cells[j - 1]
            j -= 1
        found.cells[j] = cell


cdef void drop_reversible(
    const examiner_t* e, const uint8_t* stones, int to_play, examined_t* found
) noexcept nogil:
    """Drop moves to which the opponent has a reply that makes them dead.

    All at once: if such a move wins, another one wins even when the opponent has made his reply
    before.  That goes on with one stone more of his, but not for ever.
    """
    cdef uint8_t reversible[MAX_CELLS + STONES_PADDING]
    cdef int i, count = 0
    memset(reversible, 0, e.triangle.cells)
    for i in range(found.count):
        reversible[found.cells[i]] = 1
    e.reversible(e.fillin, stones, to_play, reversible)
    for i in range(found.count):
        if not reversible[found.cells[i]]:
            found.cells[count] = found.cells[i]
            count += 1
    found.count = count


cdef void examine(
    examiner_t* e, const uint8_t* stones, int to_play, bint hopes, uint64_t seed,
    examined_t* found
) noexcept nogil:
    """Examine a position that has been filled in, its ``inferior`` cells told to the examiner.

    The moves do not include inferior ones, nor those that leave the opponent one of his ways to
    win.  If there are none the side to move loses; whoever called finds out what that win needs.
    """
    cdef int cell, i
    found.winner = found.count = found.ways = 0
    found.move = -1
    memset(&found.carrier, 0, sizeof(cells_t))
    if joined(e, stones, to_play):
        found.winner = 1
        return
    if joined(e, stones, opponent(to_play)):
        found.winner = -1
        return
    e.empties = 0
    for cell in range(e.triangle.cells):
        if stones[cell] == 0:
            e.empty[e.empties] = cell
            e.empties += 1
    if e.connects:
        connect(e, stones, to_play, hopes, found)
    else:
        play_out(e, stones, to_play, seed, found)
    if found.winner:
        return
    for i in range(e.empties):
        cell = e.empty[i]
        if not e.inferior[cell]:
            found.cells[found.count] = cell
            found.count += 1
    for i in range(found.ways):
        keep(found, &found.carriers[i])
    drop_reversible(e, stones, to_play, found)
    sort_moves(e, found)


cdef void keep(examined_t* found, const cells_t* among) noexcept nogil:
    """Drop all moves but some."""
    cdef int i, count = 0
    for i in range(found.count):
        if cells_have(among, found.cells[i]):
            found.cells[count] = found.cells[i]
            count += 1
    found.count = count


cdef class Examiner:
    """What `examine` tells of positions."""

    cdef examiner_t e
    cdef Triangle triangle
    cdef Slices slices
    cdef Filler filler
    cdef Connections connections

    def __cinit__(
        self, Triangle triangle not None, Slices slices not None, Filler filler not None,
        Connections connections
    ):
        self.triangle = triangle
        self.slices = slices
        self.filler = filler
        self.connections = connections
        examiner_init(
            &self.e, &triangle.c, &slices.c, filler, connections
        )

    def __dealloc__(self):
        examiner_free(&self.e)

    def examine(self, const uint8_t[::1] stones not None, int to_play):
        """A tuple of the winner (1 the side to move, -1 the other, 0 open), the move, the carrier,
        the moves, and the carriers of the opponent's ways to win.  Nothing is filled in.
        """
        cdef examined_t found
        cdef uint8_t padded[MAX_CELLS + STONES_PADDING]
        cdef int i
        memcpy(padded, &stones[0], len(stones))
        memset(self.e.inferior, False, sizeof(self.e.inferior))
        with nogil:
            examine(&self.e, padded, to_play, True, 1, &found)
        return (
            found.winner,
            found.move,
            self._members(&found.carrier),
            [found.cells[i] for i in range(found.count)],
            [self._members(&found.carriers[i]) for i in range(found.ways)],
        )

    cdef list _members(self, const cells_t* cells):
        cdef int cell
        return [cell for cell in range(self.e.triangle.cells) if cells_have(cells, cell)]


def currents(int points, wires):
    """What flows through each point of a circuit, in and out together, if one unit flows from point
    0 to point 1.  Wires are tuples of two points and what they conduct.
    """
    cdef circuit_t circuit
    cdef float through[CIRCUIT_POINTS]
    cdef int i
    assert 2 <= points <= CIRCUIT_POINTS and len(wires) <= CIRCUIT_WIRES
    circuit.points = points
    circuit.wires = len(wires)
    for i, (one, other, conducts) in enumerate(wires):
        circuit.end[i][0] = one
        circuit.end[i][1] = other
        circuit.conducts[i] = conducts
    circuit_solve(&circuit, through)
    return [through[i] for i in range(points)]
