"""The evaluation of a leaf: a position filled in, and a batch of playouts of it."""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from trivalent.bot.search._state cimport forget_rates
from trivalent.core._colours cimport colour_index, opponent
from trivalent.core.playouts._batch cimport batch_count, batch_place, batch_play
from trivalent.core._isa cimport slice_t
from trivalent.core._random cimport rng_next, rng_seed, rng_t
from trivalent.core.connection._triangle cimport MAX_WORDS, fill_plane, reduce_copy, triangle_t

cdef extern from *:
    int __builtin_ctz(unsigned int x) noexcept nogil

cdef enum:
    FILLED_WIN = 3  # plies that a win takes which is seen by filling in: more than one
    SHRINK = 4      # playouts of the value of the leaf itself, added to those of each cell


cdef int winning_cells(worker_t* w, int colour, int wins, int most, int* first) noexcept nogil:
    """Count, up to a limit, the cells by which a colour wins at once; also return the first one.

    Whoever has such a cell wins, in every playout: only where that is so has it to be tried.
    """
    cdef const triangle_t* t = w.search.triangle
    cdef uint64_t plane[MAX_WORDS]
    cdef uint64_t trial[MAX_WORDS]
    cdef int j, cell, found = 0
    cdef bint loaded = False
    first[0] = -1
    for j in range(w.empties):
        if w.won[j] != (w.owned[j] if colour == 1 else wins):
            continue
        cell = w.empty[j]
        if not loaded:
            fill_plane(t, w.filled, colour, plane)
            loaded = True
        memcpy(trial, plane, t.bytes)
        trial[t.word[cell]] |= t.bit[cell]
        if reduce_copy(t, trial):
            if not found:
                first[0] = cell
            found += 1
            if found == most:
                break
    return found


cdef bint joined(const search_t* s, const uint8_t* stones, int colour) noexcept nogil:
    """Whether a colour has won."""
    cdef uint64_t plane[MAX_WORDS]
    fill_plane(s.triangle, stones, colour, plane)
    return reduce_copy(s.triangle, plane)


cdef void start_filling(worker_t* w) noexcept nogil:
    """Set what is filled to the stones, and the cells that are known to be filled in above."""
    cdef const uint32_t* known = w.known_filled
    cdef int words = w.search.tree.words, i, colour
    cdef uint32_t left
    memcpy(w.filled, w.stones, w.search.triangle.cells)
    if known == NULL:
        return
    for i in range(2 * words):
        colour = 1 if i < words else 2
        left = known[i]
        while left:
            w.filled[32 * (i - colour_index(colour) * words) + __builtin_ctz(left)] = colour
            left &= left - 1


cdef void evaluate(worker_t* w, int to_play, int last, bint fill) noexcept nogil:
    """Play a batch: value and proof of the position, and the rates of its empty cells.

    First, cells are filled in if that is wanted.
    """
    cdef const search_t* s = w.search
    cdef int boards = s.boards, wins, white_wins, threats, cell, j, winner
    cdef slice_t won
    cdef float black_more, white_more
    if fill and s.fillin:
        start_filling(w)
        find_inferior(w, to_play)
    else:
        memcpy(w.filled, w.stones, s.triangle.cells)
        memset(w.inferior, False, s.triangle.cells)
    list_empties(w, w.filled)
    list_choices(w)
    batch_place(&w.batch, w.filled, to_play, last)
    batch_play(&w.batch, &won)
    memset(w.owned, 0, w.empties * sizeof(int64_t))
    memset(w.won, 0, w.empties * sizeof(int64_t))
    wins = batch_count(&w.batch, &won, boards, w.owned, w.won)
    tally(w, wins)
    white_wins = boards - wins
    w.value = wins / <float> boards
    w.proof = 0
    w.winning = w.forced = -1
    winner = 1 if white_wins == 0 else 2 if wins == 0 else 0
    if winner and fill and joined(s, w.filled, winner):
        w.choices = 0
        w.proof = FILLED_WIN if winner == to_play else -FILLED_WIN - 1
    elif winning_cells(w, to_play, wins, 1, &w.winning):
        w.proof = 1
    else:
        threats = winning_cells(w, opponent(to_play), wins, 2, &w.forced)
        if threats != 1:
            w.forced = -1
        # Where all that is left to choose from is inferior nothing wins.
        if threats == 2 or w.choices == 0 or (
            w.forced >= 0 and w.inferior[w.forced]
        ):
            w.proof = -2
    forget_rates(w)
    black_more = SHRINK * w.value
    white_more = SHRINK - black_more
    for j in range(w.empties):
        cell = w.empty[j]
        w.rate[0][cell] = (w.won[j] + black_more) / (w.owned[j] + SHRINK)
        w.rate[1][cell] = (white_wins - w.owned[j] + w.won[j] + white_more) / (
            boards - w.owned[j] + SHRINK
        )
    if s.noise > 0:
        misjudge(w)


