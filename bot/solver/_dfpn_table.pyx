"""A table of fixed size for what a proof-number search knows of positions, shared by threads.

A position has its place in one bucket of four.  Where that is full, what took the least work gives
way; work that ended in a solution counts for more.  Keys have 128 bits: that two positions
share one is out of the question.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from trivalent.bot._atomic cimport lock, unlock
from trivalent.bot.knowledge._bitset cimport cells_t

cdef enum:
    BUCKET = 4    # entries
    LOCKS = 4096  # a power of two
    SOLVED = 16   # how many times as much its work counts


cdef bint table_init(table_t* table, size_t bytes, int cells) except -1:
    """Make an empty table of that size at most, for positions of so many cells.

    Raise MemoryError.
    """
    table.words = (cells + 63) // 64
    table.entry_bytes = sizeof(entry_t) + table.words * sizeof(uint64_t)
    table.buckets = max(bytes // (BUCKET * table.entry_bytes), 1)
    # Pages that are never touched cost nothing.
    table.memory = <char*> calloc(table.buckets, BUCKET * table.entry_bytes)
    table.locks = <int32_t*> calloc(LOCKS, sizeof(int32_t))
    if not table.memory or not table.locks:
        table_free(table)
        raise MemoryError(f"no room for a table of {bytes >> 20} MiB")
    return True


cdef void table_free(table_t* table) noexcept nogil:
    free(table.memory)
    free(table.locks)
    table.memory = NULL
    table.locks = NULL


cdef void table_clear(table_t* table) noexcept nogil:
    """Forget everything.  No other thread may use the table meanwhile."""
    memset(table.memory, 0, table.buckets * BUCKET * table.entry_bytes)


cdef inline bint is_free(const entry_t* entry) noexcept nogil:
    return entry.key.word[0] == 0 and entry.key.word[1] == 0


cdef uint64_t table_count(const table_t* table) noexcept nogil:
    """The entries in use."""
    cdef uint64_t i, used = 0
    for i in range(table.buckets * BUCKET):
        used += not is_free(<const entry_t*> (table.memory + i * table.entry_bytes))
    return used


cdef inline uint64_t bucket_of(const table_t* table, const position_key_t* key) noexcept nogil:
    return (key.word[0] >> 32) * table.buckets >> 32


cdef inline int32_t* lock_of(const table_t* table, uint64_t bucket) noexcept nogil:
    return &table.locks[bucket & (LOCKS - 1)]


cdef inline entry_t* entry_at(const table_t* table, uint64_t bucket, int i) noexcept nogil:
    return <entry_t*> (table.memory + (bucket * BUCKET + i) * table.entry_bytes)


cdef inline entry_t* find(
    const table_t* table, uint64_t bucket, const position_key_t* key
) noexcept nogil:
    cdef entry_t* entry
    cdef int i
    for i in range(BUCKET):
        entry = entry_at(table, bucket, i)
        if entry.key.word[0] == key.word[0] and entry.key.word[1] == key.word[1]:
            return entry
    return NULL


cdef inline bint is_solved(const bounds_t* bounds) noexcept nogil:
    return bounds.phi == 0 or bounds.delta == 0


cdef int table_find(
    table_t* table, const position_key_t* key, bounds_t* bounds, cells_t* carrier
) noexcept nogil:
    """Return how many threads are at work on a position, -1 if the table does not hold it.

    The carrier is told of solved positions only.
    """
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef const entry_t* entry
    cdef int busy = -1
    lock(guard)
    entry = find(table, bucket, key)
    if entry != NULL:
        bounds[0] = entry.bounds
        busy = entry.busy
        if is_solved(bounds):
            memset(carrier, 0, sizeof(cells_t))
            memcpy(carrier, <const char*> entry + sizeof(entry_t), table.words * sizeof(uint64_t))
    unlock(guard)
    return busy


cdef inline uint64_t worth(const bounds_t* bounds) noexcept nogil:
    return <uint64_t> bounds.work * (SOLVED if is_solved(bounds) else 1)


cdef entry_t* place_for(table_t* table, uint64_t bucket, const position_key_t* key) noexcept nogil:
    """The entry of a position, or the one that gives way to it."""
    cdef entry_t* entry = find(table, bucket, key)
    cdef entry_t* worst = entry_at(table, bucket, 0)
    cdef int i
    if entry != NULL:
        return entry
    for i in range(BUCKET):
        entry = entry_at(table, bucket, i)
        if is_free(entry):
            worst = entry
            break
        if worth(&entry.bounds) < worth(&worst.bounds):
            worst = entry
    worst.busy = 0
    worst.key = key[0]
    return worst


cdef void table_store(
    table_t* table, const position_key_t* key, const bounds_t* bounds, const cells_t* carrier
) noexcept nogil:
    """Keep what is known of a position, unless the table has its solution already."""
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef entry_t* entry
    lock(guard)
    entry = find(table, bucket, key)
    if entry == NULL or not is_solved(&entry.bounds) or is_solved(bounds):
        entry = place_for(table, bucket, key)
        entry.bounds = bounds[0]
        if is_solved(bounds):
            memcpy(<char*> entry + sizeof(entry_t), carrier, table.words * sizeof(uint64_t))
    unlock(guard)


cdef void table_enter(table_t* table, const position_key_t* key) noexcept nogil:
    """Tell that a thread takes up a position."""
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef entry_t* entry
    lock(guard)
    entry = find(table, bucket, key)
    if entry == NULL:
        entry = place_for(table, bucket, key)
        entry.bounds = bounds_t(phi=1, delta=1, work=0, move=-1)
    entry.busy += 1
    unlock(guard)


cdef void table_leave(table_t* table, const position_key_t* key) noexcept nogil:
    """Tell that a thread leaves a position, if the table still holds it."""
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef entry_t* entry
    lock(guard)
    entry = find(table, bucket, key)
    if entry != NULL and entry.busy:
        entry.busy -= 1
    unlock(guard)
