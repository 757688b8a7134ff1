/* Which of the compiled instruction sets this machine has. */
#include "core/_isa.h"

#include <stddef.h>

const char *isa_name(int index) {
    if (index == 0) return "baseline";
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (index == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return "x86-64-v3";
    if (index == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "x86-64-v4";
#endif
    return NULL;
}
