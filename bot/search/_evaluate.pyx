"""The evaluation of a leaf: fill it in, ask the evaluators, and see what is proven at once."""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from trivalent.bot.evaluation._evaluator cimport evaluator_t, leaf_t
from trivalent.bot.evaluation._leaf cimport find_inferior, list_empties, list_moves
from trivalent.bot.search._proven cimport (
    FILLED_IN_WIN, LOST_IN_TWO, UNPROVEN, WON_IN_ONE, loss_to
)
from trivalent.bot.search._state cimport forget_rates
from trivalent.core._colours cimport colour_index, opponent
from trivalent.core._random cimport rng_next, rng_seed, rng_t
from trivalent.core.connection._arbiter cimport arbiter_has_won

cdef extern from *:
    int __builtin_ctz(unsigned int x) noexcept nogil


cdef int winning_cells(worker_t* w, int colour, int max_count, int* first) noexcept nogil:
    """Count, up to a limit, the cells at which a colour wins in one; also return the first of them.

    A colour that owns such a cell wins, so in the playouts it has always won with it.  Only cells
    that pass this test are tried.
    """
    cdef leaf_t* leaf = &w.leaf
    cdef int j, cell, found = 0
    cdef bint wins
    first[0] = -1
    for j in range(leaf.empties):
        if leaf.won[j] != (leaf.owned[j] if colour == 1 else leaf.black_wins):
            continue
        cell = leaf.empty[j]
        leaf.filled[cell] = colour
        wins = has_won(w.search, leaf.filled, colour)
        leaf.filled[cell] = 0
        if wins:
            if not found:
                first[0] = cell
            found += 1
            if found == max_count:
                break
    return found


cdef bint has_won(const search_t* s, const uint8_t* stones, int colour) noexcept nogil:
    """Whether a colour has won with the stones on the board."""
    return arbiter_has_won(s.arbiter, stones, colour)


cdef void apply_known_fill_in(worker_t* w) noexcept nogil:
    """Copy the stones into `filled`, and add the cells that a node above has filled in."""
    cdef const uint32_t* known = w.known_filled
    cdef int words = w.search.tree.words, i, colour
    cdef uint32_t left
    memcpy(w.leaf.filled, w.leaf.stones, w.search.arbiter.cells)
    if known == NULL:
        return
    for i in range(2 * words):
        colour = 1 if i < words else 2
        left = known[i]
        while left:
            w.leaf.filled[32 * (i - colour_index(colour) * words) + __builtin_ctz(left)] = colour
            left &= left - 1


cdef void examine(worker_t* w, int to_play, int last, bint fill) noexcept nogil:
    """Prepare the position on the board, and set its value and cell rates by the evaluators.

    ``last`` is the cell just played, or -1.  With ``fill``, cells are filled in first.
    """
    cdef const search_t* s = w.search
    cdef leaf_t* leaf = &w.leaf
    cdef const evaluator_t* evaluator
    cdef int i
    if fill and s.preparation.board:
        apply_known_fill_in(w)
        find_inferior(&s.preparation, leaf, to_play)
    else:
        memcpy(leaf.filled, leaf.stones, s.arbiter.cells)
        memset(leaf.inferior, False, s.arbiter.cells)
    leaf.to_play = to_play
    leaf.last = last
    list_moves(leaf, s.arbiter.cells)
    forget_rates(leaf, s.arbiter.cells)
    for i in range(s.evaluators):
        evaluator = &w.evaluators[i]
        if evaluator.evaluate != NULL:
            evaluator.evaluate(evaluator.data, leaf)


cdef void evaluate(worker_t* w, int to_play, int last, bint fill) noexcept nogil:
    """Evaluate the position on the board: set also what is proven of it.  See `examine`."""
    examine(w, to_play, last, fill)
    add_to_totals(w)
    prove_at_once(w, to_play, fill)
    if w.search.evaluation_noise > 0:
        add_noise(w)


cdef void prove_at_once(worker_t* w, int to_play, bint fill) noexcept nogil:
    """Set the proven distance if the game is over on the filled-in board, or can be in two plies.
    """
    cdef leaf_t* leaf = &w.leaf
    cdef int winner, threats
    w.proven = UNPROVEN
    w.winning = w.forced = -1
    # Whoever has won on the filled-in board has won every playout.
    winner = 1 if leaf.black_wins == leaf.playouts else 2 if leaf.black_wins == 0 else 0
    if winner and fill and has_won(w.search, leaf.filled, winner):
        leaf.choices = 0
        w.proven = FILLED_IN_WIN if winner == to_play else loss_to(FILLED_IN_WIN)
    elif winning_cells(w, to_play, 1, &w.winning):
        w.proven = WON_IN_ONE
    else:
        threats = winning_cells(w, opponent(to_play), 2, &w.forced)
        if threats != 1:
            w.forced = -1
        # If all moves that are left are inferior, none of them wins.
        if threats == 2 or leaf.choices == 0 or (
            w.forced >= 0 and w.leaf.inferior[w.forced]
        ):
            w.proven = LOST_IN_TWO


cdef inline float noisy(const search_t* s, float rate, uint64_t key) noexcept nogil:
    """A rate with a normal error that depends on the seed and the key alone."""
    cdef rng_t rng
    cdef uint64_t x
    rng_seed(&rng, key ^ s.noise_key)
    x = rng_next(&rng)
    # The sum of four 16-bit numbers is close enough to a normal distribution.
    x = (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48)
    rate += s.evaluation_noise * (<int64_t> x - 131070) / <float> 37837
    return min(max(rate, 0), 1)


cdef void add_noise(worker_t* w) noexcept nogil:
    """Add errors to the value of the leaf and to its rates, the same whenever it is evaluated."""
    cdef const search_t* s = w.search
    cdef leaf_t* leaf = &w.leaf
    cdef uint64_t key = w.keys[w.depth]
    cdef int colour, j, cell
    leaf.value = noisy(s, leaf.value, key)
    for j in range(leaf.empties):
        cell = leaf.empty[j]
        for colour in range(2):
            leaf.rate[colour][cell] = noisy(
                s, leaf.rate[colour][cell], key ^ s.keys[colour][cell]
            )


cdef void add_to_totals(worker_t* w) noexcept nogil:
    """Add the leaf's playouts to those of all leaves below this root."""
    cdef const leaf_t* leaf = &w.leaf
    cdef int cell, j
    w.playouts += leaf.playouts
    w.black_wins += leaf.black_wins
    for cell in range(w.search.arbiter.cells):
        if leaf.filled[cell] == 1:
            w.all_owned[cell] += leaf.playouts
            w.all_won[cell] += leaf.black_wins
    for j in range(leaf.empties):
        w.all_owned[leaf.empty[j]] += leaf.owned[j]
        w.all_won[leaf.empty[j]] += leaf.won[j]


cdef void evaluate_as_proven(worker_t* w, int to_play) noexcept nogil:
    """Set value and rates to the proven result: one colour wins, whatever cells anyone owns."""
    cdef leaf_t* leaf = &w.leaf
    cdef int j, cell
    list_empties(leaf, leaf.stones, w.search.arbiter.cells)
    leaf.value = (w.proven > 0) == (to_play == 1)
    for j in range(leaf.empties):
        cell = leaf.empty[j]
        leaf.rate[0][cell] = leaf.value
        leaf.rate[1][cell] = 1 - leaf.value
