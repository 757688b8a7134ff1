"""The instruction set in use, chosen once at import, and the kernels of core."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "core/_kernels.h" nogil:
    enum:
        AIM_JOIN
        AIM_LOOP
        AIM_SCORE
        LEVEL_BLOCK
        MAX_SEEDS
        SLICE_WORDS
        STONES_PADDING

    ctypedef struct source_t:
        uint64_t cells
        int16_t start[4]

    ctypedef struct reduction_t:
        void (*pack)(
            const uint8_t* stones, int colour, const source_t* sources, int n,
            const uint64_t* frame, uint64_t* plane
        ) noexcept nogil
        int (*reduce)(uint64_t* plane, int bytes, int columns, int levels) noexcept nogil
        void (*reduce_many)(
            const uint64_t* planes, int bytes, int columns, int levels, int count, uint8_t* won
        ) noexcept nogil
        void (*build)(uint64_t* levels_of_plane, int bytes, int levels) noexcept nogil
        void (*toggle)(
            uint64_t* levels_of_plane, int bytes, int levels, int word, uint64_t bit
        ) noexcept nogil

    ctypedef struct slice_t:
        uint64_t word[8]

    ctypedef struct slice_rng_t:
        slice_t s[4]

    ctypedef struct slice_shape_t:
        int levels
        int columns
        int rows
        const int16_t* low
        const int16_t* high

    ctypedef struct rhombus_t:
        int16_t p
        int16_t q
        int16_t end
        int16_t far_black
        int16_t far_white

    ctypedef struct reply_t:
        int16_t partner
        int16_t end
        int16_t far

    ctypedef struct edge_reply_t:
        int16_t reply
        int16_t stone
        int16_t others[6]
        int16_t colours

    ctypedef struct flood_t:
        int aim
        int cells
        int nodes
        const int32_t* first
        const int16_t* neighbours
        const uint8_t* touches
        uint8_t goal[2]
        const int16_t* seeds
        int seed_count
        const uint8_t* is_corner

    ctypedef struct sliced_t:
        void (*coins)(
            slice_rng_t* rng, slice_t* cells, const int16_t* slots, int n, int words
        ) noexcept nogil
        void (*fill)(
            slice_rng_t* rng, slice_t* black, slice_t* white, const int16_t* slots, int n,
            const uint8_t* weights, const reply_t* replies, const int32_t* first,
            const edge_reply_t* edge_replies, const int32_t* first_edge, int last, int words
        ) noexcept nogil
        void (*balance)(
            slice_t* cells, const int16_t* slots, int n, int black, int words
        ) noexcept nogil
        void (*repair)(
            slice_rng_t* rng, slice_t* cells, const rhombus_t* pairs, int n, int chance, int words
        ) noexcept nogil
        void (*reduce)(
            const slice_t* cells, slice_t* work, const slice_shape_t* shape, slice_t* wins,
            int words
        ) noexcept nogil
        void (*flood)(
            const slice_t* cells, slice_t* work, const flood_t* flood, int colour, slice_t* wins,
            int words
        ) noexcept nogil
        void (*count)(
            const slice_t* cells, const int16_t* slots, int n, const slice_t* wins,
            const slice_t* mask, int64_t* owned, int64_t* won, int words
        ) noexcept nogil

    ctypedef struct core_kernels_t:
        reduction_t columns[4]
        sliced_t sliced

cdef int isa_index() noexcept nogil
cdef const core_kernels_t* kernels() noexcept nogil
