"""A table of proven positions, by hash: it holds them whatever the order of moves, and outlives
the tree.

Each position has one entry, which the latest position to use it keeps.  Threads share the table
without locks: an entry is two words, its content and the key XORed with the content, which only
match if one thread has written both.
"""
from libc.stdint cimport int16_t, uint16_t, uint64_t

from trivalent.bot._atomic cimport u64_load, u64_store

ctypedef struct entry_t:
    uint64_t key      # the position's hash XOR content
    uint64_t content  # IS_PROOF and the proven distance; 0 if empty

ctypedef struct proof_table_t:
    entry_t* entries
    uint64_t mask     # the number of entries, a power of 2, less 1

cdef enum:
    IS_PROOF = 1 << 16  # set in every content, so that none is 0


cdef inline int proof_table_get(const proof_table_t* table, uint64_t key) noexcept nogil:
    """Return the proven distance of a position, 0 if the table hasn't got it."""
    cdef const entry_t* entry = &table.entries[key & table.mask]
    cdef uint64_t content = u64_load(&entry.content)
    if content == 0 or u64_load(&entry.key) ^ content != key:
        return 0
    return <int16_t> <uint16_t> content


cdef inline void proof_table_put(proof_table_t* table, uint64_t key, int distance) noexcept nogil:
    cdef entry_t* entry = &table.entries[key & table.mask]
    cdef uint64_t content = <uint16_t> <int16_t> distance | <uint64_t> IS_PROOF
    u64_store(&entry.content, content)
    u64_store(&entry.key, key ^ content)

cdef bint proof_table_init(proof_table_t* table, size_t bytes) except -1
cdef void proof_table_free(proof_table_t* table) noexcept nogil
