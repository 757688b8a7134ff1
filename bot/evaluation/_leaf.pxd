"""The preparation of a leaf: what is filled in, and which moves are worth considering."""
from libc.stdint cimport uint8_t

from trivalent.bot.evaluation._evaluator cimport leaf_t
from trivalent.bot.knowledge._fillin cimport Filler, dominated_t, fill_in_t, fillin_board_t

ctypedef struct preparation_t:
    int cells                    # of the board
    const fillin_board_t* board  # NULL: nothing is filled in
    fill_in_t* fill_in
    dominated_t* find_dominated
    bint prune                   # leave out inferior moves

cdef preparation_t preparation(int cells, Filler filler, bint prune) noexcept
cdef void find_inferior(const preparation_t* p, leaf_t* leaf, int to_play) noexcept nogil
cdef void list_moves(leaf_t* leaf, int cells) noexcept nogil
cdef void list_empties(leaf_t* leaf, const uint8_t* stones, int cells) noexcept nogil
