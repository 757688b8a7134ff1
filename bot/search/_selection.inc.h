/* Included by _selection_kernels.c: loops over the moves of a position, which the compiler makes vectors of.
 *
 * Other threads may write the same numbers meanwhile.  Each number is read and written as a whole,
 * and what becomes of another thread's sample hardly matters; for ThreadSanitizer that is a race. */
#include <math.h>

#define UNWATCHED __attribute__((no_sanitize("thread")))

UNWATCHED static int choose(const attributes_t *moves, int n, float rave, float bonus,
                            float follow) {
    const uint32_t *restrict visits = moves->visits;
    const float *restrict value = moves->value, *restrict policy = moves->policy;
    const float *restrict mean = moves->rave;
    const uint16_t *restrict samples = moves->samples;
    const int16_t *restrict proof = moves->proof;
    /* Values are not negative: as whole numbers the bits of two of them compare as they do. */
    int32_t bits[MAX_MOVES], best = -1;
    for (int i = 0; i < n; i++) {
        float count = (float)(int32_t)visits[i], m = samples[i], more = 1 + rave * m, score;
        score = (m * mean[i] + more * value[i]) / (m + more * count);
        score += (bonus + follow * policy[i]) / sqrtf(count + 1);
        union { float number; int32_t bits; } both = {.number = score};
        bits[i] = proof[i] < 0 ? -1 : both.bits;
    }
    for (int i = 0; i < n; i++) best = bits[i] > best ? bits[i] : best;
    if (best < 0) return -1;
    int chosen = 0;
    while (bits[chosen] != best) chosen++;
    return chosen;
}

UNWATCHED static void sample(const attributes_t *moves, int n, const float *restrict rates) {
    float *restrict mean = moves->rave;
    uint16_t *restrict samples = moves->samples;
    const int16_t *restrict cell = moves->cell;
    for (int i = 0; i < n; i++) {
        float rate = rates[cell[i]];
        int known = rate >= 0, more = samples[i] + (known & (samples[i] < MAX_SAMPLES));
        float change = (rate - mean[i]) / (float)more;
        samples[i] = (uint16_t)more;
        mean[i] = known ? mean[i] + change : mean[i];
    }
}
