"""The memory of the table of proven positions."""
from libc.stdlib cimport calloc, free


cdef bint proof_table_init(proof_table_t* table, size_t bytes) except -1:
    """Make an empty table of at most this size.  Raise MemoryError."""
    cdef size_t entries = 1
    while 2 * entries * sizeof(entry_t) <= bytes:
        entries *= 2
    # Pages that are never touched cost nothing.
    table.entries = <entry_t*> calloc(entries, sizeof(entry_t))
    if not table.entries:
        raise MemoryError
    table.mask = entries - 1
    return True


cdef void proof_table_free(proof_table_t* table) noexcept nogil:
    free(table.entries)
    table.entries = NULL
