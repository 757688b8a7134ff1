"""Node analysis on boards that can't be reduced, where nothing is known about connections.

A decided board, and cells that win in one move, name the winner and the cells that the win needs.
Otherwise a move must be on all cells at which the opponent would win in one.  The order of moves is
that of how much owning their cells is worth in a batch of playouts.
"""
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_add, cells_has, cells_t
from trivalent.core._colours cimport opponent
from trivalent.core._isa cimport STONES_PADDING, slice_t
from trivalent.core.connection._arbiter cimport arbiter_has_won
from trivalent.core.playouts._batch cimport (
    batch_count, batch_free, batch_init, batch_place, batch_play, batch_seed, fill_t
)

cdef enum:
    PLAYOUTS = 512


cdef int playout_analyser_init(
    playout_analyser_t* a, const arbiter_t* arbiter, const slices_t* slices
) except -1:
    """Prepare for positions of a board.  Raise MemoryError if there's no room; even then, call
    `playout_analyser_free`.
    """
    a.arbiter = arbiter
    batch_init(
        &a.batch, slices,
        fill_t(in_turn=True, balanced=False, bridges=False, repair=0, weighted=False),
        PLAYOUTS // 64
    )
    return 0


cdef void playout_analyser_free(playout_analyser_t* a) noexcept nogil:
    batch_free(&a.batch)


cdef bint wins_with(
    const playout_analyser_t* a, const uint8_t* stones, int colour, int cell
) noexcept nogil:
    """Return whether a colour wins with one more stone."""
    cdef uint8_t trial[MAX_CELLS + STONES_PADDING]
    memcpy(trial, stones, a.arbiter.cells)
    trial[cell] = colour
    return arbiter_has_won(a.arbiter, trial, colour)


cdef void play_out(
    playout_analyser_t* a, const uint8_t* stones, int to_play, uint64_t seed,
    node_analysis_t* found
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
            if mine != all or not wins_with(a, stones, colour, cell):
                continue
            if colour == to_play:
                found.winner = 1
                found.move = cell
                cells_add(&found.carrier, cell)
                return
            memset(&found.carriers[found.carrier_count], 0, sizeof(cells_t))
            cells_add(&found.carriers[found.carrier_count], cell)
            found.carrier_count += 1
            if found.carrier_count == 2:
                return


cdef void list_moves(playout_analyser_t* a, node_analysis_t* found) noexcept nogil:
    """List the moves that meet all threats, the one with the highest score first."""
    cdef int i, j, cell
    cdef bint meets
    for j in range(a.empties):
        cell = a.empty[j]
        meets = True
        for i in range(found.carrier_count):
            meets = meets and cells_has(&found.carriers[i], cell)
        if not meets:
            continue
        i = found.count
        while i and a.score[found.cells[i - 1]] < a.score[cell]:
            found.cells[i] = found.cells[i - 1]
            i -= 1
        found.cells[i] = cell
        found.count += 1


cdef void analyse_by_playouts(
    playout_analyser_t* a, const uint8_t* stones, int to_play, uint64_t seed,
    node_analysis_t* found
) noexcept nogil:
    """Analyse a position as `analyse_node` does."""
    cdef int cell
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
    play_out(a, stones, to_play, seed, found)
    if not found.winner:
        list_moves(a, found)
