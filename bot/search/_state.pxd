"""The state of a search, which its threads share, and the state that each thread has for itself."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from libc.string cimport memset

from trivalent.bot.evaluation._evaluator cimport MAX_CELLS, MAX_EVALUATORS, evaluator_t, leaf_t
from trivalent.bot.evaluation._leaf cimport preparation_t
from trivalent.bot.knowledge._cutsets cimport cutset_fillin_t
from trivalent.bot.knowledge._hsearch cimport hsearch_t
from trivalent.bot.search._proof_table cimport proof_table_t
from trivalent.bot.search._selection cimport selection_t
from trivalent.bot.search._tree cimport node_t, tree_t
from trivalent.core.connection._arbiter cimport arbiter_t

# Constant while threads search, except for the tree, the proof table and `leaves`.
ctypedef struct search_t:
    const arbiter_t* arbiter
    tree_t tree
    proof_table_t proofs
    preparation_t preparation      # of leaves
    const cutset_fillin_t* cutsets       # NULL: no fill-in by clique cutsets
    selection_t selection
    int evaluators                 # of each worker
    int judge                      # the evaluator that judges nodes, or -1
    float prior_weight             # the parameters of these names, see `MctsParameters`
    float rave_weight
    float exploration
    float evaluation_noise
    float net_value_weight
    float net_prior_weight
    float net_rave_weight
    float net_puct
    uint32_t net_visits
    uint64_t noise_key
    uint32_t expansion_threshold
    uint16_t rave_prior_count
    bint connects                  # whether nodes look for virtual connections:
    uint32_t vc_visits             # at this number of visits,
    uint32_t vc_wide_visits        # and again, more widely, at this one
    int to_play                    # at the root
    int last                       # the cell played before the root, or -1,
    int previous                   # and the one before that
    int origin_to_play             # at the origin of the tree
    int64_t leaves                 # evaluated since the root was set; atomic adds
    uint64_t key                   # hash of the root,
    uint64_t keys[2][MAX_CELLS]    # XOR of these keys of its stones,
    uint64_t white_to_play         # and of this one if White is to move
    uint8_t stones[MAX_CELLS]      # of the root
    uint8_t origin[MAX_CELLS]      # stones of the origin

ctypedef struct worker_t:          # belongs to one thread
    search_t* search
    evaluator_t evaluators[MAX_EVALUATORS]
    hsearch_t vc_quick             # H-search within narrow limits,
    hsearch_t vc_wide              # within wide ones,
    hsearch_t vc_followed          # and brought up to date from `vc_wide` after a move
    # The path from the root to the leaf:
    int depth
    node_t* path[MAX_CELLS]
    int16_t taken[MAX_CELLS]       # index of the move followed from each node
    uint64_t keys[MAX_CELLS + 1]   # hashes of the positions
    const uint32_t* known_filled   # cells filled in at the lowest node that knows, or NULL
    int known_depth                # the depth of that node
    # The leaf:
    leaf_t leaf
    int proven                     # distance for the side to move
    int winning                    # a cell that wins at once, or -1
    int forced                     # the only cell that does not lose at once, or -1
    # What the network says:
    float judged                   # of the leaf, for the side to move: 0 if it has not been asked
    float judgement                # Black's chance at the lowest node that knows, negative if none
    float priors[MAX_CELLS]        # of the position judged last
    # Totals over all leaves since the root was set:
    int64_t playouts
    int64_t black_wins
    int64_t all_owned[MAX_CELLS]   # per cell: playouts in which Black owned it,
    int64_t all_won[MAX_CELLS]     # and those among them that Black won


cdef inline void forget_rates(leaf_t* leaf, int cells) noexcept nogil:
    """Make all rates of cells unknown: all bits set are a NaN."""
    memset(leaf.rate[0], 0xFF, cells * sizeof(float))
    memset(leaf.rate[1], 0xFF, cells * sizeof(float))
