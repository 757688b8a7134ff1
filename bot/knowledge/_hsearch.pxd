"""H-search: virtual connections of a colour; see _hsearch.h."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t

from trivalent.bot.knowledge._bitset cimport cells_t

cdef extern from "bot/knowledge/_hsearch.h" nogil:
    enum:
        HSEARCH_CHAINS
        HSEARCH_SEMIS
        HSEARCH_BASE
        HSEARCH_AND
        HSEARCH_OR
        HSEARCH_CROSS
        HSEARCH_TRIPOD
        HSEARCH_KEY

    ctypedef struct hsearch_t:
        int cells
        const int16_t* around
        const int16_t* far
        int shared
        int max_fulls
        int max_semis
        int greedy_fulls
        int max_equal_fulls
        int max_ors
        int max_size
        int max_between
        int and_over_edge
        int max_extension
        int share_captured
        int crossing_rounds
        int key_probes
        void* memory

    ctypedef struct hsearch_link_t:
        cells_t carrier
        int end[2]
        int size
        int key
        int rule
        int parts
        const int32_t* part
        int next

    ctypedef struct hsearch_wires_t:
        int bridges
        double cells
        double semis
        double chains

    int64_t hsearch_bytes(int cells)
    int hsearch_build(const hsearch_t* h, const uint8_t* stones, int colour, int enough)
    int hsearch_follow(
        const hsearch_t* h, const hsearch_t* before, const uint8_t* stones, int enough
    )
    int hsearch_joined(const hsearch_t* h)
    int hsearch_between_sides(
        const hsearch_t* h, int full, cells_t* carriers, int16_t* keys
    )
    double hsearch_resistance(
        const hsearch_t* h, const hsearch_wires_t* wires, float* currents
    )
    int hsearch_colour(const hsearch_t* h)
    int hsearch_chains(const hsearch_t* h)
    int hsearch_point(const hsearch_t* h, int cell)
    int hsearch_first(const hsearch_t* h, int first, int last, int full)
    int hsearch_link(const hsearch_t* h, int number, hsearch_link_t* link)
