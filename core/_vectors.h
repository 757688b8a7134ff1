/* What all files of kernels share: vectors of WIDTH bytes (see _isa.h). */
#ifndef TRIVALENT_VECTORS_H
#define TRIVALENT_VECTORS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* A vector of at most 32 bytes.  A plane of the first class (16-bit columns) needs no more, and one of
 * the second class (21-bit columns) is faster in two of these than in one of 64 bytes. */
#define NARROW (WIDTH > 32 ? 32 : WIDTH)

/* Which of 16 cells hold a colour. */
static inline uint64_t cells_of(const uint8_t *stones, int colour) {
#if defined(__SSE2__)
    __m128i row = _mm_loadu_si128((const __m128i *)stones);
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(row, _mm_set1_epi8((char)colour)));
#else
    uint64_t bits = 0;
    for (int i = 0; i < 16; i++) bits |= (uint64_t)(stones[i] == colour) << i;
    return bits;
#endif
}

#endif
