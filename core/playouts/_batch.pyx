"""A batch of playouts: fill a position in 512 random ways at once, find the winners and count.

The steps are the kernels of core/connection/_sliced.h.  `statistics` plays one batch after the
other; the search plays one at each leaf of its tree.
"""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from trivalent.core._isa cimport SLICE_WORDS, kernels, rhombus_t, slice_t
from trivalent.core.playouts._playout cimport choose
from trivalent.core._random cimport rng_below, rng_next, rng_seed, rng_t
from trivalent.core.connection._sliced cimport (
    Slices, is_bridge, pair_t, side_slot, slice_set, slices_decide, slices_load, slices_new,
    slices_scratch, slices_t
)

cdef extern from *:
    int __builtin_popcountll(unsigned long long x) noexcept nogil


cdef bint batch_init(batch_t* batch, const slices_t* board, fill_t how, int words) except -1:
    """Prepare for playouts on a board, 64 for each of ``words`` words.

    Raise MemoryError if memory runs out; even then, call `batch_free`.
    """
    memset(batch, 0, sizeof(batch_t))
    batch.board = board
    batch.kernel = &kernels().sliced
    batch.how = how
    batch.words = words
    batch.cells = slices_new(board.slots + 3)
    batch.work = slices_scratch(board)
    batch.stones = <uint8_t*> calloc(board.cells, 1)
    batch.weights = <uint8_t*> calloc(board.slots, 1)
    batch.empty = <int16_t*> calloc(board.cells, sizeof(int16_t))
    batch.free_slots = <int16_t*> calloc(board.cells, sizeof(int16_t))
    batch.order = <int16_t*> calloc(board.cells, sizeof(int16_t))
    batch.paired = <int16_t*> calloc(board.cells + 1, sizeof(int16_t))
    batch.rhombi = <rhombus_t*> calloc(board.pair_count + 1, sizeof(rhombus_t))
    batch.shuffled = <rhombus_t*> calloc(board.pair_count + 1, sizeof(rhombus_t))
    if not (
        batch.stones and batch.weights and batch.empty and batch.free_slots and batch.order
        and batch.paired and batch.rhombi and batch.shuffled
    ):
        raise MemoryError
    slices_load(board, batch.cells, False)
    slices_load(board, batch.work, False)
    if how.in_turn:  # ``work`` holds White's stones then: none of the template, but White's sides
        slice_set(&batch.work[board.black_side], False)
        slice_set(&batch.work[board.white_side], True)
    return True


cdef void batch_free(batch_t* batch) noexcept nogil:
    free(batch.cells)
    free(batch.work)
    free(batch.stones)
    free(batch.weights)
    free(batch.empty)
    free(batch.free_slots)
    free(batch.order)
    free(batch.paired)
    free(batch.rhombi)
    free(batch.shuffled)


cdef void batch_seed(batch_t* batch, uint64_t seed, uint64_t number) noexcept nogil:
    """Seed a batch: its random numbers depend on the seed and the batch's number only."""
    cdef rng_t one
    cdef uint64_t key
    cdef int word, i
    rng_seed(&one, seed)
    key = rng_next(&one)  # scatters seeds: batch 1 of one seed must not be batch 0 of the next
    for word in range(SLICE_WORDS):
        rng_seed(&one, key ^ (number * SLICE_WORDS + word))
        for i in range(4):
            batch.rng.s[i].word[word] = one.s[i]
    rng_seed(&batch.shuffler, ~key ^ number)


cdef void find_pairs(batch_t* batch) noexcept nogil:
    """List the bridges of the position, and the pairs of cells that repair may have to mend."""
    cdef const slices_t* board = batch.board
    cdef uint8_t* stones = batch.stones
    cdef const pair_t* pair
    cdef rhombus_t* rhombus
    cdef int i, far
    batch.pairs = 0
    batch.rhombus_count = 0
    if batch.how.bridges:
        for i in range(board.pair_count):
            pair = &board.pairs[i]
            if is_bridge(pair, stones):
                stones[pair.p] = stones[pair.q] = 3  # no longer free, for this loop and the caller
                batch.paired[batch.pairs] = board.slot[pair.p]
                batch.paired[batch.pairs + 1] = board.slot[pair.q]
                batch.pairs += 2
    if batch.how.repair:
        for i in range(board.pair_count):
            pair = &board.pairs[i]
            if stones[pair.p] == 0 and stones[pair.q] == 0:
                rhombus = &batch.rhombi[batch.rhombus_count]
                rhombus.p = board.slot[pair.p]
                rhombus.q = board.slot[pair.q]
                rhombus.end = board.slot[pair.end]
                rhombus.far_black = rhombus.far_white = far = side_slot(board, pair)
                if far == board.common_side:  # its bit is set; White needs a clear bit
                    rhombus.far_white = board.white_side
                batch.rhombus_count += 1


cdef void batch_place(
    batch_t* batch, const uint8_t* stones, int to_play, int last
) noexcept nogil:
    """Load a position: its stones, the side to move, and the cell just played, or -1."""
    cdef const slices_t* board = batch.board
    cdef int cell
    memcpy(batch.stones, stones, board.cells)
    batch.last = -1 if last < 0 else board.slot[last]
    batch.empties = 0
    for cell in range(board.cells):
        slice_set(&batch.cells[board.slot[cell]], stones[cell] == 1)
        if stones[cell] == 0:
            batch.empty[batch.empties] = board.slot[cell]
            batch.empties += 1
    if batch.how.in_turn:
        return
    batch.black = (batch.empties + 1) // 2 if to_play == 1 else batch.empties // 2
    find_pairs(batch)
    batch.frees = 0
    for cell in range(board.cells):
        if batch.stones[cell] == 0:
            batch.free_slots[batch.frees] = board.slot[cell]
            batch.frees += 1


