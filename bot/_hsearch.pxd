"""H-search between all points of a position."""
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t

cdef extern from "_hsearch.h" nogil:
    enum:
        HSEARCH_CELLS
        HSEARCH_WORDS
        HSEARCH_SEMIS

    ctypedef struct hsearch_all_t:
        int cells
        const int16_t* around
        int most_fulls
        int most_semis
        int most_size
        int most_between
        int most_ors
        void* memory

    int64_t hsearch_bytes(int cells)
    int hsearch_find(const hsearch_all_t* h, const uint8_t* stones, int colour, int enough)
    int hsearch_between_sides(
        const hsearch_all_t* h, int full, uint64_t (*carriers)[4], int16_t* keys
    )
    void hsearch_currents(const hsearch_all_t* h, float* currents)
