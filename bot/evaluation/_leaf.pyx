"""The preparation of a leaf: what is filled in, and which moves are worth considering.

Searches prepare leaves for their evaluators in this way, and so does whoever asks a network about a
position without a search.
"""
from libc.stdint cimport uint8_t
from libc.string cimport memset

from trivalent.bot.evaluation._evaluator cimport MAX_CELLS, leaf_t
from trivalent.core._isa cimport STONES_PADDING


cdef preparation_t preparation(int cells, Filler filler, bint prune) noexcept:
    """Return how leaves are prepared with this filler, which must outlive it, or without one."""
    cdef preparation_t p
    memset(&p, 0, sizeof(p))
    p.cells, p.prune = cells, prune
    if filler is not None:
        p.board = &filler.board
        p.fill_in = filler.kernels.fill_in
        p.find_dominated = filler.kernels.dominated
    return p


cdef void find_inferior(const preparation_t* p, leaf_t* leaf, int to_play) noexcept nogil:
    """Fill in cells by patterns, and mark inferior moves: reversible ones, and dominated ones.

    ``filled`` must hold the stones, and whatever is known to be filled in.  A reversible move has a
    reply that makes its stone dead.  If any move wins, then one that isn't reversible does, and so
    does every move that dominates it.
    """
    cdef uint8_t dominated[MAX_CELLS + STONES_PADDING]
    cdef int cell
    p.fill_in(p.board, leaf.filled, to_play, False, leaf.inferior)
    if not p.prune:
        memset(leaf.inferior, False, p.cells)
        return
    for cell in range(p.cells):
        dominated[cell] = leaf.filled[cell] == 0 and not leaf.inferior[cell]
    p.find_dominated(p.board, leaf.filled, to_play, dominated)
    for cell in range(p.cells):
        leaf.inferior[cell] |= dominated[cell]


cdef void list_moves(leaf_t* leaf, int cells) noexcept nogil:
    """List the cells that are empty after fill-in, and those that are not inferior moves."""
    cdef int j, cell
    list_empties(leaf, leaf.filled, cells)
    leaf.choices = 0
    for j in range(leaf.empties):
        cell = leaf.empty[j]
        if not leaf.inferior[cell]:
            leaf.choice[leaf.choices] = cell
            leaf.choices += 1


cdef void list_empties(leaf_t* leaf, const uint8_t* stones, int cells) noexcept nogil:
    cdef int cell
    leaf.empties = 0
    for cell in range(cells):
        leaf.empty[leaf.empties] = cell
        leaf.empties += stones[cell] == 0
