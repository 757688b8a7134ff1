"""What the tree learns of positions that are visited often [AHH].

What is filled in of the whole board is stored with the node, for all below it.  Virtual connections
of the opponent's sides prove that moves lose which leave them; connections of either side may prove
the position.  They are looked for twice, later more widely.
"""
from libc.stdint cimport int16_t, uint32_t

from trivalent.bot._atomic cimport i16_load, i16_store, u32_publish, u32_release
from trivalent.bot.knowledge._bitset cimport cells_count, cells_has, cells_t
from trivalent.bot.knowledge._decomposition cimport decompose
from trivalent.bot.knowledge._hsearch cimport (
    HSEARCH_SEMIS, hsearch_between_sides, hsearch_build, hsearch_follow, hsearch_t
)
from trivalent.bot.search._evaluate cimport find_inferior, joined, start_filling
from trivalent.bot.search._state cimport MAX_CELLS
from trivalent.bot.search._tree cimport DROPPED, FILLED, FILLING, filled_of, moves_of, moves_t
from trivalent.bot.knowledge._cutsets cimport fill_in_with_cutsets

cdef enum:
    LINKED_WIN = 5  # plies that a win takes which is seen by connections: more than by filling in
    ALL = 3         # connections: do not end the search for them when the sides are joined

ctypedef struct ways_t:  # to join the sides: their carriers, the smallest one first
    int count
    cells_t carrier[HSEARCH_SEMIS]


cdef inline ways_t ways_of(const hsearch_t* h, bint full) noexcept nogil:
    """What connects the sides of the colour that connections have been found of."""
    cdef ways_t ways
    cdef int16_t keys[HSEARCH_SEMIS]
    ways.count = hsearch_between_sides(h, full, ways.carrier, keys)
    return ways


cdef int winner_filled(const worker_t* w) noexcept nogil:
    """Who has won on the board as filled in, or 0."""
    cdef const search_t* s = w.search
    return 1 if joined(s, w.filled, 1) else 2 if joined(s, w.filled, 2) else 0


cdef void keep_filled(worker_t* w, node_t* node, int colour) noexcept nogil:
    """Store with a node what is filled in, for all below it, and drop the moves that need not be
    tried then.

    The moves that are needed are others than before: one that has been left out for a better one
    may be needed once that one is filled in.  In the rare case that one of them is not there
    nothing is stored.  Other threads may be below a move that is dropped, see `iterate`.
    """
    cdef search_t* s = w.search
    cdef moves_t m = moves_of(node)
    cdef uint32_t* filled = filled_of(node)
    cdef int i, cell, needed = 0, there = 0, words = s.tree.words
    find_inferior(w, colour)
    for cell in range(s.triangle.cells):
        w.inferior[cell] |= w.filled[cell] != 0
        needed += not w.inferior[cell]
    for i in range(node.count):
        there += not w.inferior[m.cell[i]]
    if needed == 0 or there < needed or not u32_publish(&node.filled, FILLING):
        return
    for cell in range(s.triangle.cells):
        if w.filled[cell] and not w.stones[cell]:
            filled[(w.filled[cell] - 1) * words + cell // 32] |= <uint32_t> 1 << cell % 32
    u32_release(&node.filled, FILLED)
    for i in range(node.count):
        if w.inferior[m.cell[i]] and not i16_load(&m.proof[i]):
            i16_store(&m.proof[i], DROPPED)


cdef void prune(worker_t* w, node_t* node, const ways_t* ways) noexcept nogil:
    """Prove that those moves lose that leave the opponent one of his ways to join the sides."""
    cdef moves_t m = moves_of(node)
    cdef int i, j
    for i in range(node.count):
        if w.filled[m.cell[i]] or i16_load(&m.proof[i]):
            continue
        for j in range(ways.count):
            if not cells_has(&ways.carrier[j], m.cell[i]):
                i16_store(&m.proof[i], -LINKED_WIN - 1)
                break


cdef bint has_gained(const worker_t* w, int colour) noexcept nogil:
    """Whether more is filled in for a colour than in the position before the last move."""
    cdef int cell
    if w.known_filled == NULL or w.known_depth != w.depth - 1:
        return True
    for cell in range(w.search.triangle.cells):
        if (
            w.filled[cell] == colour and w.stones[cell] != colour
            and not is_filled(w.search, w.known_filled, cell)
        ):
            return True
    return False


cdef int find_winner(worker_t* w, node_t* node, const hsearch_t* h, int colour) noexcept nogil:
    """Return who is known to win, or 0; then some moves may be proven to lose, or dropped.

    The side to move had nothing to win by before its opponent moved, or he would not have been
    allowed to move here: it is looked at only if something has been filled in for it.
    """
    cdef search_t* s = w.search
    cdef ways_t ways
    cdef int winner = 0, divided = 0
    start_filling(w)
    if s.regions:
        fill_in_with_cutsets(s.regions, w.filled)
        winner = winner_filled(w)
        if winner:
            return winner
    elif s.fillin:
        s.fill_in(s.fillin, w.filled, colour, False, NULL)
    if hsearch_build(h, w.filled, 3 - colour, 2) == 2:
        return 3 - colour
    ways = ways_of(h, False)
    prune(w, node, &ways)
    if s.regions:
        divided = decompose(h, w.filled)
    if has_gained(w, colour):
        if hsearch_build(h, w.filled, colour, 1):
            return colour
        if s.regions:
            divided += decompose(h, w.filled)
    if s.regions:
        if divided:
            fill_in_with_cutsets(s.regions, w.filled)
            winner = winner_filled(w)
        if not winner:
            keep_filled(w, node, colour)
    return winner


cdef void use_knowledge(worker_t* w, node_t* node, int colour, bint wide) noexcept nogil:
    """Prove the position of a node, or that moves lose, and learn what can be filled in."""
    cdef int winner = find_winner(w, node, &w.wide if wide else &w.quick, colour)
    if winner:
        i16_store(&node.proof, LINKED_WIN if winner == colour else -LINKED_WIN - 1)


cdef void learn_root(worker_t* w, node_t* root, int colour) noexcept nogil:
    """The same for the root, which is proven only if it is won, by the move that leaves the least
    to do.
    """
    cdef search_t* s = w.search
    cdef moves_t m = moves_of(root)
    cdef ways_t ways, left
    cdef int i, cell, size, best = -1, smallest = MAX_CELLS
    cdef int how_far = hsearch_build(&w.wide, w.stones, colour, ALL)
    if how_far:
        ways = ways_of(&w.wide, how_far == 2)
        for i in range(root.count):
            cell = m.cell[i]
            if not cells_has(&ways.carrier[0], cell):
                continue
            w.stones[cell] = colour
            size = smallest
            if joined(s, w.stones, colour):
                size = 0
            elif hsearch_follow(&w.spare, &w.wide, w.stones, ALL) == 2:
                left = ways_of(&w.spare, True)
                size = cells_count(&left.carrier[0])
            if size < smallest:
                smallest = size
                best = i
            w.stones[cell] = 0
    if best < 0:
        find_winner(w, root, &w.wide, colour)
    else:
        i16_store(&m.proof[best], 1 + smallest)
        i16_store(&root.proof, 1 + smallest)
