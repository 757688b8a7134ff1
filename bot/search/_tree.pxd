"""The tree of a search: nodes of variable size, side by side in one block of memory.

Life of a node.  A thread that has evaluated a leaf takes room for a node (`tree_new`), fills it in
and publishes its number in ``child`` of the move that leads there; until then no other thread sees
it, and if another thread has published a node first the room is wasted.  From then on all threads
select moves, count visits and add values and RAVE samples.  At ``vc_visits`` visits one thread, or
sometimes several, looks for virtual connections and stores what it has learned.  Nodes are never
removed while a search runs; between searches `tree_keep` moves those below the new root to the
front and drops all others.

How threads share it.  Nothing is locked.  Fields are read and written whole (see bot/_atomic.h);
the remarks below say what else holds.
"""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t

from trivalent.bot._atomic cimport i64_load

ctypedef struct node_t:
    uint32_t visits    # of all moves; atomic adds on the way down
    uint32_t place     # used by `tree_keep` only: where the node moves to, 0 if it is dropped
    int16_t proven     # distance for the side to move; written more than once, always by a true one
    uint16_t count     # moves; never changes
    float value        # of the position for the side to move, by its evaluation; never changes
    # 0, FILLING or FILLED: one thread wins the change to FILLING, and releases the bits by the
    # change to FILLED, which readers acquire.
    uint32_t filled
    # The chance of the side to move to win, as the network says: 0 until it has been asked, then
    # written once, or several times by threads that have asked at the same time, with equal values.
    float judged
    # Behind it, for each move:
    #   uint32_t child       number of the node after the move, or 0; published once, then acquired
    #   uint32_t visits      atomic adds on the way down, before the value is known: a move that a
    #                        thread is busy with looks worse meanwhile (virtual loss)
    #   float value          sum of the values for the side to move; atomic adds on the way back
    #   float rave           mean of the RAVE samples: how often the side to move won when it owned
    #                        the cell; written without atomics, so that samples may get lost
    #   float prior          probability that a strong player chooses the move: first as evaluators
    #                        suggest, and then, written like `judged`, as the network says; a thread
    #                        may see some of both, and chooses a move of the one kind or the other
    #   uint16_t samples     number of RAVE samples, at most MAX_SAMPLES; as `rave`
    #   int16_t cell         never changes
    #   int16_t proven       distance or PRUNED, for the side to move; as the node's
    # Behind these, if the tree has room for it: one bit for each cell filled in with a black stone,
    # and one for each with a white stone.

ctypedef struct moves_t:  # where the attributes of a node's moves begin
    uint32_t* child
    uint32_t* visits
    float* value
    float* rave
    float* prior
    uint16_t* samples
    int16_t* cell
    int16_t* proven

ctypedef struct tree_t:
    char* memory
    int words          # of 32 bits, for a colour's filled-in cells at a node; 0: not stored
    int64_t capacity   # in units of UNIT bytes; unit 0 holds no node
    int64_t used       # atomic adds
    uint32_t origin    # node at which the tree began: the root of an earlier search
    uint32_t root      # node at which the present search begins

cdef enum:
    UNIT = 16         # bytes
    FILLING = 1       # a thread is storing the cells filled in,
    FILLED = 2        # all threads may read them


cdef inline node_t* node_at(const tree_t* tree, uint32_t number) noexcept nogil:
    return <node_t*> (tree.memory + <size_t> number * UNIT)


cdef inline moves_t moves_of(const node_t* node) noexcept nogil:
    cdef moves_t moves
    cdef size_t n = node.count
    moves.child = <uint32_t*> (node + 1)
    moves.visits = moves.child + n
    moves.value = <float*> (moves.visits + n)
    moves.rave = moves.value + n
    moves.prior = moves.rave + n
    moves.samples = <uint16_t*> (moves.prior + n)
    moves.cell = <int16_t*> (moves.samples + n)
    moves.proven = moves.cell + n
    return moves


cdef inline uint32_t* filled_of(const node_t* node) noexcept nogil:
    """Where the bits of the cells filled in at a node begin."""
    cdef size_t n = node.count
    return <uint32_t*> (<char*> (node + 1) + 26 * n + 2 * (n & 1))


cdef inline int64_t node_units(int count, int words) noexcept nogil:
    """The size of a node with ``count`` moves, in units."""
    cdef size_t n = count
    return <int64_t> (sizeof(node_t) + 26 * n + 2 * (n & 1) + 8 * words + UNIT - 1) // UNIT


cdef inline int64_t tree_scarcity(const tree_t* tree) noexcept nogil:
    """Multiplier of the expansion threshold as memory fills up: 1 until half is used, 2 until two
    thirds are, and so on.
    """
    return tree.capacity // max(tree.capacity - i64_load(&tree.used), 1)

cdef bint tree_init(tree_t* tree, size_t bytes, int words) except -1
cdef void tree_free(tree_t* tree) noexcept nogil
cdef void tree_clear(tree_t* tree) noexcept nogil
cdef uint32_t tree_new(tree_t* tree, int count) noexcept nogil
cdef int64_t tree_count(const tree_t* tree) noexcept nogil
cdef uint32_t tree_find(
    const tree_t* tree, uint8_t* stones, int to_play, const uint8_t* wanted, int wanted_to_play,
    int cells
) noexcept nogil
cdef void tree_keep(tree_t* tree, uint32_t number) noexcept nogil
