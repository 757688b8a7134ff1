"""The memory of the tree: nodes are added while it is searched, and dropped between searches.

A node is always behind the one that it was reached from.  So one pass from the front tells which
nodes hang on a new root, and another one moves them to the front.
"""
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memmove, memset

from trivalent.bot._atomic cimport i64_take
from trivalent.core._colours cimport opponent


cdef bint tree_init(tree_t* tree, size_t bytes, int words) except -1:
    """Make an empty tree of that size, with so many words for each colour's cells at a node.

    Raise MemoryError.
    """
    # Pages that are never touched cost nothing.
    tree.memory = <char*> malloc(bytes)
    if not tree.memory:
        raise MemoryError(f"no room for a tree of {bytes >> 20} MiB")
    tree.words = words
    tree.capacity = bytes // UNIT
    tree_clear(tree)
    return True


cdef void tree_free(tree_t* tree) noexcept nogil:
    free(tree.memory)


cdef void tree_clear(tree_t* tree) noexcept nogil:
    tree.used = 1
    tree.origin = tree.root = 0


cdef uint32_t tree_new(tree_t* tree, int count) noexcept nogil:
    """Return the number of a new node, all zero but for the count; 0 if there is no room.

    Any thread may call this.
    """
    cdef int64_t units = node_units(count, tree.words)
    cdef int64_t number = i64_take(&tree.used, units, tree.capacity)
    cdef node_t* node
    if number < 0:
        return 0
    node = node_at(tree, <uint32_t> number)
    memset(node, 0, units * UNIT)
    node.count = count
    return <uint32_t> number


cdef int64_t tree_count(const tree_t* tree) noexcept nogil:
    """Return the number of nodes."""
    cdef int64_t at = 1, nodes = 0
    while at < tree.used:
        nodes += 1
        at += node_units(node_at(tree, <uint32_t> at).count, tree.words)
    return nodes


cdef uint32_t find_below(
    const tree_t* tree, uint32_t number, uint8_t* stones, int to_play, const uint8_t* wanted,
    int wanted_to_play, int missing
) noexcept nogil:
    cdef const node_t* node = node_at(tree, number)
    cdef moves_t moves = moves_of(node)
    cdef uint32_t best = 0, found
    cdef int i, cell
    if missing == 0:
        return number if to_play == wanted_to_play else 0
    for i in range(node.count):
        cell = moves.cell[i]
        if moves.child[i] and wanted[cell] == to_play and stones[cell] == 0:
            stones[cell] = to_play
            found = find_below(
                tree, moves.child[i], stones, opponent(to_play), wanted, wanted_to_play, missing - 1
            )
            stones[cell] = 0
            if found and (not best or node_at(tree, found).visits > node_at(tree, best).visits):
                best = found
    return best


cdef uint32_t tree_find(
    const tree_t* tree, uint8_t* stones, int to_play, const uint8_t* wanted, int wanted_to_play,
    int cells
) noexcept nogil:
    """Return the most visited node with the stones wanted, by whatever order of moves; 0 if none.

    ``stones`` are those of the origin, and remain so; ``to_play`` is the side to move there.
    """
    cdef int cell, missing = 0
    if not tree.origin:
        return 0
    for cell in range(cells):
        if stones[cell] != wanted[cell]:
            if stones[cell]:
                return 0
            missing += 1
    return find_below(tree, tree.origin, stones, to_play, wanted, wanted_to_play, missing)


cdef void tree_keep(tree_t* tree, uint32_t number) noexcept nogil:
    """Make a node the origin and drop all that does not hang on it.  No search may be running."""
    cdef int64_t at = number, to = 1, units
    cdef node_t* node = node_at(tree, number)
    cdef moves_t moves
    cdef int i
    node.place = 1
    while at < tree.used:
        node = node_at(tree, <uint32_t> at)
        if node.place:  # marked as a node after one that is kept
            node.place = <uint32_t> to
            to += node_units(node.count, tree.words)
            moves = moves_of(node)
            for i in range(node.count):
                if moves.child[i]:
                    node_at(tree, moves.child[i]).place = 1
        at += node_units(node.count, tree.words)
    at = number
    while at < tree.used:
        node = node_at(tree, <uint32_t> at)
        units = node_units(node.count, tree.words)
        if node.place:
            moves = moves_of(node)
            for i in range(node.count):
                if moves.child[i]:
                    moves.child[i] = node_at(tree, moves.child[i]).place
            to = node.place
            node.place = 0
            memmove(node_at(tree, <uint32_t> to), node, units * UNIT)
            to += units
        at += units
    tree.used = to
    tree.origin = tree.root = 1
