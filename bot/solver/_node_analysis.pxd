"""What can be told of a position at once: who wins, or which moves are worth a search."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._hsearch cimport HSEARCH_SEMIS, hsearch_t
from trivalent.core.playouts._batch cimport batch_t
from trivalent.bot.knowledge._fillin cimport (
    Filler, fill_in_t, fillin_board_t, reverse_t, reversible_t
)
from trivalent.core._isa cimport STONES_PADDING
from trivalent.core.connection._sliced cimport slices_t
from trivalent.core.connection._triangle cimport triangle_t

ctypedef struct examiner_t:        # of one thread
    const triangle_t* triangle
    const fillin_board_t* fillin
    fill_in_t* fill_in
    reverse_t* reverse
    reversible_t* reversible
    bint connects                  # whether connections can be found on the board
    hsearch_t hsearch
    batch_t batch
    uint8_t inferior[MAX_CELLS]
    int empties
    int16_t empty[MAX_CELLS]
    int64_t owned[MAX_CELLS]
    int64_t won[MAX_CELLS]
    float score[MAX_CELLS]

ctypedef struct examined_t:
    int winner                     # 1 if the side to move wins, -1 if it loses, 0 if that is open
    int move                       # that wins, -1 if any cell of the carrier does
    cells_t carrier                # of that win
    int count
    int16_t cells[MAX_CELLS]      # moves to be tried, the most promising ones first
    int ways                       # of the opponent to win, each of which has to be prevented:
    cells_t carriers[HSEARCH_SEMIS]  # what they need

cdef int examiner_init(
    examiner_t* e, const triangle_t* triangle, const slices_t* slices,
    Filler filler, Connections connections
) except -1
cdef void examiner_free(examiner_t* e) noexcept nogil
cdef void examine(
    examiner_t* e, const uint8_t* stones, int to_play, bint hopes, uint64_t seed,
    examined_t* found
) noexcept nogil
