"""One iteration of the search: from the root to a leaf, and back.

    descend    choose moves (_selection.h) and count their visits, until a move has no node;
               at some numbers of visits, use what can be proven (_node_knowledge), and ask the
               network (_judgement)
    evaluate   look the leaf up in the proof table, or fill it in and ask the evaluators (_evaluate)
    expand     make a node of the leaf's moves, with their priors and first RAVE samples
    back up    carry a proof up the path; add value and RAVE samples to the moves on the path

Threads iterate without locks; _tree.pxd says how they share each field of a node.
"""
from libc.math cimport NAN, log, sqrt
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from trivalent.bot._atomic cimport (
    f32_add, f32_load, i16_load, i16_store, u32_acquire, u32_add, u32_load, u32_publish
)
from trivalent.bot.evaluation._evaluator cimport evaluator_t, leaf_t
from trivalent.bot.search._evaluate cimport evaluate, evaluate_as_proven
from trivalent.bot.search._judgement cimport (
    add_judgement, judge_leaf, judge_node, remember_judgement
)
from trivalent.bot.search._node_knowledge cimport is_filled, use_knowledge
from trivalent.bot.search._proof_table cimport proof_table_get, proof_table_put, proof_table_t
from trivalent.bot.search._proven cimport LOST_IN_TWO, PRUNED, WON_IN_ONE, distance_before
from trivalent.bot.search._selection cimport attributes_t
from trivalent.bot.search._state cimport forget_rates, search_t
from trivalent.bot.search._tree cimport (
    FILLED, filled_of, moves_of, moves_t, node_at, tree_new, tree_scarcity
)
from trivalent.core._colours cimport colour_index, opponent


cdef inline attributes_t attributes_of(const node_t* node) noexcept nogil:
    cdef moves_t m = moves_of(node)
    return attributes_t(m.visits, m.value, m.prior, m.rave, m.samples, m.cell, m.proven)


cdef inline int mover_at(const search_t* s, int depth) noexcept nogil:
    """The side to move at a depth below the root."""
    return s.to_play if depth % 2 == 0 else opponent(s.to_play)


cdef int select(const search_t* s, const node_t* node) noexcept nogil:
    """Return the index of the move to follow, -1 if all are lost or pruned."""
    cdef attributes_t moves = attributes_of(node)
    cdef float bonus = s.exploration * sqrt(log(u32_load(&node.visits) + 1.0))
    if f32_load(&node.judged) > 0:
        return s.selection.choose(
            &moves, node.count, s.net_rave_weight, bonus, s.net_prior_weight,
            s.net_puct * sqrt(u32_load(&node.visits))
        )
    return s.selection.choose(&moves, node.count, s.rave_weight, bonus, s.prior_weight, 0)


cdef uint32_t make_node(worker_t* w, int to_play) noexcept nogil:
    """Return the number of a node for the leaf just evaluated, or 0 if there is no room."""
    cdef search_t* s = w.search
    cdef const leaf_t* leaf = &w.leaf
    cdef const evaluator_t* evaluator
    cdef uint32_t number = tree_new(&s.tree, leaf.choices)
    cdef node_t* node
    cdef moves_t m
    cdef int i, j, cell
    if not number:
        return 0
    node = node_at(&s.tree, number)
    m = moves_of(node)
    for i in range(s.evaluators):
        evaluator = &w.evaluators[i]
        if evaluator.priors != NULL:
            evaluator.priors(evaluator.data, leaf, m.prior)
    if w.judged > 0:
        memcpy(m.prior, w.priors, leaf.choices * sizeof(float))
        node.judged = w.judged
    node.proven = w.proven
    node.value = leaf.value if to_play == 1 else 1 - leaf.value
    for j in range(leaf.choices):
        cell = leaf.choice[j]
        m.cell[j] = cell
        m.rave[j] = leaf.rate[colour_index(to_play)][cell]
        m.samples[j] = s.rave_prior_count
        if w.proven > 0:
            m.proven[j] = WON_IN_ONE if cell == w.winning else 0
        elif w.proven < 0 or (w.forced >= 0 and w.forced != cell):
            m.proven[j] = LOST_IN_TWO
    return number


cdef int longest_loss(const node_t* node) noexcept nogil:
    """The distance of a node all of whose moves are lost or pruned; 0 or more for other nodes."""
    cdef moves_t m = moves_of(node)
    cdef int i, distance, longest = 0
    for i in range(node.count):
        distance = i16_load(&m.proven[i])
        if distance >= 0:
            return distance
        if distance != PRUNED:
            longest = min(longest, distance)
    return longest


cdef int proven_by_moves(const node_t* node) noexcept nogil:
    """The distance that the moves of a node prove: the shortest win, or else the longest loss."""
    cdef moves_t m = moves_of(node)
    cdef int i, distance, shortest = 0
    for i in range(node.count):
        distance = i16_load(&m.proven[i])
        if distance > 0 and (not shortest or distance < shortest):
            shortest = distance
    return shortest or longest_loss(node)


