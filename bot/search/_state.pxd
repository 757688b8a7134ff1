"""A position at the end of a path through the tree, and what its thread finds out about it."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from libc.string cimport memset

from trivalent.bot.knowledge._hsearch cimport hsearch_t
from trivalent.bot.search._proof_table cimport proof_table_t
from trivalent.bot.evaluation._pattern_policy cimport policy_t
from trivalent.bot.search._tree cimport node_t, tree_t
from trivalent.core.playouts._batch cimport batch_t
from trivalent.bot.knowledge._fillin cimport dominated_t, fill_in_t, fillin_board_t
from trivalent.bot.search._selection cimport selection_t
from trivalent.core._isa cimport STONES_PADDING
from trivalent.bot.knowledge._cutsets cimport cutset_fillin_t
from trivalent.core.connection._triangle cimport triangle_t

cdef enum:
    MAX_CELLS = 63 * 63

ctypedef struct search_t:
    const triangle_t* triangle
    tree_t tree
    proof_table_t known
    const fillin_board_t* fillin   # NULL: nothing is filled in
    fill_in_t* fill_in
    dominated_t* find_dominated
    bint prune
    const cutset_fillin_t* regions       # NULL: the whole board is not filled in
    selection_t moves
    const policy_t* policy
    float follow                   # weight of the policy
    bint connects                  # whether virtual connections are looked for
    uint32_t connect               # visits at which they are
    uint32_t connect_wide          # and when again, more widely
    float noise                    # standard deviation of what is misjudged
    uint64_t noise_key
    float rave
    float explore
    uint32_t expand
    uint16_t prior
    int threads
    int boards                     # of a batch
    int to_play                    # at the root
    int last                       # the cell played before the root, or -1
    int origin_to_play
    int64_t leaves                 # evaluated since the root was set
    uint64_t key                   # of the root
    uint64_t keys[2][MAX_CELLS]    # of the stones
    uint64_t white_to_play
    uint8_t stones[MAX_CELLS]      # of the root
    uint8_t origin[MAX_CELLS]

ctypedef struct worker_t:          # what one thread has for itself
    search_t* search
    batch_t batch
    hsearch_t quick                # searches for connections: small,
    hsearch_t wide                 # and more widely,
    hsearch_t spare                # the same from that one on
    const uint32_t* known_filled   # above the leaf, see `filled_of`, or NULL;
    int known_depth                # the depth of the node that it comes from
    int depth
    node_t* path[MAX_CELLS]
    int16_t taken[MAX_CELLS]       # index of the move taken there
    uint64_t keys[MAX_CELLS + 1]   # of the positions on the path
    uint8_t stones[MAX_CELLS + STONES_PADDING]
    uint8_t filled[MAX_CELLS + STONES_PADDING]  # the stones of the leaf, filled in
    uint8_t inferior[MAX_CELLS]    # cells that the side to move need not try
    uint8_t dominated[MAX_CELLS + STONES_PADDING]  # those of them that others are preferable to
    int empties
    int16_t empty[MAX_CELLS]       # at the leaf, those left when all has been filled in
    int choices
    int16_t choice[MAX_CELLS]      # those of them that the side to move has to try
    int64_t owned[MAX_CELLS]
    int64_t won[MAX_CELLS]
    int64_t playouts               # since the root was set: all of them, those that Black won,
    int64_t black_wins
    int64_t all_owned[MAX_CELLS]   # per cell those in which Black owned it, and won with it
    int64_t all_won[MAX_CELLS]
    float rate[2][MAX_CELLS]       # per colour and cell: how often its owner won; NaN: unknown
    float value                    # of the leaf, for Black
    int proof                      # of the leaf, for the side to move
    int winning                    # a cell that wins at once, or -1
    int forced                     # the only cell that does not lose at once, or -1


cdef inline void forget_rates(worker_t* w) noexcept nogil:
    """Let all rates be unknown."""
    memset(w.rate[0], 0xFF, w.search.triangle.cells * sizeof(float))
    memset(w.rate[1], 0xFF, w.search.triangle.cells * sizeof(float))
