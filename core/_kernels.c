/* Compiled once for each instruction set, with ISA_NAME, ISA_SYMBOL and WIDTH (bytes of a vector)
 * given by the build. */
#include "_isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define JOIN3_(a, b, c) a##b##c
#define JOIN3(a, b, c) JOIN3_(a, b, c)
#define ALWAYS_INLINE inline __attribute__((always_inline))

#define LANE 16
#if WIDTH > 32
#define VECTOR 32 /* a board of this class is 16 lanes: half a vector of 64 bytes */
#else
#define VECTOR WIDTH
#endif
#include "_reduction_lanes.h"

#define LANE 32
#define VECTOR WIDTH
#include "_reduction_lanes.h"

#define LANE 64
#define VECTOR WIDTH
#include "_reduction_lanes.h"

#include "_sliced_kernels.h"

const isa_t ISA_SYMBOL = {
    ISA_NAME,
    {
        {reduce_16, build_16, toggle_16},
        {reduce_32, build_32, toggle_32},
        {reduce_64, build_64, toggle_64},
    },
    {coins, balance, repair, reduce_slices, count_slices},
};
