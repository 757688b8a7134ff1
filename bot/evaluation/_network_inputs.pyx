"""What a network sees of a leaf besides the stones: fill-in, pruned moves, and the playouts.

The playouts give a network of few layers a view of the whole board: who is likely to own a cell,
and what it is worth to own it.  They are those of the leaf's batch, so they cost a search nothing.
All numbers are integers, the same on every machine.
"""
cimport cython
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from trivalent.bot.evaluation._evaluator cimport evaluator_t, leaf_t
from trivalent.bot.evaluation._leaf cimport find_inferior, list_moves, preparation, preparation_t
from trivalent.bot.evaluation._network cimport NETWORK_GIVEN, NETWORK_ONE, network_position_t
from trivalent.bot.evaluation._playouts cimport PlayoutEvaluator
from trivalent.bot.knowledge._fillin cimport Filler

from trivalent.bot.evaluation._network import MAX_SIDE as _MAX_SIDE
from trivalent.bot.evaluation._playouts import IN_TURN as _IN_TURN
from trivalent.bot.evaluation._playouts import MAX_PLAYOUTS as _MAX_PLAYOUTS
from trivalent.bot.evaluation.network_file import PLANES as _PLANES
from trivalent.bot.knowledge._fillin import filler as _filler
from trivalent.core.connection._sliced import slices as _slices

cdef enum:
    OWNERSHIP, GAIN, VALUE  # the planes, in the order of network_file.PLANES
    NEUTRAL = 64            # the byte for no gain
    STRETCH = 2             # bytes of gain per 127th
    SHRINKAGE = 4           # playouts without any gain, added to those of each cell

OBSERVED = ("filled", "pruned", *list(_PLANES)[-NETWORK_GIVEN:])
"""What `Observer.observe` returns, in this order."""


cdef void draw_playouts(const leaf_t* leaf, int cells, playout_planes_t* planes) noexcept nogil:
    """Draw the playouts of a leaf as its side to move sees them."""
    cdef bint white = leaf.to_play == 2
    cdef int playouts = leaf.playouts, j, cell, owned, won, scale, gain
    cdef int wins = playouts - leaf.black_wins if white else leaf.black_wins
    memset(planes.plane[VALUE], (NETWORK_ONE * wins + playouts // 2) // playouts, cells)
    memset(planes.plane[GAIN], NEUTRAL, cells)
    for cell in range(cells):
        planes.plane[OWNERSHIP][cell] = NETWORK_ONE if leaf.filled[cell] == leaf.to_play else 0
    for j in range(leaf.empties):
        cell = leaf.empty[j]
        owned, won = leaf.owned[j], leaf.won[j]
        if white:  # the counts are Black's
            won = wins - owned + won
            owned = playouts - owned
        planes.plane[OWNERSHIP][cell] = (NETWORK_ONE * owned + playouts // 2) // playouts
        # The share of wins with the cell, less the share of all: won / owned - wins / playouts.
        scale = (owned + SHRINKAGE) * playouts
        gain = STRETCH * NETWORK_ONE * (won * playouts - wins * owned)
        gain = (gain + NEUTRAL * scale + scale // 2) // scale if gain > -NEUTRAL * scale else 0
        planes.plane[GAIN][cell] = min(gain, NETWORK_ONE)


cdef void show_leaf(
    const leaf_t* leaf, const playout_planes_t* playouts, network_position_t* position
) noexcept nogil:
    """Point to what a network may see of a leaf."""
    cdef int i
    position.stones = &leaf.stones[0]
    position.filled = &leaf.filled[0]
    position.pruned = &leaf.inferior[0]
    position.to_play = leaf.to_play
    position.last[0] = leaf.last
    position.last[1] = leaf.previous
    for i in range(NETWORK_GIVEN):
        position.given[i] = &playouts.plane[i][0]


@cython.final
cdef class Observer:
    """Finds what networks see of positions on a board, as a search with default parameters does.

    Raise ValueError if a side has more than `MAX_SIDE` cells.
    """

    cdef object board
    cdef Filler filler
    cdef PlayoutEvaluator player  # keeps alive what `playouts` uses
    cdef preparation_t preparation
    cdef evaluator_t playouts
    cdef leaf_t* leaf

    def __cinit__(self, board not None):
        if max(board.width, board.height) > _MAX_SIDE:
            raise ValueError(
                f"a network sees boards of up to {_MAX_SIDE} cells a side, not {board}"
            )
        self.board = board
        self.filler = _filler(board)
        self.preparation = preparation(len(board), self.filler, True)
        self.player = PlayoutEvaluator(
            _slices(board), playouts=_MAX_PLAYOUTS, how=_IN_TURN
        )
        self.player.attach(&self.playouts)
        self.leaf = <leaf_t*> calloc(1, sizeof(leaf_t))
        if not self.leaf:
            raise MemoryError

    def __dealloc__(self):
        if self.playouts.data:
            self.playouts.free(self.playouts.data)
        free(self.leaf)

    def observe(
        self, const uint8_t[:, ::1] stones not None, const uint8_t[::1] to_play not None,
        const int16_t[::1] last not None, uint64_t seed=0
    ):
        """Return [positions][`OBSERVED`][cells] in bytes.

        ``stones`` are [positions][cells], ``last`` the cells just played, or -1.  The positions
        must be open.  The playouts of each begin with this seed, so that they depend on nothing
        but the position; a search draws others.
        """
        cdef int count = len(stones), cells = self.preparation.cells, i, j
        cdef playout_planes_t planes
        if stones.shape[1] != cells or len(to_play) != count or len(last) != count:
            raise ValueError(f"the arrays don't fit each other and {self.board}")
        import numpy as np  # not at engine start-up
        result = np.empty((count, len(OBSERVED), cells), np.uint8)
        cdef uint8_t[:, :, ::1] seen = result
        with nogil:
            for i in range(count):
                self.playouts.seed(self.playouts.data, seed, 0)
                self._examine(&stones[i, 0], to_play[i], last[i])
                draw_playouts(self.leaf, cells, &planes)
                memcpy(&seen[i, 0, 0], self.leaf.filled, cells)
                memcpy(&seen[i, 1, 0], self.leaf.inferior, cells)
                for j in range(NETWORK_GIVEN):
                    memcpy(&seen[i, 2 + j, 0], &planes.plane[j][0], cells)
        return result

    cdef void _examine(self, const uint8_t* stones, int to_play, int last) noexcept nogil:
        cdef leaf_t* leaf = self.leaf
        memcpy(leaf.stones, stones, self.preparation.cells)
        memcpy(leaf.filled, stones, self.preparation.cells)
        find_inferior(&self.preparation, leaf, to_play)
        leaf.to_play, leaf.last = to_play, last
        list_moves(leaf, self.preparation.cells)
        self.playouts.evaluate(self.playouts.data, leaf)
