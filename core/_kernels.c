/* Compiled once for each instruction set, with ISA_NAME, ISA_SYMBOL and WIDTH (bytes of a vector)
 * given by the build. */
#include "_isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define JOIN3_(a, b, c) a##b##c
#define JOIN3(a, b, c) JOIN3_(a, b, c)
#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { INTERLEAVED = 4 };

#define COLUMN 16
#define LANE 16
#if WIDTH > 32
#define VECTOR 32 /* a board of this class is 16 lanes: half a vector of 64 bytes */
#else
#define VECTOR WIDTH
#endif
#include "_reduction_lanes.h"

#define COLUMN 21
#define LANE 64
#define VECTOR WIDTH
#include "_reduction_lanes.h"

#define COLUMN 32
#define LANE 32
#define VECTOR WIDTH
#include "_reduction_lanes.h"

#define COLUMN 64
#define LANE 64
#define VECTOR WIDTH
#include "_reduction_lanes.h"

/* The bits of the cells, of 16 from here on, that hold a colour. */
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

static void pack(const uint8_t *stones, int colour, const run_t *runs, int n, uint64_t *plane) {
    for (const run_t *run = runs; run < runs + n; run++) {
        uint64_t bits = cells_of(stones + run->cell, colour);
        for (int more = 16; more < run->count; more += 16)
            bits |= cells_of(stones + run->cell + more, colour) << more;
        plane[run->word] |= (bits & ~(uint64_t)0 >> (64 - run->count)) << run->shift;
    }
}

#include "_sliced_kernels.h"

const isa_t ISA_SYMBOL = {
    ISA_NAME,
    {
        {reduce_16, reduce_many_16, build_16, toggle_16},
        {reduce_21, reduce_many_21, build_21, toggle_21},
        {reduce_32, reduce_many_32, build_32, toggle_32},
        {reduce_64, reduce_many_64, build_64, toggle_64},
    },
    pack,
    {coins, balance, repair, reduce_slices, count_slices},
};
