"""What a search proves and fills in at nodes that it visits often [AHH].

Virtual connections between a colour's sides prove the position.  Those that lack one stone (semi
connections) of the opponent leave a mustplay: moves outside any of their carriers lose.  Cells
filled in by clique cutsets, and cells cut off by chains of connections, are stored with the node
and hold for its whole subtree.  Nodes do this twice, the second time within wider limits.
"""
from libc.stdint cimport int16_t, uint8_t, uint32_t
from libc.string cimport memcpy

from trivalent.bot._atomic cimport i16_load, i16_store, u32_publish, u32_release
from trivalent.bot.evaluation._evaluator cimport MAX_CELLS, leaf_t
from trivalent.bot.evaluation._leaf cimport find_inferior
from trivalent.bot.knowledge._bitset cimport cells_count, cells_has, cells_t
from trivalent.bot.knowledge._cutsets cimport fill_in_with_cutsets
from trivalent.bot.knowledge._hsearch cimport (
    HSEARCH_SEMIS, hsearch_between_sides, hsearch_build, hsearch_follow, hsearch_t
)
from trivalent.bot.knowledge._node_analysis cimport find_connections, node_analysis_t
from trivalent.bot.search._evaluate cimport apply_known_fill_in, has_won
from trivalent.bot.search._proven cimport CONNECTED_WIN, PRUNED, WON_IN_ONE, loss_to
from trivalent.bot.search._tree cimport FILLED, FILLING, filled_of, moves_of, moves_t
from trivalent.core._colours cimport colour_index, opponent

cdef enum:  # when an H-search stops
    JOINED_BY_FULL = 2  # once the sides are joined by a full connection,
    ALL = 3             # or not before it has found all connections

ctypedef struct carriers_t:  # of connections between a colour's sides, the smallest one first
    int count
    cells_t carrier[HSEARCH_SEMIS]


cdef inline carriers_t between_sides(const hsearch_t* h, bint full) noexcept nogil:
    """The carriers of the full or semi connections between the sides that an H-search has found.
    """
    cdef carriers_t found
    cdef int16_t keys[HSEARCH_SEMIS]
    found.count = hsearch_between_sides(h, full, found.carrier, keys)
    return found


cdef int filled_in_winner(const worker_t* w) noexcept nogil:
    """The colour that has won on the filled-in board, or 0."""
    cdef const search_t* s = w.search
    return 1 if has_won(s, w.leaf.filled, 1) else 2 if has_won(s, w.leaf.filled, 2) else 0


