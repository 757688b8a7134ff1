"""The network in the tree: when it is asked, and what its opinion changes.

A node that has been visited often enough (`net_visits`, 1: every leaf) is judged once.  From then
on its moves have the network's policy for priors, and the search chooses among them by other
weights.

The network's value counts in every leaf below the node, down to the next judged node: the value of
a leaf is its playouts' share of wins, mixed with the value of the lowest judged node on the path.
So the mean of a move is a mixture, in constant shares, of all playouts below it and of the
network's values there; a move whose node is not judged yet has its parent's value for the second
part, which makes it neither better nor worse than its siblings.  Rates of cells are mixed likewise,
since they stand for the value of moves not visited yet.

What is proven is left alone: proven leaves have their exact value, and selection never looks at the
prior of a lost move.
"""
from libc.stdint cimport int16_t

from trivalent.bot._atomic cimport f32_load, f32_store
from trivalent.bot.evaluation._evaluator cimport evaluator_t, leaf_t
from trivalent.bot.search._evaluate cimport examine
from trivalent.bot.search._tree cimport moves_of, moves_t


cdef int played_before(const worker_t* w, int moves) noexcept nogil:
    """The cell played this number of moves ago, 1 or 2, or -1."""
    cdef int depth = w.depth - moves
    if depth >= 0:
        return moves_of(w.path[depth]).cell[w.taken[depth]]
    return w.search.last if depth == -1 else w.search.previous


cdef float judge(worker_t* w, const int16_t* cells, int n) noexcept nogil:
    """Ask the network about the leaf just examined: set `priors`, and return its value."""
    cdef const evaluator_t* evaluator = &w.evaluators[w.search.judge]
    w.leaf.previous = played_before(w, 2)
    return evaluator.judge(evaluator.data, &w.leaf, cells, n, w.priors)


cdef void judge_node(worker_t* w, node_t* node, int to_play) noexcept nogil:
    """Ask the network about a node in the tree.

    Only final numbers are stored, since other threads choose moves here meanwhile.
    """
    cdef moves_t m = moves_of(node)
    cdef float value
    cdef int i
    examine(w, to_play, played_before(w, 1), True)
    value = judge(w, m.cell, node.count)
    for i in range(node.count):
        f32_store(&m.prior[i], w.priors[i])
    f32_store(&node.judged, value)


cdef void judge_leaf(worker_t* w, int to_play) noexcept nogil:
    """Ask the network about the leaf just evaluated, for the node that is made of it."""
    w.judged = judge(w, w.leaf.choice, w.leaf.choices)
    w.judgement = w.judged if to_play == 1 else 1 - w.judged


cdef void remember_judgement(worker_t* w, const node_t* node, int to_play) noexcept nogil:
    """Note the value of a node on the path, if it has been judged, for the leaf below it."""
    cdef float judged = f32_load(&node.judged)
    if judged > 0:
        w.judgement = judged if to_play == 1 else 1 - judged


cdef void add_judgement(worker_t* w) noexcept nogil:
    """Mix the lowest judgement on the path into value and rates of the leaf."""
    cdef leaf_t* leaf = &w.leaf
    cdef float weight = w.search.net_value_weight, black = w.judgement
    cdef int j, cell
    if black < 0 or weight == 0:
        return
    leaf.value += weight * (black - leaf.value)
    for j in range(leaf.empties):
        cell = leaf.empty[j]
        leaf.rate[0][cell] += weight * (black - leaf.rate[0][cell])
        leaf.rate[1][cell] += weight * (1 - black - leaf.rate[1][cell])