cdef void carry_up(worker_t* w, int distance) noexcept nogil:
    """Store the proven distance of the leaf, and of the nodes above it as far as it proves them."""
    cdef proof_table_t* proofs = &w.search.proofs
    cdef node_t* node
    cdef moves_t m
    cdef int depth = w.depth
    proof_table_put(proofs, w.keys[depth], distance)
    while depth > 0:
        depth -= 1
        node = w.path[depth]
        m = moves_of(node)
        distance = distance_before(distance)
        i16_store(&m.proven[w.taken[depth]], distance)
        if distance < 0:  # the side to move here may have other moves
            distance = longest_loss(node)
            if distance >= 0:
                return
        i16_store(&node.proven, distance)
        proof_table_put(proofs, w.keys[depth], distance)


cdef void back_up(worker_t* w) noexcept nogil:
    """Add the leaf's value and rates to the moves on the path, and take back its stones.

    A move on the path counts as played by its mover, so its cell has the value of the leaf as its
    rate for that colour, and none for the other.
    """
    cdef search_t* s = w.search
    cdef leaf_t* leaf = &w.leaf
    cdef moves_t m
    cdef attributes_t moves
    cdef int depth, mover, cell
    cdef float value
    for depth in range(w.depth):
        mover = mover_at(s, depth)
        cell = moves_of(w.path[depth]).cell[w.taken[depth]]
        leaf.stones[cell] = 0
        leaf.rate[colour_index(mover)][cell] = leaf.value if mover == 1 else 1 - leaf.value
        leaf.rate[colour_index(opponent(mover))][cell] = NAN
    for depth in range(w.depth):
        mover = mover_at(s, depth)
        value = leaf.value if mover == 1 else 1 - leaf.value
        m = moves_of(w.path[depth])
        f32_add(&m.value[w.taken[depth]], value)
        moves = attributes_of(w.path[depth])
        s.selection.sample(&moves, w.path[depth].count, leaf.rate[colour_index(mover)])


cdef void back_up_proven(worker_t* w, node_t* node, int colour, int distance) noexcept nogil:
    """End a path at a node that is proven, or all of whose moves are.

    Another thread has proven it and hasn't got further up yet; or two threads have proven its last
    moves at the same time, and neither saw the other's proof.
    """
    if not distance:
        distance = longest_loss(node)
        i16_store(&node.proven, distance)
    carry_up(w, distance)
    forget_rates(&w.leaf, w.search.arbiter.cells)
    w.leaf.value = (distance > 0) == (colour == 1)
    back_up(w)


cdef inline uint32_t follow(worker_t* w, node_t* node, int i, int colour) noexcept nogil:
    """Play the move with index i, count the visit, and return how many visits it had before."""
    cdef search_t* s = w.search
    cdef moves_t m = moves_of(node)
    cdef int cell = m.cell[i]
    cdef uint32_t visits
    # The move may have been in the tree before its cell was filled in.  Then what has been filled
    # in doesn't hold below it.
    if w.known_filled != NULL and is_filled(s, w.known_filled, cell):
        w.known_filled = NULL
    visits = u32_add(&m.visits[i], 1)
    u32_add(&node.visits, 1)
    w.path[w.depth] = node
    w.taken[w.depth] = i
    w.keys[w.depth + 1] = (
        w.keys[w.depth] ^ s.keys[colour_index(colour)][cell] ^ s.white_to_play
    )
    w.depth += 1
    w.leaf.stones[cell] = colour
    return visits


cdef void iterate(worker_t* w) noexcept nogil:
    """Search one leaf."""
    cdef search_t* s = w.search
    cdef node_t* node = node_at(&s.tree, s.tree.root)
    cdef moves_t m
    cdef int colour = s.to_play, i, distance
    cdef uint32_t child, visits, new
    w.depth = 0
    w.keys[0] = s.key
    w.known_filled = NULL
    w.judged = 0
    w.judgement = -1
    while True:
        visits = u32_load(&node.visits)
        if (
            s.connects and w.depth and (visits == s.vc_visits or visits == s.vc_wide_visits)
            and not i16_load(&node.proven)
        ):
            use_knowledge(w, node, colour, visits != s.vc_visits)
        if s.judge >= 0:
            if visits + 1 >= s.net_visits and not f32_load(&node.judged):
                judge_node(w, node, colour)
            remember_judgement(w, node, colour)
        if u32_acquire(&node.filled) == FILLED:
            w.known_filled = filled_of(node)
            w.known_depth = w.depth
        distance = i16_load(&node.proven)
        i = -1 if distance else select(s, node)
        if i < 0:
            back_up_proven(w, node, colour, distance)
            return
        visits = follow(w, node, i, colour)
        colour = opponent(colour)
        m = moves_of(node)
        child = u32_acquire(&m.child[i])
        if not child:
            break
        node = node_at(&s.tree, child)
    w.proven = proof_table_get(&s.proofs, w.keys[w.depth])
    if not w.proven:
        evaluate(w, colour, m.cell[i], True)
    if w.proven:
        evaluate_as_proven(w, colour)
        carry_up(w, w.proven)
        back_up(w)
        return
    if s.judge >= 0:
        if s.net_visits == 1:
            judge_leaf(w, colour)
        add_judgement(w)
    if visits + 1 >= s.expansion_threshold * tree_scarcity(&s.tree):
        new = make_node(w, colour)
        if new:
            u32_publish(&m.child[i], new)
    back_up(w)
