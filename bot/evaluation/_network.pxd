"""The network on one board: see network_file.py for what it computes."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t

cdef extern from "bot/evaluation/_network.h" nogil:
    enum:
        NETWORK_GIVEN
        NETWORK_GROUP
        NETWORK_MAX_SIDE
        NETWORK_MAX_SYMMETRIES
        NETWORK_ONE
        NETWORK_RINGS
        NETWORK_TAPS
        NETWORK_TILE
        PLANE_GIVEN

    ctypedef struct convolution_t:
        int inputs
        int outputs
        int taps
        const int8_t* weights
        const int32_t* bias
        const float* scale

    ctypedef struct dense_t:
        int inputs
        int outputs
        const int16_t* weights
        const int32_t* bias
        const float* scale

    ctypedef struct block_t:
        const float* activation
        convolution_t first
        convolution_t second
        dense_t pool

    ctypedef struct network_kernels_t:
        pass

    ctypedef struct network_t:
        const network_kernels_t* kernels
        int channels
        int planes
        int plane_stride
        int block_count
        bint has_ownership
        int plane[32]
        convolution_t input
        block_t block[64]
        const float* activation
        convolution_t head
        dense_t head_pool
        convolution_t outputs
        dense_t hidden
        dense_t value
        int cells
        int places
        int stride
        int symmetries
        int ring
        int taps[2][7]
        const uint8_t* empty[2]
        int16_t place[6][961]
        int32_t* board
        int32_t* trunk

    ctypedef struct network_scratch_t:
        pass

    ctypedef struct network_position_t:
        const uint8_t* stones
        int to_play
        int last[2]
        const uint8_t* filled
        const uint8_t* pruned
        const uint8_t* given[3]
        int symmetry

    bint network_has_vnni()
    const network_kernels_t* network_kernels_at(int index)
    network_scratch_t* network_scratch_new(const network_t* network)
    void network_scratch_free(network_scratch_t* scratch)
    void network_evaluate(
        const network_t* network, network_scratch_t* scratch, const network_position_t* position,
        float* policy, float* value, float* ownership
    )

# For modules that aren't linked to the kernels.
cdef network_scratch_t* new_scratch(const network_t* network) noexcept nogil
cdef void free_scratch(network_scratch_t* scratch) noexcept nogil


cdef class Network:
    cdef network_t c
    cdef network_scratch_t* scratch  # for evaluations from Python, which hold the GIL
    cdef uint8_t* memory
    cdef readonly object board
    cdef readonly object file
    cdef readonly str kernels
