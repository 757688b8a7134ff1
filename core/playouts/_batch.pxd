"""A block of playouts of one position: filled, reduced and counted without the GIL."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t

from trivalent.core._isa cimport rhombus_t, slice_rng_t, slice_t, sliced_t
from trivalent.core._random cimport rng_t
from trivalent.core.connection._sliced cimport slices_t

ctypedef struct fill_t:
    bint in_turn   # cell by cell, bridges answered as they are entered; else all cells at once, and
    bint balanced  # each colour gets its share of them,
    bint bridges   # the bridges of the position get a stone of each colour,
    int repair     # others that are lost are mended with this chance in 256

ctypedef struct batch_t:
    const slices_t* board
    const sliced_t* kernel
    fill_t how
    int words             # of a slice that are used: 64 boards each
    slice_rng_t rng
    rng_t shuffler
    slice_t* cells        # Black's stones, with the template and the sides
    slice_t* work         # White's stones while cells are filled in turn, then a reduction's
    uint8_t* stones       # per cell of the position
    int16_t* empty        # slots of the cells without a stone, in their order
    int16_t* free_slots   # those that get a coin
    int16_t* order        # of the empty or free slots
    int16_t* paired       # slots of bridges, two by two
    rhombus_t* rhombi     # that may be repaired
    rhombus_t* shuffled
    int empties
    int frees
    int pairs
    int rhombus_count
    int black             # stones that are Black's share of the empty cells
    int last              # slot of the stone just played, or -1

cdef bint batch_init(batch_t* batch, const slices_t* board, fill_t how, int words) except -1
cdef void batch_free(batch_t* batch) noexcept nogil
cdef void batch_seed(batch_t* batch, uint64_t seed, uint64_t block) noexcept nogil
cdef void batch_place(
    batch_t* batch, const uint8_t* stones, int to_play, int last
) noexcept nogil
cdef void batch_play(batch_t* batch, slice_t* wins) noexcept nogil
cdef int batch_count(
    const batch_t* batch, const slice_t* wins, int boards, int64_t* owned, int64_t* won
) noexcept nogil
