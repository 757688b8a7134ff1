"""The transposition table of df-pn: of fixed size, shared by threads.

    bucket    | entry | entry | entry | entry |      one of the 4096 locks guards it
    unsolved  | key, 128 bits | work | move | busy | state | phi, delta |
    solved    | key, 128 bits | work | move | busy | state | carrier, 1 to 4 words |

The upper half of the key's first word chooses the bucket.  A new position takes a free entry of its
bucket, or else replaces the one that took the least work; work on a solved position counts 16
times.  With keys of 128 bits we neglect the chance that two positions share one.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from trivalent.bot._atomic cimport lock, unlock
from trivalent.bot.knowledge._bitset cimport cells_t

cdef enum:
    BUCKET = 4         # entries
    LOCKS = 4096       # a power of two
    SOLVED_WEIGHT = 16  # how many times the work on a solved position counts
    MAX_BUSY = 255     # more threads aren't counted

cdef enum:  # states of an entry; what the side to move does
    UNSOLVED
    WON
    LOST


cdef bint table_init(table_t* table, size_t bytes, int cells) except -1:
    """Make an empty table of at most ``bytes`` for positions of ``cells`` cells.

    Raise MemoryError if there's no room.
    """
    table.carrier_bytes = (cells + 63) // 64 * sizeof(uint64_t)
    table.entry_bytes = sizeof(entry_t) + table.carrier_bytes
    table.buckets = max(bytes // (BUCKET * table.entry_bytes), 1)
    # The system provides pages as they are touched.
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
    """Return the number of entries in use."""
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


cdef inline bint is_solved(const dfpn_data_t* data) noexcept nogil:
    return data.phi == 0 or data.delta == 0


cdef inline void unpack(const entry_t* entry, dfpn_data_t* data) noexcept nogil:
    cdef const uint32_t* numbers = <const uint32_t*> (entry + 1)
    data.work = entry.work
    data.move = entry.move
    if entry.state == UNSOLVED:
        data.phi = numbers[0]
        data.delta = numbers[1]
    else:
        data.phi = 0 if entry.state == WON else INFINITE
        data.delta = INFINITE if entry.state == WON else 0


cdef inline void pack(
    const table_t* table, entry_t* entry, const dfpn_data_t* data, const cells_t* carrier
) noexcept nogil:
    cdef uint32_t* numbers = <uint32_t*> (entry + 1)
    entry.work = data.work
    entry.move = data.move
    if is_solved(data):
        entry.state = WON if data.phi == 0 else LOST
        memcpy(entry + 1, carrier, table.carrier_bytes)
    else:
        entry.state = UNSOLVED
        numbers[0] = data.phi
        numbers[1] = data.delta


cdef int table_find(
    table_t* table, const position_key_t* key, dfpn_data_t* data, cells_t* carrier
) noexcept nogil:
    """Look up a position.  Return how many threads are at work on it, or -1 if it isn't there.

    ``carrier`` is set only if the position is solved.
    """
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef const entry_t* entry
    cdef int busy = -1
    lock(guard)
    entry = find(table, bucket, key)
    if entry != NULL:
        unpack(entry, data)
        busy = entry.busy
        if entry.state != UNSOLVED:
            memset(carrier, 0, sizeof(cells_t))
            memcpy(carrier, entry + 1, table.carrier_bytes)
    unlock(guard)
    return busy


cdef inline uint64_t value_of(const entry_t* entry) noexcept nogil:
    return <uint64_t> entry.work * (1 if entry.state == UNSOLVED else SOLVED_WEIGHT)


cdef entry_t* place_for(table_t* table, uint64_t bucket, const position_key_t* key) noexcept nogil:
    """Return the entry of a position, or the entry that it replaces."""
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
        if value_of(entry) < value_of(worst):
            worst = entry
    worst.busy = 0
    worst.key = key[0]
    return worst


cdef void table_store(
    table_t* table, const position_key_t* key, const dfpn_data_t* data, const cells_t* carrier
) noexcept nogil:
    """Store what is known of a position, unless the table already has its solution."""
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef entry_t* entry
    lock(guard)
    entry = find(table, bucket, key)
    if entry == NULL or entry.state == UNSOLVED or is_solved(data):
        pack(table, place_for(table, bucket, key), data, carrier)
    unlock(guard)


cdef void table_enter(table_t* table, const position_key_t* key) noexcept nogil:
    """Note that a thread starts work on a position."""
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef dfpn_data_t nothing
    cdef entry_t* entry
    lock(guard)
    entry = find(table, bucket, key)
    if entry == NULL:
        nothing = dfpn_data_t(phi=1, delta=1, work=0, move=-1)
        entry = place_for(table, bucket, key)
        pack(table, entry, &nothing, NULL)
    if entry.busy < MAX_BUSY:
        entry.busy += 1
    unlock(guard)


cdef void table_leave(table_t* table, const position_key_t* key) noexcept nogil:
    """Note that a thread ends work on a position, if the table still has it."""
    cdef uint64_t bucket = bucket_of(table, key)
    cdef int32_t* guard = lock_of(table, bucket)
    cdef entry_t* entry
    lock(guard)
    entry = find(table, bucket, key)
    if entry != NULL and entry.busy:
        entry.busy -= 1
    unlock(guard)