cdef void fill_in_turn(batch_t* batch) noexcept nogil:
    cdef const slices_t* board = batch.board
    cdef int cell, i
    for i in range(batch.empties):
        slice_set(&batch.cells[batch.empty[i]], False)
    for cell in range(board.cells):
        slice_set(&batch.work[board.slot[cell]], batch.stones[cell] == 2)
    memcpy(batch.order, batch.empty, batch.empties * sizeof(int16_t))
    choose(&batch.shuffler, batch.order, batch.empties, batch.empties)
    batch.kernel.fill(
        &batch.rng, batch.cells, batch.work, batch.order, batch.empties,
        batch.weights if batch.how.weighted else NULL, board.replies, board.first,
        board.edge_replies if batch.how.templates else NULL, board.first_edge, batch.last,
        batch.words
    )


cdef void fill_at_once(batch_t* batch) noexcept nogil:
    cdef slice_t* cells = batch.cells
    cdef int16_t* order = batch.order
    cdef int16_t* paired = batch.paired
    cdef rhombus_t* rhombi = batch.shuffled
    cdef int i, j, word
    batch.kernel.coins(&batch.rng, cells, batch.free_slots, batch.frees, batch.words)
    for i in range(0, batch.pairs, 2):
        batch.kernel.coins(&batch.rng, cells, &paired[i], 1, batch.words)
        for word in range(batch.words):
            cells[paired[i + 1]].word[word] = ~cells[paired[i]].word[word]
    if batch.how.balanced:
        memcpy(order, batch.free_slots, batch.frees * sizeof(int16_t))
        choose(&batch.shuffler, order, batch.frees, batch.frees)
        batch.kernel.balance(
            cells, order, batch.frees, batch.black - batch.pairs // 2, batch.words
        )
    if batch.how.repair:  # in random order: any fixed order favours a colour
        memcpy(rhombi, batch.rhombi, batch.rhombus_count * sizeof(rhombus_t))
        for i in range(batch.rhombus_count):
            j = i + <int> rng_below(&batch.shuffler, batch.rhombus_count - i)
            rhombi[i], rhombi[j] = rhombi[j], rhombi[i]
        batch.kernel.repair(
            &batch.rng, cells, rhombi, batch.rhombus_count, batch.how.repair, batch.words
        )


cdef void batch_play(batch_t* batch, slice_t* wins) noexcept nogil:
    """Fill the empty cells of all boards; write to ``wins`` the boards that Black wins."""
    if batch.how.in_turn:
        fill_in_turn(batch)
    else:
        fill_at_once(batch)
    slices_decide(batch.board, batch.cells, batch.work, 1, wins, batch.words)


cdef int batch_count(
    const batch_t* batch, const slice_t* wins, int boards, int64_t* owned, int64_t* won
) noexcept nogil:
    """Count over the first ``boards`` playouts.

    Return how many of them Black wins.  Add to ``owned`` and ``won``, for each empty cell, in how
    many Black owns the cell, and in how many he owns it and wins.
    """
    cdef slice_t mask
    cdef int i, total = 0
    for i in range(SLICE_WORDS):
        mask.word[i] = (
            ~<uint64_t> 0 if boards >= 64 * (i + 1)
            else (<uint64_t> 1 << (boards - 64 * i)) - 1 if boards > 64 * i else 0
        )
    for i in range(batch.words):
        total += __builtin_popcountll(wins.word[i] & mask.word[i])
    batch.kernel.count(
        batch.cells, batch.empty, batch.empties, wins, &mask, owned, won, batch.words
    )
    return total


def statistics(
    Slices board not None, const uint8_t[::1] stones not None, int to_play, int last,
    Py_ssize_t count, seed, bint in_turn, bint balanced, bint bridges, int repair,
    int words=SLICE_WORDS, const uint8_t[::1] weights=None, bint templates=False
):
    """Count wins, and ownership of each empty cell; see `playout.statistics`.

    With fewer words, a batch has 64 playouts for each word: the first ones of a whole batch.
    ``weights`` has a byte for each cell, 0 to 16.
    """
    cdef batch_t batch
    cdef int64_t* owned = NULL
    cdef int64_t* won = NULL
    cdef slice_t wins
    cdef uint64_t seed64 = seed & 0xFFFFFFFFFFFFFFFF
    cdef int64_t total = 0, b, boards = 64 * words
    cdef int i
    try:
        batch_init(
            &batch, &board.c,
            fill_t(
                in_turn=in_turn, balanced=balanced, bridges=bridges, repair=repair,
                templates=templates, weighted=weights is not None
            ),
            words
        )
        if weights is not None:
            for i in range(board.c.cells):
                batch.weights[board.c.slot[i]] = weights[i]
        owned = <int64_t*> calloc(board.c.cells, sizeof(int64_t))
        won = <int64_t*> calloc(board.c.cells, sizeof(int64_t))
        if not (owned and won):
            raise MemoryError
        with nogil:
            batch_place(&batch, &stones[0], to_play, last)
            for b in range((count + boards - 1) // boards):
                batch_seed(&batch, seed64, b)
                batch_play(&batch, &wins)
                total += batch_count(&batch, &wins, min(boards, count - b * boards), owned, won)
        return (
            total,
            [owned[i] for i in range(batch.empties)],
            [won[i] for i in range(batch.empties)],
        )
    finally:
        batch_free(&batch)
        free(owned)
        free(won)
