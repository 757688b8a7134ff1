/* The kernels of core, compiled once for each instruction set (see _isa.h). */
#include "core/_kernels.h"
#include "core/_vectors.h"

enum { INTERLEAVED = 4 };

#define COLUMN 16
#define LANE 16
#define VECTOR NARROW
#include "core/connection/_reduction.inc.h"

#define COLUMN 21
#define LANE 64
#define VECTOR NARROW
#include "core/connection/_reduction.inc.h"

#define COLUMN 32
#define LANE 32
#define VECTOR WIDTH
#include "core/connection/_reduction.inc.h"

#define COLUMN 64
#define LANE 64
#define VECTOR WIDTH
#include "core/connection/_reduction.inc.h"

/* Which cells of four runs of 16 hold a colour. */
static inline uint64_t four_runs(const uint8_t *stones, int colour, const int16_t start[4]) {
#if defined(__AVX512BW__) && WIDTH == 64 /* all in one comparison */
    __m128i r[4];
    for (int k = 0; k < 4; k++) r[k] = _mm_loadu_si128((const __m128i *)(stones + start[k]));
    __m512i rows = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(r[1], r[0])),
                                      _mm256_set_m128i(r[3], r[2]), 1);
    return _mm512_cmpeq_epi8_mask(rows, _mm512_set1_epi8((char)colour));
#else
    uint64_t bits = 0;
    for (int k = 0; k < 4; k++) bits |= cells_of(stones + start[k], colour) << 16 * k;
    return bits;
#endif
}

static void pack_runs_of_16(const uint8_t *stones, int colour, const source_t *sources, int n,
                            const uint64_t *frame, uint64_t *plane) {
    for (int i = 0; i < n; i++) {
        plane[i] = frame[i];
        if (sources[i].cells)
            plane[i] |= four_runs(stones, colour, sources[i].start) & sources[i].cells;
    }
}

static void pack_runs_of_21(const uint8_t *stones, int colour, const source_t *sources, int n,
                            const uint64_t *frame, uint64_t *plane) {
    for (int i = 0; i < n; i++) {
        uint64_t bits = 0;
        for (int k = 0; k < 3; k++) {
            const uint8_t *run = stones + sources[i].start[k];
            uint64_t column = cells_of(run, colour) | cells_of(run + 16, colour) << 16;
            bits |= (column & 0x1FFFFF) << 21 * k;
        }
        plane[i] = frame[i] | (bits & sources[i].cells);
    }
}

#include "core/connection/_sliced.inc.h"

#include "core/connection/_flood.inc.h"

const core_kernels_t ISA_TABLE(core_kernels) = {
    {
        {pack_runs_of_16, reduce_16, reduce_many_16, build_16, toggle_16},
        {pack_runs_of_21, reduce_21, reduce_many_21, build_21, toggle_21},
        {pack_runs_of_16, reduce_32, reduce_many_32, build_32, toggle_32},
        {pack_runs_of_16, reduce_64, reduce_many_64, build_64, toggle_64},
    },
    {coins, fill, balance, repair, reduce_slices, flood, count_slices},
};
