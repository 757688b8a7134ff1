"""The tree of a search: nodes with their moves in one piece of memory of fixed size.

The moves of a node lie side by side, attribute by attribute.  A proof is in plies to the end of the
game: positive if the player who has to decide wins, negative if it loses, 0 if nothing is known.
"""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t

from trivalent.bot._atomic cimport i64_load

ctypedef struct node_t:
    uint32_t visits    # of all moves
    uint32_t place     # while nodes are moved: where to, 0 if it is dropped
    int16_t proof      # for the side to move
    uint16_t count     # moves
    float value        # of the position for the side to move, when the node was made
    uint32_t filled    # whether what is filled in here is known, or about to be
    # and behind it, for each move:
    #   uint32_t child       the number of the node after it, or 0
    #   uint32_t visits
    #   float value          sum of the values for the side to move
    #   float rave           mean value of the samples in which the side to move owned the cell
    #   float policy         how likely it is that a strong player chooses the move
    #   uint16_t samples     their number, which stops at the largest one possible
    #   int16_t cell
    #   int16_t proof        for the side to move
    # and behind these, if the tree has room for it, bits for the cells that are filled in: those of
    # Black's, and behind them those of White's

ctypedef struct moves_t:  # where the attributes of a node's moves begin
    uint32_t* child
    uint32_t* visits
    float* value
    float* rave
    float* policy
    uint16_t* samples
    int16_t* cell
    int16_t* proof

ctypedef struct tree_t:
    char* memory
    int words          # of 32 bits, for the cells of a colour that are filled in at a node
    int64_t capacity   # in units of UNIT bytes; number 0 is no node
    int64_t used
    uint32_t origin    # where the tree began: the root of some search
    uint32_t root      # where the present search begins

cdef enum:
    UNIT = 16         # bytes
    FILLING = 1       # some thread is filling in,
    FILLED = 2        # all can read what has been filled in
    DROPPED = -32768  # in place of a proof: a move that is filled in, and need not be tried


cdef inline node_t* node_at(const tree_t* tree, uint32_t number) noexcept nogil:
    return <node_t*> (tree.memory + <size_t> number * UNIT)


cdef inline moves_t moves_of(const node_t* node) noexcept nogil:
    cdef moves_t moves
    cdef size_t n = node.count
    moves.child = <uint32_t*> (node + 1)
    moves.visits = moves.child + n
    moves.value = <float*> (moves.visits + n)
    moves.rave = moves.value + n
    moves.policy = moves.rave + n
    moves.samples = <uint16_t*> (moves.policy + n)
    moves.cell = <int16_t*> (moves.samples + n)
    moves.proof = moves.cell + n
    return moves


cdef inline uint32_t* filled_of(const node_t* node) noexcept nogil:
    """Where the bits of what is filled in at a node begin."""
    cdef size_t n = node.count
    return <uint32_t*> (<char*> (node + 1) + 26 * n + 2 * (n & 1))


cdef inline int64_t node_units(int count, int words) noexcept nogil:
    """What a node with so many moves takes."""
    cdef size_t n = count
    return <int64_t> (sizeof(node_t) + 26 * n + 2 * (n & 1) + 8 * words + UNIT - 1) // UNIT


cdef inline int proof_before(int proof) noexcept nogil:
    """What a proof means to the opponent, one ply before."""
    return -proof - 1 if proof > 0 else 1 - proof if proof < 0 else 0


cdef inline int64_t tree_scarcity(const tree_t* tree) noexcept nogil:
    """How much dearer room has become: 1 in the first half of the memory, 2 up to two thirds ..."""
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