cdef void keep_filled(worker_t* w, node_t* node, int colour) noexcept nogil:
    """Store the cells filled in with the node, for its whole subtree, and prune inferior moves.

    A move that was left out for a better one may be needed once that one is filled in.  In the rare
    case that the node lacks a needed move, nothing is stored.  Other threads may be below a move
    that is pruned; `iterate` takes care of that.
    """
    cdef search_t* s = w.search
    cdef const uint8_t* stones = w.leaf.stones
    cdef const uint8_t* now = w.leaf.filled
    cdef moves_t m = moves_of(node)
    cdef uint32_t* filled = filled_of(node)
    cdef int i, cell, needed = 0, there = 0, words = s.tree.words
    find_inferior(&s.preparation, &w.leaf, colour)
    for cell in range(s.arbiter.cells):
        w.leaf.inferior[cell] |= now[cell] != 0
        needed += not w.leaf.inferior[cell]
    for i in range(node.count):
        there += not w.leaf.inferior[m.cell[i]]
    if needed == 0 or there < needed or not u32_publish(&node.filled, FILLING):
        return
    for cell in range(s.arbiter.cells):
        if now[cell] and not stones[cell]:
            filled[colour_index(now[cell]) * words + cell // 32] |= <uint32_t> 1 << cell % 32
    u32_release(&node.filled, FILLED)
    for i in range(node.count):
        if w.leaf.inferior[m.cell[i]] and not i16_load(&m.proven[i]):
            i16_store(&m.proven[i], PRUNED)


cdef void lose_outside_mustplay(
    node_t* node, const uint8_t* filled, const node_analysis_t* found
) noexcept nogil:
    """Prove that moves outside the mustplay lose: they leave the opponent a semi connection.

    ``filled`` is the position in which the connections were found.
    """
    cdef moves_t m = moves_of(node)
    cdef int i, j
    for i in range(node.count):
        if filled[m.cell[i]] or i16_load(&m.proven[i]):
            continue
        for j in range(found.carrier_count):
            if not cells_has(&found.carriers[j], m.cell[i]):
                i16_store(&m.proven[i], loss_to(CONNECTED_WIN))
                break


cdef bint has_gained(const worker_t* w, int colour) noexcept nogil:
    """Whether cells have been filled in for a colour that were not before the last move."""
    cdef const leaf_t* leaf = &w.leaf
    cdef int cell
    if w.known_filled == NULL or w.known_depth != w.depth - 1:
        return True
    for cell in range(w.search.arbiter.cells):
        if (
            leaf.filled[cell] == colour and leaf.stones[cell] != colour
            and not is_filled(w.search, w.known_filled, cell)
        ):
            return True
    return False


cdef int find_winner(worker_t* w, node_t* node, const hsearch_t* h, int colour) noexcept nogil:
    """Return the proven winner, or 0; also prove that moves of the node lose, and prune some.

    ``colour`` is to move.  It had no winning connection before the opponent's last move, or the
    opponent wouldn't have been allowed that move: its connections are searched for only if more
    cells have been filled in for it since.
    """
    cdef search_t* s = w.search
    cdef uint8_t* filled = w.leaf.filled
    cdef uint8_t connected[MAX_CELLS]
    cdef node_analysis_t found
    cdef int winner = 0, cut_off
    apply_known_fill_in(w)
    if s.cutsets:
        fill_in_with_cutsets(s.cutsets, filled)
        winner = filled_in_winner(w)
        if winner:
            return winner
    elif s.preparation.board:
        s.preparation.fill_in(s.preparation.board, filled, colour, False, NULL)
    memcpy(connected, filled, s.arbiter.cells)
    cut_off = find_connections(
        h, filled, colour, has_gained(w, colour), s.cutsets != NULL, NULL, &found
    )
    if found.winner < 0:
        return opponent(colour)
    lose_outside_mustplay(node, connected, &found)
    if found.winner > 0:
        return colour
    if s.cutsets:
        if cut_off:
            fill_in_with_cutsets(s.cutsets, filled)
            winner = filled_in_winner(w)
        if not winner:
            keep_filled(w, node, colour)
    return winner


cdef void use_knowledge(worker_t* w, node_t* node, int colour, bint wide) noexcept nogil:
    """Prove the position of a node or that its moves lose, and store what can be filled in.

    ``colour`` is to move.
    """
    cdef int winner = find_winner(w, node, &w.vc_wide if wide else &w.vc_quick, colour)
    if winner:
        i16_store(&node.proven, CONNECTED_WIN if winner == colour else loss_to(CONNECTED_WIN))


cdef void use_knowledge_at_root(worker_t* w, node_t* root, int colour) noexcept nogil:
    """As `use_knowledge`, but prove a win by a move: the one after which the carrier of the
    connection is smallest.
    """
    cdef search_t* s = w.search
    cdef uint8_t* stones = w.leaf.stones
    cdef moves_t m = moves_of(root)
    cdef carriers_t ours, rest
    cdef int i, cell, size, best = -1, smallest = MAX_CELLS
    cdef int joined = hsearch_build(&w.vc_wide, stones, colour, ALL)
    if joined:
        ours = between_sides(&w.vc_wide, joined == JOINED_BY_FULL)
        for i in range(root.count):
            cell = m.cell[i]
            if not cells_has(&ours.carrier[0], cell):
                continue
            stones[cell] = colour
            size = smallest
            if has_won(s, stones, colour):
                size = 0
            elif hsearch_follow(&w.vc_followed, &w.vc_wide, stones, ALL) == JOINED_BY_FULL:
                rest = between_sides(&w.vc_followed, True)
                size = cells_count(&rest.carrier[0])
            if size < smallest:
                smallest = size
                best = i
            stones[cell] = 0
    if best < 0:
        find_winner(w, root, &w.vc_wide, colour)
    else:
        i16_store(&m.proven[best], WON_IN_ONE + smallest)
        i16_store(&root.proven, WON_IN_ONE + smallest)
