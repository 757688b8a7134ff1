"""The stack of df-pn: the positions on its path, and what is known of their moves."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from trivalent.bot.solver._dfpn_table cimport dfpn_data_t, position_key_t, table_t
from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_t
from trivalent.bot.knowledge._node_analysis cimport node_analysis_t, analyser_t
from trivalent.bot.knowledge._hsearch cimport HSEARCH_SEMIS
from trivalent.bot.solver._playout_analysis cimport playout_analyser_t
from trivalent.core._isa cimport STONES_PADDING

cdef enum:
    MAX_SYMMETRIES = 60

cdef enum:  # states of a child
    UNSOLVED
    REFUTED     # its own search has refuted it
    IRRELEVANT  # another child's refutation doesn't need its cell, so it refutes this one, too
    DOMINATED   # another child is at least as good

ctypedef struct child_t:
    position_key_t key
    uint32_t phi           # from the opponent's point of view, who moves there
    uint32_t delta
    uint32_t work
    int16_t cell
    int16_t twin           # an earlier child that leads to the same position, or -1
    uint16_t busy          # other threads at work on it
    uint8_t symmetry
    uint8_t state
    int16_t dominator      # if this child is dominated, the one that is at least as good
    cells_t own            # cells that the move gives its side: its own cell and what is filled in
    cells_t theirs         # cells that it gives the opponent
    cells_t carrier        # of its refutation

ctypedef struct frame_t:   # a position on the path
    int to_play
    int symmetry           # maps the position to the image that is in the table
    position_key_t key
    position_key_t images[MAX_SYMMETRIES]  # the keys of its images
    uint8_t stones[MAX_CELLS + STONES_PADDING]  # filled in
    dfpn_data_t data
    cells_t carrier        # of the win, if it's solved
    node_analysis_t found
    int count
    child_t children[MAX_CELLS]

ctypedef struct memo_t:    # the analysis of an open position
    int32_t guard
    position_key_t key
    int symmetry           # of the image in the table as which it was analysed
    int count
    int carrier_count
    uint8_t cells[MAX_CELLS]
    cells_t carriers[HSEARCH_SEMIS]

ctypedef struct solver_t:  # shared by all threads
    table_t table
    memo_t* memos          # a power of two of them
    uint64_t last_memo     # the index of the last one
    int cells
    int symmetries
    int16_t image[MAX_SYMMETRIES][MAX_CELLS]  # where a symmetry takes a cell
    int16_t origin[MAX_SYMMETRIES][MAX_CELLS]  # which cell it takes there
    position_key_t stone_keys[2][MAX_CELLS]
    position_key_t to_play[2]
    double widening        # the share of unsolved moves that the search considers
    double patience        # how much worse than the second move the best one may become
    int threads            # at work
    int64_t work           # positions examined by all threads
    int64_t nodes          # limit of these; negative: none
    double end             # the time to stop, in seconds; negative: none
    const int* stop

ctypedef struct worker_t:  # one thread
    solver_t* solver
    analyser_t analyser    # its fill-in is NULL where `playout_analyser` takes its place
    playout_analyser_t playout_analyser
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
cdef void set_lost(worker_t* w, frame_t* frame) noexcept nogil
cdef void apply_solved_child(
    frame_t* frame, int number, const dfpn_data_t* data, const cells_t* carrier
) noexcept nogil
cdef void drop_dominated(frame_t* frame) noexcept nogil
cdef void set_solved(frame_t* frame, int winner, int move) noexcept nogil


cdef inline bint is_solved(const dfpn_data_t* data) noexcept nogil:
    return data.phi == 0 or data.delta == 0
