"""What is known of positions, by whatever moves they come about: a table that threads share.

A position has one place, where the latest one to come stays.  Two words are written without a lock:
what is stored, and the key under it; they fit each other only if both are of one position.
"""
from libc.stdint cimport int16_t, uint16_t, uint64_t

from trivalent.bot._atomic cimport u64_load, u64_store

ctypedef struct entry_t:
    uint64_t key      # of the position, with the bits of the content changed in it
    uint64_t content

ctypedef struct proof_table_t:
    entry_t* entries
    uint64_t mask     # the number of entries, a power of 2, less 1

cdef enum:
    IS_PROOF = 1 << 16  # so that no content is 0


cdef inline int proof_table_get(const proof_table_t* known, uint64_t key) noexcept nogil:
    """The proof of a position for its side to move, 0 if none is known."""
    cdef const entry_t* entry = &known.entries[key & known.mask]
    cdef uint64_t content = u64_load(&entry.content)
    if content == 0 or u64_load(&entry.key) ^ content != key:
        return 0
    return <int16_t> <uint16_t> content


cdef inline void proof_table_put(proof_table_t* known, uint64_t key, int proof) noexcept nogil:
    cdef entry_t* entry = &known.entries[key & known.mask]
    cdef uint64_t content = <uint16_t> <int16_t> proof | <uint64_t> IS_PROOF
    u64_store(&entry.content, content)
    u64_store(&entry.key, key ^ content)

cdef bint proof_table_init(proof_table_t* known, size_t bytes) except -1
cdef void proof_table_free(proof_table_t* known) noexcept nogil
