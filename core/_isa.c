/* Which of the compiled instruction sets run on this machine. */
#include <stddef.h>
#include <string.h>

#include "core/_isa.h"

extern const isa_t isa_baseline;
#if defined(__x86_64__)
extern const isa_t isa_x86_64_v3, isa_x86_64_v4;
#endif

const isa_t *isa_available(int index) {
    if (index == 0) return &isa_baseline;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (index == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return &isa_x86_64_v3;
    if (index == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &isa_x86_64_v4;
#endif
    return NULL;
}

const isa_t *isa_select(const char *name) {
    const isa_t *best = NULL, *isa;
    for (int i = 0; (isa = isa_available(i)); i++)
        if (!name || strcmp(name, isa->name) == 0) best = isa;
    return best;
}
