"""The memory of what is known of positions."""
from libc.stdlib cimport calloc, free


cdef bint proof_table_init(proof_table_t* known, size_t bytes) except -1:
    """Make an empty table of that size at most.  Raise MemoryError."""
    cdef size_t entries = 1
    while 2 * entries * sizeof(entry_t) <= bytes:
        entries *= 2
    # Pages that are never touched cost nothing.
    known.entries = <entry_t*> calloc(entries, sizeof(entry_t))
    if not known.entries:
        raise MemoryError
    known.mask = entries - 1
    return True


cdef void proof_table_free(proof_table_t* known) noexcept nogil:
    free(known.entries)
    known.entries = NULL
