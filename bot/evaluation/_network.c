/* The choice among the network's kernels, and the memory that they work in. */
#include "bot/evaluation/_network.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VNNI = 3, ALIGNMENT = 64 };

#if defined(__x86_64__)
extern const network_kernels_t network_kernels_x86_64_v4_vnni;
#endif

int network_has_vnni(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni");
#else
    return 0;
#endif
}

const network_kernels_t *network_kernels_at(int index) {
#if defined(__x86_64__)
    if (index == VNNI) return &network_kernels_x86_64_v4_vnni;
#endif
    return network_kernels(index);
}

/* Bytes of a part of the scratch memory. */
static size_t padded(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

network_scratch_t *network_scratch_new(const network_t *network) {
    const size_t places = (size_t)network->places, channels = (size_t)network->channels;
    const size_t sizes[] = {
        padded(sizeof(network_scratch_t)),
        padded(places * (size_t)network->plane_stride),
        padded(places * channels),
        padded(places * channels),
        padded(places * (size_t)network->head.outputs),
        padded(places * channels * sizeof(float)),
        padded(places * 2 * sizeof(float)),
    };
    enum { PARTS = sizeof sizes / sizeof *sizes };
    uint8_t *part[PARTS];
    size_t size = 0;
    for (int i = 0; i < PARTS; i++) size += sizes[i];
    part[0] = aligned_alloc(ALIGNMENT, size);
    if (!part[0]) return NULL;
    memset(part[0], 0, size);
    for (int i = 1; i < PARTS; i++) part[i] = part[i - 1] + sizes[i - 1];
    network_scratch_t *scratch = (network_scratch_t *)part[0];
    scratch->planes = part[1];
    scratch->trunk = part[2];
    scratch->inner = part[3];
    scratch->head = part[4];
    scratch->stream = (float *)part[5];
    scratch->outputs = (float *)part[6];
    return scratch;
}

void network_scratch_free(network_scratch_t *scratch) { free(scratch); }
