"""The path of the solver through the game: its positions, and what is known of their moves."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from trivalent.bot.solver._dfpn_table cimport bounds_t, position_key_t, table_t
from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_t
from trivalent.bot.solver._node_analysis cimport examined_t, examiner_t
from trivalent.bot.knowledge._hsearch cimport HSEARCH_SEMIS
from trivalent.core._isa cimport STONES_PADDING

cdef enum:
    MAX_SYMMETRIES = 6

cdef enum:  # states of a child
    UNSOLVED, REFUTED, NEEDLESS, DOMINATED

ctypedef struct child_t:
    position_key_t key
    uint32_t phi           # for the opponent, who is to move there
    uint32_t delta
    uint32_t work
    int16_t cell
    int16_t twin           # an earlier child that is the same position, or -1
    uint16_t busy          # other threads that are at it
    uint8_t symmetry
    uint8_t state
    int16_t dominator      # the child that is as good, if this one is dominated
    cells_t own            # cells that the move gives its side, its own one and what is filled in
    cells_t changed        # those that it gives either side
    cells_t carrier        # of the refutation

ctypedef struct frame_t:   # a position on the path of the search
    int to_play
    int symmetry           # that makes of it the position that is in the table
    position_key_t key
    position_key_t images[MAX_SYMMETRIES]  # keys of its images
    uint8_t stones[MAX_CELLS + STONES_PADDING]  # with all that is filled in
    bounds_t bounds
    cells_t carrier        # if it is solved
    examined_t found
    int count
    child_t children[MAX_CELLS]

ctypedef struct memo_t:    # an open position that has been examined
    int32_t guard
    position_key_t key
    int symmetry           # of the image in the table that it was examined as
    int count
    int ways
    uint8_t cells[MAX_CELLS]
    cells_t carriers[HSEARCH_SEMIS]

ctypedef struct solver_t:
    table_t table
    memo_t* memos          # a power of two of them
    uint64_t last_memo     # the number of the last one
    int cells
    int symmetries
    int16_t image[MAX_SYMMETRIES][MAX_CELLS]  # where a cell goes
    int16_t origin[MAX_SYMMETRIES][MAX_CELLS]  # where it comes from
    position_key_t stone_keys[2][MAX_CELLS]
    position_key_t to_play[2]
    double widening
    double patience
    int threads            # at work
    int64_t work           # positions examined by all of them
    int64_t nodes          # most of these
    double end
    const int* stop

ctypedef struct worker_t:
    solver_t* solver
    examiner_t examiner
    frame_t* frames
    int64_t work
    bint stopped

cdef void set_root(worker_t* w, const uint8_t* stones, int to_play) noexcept nogil
cdef void set_child(worker_t* w, const frame_t* frame, int move) noexcept nogil
cdef void add_gains(
    const solver_t* s, const uint8_t* before, const uint8_t* after, int colour, cells_t* carrier
) noexcept nogil
cdef cells_t mapped(const solver_t* s, const cells_t* cells, const int16_t* to) noexcept nogil
cdef void store(worker_t* w, const frame_t* frame) noexcept nogil
cdef bint load(worker_t* w, frame_t* frame) noexcept nogil
cdef void lose(worker_t* w, frame_t* frame) noexcept nogil
cdef void settle(
    worker_t* w, frame_t* frame, int number, const bounds_t* bounds, const cells_t* carrier
) noexcept nogil
cdef void drop_dominated(frame_t* frame) noexcept nogil
cdef void set_solved(frame_t* frame, int winner, int move) noexcept nogil


cdef inline bint is_solved(const bounds_t* bounds) noexcept nogil:
    return bounds.phi == 0 or bounds.delta == 0
