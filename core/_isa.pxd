"""The instruction set that the kernels use, chosen once."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "core/_isa.h" nogil:
    enum:
        FILLIN_ROWS
        LEVEL_BLOCK
        MOST_MOVES
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

    ctypedef struct sliced_t:
        void (*coins)(
            slice_rng_t* rng, slice_t* cells, const int16_t* slots, int n, int words
        ) noexcept nogil
        void (*fill)(
            slice_rng_t* rng, slice_t* black, slice_t* white, const int16_t* slots, int n,
            const reply_t* replies, const int32_t* first, int last, int words
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
        void (*count)(
            const slice_t* cells, const int16_t* slots, int n, const slice_t* wins,
            const slice_t* mask, int64_t* owned, int64_t* won, int words
        ) noexcept nogil

    ctypedef struct fillin_board_t:
        int height
        int16_t start[65]
        int16_t length[65]
        int16_t shift[65]
        uint64_t cells[65]
        uint64_t side[2][65]
        uint64_t shared[65]
        bint has_shared

    ctypedef int fill_in_t(
        const fillin_board_t* board, uint8_t* stones, int to_play, bint more, uint8_t* inferior
    ) noexcept nogil

    ctypedef bint reverse_t(
        const fillin_board_t* board, const uint8_t* stones, int to_play, int cell, uint8_t* needs
    ) noexcept nogil

    ctypedef void reversible_t(
        const fillin_board_t* board, const uint8_t* stones, int to_play, uint8_t* cells
    ) noexcept nogil

    ctypedef void dominated_t(
        const fillin_board_t* board, const uint8_t* stones, int to_play, uint8_t* cells
    ) noexcept nogil

    ctypedef struct attributes_t:
        const uint32_t* visits
        const float* value
        const float* policy
        float* rave
        uint16_t* samples
        const int16_t* cell
        const int16_t* proof

    ctypedef struct moves_kernels_t:
        int (*choose)(
            const attributes_t* moves, int n, float rave, float bonus, float follow
        ) noexcept nogil
        void (*sample)(const attributes_t* moves, int n, const float* rates) noexcept nogil

    ctypedef struct isa_t:
        const char* name
        reduction_t columns[4]
        sliced_t sliced
        fill_in_t* fill_in[3]
        reverse_t* reverse[3]
        reversible_t* reversible[3]
        dominated_t* dominated[3]
        moves_kernels_t moves

cdef const isa_t* kernels() noexcept nogil
