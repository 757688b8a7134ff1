"""Node analysis: who wins a position at once, or which moves need to be tried."""
from libc.stdint cimport int16_t, uint8_t

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._hsearch cimport HSEARCH_SEMIS, hsearch_t
from trivalent.bot.knowledge._fillin cimport (
    Filler, fill_in_t, fillin_board_t, reverse_t, reversible_t
)
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core.connection._triangle cimport triangle_t

ctypedef struct analyser_t:        # one thread's tools and scratch memory
    const triangle_t* triangle
    const fillin_board_t* fillin
    fill_in_t* fill_in
    reverse_t* reverse
    reversible_t* reversible
    hsearch_t hsearch
    uint8_t inferior[MAX_CELLS]
    float score[MAX_CELLS]

ctypedef struct node_analysis_t:
    int winner                     # 1 if the side to move wins, -1 if it loses, 0 if open
    int move                       # that wins; -1 if any cell of the carrier does
    cells_t carrier                # of the win
    int count
    int16_t cells[MAX_CELLS]       # moves worth a search, the most promising first
    int carrier_count              # the opponent's threats to win, all of which the side to move
    cells_t carriers[HSEARCH_SEMIS]  # must stop: their carriers

cdef int analyser_init(
    analyser_t* a, const triangle_t* triangle, Filler filler, Connections connections
) except -1
cdef void analyser_free(analyser_t* a) noexcept nogil
cdef int find_connections(
    const hsearch_t* h, uint8_t* stones, int to_play, bint may_connect, bint divide,
    float* currents, node_analysis_t* found
) noexcept nogil
cdef void analyse_node(
    analyser_t* a, uint8_t* stones, int to_play, bint may_connect, node_analysis_t* found
) noexcept nogil
