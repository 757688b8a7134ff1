"""Atomic operations on memory that threads share; see _atomic.h."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t

cdef extern from "bot/_atomic.h" nogil:
    int16_t i16_load(const int16_t* at)
    void i16_store(int16_t* at, int16_t value)
    uint32_t u32_load(const uint32_t* at)
    uint64_t u64_load(const uint64_t* at)
    void u64_store(uint64_t* at, uint64_t value)
    uint32_t u32_add(uint32_t* at, uint32_t value)
    uint32_t u32_acquire(const uint32_t* at)
    void u32_release(uint32_t* at, uint32_t value)
    bint u32_publish(uint32_t* at, uint32_t value)
    int64_t i64_load(const int64_t* at)
    int64_t i64_take(int64_t* at, int64_t value, int64_t limit)
    float f32_load(const float* at)
    void f32_store(float* at, float value)
    void f32_add(float* at, float value)
    void lock(int32_t* at)
    void unlock(int32_t* at)
