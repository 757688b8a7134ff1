/* Atomic operations on memory that the threads of search and solver share.
 *
 * Loads, stores and adds are relaxed: they are never torn, but another thread may see them late.
 * Where one thread hands data to others, it writes the data first and then publishes or releases a
 * word; a thread that acquires this word sees all of the data.
 */
#ifndef TRIVALENT_ATOMIC_H
#define TRIVALENT_ATOMIC_H

#include <stdint.h>

#define RELAXED(type, name)                                                                        \
    static inline type name##_load(const type *at) {                                               \
        type value;                                                                                \
        __atomic_load(at, &value, __ATOMIC_RELAXED);                                               \
        return value;                                                                              \
    }                                                                                              \
    static inline void name##_store(type *at, type value) {                                        \
        __atomic_store(at, &value, __ATOMIC_RELAXED);                                              \
    }

RELAXED(int16_t, i16)
RELAXED(uint32_t, u32)
RELAXED(uint64_t, u64)
RELAXED(int64_t, i64)
RELAXED(float, f32)

/* Add, and return the value before. */
static inline uint32_t u32_add(uint32_t *at, uint32_t value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

/* Add unless the sum would exceed the limit; return the value before, or -1. */
static inline int64_t i64_take(int64_t *at, int64_t value, int64_t limit) {
    int64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    do {
        if (old > limit - value) return -1;
    } while (!__atomic_compare_exchange_n(at, &old, old + value, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return old;
}

static inline void f32_add(float *at, float value) {
    float old = f32_load(at), sum;
    do {
        sum = old + value;
    } while (!__atomic_compare_exchange(at, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* A spin lock, to be held for a few instructions only. */
static inline void lock(int32_t *at) {
    while (__atomic_exchange_n(at, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(at, __ATOMIC_RELAXED)) {}
}

static inline void unlock(int32_t *at) { __atomic_store_n(at, 0, __ATOMIC_RELEASE); }

static inline uint32_t u32_acquire(const uint32_t *at) {
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline void u32_release(uint32_t *at, uint32_t value) {
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}

/* Replace 0 and release; return 0 if another thread has replaced it already. */
static inline int u32_publish(uint32_t *at, uint32_t value) {
    uint32_t none = 0;
    return __atomic_compare_exchange_n(at, &none, value, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

#endif
