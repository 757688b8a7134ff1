"""A batch of up to 512 playouts of one position, played and counted without the GIL."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t

from trivalent.core._isa cimport rhombus_t, slice_rng_t, slice_t, sliced_t
from trivalent.core._random cimport rng_t
from trivalent.core.connection._sliced cimport slices_t

ctypedef struct fill_t:
    bint in_turn   # fill cell after cell and answer intrusions into bridges; the rest is unused
    bint balanced  # give each colour its share of the cells
    bint bridges   # give the two cells of a bridge to different colours
    int repair     # chance in 256 to mend a bridge that has lost both its cells
    bint templates  # in turn: also answer intrusions into edge templates
    bint weighted  # in turn: toss a stone's colour by `weights` instead of alternating

ctypedef struct batch_t:
    const slices_t* board
    const sliced_t* kernel
    fill_t how
    int words             # words in use of each slice: 64 playouts a word
    slice_rng_t rng
    rng_t shuffler
    slice_t* cells        # Black's stones, with the template and the sides
    slice_t* work         # White's stones during a fill in turn, then scratch for the reduction
    uint8_t* stones       # the position, a byte a cell
    uint8_t* weights      # by slot: chance in 16 that a stone is black, if weighted
    int16_t* empty        # slots of the empty cells, in the order of the cells
    int16_t* free_slots   # slots of the empty cells outside bridges
    int16_t* order        # the empty or the free slots, shuffled
    int16_t* paired       # slots of the cells of bridges, two by two
    rhombus_t* rhombi     # pairs of cells to check for repair
    rhombus_t* shuffled
    int empties
    int frees
    int pairs             # twice the number of bridges
    int rhombus_count
    int black             # Black's share of the empty cells
    int last              # slot of the stone just played, or -1

cdef bint batch_init(batch_t* batch, const slices_t* board, fill_t how, int words) except -1
cdef void batch_free(batch_t* batch) noexcept nogil
cdef void batch_seed(batch_t* batch, uint64_t seed, uint64_t number) noexcept nogil
cdef void batch_place(
    batch_t* batch, const uint8_t* stones, int to_play, int last
) noexcept nogil
cdef void batch_play(batch_t* batch, slice_t* wins) noexcept nogil
cdef int batch_count(
    const batch_t* batch, const slice_t* wins, int boards, int64_t* owned, int64_t* won
) noexcept nogil
