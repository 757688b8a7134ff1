"""The transposition table of df-pn: of fixed size, shared by threads."""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t

from trivalent.bot.knowledge._bitset cimport cells_t

cdef enum:
    INFINITE = 1 << 30  # a proof number: can't be proven

ctypedef struct position_key_t:
    uint64_t word[2]

ctypedef struct dfpn_data_t:  # what df-pn knows of a position
    uint32_t phi        # proof number: leaves to solve at least to show that the side to move wins
    uint32_t delta      # disproof number: the same for its loss; 0 and INFINITE if it's solved
    uint32_t work       # positions examined for this
    int16_t move        # a winning move, or the best one so far; -1 if none is known

ctypedef struct entry_t:
    position_key_t key
    uint32_t work
    int16_t move
    uint8_t busy        # threads at work on the position
    uint8_t state       # UNSOLVED, WON or LOST

ctypedef struct table_t:
    char* memory        # buckets of entries, each followed by phi and delta or by its carrier
    int32_t* locks
    uint64_t buckets
    int carrier_bytes
    int entry_bytes     # of an entry with what follows it

cdef bint table_init(table_t* table, size_t bytes, int cells) except -1
cdef void table_free(table_t* table) noexcept nogil
cdef void table_clear(table_t* table) noexcept nogil
cdef uint64_t table_count(const table_t* table) noexcept nogil
cdef int table_find(
    table_t* table, const position_key_t* key, dfpn_data_t* data, cells_t* carrier
) noexcept nogil
cdef void table_store(
    table_t* table, const position_key_t* key, const dfpn_data_t* data, const cells_t* carrier
) noexcept nogil
cdef void table_enter(table_t* table, const position_key_t* key) noexcept nogil
cdef void table_leave(table_t* table, const position_key_t* key) noexcept nogil
