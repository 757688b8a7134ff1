"""What a search does with all moves of a node at once; see _selection.h."""
from libc.stdint cimport int16_t, uint16_t, uint32_t

cdef extern from "bot/search/_selection.h" nogil:
    enum:
        MAX_MOVES

    ctypedef struct attributes_t:
        const uint32_t* visits
        const float* value
        const float* prior
        float* rave
        uint16_t* samples
        const int16_t* cell
        const int16_t* proven

    ctypedef struct selection_t:
        int (*choose)(
            const attributes_t* moves, int n, float rave_weight, float bonus, float prior_weight,
            float puct
        ) noexcept nogil
        void (*sample)(const attributes_t* moves, int n, const float* rates) noexcept nogil

cdef const selection_t* selection() noexcept nogil