cdef inline float misjudged(const search_t* s, float rate, uint64_t key) noexcept nogil:
    """A rate with an error that is the same whenever the same thing is judged."""
    cdef rng_t rng
    cdef uint64_t x
    rng_seed(&rng, key ^ s.noise_key)
    x = rng_next(&rng)
    # The sum of four numbers of 16 bits is near enough to a normal distribution.
    x = (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48)
    rate += s.noise * (<int64_t> x - 131070) / <float> 37837
    return min(max(rate, 0), 1)


cdef void misjudge(worker_t* w) noexcept nogil:
    """Add errors to the value of the leaf and to its rates."""
    cdef const search_t* s = w.search
    cdef uint64_t key = w.keys[w.depth]
    cdef int colour, j, cell
    w.value = misjudged(s, w.value, key)
    for j in range(w.empties):
        cell = w.empty[j]
        for colour in range(2):
            w.rate[colour][cell] = misjudged(
                s, w.rate[colour][cell], key ^ s.keys[colour][cell]
            )


cdef void tally(worker_t* w, int wins) noexcept nogil:
    """Add the batch to all the playouts under this root."""
    cdef int boards = w.search.boards, cell, j
    w.playouts += boards
    w.black_wins += wins
    for cell in range(w.search.triangle.cells):
        if w.filled[cell] == 1:
            w.all_owned[cell] += boards
            w.all_won[cell] += wins
    for j in range(w.empties):
        w.all_owned[w.empty[j]] += w.owned[j]
        w.all_won[w.empty[j]] += w.won[j]


cdef void find_inferior(worker_t* w, int to_play) noexcept nogil:
    """Fill in cells by patterns, and find those that the side to move need not try.

    These are cells where a reply makes a stone dead, and cells that others are preferable to.  If
    any move wins then one that no reply makes dead, and with it all that is preferable to it.
    """
    cdef const search_t* s = w.search
    cdef int cell
    s.fill_in(s.fillin, w.filled, to_play, False, w.inferior)
    if not s.prune:
        memset(w.inferior, False, s.triangle.cells)
        return
    for cell in range(s.triangle.cells):
        w.dominated[cell] = w.filled[cell] == 0 and not w.inferior[cell]
    s.find_dominated(s.fillin, w.filled, to_play, w.dominated)
    for cell in range(s.triangle.cells):
        w.inferior[cell] |= w.dominated[cell]


cdef void list_choices(worker_t* w) noexcept nogil:
    """List the moves of the side to move that are not inferior to others."""
    cdef int j, cell
    w.choices = 0
    for j in range(w.empties):
        cell = w.empty[j]
        if not w.inferior[cell]:
            w.choice[w.choices] = cell
            w.choices += 1


cdef void list_empties(worker_t* w, const uint8_t* stones) noexcept nogil:
    cdef int cell
    w.empties = 0
    for cell in range(w.search.triangle.cells):
        w.empty[w.empties] = cell
        w.empties += stones[cell] == 0


cdef void settle(worker_t* w, int to_play) noexcept nogil:
    """Make value and rates of the leaf those of its proof: whoever owns what, one colour wins."""
    cdef int j, cell
    list_empties(w, w.stones)
    w.value = (w.proof > 0) == (to_play == 1)
    for j in range(w.empties):
        cell = w.empty[j]
        w.rate[0][cell] = w.value
        w.rate[1][cell] = 1 - w.value
