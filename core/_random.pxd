"""Random numbers for the kernels: xoshiro256++ of Blackman and Vigna, seeded by splitmix64."""
from libc.stdint cimport uint32_t, uint64_t

ctypedef struct rng_t:
    uint64_t s[4]


cdef inline void rng_seed(rng_t* rng, uint64_t seed) noexcept nogil:
    cdef int i
    cdef uint64_t z
    for i in range(4):
        seed += <uint64_t> 0x9E3779B97F4A7C15
        z = seed
        z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
        z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
        rng.s[i] = z ^ (z >> 31)


cdef inline uint64_t rng_next(rng_t* rng) noexcept nogil:
    cdef uint64_t* s = rng.s
    cdef uint64_t sum = s[0] + s[3]
    cdef uint64_t result = ((sum << 23) | (sum >> 41)) + s[0]
    cdef uint64_t t = s[1] << 17
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << 45) | (s[3] >> 19)
    return result


cdef inline uint32_t rng_below(rng_t* rng, uint32_t n) noexcept nogil:
    """Return a number from 0 to n - 1, exactly uniform (Lemire 2019), for n >= 1."""
    cdef uint64_t product = (rng_next(rng) >> 32) * n
    cdef uint32_t threshold
    if <uint32_t> product < n:
        threshold = (<uint32_t> 0 - n) % n
        while <uint32_t> product < threshold:
            product = (rng_next(rng) >> 32) * n
    return <uint32_t> (product >> 32)


cdef class Random:
    cdef rng_t c
