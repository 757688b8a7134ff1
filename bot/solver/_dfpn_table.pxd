"""A table of fixed size for what a proof-number search knows of positions, shared by threads."""
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t

from trivalent.bot.knowledge._bitset cimport cells_t

cdef enum:
    INFINITE = 1 << 30  # a number of proof

ctypedef struct position_key_t:
    uint64_t word[2]

ctypedef struct bounds_t:
    uint32_t phi        # what it takes to show that the side to move wins: 0 if it does,
    uint32_t delta      # or that it loses
    uint32_t work       # positions examined for that
    int16_t move        # that wins, or the best one so far; -1 if none is known

ctypedef struct entry_t:
    position_key_t key
    bounds_t bounds
    uint16_t busy       # threads at work on it

ctypedef struct table_t:
    char* memory        # buckets of entries, each followed by the words of its carrier
    int32_t* locks
    uint64_t buckets
    int words           # of a carrier
    int entry_bytes

cdef bint table_init(table_t* table, size_t bytes, int cells) except -1
cdef void table_free(table_t* table) noexcept nogil
cdef void table_clear(table_t* table) noexcept nogil
cdef uint64_t table_count(const table_t* table) noexcept nogil
cdef int table_find(
    table_t* table, const position_key_t* key, bounds_t* bounds, cells_t* carrier
) noexcept nogil
cdef void table_store(
    table_t* table, const position_key_t* key, const bounds_t* bounds, const cells_t* carrier
) noexcept nogil
cdef void table_enter(table_t* table, const position_key_t* key) noexcept nogil
cdef void table_leave(table_t* table, const position_key_t* key) noexcept nogil
