"""A position as two circuits, one for each colour, and what they say about its moves."""
from libc.stdint cimport int16_t, uint8_t

from trivalent.bot.knowledge._bitset cimport MAX_CELLS
from trivalent.bot.knowledge._fillin cimport Filler, fill_in_t, fillin_board_t, reversible_t
from trivalent.bot.knowledge._hsearch cimport hsearch_t, hsearch_wires_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core.connection._triangle cimport Triangle, triangle_t

ctypedef struct circuit_t:   # how positions of a board become circuits
    const triangle_t* triangle
    const fillin_board_t* fillin
    fill_in_t* fill_in
    reversible_t* reversible
    bint fills_in            # whether dead and captured cells get stones, and inferior moves go
    bint connects            # whether H-search combines connections
    bint mustplay            # whether moves that stop no threat of the opponent go
    bint both                # whether a move's energy counts the opponent's circuit, too
    hsearch_wires_t wires

ctypedef struct frame_t:     # a position on the path of a search
    uint8_t stones[MAX_CELLS + STONES_PADDING]
    uint8_t filled[MAX_CELLS + STONES_PADDING]
    uint8_t inferior[MAX_CELLS]
    hsearch_t connections[2]
    bint is_connected        # whether both colours' connections have been built

ctypedef struct judgement_t:
    int winner               # 1 if the side to move wins, -1 if it loses, 0 if open
    double resistance[2]     # of Black's circuit and White's; only if open, as all that follows
    double value             # the logarithm of the opponent's resistance over one's own
    float energy[MAX_CELLS]  # of each empty cell: the current through it
    int count
    int16_t cells[MAX_CELLS]  # the moves worth a try, the most energetic first

cdef void enter_root(
    const circuit_t* c, frame_t* frame, const uint8_t* stones, int to_play
) noexcept nogil
cdef void enter(
    const circuit_t* c, frame_t* frame, const frame_t* parent, int cell, int colour
) noexcept nogil
cdef void judge(
    const circuit_t* c, frame_t* frame, const frame_t* parent, int to_play, judgement_t* found
) noexcept nogil
cdef void connect_both(
    const circuit_t* c, frame_t* frame, const frame_t* parent
) noexcept nogil
cdef bint owns_all(const circuit_t* c, const uint8_t* stones, int colour) noexcept nogil


cdef class Circuit:
    cdef circuit_t c
    cdef Triangle triangle
    cdef Filler filler
    cdef readonly Connections connections
    cdef readonly int cells

    cdef int prepare(self, frame_t* frame) except -1
