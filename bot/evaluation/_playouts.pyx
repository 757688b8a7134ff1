"""Leaves judged by a batch of playouts: value, and for each cell who owned it and won with it.

With a policy, playouts fill a cell in its turn with a black stone by the odds e^(s (b - w)): b and
w are the scores that the policy gives a black and a white move there, and s is the strength.

The rate of a cell is the share of wins among the playouts in which a colour owned it, shrunk
towards the value of the leaf: few playouts say little.
"""
cimport cython
from libc.math cimport expf
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from trivalent.bot.evaluation._evaluator cimport MAX_CELLS, evaluator_t, leaf_t
from trivalent.bot.evaluation._pattern_policy cimport Policy, policy_scores, policy_t
from trivalent.core._isa cimport slice_t
from trivalent.core.playouts._batch cimport (
    batch_count, batch_free, batch_init, batch_place, batch_play, batch_seed, batch_t, fill_t
)

IN_TURN = (True, False, False, 0, False)
"""The usual way to fill the board; see `PlayoutEvaluator`."""
MAX_PLAYOUTS = 512
"""The size of a full batch."""

cdef enum:
    SHRINKAGE = 4  # playouts with the leaf's value, added to those of each cell


ctypedef struct player_t:
    batch_t batch
    const policy_t* policy  # NULL: coins are fair
    float strength


cdef void seed_batch(void* data, uint64_t seed, int thread) noexcept nogil:
    batch_seed(&(<player_t*> data).batch, seed, thread)


cdef void weigh(player_t* player, const leaf_t* leaf) noexcept nogil:
    """Set the weights of the empty cells, 1 to 15 sixteenths."""
    cdef float black[MAX_CELLS]
    cdef float white[MAX_CELLS]
    cdef int j
    policy_scores(player.policy, leaf.filled, 1, -1, leaf.empty, leaf.empties, black)
    policy_scores(player.policy, leaf.filled, 2, -1, leaf.empty, leaf.empties, white)
    for j in range(leaf.empties):
        black[j] = 1 / (1 + expf(player.strength * (white[j] - black[j])))
        player.batch.weights[player.batch.board.slot[leaf.empty[j]]] = <uint8_t> min(
            max(16 * black[j] + 0.5, 1), 15
        )


cdef void play_batch(void* data, leaf_t* leaf) noexcept nogil:
    """Set value, counts and rates of a leaf by one batch of playouts."""
    cdef player_t* player = <player_t*> data
    cdef batch_t* batch = &player.batch
    cdef slice_t won
    cdef int boards = 64 * batch.words, white_wins, j, cell
    cdef float black_more, white_more
    batch_place(batch, leaf.filled, leaf.to_play, leaf.last)
    if player.policy:
        weigh(player, leaf)
    batch_play(batch, &won)
    memset(leaf.owned, 0, leaf.empties * sizeof(int64_t))
    memset(leaf.won, 0, leaf.empties * sizeof(int64_t))
    leaf.playouts = boards
    leaf.black_wins = batch_count(batch, &won, boards, leaf.owned, leaf.won)
    leaf.value = leaf.black_wins / <float> boards
    white_wins = boards - leaf.black_wins
    black_more = SHRINKAGE * leaf.value
    white_more = SHRINKAGE - black_more
    for j in range(leaf.empties):
        cell = leaf.empty[j]
        leaf.rate[0][cell] = (leaf.won[j] + black_more) / (leaf.owned[j] + SHRINKAGE)
        leaf.rate[1][cell] = (white_wins - leaf.owned[j] + leaf.won[j] + white_more) / (
            boards - leaf.owned[j] + SHRINKAGE
        )


cdef void free_batch(void* data) noexcept nogil:
    batch_free(&(<player_t*> data).batch)
    free(data)


@cython.final
cdef class PlayoutEvaluator(Evaluator):
    """Plays a batch of up to 512 playouts at each leaf of a board.

    ``playouts`` is rounded up to a multiple of 64.  ``how`` says how they fill the board: cell by
    cell in turn, balanced, keeping the position's bridges, the chance in 256 of repairing another
    bridge, and keeping edge templates; see `trivalent.core.playouts.playout.statistics`.  A policy
    weights the coins of the fill in turn.
    """

    def __cinit__(
        self, Slices slices not None, *, int playouts, tuple how not None, Policy policy=None,
        float strength=0
    ):
        in_turn, balanced, bridges, repair, templates = how
        self.slices = slices
        self.how = fill_t(
            in_turn=in_turn, balanced=balanced, bridges=bridges, repair=repair,
            templates=templates, weighted=in_turn and policy is not None
        )
        self.policy, self.strength = policy, strength
        self.words = (playouts + 63) // 64

    cdef int attach(self, evaluator_t* table) except -1:
        cdef player_t* player = <player_t*> calloc(1, sizeof(player_t))
        if not player:
            raise MemoryError
        try:
            batch_init(&player.batch, &self.slices.c, self.how, self.words)
        except MemoryError:
            free_batch(player)
            raise
        if self.how.weighted:
            player.policy = &self.policy.c
            player.strength = self.strength
        table.data = player
        table.seed = seed_batch
        table.evaluate = play_batch
        table.free = free_batch
        return 0
